"""Check what the server remembers of a project from one start to the next."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("pygls", reason="NOT TESTED: no pygls; pip install '.[dev]' brings it")

from hwlint.graph.relevance import Relevance
from hwlint.server import remembered
from hwlint.workflow.cache import SERVER_FILE
from hwlint.workflow.settings import Settings, load_settings

KNOWN = Relevance(frozenset({"a.py"}), frozenset({".major"}), {"a.py": frozenset({"cap"})})


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """A project with one file, and a folder to remember in."""
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "a.py").write_text("x = 1\n")
    found = load_settings([tmp_path])
    found.cache_dir.mkdir()
    return found


def test_what_was_stored_is_current_until_a_file_changes(settings: Settings) -> None:
    remembered.store(settings, remembered.mark(settings, ["a.py"]), KNOWN)
    assert remembered.load(settings, remembered.mark(settings, ["a.py"])) == (KNOWN, True)
    (settings.root / "a.py").write_text("x = 22\n")
    assert remembered.load(settings, remembered.mark(settings, ["a.py"])) == (KNOWN, False)


@pytest.mark.parametrize("damage", ["", "[", '["d"]', '["f","a"]'])
def test_what_cannot_be_read_is_not_taken_for_current(damage: str, settings: Settings) -> None:
    mark = remembered.mark(settings, ["a.py"])
    (settings.cache_dir / SERVER_FILE).write_text(f"{mark}\n{damage}")
    assert remembered.load(settings, mark) == (None, False)


def test_the_mark_is_another_for_another_build_of_hwlint(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    before = remembered.mark(settings, ["a.py"])
    monkeypatch.setattr(remembered, "own_files", lambda: iter(["evaluate.py:10:20"]))
    assert remembered.mark(settings, ["a.py"]) != before
