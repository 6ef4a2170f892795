"""Write what a run of fix did, for people: what is mended, what is not and why, and how many files changed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hwlint.model.finding import Finding, Fix, Level, Safety
from hwlint.report.closing import counted
from hwlint.report.display import printable
from hwlint.report.styles import Painter, Style

Told = tuple[Finding, Fix, str]
"""A finding, the fix that was meant for it, and what there is to say of it in a sentence (may be empty)."""


def render_fixed(
    applied: Sequence[Told],
    refused: Sequence[Told],
    along: Sequence[Told],
    files: int,
    painter: Painter,
    *,
    would: bool = False,
) -> str:
    """Return one line for each fix, and one that counts; empty where nothing was tried.

    `along` are findings that other fixes mend, `files` is the number of files that changed. With `would` nothing was
    written, and the lines say so.
    """
    word = "would fix" if would else "fixed"
    lines = [
        *_lines(applied, word, Style.ADDED, painter),
        *_lines(along, f"{word} along", Style.ADDED, painter),
        *_lines(refused, "not fixed", Style.REMOVED, painter),
    ]
    if applied:
        done = "Would fix" if would else "Fixed"
        unsafe = sum(one.safety is Safety.UNSAFE for _, one, _ in applied)
        beware = ""
        if unsafe and not would:
            beware = (
                f"; {unsafe:,} are unsafe: run what they enable" if unsafe > 1 else "; 1 is unsafe: run what it enables"
            )
        lines.append(f"{done} {counted(len(applied) + len(along), 'finding')} in {counted(files, 'file')}{beware}.")
    return "".join(f"{line}\n" for line in lines)


def _lines(told: Sequence[Told], word: str, style: Style, painter: Painter) -> Iterator[str]:
    for finding, one, sentence in sorted(told, key=lambda each: (each[0].span, each[0].rule, each[1].title)):
        span = finding.span
        place = painter.paint(f"{printable(span.path)}:{span.line}:{span.column}", Style.PLACE)
        rule = painter.paint(finding.rule, Style.RULE)
        safety = f" ({one.safety.value})"
        more = f": {printable(sentence)}" if sentence else ""
        yield f"{place}: {rule} {painter.paint(word, style)}: {printable(one.title)}{safety}{more}"


def render_left(findings: Sequence[Finding], *, unsafe: bool) -> str:
    """Return what a run of fix leaves to the user: fixes that only --unsafe-fixes takes, and suggestions.

    `findings` are those of before, with what was done to their fixes; `unsafe` says whether unsafe fixes were taken.
    Empty where nothing is left of either kind.
    """
    open_ones = [finding for finding in findings if finding.suppressed is None]
    kinds = [_kind_left(finding) for finding in open_ones]
    risky, shown = kinds.count(Safety.UNSAFE), kinds.count(Safety.DISPLAY)
    lines = []
    if risky and not unsafe:
        have = "has only an unsafe fix" if risky == 1 else "have only unsafe fixes"
        lines.append(
            f"{counted(risky, 'finding')} {have}: add --unsafe-fixes to see and take what enables untested code."
        )
    if shown:
        have = "has only a suggestion" if shown == 1 else "have only suggestions"
        them = "it" if shown == 1 else "them"
        told = zip(kinds, open_ones, strict=True)
        deeper = (
            " --level note" if any(kind is Safety.DISPLAY and one.level is Level.NOTE for kind, one in told) else ""
        )
        lines.append(f"{counted(shown, 'finding')} {have}: `hwlint check --output-format full{deeper}` shows {them}.")
    return "".join(f"{line}\n" for line in lines)


def _kind_left(finding: Finding) -> Safety | None:
    """Return the safest kind of fix that was offered and not tried; None where one was tried, or none was offered."""
    if any(one.applied or one.refused for one in finding.fixes):
        return None
    kinds = {one.safety if one.edits else Safety.DISPLAY for one in finding.fixes}
    return next((kind for kind in (Safety.SAFE, Safety.UNSAFE, Safety.DISPLAY) if kind in kinds), None)
