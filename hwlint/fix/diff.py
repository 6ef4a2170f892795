"""Write the unified diff of one file as `git apply` takes it, each hunk where a reader looks for it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

_CONTEXT = 3
"""Unchanged lines around each change."""

_MOST_LINES = 5_000
"""Up to so many lines between the first and the last change, lines that recur often are matched too."""

_Block = tuple[str, int, int, int, int]
"""A tag (`equal`, `insert`, `delete`, `replace`), and its lines, from and to, in the old and in the new text."""


def unified_diff(path: str, old: bytes, new: bytes) -> bytes:
    """Return the unified diff of one file: line ends kept, a missing last one said; empty where nothing differs.

    Lines that are only added come as late as they can: behind a neighbour that begins or ends like them, and not in
    its middle.
    """
    name = path.encode("utf-8", "surrogateescape") + (b"\t" if " " in path else b"")
    before, after = _lines(old), _lines(new)
    hunks = [line for group in _groups(before, after) for line in _hunk(before, after, group)]
    head = [b"--- a/" + name + b"\n", b"+++ b/" + name + b"\n"] if hunks else []
    return b"".join(
        line if line.endswith(b"\n") else line + b"\n\\ No newline at end of file\n" for line in [*head, *hunks]
    )


def _lines(data: bytes) -> list[bytes]:
    """Split at line feeds only, as diff and git do; a carriage return stays part of its line."""
    return re.findall(rb"[^\n]*\n|[^\n]+", data)


def _groups(before: list[bytes], after: list[bytes]) -> Iterator[list[_Block]]:
    """Yield what goes into one hunk each."""
    matcher = SequenceMatcher(None, b"", b"")
    matcher.opcodes = _blocks(before, after)  # type: ignore[attr-defined]
    if any(tag != "equal" for tag, *_ in matcher.get_opcodes()):
        yield from matcher.get_grouped_opcodes(_CONTEXT)


def _blocks(before: list[bytes], after: list[bytes]) -> list[_Block]:
    """Return how the new lines come from the old ones, in order and without a gap."""
    most = min(len(before), len(after))
    head = next((at for at in range(most) if before[at] != after[at]), most)
    tail = next((at for at in range(most - head) if before[-1 - at] != after[-1 - at]), most - head)
    old, new = before[head : len(before) - tail], after[head : len(after) - tail]
    matcher = SequenceMatcher(None, old, new, autojunk=max(len(old), len(new)) > _MOST_LINES)
    inner = [(tag, a + head, b + head, c + head, d + head) for tag, a, b, c, d in matcher.get_opcodes()]
    ends = len(before), len(after)
    blocks = [("equal", 0, head, 0, head), *inner, ("equal", ends[0] - tail, ends[0], ends[1] - tail, ends[1])]
    return _slid(_joined(blocks), after)


def _joined(blocks: Sequence[_Block]) -> list[_Block]:
    """Join equal stretches that touch, and leave out empty ones."""
    found: list[_Block] = []
    for block in blocks:
        tag, a, b, c, d = block
        if a == b and c == d:
            continue
        if found and tag == "equal" == found[-1][0]:
            _, first, _, start, _ = found.pop()
            block = ("equal", first, b, start, d)
        found.append(block)
    return found


def _slid(blocks: list[_Block], after: list[bytes]) -> list[_Block]:
    """Move each insertion down while the line that it begins with stands behind it, too."""
    found: list[_Block] = []
    for index, (tag, a, b, c, d) in enumerate(blocks):
        follows = blocks[index + 1] if index + 1 < len(blocks) else None
        by = 0
        if tag == "insert" and found and found[-1][0] == "equal" and follows is not None and follows[0] == "equal":
            while by < follows[2] - follows[1] and after[c + by] == after[d + by]:
                by += 1
        if by and follows is not None:
            _, first, last, start, end = found.pop()
            found.append(("equal", first, last + by, start, end + by))
            blocks[index + 1] = ("equal", follows[1] + by, follows[2], follows[3] + by, follows[4])
        found.append((tag, a + by, b + by, c + by, d + by) if by else (tag, a, b, c, d))
    return _joined(found)


def _hunk(before: list[bytes], after: list[bytes], blocks: list[_Block]) -> Iterator[bytes]:
    first, last = blocks[0], blocks[-1]
    yield b"@@ -%s +%s @@\n" % (_range(first[1], last[2]), _range(first[3], last[4]))
    for tag, a, b, c, d in blocks:
        if tag == "equal":
            yield from (b" " + line for line in before[a:b])
            continue
        yield from (b"-" + line for line in before[a:b])
        yield from (b"+" + line for line in after[c:d])


def _range(start: int, stop: int) -> bytes:
    """Return lines as a hunk's head names them: the first and how many, or the one before where there is none."""
    length = stop - start
    begin = start + 1 if length else start
    return b"%d" % begin if length == 1 else b"%d,%d" % (begin, length)
