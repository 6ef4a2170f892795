"""Make text from foreign source files safe to print, and measure it in terminal cells."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

TAB_CELLS = 4
_UNSAFE = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
"""Control, format (bidirectional overrides among them), lone surrogate, line and paragraph separator."""
_MARKER = "..."


@dataclass(frozen=True, slots=True)
class Laid:
    """A line as it is shown: the text, and the cells (0-based, end exclusive) that the asked-for columns take."""

    text: str
    start: int
    end: int


def printable(text: str) -> str:
    r"""Return `text` on one line, with characters that could steer a terminal spelled as escapes (`\x1b`).

    >>> printable("a\x1b[31m\nb")
    'a\\x1b[31m\\nb'
    """
    return text if text.isprintable() else "".join(map(_visible, text))


def cells(text: str) -> int:
    """Return how many terminal cells printable `text` takes: two for wide East Asian characters, none for marks."""
    return len(text) if text.isascii() else sum(map(_cell_width, text))


def lay_out(line: str, column: int, end_column: int, width: int) -> Laid:
    """Return `line` for the terminal, with tabs expanded and cropped to `width` cells around the marked columns.

    Columns are 1-based code points, the end exclusive; they are clipped to the line and mark at least one cell.
    """
    shown, offsets = _expand(line)
    first = min(max(column, 1), len(line) + 1) - 1
    last = min(max(end_column - 1, first), len(line))
    start, end = offsets[first], max(offsets[last], offsets[first] + 1)
    if offsets[-1] <= width:
        return Laid("".join(shown), start, end)
    return _crop(shown, offsets, start, end, width)


def _expand(line: str) -> tuple[list[str], list[int]]:
    """Return what is shown for each code point, and the cell at which each begins, with the total as the last."""
    shown: list[str] = []
    offsets = [0]
    for char in line:
        piece = " " * (TAB_CELLS - offsets[-1] % TAB_CELLS) if char == "\t" else printable(char)
        shown.append(piece)
        offsets.append(offsets[-1] + cells(piece))
    return shown, offsets


def _crop(shown: list[str], offsets: list[int], start: int, end: int, width: int) -> Laid:
    """Cut a window of `width` cells that begins a third before `start`, with `...` where something is left out."""
    room = max(width - 2 * len(_MARKER), 1)
    begin = max(0, min(start - room // 3, offsets[-1] - room))
    kept = [index for index, cell in enumerate(offsets[:-1]) if begin <= cell and offsets[index + 1] <= begin + room]
    if not kept:
        return Laid(_MARKER, 0, 1)
    origin, limit = offsets[kept[0]], offsets[kept[-1] + 1]
    head = _MARKER if kept[0] > 0 else ""
    tail = _MARKER if kept[-1] + 1 < len(shown) else ""
    text = head + "".join(shown[kept[0] : kept[-1] + 1]) + tail
    shift = len(head) - origin
    first = min(max(start, origin), limit - 1) + shift
    return Laid(text, first, max(min(end, limit) + shift, first + 1))


def _visible(char: str) -> str:
    if unicodedata.category(char) not in _UNSAFE:
        return char
    return char.encode("unicode_escape", "backslashreplace").decode("ascii")


def _cell_width(char: str) -> int:
    if unicodedata.category(char) in {"Mn", "Me"}:
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1
