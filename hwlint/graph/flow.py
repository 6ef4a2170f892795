"""Say which names the value of an expression comes from, and what happened to it on the way."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from enum import Enum
from typing import NamedTuple, TypeAlias


class Way(Enum):
    """How a value gets from a name into an expression."""

    WHOLE = "whole"  # the name's value, or one computed from it
    TEST = "test"  # only the answer to a question about it: a comparison, a condition, a truth value
    INSIDE = "inside"  # it is an argument, a key or a member, and may or may not show in the result


class Flow(NamedTuple):
    """What may reach one target of a unit: the sources, by the way they come.

    `target` is a local or global name, `.attr` for an attribute of any object, or RETURN for the result.
    `called` says that what the sources return comes in, not what they are.
    """

    target: str
    way: Way
    called: bool
    sources: frozenset[str]


# (way, called) -> names
Sources: TypeAlias = dict[tuple[Way, bool], set[str]]

# Functions whose result shows their arguments.
_TRANSPARENT = frozenset(
    """
    abs all any bool dict divmod enumerate filter float frozenset getattr int iter len list map max min next range
    reversed round set sorted str sum tuple zip
    cache cached_property classmethod lru_cache partial property staticmethod wraps
    compile findall fullmatch match search sub
    """.split()
)


def sources_of(node: ast.expr) -> Sources:
    """Return where the value of an expression comes from; a literal comes from nowhere."""
    found: Sources = {}
    stack: list[tuple[ast.expr, Way]] = [(node, Way.WHOLE)]
    while stack:
        item, way = stack.pop()
        match item:
            case ast.Constant():
                pass
            case ast.Name(id=name):
                _add(found, way, called=False, name=name)
            case ast.Attribute(value=owner, attr=name):
                _add(found, way, called=False, name=name)
                if isinstance(owner, (ast.Call, ast.Subscript)) or _is_variable(owner):
                    stack.append((owner, way))
            case ast.Call():
                _call(item, way, found, stack)
            case ast.Compare(left=left, comparators=others):
                stack.extend((part, _weaker(way, Way.TEST)) for part in (left, *others))
            case ast.BoolOp(values=parts):
                stack.extend((part, _weaker(way, Way.TEST)) for part in parts)
            case ast.UnaryOp(op=operator, operand=part):
                stack.append((part, _weaker(way, Way.TEST) if isinstance(operator, ast.Not) else way))
            case ast.BinOp(left=left, right=right):
                stack.extend(((left, way), (right, way)))
            case ast.IfExp(test=test, body=body, orelse=other):
                stack.extend(((body, way), (other, way)))
                if is_literal(body) or is_literal(other):
                    stack.append((test, _weaker(way, Way.TEST)))
            case ast.Subscript(value=owner, slice=key):
                stack.append((owner, way))
                stack.append((key, way if isinstance(owner, (ast.Dict, ast.Tuple, ast.List)) else Way.INSIDE))
            case ast.Tuple(elts=parts):
                stack.extend((part, way) for part in parts)
            case ast.List(elts=parts) | ast.Set(elts=parts):
                stack.extend((part, Way.INSIDE) for part in parts)
            case ast.Dict(values=parts):
                stack.extend((part, Way.INSIDE) for part in parts)
            case ast.JoinedStr(values=parts):
                stack.extend((part.value, way) for part in parts if isinstance(part, ast.FormattedValue))
            case ast.ListComp(elt=part) | ast.SetComp(elt=part) | ast.GeneratorExp(elt=part):
                stack.append((part, way))
                stack.extend((loop.iter, way) for loop in item.generators)
            case ast.DictComp(value=part):
                stack.append((part, Way.INSIDE))
            case ast.Lambda(body=part):
                _functions_in(part, way, found)
            case (
                ast.NamedExpr(value=part) | ast.Starred(value=part) | ast.Await(value=part) | ast.YieldFrom(value=part)
            ):
                stack.append((part, way))
            case ast.Yield(value=part) if part is not None:
                stack.append((part, way))
    return found


def is_literal(node: ast.expr) -> bool:
    """Tell whether an expression is a value written out: a constant other than None, a tuple of them, an enum member."""
    match node:
        case ast.Constant(value=value):
            return value is not None
        case ast.Attribute(attr=name):
            return name[:1].isupper()
        case ast.UnaryOp(operand=part):
            return is_literal(part)
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            return bool(parts) and all(is_literal(part) for part in parts)
    return False


def as_test(sources: Sources) -> Sources:
    """Return the sources of a condition, as they bear on what is done under it."""
    found: Sources = {}
    for (way, called), names in sources.items():
        found.setdefault((_weaker(way, Way.TEST), called), set()).update(names)
    return found


def inside(sources: Sources) -> Sources:
    """Return the sources of something that becomes a member of a container or an object."""
    found: Sources = {}
    for (_, called), names in sources.items():
        found.setdefault((Way.INSIDE, called), set()).update(names)
    return found


def merge(into: Sources, more: Sources) -> None:
    """Add sources to others."""
    for key, names in more.items():
        known = into.get(key)
        if known is None:
            into[key] = set(names)
        else:
            known |= names


def keyword_sources(node: ast.expr) -> Iterable[tuple[str, Sources]]:
    """Yield what a constructor call hands to the attributes of the same names: `Config(sm=cap)` to `sm`."""
    if isinstance(node, ast.Call) and _last_name(node.func)[:1].isupper():
        for keyword in node.keywords:
            if keyword.arg is not None:
                yield keyword.arg, sources_of(keyword.value)


def _call(node: ast.Call, way: Way, found: Sources, stack: list[tuple[ast.expr, Way]]) -> None:
    name = _last_name(node.func)
    arguments = [*node.args, *(keyword.value for keyword in node.keywords)]
    if not name:  # lru_cache(maxsize=1)(function)
        stack.append((node.func, way))
        stack.extend((part, way) for part in arguments)
        return
    _add(found, way, called=True, name=name)
    if name == "getattr" and len(node.args) > 1 and isinstance(node.args[1], ast.Constant):
        _add(found, way, called=False, name=str(node.args[1].value))
    inner = way if name in _TRANSPARENT else Way.INSIDE
    stack.extend((part, inner) for part in arguments)
    if isinstance(node.func, ast.Attribute):
        owner = node.func.value
        if isinstance(owner, (ast.Call, ast.Subscript, ast.JoinedStr)) or _is_variable(owner):
            stack.append((owner, way))


def _functions_in(node: ast.expr, way: Way, found: Sources) -> None:
    """Add the functions that a lambda's body calls: what it returns, it returns when it is called."""
    for (inner, called), names in sources_of(node).items():
        if called:
            for name in names:
                _add(found, way if inner is Way.WHOLE else inner, called=False, name=name)


def _add(found: Sources, way: Way, *, called: bool, name: str) -> None:
    found.setdefault((way, called), set()).add(name)


def _weaker(one: Way, other: Way) -> Way:
    return Way.INSIDE if one is Way.INSIDE else other


def _is_variable(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id not in ("self", "cls")


def _last_name(node: ast.expr) -> str:
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
    return ""
