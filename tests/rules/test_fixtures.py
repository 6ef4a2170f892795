"""Run the bundled code bases: each has exactly the findings that its expected.json lists, at every level."""

from __future__ import annotations

import ast
import json
from dataclasses import replace
from pathlib import Path

import pytest

from hwlint.model.finding import Finding, Level
from hwlint.workflow.settings import load_settings

FIXTURES = sorted((Path(__file__).resolve().parents[2] / "fixtures").iterdir())


@pytest.mark.parametrize("fixture", FIXTURES, ids=lambda fixture: fixture.name)
def test_a_fixture_has_the_findings_that_it_lists_and_no_other(fixture: Path) -> None:
    from hwlint.workflow.check import check

    settings = replace(load_settings([fixture]), level=Level.NOTE)
    report = check([fixture], settings, jobs=1, use_cache=False)
    assert _expected(fixture) == sorted(_line(finding) for finding in report.findings)


@pytest.mark.parametrize("fixture", FIXTURES, ids=lambda fixture: fixture.name)
def test_a_fixture_says_what_it_shows_and_where(fixture: Path) -> None:
    assert "--targets current" in (fixture / "README.md").read_text(encoding="utf-8")
    for entry in json.loads((fixture / "expected.json").read_text(encoding="utf-8")):
        line = (fixture / entry["path"]).read_text(encoding="utf-8").splitlines()[entry["line"] - 1]
        assert line.strip(), entry


@pytest.mark.parametrize("file", [file for fixture in FIXTURES for file in sorted(fixture.rglob("*.py"))], ids=str)
def test_a_fixture_is_python(file: Path) -> None:
    ast.parse(file.read_text(encoding="utf-8"), str(file))


def _expected(fixture: Path) -> list[str]:
    entries = json.loads((fixture / "expected.json").read_text(encoding="utf-8"))
    return sorted(f"{e['path']}:{e['line']} {e['rule']} {e['level']} {' '.join(e['targets'])}" for e in entries)


def _line(finding: Finding) -> str:
    place = f"{finding.span.path}:{finding.span.line}"
    return f"{place} {finding.rule} {finding.level} {' '.join(finding.targets)}"
