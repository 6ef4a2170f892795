"""Run the methods that change lists, dicts and sets."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from itertools import product

from hwlint.evaluate.answers import Answer, DictContent, ListContent, Raised, Ref, SetContent, Unknown, is_concrete
from hwlint.evaluate.protocols import Protocols
from hwlint.evaluate.state import State
from hwlint.evaluate.values import EVERYWHERE, Value, const, join, make, overlay, restrict

Changed = tuple[Answer, Value | Raised] | None
"""The content after a change and what the method returns or raises; None where that is not modelled."""


class ContainerChanges(Protocols):
    """The part of the evaluator that changes containers."""

    def call_builtin(
        self, name: str, args: Sequence[Value], keywords: dict[str, Value], node: ast.AST, state: State
    ) -> Value:
        """Call a builtin (defined with the builtins)."""
        raise NotImplementedError

    def vary(
        self, ref: Ref, keys: Sequence[Value], node: ast.AST, state: State, change: Callable[..., Changed]
    ) -> Value | None:
        """Change an object, for each content it may have and each answer of `keys` on its own."""
        cases: list[tuple[Answer, int]] = []
        results: list[Value] = []
        faults: list[tuple[Raised, int]] = []
        expanded = [self.expand(key, state) for key in keys]
        for (content, seen), *answers in product(self.contents(ref, state).cases, *(key.cases for key in expanded)):
            mask = seen & state.alive
            for _, where in answers:
                mask &= where
            if not mask:
                continue
            changed = change(content, *(answer for answer, _ in answers))
            if changed is None:
                return None
            after, result = changed
            cases.append((after, mask))
            if isinstance(result, Raised):
                faults.append((result, mask))
            else:
                results.append(restrict(result, mask))
        self._keep(ref, cases, state)
        for raised, mask in faults:
            if not self.fault(raised, mask, node, state):
                results.append(Value(((Unknown("an entry that is missing"), mask),)))
        return join(results) if results else Value(())

    def _keep(self, ref: Ref, cases: Sequence[tuple[Answer, int]], state: State) -> None:
        state.heap[ref] = make([*cases, *restrict(self.contents(ref, state), ~state.alive).cases])

    def _update(
        self, ref: Ref, args: list[Value], keywords: dict[str, Value], node: ast.AST, state: State
    ) -> Value | None:
        if "**" in keywords or len(args) > 1:
            return None
        if ref.kind == "set" and len(args) == 1:
            return self._update_set(ref, args[0], state)
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

    def _update_set(self, ref: Ref, value: Value, state: State) -> Value | None:
        cases: list[tuple[Answer, int]] = []
        for items, rest, where in self.iterate(value, state):
            added = self.contents(self.set_of(list(items), None, state).only(), state)
            for (content, seen), (more, mask) in product(self.contents(ref, state).cases, added.cases):
                both = seen & where & mask & state.alive
                if not isinstance(content, SetContent) or not isinstance(more, SetContent):
                    return None
                if both:
                    members = tuple(dict.fromkeys((*content.items, *more.items)))
                    cases.append((SetContent(members, content.rest or rest or more.rest), both))
        self._keep(ref, cases, state)
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

    def _setdefault(
        self, ref: Ref, args: list[Value], keywords: dict[str, Value], node: ast.AST, state: State
    ) -> Value | None:
        if not args or ref.kind != "dict":
            return None
        default = args[1] if len(args) > 1 else const(None)

        def change(content: Answer, key: Answer) -> Changed:
            if not isinstance(content, DictContent) or not is_concrete(key):
                return None
            if key in content.items:
                return content, content.items[key]
            if content.rest is not None:
                unsure = join((default, Value(((content.rest, EVERYWHERE),))))
                return DictContent({**content.items, key: unsure}, content.rest), unsure
            return DictContent({**content.items, key: default}), default

        return self.vary(ref, args[:1], node, state, change)

    def _pop(
        self, ref: Ref, args: list[Value], keywords: dict[str, Value], node: ast.AST, state: State
    ) -> Value | None:
        def change(content: Answer, key: Answer) -> Changed:
            if isinstance(content, DictContent) and content.rest is None and is_concrete(key) and args:
                if key in content.items:
                    left = {known: value for known, value in content.items.items() if known != key}
                    return DictContent(left), content.items[key]
                return content, args[1] if len(args) > 1 else Raised("KeyError", repr(key))
            if isinstance(content, ListContent) and content.rest is None and isinstance(key, int):
                if not -len(content.items) <= key < len(content.items):
                    return content, Raised("IndexError", "pop index out of range")
                items = list(content.items)
                taken = items.pop(key)
                return ListContent(tuple(items)), taken
            return None

        return self.vary(ref, [args[0] if args else const(-1)], node, state, change)

    def _append(
        self, ref: Ref, args: list[Value], keywords: dict[str, Value], node: ast.AST, state: State
    ) -> Value | None:
        if len(args) != 1 or ref.kind != "list":
            return None
        return self._each_list(ref, node, state, lambda items: (*items, args[0]), grows=True)

    def _each_list(
        self,
        ref: Ref,
        node: ast.AST,
        state: State,
        change: Callable[[tuple[Value, ...]], Sequence[Value]],
        *,
        grows: bool = False,
    ) -> Value | None:
        """Change a list by its items; one that may have more is only changed where the change `grows` it."""

        def changed(content: Answer) -> Changed:
            if not isinstance(content, ListContent) or (content.rest is not None and not grows):
                return None
            return ListContent(tuple(change(content.items)), content.rest), const(None)

        return self.vary(ref, [], node, state, changed)

    def _extend_list(
        self, ref: Ref, args: list[Value], keywords: dict[str, Value], node: ast.AST, state: State
    ) -> Value | None:
        if len(args) != 1 or ref.kind != "list":
            return None
        cases: list[tuple[Answer, int]] = []
        for items, rest, where in self.iterate(args[0], state, ordered=True):
            for content, seen in self.contents(ref, state).cases:
                if not isinstance(content, ListContent):
                    return None
                if seen & where & state.alive:
                    cases.append(
                        (ListContent((*content.items, *items), content.rest or rest), seen & where & state.alive)
                    )
        self._keep(ref, cases, state)
        return const(None)

    def _insert(
        self, ref: Ref, args: list[Value], keywords: dict[str, Value], node: ast.AST, state: State
    ) -> Value | None:
        position = args[0].only() if len(args) == 2 else None
        if not isinstance(position, int):
            return None

        def change(items: tuple[Value, ...]) -> list[Value]:
            made = list(items)
            made.insert(position, args[1])
            return made

        return self._each_list(ref, node, state, change)

    def _reverse(
        self, ref: Ref, args: list[Value], keywords: dict[str, Value], node: ast.AST, state: State
    ) -> Value | None:
        return self._each_list(ref, node, state, lambda items: items[::-1])

    def _sort(
        self, ref: Ref, args: list[Value], keywords: dict[str, Value], node: ast.AST, state: State
    ) -> Value | None:
        made = self.call_builtin("sorted", [const(ref)], keywords, node, state).only()
        if ref.kind != "list" or not isinstance(made, Ref):
            return None
        self._keep(ref, restrict(self.contents(made, state), state.alive).cases, state)
        return const(None)

    def _clear(
        self, ref: Ref, args: list[Value], keywords: dict[str, Value], node: ast.AST, state: State
    ) -> Value | None:
        empty = {"list": ListContent(()), "dict": DictContent({}), "set": SetContent(())}.get(ref.kind)
        if empty is None:
            return None
        self._keep(ref, [(empty, state.alive)], state)
        return const(None)

    def _add(
        self, ref: Ref, args: list[Value], keywords: dict[str, Value], node: ast.AST, state: State
    ) -> Value | None:
        if len(args) != 1 or ref.kind != "set":
            return None

        def change(content: Answer, member: Answer) -> Changed:
            if not isinstance(content, SetContent):
                return content, const(None)
            if not is_concrete(member):
                reason = member.reason if isinstance(member, Unknown) else "a member that is not a constant"
                return SetContent(content.items, Unknown(reason)), const(None)
            return SetContent(tuple(dict.fromkeys((*content.items, member))), content.rest), const(None)

        if args[0].trace is not None:
            self.from_hardware.setdefault(ref, args[0].trace)
        return self.vary(ref, args, node, state, change)

    def _discard(
        self, ref: Ref, args: list[Value], keywords: dict[str, Value], node: ast.AST, state: State
    ) -> Value | None:
        return self._without(ref, args, node, state, missing=False)

    def _remove(
        self, ref: Ref, args: list[Value], keywords: dict[str, Value], node: ast.AST, state: State
    ) -> Value | None:
        return self._without(ref, args, node, state, missing=True)

    def _without(self, ref: Ref, args: list[Value], node: ast.AST, state: State, *, missing: bool) -> Value | None:
        """Take a member out of a set; `missing`: one that is not there raises KeyError."""
        if len(args) != 1 or ref.kind != "set":
            return None

        def change(content: Answer, member: Answer) -> Changed:
            if not isinstance(content, SetContent) or content.rest is not None or not is_concrete(member):
                return None
            if member not in content.items:
                return content, Raised("KeyError", repr(member)) if missing else const(None)
            return SetContent(tuple(item for item in content.items if item != member)), const(None)

        return self.vary(ref, args, node, state, change)


CHANGES: dict[str, Callable[..., Value | None]] = {
    "update": ContainerChanges._update,
    "setdefault": ContainerChanges._setdefault,
    "append": ContainerChanges._append,
    "extend": ContainerChanges._extend_list,
    "insert": ContainerChanges._insert,
    "add": ContainerChanges._add,
    "pop": ContainerChanges._pop,
    "clear": ContainerChanges._clear,
    "sort": ContainerChanges._sort,
    "reverse": ContainerChanges._reverse,
    "discard": ContainerChanges._discard,
    "remove": ContainerChanges._remove,
}
