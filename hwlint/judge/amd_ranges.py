"""Judge lower bounds on AMD numbers: those of RDNA are higher than those of CDNA, and say nothing of what they can."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from hwlint.hardware.table import load
from hwlint.judge.verdict import Bench, Verdict
from hwlint.model.architecture import Vendor
from hwlint.model.finding import Level
from hwlint.model.observation import Comparison, Observation, Place

_DATACENTER, _OTHER = "CDNA", "RDNA"
_MATRIX_CORES = re.compile(r"matrix_?cores?|mfma|cdna|instinct", re.I)
"""What only the datacenter line has, in the name of the function that asks."""


_FOR_AMD = re.compile(r"rocm|(?<![a-z])(?:hip|amd|[cr]dna\d?)(?![a-z])", re.I)
"""What a file, a class or a function is called that runs on AMD's devices alone."""

_LESS = ("<", "<=")
"""What is not less is let in: `if capability < (9, 4): raise` is a lower bound, too."""


def over_lines(seen: Sequence[Observation], bench: Bench) -> Iterator[Verdict]:
    """`>= (9, 4)`, or `< (9, 4)`, where only AMD devices come: CDNA 3 is meant, and RDNA counts higher."""
    meant = {
        row.capability: row.name
        for row in load().architectures
        if row.vendor is Vendor.AMD and row.generation.startswith(_DATACENTER)
    }
    for item in seen:
        if not isinstance(item, Comparison):
            continue
        bound = _bound(item, bench)
        known = 0
        for _, where in item.left_values:
            known |= where
        rows = bench.rows(item.alive & (known or item.alive) & bench.everyone)
        exact = bound is not None and bound in meant
        said = None if exact else _said(item)
        if not (exact or said) or not rows:
            continue
        if any(row.vendor is not Vendor.AMD for row in rows) and not _for_amd(item):
            continue
        let_in = item.false if item.operator in _LESS else item.true
        mask = sum(
            1 << bit
            for bit, row in enumerate(bench.architectures)
            if let_in >> bit & 1 and row.generation.startswith(_OTHER)
        )
        mask &= ~bench.floor
        if mask:
            guard = item.left if item.operator == "call" else f"{item.left} {item.operator} {item.right}"
            line = f"{bound} is {meant[bound]} of" if exact else f"`{said}` is a matter of"
            evidence = f"{line} the datacenter line, and these are of another that counts higher"
            facts = {"statement_line": item.place.statement.line}
            fields = {"guard": guard, "evidence": evidence}
            level = Level.NOTE if said is None else None
            yield Verdict(item.place, mask, 0, "let in", fields, level=level, trace=item.trace, facts=facts)


def _for_amd(item: Comparison) -> bool:
    """Whether names say that only AMD devices come: `rocm.py`, `RocmPlatform`, `has_rocm_capability(9, 5)`."""
    asked = item.left.partition("(")[0] if item.operator == "call" else ""
    return is_for_amd(item.place) or _FOR_AMD.search(asked) is not None


def is_for_amd(place: Place) -> bool:
    """Whether the file, the class or the function is called after AMD's devices, or what they are programmed with."""
    return any(_FOR_AMD.search(name) for name in (place.path.rpartition("/")[2], place.symbol))


def _said(item: Comparison) -> str | None:
    """What only the datacenter line has, in the name of the function that asks for a first number and upwards."""
    bound = item.right_values[0][0] if item.operator in (">=", ">") and len(item.right_values) == 1 else None
    found = _MATRIX_CORES.search(item.place.symbol) if isinstance(bound, int) else None
    return found[0] if found is not None else None


def _bound(item: Comparison, bench: Bench) -> tuple[int, int] | None:
    """The least number that passes: the one compared with, or the lowest for which a call answers yes."""
    if item.operator in (">=", ">", *_LESS) and len(item.right_values) == 1:
        bound = item.right_values[0][0]
        return bound if isinstance(bound, tuple) and len(bound) == 2 else None
    if item.operator != "call":
        return None
    amd = sum(1 << bit for bit, row in enumerate(bench.architectures) if row.vendor is Vendor.AMD)
    yes, no = item.true & ~item.false, item.false & ~item.true
    asked = amd if yes & amd and no & amd else bench.everyone
    passing, stopped = (
        sorted(row.capability for row in bench.rows(mask & asked) if row.capability is not None) for mask in (yes, no)
    )
    if not passing or not stopped or stopped[-1] >= passing[0]:
        return None
    return passing[0]
