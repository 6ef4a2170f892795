"""Check that a declared origin which names nothing is reported at its line, and no other is."""

from __future__ import annotations

from pathlib import Path

import pytest

from hwlint.model.finding import Finding, Level
from hwlint.workflow.settings import load_settings

_USES = "import vendorlib\n\nROWS = {75: 4, 120: 8}\n\n\ndef rows():\n    return ROWS[vendorlib.chip_number()]\n"


def _found(root: Path, settings: str, name: str = "hwlint.toml") -> list[Finding]:
    from hwlint.workflow.check import check

    (root / name).write_text(settings)
    (root / "kernel.py").write_text(_USES)
    report = check([root], load_settings([root]), jobs=1, use_cache=False)
    return [finding for finding in report.findings if finding.rule == "HW903"]


def test_a_misspelt_origin_is_a_note_at_its_line_and_names_the_nearest_word(tmp_path: Path) -> None:
    (finding,) = _found(tmp_path, '[origins]\n"vendorlib.chip_numer" = "major * 10 + minor"\n')
    assert ("hwlint.toml", 2, 1) == (finding.span.path, finding.span.line, finding.span.column)
    assert finding.level is Level.NOTE
    assert "did you mean `chip_number`?" in finding.message


def test_an_origin_that_the_code_uses_is_not_reported(tmp_path: Path) -> None:
    assert _found(tmp_path, '[origins]\n"vendorlib.chip_number" = "major * 10 + minor"\n') == []


def test_in_pyproject_the_entry_is_found_too(tmp_path: Path) -> None:
    text = '[project]\nname = "a"\n\n[tool.hwlint.origins]\n"vendorlib.gone" = "major"\n'
    (finding,) = _found(tmp_path, text, "pyproject.toml")
    assert ("pyproject.toml", 5) == (finding.span.path, finding.span.line)


@pytest.mark.parametrize("name", ["*.chip_number", "other.chip_number"])
def test_only_the_last_name_counts_for_it_may_be_reached_by_another_way(tmp_path: Path, name: str) -> None:
    assert _found(tmp_path, f'[origins]\n"{name}" = "major"\n') == []
