"""Check `hwlint fix` and `hwlint check --fix` from the outside, on the sample that started the project."""

from __future__ import annotations

import json
import os
import pty
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from hwlint.cli import run
from hwlint.cli.status import Status

CHECKOUT = Path(__file__).resolve().parents[2]
SAMPLE = CHECKOUT / "fixtures" / "symmetric_memory"
TABLES = {"peerlink/communicator.py": 2, "peerlink/limits.py": 10}
"""Lines that the unsafe fixes add to the sample."""


@pytest.fixture
def sample(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a copy of the sample, in a folder that is also the current one."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NO_COLOR", "1")
    return Path(shutil.copytree(SAMPLE, tmp_path / "sample"))


def texts(root: Path) -> dict[str, str]:
    return {str(file.relative_to(root)): file.read_text() for file in sorted(root.rglob("*.py"))}


def added_lines(root: Path) -> dict[str, int]:
    """Return how many lines each file gained; a line that went is an error."""
    gained = {}
    for path, old in texts(SAMPLE).items():
        new = (root / path).read_text()
        assert not set(old.splitlines()) - set(new.splitlines()), path
        if new != old:
            gained[path] = len(new.splitlines()) - len(old.splitlines())
    return gained


def fix_json(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> dict[str, Any]:
    run(["fix", "--output-format", "json", *map(str, arguments)])
    printed = capsys.readouterr()
    assert printed.err == ""
    report: dict[str, Any] = json.loads(printed.out)
    return report


@pytest.mark.parametrize("command", [["fix"], ["check", "--fix"]])
def test_safe_fixes_are_applied_and_nothing_is_left(
    command: list[str], sample: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run([*command, str(sample)]) == Status.CLEAN
    printed = capsys.readouterr().out
    assert printed.startswith("peerlink/communicator.py:31:29: HW101 fixed: Turn 11.0, 12.0 and 12.1 away")
    assert "Fixed 1 finding in 1 file.\nNothing at level warning or above" in printed
    assert added_lines(sample) == {"peerlink/communicator.py": 3}


@pytest.mark.parametrize("command", [["fix"], ["check", "--fix"]])
def test_unsafe_fixes_add_entries_and_say_that_they_are_unsafe(
    command: list[str], sample: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run([*command, "--unsafe-fixes", str(sample)]) == Status.CLEAN
    assert "Fixed 2 findings in 2 files; 2 are unsafe: run what they enable." in capsys.readouterr().out
    assert added_lines(sample) == TABLES


def test_a_second_run_changes_nothing_and_says_nothing_of_fixes(
    sample: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(["fix", "--unsafe-fixes", str(sample)])
    once = texts(sample)
    capsys.readouterr()
    assert run(["fix", "--unsafe-fixes", "--exit-non-zero-on-fix", str(sample)]) == Status.CLEAN
    assert "ixed" not in capsys.readouterr().out
    assert once == texts(sample)


@pytest.mark.parametrize("command", [["fix"], ["check"]])
def test_a_diff_changes_nothing_and_git_applies_it(
    command: list[str], sample: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    assert run([*command, "--diff", "--unsafe-fixes", str(sample)]) == Status.FINDINGS
    printed = capfdbinary.readouterr()
    assert texts(SAMPLE) == texts(sample)
    assert b"Would fix 2 findings in 2 files." in printed.err
    subprocess.run(["git", "apply", "-"], input=printed.out, cwd=sample, check=True)
    assert added_lines(sample) == TABLES


def test_a_diff_of_an_old_encoding_keeps_its_bytes(tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    by_diff, by_fix = (Path(shutil.copytree(SAMPLE, tmp_path / name)) for name in ("diff", "fix"))
    for root in (by_diff, by_fix):
        file = root / "peerlink" / "limits.py"
        file.write_bytes(b"# coding: latin-1\n" + file.read_bytes().replace(b"\n}", b"\n    # \xe9\n}"))
    run(["fix", "--diff", "--unsafe-fixes", str(by_diff)])
    patch = capfdbinary.readouterr().out
    assert b"\n     # \xe9\n" in patch
    subprocess.run(["git", "apply", "-"], input=patch, cwd=by_diff, check=True)
    run(["fix", "--unsafe-fixes", str(by_fix)])
    for path in texts(SAMPLE):
        assert (by_fix / path).read_bytes() == (by_diff / path).read_bytes()


def test_without_findings_a_diff_is_empty_and_leaves_with_0(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "mod.py").write_text("x = 1\n")
    assert run(["fix", "--diff", str(tmp_path)]) == Status.CLEAN
    assert capsys.readouterr() == ("", "")


def test_findings_without_a_fix_leave_an_empty_diff_and_a_line_that_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "mod.py").write_text(
        "import torch\n\n\ndef warps():\n    major, minor = torch.cuda.get_device_capability()\n"
        "    if major == 8:\n        return 4\n    elif major == 9:\n        return 8\n"
        "    else:\n        raise ValueError(f'unknown capability: {major}.')\n"
    )
    assert run(["fix", "--diff", str(tmp_path)]) == Status.FINDINGS
    out, err = capsys.readouterr()
    assert out == ""
    assert "No fix to show" in err


CLASHING = """\
import torch

T = {9: 1, 10: 2}


def a():
    return T[torch.cuda.get_device_capability()[0]]


def b():
    major = torch.cuda.get_device_capability()[0]
    if major >= 12:
        return T[major]
"""


def test_a_diff_says_how_to_see_what_only_unsafe_fixes_mend(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "mod.py").write_text(CLASHING)
    assert run(["fix", "--diff", str(tmp_path)]) == Status.FINDINGS
    out, err = capsys.readouterr()
    assert out == ""
    assert err == "2 findings have only unsafe fixes: add --unsafe-fixes to see and take what enables untested code.\n"


@pytest.mark.parametrize("options", [["--diff"], ["--diff", "--unsafe-fixes"], [], ["--unsafe-fixes"]])
def test_what_has_suggestions_only_is_said_to(
    options: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "mod.py").write_text(CLASHING.replace("{9: 1, 10: 2}", "{9: 'hopper', 10: 'blackwell'}"))
    assert run(["fix", *options, str(tmp_path)]) == Status.FINDINGS
    out, err = capsys.readouterr()
    if "--diff" in options:
        assert (out, err) == (
            "",
            "2 findings have only suggestions: `hwlint check --output-format full` shows them.\n",
        )
    else:
        assert "2 with suggestions to read: --output-format full." in out


def test_a_finding_that_another_fix_mends_too_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "mod.py").write_text(CLASHING)
    assert run(["fix", "--diff", "--unsafe-fixes", str(tmp_path)]) == Status.FINDINGS
    said = capsys.readouterr().err
    assert "mod.py:13:16: HW101 would fix along: Add 12 to `T`" in said
    assert "The fix of HW101 at mod.py:7 mends it too." in said
    assert "Would fix 2 findings in 1 file." in said
    report = fix_json(capsys, "--unsafe-fixes", tmp_path)
    fixes = [finding["fixes"][0] for finding in report["findings"] if finding["rule"] == "HW101"]
    assert [True, False] == [one["applied"] for one in fixes]
    assert [None, "The fix of HW101 at mod.py:7 mends it too."] == [one["refused"] for one in fixes]


def test_json_is_the_document_of_check_with_what_was_done(sample: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(["check", "--output-format", "json", str(sample)])
    checked = json.loads(capsys.readouterr().out)
    fixed = fix_json(capsys, "--unsafe-fixes", sample)
    applied = [
        [number for number, fix in enumerate(finding["fixes"]) if fix["applied"]] for finding in fixed["findings"]
    ]
    assert applied == [[0], [0]]
    for document in (checked, fixed):
        document["summary"].pop("seconds")
        for finding in document["findings"]:
            for fix in finding["fixes"]:
                fix.pop("applied")
    assert checked == fixed


@pytest.mark.parametrize("fmt", ["full", "github", "sarif", "gitlab"])
def test_the_other_formats_tell_what_is_left(fmt: str, sample: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["fix", "--unsafe-fixes", "--output-format", fmt, str(sample)]) == Status.CLEAN
    assert "no entry for 11, 12" not in capsys.readouterr().out


def test_only_the_selected_rules_are_fixed(sample: Path) -> None:
    run(["fix", "--unsafe-fixes", "--select", "HW103", str(sample)])
    assert texts(SAMPLE) == texts(sample)
    assert run(["fix", "--unsafe-fixes", "--ignore", "missing-key", str(sample)]) == Status.CLEAN
    assert texts(SAMPLE) == texts(sample)
    assert run(["fix", "--unsafe-fixes", "--select", "missing-key", str(sample)]) == Status.CLEAN
    assert added_lines(sample) == TABLES


def test_a_selected_note_is_fixed_although_it_is_below_the_level(sample: Path) -> None:
    module = sample / "peerlink" / "limits.py"
    module.write_text(module.read_text() + "SIZE = 1  # hwlint: ignore[HW101]\n")
    run(["fix", str(sample)])
    assert "ignore[HW101]" in module.read_text()
    run(["fix", "--select", "HW901", str(sample)])
    assert module.read_text().endswith("\nSIZE = 1\n")


def test_of_a_comment_only_the_idle_rules_go(sample: Path) -> None:
    module = sample / "peerlink" / "communicator.py"
    line = "MESSAGE_LIMITS[self.device_capability]:"
    module.write_text(module.read_text().replace(line, f"{line}  # hwlint: ignore[HW101, HW105]"))
    run(["fix", "--select", "HW901", str(sample)])
    assert f"{line}  # hwlint: ignore[HW101]\n" in module.read_text()


def test_hooks_can_ask_for_a_status_where_something_changed(sample: Path) -> None:
    assert run(["fix", "--exit-non-zero-on-fix", str(sample)]) == Status.FINDINGS
    assert run(["fix", "--exit-non-zero-on-fix", str(sample)]) == Status.CLEAN


def test_what_is_left_decides_the_status(sample: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (sample / "peerlink" / "other.py").write_text(
        "import torch\n\nT = {8: 1, 9: make()}\nW = T[torch.cuda.get_device_capability()[0]]\n"
    )
    assert run(["fix", str(sample)]) == Status.FINDINGS
    assert "peerlink/other.py:4:" in capsys.readouterr().out


def test_what_a_killed_run_left_behind_goes_with_the_next_run(sample: Path) -> None:
    gone = subprocess.run([sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True, check=True)
    leftover = sample / "peerlink" / f".hwlint-{int(gone.stdout)}-x1y2.tmp"
    leftover.write_text("half a file")
    run(["fix", "--diff", str(sample)])
    assert leftover.exists(), "a diff changes nothing"
    run(["fix", str(sample)])
    assert not leftover.exists()


def test_text_of_check_is_written_without_making_a_fix(sample: Path) -> None:
    script = (
        "import sys; from hwlint.cli import run; run(sys.argv[1:]); "
        "print(sorted(name for name in sys.modules if name.startswith(('libcst', 'hwlint.fix'))))"
    )
    command = [sys.executable, "-c", script, "check", "--no-cache", "--jobs", "1", str(sample)]
    done = subprocess.run(command, cwd=CHECKOUT, capture_output=True, text=True, check=True)
    assert "2 may be fixable: `hwlint fix --diff --unsafe-fixes` shows which." in done.stdout
    assert done.stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["fix", "--diff", "--output-format", "json"], "leave out --output-format"),
        (["fix", "--interactive"], "--interactive asks on a terminal"),
        (["fix", "--select", "HW1O1"], "did you mean `HW101`?"),
        (["check", "--unsafe-fixes"], "add --fix"),
        (["check", "--exit-non-zero-on-fix"], "add --fix"),
        (["check", "--fix", "--write-baseline", "--baseline", "b.json"], "fix first"),
    ],
)
def test_wrong_usage_changes_nothing(
    arguments: list[str], message: str, sample: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run([*arguments, str(sample)]) == Status.MISUSE
    assert message in capsys.readouterr().err
    assert texts(SAMPLE) == texts(sample)


@pytest.mark.parametrize(
    ("answers", "gained"),
    [
        ("y\nn\n" + "n\n" * 4, {"peerlink/limits.py": 10}),
        ("q\n", {}),
        ("a\n", TABLES),
        ("\n" * 6, {}),
    ],
)
def test_interactively_each_fix_is_asked_for(answers: str, gained: dict[str, int], sample: Path) -> None:
    ours, theirs = pty.openpty()
    os.write(ours, answers.encode())
    arguments = [sys.executable, "-m", "hwlint", "fix", "--interactive", "--unsafe-fixes", str(sample)]
    environment = {**os.environ, "PYTHONPATH": str(CHECKOUT), "TERM": "dumb"}
    process = subprocess.Popen(arguments, stdin=theirs, stdout=subprocess.PIPE, stderr=theirs, env=environment)
    os.close(theirs)
    asked = _read_all(ours)
    assert process.wait(timeout=60) in (Status.CLEAN, Status.FINDINGS)
    assert process.stdout is not None
    process.stdout.close()
    assert b"Add 11, 12 to `MESSAGE_LIMITS`, copied from 10.0" in asked
    assert b"12: {  # copied from 10.0; not confirmed on 12.0 and 12.1" in asked
    assert added_lines(sample) == gained


def _read_all(descriptor: int) -> bytes:
    """Read a terminal until the last program has left it; Linux ends it with an error."""
    read = b""
    try:
        while piece := os.read(descriptor, 65536):
            read += piece
    except OSError:
        pass
    os.close(descriptor)
    return read
