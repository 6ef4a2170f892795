"""Find names that a branch sets and a later statement sets again before anybody can read them."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hwlint.source.nodes import walk

Block = Sequence[ast.stmt]
Ways = tuple[Block | None, ...]
"""The blocks that run after a statement, innermost first; None where the order is not the source's any more."""
FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True, eq=False)
class DeadStore:
    """An assignment inside a branch, the names it sets in vain, and the statement that sets them again."""

    assignment: ast.stmt
    names: tuple[str, ...]
    again: ast.stmt
    truth: bool
    """Whether it stands under the test being true."""


def ways_on(function: FunctionNode) -> dict[ast.If, Ways]:
    """Return for every `if` of a function, heads of chains only, the blocks that run after it."""
    return dict(_ifs(function.body, ()))


def dead_stores(function: FunctionNode, node: ast.If, following: Ways) -> tuple[DeadStore, ...]:
    """Return the dead stores of one `if`; only what holds on all paths through the source counts.

    A name that a function inside reads, or that is global, is left alone; so is everything inside a loop whose next
    round could read it, and everything inside a `try` whose handlers could.
    """
    found = tuple(_stores(node, following))
    shared = _shared_names(function) if found else frozenset()
    return tuple(store for store in found if not shared.intersection(store.names))


def _shared_names(function: FunctionNode) -> frozenset[str]:
    """Names that may be read out of order: by functions inside, by handlers, and declared ones by anybody."""
    names: set[str] = set()
    for part in walk(function):
        if part is not function and isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
            names.update(inner.id for inner in walk(part) if isinstance(inner, ast.Name))
        elif isinstance(part, (ast.Global, ast.Nonlocal)):
            names.update(part.names)
        elif isinstance(part, ast.Try):
            late = (*part.handlers, *part.finalbody)
            names.update(inner.id for block in late for inner in walk(block) if isinstance(inner, ast.Name))
        elif isinstance(part, ast.Call) and isinstance(part.func, ast.Name) and part.func.id in ("locals", "vars"):
            names.update(inner.id for inner in walk(function) if isinstance(inner, ast.Name))
    return frozenset(names)


def _ifs(body: Block, outer: Ways) -> Iterator[tuple[ast.If, Ways]]:
    """Yield each `if` that heads a chain with the blocks that run after it."""
    for index, statement in enumerate(body):
        after = (body[index + 1 :], *outer)
        match statement:
            case ast.If():
                yield statement, after
                for block in _arms(statement):
                    yield from _ifs(block, after)
            case ast.With() | ast.AsyncWith():
                yield from _ifs(statement.body, after)
            case ast.For() | ast.AsyncFor() | ast.While():
                yield from _ifs(statement.body, (None,))
                yield from _ifs(statement.orelse, after)
            case ast.Try():
                yield from _ifs(statement.body, (None,))
                for handler in statement.handlers:
                    yield from _ifs(handler.body, (None,))
            case ast.Match():
                for case in statement.cases:
                    yield from _ifs(case.body, after)
            case _:
                pass


def _arms(node: ast.If) -> Iterator[Block]:
    """The bodies of a chain, the final `else` included."""
    yield node.body
    if len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If):
        yield from _arms(node.orelse[0])
    elif node.orelse:
        yield node.orelse


def _stores(node: ast.If, following: Ways) -> Iterator[DeadStore]:
    """The dead stores in the arms of a chain."""
    for arm in _arms(node):
        for store in _last_stores(arm):
            names = _targets(store)
            again = _set_again(names[0], following)
            if again is not None and all(_set_again(name, following) is not None for name in names[1:]):
                yield DeadStore(store, names, again, arm is node.body)


def _last_stores(block: Block) -> Iterator[ast.stmt]:
    """Assignments of a block that are in force when it ends: nothing after them in the block mentions their names."""
    if block and _leaves(block[-1]):
        return
    for index, statement in enumerate(block):
        later = block[index + 1 :]
        if isinstance(statement, ast.If):
            inner = [store for arm in _arms(statement) for store in _last_stores(arm)]
        else:
            inner = [statement] if _targets(statement) else []
        for store in inner:
            if not any(_mentions(name, after) for name in _targets(store) for after in later):
                yield store


def _targets(statement: ast.stmt) -> tuple[str, ...]:
    """The names that a plain assignment sets; empty where it sets anything else besides."""
    if isinstance(statement, ast.Assign):
        targets: list[ast.expr] = list(statement.targets)
    elif isinstance(statement, ast.AnnAssign) and statement.value is not None:
        targets = [statement.target]
    else:
        return ()
    names: list[str] = []
    while targets:
        target = targets.pop(0)
        if isinstance(target, (ast.Tuple, ast.List)):
            targets = [*target.elts, *targets]
        elif isinstance(target, ast.Name):
            names.append(target.id)
        else:
            return ()
    return tuple(names)


def _set_again(name: str, following: Ways) -> ast.stmt | None:
    """The statement that sets `name` on every path before anything reads it, or None."""
    for block in following:
        if block is None:
            return None
        for statement in block:
            if not _mentions(name, statement):
                if _leaves(statement) or _may_leave(statement):
                    return None
                continue
            return statement if _overwrites(name, statement) else None
    return None


def _overwrites(name: str, statement: ast.stmt) -> bool:
    """True where every path through a statement sets `name` without reading it, or leaves the function."""
    match statement:
        case ast.If():
            if _mentions(name, statement.test) or not statement.orelse:
                return False
            return _block_overwrites(name, statement.body) and _block_overwrites(name, statement.orelse)
        case ast.Assign() | ast.AnnAssign():
            value = statement.value
            return name in _targets(statement) and value is not None and not _mentions(name, value)
        case _:
            return False


def _block_overwrites(name: str, block: Block) -> bool:
    for statement in block:
        if _mentions(name, statement):
            return _overwrites(name, statement)
        if isinstance(statement, (ast.Return, ast.Raise)):
            return True
        if isinstance(statement, (ast.Break, ast.Continue)) or _may_leave(statement):
            return False
    return False


def _leaves(statement: ast.stmt) -> bool:
    return isinstance(statement, (ast.Return, ast.Raise, ast.Break, ast.Continue))


def _may_leave(statement: ast.stmt) -> bool:
    """True where a loop is left or gone on with somewhere inside: the order of what follows is not the source's."""
    return any(isinstance(part, (ast.Break, ast.Continue)) for part in walk(statement)) and not isinstance(
        statement, (ast.For, ast.AsyncFor, ast.While)
    )


def _mentions(name: str, node: ast.AST) -> bool:
    return any(isinstance(part, ast.Name) and part.id == name for part in walk(node))
