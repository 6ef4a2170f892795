"""Tell what the names and messages beside a test say of whom it lets in, which a longer list would make untrue."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

from hwlint.fix.problem import Problem
from hwlint.fix.syntax import Syntax, parse
from hwlint.model.architecture import Architecture
from hwlint.model.span import Span

_SHOWN = 60
_NUMBER = re.compile(r"(?<![\d.])(\d{1,2})[._]?(\d)(?![\d.]*\d)")
"""A capability as names and messages have it: `sm90`, `SM100`, `9.0`, `10_0`."""


def named_after(problem: Problem, members: Sequence[Architecture]) -> str:
    """Return the name that the outcome of the test gets, where it names every member by number; else nothing."""
    syntax, test = _test(problem)
    if syntax is None or test is None or not members:
        return ""
    for name in _names(syntax, test):
        if {one.capability for one in members} <= _numbers(name):
            return name
    return ""


def said_beside(problem: Problem, members: Sequence[Architecture]) -> str:
    """Return the message in the branch that the test decides which names a member by number; else nothing."""
    syntax, test = _test(problem)
    branch = syntax.statement(test) if syntax is not None and test is not None else None
    if not isinstance(branch, ast.If) or not any(one is test for one in ast.walk(branch.test)):
        return ""
    wanted = {one.capability for one in members}
    for statement in branch.body:
        for one in ast.walk(statement):
            if isinstance(one, ast.Constant) and isinstance(one.value, str) and _numbers(one.value) & wanted:
                flat = " ".join(one.value.split())
                return flat if len(flat) <= _SHOWN else flat[: _SHOWN - 3] + "..."
    return ""


def _test(problem: Problem) -> tuple[Syntax | None, ast.AST | None]:
    span = problem.fact("lookup_span") or problem.finding.span
    text = problem.texts(span.path) if isinstance(span, Span) else None
    syntax = parse(text) if text is not None else None
    return (syntax, syntax.at(span)) if syntax is not None and isinstance(span, Span) else (None, None)


def _names(syntax: Syntax, test: ast.AST) -> Iterator[str]:
    """Yield the names that the outcome of the test alone is given: a variable's, or that of what returns it."""
    parent = syntax.parent(test)
    match parent:
        case ast.Assign(targets=targets):
            yield from (name for target in targets if (name := _name(target)))
        case ast.AnnAssign(target=target) | ast.NamedExpr(target=target):
            yield _name(target)
        case ast.keyword(arg=str() as name):
            yield name
        case ast.Return():
            function = syntax.function(test)
            if function is not None:
                yield function.name
        case _:
            pass


def _name(target: ast.expr) -> str:
    return target.id if isinstance(target, ast.Name) else target.attr if isinstance(target, ast.Attribute) else ""


def _numbers(text: str) -> set[tuple[int, int] | None]:
    return {(int(found[1]), int(found[2])) for found in _NUMBER.finditer(text)}
