"""The report with excerpts, trace, architectures and fixes."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from syrupy.assertion import SnapshotAssertion

from hwlint.model.finding import Edit, Finding, Level
from hwlint.model.span import Span
from hwlint.report import render
from hwlint.report.display import cells
from tests.report.samples import HIDDEN, MISSING, POSSIBLE, REDUCE, RULES, SAMPLE, SIZES, make_report, source


def full(finding: Finding, text: str | None = None, *, width: int = 100) -> list[str]:
    read = source if text is None else lambda _: text
    report = make_report(finding)
    return render(report, "full", rules=RULES, sources=read, width=width, level=Level.NOTE).splitlines()


def marked(rows: list[str]) -> str:
    """Return what stands above the first row of carets, cell by cell."""
    place = next(index for index, row in enumerate(rows) if "^" in row)
    start, end = rows[place].index("^"), rows[place].rindex("^") + 1
    by_cell = [char for char in rows[place - 1] for _ in range(cells(char))]
    return "".join(by_cell[start:end])


def test_the_full_report(snapshot: SnapshotAssertion) -> None:
    assert snapshot == render(SAMPLE, "full", rules=RULES, sources=source, level=Level.NOTE)


def test_the_full_report_in_a_narrow_terminal(snapshot: SnapshotAssertion) -> None:
    assert snapshot == render(SAMPLE, "full", rules=RULES, sources=source, width=50)


def test_the_full_report_of_an_applied_and_confirmed_fix(snapshot: SnapshotAssertion) -> None:
    record = {"verdict": "confirmed", "device": {"name": "RTX PRO 6000", "capability": "12.0"}}
    fix = replace(MISSING.fixes[0], applied=True, confirmation=record)
    finding = replace(MISSING, fixes=(fix,))
    assert snapshot == render(make_report(finding), "full", rules=RULES, sources=source)


def test_carets_stand_under_the_lookup() -> None:
    assert marked(full(MISSING)) == "MAX_SIZES[self.capability]"


def test_carets_are_right_behind_wide_characters() -> None:
    assert marked(full(HIDDEN)) == "MAX_SIZES.get(self.capability)"


@pytest.mark.parametrize("before", ["\t\t", "x\t", "'日本' ", "'e\u0301' ", "'\U0001f680' ", "\x0c", "'\x1b' ", ""])
def test_carets_are_right_behind_anything(before: str) -> None:
    column = len(before) + 1
    finding = replace(MISSING, span=Span(REDUCE, 1, column, 1, column + 4), trace=())
    rows = [row for row in full(finding, f"{before}T[k] + 1\n") if "|" in row]
    place = next(index for index, row in enumerate(rows) if "^" in row)
    assert cells(rows[place - 1].partition("T[k]")[0]) == rows[place].index("^")
    assert rows[place].count("^") == 4


def test_a_span_over_several_lines_is_marked_in_the_margin() -> None:
    rows = full(POSSIBLE)
    assert [row[:2].strip() for row in rows if re.match(r" *\d+ >", row)] == ["14", "15", "16", "17"]
    assert marked(rows) == "self.buffer = torch.empty("


def test_a_long_line_is_cropped_around_the_carets() -> None:
    text = f"{'a' * 5000} T[k] {'b' * 5000}\n"
    finding = replace(MISSING, span=Span(REDUCE, 1, 5002, 1, 5006), trace=())
    rows = full(finding, text, width=80)
    assert marked(rows) == "T[k]"
    assert max(cells(row) for row in rows if "|" in row) <= 80


def test_an_architecture_of_the_finding_without_a_reason_is_listed_with_the_outcome() -> None:
    assert "    ! sm_120, sm_121  KeyError: 12" in full(replace(MISSING, why=(), targets=("sm_120", "sm_121")))


def test_a_copied_value_that_has_not_run_is_called_a_guess() -> None:
    assert any("the copied value is a guess" in row for row in full(MISSING))


def test_possible_is_said_and_certain_is_not() -> None:
    assert any(row.startswith("  possible:") for row in full(POSSIBLE))
    assert not any(row.startswith("  possible:") for row in full(MISSING))


def test_a_span_beyond_the_end_of_the_file_is_shown_without_an_excerpt() -> None:
    rows = full(replace(MISSING, span=Span(REDUCE, 900, 1, 900, 5), trace=()))
    assert f"   --> {REDUCE}:900:1 in Reducer.__init__" in rows


def test_a_replaced_line_is_shown_before_and_after() -> None:
    fix = MISSING.fixes[0]
    edit = replace(fix.edits[0], span=Span(REDUCE, 13, 22, 13, 48), text="MAX_SIZES.get(9)")
    rows = full(replace(MISSING, fixes=(replace(fix, edits=(edit,)),)))
    assert "      -         self.größe = MAX_SIZES[self.capability]" in rows
    assert "      +         self.größe = MAX_SIZES.get(9)" in rows


def test_edits_of_one_line_are_shown_together() -> None:
    places = ((1, 4, "Mi"), (7, 7, "2 * "), (18, 18, "  #"))
    edits = tuple(Edit(Span(SIZES, 1, start, 1, end), text) for start, end, text in places)
    rows = full(replace(MISSING, fixes=(replace(MISSING.fixes[0], edits=edits),)))
    place = rows.index("      - MiB = 1024 * 1024")
    assert rows[place + 1 : place + 3] == ["      + Mi = 2 * 1024 * 1024  #", ""]


def test_edits_that_span_lines_are_shown_together_with_what_stays_between() -> None:
    edits = (Edit(Span(SIZES, 3, 13, 5, 9), "{9: {"), Edit(Span(SIZES, 5, 21, 6, 9), " "))
    rows = full(replace(MISSING, fixes=(replace(MISSING.fixes[0], edits=edits),)))
    assert "      + MAX_SIZES = {9: {2: 64 * MiB, 4: 32 * MiB," in rows
    assert "      -         4: 32 * MiB," in rows


def test_a_fix_that_does_not_hold_says_why() -> None:
    fix = replace(MISSING.fixes[0], refused="The finding would still be there.")
    assert "    not applied: The finding would still be there." in full(replace(MISSING, fixes=(fix,)))


def test_findings_whose_fixes_were_not_looked_for_may_be_fixable() -> None:
    waits = replace(MISSING, fixes=(), has_recipe=True)
    said = " ".join(full(waits))
    assert said.endswith("1 may be fixable: `hwlint fix --diff --unsafe-fixes` shows which.")


def test_commands_that_fix_notes_say_that_they_are_to_take_notes() -> None:
    note = replace(MISSING, level=Level.NOTE)
    said = " ".join(full(replace(note, fixes=(), has_recipe=True)))
    assert said.endswith("1 may be fixable: `hwlint fix --diff --unsafe-fixes --level note` shows which.")
    assert "1 with `hwlint fix --unsafe-fixes --level note`." in " ".join(full(note))


@pytest.mark.parametrize("width", [40, 80, 200])
def test_no_row_is_wider_than_the_terminal_but_for_names_that_cannot_be_broken(width: int) -> None:
    report = render(SAMPLE, "full", rules=RULES, sources=source, width=width, level=Level.NOTE)
    for row in report.splitlines():
        named = ": not analysed: " in row or cells(max(row.split(), key=cells, default="")) > width - 14
        assert named or cells(row) <= width, row
