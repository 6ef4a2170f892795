"""Bring what a look at one file found in line with what the last check of the whole project reported there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher

from hwlint.model.finding import Finding
from hwlint.model.span import Span
from hwlint.source.lines import split_lines

MOST_COMPARED = 500
"""Lines between the first and the last change; of more, only those around them are matched."""


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
    shifts = _shifts(split_lines(old), split_lines(new)) if findings else {}
    found: list[Shown] = []
    for one in findings:
        shift = shifts.get(one.span.line)
        if shift is not None and shifts.get(one.span.end_line) == shift:
            found.append(Shown(replace(one, span=_lower(one.span, shift)), current=False))
    return tuple(found)


def _shifts(then: Sequence[str], now: Sequence[str]) -> dict[int, int]:
    """For each line (from 1) that is still there, by how many lines it has moved."""
    shorter = min(len(then), len(now))
    first = next((at for at in range(shorter) if then[at] != now[at]), shorter)
    last = next((at for at in range(shorter - first) if then[-1 - at] != now[-1 - at]), shorter - first)
    between = then[first : len(then) - last], now[first : len(now) - last]
    shifts = dict.fromkeys(range(1, first + 1), 0)
    if max(map(len, between)) <= MOST_COMPARED:
        for block in SequenceMatcher(None, *between, autojunk=False).get_matching_blocks():
            for at in range(block.size):
                shifts[first + block.a + at + 1] = block.b - block.a
    shifts.update(dict.fromkeys(range(len(then) - last + 1, len(then) + 1), len(now) - len(then)))
    return shifts


def _lower(span: Span, lines: int) -> Span:
    return replace(span, line=span.line + lines, end_line=span.end_line + lines)
