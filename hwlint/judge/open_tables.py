"""Judge tables of architectures that are asked for something unknown: what their own line has beyond their members."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hwlint.judge.verdict import Bench, Verdict
from hwlint.model.architecture import Architecture, Vendor
from hwlint.model.finding import Level, TraceStep
from hwlint.model.observation import Comparison, Lookup, Observation, OpenTable
from hwlint.model.outcome import NotKnown

_SHOWN = 8


def left_out_unseen(seen: Sequence[Observation], bench: Bench, forms: tuple[str, ...]) -> Iterator[Verdict]:
    """A table whose members name architectures lacks some that are newer than its oldest: a note, whoever asks.

    Where a hardware value is seen to come there, that lookup tells more, and this says nothing.
    """
    asked = [table for table in seen if isinstance(table, OpenTable) and table.form in forms]
    if not asked:
        return
    known = _evaluated(seen)
    for table in asked:
        if (table.place.path, table.place.span.line) in known or table.span in known:
            continue
        hits = _members(table, bench)
        if table.kind != "gfx" and hits.bit_count() * 2 < len(set(table.numbers)):
            continue  # numbers of something else
        out = bench.asked & ~hits & ~(bench.older_than(hits) | bench.floor)
        out &= _of_vendors(hits, bench) if table.turns_away else bench.in_line_with(hits)
        out = sum(1 << bit for bit, row in enumerate(bench.architectures) if out >> bit & 1 and _ships(row))
        if not hits or not out:
            continue
        keys = ", ".join(map(repr, table.keys[:_SHOWN])) + (", ..." if len(table.keys) > _SHOWN else "")
        missing = ", ".join(bench.names(out))
        fields = {
            "table": table.table,
            "key": table.key,
            "keys": keys,
            "missing": missing,
            "outcome": "KeyError" if table.form == "subscript" else "a default",
        }
        step = TraceStep(table.span, f"{table.table} is defined here with {keys}")
        yield Verdict(table.place, out, 0, "not a member", fields, table.table, Level.NOTE, (step,))


def _evaluated(seen: Sequence[Observation]) -> set[object]:
    """Lines and tables for which the hardware was seen to decide."""
    found: set[object] = set()
    for each in seen:
        if isinstance(each, Lookup) and any(not isinstance(h.outcome, NotKnown) for h in each.happenings):
            found |= {(each.place.path, each.place.span.line), each.table.span}
        elif isinstance(each, Comparison):
            found.add((each.place.path, each.place.span.line))
    return found


def _members(table: OpenTable, bench: Bench) -> int:
    """The architectures that the members name."""
    return sum(1 << bit for bit, row in enumerate(bench.architectures) if _names(table, row))


def _of_vendors(mask: int, bench: Bench) -> int:
    """The architectures of the vendors that `mask` has members of."""
    vendors = {row.vendor for row in bench.rows(mask)}
    return sum(1 << bit for bit, row in enumerate(bench.architectures) if row.vendor in vendors)


def _names(table: OpenTable, row: Architecture) -> bool:
    if table.kind == "gfx":
        return row.vendor is Vendor.AMD and row.name in table.keys
    if row.vendor is not Vendor.NVIDIA or row.capability is None:
        return False
    return row.capability[0] * 10 + row.capability[1] in table.numbers


def _ships(row: Architecture) -> bool:
    """True for what products have; the catalogue knows names of others before they ship."""
    return bool(row.products) or (row.vendor is Vendor.AMD and row.fact("limits.lds_kib_amd_table") is not None)
