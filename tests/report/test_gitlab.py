"""GitLab's Code Quality report."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from hwlint.model.finding import Finding, Level
from hwlint.report import render
from tests.report.samples import HIDDEN, MISSING, POSSIBLE, RULES, SAMPLE, make_report, source


def issues(*findings: Finding) -> list[dict[str, Any]]:
    loaded: list[dict[str, Any]] = json.loads(
        render(make_report(*findings), "gitlab", rules=RULES, sources=source, level=Level.NOTE)
    )
    return loaded


def test_an_entry_has_what_gitlab_asks_for() -> None:
    (issue,) = issues(MISSING)
    assert list(issue) == ["description", "check_name", "fingerprint", "severity", "location"]
    assert issue["check_name"] == "HW101"
    assert issue["location"] == {"path": "pkg/comm/reduce.py", "lines": {"begin": 13, "end": 13}}


def test_levels_become_severities() -> None:
    assert [issue["severity"] for issue in issues(MISSING, POSSIBLE, HIDDEN)] == ["critical", "major", "info"]


def test_findings_with_the_same_fingerprint_are_not_merged() -> None:
    twin = replace(MISSING, span=replace(MISSING.span, line=15, end_line=15))
    assert len({issue["fingerprint"] for issue in issues(MISSING, twin)}) == 2


def test_a_fingerprint_survives_a_line_shift() -> None:
    moved = replace(MISSING, span=replace(MISSING.span, line=90, end_line=90))
    assert issues(MISSING)[0]["fingerprint"] == issues(moved)[0]["fingerprint"]


def test_a_file_that_was_not_analysed_is_an_entry() -> None:
    written = json.loads(render(SAMPLE, "gitlab", rules=RULES, sources=source))
    assert written[-1]["check_name"] == "not-analysed"
    assert written[-1]["location"]["path"] == "pkg/broken.py"


def test_nothing_found_is_an_empty_array() -> None:
    assert issues() == []
