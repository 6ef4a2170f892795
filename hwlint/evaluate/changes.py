"""Tell what functions, and other code that runs later, may do to the containers that a module holds."""

from __future__ import annotations

import ast
from collections.abc import Container, Iterator, Sequence
from collections.abc import Set as AbstractSet
from enum import Enum

from hwlint.evaluate.answers import Answer, DictContent, ListContent, Unknown
from hwlint.evaluate.holders import INSIDE, container_of, held_by, objects_in, root_of, same_object
from hwlint.evaluate.scopes import local_names
from hwlint.evaluate.values import opened, overlay
from hwlint.source.nodes import FunctionNode, functions, kept, last_name, walk


class Change(Enum):
    """What functions may do to a container that the module holds."""

    NOTHING = 0  # only what is inside
    GROWS = 1  # entries are added
    REPLACES = 2  # entries may have other values
    ANYTHING = 3  # entries may go


READS = frozenset({
    "get", "keys", "values", "items", "copy", "index", "count", "union", "intersection", "difference",
    "issubset", "issuperset", "isdisjoint", "format", "join", "split", "rsplit", "strip", "lstrip", "rstrip",
    "startswith", "endswith", "replace", "lower", "upper", "title", "isdigit", "partition", "rpartition",
    "removeprefix", "removesuffix", "zfill", "find", "encode", "decode",
})  # fmt: skip
"""Methods that change nothing and give nothing away."""

METHODS = {
    **dict.fromkeys(("append", "add", "extend", "setdefault"), Change.GROWS),
    "update": Change.REPLACES,
    **dict.fromkeys(
        ("clear", "discard", "insert", "pop", "popitem", "remove", "reverse", "sort"),
        Change.ANYTHING,
    ),
}
"""What methods do to the container that they are called on."""


OPAQUE = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)
"""Statements that change nothing themselves."""


_CHANGING = frozenset({ast.Subscript, ast.AugAssign, ast.Call, ast.Assign, ast.For})
"""The only nodes that may change a container, or give one another name."""


_HANDED_ON = 3
"""How many functions a container may be handed through before one changes it."""


_RECEIVERS = frozenset({"self", "cls"})


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
                changes.extend((name, Change.ANYTHING) for name in held_by(holder))
            case ast.Subscript(ctx=ast.Store(), value=holder):
                changes.extend((name, Change.REPLACES) for name in held_by(holder))
            case ast.AugAssign(target=ast.Name(id=name)):
                changes.append((name, Change.REPLACES))
            case ast.AugAssign(target=ast.Attribute() as holder):
                changes.extend((name, Change.REPLACES) for name in held_by(holder))
            case ast.Call(func=ast.Attribute(value=holder, attr=method)) if method in METHODS:
                changes.extend((name, METHODS[method]) for name in held_by(holder))
            case ast.Assign(targets=targets, value=value):
                for target in targets:
                    if isinstance(target, ast.Name):
                        aliases.setdefault(target.id, set()).update(objects_in(value))
                        parts.setdefault(target.id, set()).update(container_of(value))
            case ast.For(target=target, iter=source):
                for inner in walk(target):
                    if isinstance(inner, ast.Name):
                        parts.setdefault(inner.id, set()).update(container_of(ast.Subscript(source, ast.Constant(0))))
            case _:
                pass
    same = _aliases(function) if changes else {}
    for name, change in changes:
        yield name, change
        for other in (*aliases.get(name, ()), *(held for held in same.get(name, ()) if "." in held)):
            yield other, change
        for other in parts.get(name.removesuffix(INSIDE), ()):
            yield f"{other}{INSIDE}", change


def changes_in_functions(body: Sequence[ast.stmt], handed: AbstractSet[str]) -> dict[str, Change]:
    """Return for each name, read as the module's, what the functions of a module do to its object at worst.

    `handed` are those of `given_to_be_changed`. `name.attribute` stands for the container that an attribute of the
    object holds, `name[]` for those inside.
    """
    found: dict[str, Change] = {}
    for function in functions(body):
        own = local_names(function)[0]
        for name, change in changes_in(function):
            if name.endswith(INSIDE) and name.partition(".")[0].removesuffix(INSIDE) in own:
                continue
            if change.value > found.get(name, Change.GROWS).value or name not in found:
                found[name] = change
    found.update(dict.fromkeys(handed, Change.ANYTHING))
    return found


def changes_through_aliases(body: Sequence[ast.stmt], handed: AbstractSet[str]) -> dict[str, Change]:
    """Return for each name of a module what functions do to its object at worst under a local name.

    `handed` are those of `given_to_be_changed`.
    What the bodies of classes and lambdas do counts as well: they are not run with the statements around them.
    """
    found = {name: Change.ANYTHING for name in handed if "." not in name}
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


def changes_of_class_containers(body: Sequence[ast.stmt], classes: Container[str]) -> dict[str, Change]:
    """Return for each attribute what the statements of a module do, through a name, to the container that it holds.

    A class may hold it, and other names than that one lead to it. What is done through an object is seen in order by
    whoever asks for that object: where the attribute is read of anything else as well, it may hold anything there.
    """
    found: dict[str, Change] = {}
    for node in body:
        for name, change in () if isinstance(node, OPAQUE) else changes_in(node):
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


def given_to_be_changed(body: Sequence[ast.stmt]) -> set[str]:
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
                held = [name for argument in _arguments(call) for name in held_by(argument)]
                given.setdefault(last_name(call.func), set()).update(held)
    return set().union(*(given[name] for name in given.keys() & to))


def _arguments(call: ast.Call) -> Iterator[ast.expr]:
    yield from (argument for argument in call.args if isinstance(argument, (ast.Name, ast.Attribute)))
    yield from (keyword.value for keyword in call.keywords if isinstance(keyword.value, (ast.Name, ast.Attribute)))


def _aliases(function: ast.AST) -> dict[str, set[str]]:
    """Names of a function that stand for the very object of another name."""
    found: dict[str, set[str]] = {}
    for part in walk(function):
        if isinstance(part, (ast.Assign, ast.AnnAssign, ast.NamedExpr)) and part.value is not None:
            targets = part.targets if isinstance(part, ast.Assign) else [part.target]
            same = set(same_object(part.value))
            for target in targets if same else ():
                if isinstance(target, ast.Name):
                    found.setdefault(target.id, set()).update(same)
    return found


def handled_in_functions(body: Sequence[ast.stmt]) -> frozenset[str]:
    """The names with whose objects functions, lambdas and the bodies of classes do more than read attributes."""
    whole: set[str] = set()
    for outer in (*functions(body), *_besides(body)):
        found: set[str] = set()
        read: set[ast.AST] = set()
        for part in walk(outer):
            match part:
                case ast.Call(func=ast.Attribute(value=holder, attr=method)) if method not in READS:
                    found.update(root_of(holder))
                case ast.Attribute(ctx=ast.Store() | ast.Del(), value=holder):
                    found.update(root_of(holder))
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


def _besides(body: Sequence[ast.stmt]) -> Iterator[ast.stmt | ast.Lambda]:
    """What a module runs besides its statements and functions: the bodies of classes, and lambdas."""
    yield from _in_classes(body)
    for node in body:
        if not isinstance(node, OPAQUE):
            yield from (part for part in walk(node) if isinstance(part, ast.Lambda))


def _in_classes(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements that the bodies of a module's classes run themselves."""
    for node in body:
        inner = node.body if isinstance(node, ast.ClassDef) else ()
        yield from (statement for statement in inner if not isinstance(statement, OPAQUE))
        yield from _in_classes([statement for statement in inner if isinstance(statement, ast.ClassDef)])


def _methods_taken(function: ast.AST) -> Iterator[str]:
    """Names of whose object a method that changes it is taken without being called."""
    called = {part.func for part in walk(function) if isinstance(part, ast.Call)}
    for part in walk(function):
        if isinstance(part, ast.Attribute) and part.attr in METHODS and part not in called:
            yield from root_of(part.value)


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
