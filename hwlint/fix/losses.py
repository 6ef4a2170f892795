"""Find the comments that edits would take out, so that a fix which loses one is never applied by itself."""

from __future__ import annotations

import io
import re
import tokenize
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace

from hwlint.fix.splice import Lines
from hwlint.model.finding import Edit, Fix, Safety

_COMMENT = re.compile(r"#[^\r\n]*")


def lost_comments(text: str, edits: Sequence[Edit]) -> tuple[str, ...]:
    """Return the comments of `text` that stand in what the edits replace and in none of their new texts.

    A text that cannot be cut into tokens is taken to lose every part of a replaced stretch behind a `#`.
    """
    lines = Lines(text)
    ranges = [where for edit in edits if (where := lines.range(edit.span)) is not None and "#" in text[slice(*where)]]
    if not ranges:
        return ()
    kept = Counter(comment.rstrip() for edit in edits for comment in _COMMENT.findall(edit.text))
    found = _comments(text, lines)
    if found is None:
        return tuple("#" + text[start:end].partition("#")[2] for start, end in ranges)
    lost = []
    for comment in (comment for at, comment in found if any(start <= at < end for start, end in ranges)):
        if kept[comment] > 0:
            kept[comment] -= 1
        else:
            lost.append(comment)
    return tuple(lost)


def only_shown(fix: Fix, texts: Callable[[str], str | None]) -> Fix:
    """Return the fix, as a suggestion that says why where its edits would take a comment out."""
    lost: list[str] = []
    for path in dict.fromkeys(edit.span.path for edit in fix.edits):
        text = texts(path)
        if text is not None:
            lost += lost_comments(text, [edit for edit in fix.edits if edit.span.path == path])
    if not lost:
        return fix
    said = f"It would take out the comment `{lost[0]}`, so it is only shown."
    return replace(fix, safety=Safety.DISPLAY, reason=f"{fix.reason} {said}".strip())


def _comments(text: str, lines: Lines) -> list[tuple[int, str]] | None:
    """Return each comment with its offset, or None where the text cannot be cut into tokens to its end."""
    found: list[tuple[int, str]] = []
    try:
        for token in tokenize.generate_tokens(io.StringIO(text, newline="").readline):
            if token.type == tokenize.COMMENT:
                at = lines.offset(token.start[0], token.start[1] + 1)
                if at is None:
                    return None
                found.append((at, token.string.rstrip()))
    except (tokenize.TokenError, SyntaxError):
        return None
    return found
