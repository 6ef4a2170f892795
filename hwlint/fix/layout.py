"""Tell how the entries of a table are laid out, and write new ones alike: indentation, alignment, blanks."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise

from hwlint.fix.splice import Lines
from hwlint.fix.table import Entry, Shape, Table

TAIL = re.compile(r"[ \t\f]*(#[^\r\n]*)?")
"""What may follow an entry on its line: blanks and a comment."""


@dataclass(frozen=True, slots=True)
class Addition:
    """An entry to add: key and value as source text; members and words have only a key.

    `comment` is what stands beside it, without `#`; `brief` is what several additions on one line may share.
    """

    key: str
    value: str
    comment: str = ""
    brief: str = ""


class Layout:
    """How the entries of a table are laid out."""

    def __init__(self, table: Table, lines: Lines) -> None:
        self._table = table
        self._lines = lines
        entries = table.entries
        between = [table.text[a.end : b.start] for a, b in pairwise(entries)]
        edges = [table.text[table.opening : entries[0].start], table.text[entries[-1].end : table.closing]]
        broken = [self._breaks(gap) for gap in between]
        in_lines = all(broken) if broken else any(self._breaks(gap) for gap in edges)
        self.one_per_line = in_lines and not table.bare
        plain = [gap for gap in between if gap.replace(" ", "") == ","]
        self.separator = plain[-1] if plain else ", "
        own = [entry for entry in entries if not table.text[lines.line_start(entry.start) : entry.start].strip(" \t\f")]
        if own:
            self.indent = table.text[lines.line_start(own[-1].start) : own[-1].start].replace("\f", "")
        else:
            self.indent = " " * (entries[0].start - lines.line_start(entries[0].start))
        self._single = [entry for entry in entries if not entry.spread and not self._breaks(self._source(entry))]

    @staticmethod
    def _breaks(text: str) -> bool:
        return "\n" in text or "\r" in text

    def _source(self, entry: Entry) -> str:
        return self._table.text[entry.start : entry.end]

    def entry(self, addition: Addition) -> str:
        """Return the entry as source text, without a comma."""
        table = self._table
        plain = [entry for entry in table.entries if not entry.spread]
        match table.shape:
            case Shape.DICT if not plain:
                return f"{addition.key}: {addition.value}"
            case Shape.DICT:
                return addition.key + self._colon(addition) + addition.value
            case Shape.KEYWORDS | Shape.PAIRS:
                model = plain[-1] if plain else table.entries[-1]
                text = table.text
                head, middle = text[model.start : model.key_start], text[model.key_end : model.value_start]
                return head + addition.key + middle + addition.value + text[model.value_end : model.end]
            case Shape.POSITIONS:
                return addition.value
            case _:
                return addition.key

    def _colon(self, addition: Addition) -> str:
        """Return the colon with the blanks around it that keep the table's alignment."""
        table = self._table
        model = self._single[-1] if self._single else table.entries[-1]
        middle = table.text[model.key_end : model.value_start]
        before, _, after = middle.partition(":")
        if len({entry.key_end - entry.start for entry in self._single}) < 2 or not self.one_per_line:
            blank = self._breaks(middle)
            return ": " if blank else middle if not self._is_padded(model) else ": "
        colons = {self._column(entry.key_end) + self._before(entry) for entry in self._single}
        starts = {self._column(entry.value_start) for entry in self._single}
        ends = {self._column(entry.value_end) for entry in self._single}
        indent = self._column(model.start)
        key_end = indent + len(addition.key)
        if len(colons) == 1 and before:
            return " " * max(colons.pop() - key_end, 0) + ":" + after
        if len(starts) == 1:
            return ":" + " " * max(starts.pop() - key_end - 1, 1)
        if len(ends) == 1 and not self._breaks(addition.value):
            return ":" + " " * max(ends.pop() - len(addition.value) - key_end - 1, 1)
        return ": " if len(after) != 1 and not self._breaks(after) and after else (before + ":" + after)

    def _is_padded(self, entry: Entry) -> bool:
        return self._table.text[entry.key_end : entry.value_start].count(" ") > 1

    def _before(self, entry: Entry) -> int:
        return len(self._table.text[entry.key_end : entry.value_start].partition(":")[0])

    def _column(self, offset: int) -> int:
        return offset - self._lines.line_start(offset)

    def gap(self, code: str, *, aligned: bool) -> str:
        """Return the blanks between `code`, the line so far, and a comment behind it."""
        places = []
        for entry in self._single:
            tail = TAIL.match(self._table.text, entry.comma or entry.end)
            if tail is not None and tail.group(1):
                places.append((self._column(tail.start()), self._column(tail.start(1))))
        if not places:
            return "  "
        columns = {column for _, column in places}
        if aligned and len(columns) == 1 and len({end for end, _ in places}) > 1:
            return " " * max(columns.pop() - len(code), 2)
        gaps = {column - end for end, column in places}
        return " " * max(gaps.pop(), 1) if len(gaps) == 1 else "  "
