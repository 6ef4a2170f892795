"""Collect the words around the use of a table, which tell what it is about where its own name does not."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from hwlint.fix.problem import Problem
from hwlint.fix.syntax import Syntax, parse
from hwlint.model.span import Span

_NEIGHBOUR_LINES = 6
"""How many comment lines right above a table are read for what it is about."""


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


def asks_what_is_in_a_row(problem: Problem) -> bool:
    """Return whether the lookup stands in a test `x in table[key]`, so that an empty row would do."""
    return _asked(problem) is not None


def words_switched_on(problem: Problem) -> list[str]:
    """Return the names in the code that runs where the value is in the row; they say what the row switches on."""
    asked = _asked(problem)
    if asked is None or not isinstance(asked[1].ops[0], ast.In):
        return []
    syntax, test = asked
    branch = next((one for one in syntax.ancestors(test) if isinstance(one, ast.stmt | ast.IfExp)), None)
    if not isinstance(branch, ast.If) or not any(one is test for one in ast.walk(branch.test)):
        return []
    nodes = [one for statement in branch.body for one in ast.walk(statement)]
    return [
        one.id if isinstance(one, ast.Name) else one.attr for one in nodes if isinstance(one, ast.Name | ast.Attribute)
    ]


def comments_above(text: str, line_number: int) -> list[str]:
    """Return the comment lines right above the statement that defines the table."""
    before = re.split(r"\r\n|\r|\n", text)[: line_number - 1]
    found: list[str] = []
    for line in reversed(before[-_NEIGHBOUR_LINES:]):
        if not line.lstrip().startswith("#"):
            break
        found.append(line.strip("# \t\f"))
    return found


def _asked(problem: Problem) -> tuple[Syntax, ast.Compare] | None:
    """Return the test `x in table[key]` that the lookup stands in, or None where it stands elsewhere."""
    span = problem.fact("lookup_span") or problem.finding.span
    if problem.fact("lookup_form") not in (None, "subscript", "get") or not isinstance(span, Span):
        return None
    text = problem.texts(span.path)
    syntax = parse(text) if text is not None else None
    node = syntax.at(span) if syntax is not None else None
    parent = syntax.parent(node) if syntax is not None and node is not None else None
    if syntax is None or not isinstance(parent, ast.Compare) or node not in parent.comparators:
        return None
    return (syntax, parent) if isinstance(parent.ops[0], ast.In | ast.NotIn) else None


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
