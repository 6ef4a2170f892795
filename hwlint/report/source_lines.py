"""Give the lines of project files, and their columns in UTF-16 units, to the writers that show or address source."""

from __future__ import annotations

import re
from collections.abc import Callable

_LINE_END = re.compile(r"\r\n|\r|\n")
"""What ends a line for Python's tokenizer and for GitHub; a form feed does not."""


class SourceLines:
    """The text of files, each read and split once, by the path that spans carry."""

    def __init__(self, read: Callable[[str], str | None]) -> None:
        self._read = read
        self._texts: dict[str, str | None] = {}
        self._lines: dict[str, list[str]] = {}

    def text(self, path: str) -> str | None:
        """Return the decoded text of a file, or None where it cannot be had."""
        if path not in self._texts:
            self._texts[path] = self._read(path)
        return self._texts[path]

    def lines(self, path: str) -> list[str]:
        """Return the lines of a file without their ends; no lines where the file cannot be had."""
        if path not in self._lines:
            text = self.text(path)
            self._lines[path] = [] if text is None else _LINE_END.split(text)
        return self._lines[path]

    def line(self, path: str, number: int) -> str | None:
        """Return one line (1-based), or None where there is no such line."""
        lines = self.lines(path)
        return lines[number - 1] if 1 <= number <= len(lines) else None

    def utf16_column(self, path: str, line: int, column: int) -> int:
        """Turn a column that counts code points into one that counts UTF-16 units, both 1-based.

        Without the source the column is returned as it is, which is right for the characters below U+10000.
        """
        text = self.line(path, line)
        if text is None or text.isascii():
            return column
        return column + sum(char > "\uffff" for char in text[: column - 1])

    def utf16_line_end(self, path: str, line: int) -> int | None:
        """Return the column just after the last character of a line in UTF-16 units, or None without the source."""
        text = self.line(path, line)
        return None if text is None else self.utf16_column(path, line, len(text) + 1)
