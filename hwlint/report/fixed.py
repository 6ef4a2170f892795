"""Write what a run of fix did, for people: what is mended, what is not and why, and how many files changed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hwlint.model.finding import Finding, Fix, Safety
from hwlint.report.closing import counted
from hwlint.report.display import printable
from hwlint.report.styles import Painter, Style

Told = tuple[Finding, Fix, str]
"""A finding, the fix that was meant for it, and what there is to say of it in a sentence (may be empty)."""


def render_fixed(
    applied: Sequence[Told],
    refused: Sequence[Told],
    files: int,
    painter: Painter,
    *,
    would: bool = False,
) -> str:
    """Return one line for each fix, and one that counts; empty where nothing was tried.

    `files` is the number of files that changed. With `would` nothing was written, and the lines say so.
    """
    word = "would fix" if would else "fixed"
    lines = [*_lines(applied, word, Style.ADDED, painter), *_lines(refused, "not fixed", Style.REMOVED, painter)]
    if applied:
        done = "Would fix" if would else "Fixed"
        unsafe = sum(one.safety is Safety.UNSAFE for _, one, _ in applied)
        beware = ""
        if unsafe and not would:
            beware = (
                f"; {unsafe:,} are unsafe: run what they enable" if unsafe > 1 else "; 1 is unsafe: run what it enables"
            )
        lines.append(f"{done} {counted(len(applied), 'finding')} in {counted(files, 'file')}{beware}.")
    return "".join(f"{line}\n" for line in lines)


def _lines(told: Sequence[Told], word: str, style: Style, painter: Painter) -> Iterator[str]:
    for finding, one, sentence in sorted(told, key=lambda each: (each[0].span, each[0].rule, each[1].title)):
        span = finding.span
        place = painter.paint(f"{printable(span.path)}:{span.line}:{span.column}", Style.PLACE)
        rule = painter.paint(finding.rule, Style.RULE)
        safety = f" ({one.safety.value})"
        more = f": {printable(sentence)}" if sentence else ""
        yield f"{place}: {rule} {painter.paint(word, style)}: {printable(one.title)}{safety}{more}"
