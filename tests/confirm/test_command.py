"""`hwlint confirm` goes from a project to verdicts, records and an exit status."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from hwlint.cli import run as run_in_process
from hwlint.cli.commands import hwlint
from hwlint.cli.status import Status
from hwlint.confirm.replay import RunSettings
from hwlint.model.errors import UsageError
from hwlint.workflow.check import check
from hwlint.workflow.confirm import confirm, with_records
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
    assert " ".join(output.split()).endswith("`hwlint confirm --export jobs.zip` takes to one that can.")
    assert TABLES == (project / "pkg/tables.py").read_text()


def test_architectures_of_which_the_same_is_shown_share_a_line(project: Path) -> None:
    status, output = run(project, "--targets", "sm_90,sm_110,sm_120,sm_121")
    assert Status.INCOMPLETE == status, output
    words = " ".join(output.split())
    assert 2 == words.count("sm_110, sm_120, sm_121 simulated: none of these is here; with the origin patched to each")
    assert "KeyError: 11 (sm_110), KeyError: 12 (sm_120, sm_121) before the edit; after it it gives 128" in words
    assert "sm_110, sm_120, sm_121 simulated:" in run(project, "--list")[1]


def test_without_a_fix_or_a_record_the_output_says_what_makes_one(project: Path) -> None:
    assert "No record is kept here; `hwlint confirm` makes them." in run(project, "--list")[1]
    (project / "pkg/mod.py").write_text("")
    status, output = run(project)
    assert Status.CLEAN == status
    words = " ".join(output.split())
    assert "No fix to confirm: none is offered" in words
    assert "`hwlint fix --confirm` runs each before it is made" in words


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


REFUSING = "def probe(value, context):\n    raise ValueError('no')\n"


def test_a_probe_of_the_configuration_runs_once_the_user_allows_it(
    project: Path, fake_torch: Callable[..., None]
) -> None:
    fake_torch((12, 0))
    (project / "hwlint.toml").write_text("[probes]\nLIMITS = 'probes/limit.py'\n")
    (project / "probes").mkdir()
    (project / "probes/limit.py").write_text(REFUSING)
    status, output = run(project)
    assert Status.CLEAN == status, output
    assert "not run: the probes probes/limit.py; add --allow-probes" in output
    status, output = run(project, "--allow-probes")
    assert Status.FINDINGS == status, output
    assert "rejects the value: ValueError: no" in output


def test_the_configurations_probe_for_any_table_goes_after_that_of_the_table(
    project: Path, fake_torch: Callable[..., None]
) -> None:
    fake_torch((12, 0))
    (project / "hwlint.toml").write_text("[probes]\n'*' = 'refusing.py'\nLIMITS = 'passing.py:how=gently'\n")
    (project / "refusing.py").write_text(REFUSING)
    (project / "passing.py").write_text("def probe(value, context):\n    return {'text': context['options']['how']}\n")
    status, output = run(project, "--allow-probes")
    assert Status.CLEAN == status, output
    assert "exercised" in output


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ("LIMITS = 'triton-tiles'", "did you mean `triton-tile`?"),
        ("LIMITS = '../outside.py'", "it lies outside the project"),
        ("LIMITS = 'LIMITS=triton-tile'", "the key names the table"),
        ("LIMITS = 3", "`probes` must hold strings"),
    ],
)
def test_a_configured_probe_that_cannot_be_is_wrong_usage(
    project: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], settings: str, said: str
) -> None:
    (tmp_path / "outside.py").write_text(REFUSING)
    (project / "hwlint.toml").write_text(f"[probes]\n{settings}\n")
    assert Status.MISUSE == run_in_process(["confirm", "--targets", "sm_120", str(project)])
    message = capsys.readouterr().err
    assert said in message
    assert "hwlint.toml" in message


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--probe", "LIMIT=triton-tile"], "there is no table `LIMIT`; did you mean `LIMITS`?"),
        (["--probe", "NOSUCH=triton-tile"], "there is no table `NOSUCH` (with a fix to confirm: LIMITS)"),
        (["--probe", "LIMITS=triton-tiles"], "did you mean `triton-tile`?"),
        (["--probe", "OTHER=triton-tiles"], "did you mean `triton-tile`?"),
        (["--python", "/nope"], "--python /nope: no such file"),
        (["--python", "/"], "--python /: a folder"),
        (["--python", "/bin/true"], "--python /bin/true: it does not answer as a Python 3"),
    ],
)
def test_what_names_nothing_is_wrong_usage_and_runs_nothing(
    project: Path, capsys: pytest.CaptureFixture[str], options: list[str], said: str
) -> None:
    assert Status.MISUSE == run_in_process(["confirm", "--targets", "sm_120", *options, str(project)])
    assert said in capsys.readouterr().err
    assert not (project / ".hwlint").exists()


def test_a_probe_for_a_table_that_is_mended_already_is_no_mistake(project: Path) -> None:
    (project / "pkg/mod.py").write_text(MODULE + "\n\nMENDED = {}\n")
    status, output = run(project, "--probe", "MENDED=triton-tile")
    assert Status.INCOMPLETE == status, output


def test_an_interpreter_named_by_a_relative_path_is_found_from_where_the_user_is(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "python").symlink_to(sys.executable)
    monkeypatch.chdir(tmp_path)
    status, output = run(project, "--python", "./python")
    assert Status.INCOMPLETE == status, output
    assert "simulated" in output


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


def test_fix_runs_each_fix_on_the_device_and_check_then_asks_for_nothing_more(
    project: Path, fake_torch: Callable[..., None], capsys: pytest.CaptureFixture[str]
) -> None:
    fake_torch((12, 0))
    common = ["--targets", "sm_120", str(project)]
    assert Status.FINDINGS == run_in_process(["check", *common])
    assert Status.CLEAN == run_in_process(["fix", "--confirm", "--unsafe-fixes", *common])
    assert "12: " in (project / "pkg/tables.py").read_text()
    assert Status.CLEAN == run_in_process(["check", "--require-confirmed", *common])
    (project / "pkg/tables.py").write_text((project / "pkg/tables.py").read_text().replace("9: 64", "9: 65"))
    capsys.readouterr()
    assert Status.FINDINGS == run_in_process(["check", "--require-confirmed", *common])
    told = capsys.readouterr().err
    assert "no fresh record of a device confirms it" in told
    assert "take these edits back" in told


def test_fix_takes_back_what_the_configured_probe_rejects(
    project: Path, fake_torch: Callable[..., None], capsys: pytest.CaptureFixture[str]
) -> None:
    fake_torch((12, 0))
    (project / "hwlint.toml").write_text("[probes]\nLIMITS = 'limit.py'\n")
    (project / "limit.py").write_text(REFUSING)
    common = ["--confirm", "--unsafe-fixes", "--targets", "sm_120", str(project)]
    run_in_process(["fix", "--allow-probes", *common])
    assert TABLES == (project / "pkg/tables.py").read_text()
    assert "It was not confirmed on a device: refuted" in capsys.readouterr().out
    assert Status.CLEAN == run_in_process(["fix", *common])


def test_a_report_shows_the_records_that_are_kept(project: Path, fake_torch: Callable[..., None]) -> None:
    fake_torch((12, 0))
    settings = override(load_settings([project]), targets=("sm_120",))
    confirm([project], settings, RunSettings(seconds=20), use_cache=False)
    bare = with_fixes(check([project], settings, use_cache=False), settings)
    assert bare.findings[0].fixes[0].confirmation is None
    shown = with_records(bare, project).findings[0].fixes[0].confirmation
    assert shown is not None
    assert "confirmed" == shown["verdict"]


def test_where_records_cannot_be_kept_nothing_is_run(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (project / ".hwlint").write_text("in the way")
    monkeypatch.setattr("hwlint.workflow.confirm.run_jobs", None)
    result = CliRunner().invoke(hwlint, ["confirm", str(project), "--no-cache"], standalone_mode=False)
    assert isinstance(result.exception, UsageError)
    assert "records cannot be kept there" in str(result.exception)
    assert "nothing was run" in str(result.exception)
