"""Apply a fix's edits to a text, and say where a stretch of the old text lies in the new one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from hwlint.model.errors import UsageError
from hwlint.model.finding import Edit
from hwlint.model.span import Span

_LINE_END = re.compile(r"\r\n|\r|\n")


@dataclass(frozen=True, slots=True)
class Text:
    """A file's text with the offsets at which its lines start."""

    content: str
    starts: tuple[int, ...]

    @classmethod
    def of(cls, content: str) -> Text:
        """Index `content`; lines end at LF, CR or CRLF, as in Python's tokenizer."""
        return cls(content, (0, *(found.end() for found in _LINE_END.finditer(content))))

    def offset(self, line: int, column: int) -> int:
        """Return the offset of a 1-based line and column (code points)."""
        if not 1 <= line <= len(self.starts):
            raise UsageError(f"line {line} is outside the file; it has changed since it was checked: check it again")
        return min(self.starts[line - 1] + column - 1, len(self.content))

    def range_of(self, span: Span) -> tuple[int, int]:
        """Return the offsets at which a span starts and ends."""
        return self.offset(span.line, span.column), self.offset(span.end_line, span.end_column)


@dataclass(frozen=True, slots=True)
class Edited:
    """The text after the edits, with the means to find an old stretch in it."""

    content: str
    replaced: tuple[tuple[int, int, int], ...]
    """For each edit, in order: old start, old end, length of the new text."""

    def moved(self, start: int, end: int) -> tuple[int, int]:
        """Return where the old stretch lies now; an edit that overlaps it is taken in whole."""
        return self._move(start, at_end=False), self._move(end, at_end=True)

    def _move(self, offset: int, *, at_end: bool) -> int:
        shift = 0
        for old_start, old_end, length in self.replaced:
            if old_end < offset or (old_end == offset and not (at_end and old_start == old_end)):
                shift += length - (old_end - old_start)
            elif old_start < offset:
                return old_start + shift + (length if at_end else 0)
        return offset + shift


def apply_edits(content: str, edits: Sequence[Edit]) -> Edited:
    """Return `content` with `edits` made; edits of one file that overlap raise UsageError."""
    text = Text.of(content)
    ranges = sorted((*text.range_of(edit.span), edit.text) for edit in edits)
    parts: list[str] = []
    replaced: list[tuple[int, int, int]] = []
    done = 0
    for start, end, new in ranges:
        if start < done or end < start:
            raise UsageError(f"the edits of {edits[0].span.path} overlap; check the file again")
        parts += (content[done:start], new)
        replaced.append((start, end, len(new)))
        done = end
    return Edited("".join((*parts, content[done:])), tuple(replaced))
