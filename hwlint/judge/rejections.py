"""Judge raises and asserts by which the author turns architectures away."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hwlint.judge.verdict import Bench, Verdict
from hwlint.model.observation import Observation, Rejection
from hwlint.model.rule import Rule

_WORDS_SHOWN = 120


def author_rejects(seen: Sequence[Observation], rule: Rule, bench: Bench) -> Iterator[Verdict]:
    """A raise or assert turns away an architecture newer than the oldest one that it admits."""
    for rejection in seen:
        if not isinstance(rejection, Rejection):
            continue
        admitted = rejection.reached & ~rejection.mask
        if not admitted:
            continue
        mask = rejection.mask & ~rejection.caught & ~(bench.older_than(admitted) | bench.floor)
        if not mask:
            continue
        words = rejection.message or f"{rejection.exception} without a message"
        shown = words if len(words) <= _WORDS_SHOWN else words[: _WORDS_SHOWN - 3] + "..."
        trace = (*rejection.trace,)
        yield Verdict(
            rejection.place,
            mask,
            rejection.certain & mask,
            rejection.exception,
            {"words": shown},
            rejection.exception,
            None,
            trace,
            why=tuple((name, f"raises {rejection.exception}") for name in bench.names(mask)),
            facts={"statement_line": rejection.place.statement.line},
        )
