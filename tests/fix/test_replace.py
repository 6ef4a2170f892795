"""A file is replaced whole or not at all, and stays what it was in everything but its text."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from hwlint.fix.replace import NotReplaced, Replaced, clear_leftovers, replace_text
from hwlint.source.read import Text, read

OLD, NEW = "x = 'old'\n" * 400, "x = 'new'\n" * 500

WRITER = """
import sys
from pathlib import Path
from hwlint.fix.replace import replace_text
from hwlint.source.read import read
root = Path(sys.argv[1])
texts = [read(root, f"f{i}.py") for i in range(200)]
print("ready", flush=True)
for text in texts:
    replace_text(root, text, "x = 'new'\\n" * 500)
"""


def text_of(root: Path, path: str) -> Text:
    found = read(root, path)
    assert isinstance(found, Text), found
    return found


@pytest.mark.parametrize(
    "data",
    [
        b"\xef\xbb\xbfT = 1\r\nU = 2",
        b"# -*- coding: latin-1 -*-\nT = '\xe9'\n",
        b"\x0cT = 1\r",
        "T = '😀\u2028'\n".encode(),
    ],
)
def test_bytes_outside_the_change_stay(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "m.py").write_bytes(data)
    text = text_of(tmp_path, "m.py")
    assert replace_text(tmp_path, text, text.text.replace("T", "NEW")) == Replaced("m.py")
    assert (tmp_path / "m.py").read_bytes() == data.replace(b"T", b"NEW")


def test_a_character_that_the_encoding_lacks_leaves_the_file_alone(tmp_path: Path) -> None:
    data = b"# coding: latin-1\nT = '\xe9'\n"
    (tmp_path / "m.py").write_bytes(data)
    text = text_of(tmp_path, "m.py")
    assert replace_text(tmp_path, text, text.text + "# 😀") == NotReplaced(
        "m.py", "its encoding (iso-8859-1) has no bytes for '😀'"
    )
    assert (tmp_path / "m.py").read_bytes() == data


def test_the_mode_stays(tmp_path: Path) -> None:
    file = tmp_path / "m.py"
    file.write_text(OLD)
    file.chmod(0o751)
    assert isinstance(replace_text(tmp_path, text_of(tmp_path, "m.py"), NEW), Replaced)
    assert file.stat().st_mode & 0o7777 == 0o751
    assert [one.name for one in tmp_path.iterdir()] == ["m.py"]


def test_a_file_that_changed_meanwhile_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "m.py").write_text(OLD)
    text = text_of(tmp_path, "m.py")
    (tmp_path / "m.py").write_text("mine = 1\n")
    outcome = replace_text(tmp_path, text, NEW)
    assert isinstance(outcome, NotReplaced)
    assert "changed by something else" in outcome.reason
    assert (tmp_path / "m.py").read_text() == "mine = 1\n"


def test_a_link_within_the_tree_stays_a_link_and_its_target_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "real.py").write_text(OLD)
    (tmp_path / "link.py").symlink_to("real.py")
    real = text_of(tmp_path, "real.py")
    through = Text("link.py", real.text, real.encoding, real.bom, real.digest)
    assert replace_text(tmp_path, through, NEW) == Replaced("link.py")
    assert (tmp_path / "link.py").is_symlink()
    assert (tmp_path / "real.py").read_text() == NEW


@pytest.mark.parametrize("folder", [False, True])
def test_a_link_out_of_the_tree_is_not_followed(tmp_path: Path, folder: bool) -> None:  # noqa: FBT001
    inside, outside = tmp_path / "in", tmp_path / "out"
    inside.mkdir()
    outside.mkdir()
    (outside / "m.py").write_text(OLD)
    (inside / "x").symlink_to(outside) if folder else (inside / "m.py").symlink_to(outside / "m.py")
    real = text_of(outside, "m.py")
    path = "x/m.py" if folder else "m.py"
    outcome = replace_text(inside, Text(path, real.text, real.encoding, real.bom, real.digest), NEW)
    assert isinstance(outcome, NotReplaced)
    assert "leads out of the project" in outcome.reason
    assert (outside / "m.py").read_text() == OLD


def test_a_killed_run_leaves_every_file_old_or_new(tmp_path: Path) -> None:
    chance = random.Random(7)  # noqa: S311 - times to kill at, nothing secret
    seen_mixed_tree = False
    for _ in range(6):
        for number in range(200):
            (tmp_path / f"f{number}.py").write_text(OLD)
        run = subprocess.Popen([sys.executable, "-c", WRITER, str(tmp_path)], stdout=subprocess.PIPE, text=True)
        assert run.stdout is not None
        run.stdout.readline()
        time.sleep(chance.uniform(0.0, 0.08))
        run.send_signal(signal.SIGKILL)
        run.communicate()
        texts = {(tmp_path / f"f{number}.py").read_text() for number in range(200)}
        assert texts <= {OLD, NEW}
        seen_mixed_tree |= len(texts) == 2
    assert seen_mixed_tree, "no kill fell between two files; the test says nothing"


def test_what_a_killed_run_left_is_cleared_and_nothing_else(tmp_path: Path) -> None:
    gone = subprocess.run([sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True, check=True)
    dead, alive = int(gone.stdout), os.getpid()
    inside, outside = tmp_path / "in", tmp_path / "out"
    for folder in (inside, outside):
        folder.mkdir()
        (folder / f".hwlint-{dead}-abc_12.tmp").write_text("half")
    for name in (f".hwlint-{alive}-abc.tmp", ".hwlint-notes.tmp", "m.py"):
        (inside / name).write_text("kept")
    (inside / "away").symlink_to(outside)
    (outside / "m.py").write_text("kept")
    clear_leftovers(inside, ["m.py", "away/m.py", "missing.py"])
    assert {one.name for one in inside.iterdir()} == {f".hwlint-{alive}-abc.tmp", ".hwlint-notes.tmp", "m.py", "away"}
    assert len(list(outside.iterdir())) == 2
