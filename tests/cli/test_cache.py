"""`hwlint cache clean` empties the cache and says how much that was."""

from __future__ import annotations

from pathlib import Path

import pytest

from hwlint.cli import run


def test_cleaning_deletes_what_runs_have_kept(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "hwlint.toml").write_text("")
    (tmp_path / "module.py").write_text("x = 1\n")
    assert run(["check", str(tmp_path)]) == 0
    assert len(list((tmp_path / ".hwlint_cache" / "results").glob("*.json"))) == 1
    capsys.readouterr()
    assert run(["cache", "clean", str(tmp_path)]) == 0
    assert capsys.readouterr().out == "1 stored report deleted\n"
    assert not (tmp_path / ".hwlint_cache").exists()
