"""Code that misbehaves gets a verdict with the reason, harms only its copy and leaves no process behind."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from hwlint.confirm.job import Blobs, make_job
from hwlint.confirm.record import Record, records_of
from hwlint.confirm.replay import RunSettings, run_jobs
from hwlint.confirm.verdict import Verdict
from tests.confirm.conftest import Case, architecture

SETTINGS = RunSettings(seconds=3, memory=256 << 20)
MARK = "HWLINT_TEST_MARK"
"""Every process of a run inherits it, wherever it goes; /proc tells who has it, where there is one."""

AFTER = """
import torch
TABLE = {
    8: 'ampere',
}

def pick():
    major = torch.cuda.get_device_capability()[0]
    return TABLE[major]
"""
EDIT = ("pkg/mod.py", "    8: 'ampere',\n", "    8: 'ampere',\n    9: 'hopper',\n")


def confirm(case: Case, settings: RunSettings = SETTINGS) -> Record:
    blobs = Blobs()
    job = make_job(case.finding, case.fix, architecture("sm_90"), case.root, blobs)
    before = fingerprint(case.root)
    mark = f"{os.getpid()}-{time.time_ns()}"
    os.environ[MARK] = mark
    try:
        record = records_of(run_jobs([job], blobs, settings))[0]
    finally:
        del os.environ[MARK]
    assert before == fingerprint(case.root), "the user's tree was touched"
    assert not is_running(f"{MARK}={mark}"), "a process was left behind"
    return record


def fingerprint(root: Path) -> str:
    parts = [f"{path.relative_to(root)}:{path.read_bytes()!r}" for path in sorted(root.rglob("*")) if path.is_file()]
    return hashlib.sha256("".join(parts).encode()).hexdigest()


def is_running(mark: str) -> bool:
    for entry in Path("/proc").iterdir() if Path("/proc/self/environ").exists() else ():
        try:
            if entry.name.isdigit() and mark.encode() in (entry / "environ").read_bytes():
                return True
        except OSError:
            continue
    return False


def test_a_module_that_hangs_at_import_is_not_run(make_case: Callable[..., Case]) -> None:
    record = confirm(make_case({"pkg/mod.py": "while True: pass\n" + AFTER}, "TABLE[major]", edit=EDIT))
    assert Verdict.NOT_RUN == record["verdict"]
    assert "stopped after 3 s" in record["reason"]
    assert "importing the module" in record["reason"]


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="finds processes through /proc")
def test_a_module_that_forks_and_leaves_its_session_leaves_no_process_behind(
    make_case: Callable[..., Case],
) -> None:
    forks = "import os, time\nfor _ in range(3):\n    if not os.fork():\n        os.setsid()\n        time.sleep(600)\n"
    case = make_case({"pkg/mod.py": forks + AFTER}, "TABLE[major]", edit=EDIT)
    record = confirm(case)
    assert Verdict.SIMULATED == record["verdict"], record["reason"]
    assert record["before"]["left_behind"] == 3


def test_a_module_that_fills_memory_is_not_run(make_case: Callable[..., Case]) -> None:
    hungry = "hoard = []\nwhile True: hoard.append(bytearray(1 << 24))\n"
    record = confirm(make_case({"pkg/mod.py": hungry + AFTER}, "TABLE[major]", edit=EDIT))
    assert Verdict.NOT_RUN == record["verdict"]
    assert "memory limit" in record["reason"]


def test_memory_that_is_filled_on_a_device_is_watched_from_outside(
    make_case: Callable[..., Case], fake_torch: Callable[..., None]
) -> None:
    fake_torch((9, 0))
    hungry = "import time\nhoard = bytearray(b'x') * (600 << 20)\ntime.sleep(600)\n"
    case = make_case({"pkg/mod.py": hungry + AFTER}, "TABLE[major]", edit=EDIT)
    record = confirm(case, RunSettings(seconds=20, memory=256 << 20))
    assert Verdict.NOT_RUN == record["verdict"]
    assert "memory limit" in record["reason"]


def test_memory_that_descendants_fill_counts_too(make_case: Callable[..., Case]) -> None:
    hungry = (
        "import os, time\nfor _ in range(4):\n    if not os.fork():\n        hoard = bytearray(b'x') * (100 << 20)\n"
        "        time.sleep(600)\ntime.sleep(600)\n"
    )
    record = confirm(
        make_case({"pkg/mod.py": hungry + AFTER}, "TABLE[major]", edit=EDIT), RunSettings(seconds=20, memory=256 << 20)
    )
    assert Verdict.NOT_RUN == record["verdict"]
    assert "memory limit" in record["reason"]


def test_a_hundred_megabytes_of_output_are_read_and_cut(make_case: Callable[..., Case]) -> None:
    loud = "for _ in range(100): print('x' * (1 << 20))\n"
    case = make_case({"pkg/mod.py": loud + AFTER}, "TABLE[major]", edit=EDIT)
    record = confirm(case, RunSettings(seconds=20, memory=256 << 20))
    assert Verdict.SIMULATED == record["verdict"], record["reason"]
    assert len(record["before"]["output"]) <= 4000


def test_a_module_that_deletes_its_own_tree_deletes_a_copy(make_case: Callable[..., Case]) -> None:
    deletes = "import os, shutil\nshutil.rmtree(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))\n"
    record = confirm(make_case({"pkg/mod.py": deletes + AFTER}, "TABLE[major]", edit=EDIT))
    assert record["verdict"] in (Verdict.SIMULATED, Verdict.NOT_RUN)
    assert record["reason"]


@pytest.mark.parametrize("leave", ["import sys; sys.exit(0)", "import os; os._exit(0)", "raise KeyboardInterrupt"])
def test_a_module_that_ends_the_interpreter_is_not_run(make_case: Callable[..., Case], leave: str) -> None:
    record = confirm(make_case({"pkg/mod.py": leave + "\n" + AFTER}, "TABLE[major]", edit=EDIT))
    assert Verdict.NOT_RUN == record["verdict"]
    assert "importing the module" in record["reason"]


def test_an_edit_that_makes_the_module_hang_is_refuted(make_case: Callable[..., Case]) -> None:
    edit = ("pkg/mod.py", "    8: 'ampere',\n}\n", "    8: 'ampere',\n    9: 'hopper',\n}\nwhile True: pass\n")
    record = confirm(make_case({"pkg/mod.py": AFTER}, "TABLE[major]", edit=edit))
    assert Verdict.REFUTED == record["verdict"]
    assert "time limit" in record["reason"]


def test_a_module_that_waits_for_input_gets_none(make_case: Callable[..., Case]) -> None:
    record = confirm(
        make_case({"pkg/mod.py": "import sys\nassert sys.stdin.read() == ''\n" + AFTER}, "TABLE[major]", edit=EDIT)
    )
    assert Verdict.SIMULATED == record["verdict"], record["reason"]


def test_an_interpreter_that_does_not_exist_is_not_run(make_case: Callable[..., Case]) -> None:
    case = make_case({"pkg/mod.py": AFTER}, "TABLE[major]", edit=EDIT)
    record = confirm(case, RunSettings(python="/no/such/python", seconds=3))
    assert Verdict.NOT_RUN == record["verdict"]
    assert "could not be started" in record["reason"]
