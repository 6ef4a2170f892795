"""Draw a stretch of source with its line numbers and carets under the part that matters."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from hwlint.model.span import Span
from hwlint.report.display import Laid, cells, lay_out, printable
from hwlint.report.source_lines import SourceLines
from hwlint.report.styles import Painter, Style

_HEAD_LINES = 7
"""A marked stretch longer than this and its last line is cut in the middle."""
_LEAST_WIDTH = 24


def excerpt(
    lines: SourceLines,
    span: Span,
    label: str,
    painter: Painter,
    *,
    style: Style,
    width: int,
    gutter: int,
    before: int = 0,
    after: int = 0,
) -> Iterator[str]:
    """Yield the rows that show `span`, with `before` and `after` lines around it; none where the source is missing.

    A span on one line gets carets below it. Of a longer one the first line gets them, and every line of it a `>` in
    the margin. `gutter` is the width of the line numbers, `width` that of the terminal, both in cells.
    """
    if lines.line(span.path, span.line) is None:
        return
    room = max(width - gutter - 3, _LEAST_WIDTH)
    several = span.end_line > span.line
    for number in _numbers(lines, span, before, after):
        if number is None:
            yield _row("", "...", "|", gutter, painter)
            continue
        text = lines.line(span.path, number) or ""
        inside = span.line <= number <= span.end_line
        first, last = _columns(text, span) if number == span.line else (1, 1)
        laid = lay_out(text, first, last, room)
        yield _row(str(number), laid.text, ">" if several and inside else "|", gutter, painter)
        if number == span.line:
            for marks in _marks(laid, printable(label), room, painter, style):
                yield _row("", marks, "|", gutter, painter)


def gutter_width(*spans: Span) -> int:
    """Return the width of the longest line number that excerpts of `spans` may show."""
    return max((len(str(span.end_line + 1)) for span in spans), default=1)


def _numbers(lines: SourceLines, span: Span, before: int, after: int) -> Iterator[int | None]:
    """Yield the line numbers to show, None where some are left out; blank lines at the edges are not worth a row."""
    top, bottom = max(1, span.line - before), min(len(lines.lines(span.path)), span.end_line + after)
    while top < span.line and not (lines.line(span.path, top) or "").strip():
        top += 1
    while bottom > span.end_line and not (lines.line(span.path, bottom) or "").strip():
        bottom -= 1
    cut_from, cut_to = span.line + _HEAD_LINES, span.end_line - 1
    if cut_to - cut_from < 1:
        yield from range(top, bottom + 1)
        return
    yield from range(top, cut_from)
    yield None
    yield from range(cut_to + 1, bottom + 1)


def _marks(laid: Laid, label: str, room: int, painter: Painter, style: Style) -> Iterator[str]:
    """Yield the carets, and the label beside them, or on rows of its own where there is no room."""
    indent, carets = " " * laid.start, "^" * (laid.end - laid.start)
    if laid.end + 1 + cells(label) <= room:
        yield indent + painter.paint(f"{carets} {label}".rstrip(), style)
        return
    yield indent + painter.paint(carets, style)
    for row in textwrap.wrap(label, max(room - laid.start, _LEAST_WIDTH)):
        yield " " * min(laid.start, max(room - cells(row), 0)) + painter.paint(row, style)


def _columns(text: str, span: Span) -> tuple[int, int]:
    """Return the columns to mark on the first line of `span`."""
    return (span.column, span.end_column) if span.line == span.end_line else (span.column, len(text.rstrip()) + 1)


def _row(number: str, text: str, bar: str, gutter: int, painter: Painter) -> str:
    return f"{painter.paint(f'{number:>{gutter}} {bar}', Style.GUTTER)} {text}".rstrip()
