"""Judge tests that a comment speaks of: for one generation by its words, and open to what is newer by its numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hwlint.judge.reached import covered, invited, is_open, misled, needed_behind, sharpest
from hwlint.judge.verdict import Bench, Verdict, tidied
from hwlint.model.finding import Level
from hwlint.model.observation import Observation, Reach
from hwlint.model.rule import Rule

_GUARD_SHOWN = 90


def open_range_admits(seen: Sequence[Observation], rule: Rule, bench: Bench) -> Iterator[Verdict]:
    """A hardware test lets in architectures that what is behind it, or the comment above, leaves out."""
    yield from needed_behind(seen, bench)
    yield from said_above(seen, bench)


def said_above(seen: Sequence[Observation], bench: Bench) -> Iterator[Verdict]:
    """The comment above says "if hopper", or that the kernel uses tcgen05, and the test lets newer ones in; a note."""
    told: set[tuple[str, int]] = set()
    for reach in seen:
        if not isinstance(reach, Reach) or reach.how != "remark":
            continue
        claim = sharpest(reach.text)
        index = (reach.place.path, reach.place.statement.line)
        if claim is None or index in told or not is_open(reach.mask, bench):
            continue
        wrong = misled(reach.mask, covered(claim, bench), bench) & ~invited(reach.guard, bench)
        if wrong:
            told.add(index)
            yield Verdict(
                reach.place,
                wrong,
                0,
                "let in",
                {
                    "guard": tidied(reach.guard, _GUARD_SHOWN),
                    "evidence": f"the comment above speaks of `{reach.text}`",
                },
                reach.text,
                Level.NOTE,
                reach.trace,
                facts={"statement_line": reach.place.statement.line},
            )
