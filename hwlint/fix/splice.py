"""Put edits into a text without touching anything outside them."""

from __future__ import annotations

import itertools
import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from hwlint.model.finding import Edit
from hwlint.model.span import Span

LINE_END = re.compile(r"\r\n|\r|\n")
"""What ends a line of Python source; form feeds, vertical tabs and Unicode separators do not."""


@dataclass(frozen=True, slots=True)
class SpliceFailure:
    """Why a set of edits cannot be applied; `edit` is the one at fault."""

    reason: str
    edit: Edit


class Lines:
    """Where each line of a text starts and ends, to turn spans into offsets and back.

    Lines and columns are 1-based, offsets 0-based; columns and offsets count code points. The column just after the
    last character of a line, before its line ending, is the largest that exists.
    """

    __slots__ = ("_ends", "_starts", "text")

    def __init__(self, text: str) -> None:
        """Index `text` once."""
        breaks = [match.span() for match in LINE_END.finditer(text)]
        self.text = text
        self._starts = [0, *(end for _, end in breaks)]
        self._ends = [*(start for start, _ in breaks), len(text)]

    def offset(self, line: int, column: int) -> int | None:
        """Return the offset of a position, or None where the text has no such position."""
        if not 1 <= line <= len(self._starts):
            return None
        found = self._starts[line - 1] + column - 1
        return found if self._starts[line - 1] <= found <= self._ends[line - 1] else None

    def position(self, offset: int) -> tuple[int, int]:
        """Return the line and column of an offset; one inside a line ending counts as the end of its line."""
        line = bisect_right(self._starts, offset)
        return line, min(offset, self._ends[line - 1]) - self._starts[line - 1] + 1

    def line_start(self, offset: int) -> int:
        """Return the offset of the first character of the line that holds `offset`."""
        return self._starts[bisect_right(self._starts, offset) - 1]

    def line_end(self, offset: int) -> int:
        """Return the offset just after the last character of the line that holds `offset`, before its line ending."""
        return self._ends[bisect_right(self._starts, offset) - 1]

    def span(self, path: str, start: int, end: int) -> Span:
        """Return the span between two offsets."""
        return Span(path, *self.position(start), *self.position(end))

    def range(self, span: Span) -> tuple[int, int] | None:
        """Return the offsets of a span, or None where it does not lie in the text or ends before it starts."""
        start, end = self.offset(span.line, span.column), self.offset(span.end_line, span.end_column)
        return None if start is None or end is None or end < start else (start, end)

    def newline(self) -> str:
        """Return the text's first line ending, or a line feed where it has none."""
        found = LINE_END.search(self.text)
        return found.group() if found else "\n"


def splice(text: str, edits: Iterable[Edit]) -> str | SpliceFailure:
    """Return `text` with every edit applied, or the first reason why that cannot be done.

    Each span is checked against the text. Edits may touch but not overlap, and two different insertions at one place
    are refused because their order would be a guess; an edit given twice counts once. The order of `edits` does not
    matter.
    """
    lines = Lines(text)
    placed: list[tuple[int, int, Edit]] = []
    for edit in dict.fromkeys(edits):
        where = lines.range(edit.span)
        if where is None:
            return SpliceFailure("the span does not lie in the text", edit)
        placed.append((*where, edit))
    placed.sort(key=lambda place: place[:2])
    clash = _first_clash(placed)
    if clash is not None:
        return SpliceFailure("it overlaps another edit", clash)
    pieces: list[str] = []
    done = 0
    for start, end, edit in placed:
        pieces += text[done:start], edit.text
        done = end
    return "".join([*pieces, text[done:]])


def clashes(first: Sequence[Edit], second: Sequence[Edit]) -> bool:
    """Return whether two sets of edits touch the same text in different ways and so cannot both be applied."""
    return any(_clash(a, b) for a in first for b in second if a != b)


def _first_clash(placed: Sequence[tuple[int, int, Edit]]) -> Edit | None:
    for (start, end, _), (next_start, next_end, edit) in itertools.pairwise(placed):
        if next_start < end or (start, end) == (next_start, next_end):
            return edit
    return None


def _clash(first: Edit, second: Edit) -> bool:
    a, b = first.span, second.span
    if a.path != b.path:
        return False
    a_start, a_end = (a.line, a.column), (a.end_line, a.end_column)
    b_start, b_end = (b.line, b.column), (b.end_line, b.end_column)
    if (a_start, a_end) == (b_start, b_end):
        return True
    return a_start < b_end and b_start < a_end
