"""Evaluate comparisons and chains of them, and record those of hardware values."""

from __future__ import annotations

import ast
from typing import Any

from hwlint.evaluate import operators
from hwlint.evaluate.answers import EnumMember, Named, Ref, is_concrete, shown
from hwlint.evaluate.conditions import Conditions
from hwlint.evaluate.forms import is_turned_away
from hwlint.evaluate.state import State, merge
from hwlint.evaluate.values import Value, join, lift, restrict
from hwlint.model.observation import Comparison

_OPERATORS: dict[type[ast.cmpop], str] = {
    ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=",
    ast.Is: "is", ast.IsNot: "is not", ast.In: "in", ast.NotIn: "not in",
}  # fmt: skip


class Comparisons(Conditions):
    """The part of the evaluator that compares."""

    def _compare(self, node: ast.Compare, state: State) -> Value:
        left = self.eval(node.left, state)
        results: list[Value] = []
        going = state
        leaving: list[State] = []
        entry = state.copy() if len(node.ops) > 1 else None
        for position, (op, right_node) in enumerate(zip(node.ops, node.comparators, strict=True)):
            right = self.eval(right_node, going)
            found = self._compared(op, left, right, node, position, going)
            if position:
                found = restrict(found, going.alive)
            results.append(found)
            left = right
            if position < len(node.ops) - 1:
                yes, no = self.truth(restrict(found, going.alive), going)
                results[-1] = self._shortened(found, no, stop_on=False, state=going)
                leaving.append(going.narrow(no, decided=~yes))
                going = going.narrow(yes, decided=~no)
                if not going.alive:
                    break
        if entry is not None:
            together = merge([*leaving, going], entry)
            state.vars, state.heap, state.alive = together.vars, together.heap, together.alive
            state.certain &= together.alive
            state.steady &= together.alive
        return join([result for result in results if result.cases] or [Value(())])

    def _compared(
        self, op: ast.cmpop, left: Value, right: Value, node: ast.Compare, position: int, state: State
    ) -> Value:
        kind = type(op)
        if kind in (ast.In, ast.NotIn):
            found = self.membership(left, right, node, position, state)
        else:
            if kind in (ast.Lt, ast.LtE, ast.Gt, ast.GtE):
                self.note_none(left, "computed with", node, state)
                self.note_none(right, "computed with", node, state)
            one, other = self.expand(left, state), self.expand(right, state)
            asked = self.compare_objects(kind, one, other, node, state) if _objects(one, other) else None
            if asked is None:
                one, other = self.lists_as_tuples(one, other, state)
                asked, raised = lift(lambda a, b: operators.compare(kind, a, b), (one, other), state.alive)
                asked = self._settle(asked, raised, node, state)
            found = asked
        self.note_comparison(_OPERATORS[kind], left, right, found, node, position, state)
        return found

    def compare_objects(
        self, kind: type[ast.cmpop], left: Value, right: Value, node: ast.AST, state: State
    ) -> Value | None:
        """Compare where an operand's class has a say (defined with the protocols)."""
        raise NotImplementedError

    def lists_as_tuples(self, left: Value, right: Value, state: State) -> tuple[Value, Value]:
        """Compare two lists by their items (defined with the containers)."""
        return left, right

    def membership(self, left: Value, right: Value, node: ast.Compare, position: int, state: State) -> Value:
        """Compute `in` and `not in` (defined with the containers)."""
        raise NotImplementedError

    def note_comparison(
        self, symbol: str, left: Value, right: Value, found: Value, node: ast.Compare, position: int, state: State
    ) -> None:
        """Record a comparison with a hardware value."""
        trace = left.trace or right.trace
        if trace is None or self.recorder.muted or symbol in ("is", "is not"):
            return
        yes, no = self.truth(restrict(found, state.alive), state)
        left_node = node.left if position == 0 else node.comparators[position - 1]
        self.recorder.comparison(
            Comparison(
                self.place(node, state),
                symbol,
                self.text(left_node, state),
                self.text(node.comparators[position], state),
                _plain_cases(self.expand(left, state), state.alive),
                _plain_cases(self.expand(right, state), state.alive),
                yes,
                no,
                state.alive,
                trace.steps(),
                self.named_near(state) if symbol in ("==", "!=") else (),
                self.opposite(state) if symbol in ("==", "!=") else "",
                symbol == "==" and is_turned_away(node, self.statement),
            )
        )


def _objects(left: Value, right: Value) -> bool:
    return any(
        type(answer) in (EnumMember, Named) or (type(answer) is Ref and answer.kind == "instance")
        for answer, _ in (*left.cases, *right.cases)
    )


def _plain_cases(value: Value, alive: int) -> tuple[tuple[Any, int], ...]:
    return tuple((shown(answer), mask & alive) for answer, mask in value.cases if mask & alive and is_concrete(answer))
