"""Workflow commands."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st
from syrupy.assertion import SnapshotAssertion

from hwlint.model.finding import Level
from hwlint.report import render
from hwlint.report.github import command
from tests.report.samples import HIDDEN, MISSING, POSSIBLE, RULES, SAMPLE, make_report, source

TEXT = st.text(st.characters(codec="utf-8"), max_size=60)


def unescape(text: str) -> str:
    """Undo the escapes as the runner does: it knows these five and decodes the percent sign last."""
    for escape, char in (("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%")):
        text = text.replace(escape, char)
    return text


def test_the_github_report(snapshot: SnapshotAssertion) -> None:
    assert snapshot == render(SAMPLE, "github", rules=RULES, sources=source, level=Level.NOTE)


@given(TEXT, TEXT, TEXT)
def test_whatever_the_text_one_command_is_one_line_and_reads_back(path: str, title: str, message: str) -> None:
    line = command("error", {"file": path, "title": title}, message)
    assert "\n" not in line
    assert "\r" not in line
    found = re.fullmatch(r"::error file=([^,:]*),title=([^,:]*)::(.*)", line, re.DOTALL)
    assert found is not None
    assert (path, title, message) == tuple(map(unescape, found.groups()))


def test_a_note_becomes_a_notice() -> None:
    assert render(make_report(HIDDEN), "github", rules=(), sources=source, level=Level.NOTE).startswith("::notice ")


def test_an_end_column_is_given_on_one_line_only() -> None:
    assert "endColumn=48" in render(make_report(MISSING), "github", rules=(), sources=source)
    assert "endColumn" not in render(make_report(POSSIBLE), "github", rules=(), sources=source)


def test_nothing_found_writes_nothing() -> None:
    assert render(make_report(), "github", rules=(), sources=source) == ""
