"""Tell which names of a module stand for a class, or give objects of it: heirs, objects, functions that return one."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from collections.abc import Set as AbstractSet

from hwlint.graph.bindings import RETURN, Outline, Unit
from hwlint.graph.flow import Way

_NONE: AbstractSet[str] = frozenset()


def givers(outline: Outline, owners: Collection[str], returned: AbstractSet[str]) -> dict[str, frozenset[str]]:
    """Return, for each name of a module, which of `owners` it is, derives from, is an object of, or returns one of.

    `owners` are names by which the module knows classes, or what stands for them: its own, and those that it imports.
    Functions are only asked about those in `returned`: it takes time to find out what they do.
    """
    found: dict[str, set[str]] = {owner: {owner} for owner in owners}
    units = [unit for unit in outline.units if "." not in unit.name and _is_asked(outline, unit, returned)]
    grew = bool(found)
    while grew:
        grew = False
        for unit in units:
            if unit.mentions.isdisjoint(found):
                continue
            for name, held in _given_by(outline, unit, found).items():
                known = found.setdefault(name, set())
                grew = grew or not held <= known
                known |= held
    return {name: frozenset(held) for name, held in found.items() if held}


def _is_asked(outline: Outline, unit: Unit, returned: AbstractSet[str]) -> bool:
    return unit.name not in outline.functions or not unit.mentions.isdisjoint(returned)


def _given_by(outline: Outline, unit: Unit, found: Mapping[str, AbstractSet[str]]) -> dict[str, set[str]]:
    """What one unit lets the names of the module stand for."""
    if unit.name in outline.classes:
        return {unit.name: set().union(*(found.get(base, _NONE) for base in outline.classes[unit.name]))}
    inner = _in_flows(unit, found)
    given = {name: held for name, held in inner.items() if name in outline.bindings}
    if unit.name in outline.functions:
        given = {name: held for name, held in given.items() if _is_global(outline, name)}
        given[unit.name] = inner.get(RETURN, set())
    return given


def _in_flows(unit: Unit, found: Mapping[str, AbstractSet[str]]) -> dict[str, set[str]]:
    """What the names inside a unit stand for; what a module puts into a container may come out of it again."""
    inner: dict[str, set[str]] = {}
    grew = True
    while grew:
        grew = False
        for flow in unit.flows:
            if flow.way is not Way.WHOLE and (flow.way is not Way.INSIDE or unit.name):
                continue
            known = inner.setdefault(flow.target, set())
            before = len(known)
            for source in flow.sources:
                known |= found.get(source, _NONE) | inner.get(source, _NONE)
            grew = grew or len(known) > before
    return inner


def _is_global(outline: Outline, name: str) -> bool:
    """True for a name of the module that a function sets."""
    return any(binding.in_function for binding in outline.bindings[name])
