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
    text = problem.texts(problem.finding.span.path)
    syntax = parse(text) if text is not None else None
    node = syntax.at(problem.finding.span) if syntax is not None else None
    if not found or syntax is None or not isinstance(node, ast.Subscript):
        return found
    return (_with_the_others(problem, syntax, node, found[0]),)


def _with_the_others(problem: Problem, syntax: Syntax, node: ast.Subscript, fix: Fix) -> Fix:
    """Return the fix with the statement's other cuts of the same text; only shown where reading all may be wrong.

    Of several cuts in one statement one is reported: to mend that one alone would put two ways of reading together.
    """
    subject = syntax.source(node.value)
    tests = (one.test for one in syntax.ancestors(node) if isinstance(one, ast.If | ast.IfExp))
    if any(f"len({subject})" in syntax.source(test) for test in tests):
        return _only_shown(fix, "A test around asks how many characters there are, and the code may count on that.")
    sample, edits = str(problem.fact("sample") or ""), list(fix.edits)
    changed = [where for edit in fix.edits if (where := syntax.lines.range(edit.span)) is not None]
    for other in _cuts(syntax, node):
        start, end = syntax.bounds(other)
        if any(first <= start and end <= last for first, last in changed):
            continue
        whole = _whole_part(subject, other.slice, sample)
        if whole is None:
            return _only_shown(
                fix, f"The statement also takes `{syntax.source(other)}`, a fixed place of the same text."
            )
        edits.append(syntax.edit(problem.finding.span.path, other, whole))
    return replace(fix, edits=tuple(edits))


def _only_shown(fix: Fix, doubt: str) -> Fix:
    return replace(fix, safety=Safety.DISPLAY, reason=f"{doubt} So it is only shown.")


def _cuts(syntax: Syntax, node: ast.Subscript) -> Iterator[ast.Subscript]:
    """Yield the other subscripts of the same text in the simple statement around a node that count characters."""
    statement, subject = syntax.statement(node), syntax.source(node.value)
    if statement is None or isinstance(statement, ast.If | ast.While | ast.For | ast.With | ast.Try | ast.Match):
        return
    for other in ast.walk(statement):
        if not isinstance(other, ast.Subscript) or other is node or not _is_fixed(other.slice):
            continue
        if syntax.source(other.value) == subject:
            yield other


def _is_fixed(index: ast.expr) -> bool:
    """Return whether an index counts characters from the beginning: `[0]`, `[2:]`, `[:2]`, not `[-1]`, `[:-1]`."""
    parts = [index.lower, index.upper] if isinstance(index, ast.Slice) else [index]
    known = [part for part in parts if part is not None]
    return bool(known) and all(isinstance(part, ast.Constant) and isinstance(part.value, int) for part in known)


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
    rest, without_suffix = _rest(second)
    head = _character(first)
    if head is not None and rest is not None and head[1] == 0 and syntax.source(head[0]) == syntax.source(rest):
        source = syntax.source(rest)
        return f'"".join({source}.split("+")[0].split("."))' if without_suffix else f'"".join({source}.split("."))'
    match head, _character(second):
        case (ast.expr() as text, 0), (ast.expr() as other, 2) if syntax.source(text) == syntax.source(other):
            return f'"".join({syntax.source(text)}.split("+")[0].split("."))'
        case (ast.expr() as text, 0), (ast.expr() as other, 1) if syntax.source(text) == syntax.source(other):
            whole = syntax.source(text)
            return f'"".join(map(str, {whole}))' if isinstance(first, ast.Call) else whole
        case _:
            return None


def _rest(node: ast.expr) -> tuple[ast.expr | None, bool]:
    """Return the text of `text[2:]`, and whether what follows a `+` is cut off: `text[2:].split("+")[0]`."""
    match node:
        case ast.Subscript(
            value=ast.Call(func=ast.Attribute(value=inner, attr="split"), args=[ast.Constant(value="+")]),
            slice=ast.Constant(value=0),
        ):
            return _rest(inner)[0], True
        case ast.Subscript(
            value=ast.Name() | ast.Attribute() as text,
            slice=ast.Slice(lower=ast.Constant(value=2), upper=None, step=None),
        ):
            return text, False
        case _:
            return None, False


def _character(node: ast.expr) -> tuple[ast.expr, int] | None:
    match node:
        case ast.Call(func=ast.Name(id="str"), args=[inner]):
            return _character(inner)
        case ast.Subscript(value=ast.Name() | ast.Attribute() as text, slice=ast.Constant(value=int() as index)):
            return text, index
        case _:
            return None
