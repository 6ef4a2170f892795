# ruff: noqa: ARG005, S311 - what takes the place of a function takes what that took
"""The differential test can fail: each way of breaking the evaluator makes some construct or program disagree."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from hwlint.evaluate import operators, unfollowed, values
from hwlint.evaluate.assignments import Assignments
from hwlint.evaluate.branches import Branches
from hwlint.evaluate.builtin_items import BuiltinItems
from hwlint.evaluate.classes import Classes
from hwlint.evaluate.comprehensions import Comprehensions, Yielded
from hwlint.evaluate.conditions import Conditions
from hwlint.evaluate.container_changes import ContainerChanges
from hwlint.evaluate.faults import Faults
from hwlint.evaluate.functions import Functions
from hwlint.evaluate.loops import Loops
from hwlint.evaluate.membership import Membership
from hwlint.evaluate.patterns import Patterns
from hwlint.evaluate.state import State
from hwlint.evaluate.statements import Statements
from hwlint.evaluate.tries import Tries
from hwlint.evaluate.unfollowed import Unfollowed
from hwlint.evaluate.values import const
from tests.evaluate.agreement import compare
from tests.evaluate.programs import write
from tests.evaluate.sandbox import Program
from tests.evaluate.test_constructs import CONSTRUCTS, HEAD
from tests.evaluate.test_soundness import PROGRAMS, files_of

Patch = pytest.MonkeyPatch
SEEDS = range(12)
"""Programs that are tried where no construct, and nothing that was once wrong, shows the mutation."""


def _swap_a_comparison(patch: Patch) -> None:
    patch.setitem(operators._ORDER, ast.GtE, operator.gt)


def _negate_equality(patch: Patch) -> None:
    kept = operators._equal
    patch.setattr(operators, "_equal", lambda left, right: operators._negate(kept(left, right)))


def _drop_a_guard(patch: Patch) -> None:
    """A `return` under an `if` does not take its architectures out."""

    def ignored(self: Branches, node: ast.Return, state: State) -> None:
        if state.alive != self.everyone:
            return
        state.frame.returns.append((self.eval(node.value, state) if node.value else const(None), state.copy()))
        state.alive = state.certain = state.steady = 0

    patch.setattr(Branches, "_return", ignored)
    _handler(patch, ast.Return, ignored)


def _ignore_an_else(patch: Patch) -> None:
    kept = Branches._fork

    def forked(self: Branches, test: Any, value: Any, yes: int, no: int, body: Any, orelse: Any, state: State) -> None:
        kept(self, test, value, yes, no, body, [], state)

    patch.setattr(Branches, "_fork", forked)


def _take_the_first_branch_only(patch: Patch) -> None:
    kept = Branches._fork

    def forked(self: Branches, test: Any, value: Any, yes: int, no: int, body: Any, orelse: Any, state: State) -> None:
        kept(self, test, value, yes, 0 if yes else no, body, orelse, state)

    patch.setattr(Branches, "_fork", forked)


def _skip_a_merge(patch: Patch) -> None:
    import hwlint.evaluate.branches as branches

    patch.setattr(
        branches, "merge", lambda states, entry, undecided=-1: next((s for s in states if s.alive), states[0])
    )


def _let_and_be_or(patch: Patch) -> None:
    kept = Conditions._boolop

    def swapped(self: Conditions, node: ast.BoolOp, state: State) -> Any:
        other: ast.boolop = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        return kept(self, ast.copy_location(ast.BoolOp(other, node.values), node), state)

    _expression_handler(patch, ast.BoolOp, swapped)


def _forget_not(patch: Patch) -> None:
    patch.setattr(Conditions, "_negated", lambda self, operand, state: operand)


def _miss_members(patch: Patch) -> None:
    patch.setattr(Membership, "_is_in", lambda self, *args: False)


def _append_twice(patch: Patch) -> None:
    kept = ContainerChanges._each_list

    def twice(self: Any, ref: Any, node: Any, state: Any, change: Any, *, grows: bool = False) -> Any:
        return kept(self, ref, node, state, lambda items: change(tuple(change(items))), grows=grows)

    patch.setattr(ContainerChanges, "_each_list", twice)


def _ignore_conditions_of_comprehensions(patch: Patch) -> None:
    kept = Comprehensions._over

    def over(
        self: Any, node: Any, generators: list[ast.comprehension], source: Any, state: Any, made: Yielded, unsure: int
    ) -> int:
        bare = [ast.comprehension(part.target, part.iter, [], part.is_async) for part in generators]
        return kept(self, node, bare, source, state, made, unsure)

    patch.setattr(Comprehensions, "_over", over)


def _bind_arguments_backwards(patch: Patch) -> None:
    kept = Functions.bind_arguments

    def backwards(self: Any, function: Any, args: Any, keywords: Any, state: Any) -> Any:
        return kept(self, function, list(reversed(args)) if len(args) > 1 else args, keywords, state)

    patch.setattr(Functions, "bind_arguments", backwards)


def _ignore_break(patch: Patch) -> None:
    _handler(patch, ast.Break, lambda self, node, state: None)


def _never_loop(patch: Patch) -> None:
    patch.setattr(Loops, "_unroll", lambda self, node, found, state: None)


def _unpack_backwards(patch: Patch) -> None:
    kept = Assignments._unpack

    def backwards(self: Any, targets: list[ast.expr], value: Any, node: Any, state: Any) -> None:
        kept(self, targets[::-1], value, node, state)

    patch.setattr(Assignments, "_unpack", backwards)


def _quantify_wrongly(patch: Patch) -> None:
    kept = BuiltinItems._quantified
    patch.setattr(
        BuiltinItems, "_quantified", lambda self, args, state, *, stop_on: kept(self, args, state, stop_on=not stop_on)
    )


def _give_one_answer_to_all(patch: Patch) -> None:
    """What is known for one architecture is taken for all."""
    kept = values.lift

    def lifted(operation: Any, args: Any, alive: int) -> Any:
        value, raised = kept(operation, args, alive)
        return (values.Value(((value.cases[0][0], -1),), value.trace), raised) if value.cases else (value, raised)

    import hwlint.evaluate.comparisons as comparisons
    import hwlint.evaluate.expression as expression

    patch.setattr(expression, "lift", lifted)
    patch.setattr(comparisons, "lift", lifted)


def _skip_finally(patch: Patch) -> None:
    patch.setattr(Tries, "_finally", lambda self, body, last, state, inside, *, swallows: body())


def _let_every_pattern_match(patch: Patch) -> None:
    kept = Patterns._pattern

    def matched(self: Any, pattern: Any, subject: Any, state: State) -> Any:
        return state.alive, 0, kept(self, pattern, subject, state)[2]

    patch.setattr(Patterns, "_pattern", matched)


def _keep_what_loops_change(patch: Patch) -> None:
    patch.setattr(Loops, "forget", lambda self, body, state, reason="", *, rounds=True: None)
    patch.setattr(Loops, "forget_effects", lambda self, entry, rounds: None)


def _catch_nothing(patch: Patch) -> None:
    patch.setattr(Faults, "catches", lambda self, exception: False)


def _never_set_attributes(patch: Patch) -> None:
    patch.setattr(Assignments, "_set_attribute", lambda self, target, value, state: None)


def _look_members_up_in_the_class_alone(patch: Patch) -> None:
    patch.setattr(Classes, "lineage", lambda self, owner: (owner,))


def _give_nothing_to_defaults(patch: Patch) -> None:
    patch.setattr(Functions, "_default", lambda self, function, default, state: const(None))


def _keep_what_is_passed_over(patch: Patch) -> None:
    patch.setattr(Statements, "_pass_over", lambda self, node, beside, state: None)


def _keep_what_functions_change_that_are_not_followed(patch: Patch) -> None:
    patch.setattr(Unfollowed, "not_followed", lambda self, function, args, keywords, state: None)


def _handler(patch: Patch, kind: type[ast.stmt], handler: Callable[..., None]) -> None:
    from hwlint.evaluate import statements

    patch.setitem(statements._HANDLERS, kind, handler)


def _expression_handler(patch: Patch, kind: type[ast.expr], handler: Callable[..., Any]) -> None:
    from hwlint.evaluate import expression

    patch.setitem(expression._HANDLERS, kind, handler)


MUTATIONS: tuple[Callable[[Patch], None], ...] = (
    _swap_a_comparison,
    _negate_equality,
    _drop_a_guard,
    _ignore_an_else,
    _take_the_first_branch_only,
    _skip_a_merge,
    _let_and_be_or,
    _forget_not,
    _miss_members,
    _append_twice,
    _ignore_conditions_of_comprehensions,
    _bind_arguments_backwards,
    _ignore_break,
    _never_loop,
    _unpack_backwards,
    _quantify_wrongly,
    _give_one_answer_to_all,
    _skip_finally,
    _let_every_pattern_match,
    _keep_what_loops_change,
    _catch_nothing,
    _never_set_attributes,
    _look_members_up_in_the_class_alone,
    _give_nothing_to_defaults,
)
IN_A_RUN: tuple[Callable[[Patch], None], ...] = (
    _keep_what_is_passed_over,
    _keep_what_functions_change_that_are_not_followed,
)
"""Mutations of what only a run of the command does: to pass over what hardware values do not reach."""


@pytest.mark.parametrize("mutate", MUTATIONS, ids=lambda mutate: mutate.__name__.strip("_"))
def test_a_broken_evaluator_disagrees_with_cpython(mutate: Callable[[Patch], None], monkeypatch: Patch) -> None:
    mutate(monkeypatch)
    assert (
        any(_disagrees(Program({"main.py": HEAD + text + "\n"})) for text in CONSTRUCTS.values())
        or any(_disagrees(Program(files_of(text))) for text in PROGRAMS.values())
        or any(_disagrees(write(Random(seed))) for seed in SEEDS)
    )


@pytest.mark.parametrize("mutate", IN_A_RUN, ids=lambda mutate: mutate.__name__.strip("_"))
def test_a_broken_way_to_pass_over_code_disagrees_with_cpython(
    mutate: Callable[[Patch], None], monkeypatch: Patch
) -> None:
    monkeypatch.setattr(unfollowed, "SMALL_FUNCTION", 2)
    mutate(monkeypatch)
    assert any(_disagrees(write(Random(seed)), sliced=True) for seed in range(200))


def _disagrees(program: Program, *, sliced: bool = False) -> bool:
    return bool(compare(program, sliced=sliced).disagreements)
