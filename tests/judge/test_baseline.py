"""What a baseline accepts, and what it says when it is broken."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from hwlint.judge.baseline import Baseline, apply, load, write
from hwlint.model.errors import SettingsError
from hwlint.model.finding import Certainty, Finding, Level, Suppression
from hwlint.model.span import Span


def _finding(fingerprint: str, line: int = 1, path: str = "a.py") -> Finding:
    place = Span(path, line, 1, line, 5)
    return Finding(
        "HW101", "missing-key", Level.ERROR, Certainty.CERTAIN, "mäh", place, "f", ("sm_120",), "KeyError: 12",
        fingerprint=fingerprint,
    )  # fmt: skip


def _written(tmp_path: Path, *findings: Finding) -> Baseline:
    write(tmp_path / "baseline.json", findings)
    return load(tmp_path / "baseline.json")


def _accepted(findings: list[Finding]) -> list[bool]:
    return [each.suppressed is not None for each in findings]


def test_written_findings_are_accepted_and_new_ones_are_not(tmp_path: Path) -> None:
    baseline = _written(tmp_path, _finding("aa"))
    marked, stale = apply([_finding("aa", line=99), _finding("bb")], baseline)
    assert marked[0].suppressed == Suppression("baseline", "accepted in baseline.json")
    assert _accepted(marked) == [True, False]
    assert stale == []


def test_the_same_finding_twice_is_accepted_twice_and_not_a_third_time(tmp_path: Path) -> None:
    baseline = _written(tmp_path, _finding("aa"), _finding("aa", 2))
    assert _accepted(apply([_finding("aa", line) for line in (1, 2, 3)], baseline)[0]) == [True, True, False]


def test_what_no_longer_occurs_is_stale_with_its_number_in_judged_files_only(tmp_path: Path) -> None:
    baseline = _written(tmp_path, _finding("aa"), _finding("aa"), _finding("bb", path="b.py"))
    _, stale = apply([_finding("aa")], baseline)
    assert [(each.entry.fingerprint, each.missing) for each in stale] == [("aa", 1), ("bb", 1)]
    assert [each.entry.path for each in apply([], baseline, paths={"b.py"})[1]] == ["b.py"]


def test_a_finding_silenced_otherwise_is_not_written_but_one_accepted_before_is(tmp_path: Path) -> None:
    by_comment = replace(_finding("aa"), suppressed=Suppression("comment", ""))
    accepted = replace(_finding("bb"), suppressed=Suppression("baseline", ""))
    assert list(_written(tmp_path, by_comment, accepted).entries) == ["bb"]


def test_a_finding_silenced_otherwise_keeps_its_reason_and_is_not_stale(tmp_path: Path) -> None:
    by_comment = replace(_finding("aa"), suppressed=Suppression("comment", "why"))
    assert apply([by_comment], _written(tmp_path, _finding("aa"))) == ([by_comment], [])


def test_a_reader_finds_rule_path_and_message_and_the_bytes_do_not_depend_on_the_order(tmp_path: Path) -> None:
    findings = [_finding("bb", 3), _finding("aa", 9, "b.py"), _finding("bb", 1)]
    write(tmp_path / "one.json", findings)
    write(tmp_path / "two.json", reversed(findings))
    assert (tmp_path / "one.json").read_bytes() == (tmp_path / "two.json").read_bytes()
    row = json.loads((tmp_path / "one.json").read_bytes())["findings"][0]
    assert row == {"fingerprint": "bb", "count": 2, "rule": "HW101", "path": "a.py", "symbol": "f", "message": "mäh"}
    assert sorted(each.name for each in tmp_path.iterdir()) == ["one.json", "two.json"]


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\xff",
        b"[]",
        b"{}",
        b'{"schema": "other/1", "findings": []}',
        b'{"schema": "hwlint-baseline/1"}',
        b'{"schema": "hwlint-baseline/1", "findings": [1]}',
        b'{"schema": "hwlint-baseline/1", "findings": [{"fingerprint": "aa", "count": 0}]}',
        b'{"schema": "hwlint-baseline/1", "findings": [{"fingerprint": "aa", "count": true}]}',
        b"[" * 100_000,
    ],
)
def test_a_broken_baseline_is_a_settings_error_that_names_the_file(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "baseline.json").write_bytes(content)
    with pytest.raises(SettingsError, match=r"baseline\.json"):
        load(tmp_path / "baseline.json")


def test_a_missing_or_unreadable_baseline_is_a_settings_error(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="no such baseline"):
        load(tmp_path / "gone.json")
    with pytest.raises(SettingsError, match="cannot be read"):
        load(tmp_path)


def test_a_place_that_cannot_be_written_is_a_settings_error(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="cannot be written"):
        write(tmp_path / "no/such/folder.json", [])


def test_a_folder_or_a_device_without_an_end_is_no_baseline(tmp_path: Path) -> None:
    for place in (tmp_path, Path("/dev/zero")):
        with pytest.raises(SettingsError, match="not a regular file"):
            load(place)
