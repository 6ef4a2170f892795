"""Hold what a log and its tree say apart from one crash: devices, the toolkit, and what the tree builds for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hwlint.judge.builds import shown
from hwlint.model.architecture import Architecture
from hwlint.model.crash import Crash, Explanation
from hwlint.model.finding import TraceStep
from hwlint.model.observation import BuildList
from hwlint.model.report import Report
from hwlint.model.span import Span
from hwlint.workflow.trace_clues import Clue, Toolkit
from hwlint.workflow.trace_frames import Spot

_MOST_STEPS = 4
BUILD_WORDS = (b"gencode", b"compute_", b"ARCH")
"""A file that lists what is built for holds one of these."""
LISTS = ("variable", "own", "flags", "toolkit")
"""The kinds of build lists that say what is built, and not only how it is asked for."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What holds for every crash of one log.

    `rows` are the architectures asked about, `builds` the lists of architectures to build for that the tree has,
    `clues` the devices that the log names, `toolkit` the CUDA release that the log names, if one.
    """

    rows: Sequence[Architecture]
    report: Report
    builds: Sequence[BuildList] = ()
    clues: Sequence[Clue] = ()
    toolkit: Toolkit | None = None

    def named(self, clues: Sequence[Clue]) -> tuple[set[str], str]:
        """The architectures asked about that the first telling one of `clues` names, and what says so."""
        for clue in clues:
            names = {row.name for row in self.rows if row.name in clue.names}
            if names:
                return names, clue.text
        return set(), ""

    def in_order(self, names: set[str]) -> tuple[str, ...]:
        """Some architectures in the order of the catalogue."""
        return tuple(row.name for row in self.rows if row.name in names)


def called(spots: Sequence[Spot], what: str) -> tuple[TraceStep, ...]:
    """The frames of the tree, the innermost first."""
    steps = []
    for number, spot in enumerate(spots[:_MOST_STEPS]):
        span = Span(spot.path, max(spot.line, 1), 1, max(spot.line, 1), 1)
        steps.append(
            TraceStep(span, f"{what} comes from here" if number == 0 else f"called by {spot.function or 'the module'}")
        )
    return tuple(steps)


def unexplained(crash: Crash, spots: Sequence[Spot], reason: str) -> Explanation:
    """Say why a crash is not explained, at the innermost frame of the tree."""
    return Explanation(crash, spots[0].frame if spots else None, where(spots), reason=reason)


def where(spots: Sequence[Spot]) -> Span | None:
    """The line of the innermost frame that lies in the tree."""
    if not spots:
        return None
    line = max(spots[0].line, 1)
    return Span(spots[0].path, line, 1, line, 1)


def places(builds: Sequence[BuildList]) -> str:
    """Name some lists of the tree: `setup.py:8 (8.0 and 9.0)`."""
    told = [f"{item.place.span.path}:{item.place.span.line} ({shown(item)})" for item in builds[:_MOST_STEPS]]
    rest = len(builds) - _MOST_STEPS
    return ", ".join(told) + (f" and {rest} more" if rest > 0 else "")
