"""Work out which names carry hardware values out of the functions, classes and statements of one module."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from hwlint.graph.bindings import GIVEN, RAISES, RETURN, BindingKind, Outline, Unit
from hwlint.graph.flow import Flow, Way


class Carries(NamedTuple):
    """What a name brings along: how far its value, and what it returns when called, are from the hardware.

    0 is the hardware's identity itself, such as a capability number or what is computed from it; 1 is an answer to a
    question about it, such as a comparison; each function, constant or attribute that an answer is handed on
    through adds 1. Further than FURTHEST is not followed.
    """

    value: int
    function: int

    def joined(self, other: Carries) -> Carries:
        """Return the nearer of both."""
        return Carries(min(self.value, other.value), min(self.function, other.function))


FURTHEST = 3
_LOST = FURTHEST + 1
NOTHING = Carries(_LOST, _LOST)
ORIGIN = Carries(0, 0)

_PROPERTIES = frozenset({"property", "cached_property", "classproperty", "lazy_property"})


def carried(outline: Outline, active: Mapping[str, Carries]) -> dict[str, Carries]:
    """Return what carries hardware values out of the units of a module, when `active` names carry them."""
    known = dict(active)
    found: dict[str, Carries] = {}
    changed = True
    while changed:
        changed = False
        for unit in outline.units:
            leaving: dict[str, Carries] = {}
            if unit.name.endswith("__getattr__"):
                leaving = _made_up(outline, unit, known)
            inner = _within(unit, known) if unit.name in outline.classes else known
            if not unit.mentions.isdisjoint(inner):
                leaving.update(_leaving(outline, unit, inner))
            for name, carries in leaving.items():
                if is_nearer(carries, known.get(name, NOTHING)):
                    known[name] = found[name] = known.get(name, NOTHING).joined(carries)
                    changed = True
    return found


def _leaving(outline: Outline, unit: Unit, known: Mapping[str, Carries]) -> dict[str, Carries]:
    """Return the names that carry a value out of one unit."""
    inner: dict[str, Carries] = {}
    seen = {name: known[name] for name in unit.mentions & known.keys()}
    grew = True
    while grew:
        grew = False
        for flow in unit.flows:
            if flow.sources.isdisjoint(seen):
                continue
            carries = _through(flow, seen)
            name = flow.target
            if is_nearer(carries, inner.get(name, NOTHING)):
                inner[name] = inner.get(name, NOTHING).joined(carries)
                seen[name] = seen.get(name, NOTHING).joined(carries)
                grew = True
    if unit.name not in outline.functions:
        plain = {name: carries for name, carries in inner.items() if name not in (RETURN, RAISES) and "[" not in name}
        member = unit.name in outline.classes
        return {_attribute(name) if member else name: _handed_on(carries) for name, carries in plain.items()}
    leaving = {
        name: _handed_on(carries)
        for name, carries in inner.items()
        if name.startswith(".") or (name in outline.bindings and _is_shared(outline, name))
    }
    owner, dot, name = unit.name.rpartition(".")
    is_inner_half = name.startswith("_") and f"{owner}{dot}{name[1:]}" in outline.functions
    name = _attribute(name) if owner else name
    returned = inner.get(RETURN, NOTHING)
    result = (returned if is_inner_half else _handed_on(returned)).value
    if result <= FURTHEST:
        is_property = not unit.mentions.isdisjoint(_PROPERTIES)
        leaving[name] = Carries(result if is_property else _LOST, result)
    elif RAISES in inner and not name.endswith("__") and _depends(unit, RAISES, GIVEN):
        leaving[name] = Carries(_LOST, FURTHEST)
    return leaving


def _attribute(name: str) -> str:
    """The name by which something is known as an attribute only."""
    return name if name.startswith(".") else f".{name}"


def _within(unit: Unit, known: Mapping[str, Carries]) -> dict[str, Carries]:
    """What the names that a class body mentions carry there, where its members go by their plain names."""
    return {name: known.get(f".{name}", known.get(name, NOTHING)) for name in unit.mentions if _is_known(name, known)}


def _is_known(name: str, known: Mapping[str, Carries]) -> bool:
    return name in known or f".{name}" in known


def _depends(unit: Unit, target: str, source: str) -> bool:
    """Tell whether something that reaches `target` comes from `source`: a check that is told what to ask for."""
    wanted, waiting = {target}, [target]
    while waiting:
        name = waiting.pop()
        for flow in unit.flows:
            if flow.target == name:
                waiting += flow.sources - wanted
                wanted |= flow.sources
    return source in wanted


def _through(flow: Flow, known: Mapping[str, Carries]) -> Carries:
    """Return what arrives at the target of a flow."""
    arriving = NOTHING
    for name in flow.sources & known.keys():
        carries = known[name]
        if flow.called:
            carries = Carries(carries.function, _LOST)
        match flow.way:
            case Way.WHOLE:
                arriving = arriving.joined(carries)
            case Way.TEST:
                arriving = arriving.joined(Carries(max(carries.value, 1), max(carries.function, 1)))
            case Way.CHOICE if not flow.target.startswith("."):
                arriving = arriving.joined(Carries(*(min(max(depth, 1) + 1, _LOST) for depth in carries)))
            case Way.INSIDE:
                arriving = arriving.joined(Carries(2 if carries.value == 0 else _LOST, _LOST))
    return arriving


def is_nearer(one: Carries, other: Carries) -> bool:
    """Tell whether the first brings something nearer to the hardware than the second."""
    return one.value < other.value or one.function < other.function


def _handed_on(carries: Carries) -> Carries:
    """Return what is left of an answer one step further on; neither the identity itself nor another name wears off."""
    return Carries(carries.value and min(carries.value + 1, _LOST), carries.function)


def _is_shared(outline: Outline, name: str) -> bool:
    """Tell whether functions of the module rebind or change its global `name`."""
    kinds = (BindingKind.GLOBAL, BindingKind.MUTATE)
    return any(binding.in_function and binding.kind in kinds for binding in outline.bindings[name])


def _made_up(outline: Outline, unit: Unit, known: Mapping[str, Carries]) -> dict[str, Carries]:
    """Return what the attributes carry that a `__getattr__` looks up in tables of functions."""
    tables = {f"{name}[" for name in unit.mentions & outline.bindings.keys()}
    found: dict[str, Carries] = {}
    for other in outline.units:
        for flow in other.flows if not other.name else ():
            table, bracket, key = flow.target.partition("[")
            if bracket and f"{table}[" in tables:
                found[key.rstrip("]")] = _through(flow, known)
    return {name: carries for name, carries in found.items() if is_nearer(carries, NOTHING)}
