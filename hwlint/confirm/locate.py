"""Find the lookup's expression in a parsed file, and the functions and blocks around it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from hwlint.confirm.edits import Text
from hwlint.confirm.names import bound_inside
from hwlint.confirm.render import offset_of

_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class Level:
    """One block on the way to a place: the node that owns it, its statements, and which of them leads on."""

    owner: ast.AST
    block: list[ast.stmt]
    index: int

    @property
    def statement(self) -> ast.stmt:
        """The statement that leads on, or holds the place itself."""
        return self.block[self.index]


@dataclass(frozen=True, slots=True)
class Place:
    """Where an expression or statement stands: the classes and functions around it and the blocks in between."""

    levels: tuple[Level, ...]
    """Outermost first; the first block is the module's."""

    @property
    def inside(self) -> tuple[Level, ...]:
        """The levels inside the outermost function; empty for code that runs at import."""
        for number, level in enumerate(self.levels):
            if isinstance(level.owner, Function):
                return self.levels[number:]
        return ()

    @property
    def functions(self) -> tuple[Function, ...]:
        """The functions around the place, outermost first."""
        return tuple(level.owner for level in self.levels if isinstance(level.owner, Function))

    @property
    def classes(self) -> tuple[str, ...]:
        """The classes around the outermost function (or the place itself), outermost first."""
        names: list[str] = []
        for level in self.levels:
            if isinstance(level.owner, Function):
                break
            if isinstance(level.owner, ast.ClassDef):
                names.append(level.owner.name)
        return tuple(names)

    @property
    def statement(self) -> ast.stmt:
        """The innermost statement."""
        return self.levels[-1].statement

    @property
    def top(self) -> ast.stmt:
        """The module-level statement."""
        return self.levels[0].statement


def expression_in(tree: ast.Module, text: Text, start: int, end: int, *, like: str = "") -> ast.expr | None:
    """Return the expression at these offsets, or else the best one near.

    That is the one within them that reads `like`, else the first lookup within them, else the smallest one around them.
    """
    within: list[tuple[bool, int, int, ast.expr]] = []
    around: list[tuple[int, int, ast.expr]] = []
    for node in ast.walk(tree):
        if not isinstance(node, ast.expr) or not hasattr(node, "lineno") or node.end_lineno is None:
            continue
        node_start = offset_of(text, node.lineno, node.col_offset)
        node_end = offset_of(text, node.end_lineno, node.end_col_offset or 0)
        if (node_start, node_end) == (start, end):
            return node
        if start <= node_start and node_end <= end and isinstance(node, ast.Subscript | ast.Call | ast.Compare):
            within.append((ast.unparse(node) != like, node_start, -node_end, node))
        elif node_start <= start and end <= node_end:
            around.append((node_end - node_start, node_start, node))
    if within:
        return min(within, key=lambda found: found[:3])[3]
    return min(around, key=lambda found: found[:2])[2] if around else None


def place_of(tree: ast.Module, wanted: ast.AST) -> Place | None:
    """Return the blocks that lead to a node; a node in a decorator or default belongs to the block around the `def`."""
    levels = _search(tree, wanted)
    return Place(tuple(levels)) if levels else None


def _search(owner: ast.AST, wanted: ast.AST) -> list[Level]:
    for block in blocks(owner):
        for index, statement in enumerate(block):
            if not any(node is wanted for node in ast.walk(statement)):
                continue
            return [Level(owner, block, index), *(() if statement is wanted else _search(statement, wanted))]
    return []


def blocks(owner: ast.AST) -> Iterator[list[ast.stmt]]:
    """Yield the statement lists that a node owns directly."""
    for name in ("body", "orelse", "finalbody"):
        block = getattr(owner, name, None)
        if isinstance(block, list) and block and isinstance(block[0], ast.stmt):
            yield block
    for name in ("handlers", "cases"):
        for part in getattr(owner, name, ()):
            yield part.body


def widened(statement: ast.stmt, expression: ast.expr) -> ast.expr:
    """Return the expression, or the comprehension around it whose variables it needs."""
    names = {node.id for node in ast.walk(expression) if isinstance(node, ast.Name)}
    for node in ast.walk(statement):
        around = isinstance(node, _COMPREHENSIONS) and any(part is expression for part in ast.walk(node))
        if around and bound_inside(node) & names:
            assert isinstance(node, ast.expr)
            return node
    return expression
