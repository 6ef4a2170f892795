"""Tell which top-level statements of a module change the same objects, so that they are run together and in order."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from hwlint.evaluate.changes import METHODS, OPAQUE, READS
from hwlint.evaluate.holders import arguments_of, objects_in, root_of
from hwlint.graph.bindings import BindingKind, Outline, Unit
from hwlint.source.nodes import FunctionNode, functions, walk

PURE = frozenset({
    "len", "sorted", "list", "dict", "set", "tuple", "min", "max", "any", "all", "sum", "isinstance",
    "issubclass", "range", "int", "str", "float", "bool", "repr", "print", "zip", "enumerate", "frozenset",
    "abs", "round", "hasattr", "getattr", "type", "callable", "id", "hash", "reversed", "format", "divmod",
    "ord", "chr",
})  # fmt: skip
"""Builtins that neither change nor keep what they are given."""


@dataclass(frozen=True, slots=True)
class Group:
    """Names whose objects are tied together, and the statements that bind or change them, in order."""

    names: frozenset[str]
    statements: tuple[int, ...]


class Effects:
    """What the top-level statements of one module do to the objects behind its names."""

    def __init__(self, body: Sequence[ast.stmt], outline: Outline) -> None:
        """Look only at statements that mention names which others bind."""
        bound = {
            name: tuple(binding.statement for binding in found if not binding.in_function)
            for name, found in outline.bindings.items()
        }
        self._bound = bound
        self._body = body
        self._values = {
            name for name, found in outline.bindings.items() if any(one.kind is BindingKind.VALUE for one in found)
        }
        """Names that assignments bind: what is called by such a name may be a method, or keep something."""
        self._lazy = frozenset(_lazy_properties(body))
        self._functions: dict[str, list[FunctionNode]] | None = None
        self._returns: dict[str, set[str]] = {}
        self._parent: dict[str, str] = {}
        self._tied: dict[str, set[int]] = {}
        skipped = {name for name, at in bound.items() if all(isinstance(body[index], OPAQUE[:3]) for index in at)}
        imported = {name for name, at in bound.items() if all(isinstance(body[index], ast.Import) for index in at)}
        for index in sorted({unit.statement for unit in outline.units if not unit.name and _concerns(unit, bound)}):
            if not isinstance(body[index], OPAQUE):
                self._statement(index, body[index], bound, skipped | imported)
        self._spread(bound)
        self._groups: dict[str, Group] = {}
        for root in {self._root(name) for name in self._tied}:
            names = frozenset(name for name in self._tied if self._root(name) == root)
            indices = {index for name in names for index in (*self._tied[name], *bound.get(name, ()))}
            group = Group(names, tuple(sorted(indices)))
            self._groups.update(dict.fromkeys(names, group))

    def _spread(self, bound: Mapping[str, tuple[int, ...]]) -> None:
        """Tie the names that one statement binds, where one of them is tied: running it sets them all."""
        beside: dict[int, list[str]] = {}
        for name, at in bound.items():
            for index in at:
                beside.setdefault(index, []).append(name)
        waiting = list(self._tied)
        while waiting:
            name = waiting.pop()
            for index in bound.get(name, ()):
                for other in beside[index]:
                    if other not in self._tied:
                        self._tied[other] = set()
                        waiting.append(other)
                    self._join(name, other)

    def group(self, name: str) -> Group | None:
        """The group of a name; None where no other statement than those that bind the name can change its object."""
        return self._groups.get(name)

    def _statement(self, index: int, node: ast.stmt, bound: Mapping[str, tuple[int, ...]], skipped: set[str]) -> None:
        touched = {name for name in self._named(_touched(node)) if name in bound and name not in skipped}
        touched |= {name for name in _called(node) if name in self._values}
        if self._lazy:
            touched |= {name for name in _read_through(node, self._lazy) if name in bound and name not in skipped}
        sources = {name for name in self._named(_sources(node)) if name in bound and name not in skipped}
        if not touched and not sources:
            return
        names = touched | sources | {name for name, at in bound.items() if index in at and name not in skipped}
        first = next(iter(names))
        for name in names:
            self._tied.setdefault(name, set()).add(index)
            self._join(first, name)

    def _named(self, names: Iterator[str]) -> Iterator[str]:
        """The names, and for each call those whose object the functions of that name may return."""
        for name in names:
            if name.endswith("()"):
                yield from self._returned(name[:-2])
            else:
                yield name

    def _returned(self, function: str) -> set[str]:
        if self._functions is None:
            self._functions = {}
            for node in functions(self._body):
                self._functions.setdefault(node.name, []).append(node)
        known = self._returns.get(function)
        if known is None:
            known = self._returns[function] = {
                name
                for node in self._functions.get(function, ())
                for part in walk(node)
                if isinstance(part, ast.Return) and part.value is not None
                for name in objects_in(part.value)
                if not name.endswith("()")
            }
        return known

    def _root(self, name: str) -> str:
        while self._parent.get(name, name) != name:
            name = self._parent[name]
        return name

    def _join(self, one: str, other: str) -> None:
        left, right = self._root(one), self._root(other)
        self._parent.setdefault(left, left)
        self._parent[right] = left


def _concerns(unit: Unit, bound: Mapping[str, tuple[int, ...]]) -> bool:
    return any(any(at != unit.statement for at in bound[name]) for name in unit.mentions if name in bound)


def _touched(node: ast.stmt) -> Iterator[str]:
    """Names whose object a statement may change, or hand to something that may change or keep it."""
    for part in walk(node):
        match part:
            case ast.Subscript(ctx=ast.Store() | ast.Del()) | ast.Attribute(ctx=ast.Store() | ast.Del()):
                yield from root_of(part.value)
            case ast.AugAssign(target=ast.Name(id=name)):
                yield name
            case ast.Call(func=ast.Attribute(value=receiver, attr=method)):
                if method not in READS:
                    yield from root_of(receiver)
                    yield from arguments_of(part)
            case ast.Call(func=ast.Name(id=name)) if name in PURE:
                pass
            case ast.Call():
                yield from arguments_of(part)
            case _:
                pass


def _lazy_properties(body: Sequence[ast.stmt]) -> Iterator[str]:
    """The properties of a module's classes that change their object when they are read."""
    for node in body:
        if node.__class__ is not ast.ClassDef:
            continue
        assert isinstance(node, ast.ClassDef)
        for inner in node.body:
            if inner.__class__ is ast.FunctionDef and inner.decorator_list and _is_lazy_property(inner):
                yield inner.name
            elif inner.__class__ is ast.ClassDef:
                yield from _lazy_properties([inner])


def _is_lazy_property(node: ast.FunctionDef) -> bool:
    return any(map(_is_property, node.decorator_list)) and any(
        isinstance(part, ast.Attribute) and _is_changed(part) for part in walk(node)
    )


def _is_property(decorator: ast.expr) -> bool:
    name = decorator.attr if isinstance(decorator, ast.Attribute) else getattr(decorator, "id", "")
    return name in ("property", "cached_property")


def _is_changed(part: ast.Attribute) -> bool:
    """True where an attribute is set, or is a method that changes a container."""
    return not isinstance(part.ctx, ast.Load) or part.attr in METHODS


def _read_through(node: ast.stmt, properties: AbstractSet[str]) -> Iterator[str]:
    """Names of whose object a statement reads one of the properties."""
    for part in walk(node):
        if isinstance(part, ast.Attribute) and part.attr in properties:
            yield from root_of(part.value)


def _called(node: ast.stmt) -> Iterator[str]:
    return (part.func.id for part in walk(node) if isinstance(part, ast.Call) and isinstance(part.func, ast.Name))


def _sources(node: ast.stmt) -> Iterator[str]:
    """Names whose object, or a part of it, gets another name in a statement."""
    for part in walk(node):
        match part:
            case ast.Assign(targets=[_, _, *_] as targets, value=value):
                yield from (target.id for target in targets if isinstance(target, ast.Name))
                yield from objects_in(value)
            case ast.Assign(value=value) | ast.NamedExpr(value=value):
                yield from objects_in(value)
            case ast.AnnAssign(value=value) if value is not None:
                yield from objects_in(value)
            case ast.For(iter=source):
                yield from objects_in(source)
            case _:
                pass
