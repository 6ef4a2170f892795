"""Check that misspelt words lead to the right one, and strange words to none."""

from __future__ import annotations

import pytest

from hwlint.model.suggest import did_you_mean, nearest


@pytest.mark.parametrize(
    ("meant", "typed"),
    [("targets", "tragets"), ("HW101", "hw101"), ("sm_120", "sm120"), ("per-file-ignores", "per_file_ignores")],
)
def test_a_misspelt_word_leads_to_the_one_that_was_meant(meant: str, typed: str) -> None:
    words = ["targets", "select", "ignore", "per-file-ignores", "HW101", "HW202", "sm_90", "sm_120"]
    assert meant == nearest(typed, words)


def test_a_word_like_none_of_them_leads_nowhere() -> None:
    assert nearest("zebra", ["targets", "select"]) is None
    assert did_you_mean("zebra", ["targets", "select"]) == ""


def test_the_suggestion_reads_as_the_end_of_a_sentence() -> None:
    assert did_you_mean("selct", ["select"]) == "; did you mean `select`?"


def test_the_order_of_the_words_does_not_change_the_answer() -> None:
    words = ["sm_121", "sm_120", "sm_12"]
    assert nearest("sm_122", words) == nearest("sm_122", list(reversed(words)))
