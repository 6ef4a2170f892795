"""How bytes become text, and what becomes a failure instead."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hwlint.model.report import Failure
from hwlint.source import read as module
from hwlint.source.read import Text, decode, read, read_bytes


def _text(data: bytes) -> Text:
    found = decode("a.py", data)
    assert isinstance(found, Text), found
    return found


def _failure(data: bytes) -> Failure:
    found = decode("a.py", data)
    assert isinstance(found, Failure), found
    return found


def test_line_ends_stay_as_they_are() -> None:
    assert _text(b"a\r\nb\rc\n\x0cd").text == "a\r\nb\rc\n\x0cd"


def test_an_empty_file_is_an_empty_text() -> None:
    assert _text(b"").text == ""


def test_a_byte_order_mark_is_noted_and_taken_off() -> None:
    found = _text(b"\xef\xbb\xbfx = '\xc3\xa9'\n")
    assert (found.text, found.encoding, found.bom) == ("x = 'é'\n", "utf-8", True)
    assert found.to_bytes() == b"\xef\xbb\xbfx = '\xc3\xa9'\n"


@pytest.mark.parametrize("comment", [b"# -*- coding: latin-1 -*-\n", b"#!/bin/sh\n# vim: set fileencoding=latin-1 :\n"])
def test_a_coding_comment_in_the_first_two_lines_decides(comment: bytes) -> None:
    found = _text(comment + b"x = '\xe9'\n")
    assert found.text.endswith("x = 'é'\n")
    assert found.encoding == "iso-8859-1"
    assert found.to_bytes() == comment + b"x = '\xe9'\n"


@pytest.mark.parametrize(
    ("data", "line", "words"),
    [
        (b"a\nb\nx = '\xe9'\n", 3, "not UTF-8"),
        (b"a\r\rx = '\xe9'\n", 3, "not UTF-8"),
        (b"\n\n# coding: latin-1\nx = '\xe9'\n", 4, "not UTF-8"),
        (b"a\n\0\n", 2, "NUL"),
        ("x = 1\n".encode("utf-16"), 1, "UTF-16"),
        (b"# coding: klingon\n", 1, "unknown encoding"),
        (b"# coding: rot13\n", 1, "rot13"),
        (b"# coding: zlib\n", 1, "zlib"),
        (b"# coding: undefined\n", 1, "undefined"),
        (b"# coding: utf-16\n", 1, "utf-16"),
        (b"# coding: utf-7\n+2AA-", 1, "surrogates"),
        (b"\xef\xbb\xbf# coding: latin-1\n", 1, "encoding"),
    ],
)
def test_what_cannot_be_decoded_is_a_failure_with_its_line(data: bytes, line: int, words: str) -> None:
    found = _failure(data)
    assert found.line == line
    assert words in found.message


@given(st.binary(max_size=200))
def test_any_bytes_give_a_text_or_a_failure(data: bytes) -> None:
    found = decode("a.py", data)
    assert isinstance(found, Text | Failure)


@given(st.text(alphabet=st.characters(exclude_characters="\0", exclude_categories=["Cs"])), st.booleans())
def test_utf_8_survives_decoding_and_encoding(text: str, bom: bool) -> None:  # noqa: FBT001 (hypothesis passes it)
    data = (b"\xef\xbb\xbf" if bom else b"") + text.encode()
    found = decode("a.py", data)
    if isinstance(found, Text):
        assert found.to_bytes() == data
    else:
        assert "coding" in text


def test_the_digest_stands_for_the_bytes() -> None:
    assert _text(b"a").digest == _text(b"a").digest
    assert _text(b"a").digest != _text(b"\xef\xbb\xbfa").digest


def test_reading_gives_the_text_under_its_relative_path(tmp_path: Path) -> None:
    (tmp_path / "pkg").mkdir()
    (tmp_path / "pkg/a.py").write_bytes(b"x = 1\r\n")
    found = read(tmp_path, "pkg/a.py")
    assert isinstance(found, Text)
    assert (found.path, found.text) == ("pkg/a.py", "x = 1\r\n")


def test_what_is_no_regular_file_never_blocks_and_says_what_it_is(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.py")
    (tmp_path / "folder.py").mkdir()
    (tmp_path / "link.py").symlink_to("/etc/hostname")
    messages = {name: read(tmp_path, name) for name in ("pipe.py", "folder.py", "link.py", "gone.py", "a\0.py")}
    words = ("named pipe", "directory", "symbolic link", "no such file", "not a usable file name")
    for (name, found), word in zip(messages.items(), words, strict=True):
        assert isinstance(found, Failure)
        assert found.path == name
        assert word in found.message


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="needs a device that never ends")
def test_a_device_is_not_read() -> None:
    found = read_bytes("/dev/zero")
    assert isinstance(found, Failure)
    assert "device" in found.message


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="the superuser may read everything")
def test_a_file_without_permission_is_a_failure(tmp_path: Path) -> None:
    (tmp_path / "a.py").touch(mode=0)
    found = read(tmp_path, "a.py")
    assert isinstance(found, Failure)
    assert found.message == "permission denied"


def test_a_file_over_the_limit_is_not_read_and_one_at_the_limit_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MAX_BYTES", 1000)
    (tmp_path / "fits.py").write_bytes(b"#" * 1000)
    (tmp_path / "over.py").write_bytes(b"#" * 1001)
    assert isinstance(read(tmp_path, "fits.py"), Text)
    found = read(tmp_path, "over.py")
    assert isinstance(found, Failure)
    assert "larger" in found.message


def test_twenty_megabytes_are_read_whole(tmp_path: Path) -> None:
    data = b"x = 1\n" * (20 * 1024 * 1024 // 6)
    (tmp_path / "a.py").write_bytes(data)
    assert read_bytes(str(tmp_path / "a.py")) == data
