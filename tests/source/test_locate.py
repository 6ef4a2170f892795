"""Where syntax nodes stand in the text."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hwlint.model.span import Span
from hwlint.source.locate import column, segment, span, statement_lines, text_at
from hwlint.source.parse import Parsed, parse
from hwlint.source.read import Text


def _parsed(source: str) -> Parsed:
    found = parse(Text("a.py", source, "utf-8", bom=False, digest=""))
    assert isinstance(found, Parsed), found
    return found


def _find(parsed: Parsed, kind: type[ast.AST]) -> ast.AST:
    return next(node for node in ast.walk(parsed.tree) if isinstance(node, kind))


def test_columns_count_code_points_from_one() -> None:
    parsed = _parsed("x = '😀é' + T[k]\n")
    node = _find(parsed, ast.Subscript)
    assert span(parsed, node) == Span("a.py", 1, 12, 1, 16)
    assert segment(parsed, node) == "T[k]"


def test_a_node_over_several_lines_keeps_its_line_ends() -> None:
    parsed = _parsed("x = {\r\n  9: 'ä',\r\n}\r\n")
    node = _find(parsed, ast.Dict)
    assert span(parsed, node) == Span("a.py", 1, 5, 3, 2)
    assert segment(parsed, node) == "{\r\n  9: 'ä',\r\n}"


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("odd", ["\x0b", "\x0c", "\x1c", "\x85", "\u2028"])
def test_characters_that_end_no_line_for_the_parser_end_none_here(odd: str, end: str) -> None:
    parsed = _parsed(f"a = '''{odd}{end}{odd}'''{end}b = '{odd}', T[k]{end}")
    node = _find(parsed, ast.Subscript)
    assert span(parsed, node) == Span("a.py", 3, 10, 3, 14)
    assert segment(parsed, node) == "T[k]"


def test_a_form_feed_before_a_statement_counts_as_a_character() -> None:
    parsed = _parsed("a = 1\n\x0cT[k]\n")
    node = _find(parsed, ast.Subscript)
    assert span(parsed, node) == Span("a.py", 2, 2, 2, 6)
    assert segment(parsed, node) == "T[k]"


@pytest.mark.parametrize(
    "source", ['f"é{T[k]}"', 'f"""é\nä {T[k]}"""', '("é" f"x"\n  f"é{T[k]!r:>{w}}")', 'f"{T[k]=}"']
)
def test_expressions_inside_f_strings_are_found_in_place(source: str) -> None:
    parsed = _parsed(source)
    assert segment(parsed, _find(parsed, ast.Subscript)) == "T[k]"


def test_a_node_without_a_place_is_the_first_character() -> None:
    parsed = _parsed("x = 1\n")
    assert span(parsed, parsed.tree) == Span("a.py", 1, 1, 1, 1)
    assert segment(parsed, ast.Load()) == ""


def test_an_offset_beyond_the_line_is_clamped() -> None:
    parsed = _parsed("é = 1\n")
    assert column(parsed, 1, 999) == 7
    assert column(parsed, 99, 3) == 1


WORDS = st.text(alphabet=st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\\'\"{}"), max_size=8)
ENDS = st.sampled_from(["\n", "\r\n", "\r"])


@given(st.lists(st.tuples(WORDS, WORDS, ENDS), min_size=1, max_size=5))
def test_every_name_is_found_again_in_any_unicode(parts: list[tuple[str, str, str]]) -> None:
    source = "".join(
        f"f('{one}', name_{n}, '''{two}{end}\u2028\x0c''', other)  # {one}{end}"
        for n, (one, two, end) in enumerate(parts)
    )
    parsed = _parsed(source)
    names = [node for node in ast.walk(parsed.tree) if isinstance(node, ast.Name)]
    assert [segment(parsed, name) for name in names] == [name.id for name in names]
    for call in (node for node in ast.walk(parsed.tree) if isinstance(node, ast.Call)):
        assert segment(parsed, call).startswith("f('")
        assert segment(parsed, call).endswith("''', other)")
        assert text_at(parsed, span(parsed, call)) == segment(parsed, call)


def test_statement_lines_name_the_innermost_statement() -> None:
    source = """\
@dec(
    1
)
def f(
    a,
):
    x = (
        a
    )
    if (x
        and a):
        return [
            a]
"""
    firsts = {1: 1, 2: 1, 3: 1, 4: 1, 5: 1, 6: 1, 7: 7, 8: 7, 9: 7, 10: 10, 11: 10, 12: 12, 13: 12}
    assert statement_lines(_parsed(source)) == firsts


def test_statement_lines_reach_into_handlers_and_cases() -> None:
    parsed = _parsed("try:\n    a\nexcept E:\n    b = (\n  1)\nmatch x:\n    case 1:\n        c(\n)\n")
    lines = statement_lines(parsed)
    assert (lines[5], lines[9]) == (4, 8)
