"""Predicates whose names claim more, or less, than they test."""

from __future__ import annotations

from pathlib import Path

from tests.judge.findings import lines_of

NEWER = "sm_100 sm_103 sm_107 sm_110 sm_120 sm_121"


def test_a_variable_is_a_predicate_too(tmp_path: Path) -> None:
    source = """
    def available(module):
        is_90a = module is not None and torch.cuda.get_device_capability() >= (9, 0)
        return is_90a
    """
    assert lines_of(tmp_path, source, "HW206") == {4: f"warning {NEWER}"}


def test_a_further_condition_does_not_widen_a_name(tmp_path: Path) -> None:
    source = """
    def available(module):
        is_90a = module is not None and torch.cuda.get_device_capability() == (9, 0)
        return is_90a
    """
    assert lines_of(tmp_path, source, "HW206") == {}


def test_what_cannot_be_worked_out_contradicts_nothing(tmp_path: Path) -> None:
    source = """
    from elsewhere import platform

    def is_sm90_supported():
        if torch.cuda.get_device_capability()[0] > 100:
            return True
        return platform.supports_it()
    """
    assert lines_of(tmp_path, source, "HW206") == {}


def test_a_name_that_says_no_is_left_alone(tmp_path: Path) -> None:
    source = """
    def is_pre_hopper():
        return torch.cuda.get_device_capability()[0] < 9
    """
    assert lines_of(tmp_path, source, "HW206") == {}


def test_a_name_that_keeps_the_answer_of_a_function_is_told_with_it(tmp_path: Path) -> None:
    source = """
    def is_hopper():
        return torch.cuda.get_device_capability()[0] >= 9
    def run(x):
        is_hopper_device = is_hopper()
        return x + 1 if is_hopper_device else x
    def other(x):
        is_hopper_gpu = torch.cuda.get_device_properties(0).major >= 9
        return x + 1 if is_hopper_gpu else x
    """
    assert set(lines_of(tmp_path, source, "HW206")) == {3, 9}
