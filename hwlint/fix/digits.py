"""Read the whole numbers of a capability that code takes apart by a fixed count of characters."""

from __future__ import annotations

import ast
import itertools
import re
from collections.abc import Iterator
from dataclasses import replace

from hwlint.fix.keys import constant_of
from hwlint.fix.problem import Problem
from hwlint.fix.rewrite import first_rewrite, operand
from hwlint.fix.syntax import Syntax, parse
from hwlint.model.finding import Fix, Safety

_THREE_DIGITS = "Compute capability 12.0 has three digits; a fixed count of characters reads 1.2 or 12 instead."


def parse_digits(problem: Problem) -> tuple[Fix, ...]:
    """Read whole numbers instead of characters; unsafe: architectures that were misread now get their own answer.

    Needs the fact `sample`, what the text is on an architecture that is misread (`10.0`, `100`, `sm_100`), or for a
    conversion the fact `kind`, which is `tail` for the rest of a name that may end in a letter.
    """
    found = first_rewrite(problem, _all_digits, "Read all digits", Safety.UNSAFE)
    if not found or not _is_measured(problem):
        return found
    reason = "A test around asks how many characters there are, and the code may count on that. So it is only shown."
    return tuple(replace(one, safety=Safety.DISPLAY, reason=reason) for one in found)


def _is_measured(problem: Problem) -> bool:
    """Return whether the place lies under a test of how long the text is."""
    text = problem.texts(problem.finding.span.path)
    syntax = parse(text) if text is not None else None
    node = syntax.at(problem.finding.span) if syntax is not None else None
    if syntax is None or not isinstance(node, ast.Subscript):
        return False
    length = f"len({syntax.source(node.value)})"
    tests = (one.test for one in syntax.ancestors(node) if isinstance(one, ast.If | ast.IfExp))
    return any(length in syntax.source(test) for test in tests)


def _all_digits(problem: Problem, syntax: Syntax) -> Iterator[tuple[ast.expr, str, str]]:
    sample = problem.fact("sample")
    node = syntax.at(problem.finding.span)
    if isinstance(node, ast.Subscript) and isinstance(sample, str):
        for outer in itertools.islice(syntax.ancestors(node), 2):
            whole = _joined_digits(syntax, outer.left, outer.right) if isinstance(outer, ast.BinOp) else None
            if whole is not None and isinstance(outer, ast.BinOp):
                yield outer, whole, _THREE_DIGITS
        part = _whole_part(syntax.source(node.value), node.slice, sample)
        if part is not None:
            yield node, part, _THREE_DIGITS
        return
    for node in syntax.within(problem.finding.span):
        match node:
            case ast.Call(func=ast.Name(id="int"), args=[argument]) if problem.fact("kind") == "tail":
                reason = "The name of a target may end in a letter: `sm_90a`, `sm_100f`."
                yield node, f'int({operand(syntax.source(argument))}.rstrip("af"))', reason
            case ast.Constant(value=str() as pattern) if r"\d" in pattern:
                source = syntax.source(node)
                new = re.sub(r"\\d\\d(?!\\d)|\\d\{[12]\}", r"\\d+", source)
                yield node, new, _THREE_DIGITS


def _whole_part(source: str, index: ast.expr, sample: str) -> str | None:
    """Return `source[index]` so that it takes whole numbers out of texts like `sample` (`10.0`, `100`, `sm_100`)."""
    match index:
        case ast.Constant(value=int() as first):
            start, end = first, first + 1
        case ast.Slice(lower=lower, upper=ast.Constant(value=int() as end), step=None):
            begins = 0 if lower is None else constant_of(ast.unparse(lower))
            if not isinstance(begins, int):
                return None
            start = begins
        case _:
            return None
    whole = operand(source)
    if re.fullmatch(r"\d+\.\d", sample):
        parts = {(0, 1): f'{whole}.split(".")[0]', (2, 3): f'{whole}.split(".")[1]', (0, 3): source}
        return parts.get((start, end))
    prefix = re.fullmatch(r"([a-z]*_?)\d{3}", sample)
    if prefix is None:
        return None
    begin = len(prefix[1])
    head = f"{begin}:" if begin else ":"
    parts = {(0, 1): f"{whole}[{head}-1]", (1, 2): f"{whole}[-1]"}
    parts[0, 2] = f"{whole}[{begin}:]" if begin else source
    return parts.get((start - begin, end - begin))


def _joined_digits(syntax: Syntax, first: ast.expr, second: ast.expr) -> str | None:
    """Return the whole of a text whose characters 0 and 2 (`"9.0"`) or 0 and 1 (`"90"`) are put together.

    Where each is made a text first, what they are taken from may be a tuple of numbers too.
    """
    match _character(first), _character(second):
        case (ast.expr() as text, 0), (ast.expr() as other, 2) if syntax.source(text) == syntax.source(other):
            return f'"".join({syntax.source(text)}.split("+")[0].split("."))'
        case (ast.expr() as text, 0), (ast.expr() as other, 1) if syntax.source(text) == syntax.source(other):
            whole = syntax.source(text)
            return f'"".join(map(str, {whole}))' if isinstance(first, ast.Call) else whole
        case _:
            return None


def _character(node: ast.expr) -> tuple[ast.expr, int] | None:
    match node:
        case ast.Call(func=ast.Name(id="str"), args=[inner]):
            return _character(inner)
        case ast.Subscript(value=ast.Name() | ast.Attribute() as text, slice=ast.Constant(value=int() as index)):
            return text, index
        case _:
            return None
