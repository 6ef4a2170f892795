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
    (root / "hwlint.toml").write_text("")
    for number in range(FILES):
        (root / f"m{number:03}.py").write_bytes(TABLE.format(number=number).replace("\n", "\r\n").encode())
    return root


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
