"""Say where one decision is told of already: by the `raise` that it leads to, or because all come out alike."""

from __future__ import annotations

from collections.abc import Sequence

from hwlint.judge.verdict import Bench
from hwlint.model.observation import Gate, Observation, Place, Rejection
from hwlint.model.span import Span


def is_turned_away_below(place: Place, out: int, seen: Sequence[Observation], bench: Bench) -> bool:
    """True where a `raise` or `assert` further down in the function has a note with the same architectures.

    One that stands in the very statement of the test may have more of them.
    """
    for each in seen:
        if not isinstance(each, Rejection) or each.place.symbol != place.symbol or each.place.span < place.span:
            continue
        if each.mask & bench.asked == out and place.symbol:
            return True
        if not out & ~each.mask and _is_inside(each.place.span, place.statement):
            return True
    return False


def comes_out_alike(place: Place, hits: int, out: int, seen: Sequence[Observation]) -> bool:
    """True where a whole condition is the same for those in a list and those that are not: `x in LIST or y`."""
    around = [each for each in seen if isinstance(each, Gate) and _is_inside(place.span, each.place.span)]
    if not around:
        return False
    gate = max(around, key=lambda each: _size(each.place.span))
    both = (hits | out) & gate.alive
    sure = gate.true & ~gate.false, gate.false & ~gate.true
    return bool(both & out) and any(not both & ~side for side in sure)


def _is_inside(inner: Span, outer: Span) -> bool:
    begins = (outer.line, outer.column) <= (inner.line, inner.column)
    ends = (inner.end_line, inner.end_column) <= (outer.end_line, outer.end_column)
    return inner.path == outer.path and inner != outer and begins and ends


def _size(span: Span) -> tuple[int, int]:
    return span.end_line - span.line, span.end_column - span.column
