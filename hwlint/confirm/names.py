"""Say which names a statement binds, changes and uses."""

from __future__ import annotations

import ast
from collections.abc import Iterator

_CHANGING = frozenset(
    ("update", "setdefault", "append", "extend", "add", "insert", "pop", "clear", "remove", "discard", "appendleft")
)
_Scope = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def in_scope(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes of a statement that run when it runs: not the bodies of functions and classes in it."""
    yield node
    if isinstance(node, _Scope):
        inner: list[ast.AST] = []
        if not isinstance(node, ast.Lambda):
            inner += node.decorator_list
        if isinstance(node, ast.ClassDef):
            inner += [*node.bases, *node.keywords]
        else:
            inner += [*node.args.defaults, *(default for default in node.args.kw_defaults if default)]
        for child in inner:
            yield from in_scope(child)
        return
    for child in ast.iter_child_nodes(node):
        yield from in_scope(child)


def bound(statement: ast.stmt) -> set[str]:
    """Return the names that a statement binds in its own scope; `self.x` counts as the name `self.x`."""
    names: set[str] = set()
    for node in in_scope(statement):
        match node:
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
                names.add(name)
            case ast.Attribute(value=ast.Name(id=owner), attr=attribute, ctx=ast.Store()):
                names.add(f"{owner}.{attribute}")
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                names.add(name)
            case ast.Import(names=aliases) | ast.ImportFrom(names=aliases):
                names.update((alias.asname or alias.name).split(".")[0] for alias in aliases)
            case ast.ExceptHandler(name=str(name)):
                names.add(name)
            case ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)) | ast.MatchMapping(rest=str(name)):
                names.add(name)
    return names - {"*"}


def changed(statement: ast.stmt) -> set[str]:
    """Return the names whose values a statement changes in place: `T[9] = x`, `T.update(...)`, `T.x = y`."""
    names: set[str] = set()
    for node in in_scope(statement):
        match node:
            case ast.Subscript(value=holder, ctx=ast.Store() | ast.Del()):
                names.update(_root(holder))
            case ast.Call(func=ast.Attribute(value=holder, attr=method)) if method in _CHANGING:
                names.update(_root(holder))
            case ast.AugAssign(target=target):
                names.update(_root(target))
    return names


def used(node: ast.AST, *, with_bodies: bool, skip_annotations: bool = False) -> set[str]:
    """Return the dotted names that a node loads, as far as they are dotted: `a.b.c` gives `a.b.c`, not `a`."""
    names: set[str] = set()
    hidden: set[int] = set()
    nodes = ast.walk(node) if with_bodies else in_scope(node)
    for found in nodes:
        if skip_annotations:
            hidden.update(id(part) for note in _annotations(found) for part in ast.walk(note))
        if id(found) in hidden:
            continue
        if isinstance(found, ast.Attribute) and isinstance(found.ctx, ast.Load | ast.Store):
            name = dotted(found)
            if name:
                hidden.update(id(part) for part in ast.walk(found.value))
                names.add(name if isinstance(found.ctx, ast.Load) else name.rpartition(".")[0])
        elif isinstance(found, ast.Name) and isinstance(found.ctx, ast.Load):
            names.add(found.id)
        elif isinstance(found, ast.AugAssign) and (name := dotted(found.target)):
            names.add(name)
    return names


def bound_inside(expression: ast.AST) -> set[str]:
    """Return the names that comprehensions and lambdas inside an expression bind for themselves."""
    names: set[str] = set()
    for node in ast.walk(expression):
        if isinstance(node, _COMPREHENSIONS):
            for generator in node.generators:
                names.update(part.id for part in ast.walk(generator.target) if isinstance(part, ast.Name))
        elif isinstance(node, ast.Lambda):
            names.update(argument.arg for argument in arguments(node.args))
    return names


def arguments(args: ast.arguments) -> list[ast.arg]:
    """Return every parameter of a function in the order of its signature."""
    extra = [argument for argument in (args.vararg, args.kwarg) if argument]
    return [*args.posonlyargs, *args.args, *args.kwonlyargs, *extra]


def dotted(node: ast.AST) -> str:
    """Return `a.b.c` for a chain of attributes on a name, `` for anything else."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join((node.id, *reversed(parts))) if isinstance(node, ast.Name) else ""


def _root(node: ast.AST) -> set[str]:
    """Return the name (or `self.x`) that a chain of subscripts and attributes starts from."""
    while isinstance(node, ast.Subscript | ast.Attribute):
        name = dotted(node)
        if name:
            head = name.split(".")
            return {head[0], ".".join(head[:2])}
        node = node.value
    return {node.id} if isinstance(node, ast.Name) else set()


def _annotations(node: ast.AST) -> list[ast.expr]:
    found: list[ast.expr | None] = []
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        found = [node.returns, *(argument.annotation for argument in arguments(node.args))]
    elif isinstance(node, ast.AnnAssign):
        found = [node.annotation]
    return [annotation for annotation in found if annotation is not None]
