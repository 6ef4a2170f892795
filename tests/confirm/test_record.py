"""Records are kept by fix, architecture and device, go stale with what they ran, and merge from several machines."""

from __future__ import annotations

import copy
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from hwlint.confirm.applied import load_applied, note_applied
from hwlint.confirm.export import read_results, write_jobs
from hwlint.confirm.job import Blobs, make_job
from hwlint.confirm.record import (
    FOLDER,
    Freshness,
    Record,
    confirmation,
    freshness,
    lacking,
    load,
    records_of,
    save,
)
from hwlint.confirm.replay import RunSettings, run_jobs
from hwlint.confirm.verdict import Verdict
from hwlint.model.errors import UsageError
from tests.confirm.conftest import Case, architecture

MODULE = """
    import torch
    OTHER = 1
    TABLE = {
        8: 64,
    }
    def pick():
        return TABLE[torch.cuda.get_device_capability()[0]]
"""
EDIT = ("pkg/mod.py", "    8: 64,\n", "    8: 64,\n    9: 128,\n")
LOOKUP = "TABLE[torch.cuda.get_device_capability()[0]]"


@pytest.fixture
def case(make_case: Callable[..., Case], fake_torch: Callable[..., None]) -> Case:
    fake_torch((9, 0))
    return make_case({"pkg/mod.py": MODULE}, LOOKUP, edit=EDIT)


def confirm(case: Case) -> Record:
    blobs = Blobs()
    job = make_job(case.finding, case.fix, architecture("sm_90"), case.root, blobs)
    return records_of(run_jobs([job], blobs, RunSettings(seconds=20)))[0]


def change(case: Case, old: str, new: str) -> None:
    path = case.root / "pkg/mod.py"
    path.write_text(path.read_text().replace(old, new))


def apply(case: Case) -> None:
    change(case, EDIT[1], EDIT[2])


def test_a_record_holds_device_versions_hashes_and_both_outcomes(case: Case) -> None:
    record = confirm(case)
    assert {"name": "Fake GPU", "capability": [9, 0]} == {k: record["device"][k] for k in ("name", "capability")}
    assert "1234" not in json.dumps(record["device"])
    assert "2.11.0+fake" == record["environment"]["torch"]
    assert ["pkg/mod.py"] == list(record["hashes"]["files"])
    assert ("KeyError: 9", "128") == (record["before"]["text"], record["after"]["text"])


def test_a_record_is_not_applied_then_fresh_then_stale(case: Case) -> None:
    record = confirm(case)
    assert Freshness.NOT_APPLIED is freshness(case.root, record)
    apply(case)
    assert Freshness.FRESH is freshness(case.root, record)
    change(case, "9: 128", "9: 256")
    assert Freshness.STALE is freshness(case.root, record)


def test_a_change_elsewhere_in_the_file_leaves_the_record_fresh(case: Case) -> None:
    record = confirm(case)
    apply(case)
    change(case, "OTHER = 1", "OTHER = 2\n# and a comment")
    assert Freshness.FRESH is freshness(case.root, record)


def test_records_are_read_back_as_they_were_saved(case: Case) -> None:
    record = confirm(case)
    save(case.root, [record])
    assert [record] == load(case.root)


def test_records_of_two_devices_stand_side_by_side_and_the_newer_of_one_device_wins(case: Case) -> None:
    first = confirm(case)
    other = copy.deepcopy(first)
    other["device"]["uuid"] = "another"
    newer = copy.deepcopy(first) | {"time": "2999-01-01T00:00:00+00:00", "verdict": "refuted"}
    save(case.root, [newer])
    save(case.root, [first, other])
    assert ["confirmed", "refuted"] == sorted(one["verdict"] for one in load(case.root))


def test_a_file_that_is_no_record_is_passed_over(case: Case) -> None:
    save(case.root, [confirm(case)])
    for name, text in {"a.json": "{", "b.json": "[]", "c.json": '{"schema": "hwlint-confirmation/1"}'}.items():
        (case.root / FOLDER / name).write_text(text)
    assert 1 == len(load(case.root))


def test_a_refutation_outweighs_every_other_record(case: Case) -> None:
    record = confirm(case)
    refuted = copy.deepcopy(record) | {"verdict": "refuted", "architecture": "sm_100", "reason": "still fails"}
    both = confirmation(case.root, [record, refuted])
    assert both is not None
    assert ("refuted", ["sm_100"]) == (both["verdict"], both["on"])
    assert {"sm_90": "confirmed", "sm_100": "refuted"} == both["architectures"]


def test_stale_records_count_for_nothing(case: Case) -> None:
    record = confirm(case)
    change(case, "8: 64", "8: 32")
    found = confirmation(case.root, [record])
    assert found is not None
    assert "not-run" == found["verdict"]


def test_an_applied_fix_lacks_a_record_until_a_device_confirmed_it(case: Case) -> None:
    record = confirm(case)
    fingerprint = record["fix"]["fingerprint"]
    apply(case)
    note_applied(case.root, [(case.finding, case.fix)])
    assert [fingerprint] == [one.fingerprint for one in load_applied(case.root)]
    assert {fingerprint: "it has no record"} == lacking(case.root, [fingerprint])
    save(case.root, [record | {"verdict": "simulated", "device": None, "how": "simulated"}])
    assert fingerprint in lacking(case.root, [fingerprint])
    save(case.root, [record])
    assert {} == lacking(case.root, [fingerprint])


def test_a_fix_that_was_taken_back_needs_no_record(case: Case) -> None:
    apply(case)
    note_applied(case.root, [(case.finding, case.fix)])
    change(case, EDIT[2], EDIT[1])
    assert () == load_applied(case.root)


def test_an_exported_file_runs_with_nothing_but_python_and_comes_back(case: Case, tmp_path: Path) -> None:
    blobs = Blobs()
    job = make_job(case.finding, case.fix, architecture("sm_90"), case.root, blobs)
    write_jobs(tmp_path / "jobs.zip", [job], blobs, seconds=20, memory=1 << 30)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    subprocess.run([sys.executable, str(tmp_path / "jobs.zip")], cwd=elsewhere, check=True, timeout=60)
    records = records_of(read_results(elsewhere / "results.json"))
    assert [Verdict.CONFIRMED] == [record["verdict"] for record in records]


def test_the_same_jobs_give_the_same_bytes(case: Case, tmp_path: Path) -> None:
    for name in ("a.zip", "b.zip"):
        blobs = Blobs()
        job = make_job(case.finding, case.fix, architecture("sm_90"), case.root, blobs)
        write_jobs(tmp_path / name, [job], blobs, seconds=20, memory=None)
    assert (tmp_path / "a.zip").read_bytes() == (tmp_path / "b.zip").read_bytes()


def test_jobs_are_not_written_over_what_is_something_else(tmp_path: Path) -> None:
    mine = tmp_path / "mine.py"
    mine.write_text("x = 1\n", encoding="utf-8")
    for place in (mine, tmp_path):
        with pytest.raises(UsageError):
            write_jobs(place, [], Blobs(), seconds=20, memory=None)
    assert mine.read_text(encoding="utf-8") == "x = 1\n"
    for _ in range(2):  # over an earlier file of jobs they are
        write_jobs(tmp_path / "jobs.zip", [], Blobs(), seconds=20, memory=None)


@pytest.mark.parametrize(
    "text", ["", "[]", '{"schema": "hwlint-results/1"}', '{"schema": "hwlint-results/1", "results": [{}]}']
)
def test_a_file_that_holds_no_results_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "results.json"
    path.write_text(text)
    with pytest.raises(UsageError, match=r"jobs\.zip"):
        read_results(path)


def test_jobs_that_name_a_path_outside_their_tree_are_refused(case: Case) -> None:
    blobs = Blobs()
    job = make_job(case.finding, case.fix, architecture("sm_90"), case.root, blobs)
    for when in ("before", "after"):
        job["versions"]["real"][when]["files"]["../../outside.py"] = blobs.add(b"")
    with pytest.raises(UsageError, match="outside its tree"):
        run_jobs([job], blobs, RunSettings(seconds=20))


def test_a_run_that_is_cut_short_keeps_the_results_it_has(case: Case, tmp_path: Path) -> None:
    blobs = Blobs()
    good = make_job(case.finding, case.fix, architecture("sm_90"), case.root, blobs)
    bad = copy.deepcopy(good)
    bad["versions"]["real"]["before"]["files"]["../outside.py"] = blobs.add(b"")
    write_jobs(tmp_path / "jobs.zip", [good, bad], blobs, seconds=20, memory=1 << 30)
    out = tmp_path / "results.json"
    done = subprocess.run([sys.executable, str(tmp_path / "jobs.zip"), "--out", str(out)], check=False, timeout=60)
    assert done.returncode
    assert [Verdict.CONFIRMED] == [record["verdict"] for record in records_of(read_results(out))]


def test_a_folder_that_leads_out_of_the_project_is_not_written_to(
    case: Case, tmp_path_factory: pytest.TempPathFactory
) -> None:
    outside = tmp_path_factory.mktemp("outside")
    (case.root / ".hwlint").symlink_to(outside)
    with pytest.raises(UsageError, match="leads out of the project"):
        note_applied(case.root, [(case.finding, case.fix)])
    with pytest.raises(UsageError, match="leads out of the project"):
        save(case.root, [])
    assert [] == list(outside.iterdir())
