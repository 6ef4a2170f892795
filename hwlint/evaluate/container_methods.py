"""Evaluate methods of lists, dicts and sets."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from hwlint.evaluate.calls import Calls
from hwlint.evaluate.state import State
from hwlint.evaluate.values import (
    EVERYWHERE,
    Answer,
    DictContent,
    ListContent,
    Missed,
    Ref,
    SetContent,
    Unknown,
    Value,
    const,
    is_concrete,
    join,
    make,
    overlay,
    restrict,
    unknown,
)
from hwlint.model.outcome import Default, Hit, NotKnown


class ContainerMethods(Calls):
    """The part of the evaluator that knows methods of containers."""

    def container_method(
        self, ref: Ref, name: str, args: Sequence[Value], keywords: dict[str, Value], node: ast.AST, state: State
    ) -> Value:
        """Call a method of a list, dict or set; one that is not modelled makes the content unknown."""
        handler = _METHODS.get(name)
        if handler is not None:
            found = handler(self, ref, list(args), keywords, node, state)
            if isinstance(found, Value):
                return found
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
                shown = content
            for answer, mask in key.cases:
                both = mask & seen & state.alive
                if not both:
                    continue
                found = _found(content, answer)
                if isinstance(found, Value):
                    outcomes.append((Hit(repr(answer)), both, answer))
                    parts.append(restrict(found, both))
                elif found is None:
                    outcomes.append((Default(repr(answer), self._shown_default(default, state)), both, answer))
                    missed |= both
                    parts.append(restrict(default, both))
                elif (named := self.item_by_name(answer, node, state)) is not None:
                    parts.append(restrict(named, both))
                else:
                    outcomes.append((NotKnown(found.reason), both, None))
                    parts.append(Value(((found, both),)))
                    if default.only() is None and shown is not None and isinstance(answer, Unknown):
                        parts.append(Value(((None, both),)))
        if key.trace is not None and shown is not None and isinstance(node, ast.Call):
            self.note_lookup(
                ref, shown, "get", key, node.args[0] if node.args else node, node, outcomes, const(ref), state
            )
        value = join(parts) if parts else Value(())
        mark = value.missed
        if missed and key.trace is not None and default.only() is None:
            mark = Missed(missed, self.span(node, state), self.table_name(ref, node, state), self.text(node, state))
        return Value(value.cases, value.trace or key.trace, mark)

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

    def _update(
        self, ref: Ref, args: list[Value], keywords: dict[str, Value], node: ast.AST, state: State
    ) -> Value | None:
        if "**" in keywords or len(args) > 1:
            return None
        added: list[tuple[DictContent, int]] = [(DictContent({}), EVERYWHERE)]
        if args:
            found = self._dicts(args[0], node, state)
            if found is None:
                return None
            added = found
        cases: list[tuple[Answer, int]] = []
        for content, seen in self.contents(ref, state).cases:
            if not isinstance(content, DictContent):
                return None
            for over, mask in added:
                if seen & mask & state.alive:
                    whole = overlay(overlay(content, over), DictContent(keywords))
                    cases.append((whole, seen & mask & state.alive))
        state.heap[ref] = make([*cases, *restrict(self.contents(ref, state), ~state.alive).cases])
        return const(None)

    def _dicts(self, value: Value, node: ast.AST, state: State) -> list[tuple[DictContent, int]] | None:
        """The dicts that a value may be, or that its pairs make; None where that is not known."""
        if not all(type(answer) is Ref and answer.kind == "dict" for answer, _ in value.cases):
            made = self._as_dict(value, node, state)
            if not all(type(answer) is Ref for answer, _ in made.cases) or not made.cases:
                return None
            value = made
        found: list[tuple[DictContent, int]] = []
        for answer, mask in value.cases:
            for content, seen in self.contents(answer, state).cases:
                if mask & seen & state.alive:
                    if not isinstance(content, DictContent):
                        return None
                    found.append((content, mask & seen))
        return found

    def _as_dict(self, value: Value, node: ast.AST, state: State) -> Value:
        return self.call_builtin("dict", [value], {}, node, state)

    def _change(self, ref: Ref, state: State, change: Any, result: Value | None = None) -> Value | None:
        cases: list[tuple[Answer, int]] = []
        for content, mask in self.contents(ref, state).cases:
            where = mask & state.alive
            if where:
                made = change(content)
                if made is None:
                    return None
                cases.append((made, where))
        state.heap[ref] = make([*cases, *restrict(self.contents(ref, state), ~state.alive).cases])
        return result if result is not None else const(None)

    def _setdefault(
        self, ref: Ref, args: list[Value], keywords: dict[str, Value], node: ast.AST, state: State
    ) -> Value | None:
        if not args or ref.kind != "dict":
            return None
        key, default = args[0].only(), args[1] if len(args) > 1 else const(None)
        content = self.contents(ref, state).only()
        if (
            not is_concrete(key)
            or isinstance(key, Unknown)
            or not isinstance(content, DictContent)
            or content.rest is not None
        ):
            return None
        if key in content.items:
            return content.items[key]
        return self._change(ref, state, lambda old: DictContent({**old.items, key: default}, old.rest), default)

    def _append(
        self, ref: Ref, args: list[Value], keywords: dict[str, Value], node: ast.AST, state: State
    ) -> Value | None:
        if len(args) != 1 or ref.kind != "list":
            return None
        return self._change(
            ref,
            state,
            lambda content: (
                ListContent((*content.items, args[0]), content.rest) if isinstance(content, ListContent) else None
            ),
        )

    def _extend_list(
        self, ref: Ref, args: list[Value], keywords: dict[str, Value], node: ast.AST, state: State
    ) -> Value | None:
        found = self.iterate(args[0], state, ordered=True) if len(args) == 1 else []
        if len(found) != 1:
            return None
        items, rest, _ = found[0]
        return self._change(
            ref,
            state,
            lambda content: (
                ListContent((*content.items, *items), content.rest or rest)
                if isinstance(content, ListContent)
                else None
            ),
        )

    def _insert(
        self, ref: Ref, args: list[Value], keywords: dict[str, Value], node: ast.AST, state: State
    ) -> Value | None:
        position = args[0].only() if len(args) == 2 else None
        if not isinstance(position, int):
            return None

        def change(content: Answer) -> Answer:
            if not isinstance(content, ListContent) or content.rest is not None:
                return None
            items = list(content.items)
            items.insert(position, args[1])
            return ListContent(tuple(items))

        return self._change(ref, state, change)

    def _add(
        self, ref: Ref, args: list[Value], keywords: dict[str, Value], node: ast.AST, state: State
    ) -> Value | None:
        if len(args) != 1 or ref.kind != "set":
            return None
        cases: list[tuple[Answer, int]] = []
        for content, mask in self.contents(ref, state).cases:
            for answer, seen in self.expand(args[0], state).cases:
                both = mask & seen & state.alive
                if not both:
                    continue
                if not isinstance(content, SetContent):
                    cases.append((content, both))
                elif is_concrete(answer) and not isinstance(answer, Unknown):
                    cases.append((SetContent(tuple(dict.fromkeys((*content.items, answer))), content.rest), both))
                else:
                    reason = answer.reason if isinstance(answer, Unknown) else "a member that is not a constant"
                    cases.append((SetContent(content.items, Unknown(reason)), both))
        state.heap[ref] = make([*cases, *restrict(self.contents(ref, state), ~state.alive).cases])
        return const(None)

    def _copy(
        self, ref: Ref, args: list[Value], keywords: dict[str, Value], node: ast.AST, state: State
    ) -> Value | None:
        made = Ref(ref.kind, ref.span, node)
        state.heap[made] = self.contents(ref, state)
        if ref in self.names:
            self.names[made] = self.names[ref]
        return Value(((made, EVERYWHERE),))

    def _pop(
        self, ref: Ref, args: list[Value], keywords: dict[str, Value], node: ast.AST, state: State
    ) -> Value | None:
        content = self.contents(ref, state).only()
        if isinstance(content, DictContent) and args and content.rest is None:
            key = args[0].only()
            if is_concrete(key) and key in content.items:
                left = {k: v for k, v in content.items.items() if k != key}
                return self._change(ref, state, lambda _: DictContent(left), content.items[key])
            if is_concrete(key) and len(args) > 1:
                return args[1]
        if isinstance(content, ListContent) and content.rest is None and content.items:
            position = args[0].only() if args else -1
            if isinstance(position, int) and -len(content.items) <= position < len(content.items):
                items = list(content.items)
                taken = items.pop(position)
                return self._change(ref, state, lambda _: ListContent(tuple(items)), taken)
        return None

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


def _found(content: Answer, key: Answer) -> Value | Unknown | None:
    """The entry of a dict, an Unknown, or None where the dict has no such key."""
    if not isinstance(content, DictContent):
        return Unknown(content.reason if isinstance(content, Unknown) else "a container that is not a dict")
    if isinstance(key, Unknown):
        return Unknown(key.reason)
    if isinstance(key, tuple) and any(isinstance(part, Unknown) for part in key):
        return Unknown("a key that is known in part")
    if not is_concrete(key):
        return Unknown("a key that is an object")
    if key in content.items:
        return content.items[key]
    return Unknown(content.rest.reason) if content.rest is not None else None


_READS = frozenset(
    "get keys values items copy index count union intersection difference issubset issuperset isdisjoint".split()  # noqa: SIM905 - shorter to read
)
_METHODS: dict[str, Any] = {
    "get": ContainerMethods._get,
    "keys": ContainerMethods._keys,
    "values": ContainerMethods._values,
    "items": ContainerMethods._pairs,
    "update": ContainerMethods._update,
    "setdefault": ContainerMethods._setdefault,
    "append": ContainerMethods._append,
    "extend": ContainerMethods._extend_list,
    "insert": ContainerMethods._insert,
    "add": ContainerMethods._add,
    "copy": ContainerMethods._copy,
    "pop": ContainerMethods._pop,
    "index": ContainerMethods._index,
}
