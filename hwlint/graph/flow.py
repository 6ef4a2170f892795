"""Say which names the value of an expression comes from, and what happened to it on the way."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from enum import Enum
from typing import Any, NamedTuple, TypeAlias

from hwlint.source.nodes import OWN, last_name


class Way(Enum):
    """How a value gets from a name into an expression."""

    __hash__ = object.__hash__  # members are single; the usual hash of an Enum is many times slower

    WHOLE = "whole"  # the name's value, or one computed from it
    TEST = "test"  # only the answer to a question about it: a comparison, a condition, a truth value
    CHOICE = "choice"  # it only decides which of several literals, not truth values, is taken
    INSIDE = "inside"  # it is an argument, a key or a member, and may or may not show in the result


class Flow(NamedTuple):
    """What may reach one target of a unit: the sources, by the way they come.

    `target` is a local or global name, `.attr` for an attribute of any object (as a source is, too), `table[key]`
    for an entry of a dict that is written out at module level, or RETURN for the result. `called` says that what
    the sources return comes in, not what they are.
    """

    target: str
    way: Way
    called: bool
    sources: frozenset[str]


# (way, called) -> names
Sources: TypeAlias = dict[tuple[Way, bool], set[str]]
Stack: TypeAlias = list[tuple[ast.expr, Way]]

# What a device has so much of, who made it, which one it is: not what it is. These attributes end the trail.
BESIDE_THE_POINT = frozenset(
    {
        *("L2_cache_size", "clock_rate", "integrated", "is_integrated", "max_threads_per_multi_processor"),
        *("memory_bus_width", "memory_clock_rate", "multiProcessorCount", "multi_processor_count", "pci_bus_id"),
        *("regs_per_multiprocessor", "totalGlobalMem", "total_memory", "uuid", "warpSize", "warp_size"),
        *("backend", "device_type"),
    }
)

# Functions whose result shows their arguments.
_TRANSPARENT = frozenset(
    {
        *("abs", "all", "any", "bool", "dict", "divmod", "enumerate", "filter", "float", "frozenset", "getattr", "int"),
        *("iter", "len", "list", "map", "max", "min", "next", "range", "reversed", "round", "set", "sorted", "str"),
        *("sum", "tuple", "zip"),
        *("cache", "cached_property", "classmethod", "lru_cache", "partial", "property", "staticmethod", "wraps"),
        *("compile", "findall", "fullmatch", "match", "search", "sub"),
    }
)


def sources_of(node: ast.expr, way: Way = Way.WHOLE) -> Sources:
    """Return where the value of an expression comes from, when it is used in that way; a literal comes from nowhere."""
    found: Sources = {}
    stack: Stack = [(node, way)]
    while stack:
        item, way = stack.pop()
        if item.__class__ is ast.Name:
            _add(found, way, called=False, name=item.id)
        elif item.__class__ is ast.Call:
            _call(item, way, found, stack)
        elif item.__class__ is ast.Attribute:
            _attribute(item, way, found, stack)
        elif item.__class__ is ast.Lambda:
            _lambda(item, way, found)
        else:
            handler = _HANDLERS.get(item.__class__)
            if handler is not None:
                handler(item, way, stack)
    return found


def entries_of(table: str, node: ast.expr) -> Iterable[tuple[str, Sources]]:
    """Yield the entries of a dict from names to functions, which may be given by their names: a `__getattr__` table."""
    if isinstance(node, ast.Dict):
        for key, value in zip(node.keys, node.values, strict=True):
            if isinstance(key, ast.Constant) and isinstance(key.value, str):
                name = value.value if isinstance(value, ast.Constant) else last_name(value)
                if isinstance(name, str) and name.isidentifier():
                    yield f"{table}[{key.value}]", {(Way.WHOLE, True): {name}}


def is_literal(node: ast.expr) -> bool:
    """Tell whether an expression is a value written out.

    That is a constant but None, an enum member, and a tuple or list of such, with or without a message, or of nothing.
    """
    match node:
        case ast.Constant(value=value):
            return value is not None
        case ast.Attribute(attr=name):
            return name[:1].isupper()
        case ast.UnaryOp(operand=part):
            return is_literal(part)
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            told = [part for part in parts if not _is_beside_an_answer(part)]
            return (bool(told) or not parts) and all(is_literal(part) for part in told)
    return False


def _is_beside_an_answer(node: ast.expr) -> bool:
    """Tell whether a part of a tuple only goes with the answer: the message of `False, f"..."`, or None."""
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and node.value is None)


def decision(chosen: ast.expr) -> Way:
    """Return the way in which a condition bears on what is chosen under it."""
    first = chosen
    if isinstance(chosen, (ast.Tuple, ast.List)):
        if not chosen.elts:
            return Way.TEST
        first = chosen.elts[0]
    return Way.TEST if isinstance(first, ast.Constant) and isinstance(first.value, bool) else Way.CHOICE


def decided(tests: Iterable[ast.expr], chosen: ast.expr) -> Sources:
    """Return the sources of conditions, as they bear on a literal that is chosen under them."""
    way = decision(chosen)
    return merged(sources_of(test, way) for test in tests)


def inside(sources: Sources) -> Sources:
    """Return the sources of something that becomes a member of a container or an object."""
    found: Sources = {}
    for (_, called), names in sources.items():
        found.setdefault((Way.INSIDE, called), set()).update(names)
    return found


def asked(sources: Sources) -> Sources:
    """Return the sources of something of which no more than an answer is handed on."""
    found: Sources = {}
    for (way, called), names in sources.items():
        found.setdefault((_weaker(way, Way.TEST), called), set()).update(names)
    return found


def merged(parts: Iterable[Sources]) -> Sources:
    """Return all sources together."""
    found: Sources = {}
    for part in parts:
        for key, names in part.items():
            known = found.get(key)
            if known is None:
                found[key] = set(names)
            else:
                known |= names
    return found


def handed_sources(node: ast.expr) -> Iterable[tuple[str, Sources]]:
    """Yield what a constructor call hands to attributes of the same names: `Config(sm=cap)`, `Config(sm)` to `sm`."""
    if isinstance(node, ast.Call) and (last_name(node.func)[:1].isupper() or last_name(node.func) == "__init__"):
        for argument in node.args:
            if isinstance(argument, ast.Name):
                yield argument.id, {(Way.WHOLE, False): {argument.id}}
        for keyword in node.keywords:
            if keyword.arg is not None:
                yield keyword.arg, sources_of(keyword.value)


def _attribute(node: ast.Attribute, way: Way, found: Sources, stack: Stack) -> None:
    if node.attr not in BESIDE_THE_POINT:
        _add_attribute(found, way, called=False, node=node)
        if _is_object(node.value):
            stack.append((node.value, way))


def _call(node: ast.Call, way: Way, found: Sources, stack: Stack) -> None:
    name = last_name(node.func)
    if name:
        if isinstance(node.func, ast.Attribute):
            _add_attribute(found, way, called=True, node=node.func)
        else:
            _add(found, way, called=True, name=name)
        if name == "getattr" and len(node.args) > 1 and isinstance(node.args[1], ast.Constant):
            read = str(node.args[1].value)
            _add(found, way, called=False, name=read)
            _add(found, way, called=False, name=f".{read}")
        inner = way if name in _TRANSPARENT else Way.INSIDE
        if isinstance(node.func, ast.Attribute) and (_is_object(node.func.value) or name in _OF_TEXTS):
            stack.append((node.func.value, way))
    else:  # lru_cache(maxsize=1)(function)
        stack.append((node.func, way))
        inner = way
    for argument in node.args:
        if argument.__class__ is not ast.Constant:
            stack.append((argument, inner))
    for keyword in node.keywords:
        if keyword.value.__class__ is not ast.Constant:
            stack.append((keyword.value, inner))


def _compare(node: ast.Compare, way: Way, stack: Stack) -> None:
    way = _weaker(way, Way.TEST)
    stack.append((node.left, way))
    stack.extend((part, way) for part in node.comparators)


def _boolean(node: ast.BoolOp, way: Way, stack: Stack) -> None:
    way = _weaker(way, Way.TEST)
    stack.extend((part, way) for part in node.values)


def _unary(node: ast.UnaryOp, way: Way, stack: Stack) -> None:
    stack.append((node.operand, _weaker(way, Way.TEST) if isinstance(node.op, ast.Not) else way))


def _binary(node: ast.BinOp, way: Way, stack: Stack) -> None:
    stack.append((node.left, way))
    stack.append((node.right, way))


def _conditional(node: ast.IfExp, way: Way, stack: Stack) -> None:
    stack.append((node.body, way))
    stack.append((node.orelse, way))
    if is_literal(node.body) or is_literal(node.orelse):
        stack.append((node.test, _weaker(way, decision(node.body))))


def _subscript(node: ast.Subscript, way: Way, stack: Stack) -> None:
    written_out = isinstance(node.value, (ast.Dict, ast.Tuple, ast.List))
    stack.append((node.value, way))
    stack.append((node.slice, way if written_out else Way.INSIDE))


def _tuple(node: ast.Tuple, way: Way, stack: Stack) -> None:
    stack.extend((part, way) for part in node.elts)


def _display(node: ast.List | ast.Set, _way: Way, stack: Stack) -> None:
    stack.extend((part, Way.INSIDE) for part in node.elts if part.__class__ is not ast.Constant)


def _dict(node: ast.Dict, _way: Way, stack: Stack) -> None:
    stack.extend((part, Way.INSIDE) for part in node.values if part.__class__ is not ast.Constant)


def _formatted(node: ast.JoinedStr, way: Way, stack: Stack) -> None:
    if not any(isinstance(part, ast.Constant) and " " in str(part.value).strip() for part in node.values):
        # With spaces between words it would be a message for people.
        stack.extend((part.value, way) for part in node.values if isinstance(part, ast.FormattedValue))


def _comprehension(node: ast.ListComp | ast.SetComp | ast.GeneratorExp, way: Way, stack: Stack) -> None:
    stack.append((node.elt, way))
    stack.extend((loop.iter, way) for loop in node.generators)


def _dict_comprehension(node: ast.DictComp, _way: Way, stack: Stack) -> None:
    stack.append((node.value, Way.INSIDE))


def _lambda(node: ast.Lambda, way: Way, found: Sources) -> None:
    """Add the functions that a lambda's body calls: what it returns, it returns when it is called."""
    for (inner, called), names in sources_of(node.body).items():
        if called:
            for name in names:
                _add(found, _weaker(way, inner), called=False, name=name)


def _inner(node: ast.NamedExpr | ast.Starred | ast.Await | ast.YieldFrom | ast.Yield, way: Way, stack: Stack) -> None:
    if node.value is not None:
        stack.append((node.value, way))


def _add(found: Sources, way: Way, *, called: bool, name: str) -> None:
    key = (way, called)
    names = found.get(key)
    if names is None:
        found[key] = {name}
    else:
        names.add(name)


def _add_attribute(found: Sources, way: Way, *, called: bool, node: ast.Attribute) -> None:
    """Add an attribute; read off anything but the own object, it may be a name of a module as well."""
    _add(found, way, called=called, name=f".{node.attr}")
    if not isinstance(node.value, ast.Name) or node.value.id not in OWN:
        _add(found, way, called=called, name=node.attr)


def _weaker(one: Way, other: Way) -> Way:
    """Return the way that keeps less of a value."""
    return one if _KEPT[one] <= _KEPT[other] else other


def _is_object(node: ast.expr) -> bool:
    """Tell whether an attribute of this expression may be read off a hardware value; `self` and modules are none."""
    if node.__class__ is ast.Name:
        return node.id not in OWN
    return isinstance(node, (ast.Call, ast.Subscript, ast.JoinedStr))


# Methods whose answer is a part of the text that they belong to, or tells something of it.
_OF_TEXTS = frozenset(
    [
        "casefold",
        "endswith",
        "join",
        "lower",
        "lstrip",
        "partition",
        "removeprefix",
        "removesuffix",
        "replace",
        "rpartition",
        "rsplit",
        "rstrip",
        "split",
        "startswith",
        "strip",
        "upper",
    ]
)

# How much of a value each way keeps.
_KEPT = {Way.INSIDE: 0, Way.CHOICE: 1, Way.TEST: 2, Way.WHOLE: 3}

_HANDLERS: dict[type[ast.AST], Callable[[Any, Way, Stack], None]] = {
    ast.Compare: _compare,
    ast.BoolOp: _boolean,
    ast.UnaryOp: _unary,
    ast.BinOp: _binary,
    ast.IfExp: _conditional,
    ast.Subscript: _subscript,
    ast.Tuple: _tuple,
    ast.List: _display,
    ast.Set: _display,
    ast.Dict: _dict,
    ast.JoinedStr: _formatted,
    ast.ListComp: _comprehension,
    ast.SetComp: _comprehension,
    ast.GeneratorExp: _comprehension,
    ast.DictComp: _dict_comprehension,
    ast.NamedExpr: _inner,
    ast.Starred: _inner,
    ast.Await: _inner,
    ast.YieldFrom: _inner,
    ast.Yield: _inner,
}
