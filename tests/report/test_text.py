"""The report of one line a finding, and the closing lines."""

from __future__ import annotations

from dataclasses import replace

from syrupy.assertion import SnapshotAssertion

from hwlint.model.finding import Edit, Fix, Level, Safety, Suppression
from hwlint.model.span import Span
from hwlint.report import render
from tests.report.samples import HIDDEN, MISSING, POSSIBLE, REDUCE, RULES, SAMPLE, make_report, source


def test_the_text_report(snapshot: SnapshotAssertion) -> None:
    assert snapshot == render(SAMPLE, "text", rules=RULES, sources=source)


def test_the_text_report_with_notes_statistics_and_unknown(snapshot: SnapshotAssertion) -> None:
    assert snapshot == render(
        SAMPLE, "text", rules=RULES, sources=source, statistics=True, show_unknown=True, level=Level.NOTE
    )


def test_a_line_has_place_rule_level_message_and_architectures() -> None:
    line = render(make_report(MISSING), "text", rules=RULES, sources=source).splitlines()[0]
    expected = f"{REDUCE}:13:22: HW101 error {MISSING.message} [sm_110, sm_120, sm_121]"
    assert expected == line


def test_a_message_of_several_lines_stays_on_one() -> None:
    finding = replace(MISSING, message="one\ntwo")
    line = render(make_report(finding), "text", rules=RULES, sources=source).splitlines()[0]
    assert f"{REDUCE}:13:22: HW101 error one\\ntwo [sm_110, sm_120, sm_121]" == line


def test_nothing_found_is_said_with_the_level() -> None:
    written = render(make_report(), "text", rules=RULES, sources=source)
    assert written == "Nothing at level warning or above in 1,404 files.\n"


def test_findings_that_only_the_level_hides_are_counted() -> None:
    written = render(make_report(HIDDEN), "text", rules=RULES, sources=source)
    assert written == "Nothing at level warning or above in 1,404 files (1 below the level: --level note).\n"


def test_findings_from_before_a_change_are_not_called_suppressed() -> None:
    before = replace(MISSING, suppressed=Suppression("since", "there already at HEAD"))
    written = render(make_report(before), "text", rules=RULES, sources=source)
    assert written == "Nothing at level warning or above in 1,404 files (1 there before).\n"
    hushed = replace(MISSING, suppressed=Suppression("comment", ""))
    assert "(1 there before; 1 suppressed)" in render(make_report(before, hushed), "text", rules=(), sources=source)


def test_a_finding_with_a_safe_and_an_unsafe_fix_counts_as_safe() -> None:
    edits = (Edit(Span(REDUCE, 1, 1, 1, 1), "#"),)
    safe, unsafe = (Fix("t", safety, "r", edits) for safety in (Safety.SAFE, Safety.UNSAFE))
    written = render(make_report(replace(MISSING, fixes=(unsafe, safe))), "text", rules=(), sources=source)
    assert "Fixable: 1 with `hwlint fix`." in written


def test_an_applied_fix_is_no_longer_offered() -> None:
    done = replace(MISSING, fixes=(replace(MISSING.fixes[0], applied=True),))
    assert "Fixable" not in render(make_report(done), "text", rules=(), sources=source)


def test_colour_adds_nothing_but_escape_sequences() -> None:
    import re

    plain = render(SAMPLE, "text", rules=RULES, sources=source, statistics=True, show_unknown=True)
    coloured = render(SAMPLE, "text", rules=RULES, sources=source, color=True, statistics=True, show_unknown=True)
    assert coloured != plain
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == plain


def test_statistics_put_the_most_frequent_rule_first() -> None:
    twice = (POSSIBLE, replace(POSSIBLE, span=Span(REDUCE, 1, 1, 1, 2)))
    lines = render(make_report(MISSING, *twice), "text", rules=RULES, sources=source, statistics=True).splitlines()
    assert [line.split()[:2] for line in lines[4:6]] == [["2", "HW105"], ["1", "HW101"]]


def test_a_folder_without_python_is_not_called_clean_without_a_word() -> None:
    report = make_report()
    written = render(replace(report, summary=replace(report.summary, files=0)), "text", rules=RULES, sources=source)
    assert written == "Nothing at level warning or above in 0 files. No Python file was found there.\n"
