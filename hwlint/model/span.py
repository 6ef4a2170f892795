"""Name a stretch of source text."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A stretch of one file.

    `path` is POSIX and relative to the project root. Lines and columns are 1-based,
    columns count Unicode code points, and `end_column` is the column just after the last character.
    """

    path: str
    line: int
    column: int
    end_line: int
    end_column: int
