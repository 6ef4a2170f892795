"""With `--confirm` only what a device confirms is kept."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from hwlint.cli import run
from hwlint.cli.status import Status
from hwlint.confirm.applied import load_applied
from hwlint.confirm.job import fix_fingerprint
from hwlint.confirm.replay import RunSettings
from hwlint.confirm.verdict import Verdict
from hwlint.fix.plan import Choice
from hwlint.model.finding import Finding, Fix, Safety
from hwlint.workflow import trial
from hwlint.workflow.fix import fix
from hwlint.workflow.ledger import Trial
from hwlint.workflow.settings import load_settings

SAMPLE = Path(__file__).parents[2] / "fixtures" / "symmetric_memory"


@pytest.fixture
def sample(tmp_path: Path) -> Path:
    return Path(shutil.copytree(SAMPLE, tmp_path / "sample"))


def text_of(file: Path) -> str:
    return file.read_text()


def record_of(finding: Finding, one: Fix, verdict: str) -> dict[str, Any]:
    fingerprint = fix_fingerprint(finding, one)
    return {
        "verdict": verdict,
        "reason": "because.",
        "architecture": finding.targets[-1],
        "device": None,
        "hashes": {},
        "fix": {"fingerprint": fingerprint},
    }


def test_what_is_confirmed_stays_and_the_rest_is_taken_back_with_its_verdict(sample: Path) -> None:
    seen: list[dict[str, str]] = []

    def attempt(choices: Sequence[Choice], overlay: Mapping[str, str]) -> Mapping[Choice, Trial]:
        seen.append(dict(overlay))
        kept = Trial({"verdict": "confirmed"})
        taken_back = Trial({"verdict": "refuted"}, "It was not confirmed on a device: refuted.")
        return {one: kept if one.finding.table == "MESSAGE_LIMITS" else taken_back for one in choices}

    result = fix([sample], load_settings([sample]), unsafe=True, trial=attempt, jobs=1, use_cache=False)
    assert [one.finding.table for one in result.applied] == ["MESSAGE_LIMITS"]
    assert result.changed == ("peerlink/limits.py",)
    assert {"It was not confirmed on a device: refuted."} == {one.reason for one in result.refused}
    confirmations = [one.confirmation for finding in result.report.findings for one in finding.fixes if one.applied]
    assert confirmations == [{"verdict": "confirmed"}]
    assert seen[0] == {}
    assert list(seen[-1]) == ["peerlink/limits.py"], "the second way is tried on top of what was kept"


@pytest.mark.parametrize("unsafe", [True, False])
@pytest.mark.parametrize("verdict", Verdict)
def test_a_device_of_the_architecture_keeps_an_unsafe_fix_and_nothing_but_a_refutal_takes_a_safe_one(
    verdict: Verdict,
    unsafe: bool,  # noqa: FBT001
    sample: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def answered(fixes: Iterable[tuple[Finding, Fix]], *_: object, **__: object) -> dict[str, Any]:
        return {fix_fingerprint(finding, one): record_of(finding, one, verdict) for finding, one in fixes}

    monkeypatch.setattr(trial, "confirm_fixes", answered)
    monkeypatch.setattr(trial, "confirmation", lambda _, records: {"verdict": records[0]["verdict"]})
    settings = load_settings([sample])
    attempt = trial.on_device(settings, RunSettings())
    result = fix([sample], settings, unsafe=unsafe, trial=attempt, jobs=1, use_cache=False)
    shown = verdict in (Verdict.CONFIRMED, Verdict.EXERCISED)
    expected = [Safety.UNSAFE] * 2 if unsafe and shown else [Safety.SAFE] * (verdict is not Verdict.REFUTED)
    assert expected == [one.fix.safety for one in result.applied]
    told = {one.reason for one in result.refused}
    assert (f"It was not confirmed on a device: {verdict}, because." in told) == (
        verdict is Verdict.REFUTED or (unsafe and not shown)
    )
    confirmations = [one.confirmation for finding in result.report.findings for one in finding.fixes if one.applied]
    assert confirmations == [{"verdict": verdict}] * len(expected)


def test_a_safe_fix_of_which_nothing_can_be_run_stays(tmp_path: Path) -> None:
    (tmp_path / "mod.py").write_text("SIZE = 1  # hwlint: ignore[HW101]\n")
    assert run(["fix", "--confirm", "--select", "HW901", str(tmp_path)]) == Status.CLEAN
    assert (tmp_path / "mod.py").read_text() == "SIZE = 1\n"


def test_without_a_device_nothing_unsafe_is_kept_and_the_safe_way_is_taken(
    sample: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["fix", "--confirm", "--unsafe-fixes", "--targets", "sm_120", str(sample)]) == Status.CLEAN
    printed = capsys.readouterr().out
    assert "not fixed: Add 12 to `MESSAGE_LIMITS`" in printed
    assert "It was not confirmed" in printed
    changed = [
        file.name for file in SAMPLE.rglob("*.py") if text_of(file) != text_of(sample / file.relative_to(SAMPLE))
    ]
    assert changed == ["communicator.py"]


def test_without_a_device_and_without_a_safe_way_findings_remain(tmp_path: Path) -> None:
    text = "import torch\n\nT = {9: 1, 10: 2}\nSIZE = T[torch.cuda.get_device_capability()[0]]\n"
    (tmp_path / "mod.py").write_text(text)
    assert run(["fix", "--confirm", "--unsafe-fixes", "--targets", "sm_120", str(tmp_path)]) == Status.FINDINGS
    assert (tmp_path / "mod.py").read_text() == text


def test_an_unsafe_fix_is_remembered_until_a_device_confirms_it(
    sample: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["check", "--require-confirmed", "--ignore", "HW101", str(sample)]) == Status.CLEAN
    run(["fix", "--unsafe-fixes", str(sample)])
    assert [one.rule for one in load_applied(sample)] == ["HW101", "HW101"]
    capsys.readouterr()
    assert run(["check", str(sample)]) == Status.CLEAN
    assert run(["check", "--require-confirmed", str(sample)]) == Status.FINDINGS
    assert "HW101: applied, not confirmed: Add 11, 12 to `MESSAGE_LIMITS`" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("encoding", "end"), [("utf-8", "\n"), ("utf-8", "\r\n"), ("utf-8", "\r"), ("latin-1", "\r\n")]
)
def test_an_unsafe_fix_is_remembered_in_any_encoding_and_with_any_line_ends(
    encoding: str, end: str, tmp_path: Path
) -> None:
    head = "import torch\n" if end == "\r" else f"# coding: {encoding}\nimport torch\n"
    text = head + "\nT = {\n    9: 'é',\n    10: 'ü',\n}\n"
    text += "SIZE = T[torch.cuda.get_device_capability()[0]]\n"
    (tmp_path / "mod.py").write_bytes(text.replace("\n", end).encode(encoding))
    assert run(["fix", "--unsafe-fixes", str(tmp_path)]) == Status.CLEAN
    assert len(load_applied(tmp_path)) == 1
    (tmp_path / "mod.py").write_bytes(text.replace("\n", end).encode(encoding))
    assert load_applied(tmp_path) == (), "what was taken back needs no confirmation"


def test_a_safe_fix_needs_no_confirmation_and_a_diff_applies_nothing(sample: Path) -> None:
    run(["fix", "--diff", "--unsafe-fixes", str(sample)])
    run(["fix", str(sample)])
    assert not (sample / ".hwlint").exists()
    assert run(["check", "--require-confirmed", str(sample)]) == Status.CLEAN


def test_how_to_run_needs_confirm(sample: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["fix", "--python", "python3", str(sample)]) == Status.MISUSE
    assert "add --confirm" in capsys.readouterr().err
