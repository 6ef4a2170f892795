"""Tests for runs about a part of the architectures: nothing is lost, and nothing of the others is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.judge.findings import lines_of

CHAIN = """
def warps():
    major, _ = torch.cuda.get_device_capability()
    if major == 8:
        warps = 4
    elif major in (9, 10):
        warps = 8
    return warps
"""
TABLE = """
LIMITS = {8: 1, 9: 2, 10: 4}
def limit():
    return LIMITS[torch.cuda.get_device_capability()[0]]
"""


@pytest.mark.parametrize("target", ["sm_120", "sm_110", "next"])
def test_a_chain_without_a_branch_is_told_of_where_one_architecture_is_asked_about(tmp_path: Path, target: str) -> None:
    name = "sm_130" if target == "next" else target
    assert lines_of(tmp_path, CHAIN, "HW201", targets=target) == {9: f"error {name}"}


def test_what_only_others_miss_is_not_told(tmp_path: Path) -> None:
    assert lines_of(tmp_path, CHAIN, "HW201", targets="sm_90") == {}
    assert lines_of(tmp_path, TABLE, "HW101", targets="sm_80,sm_100") == {}


def test_a_missing_key_is_told_of_the_architectures_asked_about_alone(tmp_path: Path) -> None:
    assert lines_of(tmp_path, TABLE, "HW101", targets="sm_90,sm_121") == {5: "error sm_121"}
    assert lines_of(tmp_path, TABLE, "HW101", targets="sm_90+,-sm_110,-sm_121") == {5: "error sm_120"}


def test_a_key_that_is_none_on_all_alike_is_not_what_the_hardware_decides(tmp_path: Path) -> None:
    source = """
    KINDS = {"a": 1, "b": 2}
    def kind(wide, mask):
        name = "a" if mask else None
        if torch.cuda.get_device_capability()[0] >= 9 and wide:
            name = "b"
        return KINDS[name]
    """
    assert lines_of(tmp_path, source, "HW101") == {}


def test_a_key_that_is_none_on_some_is_what_the_hardware_decides(tmp_path: Path) -> None:
    source = """
    KINDS = {"a": 1, "b": 2}
    def kind():
        name = "a" if torch.cuda.get_device_capability()[0] < 12 else None
        return KINDS[name]
    """
    assert lines_of(tmp_path, source, "HW101") == {6: "error sm_120 sm_121"}
