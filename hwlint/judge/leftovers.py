"""Judge dispatches that name the generations they know and send what is newer where a lower bound leads."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from hwlint.judge.verdict import Bench, Verdict, listed
from hwlint.model.architecture import Vendor
from hwlint.model.observation import Comparison, Observation

_LEAST_NAMED = 2
_EARLIEST = 9
_ORDERS = ("<", "<=", ">", ">=")


def left_to_a_bound(seen: Sequence[Observation], bench: Bench) -> Iterator[Verdict]:
    """Branches ask for 9.x, 10.x and so on by name; what no branch names passes a lower bound behind them.

    That side was written for those named that fell through, so an architecture newer than all of them is a guest.
    """
    functions: dict[str, list[Comparison]] = defaultdict(list)
    for one in seen:
        if isinstance(one, Comparison) and one.place.symbol:
            functions[one.place.symbol].append(one)
    for comparisons in functions.values():
        named: dict[int, Comparison] = {}
        for one in sorted(comparisons, key=lambda each: each.place.span):
            major = _asked_for(one, bench)
            if major is not None:
                named.setdefault(major, one)
            elif len(named) >= _LEAST_NAMED and one.operator in _ORDERS and not _has_other_end(one, comparisons):
                verdict = _left_over(one, named, bench)
                if verdict is not None:
                    yield verdict
                    break


def _asked_for(one: Comparison, bench: Bench) -> int | None:
    """The one generation, from 9.x on, that a test asks for by name and that goes its own way."""
    if one.operator not in ("==", "call") or one.turned_away:
        return None
    majors = {row.major for row in bench.rows(one.true) if row.vendor is Vendor.NVIDIA}
    major = majors.pop() if len(majors) == 1 else None
    return major if major is not None and major >= _EARLIEST else None


def _has_other_end(one: Comparison, comparisons: Sequence[Comparison]) -> bool:
    """True where the same statement has a second bound: `(9, 0) <= capability < (11, 0)`."""
    return any(
        other is not one and other.operator in _ORDERS and other.place.statement == one.place.statement
        for other in comparisons
    )


def _left_over(one: Comparison, named: dict[int, Comparison], bench: Bench) -> Verdict | None:
    upper = one.true & ~one.false
    lower = one.false & ~one.true
    if not upper or not lower:
        return None
    if not _has_newest(upper, bench):
        upper, lower = lower, upper
    rows = [row for row in bench.rows(upper) if row.vendor is Vendor.NVIDIA and row.major is not None]
    majors = {row.major for row in rows if row.major is not None}
    if not majors or min(majors) < _EARLIEST or not majors & named.keys():
        return None
    out = 0
    for bit, row in enumerate(bench.architectures):
        if upper >> bit & 1 and row.vendor is Vendor.NVIDIA and row.major is not None and row.major > max(named):
            out |= 1 << bit
    if not out:
        return None
    texts = [f"{test.left} {test.operator} {test.right}" if test.right else test.left for test in named.values()]
    return Verdict(
        one.place,
        out,
        0,
        "named by no branch",
        {
            "expression": "` and `".join(texts),
            "value": f"{listed([f'{major}.x' for major in sorted(named)])}",
            "reason": f"come here with them, by `{one.left} {one.operator} {one.right}`",
        },
        texts[0],
        None,
        one.trace,
    )


def _has_newest(mask: int, bench: Bench) -> bool:
    newest = max((bit for bit, row in enumerate(bench.architectures) if row.vendor is Vendor.NVIDIA), default=0)
    return bool(mask >> newest & 1)
