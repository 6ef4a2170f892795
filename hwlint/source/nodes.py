"""Walk over syntax trees faster than `ast.walk` does, past what holds no node worth a visit."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import Any

_NO_NODES = frozenset(
    {
        *("ctx", "op", "ops"),
        *("arg", "asname", "attr", "id", "kwd_attrs", "module", "name", "rest", "tag", "type_comment"),
        *("conversion", "is_async", "kind", "level", "lineno", "simple"),
    }
)
"""Fields that hold contexts, operators, texts and numbers."""
_NO_NODES_IN = {
    ast.Constant: frozenset({"value"}),
    ast.Global: frozenset({"names"}),
    ast.MatchSingleton: frozenset({"value"}),
    ast.Nonlocal: frozenset({"names"}),
}


def walk(node: ast.AST) -> list[ast.AST]:
    """Return a node and all below it, each before those below it; contexts and operators are left out.

    Of two children the later one comes first, with all below it. Functions, which are asked about several times,
    keep theirs, without themselves: a tree that holds no ring is freed as soon as nobody refers to it.
    """
    if node.__class__ in _FUNCTIONS:
        below: list[ast.AST] | None = node.__dict__.get("below")
        if below is None:
            below = node.__dict__["below"] = _walk(node)[1:]
        return [node, *below]
    return _walk(node)


def kept(node: ast.AST) -> dict[Any, Any]:
    """Return what was found out about a node before, to look into and add to; it goes when the node goes.

    Nothing in it may refer to the node itself, or to one around it.
    """
    known: dict[Any, Any] | None = node.__dict__.get("kept")
    if known is None:
        known = node.__dict__["kept"] = {}
    return known


def functions(body: Iterable[ast.stmt]) -> list[FunctionNode]:
    """Return every function that is defined in some statements, at any depth, outer ones first."""
    found: list[FunctionNode] = []
    waiting: list[ast.AST] = list(body)
    waiting.reverse()
    while waiting:
        part = waiting.pop()
        kind = part.__class__
        if kind in _SIMPLE:
            continue
        if kind in _FUNCTIONS:
            found.append(part)  # type: ignore[arg-type]  # the class was just looked up
        inner: list[ast.AST] = []
        for block in ("body", "orelse", "finalbody", "handlers", "cases"):
            inner += getattr(part, block, ())
        inner.reverse()
        waiting += inner
    return found


def _walk(node: ast.AST) -> list[ast.AST]:
    found: list[ast.AST] = []
    waiting: list[ast.AST | None] = [node]
    pop, push, add = waiting.pop, waiting.append, found.append
    while waiting:
        part = pop()
        if part is None:  # a default that is not there, or the key of `**mapping`
            continue
        add(part)
        for name in _fields[part.__class__]:
            value = getattr(part, name, None)
            if value.__class__ is list:
                waiting += value
            elif value is not None:
                push(value)
    return found


def last_name(node: ast.AST) -> str:
    """Return the last part of a name, dotted or not; empty for anything else."""
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def children(node: ast.AST) -> list[ast.AST]:
    """Return the nodes right below one, in the order of `ast.iter_child_nodes`, without contexts and operators."""
    found: list[ast.AST | None] = []
    for name in _fields[node.__class__]:
        value = getattr(node, name, None)
        if value.__class__ is list:
            found += value
        else:
            found.append(value)
    return [part for part in found if part is not None]


class _Fields(dict[type[ast.AST], tuple[str, ...]]):
    """The fields of each kind of node that may hold nodes."""

    def __missing__(self, kind: type[ast.AST]) -> tuple[str, ...]:
        none = _NO_NODES | _NO_NODES_IN.get(kind, frozenset())
        if kind.__name__ == "TypeAlias":  # the only node whose name is a node (Python 3.12)
            none -= {"name"}
        fields = self[kind] = tuple(name for name in kind._fields if name not in none)
        return fields


_fields = _Fields()
OWN = frozenset({"self", "cls"})
"""What a method calls its object and its class: their attributes are never names of a module."""
FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef
_FUNCTIONS = frozenset({ast.FunctionDef, ast.AsyncFunctionDef})
_SIMPLE = frozenset({ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Expr, ast.Import, ast.ImportFrom, ast.Return})
"""Statements without statements inside, as far as they are frequent."""
