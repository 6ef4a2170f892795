"""Outline a file for the matrix: its classes and functions, and what each `if` does with those it picks out."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from hwlint.source.locate import column
from hwlint.source.parse import Parsed


class Side(Enum):
    """What one side of a test does."""

    GOES_ON = "goes on"
    GIVES_UP = "gives up"
    """It returns nothing, False or an empty value, or leaves the loop, and does no more than log."""
    RAISES = "raises"


@dataclass(frozen=True, slots=True)
class Definition:
    """A class or function by its dotted name."""

    symbol: str
    kind: str
    line: int


@dataclass(frozen=True, slots=True)
class Fork:
    """One `if`, `elif` or conditional expression; forks with one `chain` are alternatives to each other."""

    chain: int
    picks: bool
    """True where the test is true for those it picks out (`major == 9`, `>= 9`), False for `< 9`, `!=` and `not`."""
    body: Side
    otherwise: Side
    line: int
    end_line: int


@dataclass(frozen=True, slots=True)
class Skeleton:
    """The definitions of a file by symbol, and its forks by line and column (1-based, code points) of their test."""

    definitions: Mapping[str, Definition]
    forks: Mapping[tuple[int, int], Fork]


def skeleton(parsed: Parsed) -> Skeleton:
    """Outline a parsed file; of two definitions with one name the first counts."""
    walker = _Walker(parsed)
    walker.block(parsed.tree.body, "")
    return Skeleton(walker.definitions, walker.forks)


class _Walker:
    def __init__(self, parsed: Parsed) -> None:
        self.parsed = parsed
        self.definitions: dict[str, Definition] = {}
        self.forks: dict[tuple[int, int], Fork] = {}
        self.chains = 0

    def block(self, body: Sequence[ast.stmt], symbol: str) -> None:
        chain = 0  # that of the `if` right before, where this one may be its alternative
        for statement in body:
            if not isinstance(statement, ast.If):
                chain = 0
                self.statement(statement, symbol)
                continue
            alternative = _is_alternative(statement)
            chain = chain if chain and alternative else self.fresh()
            self.branch(statement, symbol, chain)
            chain = chain if alternative else 0

    def statement(self, statement: ast.stmt, symbol: str) -> None:
        if isinstance(statement, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            name = f"{symbol}.{statement.name}" if symbol else statement.name
            kind = "class" if isinstance(statement, ast.ClassDef) else "function"
            self.definitions.setdefault(name, Definition(name, kind, statement.lineno))
            self.block(statement.body, name)
            return
        for inner in _blocks(statement):
            self.block(inner, symbol)
        for expression in _expressions(statement):
            self.ternaries(expression)

    def branch(self, node: ast.If, symbol: str, chain: int) -> None:
        self.forks[self.place(node.test)] = Fork(
            chain, _picks(node.test), _side(node.body), _side(node.orelse), node.lineno, node.end_lineno or node.lineno
        )
        self.ternaries(node.test)
        self.block(node.body, symbol)
        match node.orelse:
            case [ast.If() as another]:
                self.branch(another, symbol, chain)
            case _:
                self.block(node.orelse, symbol)

    def ternaries(self, expression: ast.expr) -> None:
        """Note the conditional expressions; one in the `else` of another is its alternative."""
        chains: dict[ast.expr, int] = {}
        for node in ast.walk(expression):
            if isinstance(node, ast.IfExp):
                chain = chains.get(node) or self.fresh()
                chains[node.orelse] = chain
                sides = (_value_side(node.body), _value_side(node.orelse))
                self.forks[self.place(node.test)] = Fork(
                    chain, _picks(node.test), *sides, node.lineno, node.end_lineno or node.lineno
                )

    def fresh(self) -> int:
        self.chains += 1
        return self.chains

    def place(self, node: ast.expr) -> tuple[int, int]:
        return node.lineno, column(self.parsed, node.lineno, node.col_offset)


def _is_alternative(node: ast.If) -> bool:
    """True for an `if` without an `else` that does something for those it picks out."""
    return not node.orelse and _picks(node.test) and _side(node.body) is Side.GOES_ON


def _blocks(statement: ast.stmt) -> Iterator[list[ast.stmt]]:
    for name in ("body", "orelse", "finalbody"):
        inner = getattr(statement, name, None)
        if isinstance(inner, list) and inner and isinstance(inner[0], ast.stmt):
            yield inner
    for part in (*getattr(statement, "handlers", ()), *getattr(statement, "cases", ())):
        yield part.body


def _expressions(statement: ast.stmt) -> Iterator[ast.expr]:
    for child in ast.iter_child_nodes(statement):
        if isinstance(child, ast.expr):
            yield child


def _picks(test: ast.expr) -> bool:
    match test:
        case ast.UnaryOp(op=ast.Not()):
            return not _picks(test.operand)
        case ast.BoolOp():
            comparing = [part for part in test.values if isinstance(part, (ast.Compare, ast.UnaryOp))]
            agree = all if isinstance(test.op, ast.Or) else any  # `< 9 or > 10` turns away what lies outside
            return agree(map(_picks, comparing)) if comparing else True
        case ast.Compare(left=ast.Constant(), ops=[ast.Gt() | ast.GtE(), *_]):
            return False
        case ast.Compare(left=ast.Constant(), ops=[ast.Lt() | ast.LtE(), *_]):
            return True
        case ast.Compare(ops=[ast.Lt() | ast.LtE() | ast.NotEq() | ast.NotIn(), *_]):
            return False
        case ast.Compare(ops=[ast.Is()], comparators=[ast.Constant(value=None)]):
            return False
        case _:
            return True


def _side(body: Sequence[ast.stmt]) -> Side:
    if not body:
        return Side.GOES_ON
    match body[-1]:
        case ast.Raise():
            return Side.RAISES
        case ast.Return(value=value) if _is_nothing(value) and all(map(_only_tells, body[:-1])):
            return Side.GIVES_UP
        case ast.Continue() | ast.Break() if all(map(_only_tells, body[:-1])):
            return Side.GIVES_UP
        case _:
            return Side.GOES_ON


def _value_side(value: ast.expr) -> Side:
    return Side.GIVES_UP if _is_nothing(value) else Side.GOES_ON


def _is_nothing(value: ast.expr | None) -> bool:
    match value:
        case None | ast.Constant(value=None | False | "" | 0):
            return True
        case ast.List(elts=[]) | ast.Tuple(elts=[]) | ast.Dict(keys=[]):
            return True
        case ast.Tuple(elts=parts):
            return all(map(_is_nothing, parts))
        case _:
            return False


def _only_tells(statement: ast.stmt) -> bool:
    """True for a call whose result is not used (a log message), an import, and a constant that is kept."""
    match statement:
        case ast.Expr() | ast.Import() | ast.ImportFrom() | ast.Pass():
            return True
        case ast.Assign(value=ast.Constant()) | ast.AnnAssign(value=ast.Constant()):
            return True
        case _:
            return False
