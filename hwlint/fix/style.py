"""Add entries to a table the way its author would have: same lines, indentation, commas, quotes and alignment."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

from hwlint.fix.keys import sort_key
from hwlint.fix.layout import TAIL, Addition, Layout
from hwlint.fix.splice import Lines
from hwlint.fix.syntax import parse
from hwlint.fix.table import Shape, Table

_REST_OF_LINE = re.compile(r"[^'\"#\\\r\n]*")
"""What may follow a table on its line so that a comment can be put behind it: no text, comment or continuation."""

_CLOSING_QUOTES = re.compile(r"[\"']{0,3}(\.split\([^()\r\n]*\))?")
"""What closes a text that is split on the spot."""

_LINE_LIMIT = 120
"""Columns beyond which a comment goes onto a line of its own."""

_TELLING_LINES = 40
"""A file with fewer lines does not show how long its author lets them get."""

_ONE_IN = 100
"""One line in so many may be longer than the author means them to be: texts and links that cannot be broken."""

_LEAST_WORDS = 4
"""So many keys without numbers have to be in alphabetical order before they are taken to be put so."""

_LEAST_LIMIT = 79
"""Nobody keeps to fewer columns."""


@dataclass(frozen=True, slots=True)
class Insertion:
    """Replace `start` to `end` (offsets in the file's text) by `text`."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Added:
    """The edits that add the entries; `notes` says, in sentences, what a reader should know about comments."""

    edits: tuple[Insertion, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class NotAdded:
    """Why no entry can be added in the table's style."""

    reason: str


def add_entries(table: Table, additions: Sequence[Addition], *, at_end: bool = False) -> Added | NotAdded:
    """Return the edits that add `additions`, in sorted position where the table is sorted, else or `at_end` at the end.

    Existing text is never moved or deleted, apart from the comma of a one-member tuple, which becomes the separator.
    """
    if not table.entries:
        return NotAdded("the table is empty, so there is no neighbour to write like")
    if table.entries[-1].spread and table.shape is Shape.KEYWORDS:
        return NotAdded("the table ends in an unpacked mapping, behind which a key may repeat one of its own")
    order = _Order(table, at_end=at_end)
    placed = sorted(((order.place(addition), number) for number, addition in enumerate(additions)), key=lambda p: p[0])
    edits: list[Insertion] = []
    notes: list[str] = []
    comments: list[Addition] = []
    for after, group in groupby(placed, key=lambda place: place[0][0]):
        members = [additions[number] for _, number in group]
        writer = _Writer(table, after)
        edits += writer.write(members)
        notes += writer.notes
        comments += writer.line_comments
    if comments:
        told = _told(table, edits, _said_together(comments))
        if told is None:
            notes.append("The line has no room for a comment that says where the entry comes from.")
        else:
            edits.append(told)
    return Added(_joined(edits), tuple(dict.fromkeys(notes)))


def _said_together(additions: Sequence[Addition]) -> str:
    """Return one comment for additions that share a line; keys with the same brief comment are listed together."""
    if len(additions) == 1:
        return f"{additions[0].key} {additions[0].comment}"
    keys: dict[str, list[str]] = {}
    for addition in additions:
        keys.setdefault(addition.brief or addition.comment, []).append(addition.key)
    return "; ".join(f"{', '.join(dict.fromkeys(names))} {brief}" for brief, names in keys.items())


def _told(table: Table, edits: Sequence[Insertion], comment: str) -> Insertion | None:
    """Return the comment behind the line that the table ends on, above the table where that line gets too long."""
    offset, lines = table.closing, Lines(table.text)
    if table.shape is Shape.WORDS:
        quotes = _CLOSING_QUOTES.match(table.text, offset)
        offset = quotes.end() if quotes else offset
    start, end = lines.line_start(offset), lines.line_end(offset)
    length = end - start + sum(len(one.text) - (one.end - one.start) for one in edits if start <= one.start)
    if length + len(f"  # {comment}") > _limit(table.text):
        above = _above(table, lines, comment)
        if above is not None:
            return above
    rest = _REST_OF_LINE.match(table.text, offset, end)
    if rest is None or rest.end() != end:
        return _above(table, lines, comment)
    return Insertion(end, end, f"  # {comment}")


def _above(table: Table, lines: Lines, comment: str) -> Insertion | None:
    """Return the comment on a line of its own, or None where the line above goes on: by a backslash, or in a text."""
    text = table.text
    start = lines.line_start(table.opening)
    if text[:start].rstrip("\r\n").endswith("\\") or _is_in_a_text(text, lines.position(start)[0]):
        return None
    line = text[start : lines.line_end(start)]
    indent = line[: len(line) - len(line.lstrip(" \t"))]
    whole = len(indent) + 2 + len(comment) <= _LINE_LIMIT
    rows = [comment] if whole else comment.split("; ")
    return Insertion(start, start, "".join(f"{indent}# {row}{table.newline}" for row in rows))


def _is_in_a_text(text: str, line: int) -> bool:
    """Return whether a text that is written over several lines goes on where this line begins."""
    syntax = parse(text)
    return syntax is None or any(
        isinstance(one, ast.Constant | ast.JoinedStr) and one.lineno < line <= (one.end_lineno or 0)
        for one in ast.walk(syntax.tree)
    )


def _limit(text: str) -> int:
    """Return the columns that the author keeps to, as far as a file of some length shows it: a few lines do not."""
    rows = sorted(len(row) for row in text.splitlines() if row.strip())
    if len(rows) < _TELLING_LINES:
        return _LINE_LIMIT
    usual = rows[len(rows) - 1 - len(rows) // _ONE_IN]
    return min(_LINE_LIMIT, max(_LEAST_LIMIT, usual))


def _joined(edits: Sequence[Insertion]) -> tuple[Insertion, ...]:
    """Join edits of which one starts where the other ends, so that their order is no guess."""
    joined: list[Insertion] = []
    for edit in sorted(edits, key=lambda one: (one.start, one.end)):
        if joined and joined[-1].end == edit.start:
            first = joined.pop()
            edit = Insertion(first.start, edit.end, first.text + edit.text)
        joined.append(edit)
    return tuple(joined)


class _Order:
    """Where a new entry belongs among the old ones."""

    def __init__(self, table: Table, *, at_end: bool) -> None:
        keys = [None if entry.spread else sort_key(table.key(entry)) for entry in table.entries]
        self._known = [key for key in keys if key is not None]
        self._all_known = len(self._known) == len(keys)
        counted = any(isinstance(part, int | float) for key in self._known for part in key)
        enough = counted or len(keys) >= _LEAST_WORDS
        rising = enough and all(a < b for a, b in pairwise(self._known))
        falling = enough and len(keys) > 1 and all(a > b for a, b in pairwise(self._known))
        self._direction = 0 if at_end or not self._all_known else 1 if rising else -1 if falling else 0

    def place(self, addition: Addition) -> tuple[int, tuple[object, ...]]:
        """Return the index of the entry to stand behind (-1: before all), and what orders entries of the same place."""
        key = sort_key(addition.key)
        last = len(self._known) - 1 if self._all_known else 1 << 30
        if self._direction == 0 or key is None:
            return last, ()
        before = [index for index, known in enumerate(self._known) if (known < key) == (self._direction > 0)]
        return (before[-1] if before else -1), (_Reversed(key) if self._direction < 0 else _Plain(key),)


@dataclass(frozen=True, slots=True, order=True)
class _Plain:
    key: tuple[object, ...]


@dataclass(frozen=True, slots=True)
class _Reversed:
    key: tuple[object, ...]

    def __lt__(self, other: _Reversed) -> bool:
        return other.key < self.key


class _Writer:
    """Write new entries behind the entry at `after`."""

    def __init__(self, table: Table, after: int) -> None:
        self.notes: list[str] = []
        self.line_comments: list[Addition] = []
        """Whose comments have to stand behind the line that the table ends on."""
        self._table = table
        self._text = table.text
        self._lines = Lines(table.text)
        self._after = min(after, len(table.entries) - 1)
        self._layout = Layout(table, self._lines)

    def write(self, additions: Sequence[Addition]) -> list[Insertion]:
        if self._table.shape is Shape.WORDS:
            return self._as_words(additions)
        if self._layout.one_per_line:
            return self._before_first(additions) if self._after < 0 else self._as_lines(additions)
        return self._inline(additions)

    def _as_words(self, additions: Sequence[Addition]) -> list[Insertion]:
        entries, separator = self._table.entries, self._table.separator
        if len(entries) > 1:
            separator = self._text[entries[-2].end : entries[-1].start]
        words = [addition.key for addition in additions]
        self._say_behind_the_line(additions)
        if self._after < 0:
            start = entries[0].start
            return [Insertion(start, start, "".join(word + separator for word in words))]
        end = entries[self._after].end
        return [Insertion(end, end, "".join(separator + word for word in words))]

    def _inline(self, additions: Sequence[Addition]) -> list[Insertion]:
        entries = self._table.entries
        separator = self._layout.separator
        written = [self._layout.entry(addition) for addition in additions]
        self._say_behind_the_line(additions)
        if self._after < 0:
            start = entries[0].start
            return [Insertion(start, start, "".join(text + separator for text in written))]
        entry = entries[self._after]
        end = entry.end
        if len(entries) == 1 and entry.comma is not None and self._is_tuple() and not self._text[end : entry.comma - 1]:
            return [Insertion(end, entry.comma, separator + separator.join(written))]
        return [Insertion(end, end, "".join(separator + text for text in written))]

    def _is_tuple(self) -> bool:
        if self._table.shape not in (Shape.MEMBERS, Shape.POSITIONS):
            return False
        return self._table.bare or self._text[self._table.opening - 1] == "("

    def _say_behind_the_line(self, additions: Sequence[Addition]) -> None:
        self.line_comments += [addition for addition in additions if addition.comment]

    def _as_lines(self, additions: Sequence[Addition]) -> list[Insertion]:
        entry = self._table.entries[self._after]
        is_last = self._after == len(self._table.entries) - 1
        newline, indent = self._table.newline, self._layout.indent
        bracket_on_line = is_last and self._table.closing <= self._lines.line_end(entry.end)
        if bracket_on_line:
            lines = [self._own_line_comment(one) + indent + self._layout.entry(one) for one in additions]
            text = "".join("," + newline + line for line in lines)
            return [Insertion(entry.end, entry.end, text)]
        edits = []
        tail = entry.comma
        if tail is None:
            edits.append(Insertion(entry.end, entry.end, ","))
            tail = entry.end
        found = TAIL.match(self._text, tail)
        end = found.end() if found and found.group(1) else tail
        last_comma = entry.comma is not None or not is_last
        text = "".join(
            newline + self._line(addition, comma=last_comma or addition is not additions[-1]) for addition in additions
        )
        return [*edits, Insertion(end, end, text)]

    def _before_first(self, additions: Sequence[Addition]) -> list[Insertion]:
        first = self._table.entries[0]
        start = self._lines.line_start(first.start)
        newline = self._table.newline
        if start <= self._table.opening:
            written = [self._line(addition, comma=True).lstrip() for addition in additions]
            text = "".join(line + newline + self._layout.indent for line in written)
            return [Insertion(first.start, first.start, text)]
        opening = self._lines.line_end(self._table.opening)
        if "#" in self._text[opening : first.start]:
            self.notes.append("The comment above the first entry stays with that entry, below the new one.")
        text = "".join(newline + self._line(addition, comma=True) for addition in additions)
        return [Insertion(opening, opening, text)]

    def _own_line_comment(self, addition: Addition) -> str:
        return f"{self._layout.indent}# {addition.comment}{self._table.newline}" if addition.comment else ""

    def _line(self, addition: Addition, *, comma: bool) -> str:
        """Return the entry as a line without its line ending."""
        indent = self._layout.indent
        written = self._layout.entry(addition)
        code = indent + written + ("," if comma else "")
        if not addition.comment:
            return code
        head, newline, rest = code.partition(self._table.newline)
        opens = newline and head.rstrip()[-1:] in "{[(" and "#" not in head
        if opens:
            return f"{head.rstrip()}{self._layout.gap(head.rstrip(), aligned=False)}# {addition.comment}{newline}{rest}"
        last = code.rpartition(self._table.newline)[2]
        commented = f"{code}{self._layout.gap(last, aligned=not newline)}# {addition.comment}"
        if len(commented.rpartition(self._table.newline)[2]) > _limit(self._text) >= len(last):
            return self._own_line_comment(addition) + code
        return commented
