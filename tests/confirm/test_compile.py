"""A compile check says what fits an architecture that is not here; the compiler itself is the extra `compile`."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Callable

import pytest

from hwlint.confirm.job import Blobs, architecture_row, make_job
from hwlint.confirm.limits import compile_problems, differences
from hwlint.confirm.probe import bundled, load_probe
from hwlint.confirm.record import Record, records_of
from hwlint.confirm.replay import RunSettings, run_jobs
from hwlint.confirm.verdict import Verdict
from tests.confirm.conftest import Case, architecture

COMPILER = os.environ.get("HWLINT_COMPILE_PYTHON")
needs_triton = pytest.mark.skipif(
    COMPILER is None and importlib.util.find_spec("triton") is None, reason="needs Triton: pip install hwlint[compile]"
)
MODULE = """
    import torch
    TILES = {10: (128, 128, 64, 6, 8)}
    def tile():
        return TILES[torch.cuda.get_device_capability()[0]]
"""
LOOKUP = "TILES[torch.cuda.get_device_capability()[0]]"


def confirm(make_case: Callable[..., Case], value: str) -> Record:
    edit = ("pkg/mod.py", "{10: (128, 128, 64, 6, 8)", f"{{10: (128, 128, 64, 6, 8), 12: {value}")
    case = make_case({"pkg/mod.py": MODULE}, LOOKUP, edit=edit, outcome="KeyError: 12", targets=("sm_120",))
    probe = load_probe("triton-tile", bundled()["triton-tile"], {})
    blobs = Blobs()
    job = make_job(case.finding, case.fix, architecture("sm_120"), case.root, blobs, probe=probe)
    return records_of(run_jobs([job], blobs, RunSettings(seconds=120, compile_python=COMPILER)))[0]


@needs_triton
def test_a_tile_copied_from_10_0_that_needs_160_kib_is_refuted_for_12_0(make_case: Callable[..., Case]) -> None:
    record = confirm(make_case, "(128, 128, 64, 6, 8)")
    assert Verdict.REFUTED == record["verdict"]
    assert "needs 160 KiB of shared memory, a block of sm_120 has 99 KiB" in record["reason"]


@needs_triton
def test_a_tile_that_fits_12_0_is_compiled(make_case: Callable[..., Case]) -> None:
    record = confirm(make_case, "(128, 128, 64, 3, 8)")
    assert Verdict.COMPILED == record["verdict"], record["reason"]
    assert "64 KiB of shared memory" in record["reason"]


@needs_triton
def test_a_tile_that_does_not_compile_is_refuted(make_case: Callable[..., Case]) -> None:
    record = confirm(make_case, "(96, 128, 64, 3, 8)")
    assert Verdict.REFUTED == record["verdict"]
    assert "does not compile for sm_120" in record["reason"]


@needs_triton
def test_a_value_that_is_no_tile_stays_simulated(make_case: Callable[..., Case]) -> None:
    record = confirm(make_case, "'fast'")
    assert Verdict.SIMULATED == record["verdict"]
    assert "does not read as a tile" in record["not_shown"][0]


@pytest.mark.parametrize(("kib", "verdict"), [(99, Verdict.SIMULATED), (227, Verdict.REFUTED)])
def test_a_shared_memory_size_is_held_against_the_catalogue_without_any_compiler(
    make_case: Callable[..., Case], kib: int, verdict: Verdict
) -> None:
    module = MODULE.replace("TILES = {10: (128, 128, 64, 6, 8)}", "TILES = {10: 227}")
    edit = ("pkg/mod.py", "{10: 227", f"{{10: 227, 12: {kib}")
    case = make_case({"pkg/mod.py": module}, LOOKUP, edit=edit, outcome="KeyError: 12", targets=("sm_120",))
    blobs = Blobs()
    probe = load_probe("shared-memory", bundled()["shared-memory"], {"unit": "KiB"})
    job = make_job(case.finding, case.fix, architecture("sm_120"), case.root, blobs, probe=probe)
    record = records_of(run_jobs([job], blobs, RunSettings(seconds=30)))[0]
    assert verdict == record["verdict"], record["reason"]


def test_without_a_compiler_the_replay_stays_simulated_and_says_so(make_case: Callable[..., Case]) -> None:
    if importlib.util.find_spec("triton") is not None:
        pytest.skip("Triton is here")
    edit = ("pkg/mod.py", "{10: ", "{12: (64, 64), 10: ")
    case = make_case({"pkg/mod.py": MODULE}, LOOKUP, edit=edit, outcome="KeyError: 12", targets=("sm_120",))
    blobs = Blobs()
    probe = load_probe("triton-tile", bundled()["triton-tile"], {})
    job = make_job(case.finding, case.fix, architecture("sm_120"), case.root, blobs, probe=probe)
    record = records_of(run_jobs([job], blobs, RunSettings(seconds=30)))[0]
    assert Verdict.SIMULATED == record["verdict"]
    assert "Triton is not installed" in record["not_shown"][0]


@pytest.mark.parametrize(("kib", "fits"), [(99, True), (99.5, False), (160, False)])
def test_shared_memory_is_held_against_the_limit_of_a_block(kib: float, *, fits: bool) -> None:
    answer = {"shared": int(kib * 1024), "registers": 128, "warps": 8}
    assert fits == (not compile_problems(answer, architecture_row(architecture("sm_120"))))


@pytest.mark.parametrize(("registers", "warps", "fits"), [(255, 8, True), (128, 16, True), (168, 16, False)])
def test_registers_are_held_against_the_limit_of_a_block(registers: int, warps: int, *, fits: bool) -> None:
    answer = {"shared": 0, "registers": registers, "warps": warps}
    assert fits == (not compile_problems(answer, architecture_row(architecture("sm_120"))))


def test_a_device_that_contradicts_the_catalogue_is_reported() -> None:
    facts = architecture_row(architecture("sm_90"))["facts"]
    assert not differences("sm_90", facts, {"shared_mem_per_block_optin": 227 * 1024, "warp_size": 32})
    found = differences("sm_90", facts, {"shared_mem_per_block_optin": 99 * 1024})
    assert ["limits.shared_mem_per_block_optin_kib"] == [one.fact for one in found]
    assert "227 in the catalogue, 99 on the device" in str(found[0])
