"""Tell what names, comments and messages beside a test say of whom it lets in, which a wider test would make untrue."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from hwlint.fix.problem import Problem
from hwlint.fix.splice import LINE_END
from hwlint.fix.syntax import Syntax, parse
from hwlint.model.architecture import Architecture
from hwlint.model.span import Span
from hwlint.source.nodes import last_name

_SHOWN = 60
_NUMBER = re.compile(r"(?<![\d.])(\d{1,2})[._]?(\d)(?![\d.]*\d)|\((\d{1,2}), ?(\d)\)")
"""A capability as names and sentences have it: `sm90`, `SM100`, `9.0`, `10_0`, `(10, 0)`."""
_PRODUCT = re.compile(r"\b[A-Z]{1,2}\d{2,3}S?\b")
"""A product of data centers: `B200`, `GB300`, `L40S`."""
_LINES_ABOVE = 8
"""How many lines above a test may hold the words about it: what it needs is imported in between, say."""
_COMMENT = re.compile(r"#+([^\r\n]*)")


def named_after(problem: Problem, members: Sequence[Architecture]) -> str:
    """Return the name that the outcome of the test gets, where it names every member by number; else nothing."""
    syntax, test = _node(problem, _test(problem))
    if syntax is None or test is None or not members:
        return ""
    wanted = {one.capability for one in members}
    return next((name for name in _names(syntax, test) if wanted <= _numbers(name)), "")


def enumerated(problem: Problem, members: Sequence[Architecture], added: Sequence[Architecture]) -> str:
    """Return the words beside the test, or the list, that name every member but nobody who is added; else nothing.

    One member stands for its family in such words (`SM90/SM120`): they have to name two of the family that grows.
    """
    grow = {one.family for one in added}
    if not any(sum(one.family == family for one in members) > 1 for family in grow):
        return ""
    wanted, new = {one.name for one in members}, {one.name for one in added}
    for words in _words(problem):
        said = _said(words, problem)
        if wanted <= said and not said & new:
            return _short(words)
    return ""


def made_for_product(problem: Problem, member: Architecture, added: Sequence[Architecture]) -> str:
    """Return the words beside the test that name a product of the one member, and nobody who is added; else nothing."""
    products = _products(member)
    for words in _words(problem):
        if products & set(_PRODUCT.findall(words)) and not _said(words, problem) & {one.name for one in added}:
            return _short(words)
    return ""


def _test(problem: Problem) -> Span:
    span = problem.fact("lookup_span")
    return span if isinstance(span, Span) else problem.finding.span


def _node(problem: Problem, span: Span) -> tuple[Syntax | None, ast.expr | ast.stmt | None]:
    text = problem.texts(span.path)
    syntax = parse(text) if text is not None else None
    return syntax, syntax.at(span) if syntax is not None else None


def _words(problem: Problem) -> Iterator[str]:
    """Yield comments, messages and the docstring beside the test, and beside the list where it is written."""
    table = problem.fact("table_span")
    for span in dict.fromkeys([_test(problem), *([table] if isinstance(table, Span) else [])]):
        syntax, node = _node(problem, span)
        statement = syntax.statement(node) if syntax is not None and node is not None else None
        if syntax is None or node is None or statement is None:
            continue
        yield from _comments(syntax, node, statement)
        if isinstance(statement, ast.If) and any(one is node for one in ast.walk(statement.test)):
            yield from _texts(statement.body)
        function = syntax.function(node)
        if function is not None and (said := ast.get_docstring(function)):
            yield said


def _comments(syntax: Syntax, node: ast.expr | ast.stmt, statement: ast.stmt) -> Iterator[str]:
    """Yield what the comments in the lines above a statement say, and those in and behind the lines of a node of it."""
    start = syntax.bounds(statement)[0]
    indent = syntax.text[syntax.lines.line_start(start) : start]
    above = LINE_END.split(syntax.text[:start])[-1 - _LINES_ABOVE : -1]
    for own, rows in groupby(above, key=lambda row: row.startswith(f"{indent}#")):
        if own:
            yield " ".join(row.strip().lstrip("#") for row in rows)
    first, last = syntax.bounds(node)
    yield from _COMMENT.findall(syntax.text[syntax.lines.line_start(first) : syntax.lines.line_end(last)])


def _texts(body: Iterable[ast.stmt]) -> Iterator[str]:
    for statement in body:
        for one in ast.walk(statement):
            if isinstance(one, ast.Constant) and isinstance(one.value, str):
                yield one.value


def _names(syntax: Syntax, test: ast.AST) -> Iterator[str]:
    """Yield the names that the outcome of the test alone is given: a variable's, or that of what returns it."""
    parent = syntax.parent(test)
    match parent:
        case ast.Assign(targets=targets):
            yield from map(last_name, targets)
        case ast.AnnAssign(target=target) | ast.NamedExpr(target=target):
            yield last_name(target)
        case ast.keyword(arg=str() as name):
            yield name
        case ast.Return():
            function = syntax.function(test)
            if function is not None:
                yield function.name
        case _:
            pass


def _said(words: str, problem: Problem) -> set[str]:
    """Return the names of the architectures that words speak of, by number or by product."""
    known = problem.catalogue.architectures
    products = set(_PRODUCT.findall(words)) & {word for one in known for word in _products(one)}
    numbers = _numbers(_PRODUCT.sub(lambda found: "" if found.group() in products else found.group(), words))
    return {one.name for one in known if one.capability in numbers or _products(one) & products}


def _numbers(text: str) -> set[tuple[int, int] | None]:
    return {(int(found[1] or found[3]), int(found[2] or found[4])) for found in _NUMBER.finditer(text)}


def _products(architecture: Architecture) -> set[str]:
    return {word for product in architecture.products for word in _PRODUCT.findall(product)}


def _short(words: str) -> str:
    flat = " ".join(words.split())
    return flat if len(flat) <= _SHOWN else flat[: _SHOWN - 3] + "..."
