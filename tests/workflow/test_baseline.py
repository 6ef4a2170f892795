"""Check that a baseline holds what is open today, and that a file that is none is refused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from hwlint.model.errors import SettingsError
from hwlint.model.finding import Certainty, Finding, Level, Suppression
from hwlint.model.report import Report, Summary
from hwlint.model.span import Span
from hwlint.workflow.baseline import baseline_text, load_baseline

FINDING = Finding(
    rule="HW101",
    name="missing-key",
    level=Level.ERROR,
    certainty=Certainty.CERTAIN,
    message="`LIMITS` has no entry for 12",
    span=Span("pkg/mod.py", 3, 5, 3, 20),
    symbol="size",
    targets=("sm_120",),
    outcome="KeyError: 12",
    fingerprint="b" * 32,
)


def report(*findings: Finding) -> Report:
    """Return a report that holds just these findings."""
    summary = Summary(files=1, parsed=1, error=len(findings), warning=0, note=0, unknown=0, seconds=0.0)
    return Report("0", ("sm_120",), findings, (), (), summary)


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    other = replace(FINDING, fingerprint="a" * 32, level=Level.NOTE)
    file = tmp_path / "known.json"
    file.write_text(baseline_text(report(FINDING, other)), encoding="utf-8")
    assert {"a" * 32, "b" * 32} == load_baseline(file)


def test_what_a_comment_suppresses_is_left_out(tmp_path: Path) -> None:
    file = tmp_path / "known.json"
    hidden = replace(FINDING, suppressed=Suppression("comment", "hwlint: ignore"))
    file.write_text(baseline_text(report(hidden)), encoding="utf-8")
    assert load_baseline(file) == frozenset()


def test_the_order_of_the_findings_does_not_change_the_file() -> None:
    other = replace(FINDING, fingerprint="a" * 32, span=Span("pkg/a.py", 1, 1, 1, 2))
    assert baseline_text(report(FINDING, other)) == baseline_text(report(other, FINDING))


def test_a_missing_baseline_is_refused_with_the_way_to_write_it(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="no such baseline; write it with `hwlint check --baseline FILE"):
        load_baseline(tmp_path / "known.json")


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"schema": "other/1", "findings": []}', '{"schema": 1}', "[" * 100000]
)
def test_a_file_that_is_no_baseline_is_refused(text: str, tmp_path: Path) -> None:
    file = tmp_path / "known.json"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(SettingsError, match=r"known\.json: (this is no baseline of hwlint|a baseline of another kind)"):
        load_baseline(file)
