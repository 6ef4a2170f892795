"""Check the commands that explain: `hwlint rule` and `hwlint archs`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hwlint.cli import run


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_every_rule_is_listed_with_level_and_name(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["rule"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines == sorted(lines)
    assert any(line.startswith("HW101  error    missing-key ") for line in lines)


@pytest.mark.parametrize("word", ["HW101", "hw101", "missing-key"])
def test_a_rule_is_found_by_id_and_by_name(word: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["rule", word]) == 0
    page = capsys.readouterr().out
    assert page.startswith("HW101 missing-key (error")
    assert "## Why it matters" in page


def test_the_beginning_of_ids_lists_those_rules(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["rule", "hw10"]) == 0
    ids = [line.split()[0] for line in capsys.readouterr().out.splitlines()]
    assert ids == ["HW101", "HW102", "HW103", "HW104", "HW105"]
    assert run(["rule", "HW4", "--output-format", "json"]) == 0
    assert [rule["id"] for rule in json.loads(capsys.readouterr().out)] == ["HW401"]


def test_a_rule_as_json_holds_its_page(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["rule", "HW101", "--output-format", "json"]) == 0
    rule = json.loads(capsys.readouterr().out)
    assert (rule["id"], rule["name"], rule["level"]) == ("HW101", "missing-key", "error")
    assert "## Flagged" in rule["markdown"]


def test_all_architectures_are_shown(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["archs"]) == 0
    table = capsys.readouterr().out
    assert "sm_120" in table
    assert "gfx942" in table


def test_targets_narrow_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["archs", "12.0", "hopper"]) == 0
    names = [line.split()[0] for line in capsys.readouterr().out.splitlines() if line.startswith("sm_")]
    assert names == ["sm_90", "sm_120"]


def test_one_architecture_is_shown_with_the_source_of_each_fact(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["archs", "sm_120"]) == 0
    lines = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    assert "limits.shared_mem_per_block_optin_kib 99 [pg134, cccl]" in lines
    assert any(line.startswith("[pg134] CUDA Programming Guide") for line in lines)


def test_the_catalogue_as_json_knows_the_sets(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["archs", "--output-format", "json"]) == 0
    catalogue = json.loads(capsys.readouterr().out)
    assert "sm_120" in catalogue["sets"]["current"]


def test_an_architecture_of_the_project_is_shown_unless_isolated(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = '[architectures.sm_130]\ncapability = "13.0"\nlike = "sm_120"\n'
    (tmp_path / "hwlint.toml").write_text(table, encoding="utf-8")
    assert run(["archs"]) == 0
    assert "sm_130" in capsys.readouterr().out
    assert run(["archs", "--isolated"]) == 0
    assert "sm_130" not in capsys.readouterr().out
