"""Map syntax nodes to spans and to the text they stand for."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Protocol

from hwlint.model.span import Span
from hwlint.source.parse import Parsed


class Placed(Protocol):
    """Anything with a place in the source: statements, expressions, arguments, handlers, aliases, patterns."""

    lineno: int
    col_offset: int
    end_lineno: int | None
    end_col_offset: int | None


def span(parsed: Parsed, node: ast.AST) -> Span:
    """Return the place of `node`, columns in code points.

    A node without a place of its own (the module, `ast.arguments`, operators, contexts) gets the whole file's first
    character; `ast` gives such nodes none.
    """
    line, start, end_line, end = _place(node)
    return Span(
        parsed.path,
        line,
        column(parsed, line, start),
        end_line,
        column(parsed, end_line, end),
    )


def segment(parsed: Parsed, node: ast.AST) -> str:
    """Return the source text of `node`, line ends as in the file; empty for a node without a place."""
    return text_at(parsed, span(parsed, node))


def text_at(parsed: Parsed, place: Span) -> str:
    """Return the text between the ends of `place`, line ends as in the file."""
    if place.line == place.end_line:
        return _line(parsed, place.line)[place.column - 1 : place.end_column - 1]
    first = _line(parsed, place.line)[place.column - 1 :]
    last = _line(parsed, place.end_line)[: place.end_column - 1]
    return "".join((first, *parsed.lines[place.line : place.end_line - 1], last))


def column(parsed: Parsed, line: int, offset: int) -> int:
    """Turn `ast`'s offset in UTF-8 bytes (0-based) into a column in code points (1-based), clamped to the line."""
    text = _line(parsed, line)
    if text.isascii():
        return min(offset, len(text)) + 1
    return len(text.encode("utf-8")[:offset].decode("utf-8", "ignore")) + 1


def statement_lines(parsed: Parsed) -> dict[int, int]:
    """Map each line that belongs to a statement to the first line of the innermost statement it is in.

    A decorator's lines belong to the definition, whose first line is its first decorator's.
    """
    first: dict[int, int] = {}
    for statement in _statements(parsed.tree):
        start = min([statement.lineno, *(each.lineno for each in getattr(statement, "decorator_list", ()))])
        for line in range(start, (statement.end_lineno or start) + 1):
            first[line] = start
    return first


def _statements(node: ast.AST) -> Iterator[ast.stmt]:
    """Yield the statements below `node`, each before those inside it."""
    stack: list[ast.AST] = [node]
    while stack:
        for child in ast.iter_child_nodes(stack.pop()):
            if isinstance(child, ast.stmt):
                yield child
            if isinstance(child, (ast.stmt, ast.excepthandler, ast.match_case)):
                stack.append(child)


def _place(node: ast.AST) -> tuple[int, int, int, int]:
    line = getattr(node, "lineno", None)
    if line is None:
        return 1, 0, 1, 0
    start: int = node.col_offset  # type: ignore[attr-defined]
    end_line = getattr(node, "end_lineno", None) or line
    end = getattr(node, "end_col_offset", None)
    return line, start, end_line, start if end is None else end


def _line(parsed: Parsed, line: int) -> str:
    return parsed.lines[line - 1] if 1 <= line <= len(parsed.lines) else ""
