"""Hold one function while it is surveyed: its nodes in order, their statements, what is around them."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass, field

from hwlint.evaluate.code import Code
from hwlint.evaluate.text_kinds import Kinds
from hwlint.model.observation import Place
from hwlint.source.nodes import children

Unit = ast.FunctionDef | ast.AsyncFunctionDef | ast.Module


def nowhere(_: str) -> list[str] | None:
    """No module is known but the one that is surveyed."""
    return None


@dataclass(slots=True)
class Scope:
    """One function, or the statements of a module outside its functions and classes."""

    code: Code
    unit: Unit
    symbol: str
    kinds: Kinds = field(default_factory=Kinds.nothing)
    elsewhere: Callable[[str], list[str] | None] = nowhere
    """The texts of a list that the module imports under a name, in their order; None where that is not known."""
    nodes: list[ast.AST] = field(default_factory=list)
    """Every node, in the order of the source, those of inner functions left out."""
    parents: dict[ast.AST, ast.AST] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Walk the function once."""
        queue: list[ast.AST] = [self.unit]
        while queue:
            node = queue.pop()
            if node is not self.unit:
                self.nodes.append(node)
                if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                    continue
            inner = children(node)
            for child in inner:
                self.parents[child] = node
            queue.extend(reversed(inner))

    def statement(self, node: ast.AST) -> ast.AST:
        """The statement around a node."""
        while not isinstance(node, ast.stmt) and node in self.parents:
            node = self.parents[node]
        return node

    def place(self, node: ast.AST) -> Place:
        """Where a node stands."""
        return Place(self.code.span(node), self.code.span(self.statement(node)), self.symbol)

    def text(self, node: ast.AST) -> str:
        """The source of a node on one line."""
        return " ".join(self.code.segment(node).split())

    def around(self, node: ast.AST) -> list[ast.AST]:
        """The nodes around a node, innermost first."""
        found = []
        while node in self.parents:
            node = self.parents[node]
            found.append(node)
        return found
