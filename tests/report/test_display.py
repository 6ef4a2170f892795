"""Foreign text on a terminal: safe, measured, cropped."""

from __future__ import annotations

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from hwlint.report.display import cells, lay_out, printable

ANY_TEXT = st.text(st.characters(codec=None, exclude_categories=()), max_size=80)


@given(ANY_TEXT)
def test_printable_text_holds_no_control_and_no_surrogate(text: str) -> None:
    assert not {unicodedata.category(char) for char in printable(text)} & {"Cc", "Cf", "Cs", "Zl", "Zp"}


@given(st.text(st.characters(categories=["L", "N", "P"])))
def test_printable_leaves_ordinary_text_alone(text: str) -> None:
    assert text == printable(text)


@given(ANY_TEXT, st.integers(-3, 90), st.integers(-3, 90), st.integers(20, 60))
def test_a_laid_out_line_fits_and_its_marks_lie_within_it(text: str, column: int, end: int, width: int) -> None:
    laid = lay_out(text, column, end, width)
    assert cells(laid.text) <= width
    assert 0 <= laid.start < laid.end
    assert laid.end <= cells(laid.text) + 1


def test_tabs_go_to_the_next_multiple_of_four() -> None:
    assert lay_out("\tab\tc", 5, 6, 80).text == "    ab  c"
    assert lay_out("\tab\tc", 5, 6, 80).start == 8


def test_wide_characters_take_two_cells_and_marks_none() -> None:
    assert cells("日本") == 4
    assert cells("e\u0301") == 1
