"""Pass over functions that have nothing to do with the hardware, and forget what they may have set."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet

from hwlint.evaluate.answers import Answer, AttrContent, Class, Function, Ref, Unbound, Unknown
from hwlint.evaluate.changes import Change, after, changes_in
from hwlint.evaluate.filled import Filled
from hwlint.evaluate.holders import INSIDE
from hwlint.evaluate.state import State
from hwlint.evaluate.values import Value, const, join, make, unknown
from hwlint.source.nodes import FunctionNode, walk

SMALL_FUNCTION = 12
"""Functions of so many lines are evaluated even where they have nothing to do with the hardware: they may be guards."""

_ANY = "*"
"""Stands for attributes whose names are not known."""


class Unfollowed(Filled):
    """The part of the evaluator that does not follow a call."""

    def __init__(self, *args: object) -> None:
        """Start with nothing worked out."""
        super().__init__(*args)
        self._set_by: dict[tuple[ast.AST, str, ast.AST | None], AbstractSet[str]] = {}

    def is_beside_the_point(
        self, function: Function, args: Sequence[Value], keywords: dict[str, Value], state: State
    ) -> bool:
        """True for a large function that neither mentions nor is given anything from the hardware."""
        if any(value.trace is not None for value in (*args, *keywords.values())):
            return False
        if isinstance(function.node, ast.Lambda) or is_small(function.node):
            return False
        code = self.code(function.path)
        return not code.matters(function.qualname) and not any(
            code.mentions(function.qualname, self.hardware_attributes(value, state))
            for value in (*args, *keywords.values())
        )

    def not_followed(self, function: Function, args: Sequence[Value], keywords: dict[str, Value], state: State) -> None:
        """Forget what a function does to the objects that it is given, as far as its own text shows."""
        if isinstance(function.node, ast.Lambda):
            return
        spec = function.node.args
        given = dict(zip((part.arg for part in (*spec.posonlyargs, *spec.args)), args, strict=False))
        given.update((name, value) for name, value in keywords.items() if name != "**")
        reason = f"set or changed in {function.qualname}, which is not followed"
        for parameter, value in given.items():
            objects = [answer for answer, _ in value.cases if type(answer) is Ref]
            if not objects:
                continue
            for ref in objects:
                if ref.kind == "instance":
                    self._may_have_set(ref, self._sets(function.node, parameter, ref.type), reason, state)
            for name, change in changes_in(function.node):
                if name.partition(".")[0].removesuffix(INSIDE) == parameter:
                    self.changed_by_name(name.removeprefix(parameter), value, reason, change, state)

    def _may_have_set(self, ref: Ref, names: AbstractSet[str], reason: str, state: State) -> None:
        """Let attributes of an object that are not the hardware's be what they were, or anything."""
        content = self.contents(ref, state).only()
        if not names or not isinstance(content, AttrContent):
            return
        items = dict(content.items)
        rest = content.rest or (Unknown(f"an attribute that is {reason}") if _ANY in names else None)
        for name in names - {_ANY} if _ANY not in names else {*names, *items} - {_ANY}:
            old = items.get(name) or const(Unbound(name))
            if old.trace is None:
                items[name] = join((old, unknown(f"{name} is {reason}")))
        state.heap[ref] = const(AttrContent(items, rest))

    def _method(self, owner: Class, name: str) -> ast.FunctionDef | None:
        """The method that a class, or the nearest base, defines under a name."""
        for holder in self.lineage(owner):
            for node in self._binders(holder.node).get(name, ()):
                return node if isinstance(node, ast.FunctionDef) else None
        return None

    def _sets(self, function: ast.AST, parameter: str, owner: Answer) -> AbstractSet[str]:
        """The attributes that a function sets on what a parameter gets, also through methods that it calls on it."""
        index = (function, parameter, owner.node if isinstance(owner, Class) else None)
        known = self._set_by.get(index)
        if known is not None:
            return known
        self._set_by[index] = frozenset()
        found: set[str] = set()
        for part in walk(function):
            if part.__class__ is ast.Call:
                found.update(_set_by_name(part, parameter))
            if part.__class__ is not ast.Attribute or not _is_of(part, parameter):
                continue
            assert isinstance(part, ast.Attribute)
            if not isinstance(part.ctx, ast.Load):
                found.add(part.attr)
                continue
            method = self._method(owner, part.attr) if isinstance(owner, Class) else None
            if method is not None and method.args.args:
                found |= self._sets(method, method.args.args[0].arg, owner)
        self._set_by[index] = found
        return found

    def changed_by_name(self, name: str, value: Value, reason: str, change: Change, state: State) -> None:
        """Let a container have been changed: of `value` itself, `.attribute` of it, or `[]` for those inside."""
        inside = name.endswith(INSIDE)
        attribute = name.removesuffix(INSIDE).removeprefix(".")
        for answer, _ in value.cases:
            if type(answer) is not Ref:
                continue
            held = const(answer)
            if attribute:
                content = self.contents(answer, state).only()
                known = content.items.get(attribute) if isinstance(content, AttrContent) else None
                member = self.class_member(answer.type, attribute) if isinstance(answer.type, Class) else None
                held = known if known is not None else member[0] if member is not None else Value(())
            whole = {one for one, _ in held.cases if type(one) is Ref}
            for ref in self.reached(held, state) - whole if inside else whole:
                if ref.kind != "instance":
                    contents = self.contents(ref, state).cases
                    doubt = Unknown(f"a container {reason}")
                    state.heap[ref] = make([(after(content, doubt, change), mask) for content, mask in contents])

    def hardware_attributes(self, value: Value, state: State) -> frozenset[str]:
        """The attributes of an instance that hold hardware values."""
        answer = value.only()
        if not isinstance(answer, Ref) or answer.kind != "instance":
            return frozenset()
        content = self.contents(answer, state).only()
        held = content.items if isinstance(content, AttrContent) else {}
        return frozenset(f".{name}" for name, item in held.items() if item.trace is not None)


def is_small(function: FunctionNode | ast.Lambda) -> bool:
    """True for a function of a few lines."""
    return (function.end_lineno or 0) - function.lineno <= SMALL_FUNCTION


def _is_of(part: ast.Attribute, name: str) -> bool:
    return part.value.__class__ is ast.Name and part.value.id == name


def _set_by_name(call: ast.Call, parameter: str) -> Iterator[str]:
    """The attribute that `setattr(parameter, name, ...)` sets."""
    called = call.func
    if called.__class__ is ast.Name and called.id in ("setattr", "delattr") and len(call.args) > 1:
        holder, name = call.args[:2]
        if isinstance(holder, ast.Name) and holder.id == parameter:
            yield name.value if isinstance(name, ast.Constant) and isinstance(name.value, str) else _ANY
