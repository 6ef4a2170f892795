"""`hwlint fix` over many files is killed wherever it stands, and every file is the old one or the new one."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

FILES = 200
FEW = 20
TABLE = """\
import torch

LIMITS_{number} = {{
    9: {number} << 20,  # measured
    10: {number} << 21,
}}


def limit():
    return LIMITS_{number}[torch.cuda.get_device_capability()[0]]
"""
SECONDS = 120
COMMAND = [sys.executable, "-m", "hwlint", "fix", "--unsafe-fixes", "--targets", "sm_120", "--jobs", "1"]


@pytest.fixture(scope="module")
def old(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("old")
    write_project(root, FILES)
    return root


def write_project(root: Path, files: int) -> None:
    (root / "hwlint.toml").write_text("")
    for number in range(files):
        (root / f"m{number:03}.py").write_bytes(TABLE.format(number=number).replace("\n", "\r\n").encode())


@pytest.fixture(scope="module")
def new(old: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project as an undisturbed run leaves it."""
    root = Path(shutil.copytree(old, tmp_path_factory.mktemp("new") / "project"))
    subprocess.run([*COMMAND, "."], cwd=root, check=True, capture_output=True, timeout=SECONDS)
    return root


def changed(root: Path, number: int) -> Callable[[], bool]:
    """Whether a file is another one than now: replacing a file gives it another inode."""
    path = root / f"m{number:03}.py"
    before = path.stat().st_ino
    return lambda: path.stat().st_ino != before


def started(root: Path) -> Callable[[], bool]:
    """Whether a new file is being written that has not been renamed yet."""
    return lambda: any(name.endswith(".tmp") for name in os.listdir(root))  # noqa: PTH208 - quick enough to catch it


def after(seconds: float) -> Callable[[Path], Callable[[], bool]]:
    def ask(_: Path) -> Callable[[], bool]:
        end = time.monotonic() + seconds
        return lambda: time.monotonic() >= end

    return ask


MOMENTS: dict[str, Callable[[Path], Callable[[], bool]]] = {
    "before anything is found": after(0.2),
    "while it checks": after(0.8),
    "while the first file is written": started,
    "behind the first file": lambda root: changed(root, 0),
    "amidst the files": lambda root: changed(root, FILES // 2),
    "before the last file": lambda root: changed(root, FILES - 2),
}


MANY = """\
import json, os, random, signal, sys
from pathlib import Path
from hwlint.cli import run
from hwlint.fix import replace
from hwlint.workflow import originals

root, near, far, seed = Path(sys.argv[1]), *map(int, sys.argv[2:])
names = sorted(path.name for path in root.glob("m*.py"))
old = {name: (root / name).read_bytes() for name in names}
write, seen = originals.Originals.write, []


def watched(last, *arguments):
    \"\"\"Write the files, count the lines of the code that writes them, and die before the line `last`.\"\"\"
    lines = 0

    def count(frame, event, _):
        nonlocal lines
        if frame.f_code.co_filename not in (replace.__file__, originals.__file__):
            return None
        if event == "line":
            lines += 1
            if lines == last:
                os.kill(os.getpid(), signal.SIGKILL)
        return count

    sys.settrace(count)
    write(*arguments)
    sys.settrace(None)
    return lines


def restore():
    for name in names:
        (root / name).write_bytes(old[name])


def killed(*arguments):
    new = {name: arguments[0].get(name).to_bytes(arguments[1][name]) for name in names}
    os.fsync, flush = (lambda _: None), os.fsync  # what a killed process wrote stays: only a power cut takes it
    total, chance = watched(0, *arguments), random.Random(seed)
    middle = total * 3 // 4
    for last in (*range(middle, middle + near), *(chance.randrange(1, total) for _ in range(far))):
        restore()
        child = os.fork()
        if child == 0:
            watched(last, *arguments)
            os._exit(0)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL
        states = [(root / name).read_bytes() for name in names]
        broken = [name for name, state in zip(names, states) if state not in (old[name], new[name])]
        seen.append((sum(state == new[name] for name, state in zip(names, states)), broken))
    restore()
    os.fsync = flush
    return write(*arguments)


originals.Originals.write = killed
status = run(["fix", "--unsafe-fixes", "--targets", "sm_120", "--jobs", "1", "--output-file", os.devnull, str(root)])
json.dump({"status": status, "seen": seen}, sys.stdout)
"""
"""Runs the command, and kills its writing before line after line of it: what comes earlier changes no file."""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the writing is killed in forked children")
def test_no_line_at_which_the_writing_is_killed_leaves_a_file_that_is_neither_old_nor_new(tmp_path: Path) -> None:
    root = tmp_path / "project"
    root.mkdir()
    write_project(root, FEW)
    arguments = [sys.executable, "-c", MANY, str(root), "60", "20", "5"]
    done = subprocess.run(arguments, check=True, capture_output=True, timeout=SECONDS)
    told = json.loads(done.stdout)
    assert told["status"] == 0
    assert [] == [broken for _, broken in told["seen"] if broken]
    assert len({fresh for fresh, _ in told["seen"]} - {0, FEW}) >= 5, "the kills fell beside the writing"
    assert all(b"12: " in path.read_bytes() for path in root.glob("m*.py"))
    assert [] == [one.name for one in root.iterdir() if one.name.endswith(".tmp")]


@pytest.mark.skipif(os.name == "nt", reason="kill -9 is not for Windows")
@pytest.mark.parametrize("moment", MOMENTS)
def test_a_killed_fix_leaves_every_file_old_or_new_and_the_next_run_ends_the_work(
    moment: str, old: Path, new: Path, tmp_path: Path
) -> None:
    root = Path(shutil.copytree(old, tmp_path / "project"))
    is_time = MOMENTS[moment](root)
    run = subprocess.Popen([*COMMAND, "."], cwd=root, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    until = time.monotonic() + SECONDS
    while not is_time() and run.poll() is None and time.monotonic() < until:
        pass
    run.send_signal(signal.SIGKILL)
    run.wait()
    names = [f"m{number:03}.py" for number in range(FILES)]
    states = [(root / name).read_bytes() for name in names]
    fresh = [state == (new / name).read_bytes() for state, name in zip(states, names, strict=True)]
    assert all(
        is_new or state == (old / name).read_bytes() for is_new, state, name in zip(fresh, states, names, strict=True)
    )
    if "behind" in moment or "amidst" in moment:
        assert {True, False} == set(fresh), "the kill fell beside the writing; the test says nothing"
    if any(fresh):
        applied = json.loads((root / ".hwlint" / "applied.json").read_text())["applied"]
        assert {one["path"] for one in applied} >= {name for name, is_new in zip(names, fresh, strict=True) if is_new}
    subprocess.run([*COMMAND, "."], cwd=root, check=True, capture_output=True, timeout=SECONDS)
    assert all((root / name).read_bytes() == (new / name).read_bytes() for name in names)
    assert [] == [one.name for one in root.iterdir() if one.name.endswith(".tmp")]
