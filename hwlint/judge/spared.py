"""Judge tests that single out what had little shared memory once, and leave out what has as little."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hwlint.hardware.claims import shared_kib
from hwlint.judge.verdict import Bench, Verdict, listed
from hwlint.model.architecture import Vendor
from hwlint.model.finding import Level
from hwlint.model.observation import Gate, Observation, Rejection

_AS_LITTLE = 1.1
_LITTLE = ((8, 6), (8, 9))
_LARGE = ((8, 0), (9, 0), (10, 0))


def spared(seen: Sequence[Observation], bench: Bench) -> Iterator[Verdict]:
    """A test is true (or false) for 8.6 and 8.9 alone; what is newer and has no more takes the way of the large.

    Words that speak of shared memory make it a warning. It stays silent where the function tells the newer ones
    apart from the large elsewhere, or turns them away.
    """
    told: set[str] = set()
    little = _bits(_LITTLE, bench)
    limits = [shared_kib(row) or 0 for row in bench.rows(little)]
    if len(limits) < len(_LITTLE):
        return
    newer = sum(
        1 << bit
        for bit, row in enumerate(bench.architectures)
        if row.vendor is Vendor.NVIDIA
        and row.capability is not None
        and row.capability > max(_LITTLE)
        and 0 < (shared_kib(row) or 0) <= max(limits) * _AS_LITTLE
    )
    for gate in seen:
        if not isinstance(gate, Gate) or gate.place.symbol in told:
            continue
        side = _singled_out(gate, little, bench)
        wrong = newer & (gate.entered or bench.everyone) & ~side if side else 0
        if not wrong or _told_apart(gate, wrong, seen, bench):
            continue
        told.add(gate.place.symbol)
        named = listed(bench.all_names(side))
        have = listed([f"{limit} KiB" for limit in sorted({shared_kib(row) or 0 for row in bench.rows(wrong)})])
        yield Verdict(
            gate.place,
            wrong,
            0,
            "takes the way of those with more",
            {
                "evidence": f"`{gate.text}` singles out {named}; the way of larger ones is taken",
                "reason": f"a block has {have} of shared memory there, too",
            },
            gate.text,
            None if gate.says_memory else Level.NOTE,
            gate.trace,
        )


def _bits(capabilities: Sequence[tuple[int, int]], bench: Bench) -> int:
    return sum(
        1 << bit
        for bit, row in enumerate(bench.architectures)
        if row.vendor is Vendor.NVIDIA and row.capability in capabilities
    )


def _singled_out(gate: Gate, little: int, bench: Bench) -> int:
    """The side of a test that has 8.6 and 8.9, and nothing else of NVIDIA's but 8.7 and 8.8; 0 where none is so.

    Something unknown may have a say, too, as long as nobody else comes to that side.
    """
    may_be = _bits(((8, 6), (8, 7), (8, 8), (8, 9)), bench)
    others = sum(1 << bit for bit, row in enumerate(bench.architectures) if row.vendor is Vendor.NVIDIA) & ~may_be
    for side, rest in ((gate.true, gate.false), (gate.false, gate.true)):
        if side & little == little and not side & others and rest & _bits(((8, 0),), bench):
            return side & may_be
    return 0


def _told_apart(gate: Gate, wrong: int, seen: Sequence[Observation], bench: Bench) -> bool:
    """True where the function asks for the newer ones without the large ones, or turns them away."""
    large = _bits(_LARGE, bench)
    for other in seen:
        if isinstance(other, Rejection) and other.place.symbol == gate.place.symbol and other.mask & wrong:
            return True
        if not isinstance(other, Gate) or other.place.symbol != gate.place.symbol:
            continue
        for side in (other.true & ~other.false, other.false & ~other.true):
            if side & wrong and not side & large:
                return True
    return False
