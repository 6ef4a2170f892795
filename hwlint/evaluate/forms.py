"""Tell how a test picks the architectures that pass it: by name, from one up, up to one, or as the rest."""

from __future__ import annotations

import ast
from collections.abc import Container, Sequence
from enum import StrEnum


class Form(StrEnum):
    """How the architectures are picked for which a test is what it is said to be."""

    NAMED = "named"
    """A list, an equality or a range with two ends: each is meant."""
    BARE = "bare"
    """Whatever a predicate or variable says yes to."""
    LEAST = "least"
    """From one up: nothing is said of what is newer."""
    MOST = "most"
    """Up to one."""
    REST = "rest"
    """All that are not picked by another test."""
    OTHER = "other"
    """None of these; also all that the hardware does not decide."""


def form_of(test: ast.expr, decides: Container[ast.expr], *, truth: bool) -> Form:
    """Say how `test` being `truth` picks architectures; parts that are not in `decides` are not the hardware's."""
    match test:
        case ast.UnaryOp(op=ast.Not()):
            return form_of(test.operand, decides, truth=not truth)
        case ast.BoolOp():
            forms = [form_of(part, decides, truth=truth) for part in test.values if part in decides]
            together = _both if isinstance(test.op, ast.And) == truth else _either
            return together(set(forms))
        case ast.Compare(ops=[op], left=left):
            return _of_comparison(op, constant_first=isinstance(left, ast.Constant), truth=truth)
        case ast.Compare():
            return Form.NAMED if truth else Form.REST
        case ast.Name() | ast.Attribute() | ast.Call() | ast.NamedExpr():
            return Form.BARE if truth else Form.REST
        case _:
            return Form.OTHER


def _of_comparison(op: ast.cmpop, *, constant_first: bool, truth: bool) -> Form:
    match op:
        case ast.Eq() | ast.In():
            return Form.NAMED if truth else Form.REST
        case ast.NotEq() | ast.NotIn():
            return Form.REST if truth else Form.NAMED
        case ast.Gt() | ast.GtE():
            return Form.LEAST if truth != constant_first else Form.MOST
        case ast.Lt() | ast.LtE():
            return Form.MOST if truth != constant_first else Form.LEAST
        case _:
            return Form.OTHER


def _both(forms: set[Form]) -> Form:
    """The form of architectures that pass every one of several tests."""
    if Form.NAMED in forms or {Form.LEAST, Form.MOST} <= forms:
        return Form.NAMED
    return _first(forms, Form.BARE, Form.LEAST, Form.MOST, Form.REST)


def _either(forms: set[Form]) -> Form:
    """The form of architectures that pass at least one of several tests."""
    if {Form.LEAST, Form.MOST} <= forms:
        return Form.REST
    return _first(forms, Form.REST, Form.LEAST, Form.MOST, Form.BARE, Form.NAMED)


def _first(forms: set[Form], *order: Form) -> Form:
    return next((form for form in order if form in forms), Form.OTHER)


def only_raises(block: Sequence[ast.stmt]) -> bool:
    """True for a block that ends in `raise` and has nothing before it but calls (a line for the log) and texts."""
    return (
        bool(block)
        and isinstance(block[-1], ast.Raise)
        and all(isinstance(part, ast.Expr | ast.Assign) for part in block[:-1])
    )


def is_turned_away(node: ast.AST, statement: ast.AST | None) -> bool:
    """True where `node` being true is what a `raise` alone stands behind: `if node and other: raise`."""
    if not isinstance(statement, ast.If) or not only_raises(statement.body):
        return False
    waiting: list[ast.AST] = [statement.test]
    while waiting:
        part = waiting.pop()
        if part is node:
            return True
        if not isinstance(part, ast.UnaryOp):
            waiting.extend(ast.iter_child_nodes(part))
    return False
