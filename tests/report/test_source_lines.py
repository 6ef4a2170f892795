"""Lines and UTF-16 columns of project files."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from hwlint.report.source_lines import SourceLines


@given(st.text(st.characters(exclude_characters="\r\n", exclude_categories=["Cs"])), st.data())
def test_a_column_counts_the_utf16_units_before_it(text: str, data: st.DataObject) -> None:
    column = data.draw(st.integers(1, len(text) + 1))
    expected = len(text[: column - 1].encode("utf-16-le")) // 2 + 1
    assert expected == SourceLines(lambda _: text).utf16_column("a.py", 1, column)


def test_lines_end_where_python_ends_them() -> None:
    lines = SourceLines(lambda _: "a\r\nb\rc\nd\x0ce\u2028f")
    assert lines.lines("a.py") == ["a", "b", "c", "d\x0ce\u2028f"]


def test_a_file_is_read_once() -> None:
    asked: list[str] = []

    def read(path: str) -> str:
        asked.append(path)
        return "x"

    lines = SourceLines(read)
    lines.line("a.py", 1)
    lines.utf16_column("a.py", 1, 1)
    lines.text("a.py")
    assert asked == ["a.py"]


def test_a_missing_file_has_no_lines_and_keeps_its_columns() -> None:
    lines = SourceLines(lambda _: None)
    assert lines.line("a.py", 1) is None
    assert lines.utf16_column("a.py", 1, 7) == 7
    assert lines.utf16_line_end("a.py", 1) is None
