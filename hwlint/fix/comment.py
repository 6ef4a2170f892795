"""Take out a suppression comment that suppresses nothing."""

from __future__ import annotations

import re

from hwlint.fix.problem import Problem
from hwlint.fix.splice import Lines
from hwlint.model.finding import Edit, Fix, Safety

_COMMENT = re.compile(r"#\s*hwlint:\s*ignore(?:-file)?\s*(?:\[([^\]\r\n]*)\])?")


def remove_comment(problem: Problem) -> tuple[Fix, ...]:
    """Return the fix that removes the comment at the finding's span, or the idle rules from its list.

    The fact `idle` names the rules that it need not name; without it only a comment that names at most one goes. Other
    words on the line stay.
    """
    span = problem.finding.span
    text = problem.texts(span.path)
    lines = Lines(text) if text is not None else None
    where = lines.range(span) if lines is not None else None
    found = _COMMENT.match(lines.text, *where) if lines is not None and where is not None else None
    if lines is None or found is None:
        return ()
    named = [rule.strip() for rule in (found.group(1) or "").split(",") if rule.strip()]
    idle = problem.fact("idle")
    kept = [rule for rule in named if rule not in idle] if isinstance(idle, tuple | list | frozenset) else []
    if kept:
        edit = Edit(lines.span(span.path, found.start(1), found.end(1)), ", ".join(kept))
    elif len(named) > 1 and not idle:
        return ()
    else:
        edit = Edit(lines.span(span.path, *_around(lines, found.start(), found.end())), "")
    return (Fix("Remove the comment that suppresses nothing", Safety.SAFE, "No code changes.", (edit,)),)


def _around(lines: Lines, start: int, end: int) -> tuple[int, int]:
    """Widen a comment to the blanks before it, or to its line where nothing else stands there."""
    first, last = lines.line_start(start), lines.line_end(end)
    before = lines.text[first:start]
    if lines.text[end:last].strip():
        return start, end + len(lines.text[end:last]) - len(lines.text[end:last].lstrip())
    if before.strip():
        return first + len(before.rstrip()), last
    following = lines.offset(lines.position(last)[0] + 1, 1)
    return first, last if following is None else following
