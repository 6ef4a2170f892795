"""Look up members by a value or a name that the hardware gives: of Enums, and of classes and modules by `getattr`."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from hwlint.evaluate.answers import (
    Answer,
    Class,
    EnumMember,
    Function,
    Missed,
    Module,
    Raised,
    Ref,
    SetContent,
    Unknown,
    is_concrete,
)
from hwlint.evaluate.classes import Classes, bound_names
from hwlint.evaluate.state import State
from hwlint.evaluate.values import Value, join, make
from hwlint.model.outcome import Default, Hit, NotKnown, Raises
from hwlint.model.span import Span
from hwlint.source.nodes import walk

_LEAST_NAMES = 2
_PLAIN_BASES = frozenset({"object", "ABC", "Protocol", "Generic", "IntEnum", "Enum", "StrEnum"})


class Members(Classes):
    """The part of the evaluator that finds members."""

    def __init__(self, *args: object) -> None:
        """Start with no table of members."""
        super().__init__(*args)
        self._enum_refs: dict[ast.ClassDef, Ref] = {}
        self._named_refs: dict[tuple[str, str, str], Ref] = {}

    def enum_members(self, owner: Class) -> tuple[Value, ...] | None:
        """The members of an Enum class in order; None for any other class."""
        if owner.node in self._enums:
            return self._enums[owner.node]
        self._enums[owner.node] = None
        if self.is_enum(owner):
            found = []
            for node in owner.node.body:
                for name in bound_names(node) if isinstance(node, ast.Assign) else ():
                    value = self.own_member(owner, name)
                    if value is not None and isinstance(value.only(), EnumMember):
                        found.append(value)
            self._enums[owner.node] = tuple(found)
        return self._enums[owner.node]

    def enum_call(self, owner: Class, args: list[Value], node: ast.AST, state: State) -> Value:
        """The member with a value; CPython raises where there is none."""
        members = [member.only() for member in self.enum_members(owner) or ()]
        wanted = self.expand(args[0], state) if args else Value(())
        cases: list[tuple[Answer, int]] = []
        outcomes: list[tuple[Any, int, Any]] = []
        raised: list[tuple[Raised, int]] = []
        doubt = self._doubt_of_members(owner, ("_missing_", "__new__", "__init__"))
        for answer, mask in wanted.cases:
            where = mask & state.alive
            hit = next((member for member in members if is_concrete(answer) and member.value == answer), None)
            if hit is None and answer in members:  # a member is its own answer
                hit = answer
            if hit is not None:
                cases.append((hit, mask))
                outcomes.append((Hit(repr(answer)), where, answer))
            elif is_concrete(answer) and not doubt:
                raised.append((Raised("ValueError", f"{answer!r} is not a valid {owner.qualname}"), where))
                outcomes.append((Raises("ValueError", f"{answer!r} is not a valid {owner.qualname}"), where, answer))
            else:
                reason = doubt or (answer.reason if isinstance(answer, Unknown) else "an enum member")
                cases.append((Unknown(reason), mask))
                outcomes.append((NotKnown(reason), where, None))
        if isinstance(node, ast.Call) and node.args:
            self.note_members(owner, [member.value for member in members], wanted, node.args[0], node, outcomes, state)
        return self._as_if_there(make(cases, wanted.trace), raised, "a value that no enum member has", node, state)

    def member_by_name(
        self, owner: Class, key: Value, key_node: ast.AST, node: ast.AST, where: int, exception: str, state: State
    ) -> Value:
        """`Arch["sm_90"]`, or `getattr(Arch, "sm_90")`: what a class has under a name; an Enum may lack it."""
        members = [member.only() for member in self.enum_members(owner) or ()]
        doubt = self._doubt_of_members(owner, ("__getattr__", "__class_getitem__")) or (
            "" if members else "an item of a class"
        )
        cases: list[tuple[Answer, int]] = []
        outcomes: list[tuple[Any, int, Any]] = []
        raised: list[tuple[Raised, int]] = []
        for name, mask in key.cases:
            both = mask & where & state.alive
            found = self.class_member(owner, name) if isinstance(name, str) else None
            answer = found[0].only() if found is not None else None
            if isinstance(answer, EnumMember):
                cases.append((answer, mask & where))
                outcomes.append((Hit(repr(name)), both, name))
            elif isinstance(name, str) and found is None and not doubt:
                raised.append((Raised(exception, name), both))
                outcomes.append((Raises(exception, repr(name) if exception == "KeyError" else name), both, name))
            else:
                cases.append((Unknown(doubt or "an item of a class"), mask & where))
                outcomes.append((NotKnown(doubt or "an item of a class"), both, None))
        if members:
            self.note_members(owner, [member.name for member in members], key, key_node, node, outcomes, state)
        return self._as_if_there(make(cases, key.trace), raised, "a member that is missing", node, state)

    def _as_if_there(
        self, value: Value, raised: list[tuple[Raised, int]], reason: str, node: ast.AST, state: State
    ) -> Value:
        """The value, gone on with as if the members that an exception says are missing were there."""
        for error, mask in raised:
            if mask and not self.fault(error, mask, node, state, others=value.mask):
                value = join([value, Value(((Unknown(reason), mask),), value.trace)])
        return value

    def _doubt_of_members(self, owner: Class, makers: tuple[str, ...]) -> str:
        """Why an Enum may have more members than are seen, or find them its own way; empty where it does not."""
        for holder in self.lineage(owner):
            for node in holder.node.body:
                names = bound_names(node)
                if any(name in makers for name in names):
                    return f"{holder.qualname} makes its members itself"
                if isinstance(node, ast.Assign) and any(
                    not name.startswith("_") and not _is_member(self.own_member(holder, name)) for name in names
                ):
                    return f"a member of {holder.qualname} that is not known"
                if isinstance(node, ast.If | ast.Try | ast.With | ast.For) and names:
                    return f"{holder.qualname} has members on conditions"
        return ""

    def note_members(
        self, owner: Class, keys: list[Any], key: Value, key_node: ast.AST, node: ast.AST,
        outcomes: list[tuple[Any, int, Any]], state: State,
    ) -> None:  # fmt: skip
        """Record that the hardware chooses a member of an Enum: the class is the table."""
        if key.trace is None or self.recorder.muted or not keys:
            return
        ref = self._enum_refs.get(owner.node)
        if ref is None:
            whole = self.code(owner.path).span(owner.node)
            ref = self._enum_refs[owner.node] = Ref("enum", replace(whole, end_line=whole.line), owner.node, owner)
            self.names[ref] = (owner.qualname, ref.span or whole)
        content = SetContent(tuple(keys))
        self.note_lookup(ref, content, "subscript", key, key_node, node, outcomes, Value(()), state)

    def note_named(
        self,
        holder: Answer,
        key: Value,
        written: tuple[ast.expr, ast.expr],
        node: ast.AST,
        state: State,
        exception: str = "AttributeError",
        default: str | None = None,
    ) -> Missed | None:
        """Record that the hardware makes the name under which a module or an object is asked: `getattr(m, f"sm{n}")`.

        `written` is the source of what is asked and of the name; `default` is what there is instead of the exception,
        and what missed it is returned. Only where some of the names are there and all that could be there is seen.
        """
        names = [(name, mask & state.alive) for name, mask in key.cases if mask & state.alive and isinstance(name, str)]
        if self.recorder.muted or len(names) < _LEAST_NAMES:
            return None
        if isinstance(holder, Module):
            known = self._names_of_module(holder.path)
            path, whole, shown = holder.path, Span(holder.path, 1, 1, 1, 1), self.text(written[0], state)
        else:
            owner = holder.type if isinstance(holder, Ref) else holder
            if not isinstance(owner, Class):
                return None
            known = self._names_of_class(owner)
            if isinstance(holder, Ref) and holder in self._roots and known:
                below = self._names_below(owner)
                if below - known and _asks_first(state):
                    return None
                known |= below
            path, whole, shown = owner.path, self.code(owner.path).span(owner.node), owner.qualname
        found = sorted(known & {name for name, _ in names})
        if not found:
            return None

        def fails(name: str) -> Default | Raises:
            return Raises(exception, name) if default is None else Default(repr(name), default)

        outcomes: list[tuple[Any, int, Any]] = [
            (Hit(repr(name)) if name in known else fails(name), mask, name) for name, mask in names
        ]
        start = _start([name for name, _ in names])
        keys = sorted((name for name in known if name.startswith(start)), key=lambda name: (len(name), name))
        ref = self._named_refs.setdefault((path, shown, start), Ref("names", replace(whole, end_line=whole.line), None))
        self.names[ref] = (shown, ref.span or whole)
        form = "subscript" if default is None else "get"
        self.note_lookup(ref, SetContent(tuple(keys)), form, key, written[1], node, outcomes, Value(()), state)
        missed = 0
        for name, mask in names:
            missed |= mask if name not in known else 0
        return Missed(missed, self.span(node, state), shown, self.text(node, state)) if missed else None

    def _names_of_module(self, path: str) -> frozenset[str]:
        """The names that a module binds; none where it may have others."""
        outline = self.code(path).outline
        if outline.stars or outline.dynamic_getattr or path.endswith("__init__.py"):
            return frozenset()
        return frozenset(outline.bindings)

    def _names_of_class(self, owner: Class) -> frozenset[str]:
        """The names that a class and its bases bind and set on objects; none where there may be others."""
        found: set[str] = set()
        lineage = self.lineage(owner)
        inside = {holder.qualname.rpartition(".")[2] for holder in lineage}
        if self.external_bases(owner) - inside - _PLAIN_BASES or self.class_member(owner, "__getattr__") is not None:
            return frozenset()
        for holder in lineage:
            outline = self.code(holder.path).outline
            found |= outline.members.get(holder.qualname, frozenset())
            found |= outline.attributes.get(holder.qualname, frozenset())
        return frozenset(found)

    def _names_below(self, owner: Class) -> frozenset[str]:
        """The names that classes below a class add to its own; an object of any of them may be asked."""
        found: set[str] = set()
        for path, heir in self.project.heirs(owner.qualname, owner.path):
            code = self.project.code(path)
            if code is not None:
                found |= code.outline.members.get(heir, frozenset()) | code.outline.attributes.get(heir, frozenset())
        return frozenset(found)


def _asks_first(state: State) -> bool:
    """True where the running function asks somewhere whether an object has an attribute."""
    function = state.frame.function
    return function is not None and any(
        isinstance(part, ast.Name) and part.id in ("hasattr", "dir") for part in walk(function.node)
    )


def _start(names: Sequence[str]) -> str:
    """What all names begin with."""
    first, last = min(names), max(names)
    return next((first[:size] for size in range(len(first), 0, -1) if last.startswith(first[:size])), "")


def _is_member(value: Value | None) -> bool:
    return value is not None and isinstance(value.only(), EnumMember | Function)
