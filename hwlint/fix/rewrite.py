"""Rewrite comparisons that read a capability in the wrong unit, as text or part by part, or that let in too few."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import cast

from hwlint.fix.keys import constant_of, write_key
from hwlint.fix.problem import Problem
from hwlint.fix.promises import made_for_product
from hwlint.fix.syntax import Syntax, parse
from hwlint.fix.wording import listed, verb
from hwlint.model.finding import Edit, Fix, Safety

_SIGNS: dict[type[ast.cmpop], str] = {
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
    ast.NotEq: "!=",
}
_LEAST_TWO_DIGITS = 50
"""From here up a number is a capability in the form 90; below it is a major number."""

Rewriter = Callable[[Problem, Syntax], Iterator[tuple[ast.expr, str, str]]]
"""Yields the expression to replace, its new text and a reason."""


def compare_tuples(problem: Problem) -> tuple[Fix, ...]:
    """Compare versions as tuples of numbers: `major >= a and minor >= b` as pairs, texts as the numbers in them.

    Unsafe: architectures that the test kept out by mistake now pass, and a text with a suffix (`+PTX`) raises.
    """
    together = first_rewrite(problem, _as_pairs, "Compare major and minor together", Safety.UNSAFE)
    return together or first_rewrite(problem, _as_numbers, "Compare as numbers", Safety.UNSAFE)


def match_units(problem: Problem) -> tuple[Fix, ...]:
    """Bring both sides of a comparison to one unit; unsafe: the test starts to hold where it never did.

    Needs the fact `subject_values`: what the side that is no literal is, by architecture.
    """
    return first_rewrite(problem, _same_unit, "Compare in one unit", Safety.UNSAFE)


def widen_to_family(problem: Problem) -> tuple[Fix, ...]:
    """Let an exact test hold for the family mates that the finding names; unsafe: they enter code for another.

    Only shown where a mate is older than the architecture of the test: family code runs on later members, not on
    earlier ones, and a test for a later member mostly asks for what the earlier lack. So is what a comment or the
    docstring calls made for a product.
    """
    found = first_rewrite(problem, _with_mates, "Test for the family", Safety.UNSAFE)
    asked = _asked_for(problem)
    older = [one for one in problem.targets if one.capability is not None and asked and one.capability < min(asked)]
    if older:
        reason = (
            f"{listed([one.name for one in older])} {verb(older, 'is', 'are')} older than the architecture of the "
            "test, and code of a family runs on its later members only: what is made for a later one may need what "
            "the earlier lack. So it is only shown."
        )
        return tuple(replace(one, safety=Safety.DISPLAY, reason=reason) for one in found)
    tested = [one for one in problem.catalogue.architectures if one.capability in asked]
    words = made_for_product(problem, tested[0], problem.targets) if len(tested) == 1 else ""
    if words:
        said = f" `{words}` speaks of a product, and of none of theirs, so it is only shown."
        return tuple(replace(one, safety=Safety.DISPLAY, reason=one.reason + said) for one in found)
    return found


def first_rewrite(problem: Problem, rewriter: Rewriter, title: str, safety: Safety) -> tuple[Fix, ...]:
    """Return the fix for the outermost expression of the finding's span that the rewriter knows."""
    path = problem.finding.span.path
    text = problem.texts(path)
    syntax = parse(text) if text is not None else None
    if syntax is None:
        return ()
    for node, new, reason in rewriter(problem, syntax):
        old = syntax.source(node)
        if old != new:
            edit: Edit = syntax.edit(path, node, new)
            return (Fix(f"{title}: `{shortened(new)}`", safety, reason, (edit,)),)
    return ()


def shortened(text: str) -> str:
    """Return a source as a title shows it: on one line, cut where it is long."""
    flat = " ".join(text.split())
    return flat if len(flat) <= 80 else flat[:77] + "..."


def compares(problem: Problem, syntax: Syntax) -> Iterator[tuple[ast.Compare, ast.expr, ast.cmpop, ast.expr]]:
    """Yield the plain comparisons (one operator) in the finding's span."""
    for node in syntax.within(problem.finding.span):
        if isinstance(node, ast.Compare) and len(node.ops) == 1:
            yield node, node.left, node.ops[0], node.comparators[0]


def _constant(node: ast.expr) -> object | None:
    """Return the value of a literal, or None."""
    try:
        return cast("object", ast.literal_eval(node))
    except (ValueError, SyntaxError):
        return None


def _as_numbers(problem: Problem, syntax: Syntax) -> Iterator[tuple[ast.expr, str, str]]:
    reason = 'As text, "10.0" sorts before "9.0"; as numbers it does not. A text that is not all numbers now raises.'
    for node, left, operator, right in compares(problem, syntax):
        sign = _SIGNS.get(type(operator))
        texts = [_constant(left), _constant(right)]
        known = [text for text in texts if isinstance(text, str)]
        if sign in (None, "==", "!=") or len(known) != 1:
            continue
        number = _numbers_of(known[0])
        if number is not None:
            wrap, literal = number
            sides = [literal if side is not None else "" for side in texts]
            sides = [written or wrap(syntax.source(side)) for written, side in zip(sides, (left, right), strict=True)]
            yield node, f"{sides[0]} {sign} {sides[1]}", reason
    for call in syntax.within(problem.finding.span):
        match call:
            case ast.Call(func=ast.Name(id="sorted" | "min" | "max"), args=[_], keywords=[]):
                inside = syntax.source(call)[:-1].rstrip()
                comma = "" if inside.endswith(",") else ","
                key = 'key=lambda text: tuple(map(int, text.split(".")))'
                yield call, f"{inside}{comma} {key})", reason


def _numbers_of(text: str) -> tuple[Callable[[str], str], str] | None:
    """Return how to turn the other side into numbers, and this text as such numbers."""
    if re.fullmatch(r"\d+(\.\d+)+", text):
        parts = ", ".join(str(int(part)) for part in text.split("."))
        return (lambda side: f'tuple(map(int, {operand(side)}.split(".")))'), f"({parts})"
    if re.fullmatch(r"\d+", text):
        return (lambda side: f"int({side})"), str(int(text))
    prefix = re.fullmatch(r"(sm_?|compute_)(\d+)", text)
    if prefix:
        return (lambda side: f'int({operand(side)}.removeprefix("{prefix[1]}"))'), prefix[2]
    return None


def operand(side: str) -> str:
    """Return a source that a method can be called on: brackets around all but names, calls, items and texts."""
    plain = ast.Name | ast.Attribute | ast.Subscript | ast.Call | ast.Constant | ast.JoinedStr
    return side if isinstance(ast.parse(side, mode="eval").body, plain) else f"({side})"


def _as_pairs(problem: Problem, syntax: Syntax) -> Iterator[tuple[ast.expr, str, str]]:
    for node in syntax.within(problem.finding.span):
        if not isinstance(node, ast.BoolOp) or not isinstance(node.op, ast.And) or len(node.values) != 2:
            continue
        first, second = node.values
        if not isinstance(first, ast.Compare) or not isinstance(second, ast.Compare):
            continue
        sign = _pair_sign(first, second)
        if sign is not None:
            left = f"({syntax.source(first.left)}, {syntax.source(second.left)})"
            right = f"({syntax.source(first.comparators[0])}, {syntax.source(second.comparators[0])})"
            reason = (
                "Part by part, 10.0 is not at least 8.9, because 0 is less than 9; as pairs it is. What the test kept "
                "out by mistake now passes."
            )
            yield node, f"{left} {sign} {right}", reason


def _pair_sign(first: ast.Compare, second: ast.Compare) -> str | None:
    """Return the sign of the pair comparison that two comparisons were meant as, or None where it is not clear."""
    if len(first.ops) != 1 or len(second.ops) != 1:
        return None
    signs = _SIGNS.get(type(first.ops[0]), ""), _SIGNS.get(type(second.ops[0]), "")
    both = {(">=", ">="): ">=", ("<=", "<="): "<=", (">", ">"): ">", ("<", "<"): "<"}
    return both.get(signs) or {(">=", ">"): ">", ("<=", "<"): "<"}.get(signs)


def _same_unit(problem: Problem, syntax: Syntax) -> Iterator[tuple[ast.expr, str, str]]:
    values = problem.fact("subject_values")
    known = [value for value in values.values() if value is not None] if isinstance(values, Mapping) else []
    for node, left, operator, right in compares(problem, syntax):
        sign = _SIGNS.get(type(operator))
        literal = _constant(right)
        if sign is None or literal is None or not known:
            continue
        source = syntax.source(left)
        new = _unit_text(source, sign, syntax.source(right), literal, known)
        if new is not None:
            reason = f"`{source}` is {known[-1]!r} where the test has {literal!r}; both sides now have one unit."
            yield node, new, reason


def _unit_text(source: str, sign: str, written: str, literal: object, known: list[object]) -> str | None:
    value = known[-1]
    match value, literal:
        case int(), int() if value < _LEAST_TWO_DIGITS <= literal and literal % 10 == 0:
            return f"{source} {sign} {literal // 10}"
        case int(), int() if literal < _LEAST_TWO_DIGITS <= value:
            return f"{source} {sign} {literal * 10}"
        case tuple(), int() if literal < _LEAST_TWO_DIGITS:
            return f"{source}[0] {sign} {literal}"
        case tuple(), int():
            return f"{source} {sign} ({literal // 10}, {literal % 10})"
        case str(), str() if literal.startswith("sm_") and value.isdecimal():
            return f"{source} {sign} {write_key(literal.removeprefix('sm_'), [written])}"
        case str(), str() if value.startswith("sm_") and literal.isdecimal():
            return f"{source} {sign} {write_key(f'sm_{literal}', [written])}"
        case _:
            return None


def _with_mates(problem: Problem, syntax: Syntax) -> Iterator[tuple[ast.expr, str, str]]:
    mates = problem.targets
    for node, left, operator, right in compares(problem, syntax):
        literal = _constant(right)
        sign = {ast.Eq: "in", ast.NotEq: "not in"}.get(type(operator))
        others = [in_form(syntax.source(right), mate.capability) for mate in mates if mate.capability is not None]
        if sign is None or literal is None or not others or None in others:
            continue
        members = ", ".join([_on_one_line(syntax.source(right)), *dict.fromkeys(cast("list[str]", others))])
        reason = (
            f"{listed([one.name for one in mates])} {verb(mates, 'runs', 'run')} the code of the same family target; "
            f"the test is widened to {verb(mates, 'it', 'them')} and to nothing else. The code has not run there, and "
            "exact equality may have been meant."
        )
        yield node, f"{syntax.source(left)} {sign} ({members})", reason


def _asked_for(problem: Problem) -> set[tuple[int, int]]:
    """Return the capabilities that the tests at the finding ask for."""
    text = problem.texts(problem.finding.span.path)
    syntax = parse(text) if text is not None else None
    written = [syntax.source(right) for *_, right in compares(problem, syntax)] if syntax is not None else []
    return {
        one.capability
        for one in problem.catalogue.architectures
        if one.capability is not None and any(in_form(each, one.capability) == _on_one_line(each) for each in written)
    }


def _on_one_line(literal: str) -> str:
    """Return a literal that is spread over lines as it would stand on one; comments in it are told by `losses`."""
    if "\n" not in literal and "\r" not in literal:
        return literal
    return ast.unparse(ast.parse(literal, mode="eval"))


def in_form(source: str, capability: tuple[int, int]) -> str | None:
    """Return a capability as a literal of this form is written: `(12, 0)`, `120`, `'12.0'`; None for other forms."""
    value: object
    match constant_of(source):
        case tuple((int(), int())):
            value = capability
        case int() as number if number >= _LEAST_TWO_DIGITS:
            value = capability[0] * 10 + capability[1]
        case str() as text if re.fullmatch(r"\d+\.\d", text):
            value = "{}.{}".format(*capability)
        case str() as text if re.fullmatch(r"sm_\d+", text):
            value = "sm_{}{}".format(*capability)
        case _:
            return None
    return write_key(value, [source])
