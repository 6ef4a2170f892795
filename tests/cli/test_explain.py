"""`hwlint check --explain` tells what was computed on a line, by architecture, and why what is unknown is unknown."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hwlint.cli import run
from hwlint.cli.status import Status
from hwlint.judge.verdict import Bench
from hwlint.model.observation import Blank, Place
from hwlint.model.span import Span
from hwlint.workflow.explain_events import events_on

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
COMMUNICATOR = "sample/peerlink/communicator.py"


@pytest.fixture(autouse=True)
def _in_a_folder_with_the_sample(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "120")
    shutil.copytree(FIXTURES / "symmetric_memory", tmp_path / "sample")


def explained(capsys: pytest.CaptureFixture[str], place: str, *arguments: str) -> dict[str, Any]:
    assert run(["check", "--explain", place, "--output-format", "json", "--no-cache", *arguments]) == Status.CLEAN
    document: dict[str, Any] = json.loads(capsys.readouterr().out)
    return document


def rows(items: list[dict[str, Any]], title: str) -> dict[str, str]:
    """What the item of that title holds; a title may go on after what is asked for."""
    found = [item for item in items if item["title"] == title] or [i for i in items if i["title"].startswith(title)]
    return dict(found[0]["architectures"])


def test_names_lookups_and_reach_are_told_by_architecture(capsys: pytest.CaptureFixture[str]) -> None:
    found = explained(capsys, f"{COMMUNICATOR}:31", "sample", "--targets", "sm_80,sm_90,sm_120")
    assert (found["schema"], found["path"], found["symbol"]) == (
        "hwlint-explain/1", "peerlink/communicator.py", "PeerCommunicator.__init__",
    )  # fmt: skip
    assert {
        "sm_80": "does not come here: `self.device_capability < 9` in line 28 is true",
        "sm_90": "comes here once the function is called",
        "sm_120": "comes here once the function is called",
    } == found["reach"]
    assert {"sm_90": "9", "sm_120": "12"} == rows(found["values"], "self.device_capability")
    assert "a dict with the keys 9, 10" == rows(found["values"], "MESSAGE_LIMITS")["sm_90"]
    assert {"sm_90": "has the entry 9", "sm_120": "KeyError: 12"} == rows(found["events"], "lookup in `MESSAGE_LIMITS`")
    assert ["HW101"] == [finding["rule"] for finding in found["findings"]]


def test_what_is_unknown_says_why(capsys: pytest.CaptureFixture[str]) -> None:
    found = explained(capsys, f"{COMMUNICATOR}:31", "sample", "--targets", "sm_90")
    assert "unknown: gpus: it does not come from the hardware" == rows(found["values"], "self.gpus")["sm_90"]


def test_a_name_that_an_origin_describes_is_said_to_be_so(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "one.py").write_text("import torch\n\nsize = torch.cuda.get_device_capability()[0]\n", encoding="utf-8")
    found = explained(capsys, "one.py:3", "one.py", "--targets", "sm_90")
    said = "torch.cuda.get_device_capability, as an origin describes it"
    assert {"sm_90": said} == rows(found["values"], "torch.cuda.get_device_capability")
    assert {"sm_90": "torch.cuda, of another package"} == rows(found["values"], "torch.cuda")


def test_a_name_that_no_branch_sets(capsys: pytest.CaptureFixture[str]) -> None:
    Path("ladder.py").write_text(
        "import torch\n\n\ndef rows():\n    major = torch.cuda.get_device_capability()[0]\n    if major == 9:\n"
        "        count = 4\n    elif major == 10:\n        count = 8\n    return count\n"
    )
    found = explained(capsys, "ladder.py:10", "--isolated", "--targets", "sm_90,sm_120")
    values = rows(found["values"], "count")
    assert "4" == values["sm_90"]
    assert "may not be assigned" in values["sm_120"]
    assert {"sm_90": "is set", "sm_120": "no branch has set it"} == rows(found["events"], "the name `count`")


def test_a_function_that_no_hardware_value_reaches_is_looked_at_all_the_same(
    capsys: pytest.CaptureFixture[str],
) -> None:
    Path("plain.py").write_text("def double(number):\n    factor = 2\n    return factor * number\n")
    found = explained(capsys, "plain.py:3", "--isolated", "--targets", "sm_90")
    assert "no hardware value reaches this file, so check does not evaluate it" == found["remark"]
    assert {"sm_90": "2"} == rows(found["values"], "factor")
    assert "unknown: the argument number" == rows(found["values"], "number")["sm_90"]


def test_what_another_file_passes_in_is_seen(capsys: pytest.CaptureFixture[str]) -> None:
    Path("use.py").write_text("import torch\nfrom sizes import size\n\nsize(torch.cuda.get_device_capability()[0])\n")
    Path("sizes.py").write_text("def size(major):\n    return {9: 1}[major]\n")
    found = explained(capsys, "sizes.py:2", "--isolated", "--targets", "sm_90,sm_120")
    assert rows(found["values"], "major")["sm_120"].startswith("12")


def test_the_text_groups_architectures_that_behave_alike(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check", "--explain", f"{COMMUNICATOR}:47", "sample", "--no-cache"]) == Status.CLEAN
    printed = capsys.readouterr().out
    for words in (
        "peerlink/communicator.py:47 in PeerCommunicator.sum",
        "47 |         if self.gpus in self.SWITCH_SUM_SIZES[self.device_capability]:",
        "lookup in `SWITCH_SUM_SIZES` (peerlink/communicator.py:18; keys 9, 10) with `self.device_capability`",
        "sm_120, sm_121          KeyError: 12",
        "what check reports here",
    ):
        assert words in printed


def test_what_check_reports_keeps_to_the_width_and_nothing_is_said_twice(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert run(["check", "--explain", f"{COMMUNICATOR}:47", "sample", "--no-cache"]) == Status.CLEAN
    text = capsys.readouterr().out
    said = text.partition("what check reports here\n")[2].splitlines()
    assert said[0].startswith("    HW101 error `SWITCH_SUM_SIZES` has no entry for 11, 12")
    assert len(said) > 1
    assert all(row.startswith("      ") and len(row) <= 80 for row in said[1:])


def test_events_that_say_the_same_are_told_once() -> None:
    place = Place(Span("m.py", 1, 1, 1, 5), Span("m.py", 1, 1, 1, 5), "f")
    blank = Blank(place, "the module", "its reason")
    twice = [blank, replace(blank, place=replace(place, span=Span("m.py", 1, 2, 1, 4)))]
    assert 1 == len(list(events_on(twice, 1, Bench((), {}))))


def test_a_line_without_code_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    assert "there is no code on this line" == explained(capsys, f"{COMMUNICATOR}:2", "sample")["remark"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([COMMUNICATOR], "--explain takes PATH:LINE"),
        ([f"{COMMUNICATOR}:x"], "--explain takes PATH:LINE"),
        ([f"{COMMUNICATOR}:0"], "the file has 51 lines"),
        ([f"{COMMUNICATOR}:999"], "the file has 51 lines"),
        (["sample/nowhere.py:1"], "no such file"),
        ([f"{COMMUNICATOR}:31", "--diff"], "--explain only looks"),
        ([f"{COMMUNICATOR}:31", "--output-format", "sarif"], "--explain writes text or json"),
    ],
)
def test_misuse_is_one_line(arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check", "--explain", *arguments]) == Status.MISUSE
    printed = capsys.readouterr()
    assert words in printed.err
    assert printed.err.count("\n") == 1


def test_a_run_that_explains_nothing_does_not_load_the_watching_evaluator() -> None:
    import subprocess
    import sys

    code = (
        "import sys; from hwlint.cli import run; run(['check', 'sample', '--no-cache', '--output-file', 'out.txt']);"
        "print([name for name in sys.modules if name.startswith(('hwlint.evaluate.watch', 'hwlint.workflow.explain'))])"
    )
    environment = {"PYTHONPATH": str(FIXTURES.parent)}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment)
    assert done.stdout == "[]\n"
