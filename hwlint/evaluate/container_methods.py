"""Evaluate methods of lists, dicts and sets."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from hwlint.evaluate.answers import (
    FROZEN,
    Answer,
    DictContent,
    ListContent,
    Missed,
    MixedTuple,
    Raised,
    Ref,
    Unknown,
    is_concrete,
)
from hwlint.evaluate.container_changes import CHANGES, ContainerChanges
from hwlint.evaluate.part_keys import is_partly_known, may_be_among, told
from hwlint.evaluate.state import State
from hwlint.evaluate.values import EVERYWHERE, Value, const, join, lift, make, restrict, unknown
from hwlint.model.outcome import Default, Hit, NotKnown


class ContainerMethods(ContainerChanges):
    """The part of the evaluator that knows methods of containers."""

    def container_method(
        self, ref: Ref, name: str, args: Sequence[Value], keywords: dict[str, Value], node: ast.AST, state: State
    ) -> Value:
        """Call a method of a list, dict or set; one that is not modelled makes the content unknown."""
        if ref.type is FROZEN and name in CHANGES:
            error = Raised("AttributeError", f"'frozenset' object has no attribute '{name}'")
            self.fault(error, state.alive, node, state)
            return unknown(f"the method {name} of a frozenset")
        handler = _METHODS.get(name)
        if handler is not None:
            found = handler(self, ref, list(args), keywords, node, state)
            if isinstance(found, Value):
                return found
        self.doubts += 1  # it may raise: an item is not there, an argument is none that it takes
        if name not in _READS:
            self.havoc(const(ref), state, f"the method {name}")
        return unknown(f"the method {name} of a container")

    def call_attribute(self, holder: Value, name: str, args: Sequence[Value], node: ast.AST, state: State) -> Value:
        """Call a method of a value by name."""
        return self.call(self.attribute(holder, name, node, state), list(args), {}, node, state)

    def _get(
        self, ref: Ref, args: list[Value], keywords: dict[str, Value], node: ast.AST, state: State
    ) -> Value | None:
        if not args or ref.kind not in ("dict", "defaultdict"):
            return None
        key = self.expand(args[0], state)
        default = args[1] if len(args) > 1 else keywords.get("default", const(None))
        parts: list[Value] = []
        missed = 0
        outcomes: list[tuple[Any, int, Any]] = []
        shown: DictContent | None = None
        for content, seen in self.contents(ref, state).cases:
            if isinstance(content, DictContent):
                content = content if key.trace is None else self.filled(ref, content, key)
                shown = content if isinstance(content, DictContent) else None
            for answer, mask in key.cases:
                both = mask & seen & state.alive
                if not both:
                    continue
                found = _found(content, answer)
                if isinstance(found, Value):
                    outcomes.append((Hit(repr(answer)), both, answer))
                    parts.append(restrict(found, both))
                elif found is None:
                    outcomes.append((Default(told(answer), self._shown_default(default, state)), both, answer))
                    missed |= both
                    parts.append(restrict(default, both))
                elif (named := self.item_by_name(answer, node, state)) is not None:
                    parts.append(restrict(named, both))
                else:
                    outcomes.append((NotKnown(found.reason), both, answer if is_partly_known(answer) else None))
                    parts.append(Value(((found, both),)))
                    if default.only() is None and shown is not None and isinstance(answer, Unknown):
                        parts.append(Value(((None, both),)))
        if key.trace is not None and shown is not None and isinstance(node, ast.Call):
            self.note_lookup(
                ref, shown, "get", key, node.args[0] if node.args else node, node, outcomes, const(ref), state
            )
        value = join(parts) if parts else Value(())
        return (
            self._with_miss(value, missed, ref, key, default, node, state)
            if missed
            else Value(value.cases, value.trace or key.trace, value.missed)
        )

    def _with_miss(
        self, value: Value, missed: int, ref: Ref, key: Value, default: Value, node: ast.AST, state: State
    ) -> Value:
        """Mark a None that a lookup by the hardware missed; a container that stands in for an entry is remembered."""
        mark, trace = value.missed, value.trace or key.trace
        if key.trace is not None:
            miss = Missed(missed, self.span(node, state), self.table_name(ref, node, state), self.text(node, state))
            stand_in = default.only()
            if stand_in is None:
                mark = miss
            elif isinstance(stand_in, Ref):
                self.stand_ins[stand_in] = miss, key.trace
        elif ref in self.stand_ins and default.only() is None:
            miss, trace = self.stand_ins[ref]
            mark = replace(miss, mask=miss.mask & missed)
        return Value(value.cases, trace, mark)

    def _shown_default(self, default: Value, state: State) -> str:
        answer = default.only()
        if isinstance(answer, Ref):
            content = self.contents(answer, state).only()
            return (
                {"dict": "{}", "list": "[]", "set": "set()"}.get(answer.kind, "an object")
                if not getattr(content, "items", None)
                else "a container"
            )
        return repr(answer) if is_concrete(answer) else "another value"

    def _keys(
        self, ref: Ref, args: list[Value], keywords: dict[str, Value], node: ast.AST, state: State
    ) -> Value | None:
        return self._view(ref, node, state, lambda content: tuple(const(key) for key in content.items))

    def _values(
        self, ref: Ref, args: list[Value], keywords: dict[str, Value], node: ast.AST, state: State
    ) -> Value | None:
        return self._view(ref, node, state, lambda content: tuple(content.items.values()))

    def _pairs(
        self, ref: Ref, args: list[Value], keywords: dict[str, Value], node: ast.AST, state: State
    ) -> Value | None:
        return self._view(
            ref,
            node,
            state,
            lambda content: tuple(self.tuple_of([const(key), item]) for key, item in content.items.items()),
        )

    def _view(self, ref: Ref, node: ast.AST, state: State, items: Any) -> Value | None:
        cases: list[tuple[Answer, int]] = []
        for content, mask in self.contents(ref, state).cases:
            if not isinstance(content, DictContent):
                return None
            cases.append((ListContent(items(content), content.rest), mask))
        view = Ref("list", ref.span, node)
        state.heap[view] = make(cases)
        if ref in self.names:
            self.names[view] = self.names[ref]
        return const(view)

    def _copy(
        self, ref: Ref, args: list[Value], keywords: dict[str, Value], node: ast.AST, state: State
    ) -> Value | None:
        made = Ref(ref.kind, ref.span, node, ref.type)
        state.heap[made] = self.contents(ref, state)
        if ref in self.names:
            self.names[made] = self.names[ref]
        return Value(((made, EVERYWHERE),))

    def _index(
        self, ref: Ref, args: list[Value], keywords: dict[str, Value], node: ast.AST, state: State
    ) -> Value | None:
        if len(args) != 1:
            return None
        found = self.iterate(const(ref), state, ordered=True)
        if len(found) != 1 or found[0][1] is not None:
            return None
        whole = self.expand(self.tuple_of(list(found[0][0])), state)
        answer = whole.only()
        if not isinstance(answer, tuple):
            return None
        return self.call_attribute(const(tuple(answer)), "index", args, node, state)

    def _count(
        self, ref: Ref, args: list[Value], keywords: dict[str, Value], node: ast.AST, state: State
    ) -> Value | None:
        made = self.call_builtin("tuple", [const(ref)], {}, node, state)
        if len(args) != 1 or not all(isinstance(answer, (tuple, MixedTuple)) for answer, _ in made.cases):
            return None
        return self.call_attribute(self.expand(made, state), "count", args, node, state)

    def _union(
        self, ref: Ref, args: list[Value], keywords: dict[str, Value], node: ast.AST, state: State
    ) -> Value | None:
        return self._combined(ast.BitOr, ref, args, node, state)

    def _intersection(
        self, ref: Ref, args: list[Value], keywords: dict[str, Value], node: ast.AST, state: State
    ) -> Value | None:
        return self._combined(ast.BitAnd, ref, args, node, state)

    def _difference(
        self, ref: Ref, args: list[Value], keywords: dict[str, Value], node: ast.AST, state: State
    ) -> Value | None:
        return self._combined(ast.Sub, ref, args, node, state)

    def _combined(
        self, kind: type[ast.operator], ref: Ref, args: list[Value], node: ast.AST, state: State
    ) -> Value | None:
        """A set operator in the form of a method, which takes any iterable."""
        if len(args) != 1 or ref.kind != "set":
            return None
        other = self.call_builtin("set", args, {}, node, state)
        return self.container_operator(kind, const(ref), other, node, state)

    def _is_disjoint(
        self, ref: Ref, args: list[Value], keywords: dict[str, Value], node: ast.AST, state: State
    ) -> Value | None:
        return self._tested(lambda one, other: one.isdisjoint(other), ref, args, node, state)

    def _is_subset(
        self, ref: Ref, args: list[Value], keywords: dict[str, Value], node: ast.AST, state: State
    ) -> Value | None:
        return self._tested(lambda one, other: one <= other, ref, args, node, state)

    def _is_superset(
        self, ref: Ref, args: list[Value], keywords: dict[str, Value], node: ast.AST, state: State
    ) -> Value | None:
        return self._tested(lambda one, other: one >= other, ref, args, node, state)

    def _tested(
        self, ask: Callable[[Any, Any], bool], ref: Ref, args: list[Value], node: ast.AST, state: State
    ) -> Value | None:
        """A question about two sets, the second of which may be any iterable."""
        if len(args) != 1 or ref.kind not in ("set", "list"):
            return None
        other = self.call_builtin("set", args, {}, node, state)

        def operation(*answers: Answer) -> Answer:
            doubt = next((answer for answer in answers if isinstance(answer, Unknown)), None)
            return Unknown(doubt.reason, is_none=False) if doubt is not None else ask(*answers)

        sets = self.frozen_sets(const(ref), state), self.frozen_sets(other, state)
        found, _ = lift(operation, sets, state.alive)
        return Value(found.cases, found.trace or other.trace or args[0].trace)


def _found(content: Answer, key: Answer) -> Value | Unknown | None:
    """The entry of a dict, an Unknown, or None where the dict has no such key."""
    if not isinstance(content, DictContent):
        return Unknown(content.reason if isinstance(content, Unknown) else "a container that is not a dict")
    if not content.items and content.rest is None:
        return None
    if isinstance(key, Unknown):
        return Unknown(key.reason)
    if is_partly_known(key) and (content.rest is not None or may_be_among(key, content.items)):
        return Unknown("a key that is known in part")
    if is_partly_known(key):
        return None
    if not is_concrete(key):
        return Unknown("a key that is an object")
    if key in content.items:
        return content.items[key]
    return Unknown(content.rest.reason) if content.rest is not None else None


_READS = frozenset(
    "get keys values items copy index count union intersection difference issubset issuperset isdisjoint".split()  # noqa: SIM905 - shorter to read
)
_METHODS: dict[str, Any] = {
    **CHANGES,
    "get": ContainerMethods._get,
    "keys": ContainerMethods._keys,
    "values": ContainerMethods._values,
    "items": ContainerMethods._pairs,
    "copy": ContainerMethods._copy,
    "index": ContainerMethods._index,
    "count": ContainerMethods._count,
    "union": ContainerMethods._union,
    "intersection": ContainerMethods._intersection,
    "difference": ContainerMethods._difference,
    "isdisjoint": ContainerMethods._is_disjoint,
    "issubset": ContainerMethods._is_subset,
    "issuperset": ContainerMethods._is_superset,
}
