"""What is found does not depend on the cache, the processes, the trees let go of, or the files left unread."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from hwlint.evaluate.project import Load, Project
from hwlint.graph.modules import ModuleTable
from hwlint.graph.relevance import Relevance
from hwlint.model.report import Report
from hwlint.workflow import analyse, check, observe, workers
from hwlint.workflow.settings import Settings, load_settings
from hwlint.workflow.sources import Sources

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
SAMPLES = sorted(folder.name for folder in FIXTURES.iterdir() if any(folder.rglob("*.py")))


def copied(folder: Path) -> Settings:
    """All fixtures in one project, so that there is more than one file to share."""
    for name in SAMPLES:
        shutil.copytree(FIXTURES / name, folder / name, ignore=shutil.ignore_patterns(".hwlint*", "__pycache__"))
    return replace(load_settings([folder], isolated=True), root=folder, folders=(folder,), cache_dir=folder / ".cache")


def timeless(report: Report) -> Report:
    return replace(report, summary=replace(report.summary, seconds=0.0))


def found(settings: Settings, *, jobs: int = 1, use_cache: bool = False) -> Report:
    return timeless(check.check([settings.root], settings, jobs=jobs, use_cache=use_cache))


def test_the_cache_and_the_processes_change_nothing_whatever_happens_to_the_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workers, "FEWEST_FILES", 2)
    settings = copied(tmp_path)
    first = sorted(tmp_path.rglob("*.py"))
    changes: Sequence[Callable[[], object]] = (
        lambda: None,
        lambda: first[0].write_text(first[0].read_text() + "\nTABLE_OF_OURS = {9: 1}\n"),
        lambda: first[-1].rename(first[-1].with_name("renamed.py")),
        lambda: first[len(first) // 2].unlink(),
    )
    seen: list[Report] = []
    for change in changes:
        change()
        plain = found(settings)
        assert plain.findings
        assert plain == found(settings, jobs=3)
        assert plain == found(settings, use_cache=True)
        assert plain == found(settings, jobs=2, use_cache=True)
        seen.append(plain)
    assert seen[0] != seen[-1]


@pytest.mark.parametrize("jobs", [1, 2])
def test_trees_that_are_let_go_of_and_read_again_change_nothing(
    jobs: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workers, "FEWEST_FILES", 2)
    settings = copied(tmp_path)
    kept = found(settings, jobs=jobs)
    went: list[int] = []
    shed = Sources.shed

    def counted(sources: Sources, most: int) -> None:
        before = len(sources._parsed)
        shed(sources, most)
        went.append(before - len(sources._parsed))

    monkeypatch.setattr(Sources, "shed", counted)
    for name in ("MOST_CHOSEN", "MOST_EVALUATED", "LEAST_EVALUATED"):
        monkeypatch.setattr(analyse, name, 0)
    assert kept == found(settings, jobs=jobs)
    assert sum(went) > 0


@pytest.mark.parametrize("name", SAMPLES)
def test_the_files_and_names_left_out_would_have_added_nothing(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = replace(load_settings([FIXTURES / name]), cache_dir=tmp_path)
    short = found(settings)
    everything = Project.__init__

    def whole(project: Project, table: ModuleTable, load: Load, *_: object) -> None:
        everything(project, table, load)  # every file is reached, and every name counts

    monkeypatch.setattr(Project, "__init__", whole)
    monkeypatch.setattr(observe, "choose", lambda _, files, *__: Relevance(frozenset(files), frozenset(), {}))
    long = found(settings)
    assert short.findings == long.findings
    assert short.failures == long.failures
    assert short.summary.parsed <= long.summary.parsed
