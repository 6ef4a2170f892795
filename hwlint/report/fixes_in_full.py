"""Show the fixes of a finding: what each changes, how safe it is and why, and what running it has proved."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence

from hwlint.model.finding import Edit, Finding, Fix, Safety
from hwlint.report.display import lay_out, printable
from hwlint.report.source_lines import SourceLines
from hwlint.report.styles import Painter, Style

_SAFETY_WORDS = {
    Safety.SAFE: "safe: changes nothing on architectures that work today",
    Safety.UNSAFE: "unsafe: lets architectures into code that may not have run there",
    Safety.DISPLAY: "a suggestion to read, never applied",
}
_MOST_ROWS = 12
"""Rows of one edit beyond this are counted instead of shown."""


def fixes_in_full(finding: Finding, lines: SourceLines, painter: Painter, width: int) -> Iterator[str]:
    """Yield the rows for every fix of `finding`, in the order offered."""
    for fix in finding.fixes:
        yield ""
        word = "applied" if fix.applied else "fix"
        yield from _titled(f"{word}: {printable(fix.title)}", painter, width)
        yield from _indented(_SAFETY_WORDS[fix.safety], width)
        donor = f"copied from {printable(fix.donor)}; " if fix.donor else ""
        if donor or fix.reason:
            yield from _indented(f"{donor}{printable(fix.reason)}".removesuffix("; "), width)
        yield from _indented(_confirmation(fix), width)
        if fix.refused:
            yield from _indented(f"not applied: {printable(fix.refused)}", width)
        if not fix.applied:
            for edits in _grouped(fix.edits):
                yield from _edits(edits, lines, painter, width)


def _titled(text: str, painter: Painter, width: int) -> Iterator[str]:
    rows = textwrap.wrap(text, width, initial_indent="  ", subsequent_indent="    ", break_long_words=False)
    head, _, rest = rows[0].strip().partition(":")
    yield f"  {painter.paint(f'{head}:', Style.PLACE)}{rest}"
    yield from rows[1:]


def _indented(text: str, width: int) -> list[str]:
    return textwrap.wrap(text, width, initial_indent="    ", subsequent_indent="    ", break_long_words=False)


def _confirmation(fix: Fix) -> str:
    """Say what is known from running the fix; a copied value that has not run is called a guess."""
    if fix.confirmation is None:
        return "not run on a device yet: the copied value is a guess" if fix.donor else ""
    verdict = printable(str(fix.confirmation.get("verdict", "recorded")))
    device = fix.confirmation.get("device")
    name = device.get("name") if isinstance(device, Mapping) else device
    reason = fix.confirmation.get("reason")
    return f"{verdict}{f' on {printable(str(name))}' if name else ''}{f': {printable(str(reason))}' if reason else ''}"


def _grouped(edits: Sequence[Edit]) -> Iterator[list[Edit]]:
    """Yield the edits in order, those that share a line together."""
    group: list[Edit] = []
    for edit in sorted(edits, key=lambda edit: (edit.span, edit.text)):
        if group and (edit.span.path != group[-1].span.path or edit.span.line > group[-1].span.end_line):
            yield group
            group = []
        group.append(edit)
    if group:
        yield group


def _edits(edits: Sequence[Edit], lines: SourceLines, painter: Painter, width: int) -> Iterator[str]:
    """Yield what edits of neighbouring text do as removed and added lines, whole lines where the source is at hand."""
    removed, added = _changed_lines(edits, lines)
    span = edits[0].span
    yield f"      {painter.paint(f'{printable(span.path)}:{span.line}', Style.PLACE)}"
    rows = [("-", text, Style.REMOVED) for text in removed] + [("+", text, Style.ADDED) for text in added]
    for sign, text, style in rows[:_MOST_ROWS]:
        yield f"      {painter.paint(f'{sign} {lay_out(text, 1, 1, max(width - 8, 24)).text}'.rstrip(), style)}"
    if len(rows) > _MOST_ROWS:
        yield f"      ... {len(rows) - _MOST_ROWS} more lines"


def _changed_lines(edits: Sequence[Edit], lines: SourceLines) -> tuple[list[str], list[str]]:
    """Return the lines that the edits take away and the ones they put there, without those that stay as they are."""
    path, start, end = edits[0].span.path, edits[0].span.line, edits[-1].span.end_line
    old = lines.lines(path)[start - 1 : end]
    if len(old) <= end - start:
        return [], [row for edit in edits for row in edit.text.splitlines()]
    pieces, line, column = [], start, 1
    for edit in edits:
        span = edit.span
        pieces += [_between(old, start, (line, column), (span.line, span.column)), edit.text]
        line, column = span.end_line, span.end_column
    new = "".join([*pieces, _between(old, start, (line, column), (end, len(old[-1]) + 1))]).splitlines() or [""]
    while old and new and old[0] == new[0]:
        old, new = old[1:], new[1:]
    while old and new and old[-1] == new[-1]:
        old, new = old[:-1], new[:-1]
    return old, new


def _between(rows: Sequence[str], first: int, start: tuple[int, int], end: tuple[int, int]) -> str:
    """Return the text between two positions (line, column) of `rows`, whose first line has the number `first`."""
    if start[0] == end[0]:
        return rows[start[0] - first][start[1] - 1 : end[1] - 1]
    middle = rows[start[0] - first + 1 : end[0] - first]
    return "\n".join([rows[start[0] - first][start[1] - 1 :], *middle, rows[end[0] - first][: end[1] - 1]])
