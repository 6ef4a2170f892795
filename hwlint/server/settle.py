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


def glimpsed(
    now: Sequence[Finding],
    parts: Sequence[range],
    alone: Sequence[Finding],
    together: Sequence[Finding],
    known: Sequence[Finding],
    old: str,
    new: str,
) -> tuple[Shown, ...]:
    """Return what to show for `new` where only some lines of it, `parts`, were looked at, with what is found `now`.

    `known` is what was last shown, for the text `old`: what lies elsewhere is moved with its line. `alone` and
    `together` are what a look and the check of the whole project found in the same text, as in `settle`.
    """
    seen = {one.fingerprint for one in alone}
    both = {one.fingerprint for one in together}
    found = {one.fingerprint for one in now}
    kept = [Shown(one) for one in now if one.fingerprint not in seen - both]
    rest = [
        one
        for one in moved(known, old, new)
        if one.finding.fingerprint not in found
        and (
            not any(one.finding.span.line in part for part in parts)
            or one.finding.fingerprint in both - seen  # that other files lead to, which nobody has asked yet
        )
    ]
    return tuple(sorted([*kept, *rest], key=lambda one: (one.finding.span, one.finding.rule)))


def moved(findings: Sequence[Finding], old: str, new: str) -> tuple[Shown, ...]:
    """Move findings in `old` to where their lines are in `new`; those on lines that have changed are left out."""
    if old == new:
        return tuple(Shown(one) for one in findings)
    moves = shifts(split_lines(old), split_lines(new)) if findings else {}
    found: list[Shown] = []
    for one in findings:
        shift = moves.get(one.span.line)
        if shift is not None and moves.get(one.span.end_line) == shift:
            found.append(Shown(replace(one, span=_lower(one.span, shift)), current=False))
    return tuple(found)


def shifts(then: Sequence[str], now: Sequence[str]) -> dict[int, int]:
    """For each line (from 1) that is still there, by how many lines it has moved."""
    shorter = min(len(then), len(now))
    first = next((at for at in range(shorter) if then[at] != now[at]), shorter)
    last = next((at for at in range(shorter - first) if then[-1 - at] != now[-1 - at]), shorter - first)
    between = then[first : len(then) - last], now[first : len(now) - last]
    moves = dict.fromkeys(range(1, first + 1), 0)
    if max(map(len, between)) <= MOST_COMPARED:
        for block in SequenceMatcher(None, *between, autojunk=False).get_matching_blocks():
            for at in range(block.size):
                moves[first + block.a + at + 1] = block.b - block.a
    moves.update(dict.fromkeys(range(len(then) - last + 1, len(then) + 1), len(now) - len(then)))
    return moves


def _lower(span: Span, lines: int) -> Span:
    return replace(span, line=span.line + lines, end_line=span.end_line + lines)
