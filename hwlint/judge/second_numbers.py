"""Judge tests of the second number of a capability alone, where devices of several generations come."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hwlint.judge.verdict import Bench, Verdict, listed
from hwlint.model.architecture import Architecture, Vendor
from hwlint.model.finding import Level
from hwlint.model.observation import Comparison, Observation, Partwise

_OPERATORS = ("==", "!=", "<", "<=", ">", ">=")
_EARLIEST = 8
"""Before 8.0 the second number told no sizes apart that code goes by."""


def second_alone(seen: Sequence[Observation], bench: Bench) -> Iterator[Verdict]:
    """`minor != 0` tells 8.6 from 8.0, and takes 9.0 and 12.0 for 8.0: what comes after is a guest on either side."""
    told: set[str] = set()
    parts = {span for item in seen if isinstance(item, Partwise) for span in item.parts}
    for item in seen:
        if not isinstance(item, Comparison) or item.operator not in _OPERATORS or item.place.symbol in told:
            continue
        if item.place.span in parts:
            continue
        if len(item.right_values) != 1 or type(item.right_values[0][0]) is not int:
            continue
        rows = {
            bit: row
            for bit, row in enumerate(bench.architectures)
            if item.alive >> bit & 1 and row.vendor is Vendor.NVIDIA and row.capability is not None
        }
        if not rows or not all(_is_second(item, bit, row) for bit, row in rows.items()):
            continue
        recent = {bit: row for bit, row in rows.items() if row.major is not None and row.major >= _EARLIEST}
        first = min((row.major or 0 for row in recent.values()), default=0)
        apart = {item.true >> bit & 1 for bit, row in recent.items() if row.major == first}
        out = sum(1 << bit for bit, row in recent.items() if row.major != first) & ~bench.floor
        if len(apart) == 2 and out and first == min(row.major or 0 for row in rows.values()):
            told.add(item.place.symbol)
            text = f"{item.left} {item.operator} {item.right}"
            fields = {"expression": text, "evidence": f"asks the second number alone, as for {first}.x, also"}
            facts = {"statement_line": item.place.statement.line}
            words = f"{first}.x is told apart by it; {listed(bench.names(out))} are taken for one of them"
            yield Verdict(item.place, out, 0, words, fields, text, Level.NOTE, item.trace, facts=facts)


def _is_second(item: Comparison, bit: int, row: Architecture) -> bool:
    values = [value for value, mask in item.left_values if mask >> bit & 1]
    return row.capability is not None and values == [row.capability[1]]
