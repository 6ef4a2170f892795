"""`hwlint confirm` goes from a project to verdicts, records and an exit status."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from hwlint.cli.commands import hwlint
from hwlint.cli.status import Status
from hwlint.confirm.replay import RunSettings
from hwlint.workflow.check import check
from hwlint.workflow.confirm import asker, confirm, with_records
from hwlint.workflow.offer import with_fixes
from hwlint.workflow.settings import load_settings, override

TABLES = "LIMITS = {\n    9: 64,\n    10: 128,\n}\n"
MODULE = """\
import torch
from pkg.tables import LIMITS


def limit():
    major = torch.cuda.get_device_capability()[0]
    if major < 9:
        return None
    return LIMITS[major]
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    (root / "pkg").mkdir(parents=True)
    (root / "hwlint.toml").write_text("")
    (root / "pkg/tables.py").write_text(TABLES)
    (root / "pkg/mod.py").write_text(MODULE)
    return root


def run(project: Path, *options: str) -> tuple[int, str]:
    result = CliRunner().invoke(
        hwlint, ["confirm", str(project), "--no-cache", "--targets", "sm_90,sm_120", *options], standalone_mode=False
    )
    assert result.exception is None, result.output
    return int(result.return_value), result.output


def test_without_a_device_the_status_says_that_something_was_not_shown(project: Path) -> None:
    status, output = run(project)
    assert Status.INCOMPLETE == status, output
    assert "sm_120 simulated" in output
    assert "No GPU here" in output
    assert TABLES == (project / "pkg/tables.py").read_text()


def test_on_the_device_every_fix_is_confirmed(project: Path, fake_torch: Callable[..., None]) -> None:
    fake_torch((12, 0))
    status, output = run(project, "--output-format", "json")
    assert Status.CLEAN == status, output
    confirmation = json.loads(output)["findings"][0]["fixes"][0]["confirmation"]
    assert ("confirmed", ["sm_120"]) == (confirmation["verdict"], confirmation["on"])


def test_the_records_are_listed_afterwards(project: Path, fake_torch: Callable[..., None]) -> None:
    fake_torch((12, 0))
    run(project)
    status, output = run(project, "--list")
    assert Status.CLEAN == status
    assert "sm_120 confirmed on Fake GPU" in output


def test_a_value_that_a_probe_rejects_leaves_with_findings(
    project: Path, fake_torch: Callable[..., None], tmp_path: Path
) -> None:
    fake_torch((12, 0))
    (tmp_path / "probe.py").write_text("def probe(value, context):\n    raise ValueError('no')\n")
    status, output = run(project, "--probe", f"LIMITS={tmp_path / 'probe.py'}")
    assert Status.FINDINGS == status, output
    assert "refuted" in output


def test_jobs_go_to_another_machine_and_come_back(
    project: Path, fake_torch: Callable[..., None], tmp_path: Path
) -> None:
    status, output = run(project, "--export", str(tmp_path / "jobs.zip"))
    assert Status.CLEAN == status, output
    assert not (project / ".hwlint").exists()
    fake_torch((12, 0))
    command = [sys.executable, str(tmp_path / "jobs.zip"), "--out", str(tmp_path / "results.json")]
    subprocess.run(command, check=True, timeout=120, cwd=tmp_path)
    status, output = run(project, "--import", str(tmp_path / "results.json"))
    assert Status.CLEAN == status, output
    assert "sm_120 confirmed on Fake GPU" in output


def test_fix_keeps_only_what_a_device_confirmed(project: Path, fake_torch: Callable[..., None]) -> None:
    settings = override(load_settings([project]), targets=("sm_120",))
    unseen = confirm([project], settings, RunSettings(seconds=20), use_cache=False)
    fake_torch((12, 0))
    seen = confirm([project], settings, RunSettings(seconds=20), use_cache=False)
    finding = seen.report.findings[0]
    assert [False, True] == [asker(shown)(finding, finding.fixes[0]) for shown in (unseen, seen)]


def test_a_report_shows_the_records_that_are_kept(project: Path, fake_torch: Callable[..., None]) -> None:
    fake_torch((12, 0))
    settings = override(load_settings([project]), targets=("sm_120",))
    confirm([project], settings, RunSettings(seconds=20), use_cache=False)
    bare = with_fixes(check([project], settings, use_cache=False), settings)
    assert bare.findings[0].fixes[0].confirmation is None
    shown = with_records(bare, project).findings[0].fixes[0].confirmation
    assert shown is not None
    assert "confirmed" == shown["verdict"]
