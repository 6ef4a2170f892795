"""Cut text into lines exactly where Python's parser does."""

from __future__ import annotations

import re

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")


def split_lines(text: str) -> tuple[str, ...]:
    r"""Cut `text` after `\n`, `\r\n` and `\r` only, keeping the ends; `"".join` of the result is `text`.

    `str.splitlines` also cuts at form feeds and at U+2028, which to Python's parser are characters like others.
    """
    if "\r" in text:
        return tuple(_LINE.findall(text))
    lines = text.split("\n")
    last = lines.pop()
    ended = [f"{line}\n" for line in lines]
    return (*ended, last) if last else tuple(ended)
