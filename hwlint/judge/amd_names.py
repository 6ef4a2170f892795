"""Judge lists of AMD's names that are looked for in the device's: they end before a later member of the same line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hwlint.judge.verdict import Bench, Verdict
from hwlint.model.architecture import Architecture, Vendor
from hwlint.model.observation import Comparison, Observation

_PREFIX = "gfx"
_LEAST = 2
_SHOWN = 8


def names_left_out(seen: Sequence[Observation], bench: Bench) -> Iterator[Verdict]:
    """`any(name in arch for name in ["gfx90a", "gfx942"])`, and `arch in ("gfx942")`, which is no tuple.

    One name is for one architecture by intention; a text where a tuple was meant is a list of one.
    """
    for item in seen:
        if not isinstance(item, Comparison) or item.operator not in ("in", "not in"):
            continue
        names, listed = _texts(item.left_values), _texts(item.right_values)
        yes, no = (item.true, item.false) if item.operator == "in" else (item.false, item.true)
        if len(listed) == 1 and len(names) > 1 and item.right[:1] in "\"'":
            wanted = listed
        elif len(names) >= _LEAST and listed and all(text.startswith(_PREFIX) for text in listed):
            wanted = names
        else:
            continue
        if not all(text.startswith(_PREFIX) for text in wanted):
            continue
        hits = yes & sum(1 << bit for bit, row in enumerate(bench.architectures) if row.vendor is Vendor.AMD)
        out = no & ~yes & bench.newer_than(hits) & ~bench.floor
        out = sum(1 << bit for bit, row in enumerate(bench.architectures) if out >> bit & 1 and _ships(row))
        if not hits or not out or len({row.line for row in bench.rows(hits)}) != 1:
            continue
        keys = ", ".join(map(repr, wanted[:_SHOWN])) + (", ..." if len(wanted) > _SHOWN else "")
        table = item.right if wanted is listed else f"what `{item.right}` is searched for"
        fields = {"table": table.strip("`"), "keys": keys, "missing": ", ".join(map(repr, bench.names(out)))}
        yield Verdict(item.place, out, 0, "not a member", fields, keys, trace=item.trace)


def _texts(values: Sequence[tuple[object, int]]) -> list[str]:
    """The texts among the values, sorted; none where one is something else."""
    found = {value for value, _ in values if isinstance(value, str)}
    return sorted(found) if all(isinstance(value, str) for value, _ in values) else []


def _ships(row: Architecture) -> bool:
    """True for what AMD's own table of hardware lists; the catalogue knows names of others before they ship."""
    return row.vendor is Vendor.AMD and row.fact("limits.lds_kib_amd_table") is not None
