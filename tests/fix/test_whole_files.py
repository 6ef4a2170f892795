"""A table is extended in files of every encoding, line end and layout, and no byte outside the new entry changes."""

from __future__ import annotations

import codecs
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hwlint.fix.add_entry import add_entry
from hwlint.fix.losses import lost_comments
from hwlint.fix.replace import NotReplaced, Replaced, obstacle, replace_text
from hwlint.fix.splice import LINE_END, splice
from hwlint.model.finding import Fix
from hwlint.model.report import Failure
from hwlint.source.read import Text, read
from tests.fix.samples import table_problem

WORDS = {
    "utf-8": "größe 大小 😀\u2028\x85",
    "utf-8-sig": "é😀",
    "latin-1": "größe\x85",
    "cp1252": "größe €",
    "koi8-r": "размер",
    "shift_jis": "大きさ",
    "gb18030": "大小😀",
    "euc-kr": "크기",
    "iso2022_jp": "大きさ",
}
"""What comments and texts hold, by encoding; characters that only look like line ends are among it."""


@st.composite
def modules(draw: st.DrawFn) -> tuple[bytes, str]:
    """Draw a module that holds a table `T` of 9 and 10: its bytes, and its text."""
    encoding = draw(st.sampled_from(sorted(WORDS)))
    word = draw(st.sampled_from(["plain", WORDS[encoding]]))
    end = draw(st.sampled_from(["\n", "\r\n", "\r"] if encoding.startswith("utf-8") else ["\n", "\r\n"]))
    indent = draw(st.sampled_from(["    ", "\t", "  ", " \t"]))
    comma = draw(st.sampled_from(["", ","]))
    comment = draw(st.sampled_from(["", f"  # {word}", f" # {word}  "]))
    value = draw(st.sampled_from(["1", f"'{word[:2]}'", "(1, 2)", "{2: 3}", f'"""a{word[:2]}"""']))
    if draw(st.booleans()):
        table = f"{{9: {value}, 10: {value}{comma}}}{comment}"
    else:
        own = [f"{indent}# {word}"] if draw(st.booleans()) else []
        entries = [f"{indent}9: {value},{comment}", *own, f"{indent}10: {value}{comma}{comment}"]
        table = end.join([f"{{{comment}", *entries, "}"])
    codec = "utf-8" if encoding == "utf-8-sig" else encoding
    head = "" if codec == "utf-8" else f"# -*- coding: {codec} -*-{end}"
    before = draw(st.sampled_from(["", f"\x0c{end}", f"# {word}{end}{end}", f"'''{word}{end}'''{end}"]))
    after = draw(st.sampled_from(["", end, f"{end}\x0c{end}U = '{word[:2]}'", f"{end}{end}# {word}{end}\t{end}"]))
    text = f"{head}{before}T = {table}{after}"
    return (codecs.BOM_UTF8 if encoding == "utf-8-sig" else b"") + text.encode(codec), text


def fix_for(text: str) -> Fix:
    (fix,) = add_entry(table_problem(text, {"sm_120": 12}))
    assert fix.edits, fix.reason
    return fix


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(modules())
def test_an_entry_is_added_and_every_other_byte_stays(tmp_path: Path, drawn: tuple[bytes, str]) -> None:
    data, text = drawn
    (tmp_path / "mod.py").write_bytes(data)
    original = read(tmp_path, "mod.py")
    assert isinstance(original, Text), original
    assert original.text == text
    fix = fix_for(text)
    new = splice(text, fix.edits)
    assert isinstance(new, str), new
    assert replace_text(tmp_path, original, new) == Replaced("mod.py")
    written = (tmp_path / "mod.py").read_bytes()
    assert _without(written, [edit.text.encode(original.encoding) for edit in fix.edits]) == data
    assert lost_comments(text, fix.edits) == ()
    before = _run(data)["T"]
    assert _run(written)["T"] == {**before, 12: before[10]}
    for sign in ("\r", "\n") if LINE_END.search(text) else ():
        assert (sign in new.replace("\r\n", "")) == (sign in text.replace("\r\n", "")), "a line end of another kind"


def _without(data: bytes, pieces: list[bytes]) -> bytes:
    """Return the bytes without what the edits put in, each at its only place, or the last where it has several."""
    for piece in sorted(pieces, key=len, reverse=True):
        assert piece in data
        head, _, tail = data.rpartition(piece)
        data = head + tail
    return data


def _run(data: bytes) -> dict[str, dict[int, object]]:
    names: dict[str, dict[int, object]] = {}
    exec(compile(data, "mod.py", "exec"), names)  # noqa: S102 - the tables drawn above
    return names


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-32"])
def test_what_python_does_not_read_as_source_is_a_failure_and_stays(encoding: str, tmp_path: Path) -> None:
    data = "T = {9: 1, 10: 2}\n".encode(encoding)
    (tmp_path / "mod.py").write_bytes(data)
    assert isinstance(read(tmp_path, "mod.py"), Failure)
    assert (tmp_path / "mod.py").read_bytes() == data


@pytest.mark.parametrize(
    ("encoding", "inside"),
    [("cp932", b"\x87\x90"), ("iso2022_jp", b"\x1b$B\x1b$BBg\x1b(B"), ("utf-7", b"+AGE-")],
)
def test_a_file_whose_encoding_would_write_it_otherwise_is_left_alone(
    encoding: str, inside: bytes, tmp_path: Path
) -> None:
    data = b"# coding: " + encoding.encode() + b"\nT = {9: 1, 10: 2}  # " + inside + b"\n"
    (tmp_path / "mod.py").write_bytes(data)
    original = read(tmp_path, "mod.py")
    assert isinstance(original, Text), original
    assert original.to_bytes() != data, "the sample is written back as it was; it says nothing"
    refused = obstacle(tmp_path, original, original.text.replace("10: 2", "10: 2, 12: 2"))
    assert isinstance(refused, NotReplaced)
    assert "in other bytes than it has them" in refused.reason
    assert isinstance(replace_text(tmp_path, original, "x = 1\n"), NotReplaced)
    assert (tmp_path / "mod.py").read_bytes() == data
