"""The number of processes changes nothing but the time."""

from __future__ import annotations

import os
import signal
from dataclasses import replace
from pathlib import Path

import pytest

from hwlint.evaluate.engine import Machine
from hwlint.workflow.check import check
from hwlint.workflow.settings import Settings
from hwlint.workflow.sources import Sources
from hwlint.workflow.workers import FEWEST_FILES, Workers


def many_modules(folder: Path) -> Settings:
    (folder / "caps.py").write_text("import torch\n\ndef major():\n    return torch.cuda.get_device_capability()[0]\n")
    for number in range(4 * FEWEST_FILES):
        (folder / f"m{number}.py").write_text(
            f"from caps import major\nTABLE = {{9: {number}, 10: 0}}\n\ndef look():\n    return TABLE[major()]\n"
        )
    return Settings(root=folder, folders=(folder,))


def test_one_process_and_several_report_the_same(tmp_path: Path) -> None:
    settings = many_modules(tmp_path)
    one, three = (check([tmp_path], settings, jobs=jobs, use_cache=False) for jobs in (1, 3))
    assert len(one.findings) == 8 * FEWEST_FILES
    assert replace(one, summary=replace(one.summary, seconds=0.0)) == replace(
        three, summary=replace(three.summary, seconds=0.0)
    )


def die_at(sources: Sources, paths: list[str], culprit: str, home: int) -> dict[str, int]:
    found = {}
    for path in paths:
        if path == culprit and os.getpid() != home:
            os.kill(os.getpid(), signal.SIGKILL)
        found[path] = len(path)
    return found


def test_a_worker_that_dies_costs_one_file(tmp_path: Path) -> None:
    many_modules(tmp_path)
    files = sorted(path.name for path in tmp_path.iterdir())
    sources = Sources(tmp_path)
    with Workers(sources, files, 2) as workers:
        found = workers.run(die_at, files, files[1], os.getpid())
    assert set(files) - set(found) == {files[1]}
    assert [failure.path for failure in sources.failures] == [files[1]]


@pytest.mark.parametrize("jobs", [1, 2])
def test_results_come_sorted(jobs: int, tmp_path: Path) -> None:
    many_modules(tmp_path)
    files = sorted(path.name for path in tmp_path.iterdir())
    with Workers(Sources(tmp_path), files, jobs) as workers:
        found = workers.run(die_at, list(reversed(files)), "none", os.getpid())
    assert list(found) == files


def test_a_fault_of_hwlint_on_one_file_is_that_files_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = many_modules(tmp_path)
    whole = Machine.evaluate

    def stumble(machine: Machine, path: str) -> object:
        if path == "m7.py":
            raise ZeroDivisionError("a bug")
        return whole(machine, path)

    monkeypatch.setattr(Machine, "evaluate", stumble)
    report = check([tmp_path], settings, jobs=2, use_cache=False)
    assert [(failure.path, "ZeroDivisionError: a bug" in failure.message) for failure in report.failures] == [
        ("m7.py", True)
    ]
    assert {finding.span.path for finding in report.findings if finding.rule == "HW101"} == {
        f"m{number}.py" for number in range(4 * FEWEST_FILES) if number != 7
    }
