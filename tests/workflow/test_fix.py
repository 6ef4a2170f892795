"""Fixing goes round by round in memory, and touches files once."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from hwlint.fix.add_entry import add_entry
from hwlint.fix.problem import Problem
from hwlint.hardware.table import load
from hwlint.model.finding import Edit, Finding, Level, Safety
from hwlint.model.report import Report
from hwlint.model.span import Span
from hwlint.workflow.fix import FixResult, fix, mend
from hwlint.workflow.settings import load_settings
from tests.fix.samples import finding, fix_of, report_of, table_problem

TABLES = {
    "pkg/a.py": "T = {9: 1, 10: 2}\r\nU = [\r\n    9,\r\n    10\r\n]",
    "pkg/b.py": "T = {\n    9: 1,\n    10: 2,\n}\n",
}


def project(root: Path) -> None:
    (root / "pkg").mkdir()
    for path, text in TABLES.items():
        (root / path).write_bytes(text.encode())


def recheck_of(root: Path) -> Callable[[Mapping[str, str]], Report]:
    """Return a check that reports each table `T` that has no key 12, and `U` where it has no member 12 as a note."""

    def recheck(texts: Mapping[str, str]) -> Report:
        found = []
        for path in TABLES:
            text = texts.get(path) or (root / path).read_bytes().decode()
            table, _, rest = text.partition("}")
            if "12:" not in table:
                found.append(_finding(text, path, "T", Level.ERROR))
            if "U" in rest and "    12" not in rest:
                found.append(_finding(text, path, "U", Level.NOTE))
        return report_of(*found, root=root)

    return recheck


def _finding(text: str, path: str, name: str, level: Level) -> Finding:
    about = table_problem(text, {"sm_120": 12}, name).finding
    span = about.facts["table_span"]
    assert isinstance(span, Span)
    moved = Span(path, span.line, span.column, span.end_line, span.end_column)
    return finding(
        text, name, targets=("sm_120",), table=name, level=level, span=moved, facts={**about.facts, "table_span": moved}
    )


def offer(findings: Sequence[Finding], text_of: Callable[[str], str | None]) -> tuple[Finding, ...]:
    return tuple(replace(one, fixes=add_entry(Problem(one, text_of, load()))) for one in findings)


def run(root: Path, *, unsafe: bool = True, write: bool = True, select: Sequence[str] = ()) -> FixResult:
    return mend(recheck_of(root), offer, root, unsafe=unsafe, write=write, select=select)


def test_two_files_are_fixed_and_a_second_run_changes_nothing(tmp_path: Path) -> None:
    project(tmp_path)
    result = run(tmp_path)
    assert result.changed == ("pkg/a.py", "pkg/b.py")
    assert [one.table for one in result.after.findings] == ["U"]
    assert (tmp_path / "pkg/b.py").read_text().count("12: 2,  # copied from 10.0") == 1
    assert (tmp_path / "pkg/a.py").read_bytes().startswith(b"T = {9: 1, 10: 2, 12: 2}  # 12 copied from 10.0")
    again = run(tmp_path)
    assert (again.changed, again.diff, again.applied) == ((), b"", ())


def test_the_report_says_which_fixes_were_applied(tmp_path: Path) -> None:
    project(tmp_path)
    result = run(tmp_path)
    assert [(one.table, [fix.applied for fix in one.fixes]) for one in result.report.findings] == [
        ("T", [True]),
        ("U", []),
        ("T", [True]),
    ]


def test_notes_are_fixed_only_where_they_are_selected(tmp_path: Path) -> None:
    project(tmp_path)
    result = run(tmp_path, select=["HW101"])
    assert result.after.findings == ()
    assert (tmp_path / "pkg/a.py").read_bytes().endswith(b"    10,\r\n    12  # like 10.0; not confirmed on 12.0\r\n]")


def test_nothing_unsafe_happens_unasked_and_nothing_at_all_with_diff(tmp_path: Path) -> None:
    project(tmp_path)
    assert run(tmp_path, unsafe=False).diff == b""
    result = run(tmp_path, write=False)
    assert result.changed == ("pkg/a.py", "pkg/b.py")
    assert {path: (tmp_path / path).read_bytes().decode() for path in TABLES} == TABLES


def test_git_applies_the_diff(tmp_path: Path) -> None:
    project(tmp_path)
    diff = run(tmp_path, write=False, select=["HW101"]).diff
    subprocess.run(["git", "apply", "-"], input=diff, cwd=tmp_path, check=True)
    applied = {path: (tmp_path / path).read_bytes() for path in TABLES}
    for path, text in TABLES.items():
        (tmp_path / path).write_bytes(text.encode())
    run(tmp_path, select=["HW101"])
    assert {path: (tmp_path / path).read_bytes() for path in TABLES} == applied


def test_clashing_fixes_are_applied_in_the_next_round(tmp_path: Path) -> None:
    (tmp_path / "m.py").write_text("x = BAD\n")

    def recheck(texts: Mapping[str, str]) -> Report:
        text = texts.get("m.py", "x = BAD\n")
        marks = [mark for mark in ("one", "two") if mark not in text]
        return report_of(*(finding("BAD", "BAD", symbol=mark) for mark in marks))

    def offered(findings: Sequence[Finding], _: object) -> tuple[Finding, ...]:
        here = Span("m.py", 1, 1, 1, 1)
        return tuple(
            replace(one, fixes=(fix_of(Edit(here, f"{one.symbol} = "), safety=Safety.SAFE),)) for one in findings
        )

    result = mend(recheck, offered, tmp_path, unsafe=False, write=True)
    assert (tmp_path / "m.py").read_text() == "two = one = x = BAD\n"
    assert len(result.applied) == 2
    assert ["two"] == [one.finding.symbol for one in result.waited]
    assert result.refused == ()


def test_a_file_that_cannot_be_replaced_is_reported_and_its_finding_stays(tmp_path: Path) -> None:
    project(tmp_path)
    recheck = recheck_of(tmp_path)

    def racing(texts: Mapping[str, str]) -> Report:
        if texts and "pkg/b.py" in texts:
            (tmp_path / "pkg/b.py").write_text("T = {\n    9: 1,\n    10: 2,\n}  # edited meanwhile\n")
        return recheck(texts)

    result = mend(racing, offer, tmp_path, unsafe=True, write=True)
    assert result.changed == ("pkg/a.py",)
    assert [one.path for one in result.not_written] == ["pkg/b.py"]
    assert [(one.span.path, one.table) for one in result.after.findings] == [("pkg/a.py", "U"), ("pkg/b.py", "T")]


def offer_one(*edits: Edit) -> Callable[[Sequence[Finding], object], tuple[Finding, ...]]:
    """Offer one safe fix with these edits for every finding."""

    def offered(findings: Sequence[Finding], _: object) -> tuple[Finding, ...]:
        return tuple(replace(one, fixes=(fix_of(*edits, safety=Safety.SAFE),)) for one in findings)

    return offered


def two_files(root: Path) -> Callable[[Mapping[str, str]], Report]:
    """Write a.py and b.py, and return a check that finds BAD in a.py until both say GOOD."""
    for name in ("a.py", "b.py"):
        (root / name).write_text("x = BAD\n")

    def recheck(texts: Mapping[str, str]) -> Report:
        left = [name for name in ("a.py", "b.py") if "GOOD" not in (texts.get(name) or (root / name).read_text())]
        return report_of(*([finding("x = BAD\n", "BAD", span=Span("a.py", 1, 5, 1, 8))] if left else []), root=root)

    return recheck


BOTH = (Edit(Span("a.py", 1, 5, 1, 8), "GOOD"), Edit(Span("b.py", 1, 5, 1, 8), "GOOD"))


def test_a_fix_over_two_files_changes_both(tmp_path: Path) -> None:
    result = mend(two_files(tmp_path), offer_one(*BOTH), tmp_path, unsafe=False, write=True)
    assert result.changed == ("a.py", "b.py")
    assert {"x = GOOD\n"} == {(tmp_path / path).read_text() for path in result.changed}


@pytest.mark.parametrize("moment", ["before it is chosen", "right before writing"])
def test_a_fix_over_two_files_changes_neither_where_one_cannot_be_replaced(moment: str, tmp_path: Path) -> None:
    recheck = two_files(tmp_path)

    def disturbed(texts: Mapping[str, str]) -> Report:
        if moment == "before it is chosen" and texts:
            (tmp_path / "b.py").write_text("x = BAD  # mine\n")
        return recheck(texts)

    def disturb(_: object) -> None:
        if moment == "right before writing":
            (tmp_path / "b.py").write_text("x = BAD  # mine\n")

    result = mend(disturbed, offer_one(*BOTH), tmp_path, unsafe=False, write=True, before_writing=disturb)
    assert (tmp_path / "a.py").read_text() == "x = BAD\n"
    assert (tmp_path / "b.py").read_text() == "x = BAD  # mine\n"
    assert (result.changed, result.applied) == ((), ())
    assert "b.py" in [one.path for one in result.not_written]
    assert len(result.after.findings) == 1
    assert "changed by something else" in " ".join(one.reason for one in result.refused)


@pytest.mark.parametrize("write", [True, False])
def test_a_text_that_the_encoding_cannot_hold_is_refused_with_the_reason(write: bool, tmp_path: Path) -> None:  # noqa: FBT001
    text = "# coding: latin-1\nx = BAD\n"
    (tmp_path / "a.py").write_text(text)

    def recheck(texts: Mapping[str, str]) -> Report:
        return report_of(*([] if texts else [finding(text, "BAD", span=Span("a.py", 2, 5, 2, 8))]), root=tmp_path)

    result = mend(recheck, offer_one(Edit(Span("a.py", 2, 5, 2, 8), "'😀'")), tmp_path, unsafe=False, write=write)
    assert (tmp_path / "a.py").read_text() == text
    assert (result.changed, result.diff) == ((), b"")
    (refused,) = result.refused
    assert refused.reason == "a.py was not replaced: its encoding (iso-8859-1) has no bytes for '😀'."


def test_where_a_file_cannot_be_replaced_the_next_best_way_is_taken(tmp_path: Path) -> None:
    recheck = two_files(tmp_path)
    (tmp_path / "b.py").unlink()
    (tmp_path / "away.py").write_text("x = GOOD\n")

    def offered(findings: Sequence[Finding], _: object) -> tuple[Finding, ...]:
        first = fix_of(Edit(Span("b.py", 1, 5, 1, 8), "GOOD"), title="in b.py")
        second = fix_of(Edit(Span("a.py", 1, 5, 1, 8), "GOOD"), title="in a.py")
        return tuple(replace(one, fixes=(first, second)) for one in findings)

    def lenient(texts: Mapping[str, str]) -> Report:
        return recheck({"b.py": "GOOD", **texts})

    result = mend(lenient, offered, tmp_path, unsafe=False, write=True)
    assert [one.fix.title for one in result.applied] == ["in a.py"]
    assert (tmp_path / "a.py").read_text() == "x = GOOD\n"


def test_the_sample_of_symmetric_memory_is_mended_whole_and_stays_so(tmp_path: Path) -> None:
    root = tmp_path / "sample"
    shutil.copytree(Path(__file__).parents[2] / "fixtures" / "symmetric_memory", root)
    settings = load_settings([root], isolated=True)
    before = {file: file.read_text() for file in root.rglob("*.py")}
    result = fix([root], settings, unsafe=True, jobs=1, use_cache=False)
    assert result.changed == ("peerlink/communicator.py", "peerlink/limits.py")
    assert all(one.rule != "HW101" for one in result.after.findings)
    for file, old in before.items():
        new = file.read_text().split("\n")
        assert not set(old.split("\n")) - set(new), "a line was taken away"
    assert fix([root], settings, unsafe=True, jobs=1, use_cache=False).changed == ()


def test_without_unsafe_fixes_the_sample_keeps_the_feature_off(tmp_path: Path) -> None:
    root = tmp_path / "sample"
    shutil.copytree(Path(__file__).parents[2] / "fixtures" / "symmetric_memory", root)
    result = fix([root], load_settings([root], isolated=True), jobs=1, use_cache=False)
    assert result.changed == ("peerlink/communicator.py",)
    assert [choice.fix.safety for choice in result.applied] == [Safety.SAFE]
    assert "MESSAGE_LIMITS has no entry for compute capability %s" in (root / "peerlink/communicator.py").read_text()


def test_a_fix_may_change_a_file_that_was_not_given_but_mends_only_what_was(tmp_path: Path) -> None:
    root = tmp_path / "sample"
    shutil.copytree(Path(__file__).parents[2] / "fixtures" / "symmetric_memory", root)
    other = root / "peerlink" / "other.py"
    other.write_text("import torch\n\nT = {9: 1, 10: 2}\nX = T[torch.cuda.get_device_capability()[0]]\n")
    settings = load_settings([root])
    result = fix([root / "peerlink" / "communicator.py"], settings, unsafe=True, jobs=1, use_cache=False)
    assert result.changed == ("peerlink/communicator.py", "peerlink/limits.py")
    assert [one.span.path for one in result.after.findings if one.level is Level.ERROR] == []
    assert fix([root], settings, unsafe=True, jobs=1, use_cache=False).changed == ("peerlink/other.py",)


def test_a_fix_that_would_break_a_file_that_was_not_given_is_refused(tmp_path: Path) -> None:
    guarded = (
        "import torch\n\nfrom lists import FAST\n\nSIZES = {100: 1, 120: 2}\n\n\ndef size():\n"
        "    major, minor = torch.cuda.get_device_capability()\n    number = major * 10 + minor\n"
        "    return %s if number in FAST else 0\n"
    )
    (tmp_path / "hwlint.toml").write_text("")
    (tmp_path / "lists.py").write_text("FAST = (100, 120)\n")
    (tmp_path / "given.py").write_text(guarded % "1")
    (tmp_path / "other.py").write_text(guarded % "SIZES[number]")
    settings = load_settings([tmp_path])
    result = fix([tmp_path / "given.py"], settings, unsafe=True, select=["HW103"], jobs=1, use_cache=False)
    (refused,) = result.refused
    assert "A new finding would come: HW101 at other.py:11" in refused.reason
    assert result.changed == ()
    (tmp_path / "other.py").unlink()
    again = fix([tmp_path / "given.py"], settings, unsafe=True, select=["HW103"], jobs=1, use_cache=False)
    assert again.changed == ("lists.py",)


def test_a_fix_that_does_not_hold_yet_gets_another_turn_once_others_are_applied(tmp_path: Path) -> None:
    first = {"a.py": "a = BAD\n", "b.py": "b = BAD\n"}
    for path, text in first.items():
        (tmp_path / path).write_text(text)
    steps = {("a.py", "BAD"): "END", ("b.py", "BAD"): "MID", ("b.py", "MID"): "END"}

    left = {"BAD": ("sm_120", "sm_121"), "MID": ("sm_121",), "new": ("sm_120",)}

    def about(path: str, word: str, **changes: object) -> Finding:
        span = Span(path, 1, 5, 1, 8)
        new = steps.get((path, word))
        fixes = () if new is None else (replace(fix_of(Edit(span, new)), title=f"make {path} {new}"),)
        values: dict[str, object] = {
            "span": span,
            "symbol": path,
            "targets": left[word],
            "fixes": fixes,
            "level": Level.ERROR,
            **changes,
        }
        return replace(finding("a = BAD\n", "BAD"), **values)  # type: ignore[arg-type]

    def recheck(texts: Mapping[str, str]) -> Report:
        words = {path: (texts.get(path) or text)[4:7] for path, text in first.items()}
        found = [about(path, word) for path, word in words.items() if word != "END"]
        if words["a.py"] == "END" != words["b.py"]:
            found.append(about("a.py", "new", rule="HW301"))
        return report_of(*found, root=tmp_path)

    result = mend(recheck, lambda findings, _: tuple(findings), tmp_path, unsafe=True, write=True)
    assert result.changed == ("a.py", "b.py")
    assert result.refused == ()
    assert [choice.fix.title for choice in result.applied] == ["make b.py MID", "make b.py END", "make a.py END"]
    assert (tmp_path / "a.py").read_text() == "a = END\n"


def test_findings_that_look_alike_are_mended_and_told_one_by_one(tmp_path: Path) -> None:
    (tmp_path / "hwlint.toml").write_text("")
    (tmp_path / "mod.py").write_text(
        "import torch\n\n\ndef names():\n    major, minor = torch.cuda.get_device_capability()\n"
        '    text = f"{major}.{minor}"\n    first = int(text[0])\n    shown = f"sm_{text[0]}"\n'
        "    return first, shown, text[0] + text[2]\n"
    )
    result = fix([tmp_path], load_settings([tmp_path]), unsafe=True, select=["HW303"], jobs=1, use_cache=False)
    assert len({(one.rule, one.symbol, one.table) for one in result.report.findings}) == 1
    titles = [[one.title for one in finding.fixes if one.applied] for finding in result.report.findings]
    assert ['Read all digits: `text.split(".")[0]`'] in titles
    assert ['Read all digits: `"".join(text.split("+")[0].split("."))`'] in titles
    assert [] in titles, "what stands in an f-string cannot be edited, and does not keep the others from it"
    assert [] == list(result.refused)
    assert len(result.after.findings) == len(result.report.findings) - len(result.applied)


def test_a_chain_that_ends_before_todays_architectures_is_given_a_last_branch_that_stays_quiet(tmp_path: Path) -> None:
    chain = "    if major == 8:\n        count = 4\n    elif major == 10:\n        count = 8\n"
    head = "import torch\n\n\ndef warps():\n    major = torch.cuda.get_device_capability()[0]\n"
    (tmp_path / "mod.py").write_text(f"{head}{chain}    return count * 32\n")
    result = fix([tmp_path], load_settings([tmp_path], isolated=True), jobs=1, use_cache=False)
    assert [one.finding.rule for one in result.applied] == ["HW201"], result.refused
    assert [] == [one for one in result.after.findings if one.level.rank >= Level.WARNING.rank]
    said = 'raise NotImplementedError(f"no branch for {major}, only for 8.x and 10.x")'
    assert f"{chain}    else:\n        {said}\n    return" in (tmp_path / "mod.py").read_text()


def test_a_list_that_is_subscripted_is_filled_up_to_todays_architectures(tmp_path: Path) -> None:
    (tmp_path / "mod.py").write_text(
        "import torch\n\nROWS = [0, 0, 0, 0, 0, 0, 0, 2, 4]\n\n\n"
        "def rows():\n    return ROWS[torch.cuda.get_device_capability()[0]]\n"
    )
    settings = load_settings([tmp_path], isolated=True)
    result = fix([tmp_path], settings, unsafe=True, jobs=1, use_cache=False)
    assert [one.fix.title for one in result.applied] == ["Add 9, 10, 11, 12 to `ROWS`, copied from 8.0"]
    assert "2, 4, 4, 4, 4, 4]" in (tmp_path / "mod.py").read_text()
    assert not fix([tmp_path], settings, unsafe=True, jobs=1, use_cache=False).changed


HEAD = "import torch\n\n\n"


def mended(root: Path, text: str, *select: str) -> tuple[FixResult, str]:
    """Write a module, fix it, and return what was done and the text; a second run must change nothing."""
    (root / "mod.py").write_text(text)
    settings = load_settings([root], isolated=True)
    result = fix([root], settings, unsafe=True, select=select, jobs=1, use_cache=False)
    assert not fix([root], settings, unsafe=True, select=select, jobs=1, use_cache=False).changed
    return result, (root / "mod.py").read_text()


def test_a_table_without_a_name_may_be_mended_for_some_architectures_only(tmp_path: Path) -> None:
    text = (
        f"{HEAD}def kernel():\n    major, minor = torch.cuda.get_device_capability()\n"
        '    return {"9.0": "hopper", "10.0": "blackwell", "12.0": "blackwell"}[f"{major}.{minor}"]\n'
    )
    result, after = mended(tmp_path, text)
    assert '"10.3": "blackwell"' in after
    assert [one.finding.rule for one in result.applied] == ["HW101"]
    left = [one for one in result.after.findings if one.rule == "HW101"]
    assert left, "sm_107 is of another generation than the entries name"


def test_a_list_of_exact_targets_gets_the_missing_one_with_the_suffix_of_the_others(tmp_path: Path) -> None:
    text = (
        "from compiler import Arch\n\n\ndef convert(data): ...\n\n\n"
        "convert.supported = (Arch.sm_100a, Arch.sm_110a, Arch.sm_120a, Arch.sm_121a)\n"
    )
    result, after = mended(tmp_path, text, "HW103")
    assert after.endswith("(Arch.sm_100a, Arch.sm_103a, Arch.sm_110a, Arch.sm_120a, Arch.sm_121a)\n")
    (choice,) = result.applied
    assert choice.fix.title.startswith("Add Arch.sm_103a to ")
    assert "build" not in choice.fix.reason


def test_what_is_left_of_a_fix_that_waited_is_mended_in_the_next_round_and_nothing_says_otherwise(
    tmp_path: Path,
) -> None:
    text = (
        f"{HEAD}T = {{9: 1, 10: 2}}\n\n\ndef narrow():\n    major = torch.cuda.get_device_capability()[0]\n"
        "    return T[major] if major >= 12 else 0\n\n\n"
        "def wide():\n    return T[torch.cuda.get_device_capability()[0]]\n"
    )
    result, after = mended(tmp_path, text)
    assert "T = {9: 1, 10: 2, 11: 2, 12: 2}" in after
    assert [] == [one.reason for one in result.refused]
    assert (len(result.applied), result.along) == (2, ())
    told = {fix.refused for one in result.report.findings for fix in one.fixes}
    assert "The fix of HW101 at mod.py:9 mends a part, a later one the rest." in told
    assert not [one for one in result.after.findings if one.level is not Level.NOTE]
