"""Compute operators on single answers as CPython does, three-valued where a part is unknown."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import Any

from hwlint.evaluate.answers import Answer, Class, EnumMember, External, Raised, Ref, Unknown, is_concrete

LARGEST_INT_BITS = 512
LONGEST_TEXT = 65536
"""Constants beyond these are not hardware facts; they are given up as Unknown instead of being computed."""

_BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.LShift: operator.lshift,
    ast.RShift: operator.rshift,
    ast.BitOr: operator.or_,
    ast.BitAnd: operator.and_,
    ast.BitXor: operator.xor,
}

_UNARY: dict[type[ast.unaryop], Callable[[Any], Any]] = {
    ast.UAdd: operator.pos,
    ast.USub: operator.neg,
    ast.Invert: operator.invert,
}

_ORDER: dict[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}

_BOUNDED = (int, float, bool, str, bytes, tuple, type(None))


def binary(kind: type[ast.operator], left: Answer, right: Answer) -> Answer:
    """Compute `left <kind> right`; the answer, an Unknown, or a Raised."""
    if isinstance(left, Unknown):
        return Unknown(left.reason)
    if isinstance(right, Unknown):
        return Unknown(right.reason)
    left, right = bare(left), bare(right)
    if not _plain(left) or not _plain(right):
        return Unknown("an operator on an object")
    if _explodes(kind, left, right):
        return Unknown("a number or text too large to compute")
    return _guarded(_BINARY[kind], left, right) if kind in _BINARY else Unknown("matrix product")


def unary(kind: type[ast.unaryop], operand: Answer) -> Answer:
    """Compute `-x`, `+x` or `~x`."""
    if isinstance(operand, Unknown):
        return Unknown(operand.reason)
    operand = bare(operand)
    if not _plain(operand):
        return Unknown("an operator on an object")
    return _guarded(_UNARY[kind], operand)


def compare(kind: type[ast.cmpop], left: Answer, right: Answer) -> Answer:
    """Compute `==`, `!=`, `<`, `<=`, `>`, `>=`, `is` or `is not` on two answers."""
    if kind is ast.NotEq:
        return _negate(_equal(left, right))
    if kind is ast.Eq:
        return _equal(left, right)
    if kind is ast.Is:
        return _identical(left, right)
    if kind is ast.IsNot:
        return _negate(_identical(left, right))
    return _ordered(kind, left, right)


def _negate(answer: Answer) -> Answer:
    return (not answer) if isinstance(answer, bool) else answer


def _equal(left: Answer, right: Answer) -> Answer:
    for one, other in ((left, right), (right, left)):
        if isinstance(one, Unknown):
            if one.is_none is False and other is None:
                return False
            return Unknown(one.reason)
    if isinstance(left, tuple) and isinstance(right, tuple):
        return _tuple_equal(left, right)
    if isinstance(left, Ref) or isinstance(right, Ref):
        if left is right:
            return True
        if (
            left is None
            or right is None
            or isinstance(left, (str, int, float, tuple))
            or isinstance(right, (str, int, float, tuple))
        ):
            ref = left if isinstance(left, Ref) else right
            if isinstance(ref, Ref) and ref.kind != "instance":
                return False
        return Unknown("equality of two objects")
    if isinstance(left, External) or isinstance(right, External):
        if left == right:
            return True
        other = right if isinstance(left, External) else left
        one = left if isinstance(left, External) else right
        return _may_be_none(one) if other is None else Unknown("equality with something outside the project")
    if is_concrete(left) and is_concrete(right):
        return bool(left == right)
    if left is None or right is None:
        return left is right
    return Unknown("equality of two objects")


def _may_be_none(outside: External) -> Answer:
    """False for what looks like a function, class or module of another package; a setting may well be None."""
    setting = outside.name.rpartition(".")[2].isupper()
    return Unknown(f"{outside.name} is outside the project") if setting else False


def _tuple_equal(left: tuple[Any, ...], right: tuple[Any, ...]) -> Answer:
    if len(left) != len(right):
        return False
    doubt: Unknown | None = None
    for one, other in zip(left, right, strict=True):
        found = _equal(one, other)
        if found is False:
            return False
        if isinstance(found, Unknown):
            doubt = doubt or found
    return doubt if doubt is not None else True


def _identical(left: Answer, right: Answer) -> Answer:
    for one, other in ((left, right), (right, left)):
        if isinstance(one, Unknown):
            if other is None and one.is_none is not None:
                return one.is_none
            if other is None and one.truth is True:
                return False
            return Unknown(one.reason)
    if left is None or right is None:
        other = right if left is None else left
        if isinstance(other, External):
            return _may_be_none(other)
        return left is right
    if isinstance(left, (bool, EnumMember, Ref, Class, type(...))) and type(left) is type(right):
        return left == right if isinstance(left, (bool, EnumMember)) else left is right
    if isinstance(left, External) and isinstance(right, External) and left == right:
        return True
    if isinstance(left, bool) != isinstance(right, bool) and is_concrete(left) and is_concrete(right):
        return False
    return Unknown("identity of two objects")


def _ordered(kind: type[ast.cmpop], left: Answer, right: Answer) -> Answer:
    if isinstance(left, Unknown):
        return Unknown(left.reason)
    if isinstance(right, Unknown):
        return Unknown(right.reason)
    left, right = bare(left), bare(right)
    if isinstance(left, tuple) and isinstance(right, tuple):
        for one, other in zip(left, right, strict=False):
            found = _equal(one, other)
            if isinstance(found, Unknown):
                return found
            if found is False:
                return _ordered(kind, one, other)
        return _ORDER[kind](len(left), len(right))
    if not _plain(left) or not _plain(right):
        return Unknown("order of two objects")
    return _guarded(_ORDER[kind], left, right)


def bare(answer: Answer) -> Answer:
    """The int or text that a member of an IntEnum or the like is."""
    return answer.value if isinstance(answer, EnumMember) and answer.plain else answer


def _plain(answer: Answer) -> bool:
    if isinstance(answer, tuple):
        return all(isinstance(item, _BOUNDED) or is_concrete(item) for item in answer)
    return isinstance(answer, (int, float, str, bytes, complex, type(None), frozenset))


def _explodes(kind: type[ast.operator], left: Answer, right: Answer) -> bool:
    if isinstance(left, int) and isinstance(right, int):
        if kind is ast.Pow:
            return left.bit_length() * max(right, 0) > LARGEST_INT_BITS
        if kind is ast.LShift:
            return right > LARGEST_INT_BITS
        return max(left.bit_length(), right.bit_length()) > LARGEST_INT_BITS
    if kind is ast.Mult:
        for one, other in ((left, right), (right, left)):
            if isinstance(one, int) and isinstance(other, (str, bytes, tuple)) and one * len(other) > LONGEST_TEXT:
                return True
    if kind is ast.Mod and isinstance(left, (str, bytes)):
        return len(left) > LONGEST_TEXT or "*" in str(left) or any(len(run) > 3 for run in _digit_runs(str(left)))
    return kind is ast.Add and isinstance(left, (str, tuple, bytes)) and len(left) > LONGEST_TEXT


def _digit_runs(text: str) -> list[str]:
    return "".join(char if char.isdigit() else " " for char in text).split()


def _guarded(operation: Callable[..., Any], *operands: Any) -> Answer:
    try:
        return operation(*operands)
    except (TypeError, ValueError, ArithmeticError) as error:
        return Raised(type(error).__name__, str(error))
    except Exception:  # noqa: BLE001 - an operand's own method; nothing of ours
        return Unknown("an operator that fails here")
