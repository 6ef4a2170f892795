"""How modules are parsed, and what is kept of those that the interpreter cannot read whole."""

from __future__ import annotations

import ast
import sys
import warnings

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hwlint.model.report import Failure
from hwlint.source import recover
from hwlint.source.lines import split_lines
from hwlint.source.parse import Parsed, parse
from hwlint.source.read import Text

NEWEST_SYNTAX = "lazy import json\n"
"""Something that LibCST reads and that no interpreter hwlint is tested on does."""
HAS_TYPE_PARAMETERS = sys.version_info >= (3, 12)


def _parse(source: str) -> Parsed | Failure:
    return parse(Text("a.py", source, "utf-8", bom=False, digest=""))


def _parsed(source: str) -> Parsed:
    found = _parse(source)
    assert isinstance(found, Parsed), found
    return found


def _failure(source: str) -> Failure:
    found = _parse(source)
    assert isinstance(found, Failure), found
    return found


def test_an_empty_file_parses() -> None:
    assert _parsed("").tree.body == []


def test_an_invalid_escape_warns_nobody() -> None:
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        _parsed("x = '\\d'\n")
    assert seen == []


def test_a_syntax_error_is_a_failure_with_its_line() -> None:
    found = _failure("x = 1\ny = = 2\n")
    assert (found.path, found.line) == ("a.py", 2)
    assert "syntax error" in found.message


@pytest.mark.parametrize("source", ["f() = 1\n", "if True:\nx = 1\n", "del f()\n"])
def test_what_no_python_reads_is_not_called_newer(source: str) -> None:
    assert "syntax error" in _failure(source).message


@pytest.mark.parametrize(
    "source",
    ["print 'a'\n", "print x\n", "exec 'a'\n", "x = 1\nraise ValueError, 'a'\n", "x = 0777\n", "a <> b\n",
     "x = ur'a'\n", "try:\n    pass\nexcept ValueError, e:\n    pass\n", "x = `1`\nprint 'late'\n"],
)  # fmt: skip
def test_python_2_is_called_by_its_name(source: str) -> None:
    assert "Python 2" in _failure(source).message


@pytest.mark.parametrize(
    "source",
    [
        "(" * 5000 + "1" + ")" * 5000,
        "-" * 100_000 + "1",
        "x" + ".a" * 100_000,
        "if 1:\n  pass\n" + "elif 1:\n  pass\n" * 20_000,
        "".join(" " * depth + "if 1:\n" for depth in range(200)) + " " * 200 + "pass",
        "lazy import a\n" + "-" * 100_000 + "1\n",
        "x = '\ud800'",
    ],
    ids=["parentheses", "signs", "attributes", "branches", "indents", "newer and deep", "surrogate"],
)
def test_extreme_input_is_a_failure_and_not_the_end_of_the_process(source: str) -> None:
    assert _failure(source).line >= 1


def test_statements_in_newer_syntax_are_skipped_and_the_others_keep_their_lines() -> None:
    found = _parsed(f"# a comment\n\nA = {{9: 1}}\n{NEWEST_SYNTAX}@a\n@b\ndef f():\n    return A[9]\n")
    assert [(each.line, each.end_line) for each in found.skipped] == [(4, 4)]
    assert "syntax newer than Python" in found.skipped[0].reason
    function = found.tree.body[1]
    assert isinstance(function, ast.FunctionDef)
    assert (found.tree.body[0].lineno, function.lineno, function.body[0].lineno) == (3, 7, 8)
    assert function.decorator_list[0].lineno == 5


def test_newer_syntax_keeps_its_lines_behind_every_kind_of_line_end() -> None:
    found = _parsed("a = 1\r\n\x0c\rb = '''\n'''\r" + NEWEST_SYNTAX + "\x0cc = 3\n")
    assert [statement.lineno for statement in found.tree.body] == [1, 3, 6]


@pytest.mark.skipif(HAS_TYPE_PARAMETERS, reason="this interpreter reads type parameters")
def test_type_parameters_are_newer_than_this_interpreter() -> None:
    found = _parsed("type X = int\n\nclass A[T]:\n    pass\n\nB = f'{d['a']}'\nC = 1\n")
    assert [each.line for each in found.skipped] == [1, 3, 6]
    assert [ast.unparse(each) for each in found.tree.body] == ["C = 1"]


def test_a_child_that_takes_too_long_leaves_a_syntax_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recover, "MAX_SECONDS", 0.001)
    assert "syntax error" in _failure(NEWEST_SYNTAX).message


@given(st.text(alphabet="ab\n\r\x0b\x0c\x1c\x85\u2028 é", max_size=40))
def test_lines_are_cut_where_the_parser_cuts_them(text: str) -> None:
    lines = split_lines(text)
    assert "".join(lines) == text
    assert len(lines) == len(text.encode().splitlines())  # bytes are cut at \n, \r\n and \r only
