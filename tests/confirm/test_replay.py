"""A replay shows the failure before the edit and its end after it, and claims no more than the machine can show."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tests.confirm.conftest import Case, architecture

from hwlint.confirm.job import Blobs, make_job
from hwlint.confirm.record import Record, records_of
from hwlint.confirm.replay import RunSettings, run_jobs
from hwlint.confirm.verdict import Verdict

SETTINGS = RunSettings(seconds=20, memory=1 << 30)
TABLE = "TABLE = {\n    8: 'ampere',\n    10: 'blackwell',\n}\n"
ADD_9 = ("pkg/tables.py", "    10: 'blackwell',\n", "    9: 'hopper',\n    10: 'blackwell',\n")
MODULE = """
    import torch
    from pkg.tables import TABLE

    def pick():
        major = torch.cuda.get_device_capability()[0]
        if major < 8:
            return None
        return TABLE[major]
"""


def confirm(case: Case, on: str = "sm_90") -> Record:
    blobs = Blobs()
    job = make_job(case.finding, case.fix, architecture(on), case.root, blobs)
    return records_of(run_jobs([job], blobs, SETTINGS))[0]


def test_on_a_device_the_failure_before_and_the_value_after_confirm_the_fix(
    make_case: Callable[..., Case], fake_torch: Callable[..., None]
) -> None:
    fake_torch((9, 0))
    record = confirm(make_case({"pkg/tables.py": TABLE, "pkg/mod.py": MODULE}, "TABLE[major]", edit=ADD_9))
    assert Verdict.CONFIRMED == record["verdict"], record["reason"]
    assert record["mode"] == "real"
    assert record["before"]["text"] == "KeyError: 9"
    assert record["after"]["text"] == "'hopper'"


def test_without_a_device_the_same_replay_is_only_simulated(make_case: Callable[..., Case]) -> None:
    record = confirm(make_case({"pkg/tables.py": TABLE, "pkg/mod.py": MODULE}, "TABLE[major]", edit=ADD_9))
    assert Verdict.SIMULATED == record["verdict"], record["reason"]
    assert record["device"] is None
