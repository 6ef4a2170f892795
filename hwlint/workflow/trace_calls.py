"""Explain an exception of another package by the line of the tree that lets the architecture in there."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hwlint.model.crash import Crash, Explanation
from hwlint.model.finding import Certainty, Finding, Level, TraceStep
from hwlint.model.report import Report
from hwlint.model.span import Span
from hwlint.workflow.trace_clues import Clue
from hwlint.workflow.trace_frames import Spot

SPEAKS_OF_HARDWARE = re.compile(
    r"capabilit|architecture|is_sm\d|\b(?:sm|SM)_?\d|\bgfx\d|compute_\d|cubin|\bPTX|wgmma|tcgen05|CUDA error|HIP error"
    r"|illegal instruction|unspecified launch failure|only (?:supports?|supported|available)"
    r"|[Uu]nsupported|not supported"
)
"""What an exception says when a device or a kernel refuses; a missing weight or a wrong shape does not."""
_INCLUSIONS = ("HW104", "HW204", "HW206", "HW207", "HW502")
"""The rules about architectures that are let in where they cannot go."""


def explain(
    crash: Crash, spots: Sequence[Spot], report: Report, said: Clue | None, clues: Sequence[Clue]
) -> Explanation | None:
    """Return the innermost frame whose line check reports for letting an architecture in, None where there is none.

    Only exceptions whose words are about hardware count, and only findings for an architecture that the message or
    the log names, where they name one.
    """
    if SPEAKS_OF_HARDWARE.search(" ".join((crash.message, *crash.details))) is None:
        return None
    for spot in spots:
        for finding in _about(spot, report):
            names, because = _named(finding, said, clues)
            if names:
                return _explanation(crash, spot, finding, names, because)
    return None


def _about(spot: Spot, report: Report) -> list[Finding]:
    """The inclusions that are reported on the frame's line, or before it in its function for the name on the line."""
    about = [
        one
        for one in report.findings
        if one.rule in _INCLUSIONS
        and one.level is not Level.NOTE
        and one.span.path == spot.path
        and (one.span.line <= spot.line <= one.span.end_line or _is_led_to(one, spot))
    ]
    return sorted(about, key=lambda one: (-one.level.rank, one.certainty is not Certainty.CERTAIN, one.span))


def _is_led_to(finding: Finding, spot: Spot) -> bool:
    name = finding.table.rpartition(".")[2]
    words = re.findall(r"\w+", spot.frame.text)
    return finding.symbol == spot.function and finding.span.line <= spot.line and name in words


def _named(finding: Finding, said: Clue | None, clues: Sequence[Clue]) -> tuple[tuple[str, ...], str]:
    """The finding's architectures that the message or the log names, all where it names none, none where others."""
    for clue in (said, *clues):
        if clue is not None and clue.names & set(finding.targets):
            return tuple(name for name in finding.targets if name in clue.names), clue.text
    return ((), "") if clues else (finding.targets, "check reports this line for these")


def _explanation(crash: Crash, spot: Spot, finding: Finding, names: tuple[str, ...], because: str) -> Explanation:
    call = Span(spot.path, spot.line, 1, spot.line, 1)
    return Explanation(
        crash,
        spot.frame,
        call,
        spot.function,
        f"it was raised in what is called here, and {finding.message}",
        (TraceStep(call, f"{crash.type} comes out of this call"), *reversed(finding.trace)),
        names,
        because,
        finding.why,
        finding,
    )
