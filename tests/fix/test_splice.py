"""Edits change what they say and nothing else."""

from __future__ import annotations

import codecs

from hypothesis import given
from hypothesis import strategies as st

from hwlint.fix.splice import Lines, SpliceFailure, clashes, splice
from hwlint.model.finding import Edit
from hwlint.model.span import Span
from hwlint.source.read import Text, decode

ENCODINGS = ("utf-8", "latin-1", "cp1252", "utf-8-sig", "koi8-r")
texts = st.text(st.sampled_from("ab =\t\r\n\f\v\x1c\x85\u2028é😀{},:#'"), max_size=60)


@st.composite
def texts_with_edits(draw: st.DrawFn) -> tuple[str, list[tuple[int, int, str]]]:
    """Draw a text and disjoint replacements, as offsets outside line endings."""
    text = draw(texts)
    places = [at for at in range(len(text) + 1) if text[at - 1 : at + 1] != "\r\n" or at == 0]
    cuts = sorted(draw(st.lists(st.sampled_from(places), max_size=6, unique=True)))
    edits = [
        (a, b, draw(st.sampled_from(["", "x", "new\n", "é😀"]))) for a, b in zip(cuts[::2], cuts[1::2], strict=False)
    ]
    return text, edits


def as_edits(text: str, edits: list[tuple[int, int, str]]) -> list[Edit]:
    lines = Lines(text)
    return [Edit(lines.span("m.py", start, end), new) for start, end, new in edits]


@given(texts)
def test_no_edits_give_the_same_text(text: str) -> None:
    assert splice(text, []) == text


@given(texts_with_edits())
def test_everything_outside_the_edits_stays(drawn: tuple[str, list[tuple[int, int, str]]]) -> None:
    text, edits = drawn
    expected, done = "", 0
    for start, end, new in edits:
        expected += text[done:start] + new
        done = end
    assert splice(text, as_edits(text, edits)) == expected + text[done:]


@given(texts_with_edits(), st.randoms())
def test_disjoint_edits_commute(drawn: tuple[str, list[tuple[int, int, str]]], random: object) -> None:
    text, edits = drawn
    placed = as_edits(text, edits)
    shuffled = list(placed)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert splice(text, placed) == splice(text, shuffled)


@given(texts, st.sampled_from(ENCODINGS), st.booleans())
def test_bytes_outside_an_insertion_stay_in_any_encoding(text: str, encoding: str, at_end: bool) -> None:  # noqa: FBT001
    body = text.replace("\v", "").encode(encoding, "ignore").decode(encoding)
    bom = encoding == "utf-8-sig"
    codec = "utf-8" if bom else encoding
    head = "" if codec == "utf-8" else f"# coding: {codec}\n"
    data = (codecs.BOM_UTF8 if bom else b"") + (head + body).encode(codec)
    read = decode("m.py", data)
    assert isinstance(read, Text)
    lines = Lines(read.text)
    where = len(read.text) if at_end else len(head)
    changed = splice(read.text, [Edit(lines.span("m.py", where, where), "x = 1")])
    assert isinstance(changed, str)
    cut = (3 if bom else 0) + len(read.text[:where].encode(codec))
    assert read.to_bytes(changed) == data[:cut] + b"x = 1" + data[cut:]


def test_columns_count_code_points_and_lines_end_only_where_python_ends_them() -> None:
    text = "a\x0cb\x85\u2028😀é = 1\r\nc"
    assert splice(text, [Edit(Span("m.py", 1, 6, 1, 7), "X")]) == "a\x0cb\x85\u2028X" + "é = 1\r\nc"
    assert splice(text, [Edit(Span("m.py", 2, 1, 2, 2), "d")]) == "a\x0cb\x85\u2028😀é = 1\r\nd"


def test_a_span_outside_the_text_is_a_failure_that_names_its_edit() -> None:
    for span in (Span("m", 1, 4, 1, 4), Span("m", 3, 1, 3, 1), Span("m", 1, 3, 1, 2), Span("m", 0, 1, 1, 1)):
        edit = Edit(span, "x")
        assert splice("ab\nc", [edit]) == SpliceFailure("the span does not lie in the text", edit)


def test_overlapping_edits_are_a_failure() -> None:
    first, second = Edit(Span("m", 1, 1, 1, 3), "x"), Edit(Span("m", 1, 2, 1, 4), "y")
    assert isinstance(splice("abcd", [first, second]), SpliceFailure)
    assert clashes([first], [second])


def test_two_insertions_at_one_place_are_a_failure_and_the_same_one_twice_is_not() -> None:
    here = Span("m", 1, 2, 1, 2)
    assert isinstance(splice("ab", [Edit(here, "x"), Edit(here, "y")]), SpliceFailure)
    assert splice("ab", [Edit(here, "x"), Edit(here, "x")]) == "axb"


def test_an_insertion_may_touch_a_replacement() -> None:
    insertion, replacement = Edit(Span("m", 1, 3, 1, 3), "i"), Edit(Span("m", 1, 1, 1, 3), "r")
    assert splice("abcd", [insertion, replacement]) == "ricd"
    assert not clashes([insertion], [replacement])


def test_edits_of_different_files_do_not_clash() -> None:
    assert not clashes([Edit(Span("a", 1, 1, 1, 2), "x")], [Edit(Span("b", 1, 1, 1, 2), "y")])
