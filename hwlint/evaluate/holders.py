"""Tell the names whose objects an expression gives, holds, or may change."""

from __future__ import annotations

import ast
from collections.abc import Iterator

INSIDE = "[]"
"""Ends a name that stands for the containers inside the container of that name."""


def objects_in(node: ast.expr) -> Iterator[str]:
    """Names whose object, or a part of it, an expression may give."""
    match node:
        case ast.Name(id=name):
            yield name
        case ast.IfExp(body=body, orelse=orelse):
            yield from objects_in(body)
            yield from objects_in(orelse)
        case ast.BoolOp(values=parts) | ast.Tuple(elts=parts) | ast.List(elts=parts) | ast.Set(elts=parts):
            for part in parts:
                yield from objects_in(part)
        case ast.Dict(values=parts):
            for part in parts:
                yield from objects_in(part)
        case ast.NamedExpr(value=value) | ast.Starred(value=value) | ast.Await(value=value):
            yield from objects_in(value)
        case ast.Subscript(value=value) | ast.Attribute(value=value):
            yield from root_of(value)
        case ast.BinOp(left=ast.List() | ast.Tuple() as items) | ast.BinOp(right=ast.List() | ast.Tuple() as items):
            yield from objects_in(items)
        case ast.ListComp(elt=item) | ast.SetComp(elt=item) | ast.DictComp(value=item):
            yield from objects_in(item)
        case ast.Call(func=ast.Attribute(value=receiver, attr=method)):
            yield from root_of(receiver)
            yield from arguments_of(node)
            yield f"{method}()"
        case ast.Call(func=ast.Lambda(body=body)):
            yield from objects_in(body)
            yield from arguments_of(node)
        case ast.Call(func=ast.Name(id=function)):
            yield from arguments_of(node)
            yield f"{function}()"
        case ast.Call():
            yield from arguments_of(node)
        case _:
            pass


def arguments_of(call: ast.Call) -> Iterator[str]:
    """Names whose object, or a part of it, a call is given."""
    for argument in (*call.args, *(keyword.value for keyword in call.keywords)):
        yield from objects_in(argument)


def same_object(node: ast.expr) -> Iterator[str]:
    """Names whose very object an expression may be."""
    match node:
        case ast.Name(id=name):
            yield name
        case ast.Attribute(value=ast.Name(id=holder), attr=attribute):
            yield f"{holder}.{attribute}"
        case ast.IfExp(body=body, orelse=orelse):
            yield from same_object(body)
            yield from same_object(orelse)
        case ast.BoolOp(values=parts):
            for part in parts:
                yield from same_object(part)
        case ast.NamedExpr(value=value) | ast.Call(func=ast.Lambda(body=value)):
            yield from same_object(value)
        case _:
            pass


def held_by(node: ast.expr) -> Iterator[str]:
    """The name at the root, and `name.attribute`, or `name[]` for an item of it, where that is what is changed."""
    yield from root_of(node)
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        yield f"{node.value.id}.{node.attr}"
    for container in container_of(node):
        yield f"{container}{INSIDE}"


def container_of(node: ast.expr) -> Iterator[str]:
    """The name, or attribute of one, of the container of which an expression is an item: `name[k]`, `name.get(k)`."""
    deep = False
    while True:
        match node:
            case (
                ast.Subscript(value=inner)
                | ast.Call(func=ast.Attribute(value=inner, attr="get" | "setdefault" | "pop"))
            ):
                deep = True
            case ast.Call(func=ast.Attribute(value=inner, attr="values" | "items")):
                pass
            case _:
                break
        node = inner
    if deep and isinstance(node, ast.Name):
        yield node.id
    elif deep and isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        yield f"{node.value.id}.{node.attr}"


def root_of(node: ast.expr) -> Iterator[str]:
    """The name at the root of `name.attribute[item].method()`."""
    while isinstance(node, (ast.Attribute, ast.Subscript, ast.Call)):
        node = node.func if isinstance(node, ast.Call) else node.value
    if isinstance(node, ast.Name):
        yield node.id
    elif isinstance(node, (ast.IfExp, ast.BoolOp, ast.NamedExpr)):
        yield from objects_in(node)
