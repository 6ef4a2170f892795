"""Bring what a look at one file found in line with what the last check of the whole project reported there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from hwlint.model.finding import Finding
from hwlint.model.span import Span
from hwlint.source.lines import split_lines


@dataclass(frozen=True, slots=True)
class Shown:
    """One finding as the editor shows it; `current` where it was found in the very text that the editor shows."""

    finding: Finding
    current: bool = True


def settle(
    now: Sequence[Finding], before: Sequence[Finding], checked: Sequence[Finding], old: str, new: str
) -> tuple[Shown, ...]:
    """Return what to show for the text `new`, in the order of places.

    `now` is what a look at `new` found, `before` what one at `old` found, and `checked` what the check of the whole
    project found in `old`. What only the whole project shows is kept, moved with its line; what only the look shows is
    left out.
    """
    alone = {one.fingerprint for one in before}
    together = {one.fingerprint for one in checked}
    spurious = alone - together
    found = {one.fingerprint for one in now}
    kept = [Shown(one) for one in now if one.fingerprint not in spurious]
    rest = [one for one in checked if one.fingerprint not in alone and one.fingerprint not in found]
    return tuple(sorted([*kept, *moved(rest, old, new)], key=lambda one: (one.finding.span, one.finding.rule)))


def moved(findings: Sequence[Finding], old: str, new: str) -> tuple[Shown, ...]:
    """Move findings in `old` to where their lines are in `new`; those on lines that have changed are left out."""
    if old == new:
        return tuple(Shown(one) for one in findings)
    then, now = split_lines(old), split_lines(new)
    shorter = min(len(then), len(now))
    first = next((at for at in range(shorter) if then[at] != now[at]), shorter)
    last = next((at for at in range(shorter - first) if then[-1 - at] != now[-1 - at]), shorter - first)
    shift, tail = len(now) - len(then), len(then) - last
    found: list[Shown] = []
    for one in findings:
        if one.span.end_line <= first:
            found.append(Shown(one, current=False))
        elif one.span.line > tail:
            found.append(Shown(replace(one, span=_lower(one.span, shift)), current=False))
    return tuple(found)


def _lower(span: Span, lines: int) -> Span:
    return replace(span, line=span.line + lines, end_line=span.end_line + lines)
