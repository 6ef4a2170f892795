"""A plan holds fixes that fit together, and only what holds after a check is kept."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from hwlint.fix.plan import make_plan
from hwlint.fix.verify import Recheck, is_gone, new_findings, verify
from hwlint.model.finding import Edit, Finding, Fix, Level, Safety, Suppression
from hwlint.model.report import Report
from hwlint.model.span import Span
from tests.fix.samples import PATH, finding, fix_of, report_of

TEXT = "a = BAD\nb = BAD\nc = 1\n"


def edit(line: int, new: str = "OK", path: str = PATH) -> Edit:
    return Edit(Span(path, line, 5, line, 8), new)


def bad(line: int, *fixes: Fix, **changes: object) -> Finding:
    values: dict[str, object] = {"symbol": f"f{line}", "fixes": fixes, **changes}
    return replace(finding(TEXT, "BAD"), **values)  # type: ignore[arg-type]


A, B = bad(1, fix_of(edit(1))), bad(2, fix_of(edit(2)))


def check_of(*lines: int, before: tuple[Finding, ...] = (A, B)) -> Recheck:
    """Return a check that finds BAD in the changed texts, one finding for each of `lines` that still has it."""

    def check(texts: Mapping[str, str]) -> Report:
        text = texts.get(PATH, TEXT).split("\n")
        return report_of(*(one for one, line in zip(before, lines, strict=True) if "BAD" in text[line - 1]))

    return check


def test_safe_fixes_are_chosen_and_unsafe_ones_only_where_asked_for() -> None:
    both = bad(1, fix_of(edit(1), safety=Safety.UNSAFE), fix_of(edit(1, "SAFE")))
    assert make_plan([both], unsafe=False).chosen[0].fix.safety is Safety.SAFE
    assert make_plan([both], unsafe=True).chosen[0].fix.safety is Safety.UNSAFE
    shown = bad(1, fix_of(edit(1), safety=Safety.DISPLAY))
    assert make_plan([shown], unsafe=True).chosen == ()


def test_suppressed_findings_are_left_alone() -> None:
    assert make_plan([replace(A, suppressed=Suppression("comment", ""))], unsafe=True).chosen == ()


def test_a_clash_waits_and_says_for_what() -> None:
    other = bad(3, fix_of(edit(1, "OTHER")))
    plan = make_plan([A, other], unsafe=False)
    assert [choice.finding for choice in plan.chosen] == [A]
    assert [refusal.finding for refusal in plan.deferred] == [other]
    assert "the fix of HW101 at pkg/mod.py:1" in plan.deferred[0].reason


def test_one_edit_that_mends_two_findings_is_made_once() -> None:
    plan = make_plan([A, bad(3, fix_of(edit(1)))], unsafe=False)
    assert len(plan.chosen) == 2
    assert plan.edits() == {PATH: (edit(1),)}


def test_ask_decides_fix_by_fix() -> None:
    plan = make_plan([A, B], unsafe=False, ask=lambda found, _: found is B)
    assert [choice.finding for choice in plan.chosen] == [B]


def test_a_plan_that_holds_is_applied_whole() -> None:
    verified = verify(make_plan([A, B], unsafe=False), report_of(A, B), {PATH: TEXT}.get, check_of(1, 2))
    assert verified.texts == {PATH: "a = OK\nb = OK\nc = 1\n"}
    assert verified.report.findings == ()
    assert verified.refused == ()


def test_a_fix_that_does_not_parse_is_refused_and_the_others_are_tried_again() -> None:
    plan = make_plan([replace(A, fixes=(fix_of(edit(1, "(")),)), replace(B, fixes=(fix_of(edit(2)),))], unsafe=False)
    verified = verify(plan, report_of(A, B), {PATH: TEXT}.get, check_of(1, 2))
    assert verified.applied == ()
    assert "would no longer parse" in verified.refused[0].reason


def test_a_finding_that_stays_is_refused_alone() -> None:
    stays = bad(1, fix_of(edit(1, "BAD2")))
    verified = verify(
        make_plan([stays, B], unsafe=False), report_of(stays, B), {PATH: TEXT}.get, check_of(1, 2, before=(stays, B))
    )
    assert [choice.finding for choice in verified.applied] == [B]
    assert [refusal.reason for refusal in verified.refused] == ["The finding would still be there."]
    assert verified.texts == {PATH: "a = BAD\nb = OK\nc = 1\n"}


def test_a_finding_that_stays_in_another_line_is_said_to_stay_there() -> None:
    moved = replace(A, span=Span(PATH, 2, 5, 2, 8))
    verified = verify(make_plan([A], unsafe=False), report_of(A), {PATH: TEXT}.get, lambda _: report_of(moved))
    assert [refusal.reason for refusal in verified.refused] == ["The finding would still be there, at pkg/mod.py:2."]


def test_a_fix_that_brings_a_new_warning_is_refused_and_a_new_note_is_not() -> None:
    for level, kept in ((Level.WARNING, 0), (Level.NOTE, 1)):
        new = bad(3, rule="HW301", level=level)

        def check(texts: Mapping[str, str], new: Finding = new) -> Report:
            return report_of(*((new,) if "OK" in texts[PATH] else (A,)))

        verified = verify(make_plan([A], unsafe=False), report_of(A), {PATH: TEXT}.get, check)
        assert len(verified.applied) == kept
        assert all("A new finding would come: HW301" in refusal.reason for refusal in verified.refused)


def test_a_finding_that_lost_an_architecture_counts_as_mended_and_one_that_gained_as_new() -> None:
    fewer, more = replace(A, targets=("sm_121",)), replace(A, targets=("sm_110", *A.targets))
    assert is_gone(A, [A], [fewer])
    assert new_findings([A], [fewer]) == ()
    assert not is_gone(A, [A], [more])
    assert is_gone(A, [A, A], [A])
    assert new_findings([A], [more]) == (more,)


def test_an_edit_for_a_text_that_changed_is_refused() -> None:
    verified = verify(make_plan([A], unsafe=False), report_of(A), {PATH: "short"}.get, check_of(1, 2))
    assert "does not fit the file" in verified.refused[0].reason
