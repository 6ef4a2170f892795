"""Read a function in one flat pass where it does nothing to the module around it, which holds for most of them."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from hwlint.graph.expressions import IMPORTERS, LONGEST_NAME, MUTATORS
from hwlint.source.nodes import OWN, FunctionNode, walk


@dataclass(slots=True)
class PlainFunction:
    """What the outline keeps of a function, flows aside."""

    mentions: set[str] = field(default_factory=set)
    set_on_self: set[str] = field(default_factory=set)
    imports: list[ast.Import | ast.ImportFrom] = field(default_factory=list)
    """In the order of the source."""


def plain(function: FunctionNode) -> PlainFunction | None:  # noqa: C901  # one loop: calls would double its time
    """Return what a function mentions, imports and sets on `self`.

    None where it holds what the walk by statements has to sort out: declarations of globals, classes, changes of
    containers that may be the module's, walruses, patterns, imports by text.
    """
    found = PlainFunction()
    mention = found.mentions.add
    local: set[str] = set()
    changed: set[str] = set()
    scopes = 0
    for part in walk(function):
        kind = part.__class__
        if kind in _NAMELESS:
            continue
        if kind is ast.Name:
            mention(part.id)  # type: ignore[attr-defined]  # the class was just compared, here and below
            if part.ctx.__class__ is not ast.Load:  # type: ignore[attr-defined]
                local.add(part.id)  # type: ignore[attr-defined]
        elif kind is ast.Attribute:
            mention("." + part.attr)  # type: ignore[attr-defined]
            holder = part.value  # type: ignore[attr-defined]
            if holder.__class__ is not ast.Name or holder.id not in OWN:
                mention(part.attr)  # type: ignore[attr-defined]
            elif part.ctx.__class__ is not ast.Load:  # type: ignore[attr-defined]
                found.set_on_self.add(part.attr)  # type: ignore[attr-defined]
        elif kind is ast.Constant:
            value = part.value  # type: ignore[attr-defined]
            if value.__class__ is str and len(value) <= LONGEST_NAME and value.isidentifier():
                mention(value)
                mention("." + value)
        elif kind is ast.Call:
            called = part.func  # type: ignore[attr-defined]
            if called.__class__ is ast.Attribute:
                if called.attr in MUTATORS and called.value.__class__ is ast.Name:
                    changed.add(called.value.id)
                elif called.attr in IMPORTERS:
                    return None
            elif called.__class__ is ast.Name and called.id in IMPORTERS:
                return None
        elif kind is ast.Subscript:
            holder = part.value  # type: ignore[attr-defined]
            if holder.__class__ is ast.Attribute and holder.attr == "modules":
                return None
            if part.ctx.__class__ is not ast.Load and holder.__class__ is ast.Name:  # type: ignore[attr-defined]
                changed.add(holder.id)
        elif kind is ast.arg:
            local.add(part.arg)  # type: ignore[attr-defined]
        elif kind is ast.Import or kind is ast.ImportFrom:
            found.imports.append(part)  # type: ignore[arg-type]
        elif kind is ast.FunctionDef or kind is ast.AsyncFunctionDef:
            scopes += 1
        elif kind is ast.AnnAssign:
            if part.value is None:  # type: ignore[attr-defined]
                return None
        elif kind in _SCOPES:
            scopes += 1
        elif kind in _SORTED_OUT:
            return None
    if not changed <= local or (changed and scopes > 1) or "TYPE_CHECKING" in found.mentions:
        return None
    found.imports.sort(key=lambda node: (node.lineno, node.col_offset))
    return found


_SCOPES = frozenset({ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.Lambda})
"""Their own names are not those of the function."""
_SORTED_OUT = frozenset({ast.ClassDef, ast.Global, ast.Match, ast.NamedExpr, ast.Nonlocal})
_NAMELESS = frozenset(
    {
        *(ast.arguments, ast.alias, ast.Assign, ast.AugAssign, ast.BinOp, ast.BoolOp, ast.Compare, ast.Expr, ast.For),
        *(
            ast.If,
            ast.IfExp,
            ast.keyword,
            ast.JoinedStr,
            ast.FormattedValue,
            ast.List,
            ast.Return,
            ast.Slice,
            ast.Tuple,
        ),
        *(ast.UnaryOp, ast.With, ast.withitem, ast.Assert, ast.Raise, ast.Dict, ast.Try, ast.ExceptHandler),
    }
)
"""Nodes of which only the parts say something."""
