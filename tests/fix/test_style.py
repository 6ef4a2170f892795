"""A new entry looks like its neighbours, and everything else stays."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hwlint.fix.layout import Addition
from hwlint.fix.read_table import read_table
from hwlint.fix.style import Added, NotAdded, add_entries
from hwlint.fix.table import Table, Unreadable

NEW = ("12", "two")


def added(text: str, *additions: tuple[str, ...], inner: tuple[str, ...] = ()) -> str:
    """Return `text` with entries added to the table that stands between « and »; each is key, value, comment."""
    start, end = text.index("«"), text.index("»") - 1
    clean = text.replace("«", "").replace("»", "")
    table = read_table(clean, start, end, inner)
    assert isinstance(table, Table), table
    result = add_entries(table, [Addition(*addition) for addition in additions or (NEW,)])
    assert isinstance(result, Added), result
    for edit in sorted(result.edits, key=lambda one: -one.start):
        clean = clean[: edit.start] + edit.text + clean[edit.end :]
    return clean


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("T = «{9: one, 10: two}»\n", "T = {9: one, 10: two, 12: two}\n"),
        ("T = «{9: one, 10: two,}»\n", "T = {9: one, 10: two, 12: two,}\n"),
        ("T = «{9:one,10:two}»\n", "T = {9:one,10:two,12:two}\n"),
        ("T = «{\n    9: one,\n    10: two,\n}»\n", "T = {\n    9: one,\n    10: two,\n    12: two,\n}\n"),
        ("T = «{\n    9: one,\n    10: two\n}»\n", "T = {\n    9: one,\n    10: two,\n    12: two\n}\n"),
        ("T = «{\r\n\t9: one,\r\n\t10: two,\r\n}»", "T = {\r\n\t9: one,\r\n\t10: two,\r\n\t12: two,\r\n}"),
        ("T = «{\r9: one,\r10: two,\r}»\r", "T = {\r9: one,\r10: two,\r12: two,\r}\r"),
        ("T = «{9: one,\n     10: two}»\n", "T = {9: one,\n     10: two,\n     12: two}\n"),
        ("\x0cT = «{\n\x0c  9: one,\n  10: two,\n}»", "\x0cT = {\n\x0c  9: one,\n  10: two,\n  12: two,\n}"),
    ],
)
def test_a_dict_keeps_its_lines_indentation_and_commas(before: str, after: str) -> None:
    assert added(before) == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("T = «[9, 10]»", "T = [9, 10, 12]"),
        ("T = «(9, 10)»", "T = (9, 10, 12)"),
        ("T = «(9,)»", "T = (9, 12)"),
        ("T = «9, 10»\n", "T = 9, 10, 12\n"),
        ("T = «{9, 10}»", "T = {9, 10, 12}"),
        ("T = «frozenset({9, 10})»", "T = frozenset({9, 10, 12})"),
        ("T = «set([9, 10])»", "T = set([9, 10, 12])"),
        ("T = «{x for x in (9, 10)}»", "T = {x for x in (9, 10, 12)}"),
        ("T = «dict.fromkeys([9, 10], 1)»", "T = dict.fromkeys([9, 10, 12], 1)"),
        ("T = «{k: 2 * k for k in [9, 10] if k}»", "T = {k: 2 * k for k in [9, 10, 12] if k}"),
        ("T = «[\n  8, 9,\n  10,\n]»", "T = [\n  8, 9,\n  10, 12,\n]"),
        ("T = 9, \\\n  «9, \\\n  10»\n", "T = 9, \\\n  9, \\\n  10, 12\n"),
    ],
)
def test_lists_tuples_and_sets_of_every_make_are_extended(before: str, after: str) -> None:
    assert added(before, ("12", "")) == after


@pytest.mark.parametrize(
    ("before", "addition", "after"),
    [
        ("T = «dict(sm_90=1, sm_100=2)»", ("sm_120", "2"), "T = dict(sm_90=1, sm_100=2, sm_120=2)"),
        ("T = «dict([(9, 'a'), (10, 'b')])»", ("12", "'b'"), "T = dict([(9, 'a'), (10, 'b'), (12, 'b')])"),
        (
            "T = «{k: v for k, v in ((9, 1), (10, 2))}»",
            ("12", "2"),
            "T = {k: v for k, v in ((9, 1), (10, 2), (12, 2))}",
        ),
        ("T = «'8.0;9.0'.split(';')»", ("12.0", ""), "T = '8.0;9.0;12.0'.split(';')"),
        ("T = «'8.0 9.0 10.0'»", ("12.0", ""), "T = '8.0 9.0 10.0 12.0'"),
    ],
)
def test_tables_made_by_calls_pairs_and_texts_are_extended(before: str, addition: tuple[str, ...], after: str) -> None:
    assert added(before, addition) == after


def test_a_nested_table_is_reached_by_its_path() -> None:
    text = "T = «{'a': {9: one}, 'b': {9: one, 10: two}}»"
    assert added(text, inner=("'b'",)) == "T = {'a': {9: one}, 'b': {9: one, 10: two, 12: two}}"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "T = «{\n    80:   80,\n    100: 100,\n}»",
            "T = {\n    80:   80,\n    100: 100,\n    120: 100,\n}",
        ),
        (
            "T = «{\n    8:   1,\n    100: 2222,\n}»",
            "T = {\n    8:   1,\n    100: 2222,\n    120: 100,\n}",
        ),
        (
            "T = «{\n    8  : 1,\n    100: 2222,\n}»",
            "T = {\n    8  : 1,\n    100: 2222,\n    120: 100,\n}",
        ),
    ],
)
def test_alignment_of_values_and_colons_goes_on(before: str, after: str) -> None:
    assert added(before, ("120", "100")) == after


def test_comments_stay_where_they_are_and_the_new_one_lines_up() -> None:
    before = "T = «{\n    # by hand\n    9: 1,      # H100\n    10: 22,    # B200\n    # later\n}»"
    after = "T = {\n    # by hand\n    9: 1,      # H100\n    10: 22,    # B200\n    12: 22,    # new\n    # later\n}"
    assert added(before, ("12", "22", "new")) == after


def test_a_comma_goes_before_the_comment_of_the_last_entry() -> None:
    before = "T = «{\n    9: 1,\n    10: 2  # B200\n}»"
    assert added(before, ("12", "2", "new")) == "T = {\n    9: 1,\n    10: 2,  # B200\n    12: 2  # new\n}"


def test_the_comment_of_a_value_over_several_lines_stands_on_its_first() -> None:
    before = "T = «{\n    10: {\n        2: 64,  # MiB\n    },\n}»"
    after = "T = {\n    10: {\n        2: 64,  # MiB\n    },\n    12: {  # new\n        2: 64,  # MiB\n    },\n}"
    assert added(before, ("12", "{\n        2: 64,  # MiB\n    }", "new")) == after


def test_keys_without_numbers_are_in_order_only_where_there_are_many() -> None:
    assert added("«{H: 1, B: 2}»", ("A", "3", "")) == "{H: 1, B: 2, A: 3}"
    assert added("«{B: 1, H: 2}»", ("A", "3", "")) == "{B: 1, H: 2, A: 3}"
    assert added("«{B: 1, H: 2, T: 4, V: 5}»", ("A", "3", "")) == "{A: 3, B: 1, H: 2, T: 4, V: 5}"
    assert added("«{sm_90: 1, sm_120: 2}»", ("sm_100", "3", "")) == "{sm_90: 1, sm_100: 3, sm_120: 2}"


def test_a_one_line_table_gets_its_comment_at_the_end_of_the_line() -> None:
    assert added("if x in «(9, 10)»:\n", ("12", "", "new")) == "if x in (9, 10, 12):  # 12 new\n"
    assert added("x = f(«(9, 10)», 'y')\n", ("12", "", "new")) == "# 12 new\nx = f((9, 10, 12), 'y')\n"
    assert added("x = «(9, 10)»  # old\n", ("12", "", "new")) == "# 12 new\nx = (9, 10, 12)  # old\n"


def test_a_sorted_table_stays_sorted_and_others_grow_at_the_end() -> None:
    assert added("T = «{8: a, 10: b, 12: c}»", ("9", "x"), ("11", "y")) == "T = {8: a, 9: x, 10: b, 11: y, 12: c}"
    assert added("T = «{12: c, 10: b}»", ("11", "y"), ("9", "x")) == "T = {12: c, 11: y, 10: b, 9: x}"
    assert added("T = «{10: b, 8: a, 9: c}»", ("12", "y"), ("11", "x")) == "T = {10: b, 8: a, 9: c, 12: y, 11: x}"
    assert added('T = «["sm_90", "sm_100"]»', ('"sm_120"', ""), ('"sm_89"', "")) == (
        'T = ["sm_89", "sm_90", "sm_100", "sm_120"]'
    )


def test_a_comment_above_the_first_entry_is_not_taken_over_by_a_new_first_entry() -> None:
    text = "{\n    # Hopper\n    9: 1,\n}"
    table = read_table(text, 0, len(text))
    assert isinstance(table, Table)
    result = add_entries(table, [Addition("8", "1")])
    assert isinstance(result, Added)
    assert result.edits[0].text == "\n    8: 1,"
    assert result.edits[0].start == 1
    assert result.notes == ("The comment above the first entry stays with that entry, below the new one.",)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("BASE", "its entries come from `BASE`, which is defined elsewhere"),
        ("load()", "it is made by a call of `load`"),
        ("A | {9: 1}", "it is computed, not written out"),
        ("{f(k): 1 for k in (9, 10)}", "its comprehension computes the keys"),
        ("{9: 1", "its text is not one expression"),
    ],
)
def test_a_table_that_is_not_written_out_says_why(text: str, reason: str) -> None:
    assert read_table(text, 0, len(text)) == Unreadable(reason)


def test_an_empty_table_has_no_style_to_follow() -> None:
    table = read_table("{}", 0, 2)
    assert isinstance(table, Table)
    assert isinstance(add_entries(table, [Addition("12", "1")]), NotAdded)


@st.composite
def dict_texts(draw: st.DrawFn) -> str:
    """Draw a dict display with int keys, in any layout."""
    keys = draw(st.lists(st.integers(1, 11), min_size=1, max_size=4, unique=True))
    newline = draw(st.sampled_from(["\n", "\r\n"]))
    blank = st.sampled_from(
        ["", " ", "  ", newline, newline + "    ", "  # c" + newline + "\t", newline + "# é" + newline]
    )
    values = st.sampled_from(
        ["1", "f(x)", "[1, 2]", "{1: 2}", "'a, b'", '"""x' + newline + '"""', "(1," + newline + " 2)"]
    )
    parts = [draw(blank) + str(key) + ":" + draw(st.sampled_from(["", " ", "   "])) + draw(values) for key in keys]
    comma = draw(st.sampled_from(["", ","])) + draw(blank)
    return "{" + (draw(st.sampled_from(["", " "])) + ",").join(parts) + comma + "}"


@given(dict_texts(), st.integers(12, 14), st.sampled_from(["", "new"]))
def test_any_dict_grows_by_exactly_the_new_entry_and_loses_no_character(text: str, key: int, comment: str) -> None:
    source = f"T = {text}\n"
    table = read_table(source, 4, 4 + len(text))
    assert isinstance(table, Table)
    result = add_entries(table, [Addition(str(key), "'new'", comment)])
    assert isinstance(result, Added)
    changed = source
    for edit in sorted(result.edits, key=lambda one: -one.start):
        assert edit.start == edit.end
        changed = changed[: edit.start] + edit.text + changed[edit.end :]
    before, after = ast.parse(source).body[0], ast.parse(changed).body[0]
    assert isinstance(before, ast.Assign)
    assert isinstance(after, ast.Assign)
    assert isinstance(before.value, ast.Dict)
    assert isinstance(after.value, ast.Dict)
    old = [(ast.unparse(k), ast.unparse(v)) for k, v in zip(before.value.keys, before.value.values, strict=True) if k]
    new = [(ast.unparse(k), ast.unparse(v)) for k, v in zip(after.value.keys, after.value.values, strict=True) if k]
    assert sorted([*old, (str(key), "'new'")]) == sorted(new)
    assert changed.count("# c") == source.count("# c")
