"""Probes run only when the user named or allowed them, and their say counts."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from hwlint.confirm.job import Blobs, make_job
from hwlint.confirm.probe import NamedBy, ProbeRequest, bundled, choose_probe, load_probe, parse_request
from hwlint.confirm.record import Record, records_of
from hwlint.confirm.replay import RunSettings, run_jobs
from hwlint.confirm.verdict import Verdict
from hwlint.model.errors import UsageError
from tests.confirm.conftest import Case, architecture

MODULE = """
    import torch
    TABLE = {8: 64}
    def pick():
        return TABLE[torch.cuda.get_device_capability()[0]]
"""
EDIT = ("pkg/mod.py", "{8: 64", "{8: 64, 9: 128")
LOOKUP = "TABLE[torch.cuda.get_device_capability()[0]]"


@pytest.fixture
def confirm_with(
    make_case: Callable[..., Case], fake_torch: Callable[..., None], tmp_path: Path
) -> Callable[[str], Record]:
    fake_torch((9, 0))

    def run(text: str, options: dict[str, str] | None = None) -> Record:
        path = tmp_path / "probe.py"
        path.write_text(text)
        case = make_case({"pkg/mod.py": MODULE}, LOOKUP, edit=EDIT)
        blobs = Blobs()
        probe = load_probe("mine", path, options or {})
        job = make_job(case.finding, case.fix, architecture("sm_90"), case.root, blobs, probe=probe)
        return records_of(run_jobs([job], blobs, RunSettings(seconds=5, memory=1 << 30)))[0]

    return run


def test_a_probe_that_uses_the_value_and_passes_exercises_the_fix(confirm_with: Callable[..., Record]) -> None:
    probe = "def probe(value, context):\n    assert value == 128\n    return {'text': context['options']['how']}\n"
    record = confirm_with(probe, {"how": "gently"})
    assert Verdict.EXERCISED == record["verdict"], record["reason"]
    assert "gently" in record["reason"]


def test_a_value_that_the_probe_rejects_refutes_the_fix(confirm_with: Callable[..., Record]) -> None:
    record = confirm_with("def probe(value, context):\n    raise ValueError('%d is too large' % value)\n")
    assert Verdict.REFUTED == record["verdict"]
    assert "128 is too large" in record["reason"]


@pytest.mark.parametrize("body", ["while True: pass", "import os; os._exit(0)", "import sys; sys.exit(0)"])
def test_a_probe_that_does_not_come_back_refutes_the_fix(confirm_with: Callable[..., Record], body: str) -> None:
    record = confirm_with(f"def probe(value, context):\n    {body}\n")
    assert Verdict.REFUTED == record["verdict"]
    assert "probe mine" in record["reason"]


def test_a_probe_that_cannot_tell_leaves_the_fix_confirmed_and_says_so(confirm_with: Callable[..., Record]) -> None:
    text = "class CannotTell(Exception): pass\ndef probe(value, context):\n    raise CannotTell('needs two GPUs')\n"
    record = confirm_with(text)
    assert Verdict.CONFIRMED == record["verdict"]
    assert "needs two GPUs" in record["not_shown"][0]


def test_a_probe_whose_packages_are_not_there_does_not_run(confirm_with: Callable[..., Record]) -> None:
    record = confirm_with("NEEDS = ('a_package_nobody_has',)\ndef probe(value, context):\n    raise ValueError\n")
    assert Verdict.CONFIRMED == record["verdict"]
    assert "a_package_nobody_has" in record["not_shown"][0]


def test_a_probe_that_did_not_use_the_value_exercises_nothing(confirm_with: Callable[..., Record]) -> None:
    record = confirm_with("def probe(value, context):\n    return {'uses_value': False, 'not_shown': ['the rest']}\n")
    assert Verdict.CONFIRMED == record["verdict"]
    assert ["the rest"] == record["not_shown"]


def test_a_probe_that_asks_for_it_runs_before_the_edit_too(confirm_with: Callable[..., Record]) -> None:
    record = confirm_with(
        "BEFORE = True\ndef probe(value, context):\n    assert value is not None, 'no value'\n    return {}\n"
    )
    assert Verdict.EXERCISED == record["verdict"]
    assert "no value" in record["probe_before"]["text"]


def test_a_probe_is_chosen_by_table_and_carries_its_options(make_case: Callable[..., Case]) -> None:
    finding = make_case({"pkg/mod.py": MODULE}, LOOKUP).finding
    named = parse_request("TABLE=triton-tile:stages=4,warps=8")
    probe = choose_probe(finding, [parse_request("OTHER=construct"), named], allowed=False)
    assert probe is not None
    assert ("triton-tile", {"stages": "4", "warps": "8"}) == (probe.name, probe.options)


def test_what_a_rule_names_runs_only_where_probes_are_allowed(make_case: Callable[..., Case]) -> None:
    finding = make_case({"pkg/mod.py": MODULE}, LOOKUP).finding
    request = ProbeRequest("shared-memory", named_by=NamedBy.BUNDLED_RULE)
    assert choose_probe(finding, [request], allowed=False) is None
    assert choose_probe(finding, [request], allowed=True) is not None


def test_a_file_that_a_rule_names_never_runs(make_case: Callable[..., Case], tmp_path: Path) -> None:
    finding = make_case({"pkg/mod.py": MODULE}, LOOKUP).finding
    path = tmp_path / "evil.py"
    path.write_text("def probe(value, context): pass\n")
    assert choose_probe(finding, [ProbeRequest(str(path), named_by=NamedBy.RULE)], allowed=True) is None
    assert choose_probe(finding, [ProbeRequest(str(path))], allowed=False) is not None


def test_a_probe_that_does_not_exist_is_answered_with_the_nearest(make_case: Callable[..., Case]) -> None:
    finding = make_case({"pkg/mod.py": MODULE}, LOOKUP).finding
    with pytest.raises(UsageError, match="triton-tile"):
        choose_probe(finding, [parse_request("triton-tiles")], allowed=False)


@pytest.mark.parametrize("text", ["", "=x", "tile:stages", "tile:=4"])
def test_a_request_that_does_not_read_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="PROBE"):
        parse_request(text)


def test_every_bundled_probe_loads_and_says_what_it_does() -> None:
    for name, path in bundled().items():
        load_probe(name, path, {})
        assert "WHAT = " in path.read_text(), name
    assert {"construct", "shared-memory", "symmetric-memory", "triton-tile"} == set(bundled())


def test_a_bundled_probe_without_its_hardware_leaves_the_verdict_alone(
    make_case: Callable[..., Case], fake_torch: Callable[..., None]
) -> None:
    fake_torch((9, 0))
    case = make_case({"pkg/mod.py": MODULE}, LOOKUP, edit=EDIT)
    blobs = Blobs()
    probe = load_probe("shared-memory", bundled()["shared-memory"], {"unit": "KiB"})
    job = make_job(case.finding, case.fix, architecture("sm_90"), case.root, blobs, probe=probe)
    record = records_of(run_jobs([job], blobs, RunSettings(seconds=10)))[0]
    assert record["verdict"] in (Verdict.CONFIRMED, Verdict.REFUTED, Verdict.EXERCISED)
    assert record["probe"]["kind"] in ("not-run", "raised", "passed")
