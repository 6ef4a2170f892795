"""Tests for lists and tables that leave an architecture out."""

from __future__ import annotations

from pathlib import Path

from tests.judge.findings import lines_of


def test_a_list_of_what_the_hardware_does_not_choose_is_left_alone(tmp_path: Path) -> None:
    source = """
    def run(causal):
        if torch.cuda.get_device_capability()[0] >= 8:
            backend = "flash" if causal else "sdpa"
        else:
            backend = "flash" if causal else "sdpa"
        return backend in ("flash", "wide")
    """
    assert lines_of(tmp_path, source, "HW103") == {}


def test_a_list_that_only_some_architectures_may_miss_is_told(tmp_path: Path) -> None:
    source = """
    def run(causal):
        if torch.cuda.get_device_capability()[0] >= 12:
            backend = "flash" if causal else "sdpa"
        else:
            backend = "flash"
        return backend in ("flash", "wide")
    """
    assert lines_of(tmp_path, source, "HW103") == {8: "note sm_120 sm_121"}


def test_a_default_for_what_the_hardware_does_not_choose_hides_nothing(tmp_path: Path) -> None:
    source = """
    def run(causal):
        if torch.cuda.get_device_capability()[0] >= 8:
            kind = "flash" if causal else "sdpa"
        else:
            kind = "flash" if causal else "sdpa"
        return {"flash": 128}.get(kind, 64)
    """
    assert lines_of(tmp_path, source, "HW102") == {}


def test_a_default_that_only_some_architectures_may_take_hides_a_miss(tmp_path: Path) -> None:
    source = """
    def run(causal):
        if torch.cuda.get_device_capability()[0] >= 12:
            kind = "flash" if causal else "sdpa"
        else:
            kind = "flash"
        return {"flash": 128}.get(kind, 64)
    """
    assert lines_of(tmp_path, source, "HW102") == {8: "note sm_120 sm_121"}
