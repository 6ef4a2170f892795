"""Give a chain of architecture branches an explicit last one that says what it does not know."""

from __future__ import annotations

import ast

from hwlint.fix.donors import short
from hwlint.fix.problem import Problem
from hwlint.fix.syntax import Syntax, parse
from hwlint.model.finding import Certainty, Edit, Fix, Safety

_LEAST_BRANCHES = 2


def add_branch(problem: Problem) -> tuple[Fix, ...]:
    """Return the fix that ends a chain of branches without `else` in one that raises and names what it tested.

    Safe where the hardware alone decides and every branch tests one plain value: only architectures that fail now
    reach it, and they fail with a sentence. Unsafe otherwise.
    """
    path = problem.finding.span.path
    text = problem.texts(path)
    syntax = parse(text) if text is not None else None
    if syntax is None:
        return ()
    for node in syntax.within(problem.finding.span):
        if isinstance(node, ast.If) and not _is_elif(syntax, node):
            chain = _chain(syntax, node)
            if len(chain) >= _LEAST_BRANCHES and not chain[-1].orelse:
                return _fix(problem, syntax, path, chain)
    return ()


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
    shown = f'f"no branch for {{{subject}}}"' if subject and '"' not in subject else '"no branch for this architecture"'
    end = syntax.lines.line_end(syntax.bounds(chain[-1])[1])
    newline = syntax.lines.newline()
    new = f"{newline}{indent}else:{newline}{body_indent}raise NotImplementedError({shown})"
    safe = subject is not None and problem.finding.certainty is Certainty.CERTAIN
    who = ", ".join(short(one) for one in problem.targets)
    reason = f"{who} fits none of the branches; with a last branch it fails there, in words, instead of further on."
    edit = Edit(syntax.lines.span(path, end, end), new)
    return (Fix("Give the chain a last branch that raises", Safety.SAFE if safe else Safety.UNSAFE, reason, (edit,)),)


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


def _is_constant(node: ast.expr) -> bool:
    try:
        ast.literal_eval(node)
    except ValueError:
        return False
    return True
