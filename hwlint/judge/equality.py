"""Judge tests for one architecture that leave its family out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from hwlint.hardware.claims import shared_kib
from hwlint.judge.leftovers import left_to_a_bound
from hwlint.judge.told_elsewhere import is_turned_away_below
from hwlint.judge.verdict import Bench, Verdict, listed, tidied
from hwlint.model.architecture import Vendor
from hwlint.model.finding import Level, TraceStep
from hwlint.model.observation import Comparison, Gate, Limit, Lookup, Observation, Reach, Thing
from hwlint.model.outcome import Default, Hit
from hwlint.model.rule import Rule

_ABOUT = 1.1
"""Shared memory counts as no less within this factor."""
_NO_FAMILY = (None, "none")
_PART_OF_IT = re.compile(r"blackwell[^.;]*\bsm_?\d|\bsm_?\d+[^.;]*blackwell", re.IGNORECASE)
"""Words that speak of one of Blackwell's, not of the generation: `Blackwell (SM100)`."""
_NAMED = re.compile(r"==|\bin\b|<.*<|\w\(\)")
"""A test that names what passes it: an equality, a list, a range with two ends, or a predicate."""
_OF_CHIPS = re.compile(r"arch|chip|target|capab|gpu|device|platform|generation|sm_?\d|version", re.I)


def exact_leaves_family_out(seen: Sequence[Observation], rule: Rule, bench: Bench) -> Iterator[Verdict]:
    """An equality is true for one member of a family; one verdict for a function and member."""
    least = int(str(rule.params.get("families_from", 10)))
    groups: dict[tuple[str, int], list[tuple[Comparison, int]]] = {}
    for one in seen:
        comparison = _of_single_member(one) if isinstance(one, Lookup) else one
        if isinstance(comparison, Comparison) and comparison.operator in ("==", "!=", "call", "in", "not in"):
            if isinstance(one, Comparison) and one.operator in ("in", "not in"):
                continue
            only, out = _left_out(comparison, least, bench)
            if out:
                groups.setdefault((comparison.place.symbol, only), []).append((comparison, out))
    yield from _said_of_more(seen, bench)
    yield from _lowered(seen, bench)
    yield from left_to_a_bound(seen, bench)
    for (_, only), members in groups.items():
        first, _ = members[0]
        out = 0
        for _, mask in members:
            out |= mask
        if any(name in comparison.named for comparison, _ in members for name in bench.names(out)):
            continue
        if is_turned_away_below(first.place, out, seen, bench) or _is_newest(only, out, bench):
            continue  # told below, or a special way for the newest alone
        stated = next((c.opposite for c, mask in members if _speaks_of_mates(c, mask, bench)), "")
        if stated:
            out &= _of_generation(stated, bench)
        text = first.left if first.operator == "call" else f"{first.left} {first.operator} {first.right}"
        yield Verdict(
            first.place,
            out,
            0,
            "takes the other way",
            {
                "expression": tidied(text, 80),
                "value": bench.all_names(only)[0],
                "reason": "come to the branch that a comment says is not for them"
                if stated
                else "of the same family take the other way",
            },
            text,
            Level.WARNING if stated else None,
            first.trace,
            tuple(TraceStep(other.place.span, "the same test again") for other, _ in members[1:]),
        )


def _is_newest(only: int, out: int, bench: Bench) -> bool:
    """True where all that are left out are older than the one that a test is for."""
    taken = [row.capability for row in bench.rows(only) if row.vendor is Vendor.NVIDIA and row.capability is not None]
    return all(row.capability is not None and row.capability < max(taken) for row in bench.rows(out))


def _speaks_of_mates(comparison: Comparison, out: int, bench: Bench) -> bool:
    """True where a comment says that the other branch is not for a generation, whose members take it all the same."""
    return bool(out & _of_generation(comparison.opposite, bench))


def _of_generation(name: str, bench: Bench) -> int:
    return _union(1 << bit for bit, row in enumerate(bench.architectures) if row.generation.lower() == name)


def _said_of_more(seen: Sequence[Observation], bench: Bench) -> Iterator[Verdict]:
    """Words turn Blackwell away, behind a test that only a part of Blackwell meets."""
    for reach in seen:
        if not isinstance(reach, Reach) or reach.how != "message":
            continue
        meant = _of_generation("blackwell", bench)
        gates = [gate for gate in seen if isinstance(gate, Gate) and gate.place.symbol == reach.place.symbol]
        gate = next((gate for gate in gates if gate.text.startswith(reach.guard.removesuffix("..."))), None)
        if gate is None or not reach.mask & meant or reach.mask & gate.false & ~gate.true:
            continue
        out = meant & gate.alive & ~reach.mask
        if out and ("==" in gate.text or (_NAMED.search(gate.text) and not _PART_OF_IT.search(reach.text))):
            yield Verdict(
                gate.place,
                out,
                0,
                "takes the other way",
                {
                    "expression": reach.guard,
                    "value": listed(bench.all_names(reach.mask & meant)),
                    "reason": "are Blackwell too, of which the words behind it speak",
                },
                reach.guard,
                None,
                gate.trace,
            )


def _lowered(seen: Sequence[Observation], bench: Bench) -> Iterator[Verdict]:
    """A limit is raised for some architecture, and what is newer is held to the one of those before it.

    What has less shared memory than the one that it is raised for may need the lower limit.
    """
    for limit in seen:
        if not isinstance(limit, Limit):
            continue
        best: dict[int, int] = {}
        for bit, row in enumerate(bench.architectures):
            sizes = [size for size, mask in limit.sizes if mask >> bit & 1]
            if sizes and row.vendor is Vendor.NVIDIA:
                best[bit] = max(sizes) if limit.most else min(sizes)
        if not best:
            continue
        widest = max(best.values()) if limit.most else min(best.values())
        chosen = _union(1 << bit for bit, size in best.items() if size == widest)
        before = {size for bit, size in best.items() if bench.older_than(chosen) >> bit & 1}
        room = max((shared_kib(row) or 0 for row in bench.rows(chosen)), default=0)
        out = _union(
            1 << bit
            for bit, size in best.items()
            if bench.newer_than(chosen) >> bit & 1
            and before == {size}
            and (shared_kib(bench.architectures[bit]) or room) * _ABOUT >= room
        )
        if out:
            size = next(iter(before))
            yield Verdict(
                limit.place,
                out,
                0,
                f"held to {size}",
                {
                    "expression": f"{limit.name} == {widest}",
                    "value": listed(bench.all_names(chosen)),
                    "reason": f"are held to the {size} of what is older, and turned away beyond it",
                },
                limit.name,
                None,
                limit.trace,
            )


def _of_single_member(lookup: Lookup) -> Comparison | None:
    """`x in (a,)` as the equality that it is; None for a longer list."""
    if lookup.form not in ("in", "not in") or len(lookup.table.keys) != 1 or not lookup.table.complete:
        return None
    hit = _union(one.mask for one in lookup.happenings if isinstance(one.outcome, Hit))
    missed = _union(one.mask for one in lookup.happenings if isinstance(one.outcome, Default))
    yes, no = (hit, missed) if lookup.form == "in" else (missed, hit)
    return Comparison(
        lookup.place, lookup.form, lookup.key, f"{lookup.table.keys[0]!r}", (), (), yes, no, hit | missed, lookup.trace
    )


def _left_out(comparison: Comparison, least: int, bench: Bench) -> tuple[int, int]:
    """The one architecture that the test is for, and its family mates that come here and are left out."""
    if comparison.turned_away or not (comparison.operator == "call" or _names_one(comparison)):
        return 0, 0
    if any(_is_choice(value) for value, _ in (*comparison.left_values, *comparison.right_values)):
        return 0, 0
    yes, no = _equal_and_other(comparison)
    rows = bench.rows(yes & comparison.alive)
    members = [row for row in rows if row.vendor is Vendor.NVIDIA]
    if len(members) != 1 or _is_minor(comparison):
        return 0, 0
    row = members[0]
    if row.major is None or row.major < least or row.fact("compiler_targets.f") in _NO_FAMILY:
        return 0, 0
    out = 0
    for bit, mate in enumerate(bench.architectures):
        if mate.vendor is row.vendor and mate.family == row.family and mate.name != row.name:
            out |= 1 << bit
    return yes, out & no & ~yes & comparison.alive


def _is_choice(value: object) -> bool:
    """True for the member of an enum that is not one of architectures: it was chosen earlier, by other means, too."""
    return isinstance(value, Thing) and bool(value.owner) and _OF_CHIPS.search(value.owner) is None


def _names_one(comparison: Comparison) -> bool:
    """True where one side is written out or a constant; else it was given, and whoever gave it is asked."""
    return any(
        any(letter.isdigit() or letter.isupper() for letter in text) for text in (comparison.left, comparison.right)
    )


def _equal_and_other(comparison: Comparison) -> tuple[int, int]:
    """Where the two sides are equal, and where they are known to differ."""
    yes, no = comparison.true, comparison.false
    if comparison.operator in ("!=", "not in"):
        yes, no = no, yes
    for values, constants in (
        (comparison.left_values, comparison.right_values),
        (comparison.right_values, comparison.left_values),
    ):
        if len(constants) == 1 and len(values) > 1:
            wanted = constants[0][0]
            hit = _union(mask for value, mask in values if value == wanted)
            return hit, _union(mask for value, mask in values if value != wanted) & ~hit
    return yes, no


def _union(masks: Iterable[int]) -> int:
    """The union of bit sets."""
    whole = 0
    for mask in masks:
        whole |= mask
    return whole


def _is_minor(comparison: Comparison) -> bool:
    """True where only the minor number is compared with that of a mate: then the author has thought of the mates."""
    sides = (comparison.left_values, comparison.right_values)
    constants = [side[0][0] for side in sides if len(side) == 1]
    return any(type(value) is int and 0 < value < 10 for value in constants)
