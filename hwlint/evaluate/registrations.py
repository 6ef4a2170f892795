"""Find the places that fill a dict of a module from outside: calls of its registering functions, and other modules."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hwlint.evaluate.changes import changes_in
from hwlint.source.nodes import FunctionNode, last_name, walk

_DEFS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


@dataclass(frozen=True, slots=True)
class Registrar:
    """A top-level function that adds entries to a dict, and the keys of those, as it writes them."""

    node: FunctionNode
    keys: tuple[ast.expr, ...]
    loops: tuple[tuple[str, str], ...]
    """Names that stand in a key for the items of a parameter: (name, parameter)."""


@dataclass(frozen=True, slots=True)
class Site:
    """A place that names a function: the call, or None where it is no plain call that runs once with its module."""

    named: ast.expr
    call: ast.Call | None


def registrars(body: Sequence[ast.stmt], name: str) -> list[Registrar] | None:
    """Return the functions of a module that add entries to the dict `name`.

    None where some change is of another kind: an entry may go, or its key is not made of parameters.
    """
    found: list[Registrar] = []
    for outer in body:
        if not isinstance(outer, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        if not any(changed.removesuffix("[]") == name for changed, _ in changes_in(outer)):
            continue
        made = _registrar(outer, name) if not isinstance(outer, ast.ClassDef) else None
        if made is None:
            return None
        found.append(made)
    return found


def _registrar(outer: FunctionNode, name: str) -> Registrar | None:
    parameters = {part.arg for part in walk(outer.args) if isinstance(part, ast.arg)}
    loops = {
        part.target.id: part.iter.id
        for part in walk(outer)
        if isinstance(part, ast.For)
        and isinstance(part.target, ast.Name)
        and isinstance(part.iter, ast.Name)
        and part.iter.id in parameters
    }
    keys: list[ast.expr] = []
    for part in walk(outer):
        match part:
            case ast.Subscript(ctx=ast.Store(), value=ast.Name(id=held), slice=key) if held == name:
                keys.append(key)
            case ast.Subscript(ctx=ast.Del(), value=ast.Name(id=held)) if held == name:
                return None
            case ast.Call(func=ast.Attribute(value=ast.Name(id=held), attr=method), args=args) if held == name:
                if method == "setdefault" and args:
                    keys.append(args[0])
                elif method not in ("get", "keys", "values", "items"):
                    return None
            case ast.Name(id=held, ctx=ast.Store() | ast.Del()) if held == name:
                return None
            case ast.Name(id=stored, ctx=ast.Store()) if stored in parameters:
                return None  # a parameter that is given something else
            case ast.arg(arg=inner) if inner in parameters and part not in walk(outer.args):
                return None
            case _:
                pass
    made_of = {part.id for key in keys for part in walk(key) if isinstance(part, ast.Name)}
    if not keys or not made_of <= parameters | loops.keys():
        return None
    return Registrar(outer, tuple(keys), tuple((one, of) for one, of in loops.items() if one in made_of))


def given(node: FunctionNode, call: ast.Call) -> dict[str, list[ast.expr]] | None:
    """Return what a call gives each parameter, the items of `*names` one by one; None where it is not written out."""
    if any(isinstance(one, ast.Starred) for one in call.args) or any(one.arg is None for one in call.keywords):
        return None
    names = [part.arg for part in (*node.args.posonlyargs, *node.args.args)]
    found: dict[str, list[ast.expr]] = {}
    for name, default in zip(names[len(names) - len(node.args.defaults) :], node.args.defaults, strict=True):
        found[name] = [default]
    for one, fallback in zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True):
        if fallback is not None:
            found[one.arg] = [fallback]
    found.update((name, [value]) for name, value in zip(names, call.args, strict=False))
    if node.args.vararg is not None:
        found[node.args.vararg.arg] = call.args[len(names) :]
    found.update((keyword.arg, [keyword.value]) for keyword in call.keywords if keyword.arg is not None)
    return found


def sites(body: Sequence[ast.stmt], name: str) -> Iterator[Site]:
    """Yield the places of a module that name a function, as `name` or `module.name`, but for imports."""
    once = dict(_run_once(body))
    for node in body:
        for part in walk(node):
            if (isinstance(part, ast.Name) and part.id == name and isinstance(part.ctx, ast.Load)) or (
                isinstance(part, ast.Attribute) and part.attr == name and isinstance(part.value, ast.Name)
            ):
                yield Site(part, once.get(part))


def _run_once(body: Sequence[ast.stmt]) -> Iterator[tuple[ast.expr, ast.Call]]:
    """The calls that a module makes once when it is run: decorators, and statements that are calls."""
    for node in body:
        calls: list[ast.expr] = []
        if isinstance(node, _DEFS):
            calls = list(node.decorator_list)
        elif isinstance(node, ast.Expr | ast.Assign):
            calls = [node.value]
        for call in calls:
            current: ast.expr = call
            while isinstance(current, ast.Call):
                yield current.func, current
                current = current.func
        if isinstance(node, ast.ClassDef):
            yield from _run_once(node.body)


def may_change(text: str, name: str) -> bool:
    """Tell whether a text looks as if it changed a container of that name."""
    changed = (
        rf"\b{re.escape(name)}\s*(?:\[[^\]\n]*\]\s*(?:[|+]?=(?!=))|\|=|\.(?:update|setdefault|append|add|extend|pop)\()"
    )
    return re.search(changed, text) is not None


def changed_in(body: Sequence[ast.stmt], name: str) -> Iterator[tuple[ast.expr, list[ast.expr] | None, bool]]:
    """Yield what a module that imports a container does to it: the container as written, the keys, whether it is sure.

    The keys are None for a change that does not say them; it is sure where the statement is run once with the module.
    """
    for node in body:
        for part in walk(node):
            keys: list[ast.expr] | None = None
            match part:
                case ast.Subscript(ctx=ast.Store(), value=held, slice=key):
                    keys = [key]
                case ast.AugAssign(target=held, value=more) if isinstance(held, ast.Name | ast.Attribute):
                    keys = _written(more)
                case ast.Call(func=ast.Attribute(value=held, attr="setdefault" | "add" | "append"), args=[key, *_]):
                    keys = [key]
                case ast.Call(func=ast.Attribute(value=held, attr="update" | "extend"), args=[more]):
                    keys = _written(more)
                case ast.Call(func=ast.Attribute(value=held, attr="pop" | "update" | "clear" | "remove")):
                    pass
                case _:
                    continue
            if last_name(held) == name:
                yield held, keys, isinstance(node, ast.Expr | ast.Assign | ast.AugAssign)


def _written(node: ast.expr) -> list[ast.expr] | None:
    match node:
        case ast.Dict(keys=keys) if None not in keys:
            return [key for key in keys if key is not None]
        case ast.List(elts=items) | ast.Tuple(elts=items) | ast.Set(elts=items):
            return items
        case _:
            return None
