"""Tell which top-level statements of a module change the same objects, so that they are run together and in order."""

from __future__ import annotations

import ast
from collections.abc import Container, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from enum import Enum

from hwlint.evaluate.scopes import local_names
from hwlint.evaluate.values import Answer, DictContent, ListContent, Unknown, opened, overlay
from hwlint.graph.bindings import BindingKind, Outline, Unit
from hwlint.source.nodes import FunctionNode, functions, kept, walk

READS = frozenset({
    "get", "keys", "values", "items", "copy", "index", "count", "union", "intersection", "difference",
    "issubset", "issuperset", "isdisjoint", "format", "join", "split", "rsplit", "strip", "lstrip", "rstrip",
    "startswith", "endswith", "replace", "lower", "upper", "title", "isdigit", "partition", "rpartition",
    "removeprefix", "removesuffix", "zfill", "find", "encode", "decode",
})  # fmt: skip
"""Methods that change nothing and give nothing away."""

PURE = frozenset({
    "len", "sorted", "list", "dict", "set", "tuple", "min", "max", "any", "all", "sum", "isinstance",
    "issubclass", "range", "int", "str", "float", "bool", "repr", "print", "zip", "enumerate", "frozenset",
    "abs", "round", "hasattr", "getattr", "type", "callable", "id", "hash", "reversed", "format", "divmod",
    "ord", "chr",
})  # fmt: skip
"""Builtins that neither change nor keep what they are given."""

_OPAQUE = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)


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
        skipped = {name for name, at in bound.items() if all(isinstance(body[index], _OPAQUE[:3]) for index in at)}
        imported = {name for name, at in bound.items() if all(isinstance(body[index], ast.Import) for index in at)}
        for index in sorted({unit.statement for unit in outline.units if not unit.name and _concerns(unit, bound)}):
            if not isinstance(body[index], _OPAQUE):
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
                for name in _whole(part.value)
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


class Change(Enum):
    """What functions may do to a container that the module holds."""

    NOTHING = 0  # only what is inside
    GROWS = 1  # entries are added
    REPLACES = 2  # entries may have other values
    ANYTHING = 3  # entries may go


INSIDE = "[]"
"""Ends a name that stands for the containers inside the container of that name."""

_METHODS = {
    **dict.fromkeys(("append", "add", "extend", "setdefault"), Change.GROWS),
    "update": Change.REPLACES,
    **dict.fromkeys(
        ("clear", "discard", "insert", "pop", "popitem", "remove", "reverse", "sort"),
        Change.ANYTHING,
    ),
}


def changes_in_functions(body: Sequence[ast.stmt]) -> dict[str, Change]:
    """Return for each name, read as the module's, what the functions of a module do to its object at worst.

    `name.attribute` stands for the container that an attribute of the object holds, `name[]` for those inside.
    """
    found: dict[str, Change] = {}
    for function in functions(body):
        own = local_names(function)[0]
        for name, change in changes_in(function):
            if name.endswith(INSIDE) and name.partition(".")[0].removesuffix(INSIDE) in own:
                continue
            if change.value > found.get(name, Change.GROWS).value or name not in found:
                found[name] = change
    found.update(dict.fromkeys(_given_to_be_changed(body), Change.ANYTHING))
    return found


def _given_to_be_changed(body: Sequence[ast.stmt]) -> set[str]:
    """The names whose object some function gives to another that changes what it is given."""
    changing = _changing_what_they_get(body)
    found: set[str] = set()
    for function in functions(body) if changing else ():
        handed = _handed_by(function, changing)
        if handed:
            own = local_names(function)[0]
            found.update(name for name in handed if name.partition(".")[0] not in own)
    return found


def _changing_what_they_get(body: Sequence[ast.stmt]) -> set[str]:
    """The names of functions that change a container that they are given, or hand it to another that does."""
    found: set[str] = set()
    others: list[tuple[FunctionNode, set[str]]] = []
    for function in functions(body):
        given = {part.arg for part in walk(function.args) if isinstance(part, ast.arg)} - {"self", "cls"}
        if not given:
            continue
        if any(name in given for name, _ in changes_in(function)):
            found.add(function.name)
        else:
            others.append((function, given))
    for _ in range(_HANDED_ON):
        more = {function.name for function, given in others if not given.isdisjoint(_handed_by(function, found))}
        if more <= found:
            break
        found |= more
    return found


def _handed_by(function: FunctionNode, to: AbstractSet[str]) -> set[str]:
    """The names whose object a function gives to one of those called `to`."""
    if not to:
        return set()
    given: dict[str, set[str]] | None = kept(function).get("given")
    if given is None:
        given = kept(function)["given"] = {}
        for call in walk(function):
            if isinstance(call, ast.Call):
                held = [name for argument in _arguments(call) for name in _held(argument)]
                given.setdefault(_called_name(call), set()).update(held)
    return set().union(*(given[name] for name in given.keys() & to))


_HANDED_ON = 3
"""How many functions a container may be handed through before one changes it."""


def _called_name(call: ast.Call) -> str:
    function = call.func
    return (
        function.attr if isinstance(function, ast.Attribute) else function.id if isinstance(function, ast.Name) else ""
    )


def _arguments(call: ast.Call) -> Iterator[ast.expr]:
    yield from (argument for argument in call.args if isinstance(argument, (ast.Name, ast.Attribute)))
    yield from (keyword.value for keyword in call.keywords if isinstance(keyword.value, (ast.Name, ast.Attribute)))


def changes_of_class_containers(body: Sequence[ast.stmt], classes: Container[str]) -> dict[str, Change]:
    """Return for each attribute what the statements of a module do, through a name, to the container that it holds.

    A class may hold it, and other names than that one lead to it. What is done through an object is seen in order by
    whoever asks for that object: where the attribute is read of anything else as well, it may hold anything there.
    """
    found: dict[str, Change] = {}
    for node in body:
        for name, change in () if isinstance(node, _OPAQUE) else changes_in(node):
            holder, _, attribute = name.partition(".")
            if holder in classes and attribute:
                found[attribute] = max(change, found.get(attribute, change), key=lambda one: one.value)
            elif attribute and _is_read_elsewhere(body, holder, attribute.removesuffix(INSIDE)):
                found[attribute] = Change.ANYTHING
    return found


def _is_read_elsewhere(body: Sequence[ast.stmt], holder: str, attribute: str) -> bool:
    """True where a module reads an attribute of something else than the name `holder`."""
    return any(
        isinstance(part, ast.Attribute)
        and part.attr == attribute
        and not (isinstance(part.value, ast.Name) and part.value.id == holder)
        for node in body
        for part in walk(node)
    )


def changes_through_aliases(body: Sequence[ast.stmt]) -> dict[str, Change]:
    """Return for each name of a module what functions do to its object at worst under a local name.

    What the bodies of classes and lambdas do counts as well: they are not run with the statements around them.
    """
    found = {name: Change.ANYTHING for name in _given_to_be_changed(body) if "." not in name}
    for outer in _besides(body):
        for name, change in changes_in(outer):
            if "." not in name and not name.endswith(INSIDE) and change.value > found.get(name, Change.GROWS).value - 1:
                found[name] = change
    for function in functions(body):
        taken, aliases = list(_methods_taken(function)), _aliases(function)
        changes = [(name, change) for name, change in changes_in(function) if name in aliases]
        if not taken and not changes:
            continue
        own = local_names(function)[0]
        for name in taken:
            if name not in own:
                found[name] = Change.ANYTHING
        for name, change in changes:
            for other in aliases[name]:
                if "." not in other and other not in own and change.value > found.get(other, Change.GROWS).value - 1:
                    found[other] = change
    return found


def _aliases(function: ast.AST) -> dict[str, set[str]]:
    """Names of a function that stand for the very object of another name."""
    found: dict[str, set[str]] = {}
    for part in walk(function):
        if isinstance(part, (ast.Assign, ast.AnnAssign, ast.NamedExpr)) and part.value is not None:
            targets = part.targets if isinstance(part, ast.Assign) else [part.target]
            same = set(_same(part.value))
            for target in targets if same else ():
                if isinstance(target, ast.Name):
                    found.setdefault(target.id, set()).update(same)
    return found


def _same(node: ast.expr) -> Iterator[str]:
    """Names whose very object an expression may be."""
    match node:
        case ast.Name(id=name):
            yield name
        case ast.Attribute(value=ast.Name(id=holder), attr=attribute):
            yield f"{holder}.{attribute}"
        case ast.IfExp(body=body, orelse=orelse):
            yield from _same(body)
            yield from _same(orelse)
        case ast.BoolOp(values=parts):
            for part in parts:
                yield from _same(part)
        case ast.NamedExpr(value=value) | ast.Call(func=ast.Lambda(body=value)):
            yield from _same(value)
        case _:
            pass


def handled_in_functions(body: Sequence[ast.stmt]) -> frozenset[str]:
    """The names with whose objects functions, lambdas and the bodies of classes do more than read attributes."""
    whole: set[str] = set()
    for outer in (*functions(body), *_besides(body)):
        found: set[str] = set()
        read: set[ast.AST] = set()
        for part in walk(outer):
            match part:
                case ast.Call(func=ast.Attribute(value=holder, attr=method)) if method not in READS:
                    found.update(_holder(holder))
                case ast.Attribute(ctx=ast.Store() | ast.Del(), value=holder):
                    found.update(_holder(holder))
                case ast.Attribute(value=ast.Name() as holder):
                    read.add(holder)
                case ast.Name(id=name, ctx=ast.Load()) if part not in read:
                    found.add(name)
                case _:
                    pass
        if isinstance(outer, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            found -= local_names(outer)[0]
        whole |= found
    return frozenset(whole)


def attributes_set_in_functions(body: Sequence[ast.stmt]) -> frozenset[str]:
    """The attributes that functions set on objects other than the one whose method they are."""
    found: set[str] = set()
    for function in functions(body):
        for part in walk(function):
            if isinstance(part, ast.Attribute) and not isinstance(part.ctx, ast.Load):
                holder = part.value
                if not (isinstance(holder, ast.Name) and holder.id in _RECEIVERS):
                    found.add(part.attr)
    return frozenset(found)


_RECEIVERS = frozenset({"self", "cls"})


def _besides(body: Sequence[ast.stmt]) -> Iterator[ast.stmt | ast.Lambda]:
    """What a module runs besides its statements and functions: the bodies of classes, and lambdas."""
    yield from _in_classes(body)
    for node in body:
        if not isinstance(node, _OPAQUE):
            yield from (part for part in walk(node) if isinstance(part, ast.Lambda))


def _methods_taken(function: ast.AST) -> Iterator[str]:
    """Names of whose object a method that changes it is taken without being called."""
    called = {part.func for part in walk(function) if isinstance(part, ast.Call)}
    for part in walk(function):
        if isinstance(part, ast.Attribute) and part.attr in _METHODS and part not in called:
            yield from _holder(part.value)


def _in_classes(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements that the bodies of a module's classes run themselves."""
    for node in body:
        inner = node.body if isinstance(node, ast.ClassDef) else ()
        yield from (statement for statement in inner if not isinstance(statement, _OPAQUE))
        yield from _in_classes([statement for statement in inner if isinstance(statement, ast.ClassDef)])


def changes_in(function: ast.AST) -> tuple[tuple[str, Change], ...]:
    """Changes of names in one function; a local name that stands for another counts for that one too."""
    known: tuple[tuple[str, Change], ...] | None = function.__dict__.get("changes")
    if known is None:
        known = function.__dict__["changes"] = tuple(_changes_in(function))
    return known


def _changes_in(function: ast.AST) -> Iterator[tuple[str, Change]]:
    aliases: dict[str, set[str]] = {}
    parts: dict[str, set[str]] = {}
    changes: list[tuple[str, Change]] = []
    for part in (one for one in walk(function) if one.__class__ in _CHANGING):
        match part:
            case ast.Subscript(ctx=ast.Del(), value=holder):
                changes.extend((name, Change.ANYTHING) for name in _held(holder))
            case ast.Subscript(ctx=ast.Store(), value=holder):
                changes.extend((name, Change.REPLACES) for name in _held(holder))
            case ast.AugAssign(target=ast.Name(id=name)):
                changes.append((name, Change.REPLACES))
            case ast.AugAssign(target=ast.Attribute() as holder):
                changes.extend((name, Change.REPLACES) for name in _held(holder))
            case ast.Call(func=ast.Attribute(value=holder, attr=method)) if method in _METHODS:
                changes.extend((name, _METHODS[method]) for name in _held(holder))
            case ast.Assign(targets=targets, value=value):
                for target in targets:
                    if isinstance(target, ast.Name):
                        aliases.setdefault(target.id, set()).update(_whole(value))
                        parts.setdefault(target.id, set()).update(_container(value))
            case ast.For(target=target, iter=source):
                for inner in walk(target):
                    if isinstance(inner, ast.Name):
                        parts.setdefault(inner.id, set()).update(_container(ast.Subscript(source, ast.Constant(0))))
            case _:
                pass
    same = _aliases(function) if changes else {}
    for name, change in changes:
        yield name, change
        for other in (*aliases.get(name, ()), *(held for held in same.get(name, ()) if "." in held)):
            yield other, change
        for other in parts.get(name.removesuffix(INSIDE), ()):
            yield f"{other}{INSIDE}", change


_CHANGING = frozenset({ast.Subscript, ast.AugAssign, ast.Call, ast.Assign, ast.For})
"""The only nodes that may change a container, or give one another name."""


def _touched(node: ast.stmt) -> Iterator[str]:
    """Names whose object a statement may change, or hand to something that may change or keep it."""
    for part in walk(node):
        match part:
            case ast.Subscript(ctx=ast.Store() | ast.Del()) | ast.Attribute(ctx=ast.Store() | ast.Del()):
                yield from _holder(part.value)
            case ast.AugAssign(target=ast.Name(id=name)):
                yield name
            case ast.Call(func=ast.Attribute(value=receiver, attr=method)):
                if method not in READS:
                    yield from _holder(receiver)
                    yield from _given(part)
            case ast.Call(func=ast.Name(id=name)) if name in PURE:
                pass
            case ast.Call():
                yield from _given(part)
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
    return not isinstance(part.ctx, ast.Load) or part.attr in _METHODS


def _read_through(node: ast.stmt, properties: AbstractSet[str]) -> Iterator[str]:
    """Names of whose object a statement reads one of the properties."""
    for part in walk(node):
        if isinstance(part, ast.Attribute) and part.attr in properties:
            yield from _holder(part.value)


def _called(node: ast.stmt) -> Iterator[str]:
    return (part.func.id for part in walk(node) if isinstance(part, ast.Call) and isinstance(part.func, ast.Name))


def _given(call: ast.Call) -> Iterator[str]:
    for argument in (*call.args, *(keyword.value for keyword in call.keywords)):
        yield from _whole(argument)


def _sources(node: ast.stmt) -> Iterator[str]:
    """Names whose object, or a part of it, gets another name in a statement."""
    for part in walk(node):
        match part:
            case ast.Assign(targets=[_, _, *_] as targets, value=value):
                yield from (target.id for target in targets if isinstance(target, ast.Name))
                yield from _whole(value)
            case ast.Assign(value=value) | ast.NamedExpr(value=value):
                yield from _whole(value)
            case ast.AnnAssign(value=value) if value is not None:
                yield from _whole(value)
            case ast.For(iter=source):
                yield from _whole(source)
            case _:
                pass


def _whole(node: ast.expr) -> Iterator[str]:
    """Names whose object, or a part of it, an expression may give."""
    match node:
        case ast.Name(id=name):
            yield name
        case ast.IfExp(body=body, orelse=orelse):
            yield from _whole(body)
            yield from _whole(orelse)
        case ast.BoolOp(values=parts) | ast.Tuple(elts=parts) | ast.List(elts=parts) | ast.Set(elts=parts):
            for part in parts:
                yield from _whole(part)
        case ast.Dict(values=parts):
            for part in parts:
                yield from _whole(part)
        case ast.NamedExpr(value=value) | ast.Starred(value=value) | ast.Await(value=value):
            yield from _whole(value)
        case ast.Subscript(value=value) | ast.Attribute(value=value):
            yield from _holder(value)
        case ast.BinOp(left=ast.List() | ast.Tuple() as items) | ast.BinOp(right=ast.List() | ast.Tuple() as items):
            yield from _whole(items)
        case ast.ListComp(elt=item) | ast.SetComp(elt=item) | ast.DictComp(value=item):
            yield from _whole(item)
        case ast.Call(func=ast.Attribute(value=receiver, attr=method)):
            yield from _holder(receiver)
            yield from _given(node)
            yield f"{method}()"
        case ast.Call(func=ast.Lambda(body=body)):
            yield from _whole(body)
            yield from _given(node)
        case ast.Call(func=ast.Name(id=function)):
            yield from _given(node)
            yield f"{function}()"
        case ast.Call():
            yield from _given(node)
        case _:
            pass


def _held(node: ast.expr) -> Iterator[str]:
    """The name at the root, and `name.attribute`, or `name[]` for an item of it, where that is what is changed."""
    yield from _holder(node)
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        yield f"{node.value.id}.{node.attr}"
    for container in _container(node):
        yield f"{container}{INSIDE}"


def _container(node: ast.expr) -> Iterator[str]:
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


def _holder(node: ast.expr) -> Iterator[str]:
    """The name at the root of `name.attribute[item].method()`."""
    while isinstance(node, (ast.Attribute, ast.Subscript, ast.Call)):
        node = node.func if isinstance(node, ast.Call) else node.value
    if isinstance(node, ast.Name):
        yield node.id
    elif isinstance(node, (ast.IfExp, ast.BoolOp, ast.NamedExpr)):
        yield from _whole(node)


def after(content: Answer, reason: Unknown, change: Change) -> Answer:
    """The content of a container once functions may have changed it."""
    if change is Change.ANYTHING:
        return reason
    if change is Change.REPLACES:
        if isinstance(content, DictContent):
            return overlay(content, DictContent({}, reason))
        if isinstance(content, ListContent):
            return reason
    return opened(content, reason)
