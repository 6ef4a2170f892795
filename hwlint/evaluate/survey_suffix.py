"""Find where a build gives a suffix (`90a`) to the architectures that a test names, and to no others."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

from hwlint.evaluate.survey_scope import Scope
from hwlint.model.observation import BuildList
from hwlint.source.nodes import walk

_TARGET = re.compile(r"(?<![a-z0-9])(?:sm_?|compute_)?(\d{2,3})a(?![a-z0-9])", re.IGNORECASE)
_MADE_OF_IT = re.compile(r"(?:sm_|compute_)$|^$", re.IGNORECASE)
_MEMBER = re.compile(r"(?:sm_?|compute_)?(\d{2,3})", re.IGNORECASE)
_LEAST_CAPABILITY = 50
_MOST_STATEMENTS = 3
"""A branch with more of them does more than to give a suffix."""
_HOLE = "\0"
_SUFFIXES = ("a", "f")


def suffix_given(node: ast.AST, scope: Scope) -> BuildList | None:
    """`"sm_90a" if arch == "sm_90" else arch`, `f"{x}a" if x in [90, 100] else str(x)`, or the same with `if`."""
    if not isinstance(node, ast.IfExp | ast.If):
        return None
    test = node.test.values[0] if isinstance(node.test, ast.BoolOp) and isinstance(node.test.op, ast.And) else node.test
    members, named_there = _named(test) if isinstance(test, ast.Compare) else ([], False)
    if not members:
        return None
    if isinstance(node, ast.IfExp):
        given, other = (node.body, node.orelse) if named_there else (node.orelse, node.body)
        parts: Sequence[ast.AST] = [given]
        plain = isinstance(other, ast.Constant) and isinstance(other.value, str) and not other.value.strip()
    else:
        parts, plain = node.body if named_there and len(node.body) <= _MOST_STATEMENTS else [], False
        if not all(isinstance(part, ast.Assign | ast.AugAssign | ast.Expr) for part in parts):
            return None
    for suffix in _SUFFIXES:
        if any(_gives(part, members, suffix, plain=plain) for part in parts):
            return BuildList(scope.place(node), "suffix", tuple(members), suffix)
    return None


def _named(test: ast.Compare) -> tuple[list[str], bool]:
    """The numbers that a test names, and whether it is true for them; none where it names anything else."""
    match test:
        case ast.Compare(ops=[ast.Eq() | ast.NotEq() as op], comparators=[ast.Constant() as only]):
            items: Sequence[ast.expr] = [only]
        case ast.Compare(
            ops=[ast.In() | ast.NotIn() as op], comparators=[ast.List() | ast.Tuple() | ast.Set() as held]
        ):
            items = held.elts
        case _:
            return [], False
    found: list[str] = []
    for item in items:
        match item:
            case ast.Constant(value=int() as number) if number >= _LEAST_CAPABILITY:
                found.append(str(number))
            case ast.Constant(value=str() as text) if (hit := _MEMBER.fullmatch(text)) is not None:
                found.append(hit[1])
            case _:
                return [], False
    return found, isinstance(op, ast.Eq | ast.In)


def _gives(node: ast.AST, members: Sequence[str], suffix: str, *, plain: bool) -> bool:
    """True where a text is written that is a member with the suffix, or the suffix is put behind what was there.

    The letter alone counts where what else there is in its place is empty (`plain`).
    """
    match node:
        case ast.Constant(value=str() as text) if text.strip() == suffix:
            return plain
        case ast.AugAssign(op=ast.Add(), value=ast.Constant(value=str() as text)):
            return text == suffix
        case ast.BinOp(op=ast.Add(), right=ast.Constant(value=str() as text)) if text == suffix:
            return True
    return any(_is_target(text, members, suffix) for text in _texts(node))


def _is_target(text: str, members: Sequence[str], suffix: str) -> bool:
    """True for `sm_90a`, where 90 is a member, and for what a hole in a text makes of it: `compute_?a`."""
    if suffix == "a" and any(hit[1] in members for hit in _TARGET.finditer(text)):
        return True
    before, hole, after = text.partition(_HOLE)
    return (
        hole != "" and re.match(rf"{suffix}(?![a-z0-9])", after) is not None and _MADE_OF_IT.search(before) is not None
    )


def _texts(node: ast.AST) -> Iterator[str]:
    """The texts that a node writes, with a hole for each value in them."""
    for part in walk(node):
        if isinstance(part, ast.JoinedStr):
            yield "".join(str(value.value) if isinstance(value, ast.Constant) else _HOLE for value in part.values)
        elif isinstance(part, ast.Constant) and isinstance(part.value, str):
            yield part.value
