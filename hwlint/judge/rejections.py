"""Judge raises and asserts by which the author turns architectures away."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hwlint.judge.guards import disagreed, stale_ladder, words_of
from hwlint.judge.verdict import Bench, Verdict
from hwlint.model.observation import Observation, Rejection
from hwlint.model.rule import Rule


def author_rejects(seen: Sequence[Observation], rule: Rule, bench: Bench) -> Iterator[Verdict]:
    """A raise or assert turns away an architecture newer than the oldest one that it admits."""
    for rejection in seen:
        if not isinstance(rejection, Rejection):
            continue
        admitted = rejection.reached & ~rejection.mask
        if not admitted:
            continue
        told = disagreed(rejection, bench) | stale_ladder(rejection, bench)
        mask = rejection.mask & ~rejection.caught & ~(bench.older_than(admitted) | bench.floor | told)
        if not mask:
            continue
        trace = (*rejection.trace,)
        yield Verdict(
            rejection.place,
            mask,
            rejection.certain & mask,
            rejection.exception,
            {"words": words_of(rejection)},
            rejection.exception,
            None,
            trace,
            why=tuple((name, f"raises {rejection.exception}") for name in bench.names(mask)),
            facts={"statement_line": rejection.place.statement.line},
        )
