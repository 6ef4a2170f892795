"""Check `hwlint check` from the outside, on the sample that started the project."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from hwlint.cli import run
from hwlint.cli.status import Status

SAMPLE = Path(__file__).resolve().parents[2] / "fixtures" / "symmetric_memory"
FORMATS = ["text", "full", "json", "github", "sarif", "gitlab"]

CLEAN = "def double(number):\n    return 2 * number\n"


@pytest.fixture
def sample(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a copy of the sample, in a folder that is also the current one."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NO_COLOR", "1")
    return Path(shutil.copytree(SAMPLE, tmp_path / "sample"))


@pytest.fixture
def clean(tmp_path: Path) -> Path:
    """Return a project in which nothing depends on the hardware."""
    (tmp_path / "clean").mkdir()
    (tmp_path / "clean" / "mod.py").write_text(CLEAN, encoding="utf-8")
    return tmp_path / "clean"


def check_json(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> dict[str, Any]:
    """Run `hwlint check` and return its JSON report."""
    run(["check", "--output-format", "json", *map(str, arguments)])
    printed = capsys.readouterr()
    assert printed.err == ""
    report: dict[str, Any] = json.loads(printed.out)
    return report


def test_the_sample_has_exactly_the_findings_it_says(sample: Path, capsys: pytest.CaptureFixture[str]) -> None:
    expected = json.loads((sample / "expected.json").read_text(encoding="utf-8"))
    report = check_json(capsys, sample)
    assert expected == [{key: finding[key] for key in expected[0]} for finding in report["findings"]]
    assert "KeyError: 12" in report["findings"][0]["outcome"]


def test_findings_leave_with_1_and_are_printed_with_their_place(
    sample: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["check", str(sample)]) == Status.FINDINGS
    assert "peerlink/communicator.py:31:" in capsys.readouterr().out


def test_nothing_to_report_leaves_with_0(clean: Path) -> None:
    assert run(["check", str(clean)]) == Status.CLEAN


def test_an_unreadable_file_leaves_with_3_where_nothing_is_worse(
    clean: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (clean / "broken.py").write_bytes(b"import torch\ntorch.cuda.get_device_capability(\n")
    assert run(["check", str(clean)]) == Status.INCOMPLETE
    assert "broken.py" in capsys.readouterr().out


def test_findings_are_worse_than_an_unreadable_file(sample: Path) -> None:
    (sample / "broken.py").write_bytes(b"import torch\ntorch.cuda.get_device_capability(\n")
    assert run(["check", str(sample)]) == Status.FINDINGS


def test_exit_zero_leaves_with_0_whatever_is_found(sample: Path) -> None:
    assert run(["check", str(sample), "--exit-zero"]) == Status.CLEAN


@pytest.mark.parametrize("fmt", FORMATS)
def test_a_file_holds_what_would_have_been_printed(fmt: str, sample: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["check", str(sample), "--output-format", fmt]
    run(arguments)
    printed = capsys.readouterr().out
    assert run([*arguments, "--output-file", "out.txt"]) == Status.FINDINGS
    assert capsys.readouterr().out == ""
    written = Path("out.txt").read_text(encoding="utf-8")
    assert _without_time(written, fmt) == _without_time(printed, fmt)


def test_a_file_that_cannot_be_written_is_one_line(sample: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check", str(sample), "--output-file", "no/such/folder/out.txt"]) == Status.MISUSE
    assert "no/such/folder/out.txt: cannot be written" in capsys.readouterr().err


def test_targets_of_the_command_line_go_before_those_of_the_project(
    sample: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report = check_json(capsys, sample, "--targets", "sm_90,12.0")
    assert report["targets"] == ["sm_90", "sm_120"]
    assert {("sm_120",)} == {tuple(finding["targets"]) for finding in report["findings"]}


def test_a_rule_that_is_ignored_reports_nothing(sample: Path) -> None:
    assert run(["check", str(sample), "--ignore", "HW101"]) == Status.CLEAN
    assert run(["check", str(sample), "--select", "HW101"]) == Status.FINDINGS
    assert run(["check", str(sample), "--select", "HW202"]) == Status.CLEAN


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--targets", "sm_122"], "did you mean `sm_12"),
        (["--select", "HW1O1"], "did you mean `HW101`?"),
        (["--ignore", "missing-kye"], "did you mean `missing-key`?"),
    ],
)
def test_an_unknown_word_is_answered_with_the_nearest(
    arguments: list[str], message: str, sample: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["check", str(sample), *arguments]) == Status.MISUSE
    printed = capsys.readouterr()
    assert printed.out == ""
    assert message in printed.err
    assert printed.err.count("\n") == 1


def test_a_path_that_does_not_exist_is_answered_with_its_neighbour(
    sample: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["check", str(sample / "peerlnik")]) == Status.MISUSE
    assert "did you mean `peerlink`?" in capsys.readouterr().err


def test_a_given_file_limits_what_is_reported_but_not_what_is_known(
    sample: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert check_json(capsys, sample / "peerlink" / "limits.py")["findings"] == []
    report = check_json(capsys, sample / "peerlink" / "communicator.py")
    assert [31, 47] == [finding["line"] for finding in report["findings"]]


def test_a_baseline_keeps_quiet_about_what_was_known(sample: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check", str(sample), "--baseline", "known.json", "--write-baseline"]) == Status.CLEAN
    assert capsys.readouterr().err.startswith("2 findings of today in ")
    assert run(["check", str(sample), "--baseline", "known.json"]) == Status.CLEAN
    module = sample / "peerlink" / "communicator.py"
    module.write_text("\n\n" + module.read_text(encoding="utf-8"), encoding="utf-8")
    assert run(["check", str(sample), "--baseline", "known.json"]) == Status.CLEAN
    capsys.readouterr()
    report = check_json(capsys, sample, "--baseline", "known.json")
    assert {"baseline"} == {finding["suppressed"]["kind"] for finding in report["findings"]}


def test_a_comment_suppresses_its_line(sample: Path) -> None:
    module = sample / "peerlink" / "communicator.py"
    text = module.read_text(encoding="utf-8")
    for line in ("MESSAGE_LIMITS[self.device_capability]:", "SWITCH_SUM_SIZES[self.device_capability]:"):
        text = text.replace(line, f"{line}  # hwlint: ignore[HW101]")
    module.write_text(text, encoding="utf-8")
    assert run(["check", str(sample)]) == Status.CLEAN


def test_the_cache_lies_where_it_is_told_and_not_at_all_without(sample: Path) -> None:
    run(["check", str(sample), "--no-cache"])
    assert not (sample / ".hwlint_cache").exists()
    run(["check", str(sample), "--cache-dir", "elsewhere"])
    assert not (sample / ".hwlint_cache").exists()


@pytest.mark.parametrize("jobs", [1, 2, 5])
def test_the_number_of_processes_does_not_change_a_byte(
    jobs: int, sample: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    one = check_json(capsys, sample, "--no-cache", "--jobs", "1")
    many = check_json(capsys, sample, "--no-cache", "--jobs", str(jobs))
    one["summary"].pop("seconds")
    many["summary"].pop("seconds")
    assert json.dumps(one) == json.dumps(many)


def _without_time(text: str, fmt: str) -> str:
    if fmt != "json":
        return text
    report = json.loads(text)
    report["summary"].pop("seconds")
    return json.dumps(report)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ('[per-file-ignores]\n"*.py" = ["HW1O1"]', "`HW1O1`"),
        ('floor = "sm_8O"', "`floor` is `sm_8O`"),
        ('floor = "all"', "`floor` is `all`"),
    ],
)
def test_a_word_of_the_configuration_that_names_nothing_is_one_line(
    settings: str, said: str, clean: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (clean / "hwlint.toml").write_text(settings)
    assert run(["check", str(clean)]) == Status.MISUSE
    shown = capsys.readouterr().err
    assert said in shown
    assert shown.count("\n") == 1
