"""Give an open range its upper end, so that what it leads to is for those only that it was made for."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from hwlint.fix.keys import constant_of
from hwlint.fix.problem import Problem
from hwlint.fix.rewrite import compares, in_form, shortened
from hwlint.fix.syntax import Syntax, parse
from hwlint.fix.wording import listed, verb
from hwlint.hardware.targets import current
from hwlint.model.architecture import Architecture, Vendor
from hwlint.model.finding import Edit, Fix, Safety

_LEAST_TWO_DIGITS = 50
"""From here up a number is a capability in the form 90; below it is a major number."""
_LEAST_MAJOR = 5
"""Below this a number is a minor number, or none of a capability at all."""
_OWN_LINE = re.compile(r"([ \t]*)or\b")
"""A line that begins with another alternative."""
_REST = re.compile(r"[ \t]*(?:#[^\r\n]*)?(?=[\r\n])")
"""What may follow on a line: nothing but a comment."""
_WHOM = re.compile(r"(?<![A-Za-z])(?:sm_?(?:9|1\d)\d[af]?|hopper|blackwell)(?![A-Za-z0-9])", re.IGNORECASE)
"""Words for an architecture whose code does not run on later ones; what is made for 8.x mostly does."""
_Bounded = tuple[Edit, str, tuple[int, int], str]
"""An edit, what the title shows of it, the first capability that it keeps out, and the code that these come to."""
_LEAVES = ast.Return | ast.Raise | ast.Continue | ast.Break


def bound_range(problem: Problem) -> tuple[Fix, ...]:
    """Return the fix that keeps the finding's architectures out of what the test leads to.

    The test is the one at the finding, the nearest one around it, or an earlier one that leaves for older
    architectures. Unsafe: they take the way of what the test leaves out, which has not run there. Only shown where the
    bound would keep out others too, and for architectures that are not NVIDIA's, whose numbers tell no order.
    """
    path = problem.finding.span.path
    text = problem.texts(path)
    syntax = parse(text) if text is not None else None
    lowest = next((one.capability for one in problem.targets if one.capability is not None), None)
    if syntax is None or lowest is None:
        return ()
    for edit, shown, bound, way in (*_upper_ends(problem, syntax, lowest), *_exits(problem, syntax, lowest)):
        alone = not _also_kept_out(problem, bound)
        names = listed([one.name for one in problem.targets])
        reason = (
            f"What the test leads to was not made for {names}; with an upper end "
            f"{verb(problem.targets, 'it takes', 'they take')} the way of what the test leaves out, which has not run "
            "there."
        )
        if not alone:
            reason += " The bound would keep out other architectures too, so it is only shown."
        elsewhere = _WHOM.search(way)
        if elsewhere:
            reason += f" That way speaks of `{elsewhere.group()}`, which is another architecture, so it is only shown."
        safety = Safety.UNSAFE if alone and not elsewhere else Safety.DISPLAY
        return (Fix(f"Bound the range: `{shortened(shown)}`", safety, reason, (edit,)),)
    return ()


def _else_of(syntax: Syntax, test: ast.expr) -> str:
    """Return the text of the plain `else` behind the test that holds this one, with its comments."""
    start, end = syntax.bounds(test)
    for branch in ast.walk(syntax.tree):
        if not isinstance(branch, ast.If) or not branch.orelse or _goes_on_as_elif(syntax, branch):
            continue
        first, last = syntax.bounds(branch.test)
        if first <= start and end <= last:
            return syntax.text[syntax.bounds(branch.body[-1])[1] : syntax.bounds(branch.orelse[-1])[1]]
    return ""


def _goes_on_as_elif(syntax: Syntax, branch: ast.If) -> bool:
    first = branch.orelse[0]
    return isinstance(first, ast.If) and syntax.text.startswith("elif", syntax.bounds(first)[0])


def _upper_ends(problem: Problem, syntax: Syntax, lowest: tuple[int, int]) -> Iterator[_Bounded]:
    """Yield `x >= 9` at the finding or around it, as `9 <= x < 10`."""
    for node, left, operator, right in [*compares(problem, syntax), *_compares_around(problem, syntax)]:
        found = _bound_in_form(syntax.source(right), lowest)
        if found is None or not isinstance(operator, ast.GtE | ast.Gt):
            continue
        written, bound = found
        sign = "<=" if isinstance(operator, ast.GtE) else "<"
        new = f"{syntax.source(right)} {sign} {syntax.source(left)} < {written}"
        yield syntax.edit(problem.finding.span.path, node, new), new, bound, _else_of(syntax, node)


def _exits(problem: Problem, syntax: Syntax, lowest: tuple[int, int]) -> Iterator[_Bounded]:
    """Yield earlier tests such as `if x < 10: return`, as `x < 10 or x >= 11`, nearest first.

    Only tests that the finding names as the guard count: a number alone does not tell that it is a capability.
    """
    guard = str(problem.fact("guard") or "")
    place = syntax.at(problem.finding.span)
    statement = syntax.statement(place) if place is not None else None
    while statement is not None and guard:
        block = syntax.block(statement)
        for earlier in reversed(block[: block.index(statement)]):
            if not isinstance(earlier, ast.If) or earlier.orelse or not isinstance(earlier.body[-1], _LEAVES):
                continue
            for test in _alternatives(earlier.test):
                found = _bound_in_form(syntax.source(test.comparators[0]), lowest) if len(test.ops) == 1 else None
                if found is not None and isinstance(test.ops[0], ast.Lt) and syntax.source(test) in guard:
                    added = f"or {syntax.source(test.left)} >= {found[0]}"
                    shown = f"{syntax.source(test)} {added}"
                    way = syntax.text[syntax.bounds(earlier.test)[1] : syntax.bounds(earlier.body[-1])[1]]
                    yield _appended(problem.finding.span.path, syntax, earlier.test, added), shown, found[1], way
        outer = syntax.parent(statement)
        statement = outer if isinstance(outer, ast.If | ast.With | ast.Try | ast.For) else None


def _appended(path: str, syntax: Syntax, test: ast.expr, added: str) -> Edit:
    """Return the edit that puts another alternative behind a test, on its own line where the others have theirs."""
    end = syntax.bounds(test)[1]
    last = test.values[-1] if isinstance(test, ast.BoolOp) else test
    start = syntax.lines.line_start(syntax.bounds(last)[0])
    before = _OWN_LINE.match(syntax.text, start)
    if before is None or test.lineno == last.lineno or test.end_lineno != last.end_lineno:
        return Edit(syntax.lines.span(path, end, end), f" {added}")
    rest = _REST.match(syntax.text, end)
    at = rest.end() if rest is not None else end
    return Edit(syntax.lines.span(path, at, at), f"{syntax.lines.newline()}{before[1]}{added}")


def _alternatives(test: ast.expr) -> list[ast.Compare]:
    values = test.values if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.Or) else [test]
    return [one for one in values if isinstance(one, ast.Compare)]


def _compares_around(problem: Problem, syntax: Syntax) -> Iterator[tuple[ast.Compare, ast.expr, ast.cmpop, ast.expr]]:
    """Yield the plain comparisons in the tests that have to hold for the place to be reached, innermost first."""
    node = syntax.at(problem.finding.span)
    inner: ast.AST | None = node
    for outer in syntax.ancestors(node) if node is not None else ():
        if isinstance(outer, ast.If | ast.IfExp):
            body = outer.body if isinstance(outer.body, list) else [outer.body]
            tests = [one for one in ast.walk(outer.test) if isinstance(one, ast.Compare)] if inner in body else []
            yield from ((one, one.left, one.ops[0], one.comparators[0]) for one in tests if len(one.ops) == 1)
        inner = outer


def _bound_in_form(source: str, capability: tuple[int, int]) -> tuple[str, tuple[int, int]] | None:
    """Return a capability as an exclusive bound written like `source`, and what it stands for; None where none fits."""
    literal = constant_of(source)
    if isinstance(literal, int) and literal < _LEAST_TWO_DIGITS:
        fits = not isinstance(literal, bool) and _LEAST_MAJOR <= literal < capability[0]
        return (str(capability[0]), (capability[0], 0)) if fits else None
    if not isinstance(literal, int | tuple):
        return None
    written = in_form(source, capability)
    return (written, capability) if written is not None and literal < ast.literal_eval(written) else None


def _also_kept_out(problem: Problem, bound: tuple[int, int]) -> bool:
    """Return whether the bound keeps out an architecture of today that is not of the finding.

    The finding names those of the run: a mate that came later and was not asked about fares as they do.
    """
    targets = problem.targets
    if any(one.vendor is not Vendor.NVIDIA for one in targets):
        return True
    oldest: dict[str, Architecture] = {}
    for one in targets:
        oldest.setdefault(one.family, one)
    for one in current(problem.catalogue):
        if one.capability is None or one.capability < bound:
            continue
        mate = oldest.get(one.family)
        if one not in targets and (mate is None or (mate.capability or (0, 0)) > one.capability):
            return True
    return False
