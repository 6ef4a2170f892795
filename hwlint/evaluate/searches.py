"""Say for which architectures a search through rows finds nothing: a filtered list, `next(...)`, a loop over rows."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from hwlint.evaluate.answers import Answer, DictContent, ListContent, Ref, SetContent, held, is_concrete
from hwlint.evaluate.iteration import Iteration
from hwlint.evaluate.sequences import reason_of
from hwlint.evaluate.state import State
from hwlint.evaluate.values import Value
from hwlint.model.outcome import Default, Hit, NotKnown, Raises
from hwlint.source.nodes import walk

_MOST_ROWS = 64
"""Rows whose keys are worked out; a longer list is no table that is written down."""
FOLLOWS = "what follows the loop"
"""What a loop over rows falls back to."""


@held()
class Search:
    """What a search compares: the rows by name and place, the keys that they have, and the key that is looked for."""

    source: ast.expr
    rows: Ref
    keys: tuple[Any, ...]
    wanted: ast.expr
    key: Value
    found: int | None = None
    """Where rows are not asked for one key but for a range or a list: the architectures of which some row has it."""


class Searches(Iteration):
    """The part of the evaluator that knows searches through rows."""

    def searched(
        self, target: ast.expr, condition: ast.expr, items: Sequence[Value], source: ast.expr, state: State
    ) -> Search | None:
        """What `condition` looks for among `items`, where it holds a field of each against the hardware."""
        sides = _sides(condition, {part.id for part in walk(target) if isinstance(part, ast.Name)})
        if not items or len(items) > _MOST_ROWS:
            return None
        if sides is None:
            return self._ranged(target, condition, items, source, state)
        wanted, field = sides
        self.recorder.muted += 1
        try:
            key = self.expand(self.eval(wanted, state.copy()), state)
            if key.trace is None or len(key.cases) < 2:
                return None
            keys: list[Any] = []
            for item in items:
                inner = state.copy()
                self.assign(target, item, inner)
                cases = self.expand(self.eval(field, inner), inner).cases
                if len(cases) != 1 or not is_concrete(cases[0][0]):
                    return None
                keys.append(cases[0][0])
        finally:
            self.recorder.muted -= 1
        rows = self._rows(source, state)
        return Search(source, rows, tuple(dict.fromkeys(keys)), wanted, key)

    def _ranged(
        self, target: ast.expr, condition: ast.expr, items: Sequence[Value], source: ast.expr, state: State
    ) -> Search | None:
        """`low <= number < high`, or `number in numbers`, of fields of a row: which architectures no row takes."""
        asked = _asked(condition, {part.id for part in walk(target) if isinstance(part, ast.Name)})
        if asked is None:
            return None
        wanted, fields = asked
        found = 0
        keys: list[Any] = []
        self.recorder.muted += 1
        try:
            key = self.expand(self.eval(wanted, state.copy()), state)
            if key.trace is None or len(key.cases) < 2:
                return None
            for item in items:
                inner = state.copy()
                self.assign(target, item, inner)
                yes, no = self.truth(self.eval(condition, inner), inner)
                if yes & no & state.alive or state.alive & ~(yes | no):
                    return None
                found |= yes
                for field in fields:
                    answer = self.expand(self.eval(field, inner), inner).only()
                    keys.append(answer if is_concrete(answer) else self.text(field, state))
        finally:
            self.recorder.muted -= 1
        return Search(source, self._rows(source, state), tuple(dict.fromkeys(keys)), wanted, key, found)

    def _rows(self, source: ast.expr, state: State) -> Ref:
        """The list that is gone through, for its name and place."""
        self.recorder.muted += 1
        try:
            value = self.eval(source, state.copy())
        finally:
            self.recorder.muted -= 1
        answer = value.only()
        if isinstance(answer, Ref) and answer.span is not None:
            return answer
        return Ref("rows", value.via[-1].span if value.via else self.span(source, state), None)

    def note_rows(self, search: Search, fails: Answer, node: ast.AST, state: State, form: str = "subscript") -> None:
        """Record a search: found where a row has the key; else `fails`, an exception or a default."""
        outcomes: list[tuple[Any, int, Any]] = []
        for answer, mask in search.key.cases:
            where = mask & state.alive
            if where and not is_concrete(answer):
                outcomes.append((NotKnown(reason_of(answer, "a key that is known in part")), where, None))
            elif where:
                hit = where & search.found if search.found is not None else where if answer in search.keys else 0
                outcomes.extend([(Hit(repr(answer)), hit, answer)] if hit else [])
                outcomes.extend([(_failing(fails, answer), where & ~hit, answer)] if where & ~hit else [])
        if not any(isinstance(outcome, Hit) for outcome, _, _ in outcomes):
            return
        rows = search.rows
        if rows not in self.names:
            text = self.text(search.source, state)
            self.names[rows] = text if len(text) <= 60 else text[:57] + "...", rows.span or self.span(node, state)
        self.note_lookup(
            rows, SetContent(search.keys), form, search.key, search.wanted, node, outcomes, Value(()), state
        )

    def note_loop(self, node: ast.For, items: Sequence[Value], state: State) -> None:
        """Record a loop that returns, or leaves, at the row whose field is the hardware's value."""
        if self.recorder.muted or len(node.body) != 1 or node.orelse or not isinstance(test := node.body[0], ast.If):
            return
        if test.orelse or not _leaves(test.body):
            return
        search = self.searched(node.target, test.test, items, node.iter, state)
        if search is not None:
            self.note_rows(search, Default("", FOLLOWS), node.iter, state, form="rows")

    def note_absent(
        self, held: Sequence[tuple[Answer, Answer, int]], key: Value, node: ast.Subscript, base: Value, state: State
    ) -> None:
        """`found[0]` or `options["stages"]` where the hardware decides whether anything was put there.

        Only for a place that is written down: one that a loop over the container gives is there.
        """
        written = node.slice.operand if isinstance(node.slice, ast.UnaryOp) else node.slice
        if self.recorder.muted or not isinstance(written, ast.Constant):
            return
        place = key.only()
        if not isinstance(place, (int, str)) or isinstance(place, bool):
            return
        outcomes: list[tuple[Any, int, Any]] = []
        present: list[Any] = []
        missing = having = 0
        for answer, content, where in held:
            if (
                type(answer) is not Ref
                or not isinstance(content, (ListContent, DictContent))
                or content.rest is not None
            ):
                outcomes.append((NotKnown("a container that is not known"), where, None))
                continue
            if isinstance(content, DictContent):
                there, error = place in content.items, Raises("KeyError", repr(place))
                present.extend(content.items)
            else:
                there = isinstance(place, int) and -len(content.items) <= place < len(content.items)
                error = Raises("IndexError", "list index out of range")
                present.extend(range(len(content.items)))
            outcomes.append((Hit(repr(place)) if there else error, where, place))
            missing |= 0 if there else where
            having |= where if there else 0
        first = held[0][0]
        if not missing & ~having or not having & ~missing or type(first) is not Ref:
            return
        search = self.searches.get(first)
        if search is not None:
            self.note_rows(search, Raises("IndexError", "list index out of range"), node, state)
            return
        keys = tuple(dict.fromkeys(present))
        place_of = Value(key.cases, base.trace)
        self.note_lookup(first, SetContent(keys), "subscript", place_of, node.slice, node, outcomes, base, state)


def _failing(fails: Answer, answer: Answer) -> Any:
    return Default(repr(answer), fails.default) if isinstance(fails, Default) else fails


def _leaves(body: Sequence[ast.stmt]) -> bool:
    """True for a body that ends the loop, be it behind one more test."""
    last = body[-1]
    if isinstance(last, ast.If) and not last.orelse:
        return _leaves(last.body)
    return isinstance(last, (ast.Return, ast.Break))


def _sides(condition: ast.expr, targets: set[str]) -> tuple[ast.expr, ast.expr] | None:
    """The sides of an equality that a condition asks for: what is looked for, and the field of a row."""
    if isinstance(condition, ast.BoolOp) and isinstance(condition.op, ast.And):
        return next((found for part in condition.values if (found := _sides(part, targets)) is not None), None)
    if not isinstance(condition, ast.Compare) or len(condition.ops) != 1 or not isinstance(condition.ops[0], ast.Eq):
        return None
    left, right = condition.left, condition.comparators[0]
    of_row = [any(isinstance(part, ast.Name) and part.id in targets for part in walk(side)) for side in (left, right)]
    if of_row == [True, False]:
        return right, left
    return (left, right) if of_row == [False, True] else None


def _asked(condition: ast.expr, targets: set[str]) -> tuple[ast.expr, list[ast.expr]] | None:
    """What comparisons hold against fields of a row, where it is one thing, and those fields."""
    tests = condition.values if isinstance(condition, ast.BoolOp) and isinstance(condition.op, ast.And) else [condition]
    if not all(isinstance(test, ast.Compare) for test in tests):
        return None
    sides = [side for test in tests if isinstance(test, ast.Compare) for side in (test.left, *test.comparators)]
    of_row = [any(isinstance(part, ast.Name) and part.id in targets for part in walk(side)) for side in sides]
    others = {ast.dump(side): side for side, is_field in zip(sides, of_row, strict=True) if not is_field}
    fields = [side for side, is_field in zip(sides, of_row, strict=True) if is_field]
    return (next(iter(others.values())), fields) if len(others) == 1 and fields else None
