"""Check how a look at one file is brought in line with the check of everything, and how findings move."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("pygls", reason="NOT TESTED: no pygls; pip install '.[dev]' brings it")

from lsprotocol import types

from hwlint.model.finding import Certainty, Finding, Level
from hwlint.model.span import Span
from hwlint.report.source_lines import SourceLines
from hwlint.server.language import Speaker
from hwlint.server.settle import moved, settle

OLD = "one\ntwo\nthree\nfour\nfive\n"


def finding(line: int, name: str) -> Finding:
    """A finding on one line that has `name` for a fingerprint."""
    span = Span("a.py", line, 1, line, 4)
    return Finding(
        "HW101", "missing-key", Level.ERROR, Certainty.CERTAIN, name, span, "", ("sm_90",), "", fingerprint=name
    )


def lines(shown: object) -> list[tuple[str, int]]:
    """Fingerprint and line of what is shown."""
    assert isinstance(shown, tuple)
    return [(one.finding.fingerprint, one.finding.span.line) for one in shown]


@pytest.mark.parametrize(
    ("new", "expected"),
    [
        (OLD, [("a", 2), ("b", 4)]),
        ("zero\n" + OLD, [("a", 3), ("b", 5)]),
        (OLD.replace("three\n", ""), [("a", 2), ("b", 3)]),
        (OLD.replace("two", "zwei"), [("b", 4)]),
        (OLD.replace("one\n", "").replace("five", "six"), [("a", 1), ("b", 3)]),
        ("", []),
    ],
)
def test_findings_move_with_their_lines_and_leave_those_that_changed(new: str, expected: list[tuple[str, int]]) -> None:
    assert expected == lines(moved([finding(2, "a"), finding(4, "b")], OLD, new))


def test_what_only_the_check_of_everything_knows_stays_and_what_only_the_look_sees_goes() -> None:
    before = [finding(2, "both"), finding(3, "alone")]
    checked = [finding(2, "both"), finding(4, "together")]
    now = [finding(3, "both"), finding(4, "alone"), finding(1, "new")]
    shown = settle(now, before, checked, OLD, "zero\n" + OLD)
    assert [("new", 1), ("both", 3), ("together", 5)] == lines(shown)
    assert [True, True, False] == [one.current for one in shown]


def test_what_was_mended_goes_although_the_last_check_had_it() -> None:
    both = [finding(2, "both")]
    assert [] == lines(settle([], both, both, OLD, OLD.replace("two", "mended")))


@pytest.mark.parametrize(
    ("encoding", "character"),
    [
        (types.PositionEncodingKind.Utf8, 7),
        (types.PositionEncodingKind.Utf16, 4),
        (types.PositionEncodingKind.Utf32, 3),
    ],
)
def test_columns_are_counted_as_the_editor_counts_them(encoding: types.PositionEncodingKind, character: int) -> None:
    speaker = Speaker(Path("/project"), SourceLines(lambda _: "é😀=1\n"), encoding)
    assert types.Position(0, character) == speaker.position("a.py", 1, 4)
    assert 4 == speaker.column("a.py", types.Position(0, character))
