"""Find the node of a span in a text, its parents and its exact source; offsets count code points."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import lru_cache

from hwlint.fix.splice import LINE_END, Lines
from hwlint.model.finding import Edit
from hwlint.model.span import Span


class Syntax:
    """A parsed text with parents and code-point offsets."""

    __slots__ = ("_parents", "_physical", "lines", "text", "tree")

    def __init__(self, text: str, tree: ast.Module) -> None:
        """Index the parents once; `tree` is the parse of `text`."""
        self.text = text
        self.tree = tree
        self.lines = Lines(text)
        self._physical = LINE_END.split(text)
        self._parents = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}

    def parent(self, node: ast.AST) -> ast.AST | None:
        """Return the node that holds `node`, or None for the module."""
        return self._parents.get(node)

    def ancestors(self, node: ast.AST) -> Iterator[ast.AST]:
        """Yield the nodes around `node`, innermost first."""
        found = self._parents.get(node)
        while found is not None:
            yield found
            found = self._parents.get(found)

    def statement(self, node: ast.AST) -> ast.stmt | None:
        """Return the innermost statement that holds `node`."""
        return next((one for one in (node, *self.ancestors(node)) if isinstance(one, ast.stmt)), None)

    def function(self, node: ast.AST) -> ast.FunctionDef | ast.AsyncFunctionDef | None:
        """Return the innermost function that holds `node`."""
        for one in self.ancestors(node):
            if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef):
                return one
        return None

    def block(self, statement: ast.stmt) -> list[ast.stmt]:
        """Return the list of statements that `statement` is one of."""
        parent = self._parents.get(statement)
        for name in ("body", "orelse", "finalbody"):
            block = getattr(parent, name, None)
            if isinstance(block, list) and statement in block:
                return block
        return [statement]

    def bounds(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        """Return the offsets of a node's first character and of the one after its last."""
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return self._offset(node.lineno, node.col_offset), self._offset(node.end_lineno, node.end_col_offset)

    def above_comments(self, statement: ast.stmt) -> int:
        """Return the offset of a statement, or of the comments of its own indentation right above it."""
        start = self.bounds(statement)[0]
        indent = self.text[self.lines.line_start(start) : start]
        number = statement.lineno - 1
        while number > 0 and self._physical[number - 1].startswith(f"{indent}#"):
            number -= 1
        found = self.lines.offset(number + 1, len(indent) + 1)
        return start if indent.strip(" \t\f") or found is None else found

    def below_comments(self, statement: ast.stmt) -> int:
        """Return the end of a statement's last line, or of the comments below it that are indented no less."""
        end = self.lines.line_end(self.bounds(statement)[1])
        start = self.bounds(statement)[0]
        indent = self.text[self.lines.line_start(start) : start]
        number, _ = self.lines.position(end)
        while number < len(self._physical) and self._physical[number].startswith(indent):
            if not self._physical[number].lstrip(" \t\f").startswith("#"):
                break
            number += 1
        found = self.lines.offset(number, len(self._physical[number - 1]) + 1)
        return end if found is None else found

    def source(self, node: ast.expr | ast.stmt) -> str:
        """Return the text of a node as it is written."""
        start, end = self.bounds(node)
        return self.text[start:end]

    def edit(self, path: str, node: ast.expr | ast.stmt, text: str) -> Edit:
        """Return the edit that replaces a node by `text`."""
        return Edit(self.lines.span(path, *self.bounds(node)), text)

    def within(self, span: Span) -> Iterator[ast.expr | ast.stmt]:
        """Yield the nodes that lie inside the span, outermost first.

        Those inside f-strings are left out: before Python 3.12 their positions are not exact, and quotes cannot nest.
        """
        wanted = self.lines.range(span)
        if wanted is None:
            return
        for node in ast.walk(self.tree):
            if not isinstance(node, ast.expr | ast.stmt) or not span.line <= node.lineno <= span.end_line:
                continue
            start, end = self.bounds(node)
            if wanted[0] <= start and end <= wanted[1] and not self._in_f_string(node):
                yield node

    def at(self, span: Span) -> ast.expr | ast.stmt | None:
        """Return the outermost node exactly at the span, expressions before statements, or None."""
        wanted = self.lines.range(span)
        exact = [node for node in self.within(span) if self.bounds(node) == wanted]
        return next((node for node in exact if isinstance(node, ast.expr)), exact[0] if exact else None)

    def _in_f_string(self, node: ast.AST) -> bool:
        return any(isinstance(one, ast.JoinedStr) for one in self.ancestors(node))

    def _offset(self, line: int, column: int) -> int:
        start = self.lines.offset(line, 1)
        assert start is not None
        text = self._physical[line - 1]
        return start + (column if text.isascii() else len(text.encode()[:column].decode()))


@lru_cache(maxsize=16)
def parse(text: str) -> Syntax | None:
    """Parse a text, or return None where this Python cannot."""
    try:
        return Syntax(text, ast.parse(text))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
