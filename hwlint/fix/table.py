"""Describe a table as it is written: each entry's place, its key and value as text, and the brackets around them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from hwlint.fix.keys import constant_of


class Shape(StrEnum):
    """How the entries of a table are written."""

    DICT = "dict"
    """`key: value` in braces"""
    MEMBERS = "members"
    """members of a list, tuple or set"""
    KEYWORDS = "keywords"
    """`key=value` in a call of `dict`"""
    PAIRS = "pairs"
    """`(key, value)` members, as `dict([...])` or a comprehension takes them"""
    POSITIONS = "positions"
    """values of a list or tuple that is subscripted: the key is the place"""
    WORDS = "words"
    """words of one text that is split"""


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry; all offsets count code points of the whole file.

    `start` to `end` is the entry without its comma, `key_start` to `key_end` and `value_start` to `value_end` its
    parts (for members both are the whole entry). `comma` is the offset just after its comma, or None. A `spread`
    (`**BASE`, `*BASE`) has no key.
    """

    start: int
    end: int
    key_start: int
    key_end: int
    value_start: int
    value_end: int
    comma: int | None
    spread: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """A table in the text of its file; `opening` is the offset just after its opening bracket, `closing` that of the
    closing one.
    """

    text: str
    shape: Shape
    entries: tuple[Entry, ...]
    opening: int
    closing: int
    newline: str
    separator: str = ","
    """What stands between two entries: a comma, or what a text is split at."""
    bare: bool = False
    """True for a tuple without brackets, whose lines a new entry must not break."""

    def key(self, entry: Entry) -> str:
        """Return the key of an entry as it is written; of a list that is subscripted, the entry's place."""
        if self.shape is Shape.POSITIONS:
            return str(self.entries.index(entry))
        return self.text[entry.key_start : entry.key_end]

    def value(self, entry: Entry) -> str:
        """Return the value of an entry as it is written."""
        return self.text[entry.value_start : entry.value_end]

    def constant(self, entry: Entry) -> object | None:
        """Return the key as a Python value, or None where it is not a literal."""
        if entry.spread:
            return None
        return self.key(entry) if self.shape in (Shape.KEYWORDS, Shape.WORDS) else constant_of(self.key(entry))

    def index(self, key_text: str, key_texts: Sequence[str]) -> int | None:
        """Return the index of the last entry with this key, written as `repr` writes it or as the source does.

        `key_texts` are all keys in order, as the evaluation saw them; they name entries whose key is not a literal.
        """
        plain = [index for index, entry in enumerate(self.entries) if not entry.spread]
        for index in reversed(plain):
            constant = self.constant(self.entries[index])
            if key_text in (self.key(self.entries[index]), None if constant is None else repr(constant)):
                return index
        if len(plain) == len(self.entries) == len(key_texts) and key_text in key_texts:
            return len(key_texts) - 1 - list(reversed(key_texts)).index(key_text)
        return None


@dataclass(frozen=True, slots=True)
class Unreadable:
    """Why a table cannot be read as a list of entries."""

    reason: str
