"""Check `hwlint trace` from the outside: where the log comes from, what is printed, and the exit status."""

from __future__ import annotations

import io
import json
import shutil
from pathlib import Path

import pytest

from hwlint.cli import run
from hwlint.cli.status import Status
from hwlint.cli.trace import TraceStatus

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
LOGS = FIXTURES / "tracebacks" / "logs"


@pytest.fixture
def sample(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a copy of the sample, in a folder that is also the current one."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "120")
    return Path(shutil.copytree(FIXTURES / "symmetric_memory", tmp_path / "sample"))


def pipe(monkeypatch: pytest.MonkeyPatch, log: Path) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(log.read_bytes())))


def test_a_crash_is_explained_with_its_place_the_device_and_what_fails_next(
    sample: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["trace", str(LOGS / "tensor-parallel-ranks.log"), str(sample)]) == TraceStatus.EXPLAINED
    printed = capsys.readouterr().out
    for words in (
        "KeyError: 12 (line 15 of the log, 2 times)",
        "--> peerlink/communicator.py:31 in PeerCommunicator.__init__",
        "in the log: /opt/venv/lib/python3.12/site-packages/peerlink/communicator.py:29",
        "MESSAGE_LIMITS is defined here with keys 9, 10",
        'sm_120: line 4 of the log says "NVIDIA RTX PRO 6000 Blackwell Server Edition"',
        "what fails or goes wrong next on sm_120",
        "peerlink/communicator.py:47: HW101 error",
        "Explained 1 of 1 crash.",
    ):
        assert words in printed


@pytest.mark.parametrize("arguments", [["sample"], ["-", "sample"]])
def test_the_log_comes_by_pipe_where_no_file_is_given(
    arguments: list[str], sample: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pipe(monkeypatch, LOGS / "rich-console.log")
    assert run(["trace", *arguments]) == TraceStatus.EXPLAINED
    assert "KeyError: 11" in capsys.readouterr().out
    assert sample.is_dir()


def test_what_is_not_explained_says_why_and_leaves_with_1(sample: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["trace", str(LOGS / "an-entry-that-is-there.log"), str(sample)]) == TraceStatus.UNEXPLAINED
    printed = capsys.readouterr().out
    assert "not explained: in this tree `MESSAGE_LIMITS` answers for 10" in printed
    assert "Explained 0 of 1 crash." in printed


def test_a_log_without_a_crash_says_so_and_leaves_with_1(sample: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("quiet.log").write_text("all is well\n")
    assert run(["trace", "quiet.log", str(sample)]) == TraceStatus.UNEXPLAINED
    assert "No Python traceback in the log" in capsys.readouterr().out


def test_a_broken_file_in_the_way_leaves_with_3(sample: Path) -> None:
    (sample / "peerlink" / "communicator.py").write_text("def get_device_capability(:\n")
    assert run(["trace", str(LOGS / "tensor-parallel-ranks.log"), str(sample)]) == TraceStatus.INCOMPLETE


def test_json_holds_the_same_for_programs(sample: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["trace", str(LOGS / "tensor-parallel-ranks.log"), str(sample), "--output-format", "json"]
    assert run(arguments) == TraceStatus.EXPLAINED
    document = json.loads(capsys.readouterr().out)
    assert document["schema"] == "hwlint-trace/1"
    (crash,) = document["crashes"]
    assert (["sm_120"], "peerlink/communicator.py", 31) == (crash["architectures"], crash["path"], crash["line"])
    assert crash["installed"]["line"] == 29
    assert crash["finding"]["fixes"]
    assert [47] == [finding["line"] for finding in crash["following"]]


def test_a_log_that_cannot_be_read_is_one_line(sample: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["trace", "no.log", str(sample)]) == Status.MISUSE
    printed = capsys.readouterr()
    assert "no.log: cannot be read" in printed.err
    assert printed.err.count("\n") == 1


def test_bytes_that_are_no_text_do_no_harm(sample: Path) -> None:
    Path("bad.log").write_bytes(b"\xff\xfe\x00" * 50 + (LOGS / "tensor-parallel-ranks.log").read_bytes())
    assert run(["trace", "bad.log", str(sample)]) == TraceStatus.EXPLAINED


def test_an_exception_as_long_as_a_document_is_cut(sample: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("long.log").write_text(f"KeyError: {'12, ' * 4000}\n")
    assert run(["trace", "long.log", str(sample)]) == TraceStatus.UNEXPLAINED
    assert len(capsys.readouterr().out) < 1500
