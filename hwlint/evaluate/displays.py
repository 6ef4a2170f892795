"""Evaluate displays: tuples, lists, sets and dicts that are written out."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from hwlint.evaluate.answers import DictContent, ListContent, MixedTuple, Ref, SetContent, Unknown, is_concrete
from hwlint.evaluate.sequences import columns_of
from hwlint.evaluate.spared import Spared
from hwlint.evaluate.state import State
from hwlint.evaluate.values import EVERYWHERE, Value, const, make, overlay, unknown

MOST_OUTCOMES = 64
"""More outcomes of the keys of one display than this are not told apart."""


class Displays(Spared):
    """The part of the evaluator that builds containers."""

    def _tuple(self, node: ast.Tuple, state: State) -> Value:
        return self.tuple_of(self._items(node.elts, state))

    def tuple_of(self, items: Sequence[Value] | None) -> Value:
        """Build a tuple; None stands for items whose number is not known."""
        if items is None:
            return unknown("a tuple with unpacked items")
        trace = next((item.trace for item in items if item.trace), None)
        answers = []
        for item in items:
            if len(item.cases) != 1 or item.cases[0][1] != EVERYWHERE or not is_concrete(item.cases[0][0]):
                return Value(((MixedTuple(tuple(items)), EVERYWHERE),), trace)
            answers.append(item.cases[0][0])
        return Value(((tuple(answers), EVERYWHERE),), trace)

    def _items(self, nodes: Sequence[ast.expr], state: State) -> list[Value] | None:
        items: list[Value] = []
        counted = True
        for node in nodes:
            if isinstance(node, ast.Starred):
                columns = columns_of(self.iterate(self.eval(node.value, state), state, ordered=True))
                counted = counted and columns is not None
                items.extend(columns or ())
            else:
                items.append(self.eval(node, state))
        return items if counted else None

    def _list(self, node: ast.List, state: State) -> Value:
        items = self._items(node.elts, state)
        content = ListContent(tuple(items)) if items is not None else ListContent((), Unknown("unpacked items"))
        made = self.new("list", content, node, state)
        trace = next((item.trace for item in items or () if item.trace), None)
        return Value(made.cases, trace)

    def _set(self, node: ast.Set, state: State) -> Value:
        items = self._items(node.elts, state)
        made = self.set_of(items, node, state)
        return Value(made.cases, next((item.trace for item in items or () if item.trace), None))

    def set_of(self, items: Sequence[Value] | None, node: ast.AST | None, state: State) -> Value:
        """Build a set."""
        if items is None:
            return self.new("set", SetContent((), Unknown("unpacked items")), node, state)
        contents: list[tuple[tuple[Any, ...], Unknown | None, int]] = [((), None, EVERYWHERE)]
        for item in items:
            grown: list[tuple[tuple[Any, ...], Unknown | None, int]] = []
            for answer, seen in self.expand(item, state).cases:
                for members, rest, mask in contents:
                    if not mask & seen & state.alive:
                        continue
                    if is_concrete(answer):
                        grown.append((tuple(dict.fromkeys((*members, answer))), rest, mask & seen))
                    else:
                        self._may_be_unhashable()
                        reason = answer.reason if isinstance(answer, Unknown) else "a member that is not a constant"
                        grown.append((members, Unknown(reason), mask & seen))
            contents = grown or contents
            if len(contents) > MOST_OUTCOMES:
                contents = [((), Unknown("too many outcomes of the members"), EVERYWHERE)]
        ref = Ref("set", self.span(node, state) if node is not None and hasattr(node, "lineno") else None, node)
        state.heap[ref] = make([(SetContent(members, rest), mask) for members, rest, mask in contents])
        return const(ref)

    def _dict(self, node: ast.Dict, state: State) -> Value:
        pairs: list[tuple[Value | None, Value]] = []
        for key, value in zip(node.keys, node.values, strict=True):
            found = self.eval(value, state) if key is None else None
            pairs.append((None, found) if found is not None else (self.eval(key, state), self.eval(value, state)))  # type: ignore[arg-type]
        return self.dict_of(pairs, node, state)

    def dict_of(self, pairs: Sequence[tuple[Value | None, Value]], node: ast.AST | None, state: State) -> Value:
        """Build a dict from (key, value) pairs; a None key unpacks the value. Each outcome of the keys is a case."""
        contents: list[tuple[dict[Any, Value], Unknown | None, int]] = [({}, None, EVERYWHERE)]
        for key, value in pairs:
            grown: list[tuple[dict[Any, Value], Unknown | None, int]] = []
            for items, rest, mask in contents:
                if key is None:
                    grown.extend(self._unpacked(items, rest, mask, value, state))
                    continue
                for answer, seen in self.expand(key, state).cases:
                    both = mask & seen
                    if not both & state.alive:
                        continue
                    if is_concrete(answer):
                        grown.append(
                            (
                                {**items, answer: value}
                                if len(self.expand(key, state).cases) > 1
                                else _add(items, answer, value),
                                rest,
                                both,
                            )
                        )
                    else:
                        self._may_be_unhashable()
                        reason = answer.reason if isinstance(answer, Unknown) else "a key that is not a constant"
                        made = overlay(DictContent(items, rest), DictContent({}, Unknown(reason)))
                        grown.append((dict(made.items), made.rest, both))
            contents = grown or contents
            if len(contents) > MOST_OUTCOMES:
                contents = [({}, Unknown("too many outcomes of the keys"), EVERYWHERE)]
        ref = Ref("dict", self.span(node, state) if node is not None else None, node)
        state.heap[ref] = make([(DictContent(items, rest), mask) for items, rest, mask in contents])
        trace = next((pair[0].trace for pair in pairs if pair[0] is not None and pair[0].trace), None)
        return Value(((ref, EVERYWHERE),), trace)

    def _may_be_unhashable(self) -> None:
        """A list, dict or set as a key raises TypeError; so may what is not known."""
        self.doubts += self.catches("TypeError")

    def _unpacked(
        self, items: dict[Any, Value], rest: Unknown | None, mask: int, value: Value, state: State
    ) -> list[tuple[dict[Any, Value], Unknown | None, int]]:
        grown = []
        for answer, seen in value.cases:
            if type(answer) is Ref and answer.kind == "dict":
                for content, where in self.contents(answer, state).cases:
                    if isinstance(content, DictContent):
                        over = content
                    else:
                        over = DictContent({}, Unknown("an unknown dict is unpacked"))
                    made = overlay(DictContent(items, rest), over)
                    grown.append((dict(made.items), made.rest, mask & seen & where))
            else:
                made = overlay(DictContent(items, rest), DictContent({}, Unknown("an unknown dict is unpacked")))
                grown.append((dict(made.items), made.rest, mask & seen))
        return [entry for entry in grown if entry[2]]

    def _starred(self, node: ast.Starred, state: State) -> Value:
        self.eval(node.value, state)
        return unknown("unpacked items")


def _add(items: dict[Any, Value], key: Any, value: Value) -> dict[Any, Value]:
    items[key] = value
    return items
