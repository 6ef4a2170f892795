"""Which comments silence findings, and which only look like it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hwlint.model.span import Span
from hwlint.source.comments import Comments, Ignore, suppressions
from hwlint.source.read import Text


def _comments(source: str) -> Comments:
    return suppressions(Text("a.py", source, "utf-8", bom=False, digest=""))


@pytest.mark.parametrize(
    ("comment", "rules", "whole_file"),
    [
        ("# hwlint: ignore", (), False),
        ("#hwlint:ignore", (), False),
        ("#  hwlint :  ignore  ", (), False),
        ("# hwlint: ignore[HW101]", ("HW101",), False),
        ("# hwlint: ignore[HW101, HW102]", ("HW101", "HW102"), False),
        ("# hwlint: ignore [ hw101 ,HW102, ]", ("HW101", "HW102"), False),
        ("# hwlint: ignore[HW101,HW101]", ("HW101",), False),
        ("# hwlint: ignore[missing-key]", ("missing-key",), False),
        ("# hwlint: ignore[Missing-Key, HW102]", ("missing-key", "HW102"), False),
        ("# hwlint: ignore-file", (), True),
        ("# hwlint: ignore-file[HW101]", ("HW101",), True),
        ("# hwlint: ignore[HW101] the loader checks this", ("HW101",), False),
        ("# hwlint: ignore because the loader checks this", (), False),
        ("# noqa: E501  # hwlint: ignore[HW101]  # type: ignore", ("HW101",), False),
    ],
)
def test_a_comment_names_rules_or_silences_all(comment: str, rules: tuple[str, ...], whole_file: bool) -> None:  # noqa: FBT001
    found = _comments(f"x = 1  {comment}\n")
    assert [(each.rules, each.whole_file) for each in found.ignores] == [(rules, whole_file)]
    assert found.malformed == ()


@pytest.mark.parametrize(
    "comment",
    [
        "# hwlint:",
        "# hwlint: ignroe[HW101]",
        "# hwlint: ignore[]",
        "# hwlint: ignore[ , ]",
        "# hwlint: ignore[HW101 HW102]",
        "# hwlint: ignore[HW101,,HW102]",
        "# hwlint: ignore[HW101",
        "# hwlint: ignore HW101",
        "# hwlint: ignore: HW101",
        "# hwlint: ignore(HW101)",
        "# hwlint: ignore[101]",
        "# hwlint: disable",
    ],
)
def test_a_comment_that_says_nothing_understood_is_reported_and_silences_nothing(comment: str) -> None:
    found = _comments(f"x = 1  {comment}\n")
    assert found.ignores == ()
    assert [each.span.line for each in found.malformed] == [1]


@pytest.mark.parametrize(
    "source",
    [
        "x = '# hwlint: ignore'\n",
        '"""\n# hwlint: ignore\n"""\n',
        "x = 1  # see hwlint: ignore\n",
        "# about hwlint\n",
        "hwlint = 1\n",
    ],
)
def test_what_is_no_comment_to_hwlint_is_none(source: str) -> None:
    assert _comments(source) == Comments("a.py")


def test_a_comment_knows_its_place_in_code_points() -> None:
    found = _comments("y = 1\nx = '😀é'  # noqa # hwlint: ignore[HW101]  \n")
    assert found.ignores == (Ignore(Span("a.py", 2, 18, 2, 41), ("HW101",)),)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r", "\x0c\n"])
def test_lines_are_counted_as_the_parser_counts_them(end: str) -> None:
    found = _comments(f"a = 1{end}s = '\u2028'{end}# hwlint: ignore{end}")
    assert [each.span.line for each in found.ignores] == [3]


@pytest.mark.parametrize("rest", ["x = (\n", "'''\n", "  bad\n indent\n", "$ ?\n"])
def test_a_broken_file_gives_the_comments_before_the_fault(rest: str) -> None:
    assert len(_comments(f"# hwlint: ignore-file\n{rest}").ignores) == 1


@given(st.text(max_size=60))
def test_any_text_is_read_without_a_fault(text: str) -> None:
    found = _comments(f"# hwlint: {text}\n# hwlint: ignore\n")
    assert found.path == "a.py"
