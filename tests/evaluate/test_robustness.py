"""Whatever lies in a folder, a check comes to an end, says what it could not read, and invents nothing."""

from __future__ import annotations

import os
import sysconfig
import time
from pathlib import Path

import pytest

import hwlint
from hwlint.model.finding import Level
from hwlint.model.report import Report
from hwlint.workflow.check import check
from hwlint.workflow.settings import Settings

MENTION = "import torch\nT = {9: 1}\nx = T[torch.cuda.get_device_capability()[0]]\n"
"""A file that is looked at, with one finding."""


def checked(folder: Path) -> Report:
    return check([folder], Settings(root=folder, folders=(folder,)), jobs=1, use_cache=False)


def loud(report: Report) -> list[str]:
    """The errors and warnings of a report, but for what is said of files that cannot be read."""
    return [
        f"{found.span.path}:{found.span.line} {found.rule} {found.message}"
        for found in report.findings
        if found.level is not Level.NOTE and not found.rule.startswith("HW9")
    ]


def test_the_standard_library_has_no_errors_and_no_warnings() -> None:
    report = checked(Path(sysconfig.get_paths()["stdlib"]))
    assert [] == loud(report)
    assert report.summary.files > 500


def test_hwlint_itself_has_no_errors_and_no_warnings() -> None:
    report = checked(Path(hwlint.__file__).parent)
    assert [] == loud(report)
    assert () == report.failures


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("broken", b"def f(:\n    torch.cuda.get_device_capability(\n"),
        ("not_utf8", b"# -*- coding: utf-8 -*-\nx = '\xff\xfe get_device_capability'\n"),
        ("unknown_codec", b"# -*- coding: klingon -*-\nx = 'get_device_capability'\n"),
        ("nul", b"x = 1\x00 # get_device_capability\n"),
        ("parentheses", b"x = get_device_capability(" + b"(" * 5000 + b")" * 5000 + b")\n"),
        ("minus", b"import torch\ny = torch.cuda.get_device_capability()\nx = " + b"-" * 5000 + b"1\n"),
        (
            "indented",
            b"# get_device_capability\n" + b"".join(b" " * n + b"if x:\n" for n in range(150)) + b" " * 150 + b"y\n",
        ),
        ("python2", b"print 'get_device_capability'\n"),
    ],
)
def test_a_file_that_cannot_be_read_is_reported_and_the_rest_goes_on(tmp_path: Path, name: str, content: bytes) -> None:
    (tmp_path / f"{name}.py").write_bytes(content)
    (tmp_path / "sound.py").write_text(MENTION)
    report = checked(tmp_path)
    assert [f"{name}.py"] == [failure.path for failure in report.failures]
    assert any(found.rule == "HW101" and found.span.path == "sound.py" for found in report.findings)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("empty", b""),
        ("blank", b"\n\n   \n"),
        ("only_a_comment", b"# get_device_capability"),
        ("bom", b"\xef\xbb\xbf" + MENTION.encode()),
        ("latin1", b"# -*- coding: latin-1 -*-\n# caf\xe9\n" + MENTION.encode()),
        ("carriage_returns", MENTION.replace("\n", "\r\n").encode()),
        ("form_feed", MENTION.replace("\n", "\n\f").encode()),
        ("no_last_line_end", MENTION.rstrip().encode()),
    ],
)
def test_an_unusual_file_is_read(tmp_path: Path, name: str, content: bytes) -> None:
    (tmp_path / f"{name}.py").write_bytes(content)
    report = checked(tmp_path)
    assert () == report.failures
    assert (b"T[" in content) == any(found.rule == "HW101" for found in report.findings)


def test_an_enormous_file_is_checked_in_seconds(tmp_path: Path) -> None:
    lines = [f"V{index} = {{'a': [{index}, {index}], 'b': 'text {index}'}}" for index in range(10_000)]
    (tmp_path / "large.py").write_text("\n".join(lines) + "\n" + MENTION)
    began = time.monotonic()
    report = checked(tmp_path)
    assert time.monotonic() - began < 60
    assert any(found.rule == "HW101" for found in report.findings)


def test_links_in_a_loop_and_out_of_the_tree_are_not_followed(tmp_path: Path) -> None:
    inside, outside = tmp_path / "inside", tmp_path / "outside"
    inside.mkdir()
    outside.mkdir()
    (outside / "secret.py").write_text(MENTION)
    (inside / "sound.py").write_text(MENTION)
    (inside / "loop").symlink_to(inside, target_is_directory=True)
    (inside / "away").symlink_to(outside, target_is_directory=True)
    (inside / "itself.py").symlink_to(inside / "itself.py")
    (inside / "secret.py").symlink_to(outside / "secret.py")
    report = checked(inside)
    assert {"sound.py"} == {found.span.path for found in report.findings if found.rule == "HW101"}


def test_a_pipe_and_a_folder_named_like_a_module_do_not_hang(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.py")
    (tmp_path / "folder.py").mkdir()
    (tmp_path / "folder.py" / "inner.py").write_text(MENTION)
    (tmp_path / "sound.py").write_text(MENTION)
    report = checked(tmp_path)
    assert "sound.py" in {found.span.path for found in report.findings}
