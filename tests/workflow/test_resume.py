"""After an edit only the files that asked a changed one are evaluated again, and the report is that of a fresh run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from benchmarks.same import compare
from hwlint.model.report import Report
from hwlint.workflow import fresh, resume
from hwlint.workflow.analyse import Plan, evaluate_here
from hwlint.workflow.cache import Cache
from hwlint.workflow.check import check
from hwlint.workflow.facts import Evaluated, facts_of, written
from hwlint.workflow.observe import Seen, observe
from hwlint.workflow.reads import basis_of
from hwlint.workflow.scope import survey
from hwlint.workflow.settings import Settings
from hwlint.workflow.sources import Sources

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
TABLES = "SIZES = {9: 1, 10: 2}\n\n\ndef unused():\n    return 1\n"
USE = """
import torch
from tables import SIZES


def size():
    return SIZES[torch.cuda.get_device_capability()[0]]
"""
OTHER = """
import torch

OWN = {8: 1, 9: 2}


def own():
    return OWN[torch.cuda.get_device_capability()[0]]
"""


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    for name, text in (("tables", TABLES), ("use", USE), ("other", OTHER), ("beside", "def greet():\n    pass\n")):
        (tmp_path / f"{name}.py").write_text(text)
    return Settings(root=tmp_path, folders=(tmp_path,), cache_dir=tmp_path / ".hwlint_cache")


@pytest.fixture
def evaluated(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """What was evaluated, for each run; all is None."""
    runs: list[list[str]] = []

    def counted(sources: Sources, plan: Plan, paths: Sequence[str]) -> dict[str, Evaluated]:
        runs.append(list(paths))
        return evaluate_here(sources, plan, paths)

    def everything(*arguments: Any, **named: Any) -> Seen:
        runs.append(["everything"])
        return observe(*arguments, **named)

    monkeypatch.setattr(resume, "evaluate_here", counted)
    monkeypatch.setattr(fresh, "observe", everything)
    return runs


def same_as_fresh(settings: Settings, *paths: Path) -> Report:
    """The report with the cache, which has to be that without it."""
    asked = paths or settings.folders
    report, plain = check(asked, settings), check(asked, settings, use_cache=False)
    assert timeless(report) == timeless(plain)
    return report


def timeless(report: Report) -> Report:
    return replace(report, summary=replace(report.summary, seconds=0.0))


def test_only_the_files_that_asked_a_changed_one_are_evaluated_again(
    settings: Settings, evaluated: list[list[str]]
) -> None:
    check(settings.folders, settings)
    assert evaluated.pop() == ["everything"]
    (settings.root / "tables.py").write_text(TABLES.replace("10: 2", "10: 2, 11: 3, 12: 3"))
    report = check(settings.folders, settings)
    assert evaluated == [["use.py"]]
    assert {one.span.path for one in report.findings if one.level == "error"} == {"other.py"}
    assert timeless(report) == timeless(check(settings.folders, settings, use_cache=False))


def test_lines_that_moved_are_told_where_they_are_now(settings: Settings, evaluated: list[list[str]]) -> None:
    check(settings.folders, settings)
    (settings.root / "tables.py").write_text(f"# moved\n\n{TABLES}")
    found = [one for one in check(settings.folders, settings).findings if one.span.path == "use.py"]
    assert evaluated[1:] == [["use.py"]]
    assert {step.span.line for one in found for step in one.trace if step.span.path == "tables.py"} == {3}


def test_one_file_is_checked_with_what_a_run_over_all_has_found_out(
    settings: Settings, evaluated: list[list[str]]
) -> None:
    check(settings.folders, settings)
    report = check([settings.root / "use.py"], settings)
    assert evaluated[1:] == [[]]
    assert {one.span.path for one in report.findings} == {"use.py"}
    evaluated.clear()
    assert check(settings.folders, replace(settings, ignore=("HW101",))).findings == ()
    assert evaluated == [[]]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("tables.py", TABLES.replace("return 1", "return 2")),
        ("tables.py", TABLES + "LATER = {9: 1}\n"),
        ("use.py", USE.replace("return SIZES", "# why\n    return SIZES")),
        ("use.py", USE + "\n\ndef again():\n    print(SIZES.get(torch.cuda.get_device_capability()[0]))\n"),
    ],
)
def test_an_edit_that_leaves_the_reach_of_the_hardware_alone_costs_no_run_over_everything(
    name: str, text: str, settings: Settings, evaluated: list[list[str]]
) -> None:
    check(settings.folders, settings)
    (settings.root / name).write_text(text)
    report = check(settings.folders, settings)
    assert ["everything"] not in evaluated[1:]
    assert timeless(report) == timeless(check(settings.folders, settings, use_cache=False))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("beside.py", "from use import size\n\n\ndef greet():\n    return {9: 1}[size()]\n"),
        ("use.py", USE.replace("def size", "def bytes_of_the_buffer")),
        ("use.py", "def broken(:\n"),
        ("tables.py", TABLES.replace("def unused():\n    return 1", "from other import own as SIZES")),
    ],
)
def test_an_edit_that_takes_the_hardware_elsewhere_is_seen_as_by_a_fresh_run(
    name: str, text: str, settings: Settings
) -> None:
    check(settings.folders, settings)
    (settings.root / name).write_text(text)
    same_as_fresh(settings)
    same_as_fresh(settings, settings.root / name)


def test_a_package_that_begins_or_ceases_to_hand_a_class_on_is_seen_as_by_a_fresh_run(settings: Settings) -> None:
    package = settings.root / "chips"
    package.mkdir()
    chip = "class Chip:\n    def major(self):\n        return torch.cuda.get_device_capability()[0]\n"
    (package / "cuda.py").write_text(f"import torch\n{chip}")
    (settings.root / "by_chip.py").write_text("from chips import chip\nsize = {8: 1, 9: 1}[chip.major()]\n")
    texts = [
        "from chips.cuda import Chip",
        "from chips.cuda import Chip\nchip = Chip()",
        "from chips.cuda import Chip\nchip = Chip",
        "from chips.cuda import Chip\ndef other():\n    return Chip()\nchip = other()",
        "from chips.cuda import Chip as Other\nchip = Other()",
        "from chips.cuda import Chip as Other\nchip = None",
    ]
    found = []
    for text in texts:
        (package / "__init__.py").write_text(text)
        found.append(any(one.span.path == "by_chip.py" for one in same_as_fresh(settings).findings))
    assert found == [False, True, True, True, True, False]


def test_a_word_that_only_an_edited_file_asks_for_is_told_by_all_from_then_on(settings: Settings) -> None:
    base = "import torch\n\n\nclass Kernel:\n    TABLE = {8: 1}\n\n    def pick(self):\n        return self.TABLE\n"
    asks = "        return self.TABLE[torch.cuda.get_device_capability()[0]]\n"
    (settings.root / "kernel.py").write_text(base)
    check(settings.folders, settings)
    (settings.root / "kernel.py").write_text(base.replace("        return self.TABLE\n", asks))
    same_as_fresh(settings)
    heir = "from kernel import Kernel\n\n\nclass Newer(Kernel):\n    TABLE = {9: 1}\n\n\nNewer().pick()\n"
    (settings.root / "beside.py").write_text(heir)
    same_as_fresh(settings)


@pytest.mark.parametrize("cut", ["half", "tail", "junk", "numbers"])
def test_broken_facts_only_cost_time(cut: str, settings: Settings, evaluated: list[list[str]]) -> None:
    check(settings.folders, settings)
    (document,) = (settings.cache_dir / "facts").iterdir()
    text = document.read_text()
    broken = {
        "half": text[: len(text) // 2],
        "tail": text[:-1],
        "junk": "{}\n[]\n",
        "numbers": text.replace('["t"', '["t",999999', 1),
    }
    document.write_text(broken[cut])
    (settings.root / "tables.py").write_text(f"\n{TABLES}")
    evaluated.clear()
    report = check(settings.folders, settings)
    assert timeless(report) == timeless(check(settings.folders, settings, use_cache=False))
    assert cut == "numbers" or evaluated[0] == ["everything"]


def test_a_document_of_facts_is_read_as_it_was_written(settings: Settings) -> None:
    check(settings.folders, settings)
    scope = survey(settings.folders, settings, {})
    facts = Cache(settings.cache_dir).facts(scope, settings)
    assert facts is not None
    assert facts.asked["use.py"] == {"use.py", "tables.py"}
    head, _, rest = written(facts).partition("\n")
    basis = basis_of(head)
    assert basis is not None
    assert facts_of(basis, rest) == facts


@pytest.mark.parametrize("seed", [1, 2])
def test_whatever_is_edited_in_the_examples_a_run_that_starts_from_facts_finds_the_same(seed: int) -> None:
    assert compare(FIXTURES, 8, seed) == 0
