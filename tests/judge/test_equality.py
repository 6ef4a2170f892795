"""Tests for one architecture that leave its family out."""

from __future__ import annotations

from pathlib import Path

from tests.judge.findings import lines_of


def test_a_text_that_may_come_from_a_setting_is_compared_all_the_same(tmp_path: Path) -> None:
    source = """
    def target(setting):
        major, minor = torch.cuda.get_device_capability()
        arch = setting or str(major * 10 + minor)
        if arch == "120":
            return "120a"
        return arch
    """
    assert lines_of(tmp_path, source, "HW203") == {6: "note sm_121"}


def test_a_helper_that_is_asked_for_one_capability_is_an_equality(tmp_path: Path) -> None:
    source = """
    def is_exactly(number):
        major, minor = torch.cuda.get_device_capability()
        return major * 10 + minor == number

    def run():
        return is_exactly(100)
    """
    assert lines_of(tmp_path, source, "HW203") == {8: "note sm_103 sm_107"}


def test_a_minor_number_of_a_mate_was_looked_at_on_purpose(tmp_path: Path) -> None:
    source = """
    def run():
        major, minor = torch.cuda.get_device_capability()
        return major == 12 and minor == 1
    """
    assert lines_of(tmp_path, source, "HW203") == {}


def test_an_equality_in_two_parts_or_as_a_list_of_one_is_an_equality(tmp_path: Path) -> None:
    source = """
    def run():
        major, minor = torch.cuda.get_device_capability()
        return major == 12 and minor == 0

    def listed():
        return torch.cuda.get_device_capability() in [(12, 0)]

    def both():
        return torch.cuda.get_device_capability() in [(12, 0), (12, 1)]
    """
    assert sorted(lines_of(tmp_path, source, "HW203")) == [5, 8]


def test_every_device_of_a_machine_stands_for_all(tmp_path: Path) -> None:
    source = """
    def run():
        return all(torch.cuda.get_device_capability(i) == (12, 0) for i in range(torch.cuda.device_count()))
    """
    assert sorted(lines_of(tmp_path, source, "HW203")) == [4]


def test_a_comment_that_says_not_blackwell_is_wrong_for_the_mates(tmp_path: Path) -> None:
    source = """
    def run():
        if torch.cuda.get_device_capability() == (10, 0):
            return "new"
        else:
            # Not Blackwell
            return "old"
    """
    assert lines_of(tmp_path, source, "HW203") == {4: "warning sm_103"}


def test_words_that_turn_blackwell_away_speak_of_all_of_it(tmp_path: Path) -> None:
    source = """
    def version(logger, wanted):
        major, _ = torch.cuda.get_device_capability()
        if major == 10 and wanted == 3:
            logger.warning("Cannot use version 3 on Blackwell")
            return 2
        return wanted
    """
    assert lines_of(tmp_path, source, "HW203") == {5: "note sm_110 sm_120 sm_121"}


def test_words_about_something_else_say_nothing(tmp_path: Path) -> None:
    source = """
    def version(logger, wanted):
        major, _ = torch.cuda.get_device_capability()
        if major == 10 and wanted == 3:
            logger.warning("Using the Blackwell path")
            return 2
        return wanted
    """
    assert lines_of(tmp_path, source, "HW203") == {}


def test_an_exact_test_that_a_raise_in_its_own_body_tells_of_is_told_there_alone(tmp_path: Path) -> None:
    source = """
    def run():
        capability = torch.cuda.get_device_capability()
        if capability != (8, 9) and capability != (12, 0):
            raise ValueError("only on Ada and consumer Blackwell")
        return 1
    """
    assert lines_of(tmp_path, source, "HW203") == {}
    assert "sm_121" in lines_of(tmp_path, source, "HW202").get(6, "")


def test_an_exact_test_without_a_raise_is_told(tmp_path: Path) -> None:
    source = """
    def run():
        capability = torch.cuda.get_device_capability()
        if capability != (12, 0):
            return 0
        return 1
    """
    assert lines_of(tmp_path, source, "HW203") == {5: "note sm_121"}


def test_a_special_way_for_the_newest_of_a_family_leaves_nobody_behind(tmp_path: Path) -> None:
    source = """
    def run():
        if torch.cuda.get_device_capability() == (12, 1):
            return "shared memory with the CPU"
        return "plain"
    """
    assert lines_of(tmp_path, source, "HW203") == {}


def test_an_exact_test_that_another_maker_may_pass_too_is_told(tmp_path: Path) -> None:
    source = """
    def is_exactly(number):
        major, minor = torch.cuda.get_device_capability()
        return major * 10 + minor == number

    def run():
        if is_exactly(100):
            return "fast"
        return "plain"
    """
    assert lines_of(tmp_path, source, "HW203", targets="all") == {8: "note sm_103 sm_107"}
