"""Evaluate `in` and `not in`."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

from hwlint.evaluate import operators
from hwlint.evaluate.answers import Answer, DictContent, ListContent, MixedTuple, Ref, SetContent, Unknown, is_concrete
from hwlint.evaluate.part_keys import is_partly_known, may_be_among
from hwlint.evaluate.sequences import reason_of, sequence_of
from hwlint.evaluate.state import State
from hwlint.evaluate.text_uses import TextUses
from hwlint.evaluate.values import EVERYWHERE, Value, const, join, make, restrict
from hwlint.model.outcome import Default, Hit, NotKnown


class Membership(TextUses):
    """The part of the evaluator that tests membership."""

    def membership(self, left: Value, right: Value, node: ast.Compare, position: int, state: State) -> Value:
        """Compute `in` and `not in`; a membership test of a hardware value is recorded."""
        negated = isinstance(node.ops[position], ast.NotIn)
        left = self.expand(left, state)
        cases: list[tuple[Answer, int]] = []
        certain = state.certain
        state.certain &= ~self._either(left, right, node, position, state)
        for container, mask in right.cases:
            where = mask & state.alive
            if not where:
                continue
            if type(container) is Ref and container.kind == "instance":
                cases.extend(self.contained_in_object(left, container, node, where, state).cases)
            elif type(container) is Ref:
                for content, seen in self.contents(container, state).cases:
                    if seen & where:
                        whole = content if left.trace is None else self.filled(container, content, left)
                        cases.extend(
                            self._contained(left, container, whole, node, position, seen & where, right, state)
                        )
            else:
                cases.extend(self._contained(left, container, container, node, position, where, right, state))
        state.certain = certain & state.alive
        if left.trace is None and right.trace is not None:
            self._note_one_member(left, right, make(cases), node, position, state)
        if negated:
            cases = [((not answer) if isinstance(answer, bool) else answer, mask) for answer, mask in cases]
        return make(cases, left.trace or right.trace)

    def filled(self, ref: Ref, content: Answer, key: Value) -> Answer:
        """The content of a container with what others put into it at import (defined with the names of modules)."""
        raise NotImplementedError

    def _note_one_member(
        self, left: Value, right: Value, found: Value, node: ast.Compare, position: int, state: State
    ) -> None:
        """`100 in capabilities` of all devices, which are alike, asks whether the one is 100."""
        if self.recorder.muted or not isinstance(left.only(), (int, str, tuple)):
            return
        parts: list[Value] = []
        for items, rest, mask in self.iterate(right, state) if _is_plain(right) else ():
            if rest is not None or len(items) != 1:
                return
            parts.append(restrict(items[0], mask))
        if parts:
            self.note_comparison("==", left, join(parts), found, node, position, state)

    def _either(self, left: Value, right: Value, node: ast.Compare, position: int, state: State) -> int:
        """The architectures on which the container may hold one thing or another; counted where one is not known."""
        seen = several = 0
        doubt: Unknown | None = None
        for container, mask in right.cases:
            contents = self.contents(container, state).cases if type(container) is Ref else ((container, EVERYWHERE),)
            for content, held in contents:
                where = mask & held & state.alive
                several |= seen & where
                seen |= where
                doubt = content if where and isinstance(content, Unknown) else doubt
        if several and doubt is not None and left.trace is not None and not self.recorder.muted:
            if self.is_kept_here(node.comparators[position], doubt, state):
                return several
            text = self.text(node.comparators[position], state)
            self.recorder.blank(self.place(node, state), f"a lookup in {text[:60]}", doubt.reason)
        return several

    def contained_in_object(self, left: Value, container: Ref, node: ast.AST, where: int, state: State) -> Value:
        """Compute `left in object` as its class says."""
        found = self.apart(
            where, state, lambda at: self.special(container, "__contains__", [left], node, at) or Value(())
        )
        if self.has_special(container, "__contains__"):
            return self._negated(self._negated(found, state), state)
        cases: list[tuple[Answer, int]] = []
        for items, rest, mask in self.iterate(restrict(const(container), where), state):
            for answer, seen in left.cases:
                both = seen & mask & where
                if both:
                    cases.append((self._is_in(answer, container, ListContent(items, rest), state), both))
        return make(cases)

    def has_special(self, answer: Answer, *names: str) -> bool:
        """Whether the class of an object defines a special method (defined with the protocols)."""
        raise NotImplementedError

    def special(self, answer: Answer, name: str, args: Sequence[Value], node: ast.AST, state: State) -> Value | None:
        """Call a special method (defined with the protocols)."""
        raise NotImplementedError

    def apart(self, mask: int, state: State, work: Callable[[State], Value]) -> Value:
        """Do some work for some architectures alone (defined with the protocols)."""
        raise NotImplementedError

    def _contained(
        self,
        left: Value,
        container: Answer,
        content: Answer,
        node: ast.Compare,
        position: int,
        where: int,
        right: Value,
        state: State,
    ) -> list[tuple[Answer, int]]:
        cases: list[tuple[Answer, int]] = []
        happenings: list[tuple[Any, int, Any]] = []
        for answer, mask in left.cases:
            both = mask & where
            if not both:
                continue
            found = self._is_in(answer, container, content, state)
            cases.append((found, both))
            if not is_concrete(answer) and not isinstance(found, Unknown):
                happenings.append((NotKnown(_unknown_part(answer)), both, None))
            elif found is True:
                happenings.append((Hit(repr(answer)), both, answer))
            elif found is False:
                happenings.append((Default(repr(answer), "False"), both, answer))
            else:
                happenings.append((NotKnown(reason_of(found, "membership")), both, None))
        if left.trace is not None and not isinstance(content, (str, Unknown)):
            form = "not in" if isinstance(node.ops[position], ast.NotIn) else "in"
            left_node = node.left if position == 0 else node.comparators[position - 1]
            table = (
                container
                if isinstance(container, Ref)
                else self.tuple_table(container, right, node.comparators[position], state)
            )
            if table is not None:
                shown = content if not isinstance(content, (tuple, MixedTuple)) else ListContent(as_values(content))
                self.note_lookup(table, shown, form, left, left_node, node, happenings, right, state)
        return cases

    def _is_in(self, answer: Answer, container: Answer, content: Answer, state: State) -> Answer:
        if isinstance(content, Unknown):
            return Unknown(content.reason)
        if isinstance(content, str):
            if isinstance(answer, str):
                return answer in content
            return Unknown(reason_of(answer, "a part of a text"))
        if isinstance(content, DictContent):
            return has_key(content, answer)
        if isinstance(content, SetContent):
            if isinstance(answer, Unknown):
                return Unknown(answer.reason)
            if answer in content.items if is_concrete(answer) else False:
                return True
            return Unknown(content.rest.reason) if content.rest is not None else False
        items, rest = sequence_of(content)
        if items is None:
            return Unknown(reason_of(content, "membership in an object"))
        doubt: Unknown | None = rest
        for item in items:
            for other, mask in item.cases:
                found = operators.compare(ast.Eq, answer, other)
                if found is True and (mask == EVERYWHERE or len(item.cases) == 1):
                    return True
                if found is not False:
                    doubt = doubt or Unknown(reason_of(found, "membership"))
        return doubt if doubt is not None else False


def _is_plain(value: Value) -> bool:
    """True for lists, tuples and sets."""
    return all(
        isinstance(answer, (tuple, MixedTuple)) or (type(answer) is Ref and answer.kind in ("list", "set"))
        for answer, _ in value.cases
    )


def _unknown_part(answer: Answer) -> str:
    """Why an item, or a part of a tuple, is not known."""
    parts = answer if isinstance(answer, tuple) else (answer,)
    return next((part.reason for part in parts if isinstance(part, Unknown)), "a part that is not known")


def has_key(content: DictContent, key: Answer) -> Answer:
    """True, False, or an Unknown: whether a dict has an entry under `key`."""
    if isinstance(key, Unknown):
        return Unknown(key.reason)
    if is_partly_known(key):
        if content.rest is None and not may_be_among(key, content.items):
            return False
        return Unknown(next(part.reason for part in key if isinstance(part, Unknown)))
    if not is_concrete(key):
        return Unknown("a key that is an object")
    if key in content.items:
        return True
    return Unknown(content.rest.reason) if content.rest is not None else False


def as_values(content: tuple[Any, ...] | MixedTuple) -> tuple[Value, ...]:
    """The items of a tuple as values."""
    return content.items if isinstance(content, MixedTuple) else tuple(map(const, content))
