"""Walk over syntax trees faster than `ast.walk` does, past what holds no node worth a visit."""

from __future__ import annotations

import ast

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

    Of two children the later one comes first, with all below it.
    """
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
