"""Tell which statements of a function cannot matter: they neither mention nor receive anything from the hardware."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hwlint.evaluate.scopes import FunctionNode
from hwlint.hardware.claims import is_size
from hwlint.source.nodes import OWN, walk

ROUNDS = 4
"""Passes over a function; a value that travels backward through more loops than that only costs precision."""
_SIMPLE = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Expr)
ENDINGS = frozenset({"sys.exit", "os._exit", "os.abort"})
"""Functions that end the program; the first can be caught."""
_LAST_NAMES = frozenset(name.rpartition(".")[2] for name in ENDINGS)
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_HEADS = ("test", "iter", "subject")
_BLOCKS = ("body", "orelse", "finalbody")
_ACTIVE = (ast.NamedExpr, ast.Yield, ast.YieldFrom, ast.Await)


@dataclass(frozen=True, slots=True)
class PassedOver:
    """What remains to be done for a statement that is not evaluated: forget what it changes, or may change."""

    names: tuple[str, ...]
    """Names handed to a call, whose containers it may change."""


Slice = dict[ast.stmt, PassedOver]


def passed_over(node: FunctionNode, carriers: frozenset[str], given: frozenset[str]) -> Slice:
    """Return the statements of a function that need not be evaluated.

    `carriers` are the names that may carry hardware values in the file, `given` the parameters that get one. A name
    that is assigned from one of them, or under a test of one, carries one too. Only simple statements that call
    something are passed over: all others cost little, and calls without arguments and calls of the object's own
    methods are often guards or set-up.
    """
    if isinstance(node, ast.Lambda):
        return {}
    live = set(carriers | given)
    statements = list(_simple_statements(node.body))
    words = {statement: _words(statement) for statement, _ in statements}
    tests = {test: _words(test) for test in {test for _, around in statements for test in around}}
    told: set[ast.stmt] = set()
    for _ in range(ROUNDS):
        before = len(told)
        for statement, around in statements:
            if statement in told:
                continue
            if not live.isdisjoint(words[statement]) or any(not live.isdisjoint(tests[test]) for test in around):
                told.add(statement)
                live.update(_assigned(statement))
        if len(told) == before:
            break
    return {
        statement: PassedOver(_handed_over(statement))
        for statement, _ in statements
        if isinstance(statement, _SIMPLE) and live.isdisjoint(words[statement]) and _is_only_work(statement)
    }


def _simple_statements(
    body: Sequence[ast.stmt], around: tuple[ast.expr, ...] = ()
) -> Iterator[tuple[ast.stmt, tuple[ast.expr, ...]]]:
    """Yield every statement that is no block, definitions too, with the tests and iterables of the blocks around it."""
    for statement in body:
        if isinstance(statement, _DEFINITIONS):
            yield statement, around
            continue
        heads = tuple(head for name in _HEADS if (head := getattr(statement, name, None)) is not None)
        blocks = [block for name in _BLOCKS if (block := getattr(statement, name, None))]
        blocks += [handler.body for handler in getattr(statement, "handlers", ())]
        blocks += [case.body for case in getattr(statement, "cases", ())]
        if blocks:
            for block in blocks:
                yield from _simple_statements(block, (*around, *heads))
        else:
            yield statement, around
        if isinstance(statement, (ast.For, ast.AsyncFor)):
            yield ast.Assign(targets=[statement.target], value=statement.iter), around


def _words(node: ast.AST) -> frozenset[str]:
    """The names, attributes and short texts in a node: what could be, or name, something from the hardware."""
    found = set()
    for part in walk(node):
        if isinstance(part, ast.Name):
            found.add(part.id)
        elif isinstance(part, ast.Attribute):
            found.add(f".{part.attr}")
            if not isinstance(part.value, ast.Name) or part.value.id not in OWN:
                found.add(part.attr)
        elif isinstance(part, ast.Constant) and isinstance(part.value, str) and part.value.isidentifier():
            found.update((part.value, f".{part.value}"))
    return frozenset(found)


def _assigned(statement: ast.stmt) -> set[str]:
    """The names and attributes that a statement gives a value to, or whose container it changes."""
    if isinstance(statement, _DEFINITIONS):
        return {statement.name}
    found = set()
    for part in walk(statement):
        if isinstance(part, (ast.Name, ast.Attribute, ast.Subscript)) and not isinstance(part.ctx, ast.Load):
            while isinstance(part, ast.Subscript):
                part = part.value
            if isinstance(part, ast.Name):
                found.add(part.id)
            elif isinstance(part, ast.Attribute):
                found.add(f".{part.attr}")
        elif isinstance(part, ast.Call):
            holder = part.func.value if isinstance(part.func, ast.Attribute) else None
            if isinstance(holder, ast.Name):
                found.add(holder.id)
    return found


def _is_only_work(statement: ast.stmt) -> bool:
    calls = [part for part in walk(statement) if isinstance(part, (ast.Call, *_ACTIVE))]
    if not calls or any(isinstance(part, _ACTIVE) for part in calls):
        return False
    return not any(
        isinstance(part, ast.Call) and (_may_be_setup(part) or _gives_sizes(part) or _ends(part)) for part in calls
    )


def _may_be_setup(call: ast.Call) -> bool:
    if not call.args and not call.keywords and isinstance(call.func, (ast.Name, ast.Attribute)):
        return True
    if isinstance(call.func, ast.Name) and call.func.id in ("setattr", "delattr"):
        return True
    holder = call.func.value if isinstance(call.func, ast.Attribute) else None
    if isinstance(holder, ast.Name):
        return holder.id in OWN
    return isinstance(holder, ast.Call) and isinstance(holder.func, ast.Name) and holder.func.id == "super"


def _ends(call: ast.Call) -> bool:
    """True for a call by a name that ends the program: what follows is for those that do not come there."""
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    return name in _LAST_NAMES


def _gives_sizes(call: ast.Call) -> bool:
    """True for the launch of a kernel in a size that an architecture behind an earlier test may not have room for."""
    return any(keyword.arg is not None and is_size(keyword.arg) for keyword in call.keywords)


def _handed_over(statement: ast.stmt) -> tuple[str, ...]:
    names: set[str] = set()
    for part in walk(statement):
        if isinstance(part, ast.Call):
            for argument in (*part.args, *(keyword.value for keyword in part.keywords)):
                names.update(inner.id for inner in walk(argument) if isinstance(inner, ast.Name))
    return tuple(sorted(names))
