"""Where a run stands is shown on a terminal only, and where its time went only to who asks; both on standard error."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

from hwlint.cli.progress import picture
from hwlint.workflow.stages import Stages, timings_text

pty = pytest.importorskip("pty")
SAMPLE = Path(__file__).resolve().parents[2] / "fixtures" / "symmetric_memory"
SLOW = """
import sys, time
from hwlint.cli import progress
from hwlint.workflow.stages import Stages
progress.PATIENCE = progress.EVERY = 0.02
stages = Stages()
done = []
try:
    with progress.Progress(stages), stages.stage("evaluate"):
        stages.counts(4, lambda: len(done))
        for number in range(4):
            time.sleep(0.06)
            done.append(number)
        if sys.argv[1:]:
            raise KeyboardInterrupt
except KeyboardInterrupt:
    pass
print("end", file=sys.stderr)
"""


def on_a_terminal(*arguments: str, **variables: str) -> str:
    """What a program prints on standard error where that is a terminal."""
    mine, theirs = pty.openpty()
    environment = {name: value for name, value in os.environ.items() if name not in ("CI", "NO_COLOR")}
    with subprocess.Popen(
        [sys.executable, *arguments],
        stdout=subprocess.DEVNULL,
        stderr=theirs,
        env={**environment, "TERM": "xterm", **variables},
    ) as process:
        os.close(theirs)
        told = b""
        while True:
            try:
                part = os.read(mine, 4096)
            except OSError:
                break
            if not part:
                break
            told += part
        process.wait()
    os.close(mine)
    return told.decode()


def seen(told: str) -> list[str]:
    """The lines as they stand on a screen at the end."""
    lines = []
    for line in told.replace("\r\n", "\n").split("\n"):
        cells: list[str] = []
        for part in line.split("\r"):
            cells[: len(part)] = part
        lines.append("".join(cells).rstrip())
    return lines


@pytest.mark.parametrize("more", [(), ("interrupted",)])
def test_the_line_grows_on_a_terminal_and_nothing_of_it_is_left(more: tuple[str, ...]) -> None:
    told = on_a_terminal("-c", SLOW, *more)
    assert "hwlint: evaluating [" in told
    assert len(set(re.findall(r"(\d) of 4 files", told))) > 1
    assert seen(told) == ["end", ""]


@pytest.mark.parametrize("variables", [{"TERM": "dumb"}, {"NO_COLOR": "1"}, {"CI": "true"}])
def test_where_it_would_disturb_nothing_is_shown(variables: dict[str, str]) -> None:
    assert on_a_terminal("-c", SLOW, **variables) == "end\r\n"


def test_in_a_pipe_nothing_is_shown() -> None:
    done = subprocess.run([sys.executable, "-c", SLOW], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("", "end\n")


def test_a_short_run_shows_nothing_on_a_terminal() -> None:
    began = time.monotonic()
    told = on_a_terminal("-m", "hwlint", "check", "--no-cache", "--targets", "sm_90", str(SAMPLE))
    assert told == "" or time.monotonic() - began > 1


def test_a_stage_that_counts_nothing_has_no_bar() -> None:
    assert picture("read", 0, 0) == "hwlint: reading"
    assert picture("evaluate", 0, 10) == "hwlint: evaluating [........................] 0 of 10 files"
    assert picture("evaluate", 1_000, 1_000).endswith("[########################] 1,000 of 1,000 files")


def test_timings_say_where_the_time_went_and_leave_the_report_alone() -> None:
    command = [sys.executable, "-m", "hwlint", "check", "--no-cache", "--exit-zero", "--output-format", "github"]
    plain, timed = (
        subprocess.run([*command, *more, str(SAMPLE)], capture_output=True, text=True, check=True)
        for more in ((), ("--timings",))
    )
    assert plain.stdout == timed.stdout
    assert plain.stderr == ""
    names = [line.split("  ")[0] for line in timed.stderr.splitlines()]
    assert names == ["stage", "settings", "discover", "read", "choose", "evaluate", "judge", "report", "in all"]


def test_timings_have_a_column_for_each_process() -> None:
    stages = Stages(measures=True)
    clock = iter([[1.0, 2.0], [1.5, 4.0]])
    with stages.stage("evaluate", cpu=lambda: next(clock)):
        pass
    assert stages.spent[0].cpu == (0.5, 2.0)
    assert timings_text(stages, time.perf_counter()).splitlines()[1].endswith("    0.500    2.000")
