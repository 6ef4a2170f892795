"""Tell which parts of a file an edit touches, and which others speak of those."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hwlint.evaluate.code import Code
from hwlint.server.settle import shifts
from hwlint.source.lines import split_lines

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass(frozen=True, slots=True)
class Edited:
    """The lines of a text, from 1, that another text does not have; where lines went, those around the place."""

    lines: frozenset[int]

    def touches(self, node: ast.AST) -> bool:
        """True where a line of a statement, its decorators among them, has changed."""
        return not self.lines.isdisjoint(rows(node))

    def first(self, roots: Sequence[ast.AST]) -> list[ast.AST]:
        """Those of the nodes that were touched."""
        return [node for node in roots if self.touches(node)]

    def then(self, code: Code, roots: Sequence[ast.AST]) -> list[ast.AST]:
        """Those of the other nodes that mention, in however many steps, a name that a touched statement binds."""
        names = self.names(code.body)
        units = [unit for unit in code.outline.units if not self.lines.issuperset((unit.line,))]
        reached = set[int]()
        while news := [unit for unit in units if unit.line not in reached and not names.isdisjoint(unit.mentions)]:
            for unit in news:
                reached.add(unit.line)
                names |= {unit.name.rpartition(".")[2]} if unit.name else set(_bound(code.body[unit.statement]))
        return [node for node in roots if not self.touches(node) and not reached.isdisjoint(rows(node))]

    def names(self, body: Sequence[ast.stmt]) -> set[str]:
        """The names that the touched statements of a module, and those of its classes, bind."""
        return set(self._names(body))

    def _names(self, body: Sequence[ast.stmt]) -> Iterator[str]:
        for node in body:
            if self.touches(node):
                if isinstance(node, ast.ClassDef):
                    yield node.name
                    yield from self._names(node.body)
                else:
                    yield from _bound(node)


def edited(old: str, new: str) -> Edited:
    """Compare two texts of a file."""
    kept = shifts(split_lines(old), split_lines(new))
    count = len(split_lines(new))
    came = {line + shift: line for line, shift in kept.items()}
    changed = {line for line in range(1, count + 1) if line not in came}
    for line in range(1, count):
        if line in came and line + 1 in came and came[line + 1] != came[line] + 1:
            changed |= {line, line + 1}
    return Edited(frozenset(changed))


def rows(node: ast.AST) -> range:
    """The lines of a statement, from its first decorator on."""
    decorators = getattr(node, "decorator_list", [])
    first = min(part.lineno for part in (node, *decorators))
    return range(first, node.end_lineno + 1)  # type: ignore[attr-defined]


def _bound(node: ast.stmt) -> Iterator[str]:
    """The names that one statement binds."""
    if isinstance(node, (*_FUNCTIONS, ast.ClassDef)):
        yield node.name
        return
    for part in ast.walk(node):
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
            yield part.id
        elif isinstance(part, ast.Subscript) and isinstance(part.value, ast.Name):
            yield part.value.id
        elif isinstance(part, ast.alias):
            yield part.asname or part.name.partition(".")[0]
        elif isinstance(part, (*_FUNCTIONS, ast.ClassDef)):
            yield part.name
