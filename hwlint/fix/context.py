"""Collect the words around the use of a table, which tell what it is about where its own name does not."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import PurePosixPath

from hwlint.fix.problem import Problem
from hwlint.fix.syntax import Syntax, parse
from hwlint.model.span import Span


def words_at_use(problem: Problem) -> frozenset[str]:
    """Return the names in the statement that uses the table, and those of its function, its file and the table's."""
    span = _use(problem)
    table = problem.fact("table_span")
    files = {one.path for one in (span, table) if isinstance(one, Span)}
    stems = {PurePosixPath(path).stem for path in files}
    syntax, node = _node(problem, span)
    statement = syntax.statement(node) if syntax is not None and node is not None else None
    names = set(_names(statement)) if statement is not None and not _is_block(statement) else set()
    if statement is not None and _is_block(statement):
        names = {
            name for child in ast.iter_child_nodes(statement) if isinstance(child, ast.expr) for name in _names(child)
        }
    return frozenset({*names, *stems, *problem.finding.symbol.split(".")} - {""})


def words_around_use(problem: Problem) -> frozenset[str]:
    """Return the names in the outermost class or function around the use of the table."""
    syntax, node = _node(problem, _use(problem))
    if syntax is None or node is None:
        return frozenset()
    scopes = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
    around = [one for one in syntax.ancestors(node) if isinstance(one, scopes)]
    return frozenset(_names(around[-1])) if around else frozenset()


def _use(problem: Problem) -> Span:
    span = problem.fact("lookup_span")
    return span if isinstance(span, Span) else problem.finding.span


def _node(problem: Problem, span: Span) -> tuple[Syntax | None, ast.AST | None]:
    text = problem.texts(span.path)
    syntax = parse(text) if text is not None else None
    return syntax, syntax.at(span) if syntax is not None else None


def _is_block(statement: ast.stmt) -> bool:
    return bool(getattr(statement, "body", None)) or isinstance(statement, ast.Match)


def _names(node: ast.AST) -> Iterator[str]:
    for one in ast.walk(node):
        match one:
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.keyword(arg=str() as name):
                yield name
            case _:
                pass
