"""Give a chain of architecture branches an explicit last one that says what it does not know."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from hwlint.fix.problem import Problem
from hwlint.fix.syntax import Syntax, parse
from hwlint.fix.wording import listed, names, verb
from hwlint.model.finding import Certainty, Edit, Fix, Safety

_LEAST_BRANCHES = 2
_LEAST_TWO_DIGITS = 50
"""From here on a number is major * 10 + minor; below it is a major number."""

_PLAIN = re.compile(r"[\w.]+")
"""Texts that can stand in an f-string as they are."""

_RANGES: dict[type[ast.cmpop], str] = {
    ast.Eq: "{}",
    ast.LtE: "up to {}",
    ast.Lt: "below {}",
    ast.GtE: "{} and up",
    ast.Gt: "above {}",
}


def add_branch(problem: Problem) -> tuple[Fix, ...]:
    """Return the fix that ends a chain of branches without `else` in one that raises and names what it tested.

    Safe where the hardware alone decides, every branch tests one plain value, and whatever fits none of them fails
    anyway: it comes straight to the use of a name that the branches set. Unsafe otherwise: something that fits none
    may work today.
    """
    path = problem.finding.span.path
    text = problem.texts(path)
    syntax = parse(text) if text is not None else None
    if syntax is None:
        return ()
    for node in _candidates(problem, syntax, path):
        chain = _chain(syntax, node)
        if len(chain) >= _LEAST_BRANCHES and not chain[-1].orelse:
            return _fix(problem, syntax, path, chain)
    return ()


def _candidates(problem: Problem, syntax: Syntax, path: str) -> Iterator[ast.If]:
    """Yield the first `if` of chains: inside the finding's span, where its trace ends, and those that set its name."""
    steps = [step.span for step in problem.finding.trace if step.span.path == path]
    heads = [one for one in ast.walk(syntax.tree) if isinstance(one, ast.If) and not _is_elif(syntax, one)]
    inside = {id(one) for one in syntax.within(problem.finding.span)}
    yield from (one for one in heads if id(one) in inside)
    for span in reversed(steps):
        yield from (one for one in heads if syntax.lines.position(syntax.bounds(one)[0]) == (span.line, span.column))
    used = syntax.at(problem.finding.span)
    function = syntax.function(used) if isinstance(used, ast.Name) else None
    if isinstance(used, ast.Name) and function is not None:
        before = [one for one in heads if syntax.function(one) is function and one.lineno < used.lineno]
        yield from (one for one in reversed(before) if all(_sets(part, used.id) for part in _chain(syntax, one)))


def _sets(branch: ast.If, name: str) -> bool:
    """Return whether a branch binds the name, or never comes to its end."""
    if isinstance(branch.body[-1], ast.Return | ast.Raise | ast.Continue | ast.Break):
        return True
    nodes = (one for statement in branch.body for one in ast.walk(statement))
    return any(isinstance(one, ast.Name) and one.id == name and isinstance(one.ctx, ast.Store) for one in nodes)


def _is_elif(syntax: Syntax, node: ast.If) -> bool:
    return syntax.text.startswith("elif", syntax.bounds(node)[0])


def _chain(syntax: Syntax, node: ast.If) -> list[ast.If]:
    chain = [node]
    while len(chain[-1].orelse) == 1:
        (following,) = chain[-1].orelse
        if not isinstance(following, ast.If) or not _is_elif(syntax, following):
            break
        chain.append(following)
    return chain


def _fix(problem: Problem, syntax: Syntax, path: str, chain: list[ast.If]) -> tuple[Fix, ...]:
    subject = _subject(syntax, chain)
    start = syntax.bounds(chain[0])[0]
    indent = syntax.text[syntax.lines.line_start(start) : start]
    body_start = syntax.bounds(chain[-1].body[0])[0]
    body_indent = syntax.text[syntax.lines.line_start(body_start) : body_start]
    if indent.strip(" \t\f") or body_indent.strip(" \t\f"):
        return ()
    who, fit = names(problem.targets), verb(problem.targets, "fits", "fit")
    known = listed(_known(chain))
    if subject and '"' not in subject and known:
        shown = f'f"no branch for {{{subject}}}, only for {known}"'
    else:
        shown = f'"no branch for this architecture ({who} {fit} none)"'
    end = syntax.below_comments(chain[-1].body[-1])
    newline = syntax.lines.newline()
    new = f"{newline}{indent}else:{newline}{body_indent}raise NotImplementedError({shown})"
    certain = problem.finding.certainty is Certainty.CERTAIN
    safe = subject is not None and certain and _comes_straight_to_use(problem, syntax, chain)
    reason = f"{who} {fit} none of the branches; a last one says so there, in words, instead of a failure further on."
    edit = Edit(syntax.lines.span(path, end, end), new)
    return (Fix("Give the chain a last branch that raises", Safety.SAFE if safe else Safety.UNSAFE, reason, (edit,)),)


def _comes_straight_to_use(problem: Problem, syntax: Syntax, chain: list[ast.If]) -> bool:
    """Return whether the finding is the use of a name, in the chain's own block, with no way out between the two."""
    used = syntax.at(problem.finding.span)
    statement = syntax.statement(used) if isinstance(used, ast.Name) else None
    if statement is None:
        return False
    block = syntax.block(chain[0])
    if statement not in block:
        return False
    between = block[block.index(chain[0]) + 1 : block.index(statement)]
    ways_out = ast.Return | ast.Raise | ast.Continue | ast.Break | ast.Assert
    return not any(isinstance(one, ways_out) for part in between for one in ast.walk(part))


def _subject(syntax: Syntax, chain: list[ast.If]) -> str | None:
    """Return the one plain value that every branch compares with a constant, or None."""
    subjects = set()
    for branch in chain:
        match branch.test:
            case ast.Compare(left=ast.Name() | ast.Attribute() | ast.Subscript() as left, comparators=[right]) if (
                _is_constant(right)
            ):
                subjects.add(syntax.source(left))
            case _:
                return None
    return subjects.pop() if len(subjects) == 1 else None


def _known(chain: list[ast.If]) -> list[str]:
    """Return in words what the branches take, or nothing where one of them cannot be put into words."""
    found: list[str] = []
    for branch in chain:
        match branch.test:
            case ast.Compare(ops=[ast.In()], comparators=[ast.Tuple(elts=members) | ast.List(elts=members)]):
                taken = [_version(member) for member in members]
            case ast.Compare(ops=[operator], comparators=[right]) if type(operator) in _RANGES:
                name = _version(right)
                taken = [_RANGES[type(operator)].format(name) if name else None]
            case _:
                return []
        if None in taken:
            return []
        found += [name for name in taken if name is not None]
    return list(dict.fromkeys(found))


def _version(node: ast.expr) -> str | None:
    """Return a constant as people write a compute capability: `8.x`, `9.0`, `sm_90`."""
    match ast.literal_eval(node) if _is_constant(node) else None:
        case bool():
            return None
        case int(major) if 0 < major < _LEAST_TWO_DIGITS:
            return f"{major}.x"
        case int(digits):
            return f"sm_{digits}"
        case (int(major), int(minor)):
            return f"{major}.{minor}"
        case str(text) if _PLAIN.fullmatch(text):
            return text
        case _:
            return None


def _is_constant(node: ast.expr) -> bool:
    try:
        ast.literal_eval(node)
    except ValueError:
        return False
    return True
