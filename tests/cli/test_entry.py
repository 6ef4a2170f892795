"""Check that whatever happens, a user gets a line and an exit status, and never a traceback."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import click
import pytest

from hwlint import __version__
from hwlint.cli import run
from hwlint.cli.commands import hwlint
from hwlint.cli.status import Status
from hwlint.model.errors import RuleError

CHECKOUT = Path(__file__).resolve().parents[2]


def failing(monkeypatch: pytest.MonkeyPatch, error: BaseException) -> None:
    """Make every command fail with `error`."""

    def raise_it(**_: object) -> None:
        raise error

    monkeypatch.setattr(hwlint, "get_command", lambda _context, name: click.Command(name, callback=raise_it))


def test_the_version_is_printed_without_loading_the_engine(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--version"]) == Status.CLEAN
    assert f"hwlint {__version__}\n" == capsys.readouterr().out


def test_starting_loads_none_of_the_heavy_packages() -> None:
    heavy = {"libcst", "networkx", "sarif_om", "jsonschema", "pathspec"}
    script = "import sys, hwlint.cli, hwlint.cli.commands, hwlint.cli.check; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], cwd=CHECKOUT, capture_output=True, text=True, check=True)
    assert not heavy & set(done.stdout.split())


def test_without_arguments_the_help_goes_to_standard_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert run([]) == Status.MISUSE
    printed = capsys.readouterr()
    assert printed.out == ""
    assert "Commands:" in printed.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["chekc"], "there is no command `chekc`; did you mean `check`?"),
        (["src/model.py"], "there is no command `src/model.py`; did you mean `hwlint check src/model.py`?"),
        (["check", "--levle", "note"], "--level"),
        (["check", "--level", "eror"], "`eror` is not one of error, warning, note; did you mean `error`?"),
        (["check", "--output-format", "jsn"], "did you mean `json`?"),
        (["check", "--jobs", "0"], "--jobs"),
        (["check", "--select", ","], "expected one or more words, separated by commas"),
        (["check", "--isolated", "--config", "x.toml"], "--isolated and --config exclude each other"),
        (["check", "--write-baseline"], "give --baseline FILE"),
        (["check", "--write-baseline", "old.json"], "takes no file: write --baseline old.json --write-baseline"),
        (["rule", "HW1O1"], "no rule is called `HW1O1`; did you mean `HW101`?"),
        (["archs", "hoper"], "unknown architecture `hoper`; did you mean `hopper`?"),
    ],
)
def test_wrong_usage_gives_one_line_and_status_2(
    arguments: list[str],
    message: str,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(arguments) == Status.MISUSE
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith("hwlint: error: ")
    assert printed.err.count("\n") == 1
    assert message in printed.err


def test_an_error_of_ours_is_printed_as_it_is(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    failing(monkeypatch, RuleError("rules/x.md: no title"))
    assert run(["check"]) == Status.MISUSE
    assert capsys.readouterr().err == "hwlint: error: rules/x.md: no title\n"


@pytest.mark.parametrize("error", [ZeroDivisionError("by zero"), RecursionError(), MemoryError(), OSError("odd")])
def test_a_fault_of_hwlint_gives_one_line_and_says_where_to_report_it(
    error: Exception, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("HWLINT_DEBUG", raising=False)
    failing(monkeypatch, error)
    assert run(["check"]) == Status.MISUSE
    printed = capsys.readouterr().err
    assert "Traceback" not in printed
    assert type(error).__name__ in printed
    assert "CONTRIBUTING.md" in printed
    assert printed.count("\n") == 1


def test_the_traceback_is_there_for_who_asks(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HWLINT_DEBUG", "1")
    failing(monkeypatch, ZeroDivisionError("by zero"))
    assert run(["check"]) == Status.MISUSE
    assert "Traceback" in capsys.readouterr().err


def test_an_interrupt_leaves_with_130(monkeypatch: pytest.MonkeyPatch) -> None:
    failing(monkeypatch, KeyboardInterrupt())
    assert run(["check"]) == Status.INTERRUPTED


def test_an_interrupt_while_hwlint_loads_leaves_no_traceback(tmp_path: Path) -> None:
    (tmp_path / "click.py").write_text("raise KeyboardInterrupt\n", encoding="utf-8")
    there = {**os.environ, "PYTHONPATH": f"{tmp_path}{os.pathsep}{CHECKOUT}"}
    done = subprocess.run([sys.executable, "-m", "hwlint"], cwd=tmp_path, env=there, capture_output=True, check=False)
    assert (Status.INTERRUPTED, b"") == (done.returncode, done.stderr)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="NOT TESTED: no /dev/full here")
@pytest.mark.parametrize("command", ["--help", "--version", "rule HW101", "archs"])
def test_a_full_disk_is_said_in_a_line(command: str) -> None:
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        arguments = [sys.executable, "-m", "hwlint", *command.split()]
        done = subprocess.run(arguments, cwd=CHECKOUT, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert (Status.MISUSE, 1) == (done.returncode, done.stderr.count("\n"))
    assert "cannot write the output: No space left on device" in done.stderr


def test_a_message_cannot_steer_the_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    failing(monkeypatch, RuleError("bad\x1b[31m name\nsecond line"))
    run(["check"])
    assert capsys.readouterr().err == "hwlint: error: bad\\x1b[31m name second line\n"


def test_a_reader_that_leaves_is_no_error() -> None:
    command = f"{sys.executable} -m hwlint archs --output-format json | true; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], cwd=CHECKOUT, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    assert done.stdout.strip() in {"0", str(Status.READER_GONE.value)}


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_full_disk_is_one_line() -> None:
    command = f"{sys.executable} -m hwlint archs > /dev/full"
    done = subprocess.run(["bash", "-c", command], cwd=CHECKOUT, capture_output=True, text=True, check=False)
    assert done.returncode == Status.MISUSE
    assert done.stderr == "hwlint: error: cannot write the output: No space left on device\n"


def test_output_that_the_terminal_cannot_show_is_escaped() -> None:
    environment = {**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    command = [sys.executable, "-m", "hwlint", "archs"]
    done = subprocess.run(command, cwd=CHECKOUT, env=environment, capture_output=True, check=True)
    assert done.stdout.isascii()
    assert done.stderr == b""


def test_each_thing_that_is_wrong_is_a_line_of_its_own(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    failing(monkeypatch, RuleError("one is wrong", "another\nis, too"))
    assert run(["rule"]) == Status.MISUSE
    assert "hwlint: error: one is wrong\nhwlint: error: another is, too\n" == capsys.readouterr().err
