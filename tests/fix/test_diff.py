"""The diff of a file is one that `git apply` takes, and its hunks are where a reader looks for them."""

from __future__ import annotations

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from hwlint.fix.diff import unified_diff

_TEXTS = st.lists(st.sampled_from([b"a", b"}", b"", b"    b\r", b"\x0c"]), max_size=30).map(b"\n".join)
_HEAD = re.compile(rb"@@ -(\d+)(?:,(\d+))? \+\d+(?:,\d+)? @@\n")


def applied(old: bytes, diff: bytes) -> bytes:
    """Put the hunks of a diff into a text, as `patch` does."""
    lines, done, made = re.findall(rb"[^\n]*\n|[^\n]+", old), 0, []
    for row in re.findall(rb"[^\n]*\n", diff)[2:]:
        head = _HEAD.match(row)
        if head is not None:
            start = int(head[1]) - (head[2] != b"0")
            made += lines[done:start]
            done = start
        elif row.startswith(b"\\"):
            made[-1] = made[-1].removesuffix(b"\n")
            continue
        elif row[:1] in b" -":
            assert row[1:].removesuffix(b"\n") == lines[done].removesuffix(b"\n")
            done += 1
        if head is None and row[:1] in b" +":
            made.append(row[1:])
        elif head is None:
            made.append(b"")
    return b"".join([*made, *lines[done:]])


@settings(deadline=None)
@given(_TEXTS, _TEXTS)
def test_what_a_diff_says_is_what_was_changed(old: bytes, new: bytes) -> None:
    diff = unified_diff("m.py", old, new)
    assert applied(old, diff) == new
    assert (diff == b"") == (old == new)


def test_entries_that_end_like_their_neighbours_are_shown_whole() -> None:
    old = b"T = {\n    9: {\n        2: 1,\n    },\n    10: {\n        2: 1,\n    },\n}\n"
    new = old.replace(b"    },\n}\n", b"    },\n    11: {\n        2: 1,\n    },\n}\n")
    assert [b"+    11: {", b"+        2: 1,", b"+    },"] == [
        line for line in unified_diff("m.py", old, new).split(b"\n")[2:] if line.startswith(b"+")
    ]


def test_lines_that_recur_often_do_not_make_a_hunk_larger() -> None:
    old = b"".join(b"x = %d\n\n" % number for number in range(300))
    new = old.replace(b"x = 10\n", b"x = 10\ny = 1\n").replace(b"x = 290\n", b"")
    diff = unified_diff("m.py", old, new)
    assert 2 == sum(line.startswith((b"+", b"-")) for line in diff.split(b"\n")[2:])


def test_a_diff_says_where_the_last_line_has_no_end() -> None:
    assert unified_diff("m.py", b"a", b"a\nb").decode().split("\n")[2:] == [
        "@@ -1 +1,2 @@",
        "-a",
        "\\ No newline at end of file",
        "+a",
        "+b",
        "\\ No newline at end of file",
        "",
    ]
