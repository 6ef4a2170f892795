"""The JSON contract."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from hwlint.model.finding import Level
from hwlint.report import render
from tests.report.samples import HIDDEN, MISSING, POSSIBLE, RULES, SAMPLE, SIZES, SUPPRESSED, make_report, source


def written(report: Any = SAMPLE, level: Level = Level.WARNING) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(render(report, "json", rules=RULES, sources=source, level=level))
    return loaded


def test_the_keys_are_those_of_the_contract_in_its_order() -> None:
    report = written()
    assert list(report) == ["schema", "version", "targets", "findings", "unknown", "failures", "summary"]
    first = report["findings"][0]
    assert list(first) == [
        *("rule", "name", "level", "certainty", "message", "path", "line", "column", "end_line", "end_column"),
        *("symbol", "targets", "outcome", "trace", "fixes", "fingerprint", "suppressed"),
    ]
    assert list(first["trace"][0]) == ["path", "line", "column", "message"]
    assert list(first["fixes"][0]) == [
        "title",
        "safety",
        "donor",
        "reason",
        "edits",
        "applied",
        "refused",
        "confirmation",
    ]
    assert list(first["fixes"][0]["edits"][0]) == ["path", "line", "column", "end_line", "end_column", "text"]
    assert list(report["unknown"][0]) == ["path", "line", "reason"]
    assert list(report["failures"][0]) == ["path", "line", "message"]
    assert list(report["summary"]) == ["files", "parsed", "error", "warning", "note", "unknown", "seconds"]


def test_the_schema_is_named_and_a_finding_is_complete() -> None:
    report = written()
    assert report["schema"] == "hwlint/1"
    finding = report["findings"][0]
    assert (finding["path"], finding["line"], finding["column"]) == ("pkg/comm/reduce.py", 13, 22)
    assert finding["trace"][-1]["path"] == SIZES
    assert finding["targets"] == ["sm_110", "sm_120", "sm_121"]
    assert finding["fixes"][0]["donor"] == "sm_100"
    assert finding["suppressed"] is None


def test_a_suppressed_finding_is_listed_with_its_reason_and_not_counted() -> None:
    report = written(make_report(SUPPRESSED))
    assert report["findings"][0]["suppressed"] == {"kind": "comment", "reason": "reviewed with the vendor"}
    assert report["summary"]["error"] == 0


def test_the_counts_are_those_of_the_findings_at_the_level() -> None:
    counts = [written(SAMPLE, level)["summary"] for level in Level]
    assert [(c["error"], c["warning"], c["note"]) for c in counts] == [(1, 0, 0), (1, 1, 0), (1, 1, 1)]


def test_findings_unknown_and_failures_are_sorted() -> None:
    report = written(level=Level.NOTE)
    assert [f["line"] for f in report["findings"]] == [13, 14, 15, 18]
    assert [site["path"] for site in report["unknown"]] == ["pkg/comm/reduce.py", "pkg/other.py"]


def test_only_the_seconds_differ_between_two_runs() -> None:
    slower = replace(SAMPLE, summary=replace(SAMPLE.summary, seconds=99.0))
    one, two = written(), written(slower)
    assert one["summary"].pop("seconds") != two["summary"].pop("seconds")
    assert one == two


def test_what_a_fix_did_and_proved_is_written() -> None:
    fix = replace(MISSING.fixes[0], applied=True, confirmation={"verdict": "confirmed", "device": {"name": "H200"}})
    found = written(make_report(replace(MISSING, fixes=(fix,))))["findings"][0]["fixes"][0]
    assert found["applied"] is True
    assert found["confirmation"] == {"verdict": "confirmed", "device": {"name": "H200"}}


def test_the_bytes_are_ascii_even_for_a_file_name_that_is_no_text() -> None:
    odd = replace(POSSIBLE, span=replace(POSSIBLE.span, path="p\udc80.py"), message="größe \U0001f680")
    text = render(make_report(odd, HIDDEN), "json", rules=RULES, sources=source)
    assert text.isascii()
    assert json.loads(text)["findings"][0]["path"] == "p\udc80.py"
