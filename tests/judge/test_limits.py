"""Sizes held against what the architectures have."""

from __future__ import annotations

from pathlib import Path

from tests.judge.findings import lines_of


def test_a_tile_is_taken_over_from_architectures_with_more_shared_memory(tmp_path: Path) -> None:
    source = """
    def run(kernel, grid):
        if torch.cuda.get_device_capability()[0] > 8:
            BLOCK = 128
        else:
            BLOCK = 64
        kernel[grid](BLOCK_M=BLOCK, BLOCK_N=BLOCK)
    """
    assert lines_of(tmp_path, source, "HW502") == {5: "warning sm_120 sm_121"}


def test_a_block_of_elements_is_no_tile(tmp_path: Path) -> None:
    source = """
    def run(kernel, grid):
        if torch.cuda.get_device_capability()[0] > 8:
            BLOCK = 2048
        else:
            BLOCK = 1024
        kernel[grid](BLOCK=BLOCK)
    """
    assert lines_of(tmp_path, source, "HW502") == {}


def test_a_tile_that_pays_with_fewer_stages_is_left_alone(tmp_path: Path) -> None:
    source = """
    def run(kernel, grid):
        if torch.cuda.get_device_capability()[0] > 8:
            BLOCK_M, num_stages = 128, 2
        else:
            BLOCK_M, num_stages = 64, 4
        kernel[grid](BLOCK_M=BLOCK_M, num_stages=num_stages)
    """
    assert lines_of(tmp_path, source, "HW502") == {}


def test_warps_of_a_multiprocessor_are_a_fact(tmp_path: Path) -> None:
    source = """
    def occupancy():
        warps_per_mp = 64 if torch.cuda.get_device_capability() >= (9, 0) else 32
        return warps_per_mp
    """
    assert lines_of(tmp_path, source, "HW502", targets="sm_90,sm_120") == {4: "warning sm_120"}


def test_a_table_tuned_on_a_product_with_more_shared_memory(tmp_path: Path) -> None:
    source = """
    _h100_config = {64: (128, 128, 4, 3)}

    def config(dim):
        if torch.cuda.get_device_capability() >= (9, 0):  # H100
            return _h100_config.get(dim)
        return (64, 64, 4, 2)
    """
    assert lines_of(tmp_path, source, "HW502") == {7: "warning sm_120 sm_121"}


def test_what_the_device_was_asked_for_is_not_assumed(tmp_path: Path) -> None:
    source = """
    def limit():
        if torch.cuda.get_device_capability()[0] < 9:
            return 0
        smem = torch.cuda.get_device_properties(0).shared_memory_per_multiprocessor
        return smem
    """
    assert lines_of(tmp_path, source, "HW502") == {}


def test_what_a_function_named_after_a_size_gives_back_is_a_size(tmp_path: Path) -> None:
    source = """
    def get_max_smem_bytes():
        major, _ = torch.cuda.get_device_capability()
        if major >= 9:
            return 227 * 1024
        return 48 * 1024
    """
    assert lines_of(tmp_path, source, "HW502") == {6: "warning sm_120 sm_121"}
    assert lines_of(tmp_path, source.replace(">= 9", "in (9, 10, 11)"), "HW502") == {}
    assert lines_of(tmp_path, source.replace("smem_bytes", "offset"), "HW502") == {}
