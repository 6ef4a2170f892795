"""`--since` leaves what a change introduced, and reads git's store without touching the tree."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from hwlint.cli import run
from hwlint.cli.status import Status
from hwlint.model.errors import UsageError
from hwlint.workflow.history import resolve, write_tree

CAPABILITY = "torch.cuda.get_device_capability()[0]"
FIRST = f"""import torch

SIZES = {{9: 1, 10: 2}}


def size():
    return SIZES[{CAPABILITY}]
"""
SECOND = f"""

def steps():
    return {{9: 1}}[{CAPABILITY}]
"""


def git(folder: Path, *arguments: str) -> str:
    identity = {
        "GIT_AUTHOR_NAME": "a",
        "GIT_AUTHOR_EMAIL": "a@b",
        "GIT_COMMITTER_NAME": "a",
        "GIT_COMMITTER_EMAIL": "a@b",
    }
    done = subprocess.run(
        ["git", *arguments], cwd=folder, env={**os.environ, **identity}, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def commit(folder: Path, message: str = "change") -> str:
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", message)
    return git(folder, "rev-parse", "HEAD")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a repository with one finding in its only commit."""
    root = tmp_path / "project"
    root.mkdir()
    git(root, "init", "-q", "-b", "main")
    (root / "hwlint.toml").write_text('targets = ["sm_90", "sm_100", "sm_120"]\n')
    (root / ".gitignore").write_text(".hwlint_cache/\n")
    (root / "mod.py").write_text(FIRST)
    commit(root)
    monkeypatch.chdir(root)
    return root


def introduced(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[tuple[str, int]]:
    capsys.readouterr()
    run(["check", "--select", "HW101", "--output-format", "json", "--no-cache", *arguments])
    printed = capsys.readouterr()
    assert printed.err == ""
    found = json.loads(printed.out)["findings"]
    return [(one["path"], one["line"]) for one in found if one["suppressed"] is None]


def test_what_was_there_is_marked_and_what_is_new_remains(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "mod.py").write_text("\n\n" + FIRST + SECOND)
    assert [("mod.py", 9), ("mod.py", 13)] == introduced(capsys)
    assert [("mod.py", 13)] == introduced(capsys, "--since", "HEAD")
    assert run(["check", "--since", "HEAD", "--no-cache"]) == Status.FINDINGS
    git(project, "checkout", "-q", "mod.py")
    assert run(["check", "--since", "HEAD", "--no-cache"]) == Status.CLEAN


def test_a_table_in_another_file_that_shrinks_introduces_a_finding(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "tables.py").write_text("WIDE = {9: 1, 10: 2, 12: 3}\n")
    (project / "use.py").write_text(
        f"import torch\nfrom tables import WIDE\n\ndef f():\n    return WIDE[{CAPABILITY}]\n"
    )
    commit(project)
    (project / "tables.py").write_text("WIDE = {9: 1, 10: 2}\n")
    assert [("use.py", 5)] == introduced(capsys, "--since", "HEAD", ".")


def test_a_finding_that_covers_fewer_architectures_is_not_new(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "mod.py").write_text(FIRST.replace("{9: 1, 10: 2}", "{9: 1}"))
    before = commit(project)
    (project / "mod.py").write_text(FIRST)
    assert [] == introduced(capsys, "--since", before)
    (project / "mod.py").write_text(FIRST.replace("{9: 1, 10: 2}", "{9: 1}"))
    assert [("mod.py", 7)] == introduced(capsys, "--since", "HEAD~1")


def test_a_renamed_file_brings_nothing_new(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    git(project, "mv", "mod.py", "renamed.py")
    (project / "renamed.py").write_text("# moved\n" + FIRST)
    assert [] == introduced(capsys, "--since", "HEAD")


def test_a_file_with_other_content_is_no_rename(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "mod.py").unlink()
    (project / "other.py").write_text(
        "from torch import cuda as c\nT = {9: 0}\ndef g(): return T[c.get_device_capability()[0]]\n"
    )
    assert [("other.py", 3)] == introduced(capsys, "--since", "HEAD")


def test_three_dots_mean_where_the_branch_left(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    git(project, "checkout", "-q", "-b", "work")
    (project / "new.py").write_text(f"import torch\n{SECOND}")
    commit(project)
    git(project, "checkout", "-q", "main")
    (project / "mod.py").write_text("")
    commit(project)
    git(project, "checkout", "-q", "work")
    assert [("mod.py", 7), ("new.py", 5)] == introduced(capsys, "--since", "main")
    assert [("new.py", 5)] == introduced(capsys, "--since", "main...")


def test_a_project_below_the_repository_root_and_a_given_file(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    inner = project / "deep" / "inner"
    inner.mkdir(parents=True)
    (inner / "hwlint.toml").write_text('targets = ["sm_120"]\n')
    (inner / "old.py").write_text(FIRST)
    commit(project)
    (inner / "new.py").write_text(FIRST)
    assert [("new.py", 7)] == introduced(capsys, "--since", "HEAD", "deep/inner")
    assert [] == introduced(capsys, "--since", "HEAD", "deep/inner/old.py")
    assert [("new.py", 7)] == introduced(capsys, "--since", "HEAD", "deep/inner/new.py")


def test_the_tree_and_the_index_are_left_alone(project: Path) -> None:
    (project / "mod.py").write_text(FIRST + SECOND)
    (project / "untracked.py").write_text("")
    index = (project / ".git" / "index").read_bytes()
    run(["check", "--since", "HEAD", "--no-cache"])
    assert index == (project / ".git" / "index").read_bytes()
    assert {"M mod.py", "?? untracked.py"} == {
        line.strip() for line in git(project, "status", "--porcelain").splitlines()
    }
    assert ["main"] == git(project, "branch", "--format=%(refname:short)").split()


def test_no_filter_of_the_repository_runs(project: Path, tmp_path: Path) -> None:
    (project / ".gitattributes").write_text("*.py filter=evil export-ignore\n")
    commit(project)
    git(project, "config", "filter.evil.smudge", f"touch {tmp_path}/ran")
    git(project, "config", "core.fsmonitor", f"touch {tmp_path}/ran")
    root = write_tree(resolve(project, "HEAD"), tmp_path / "old")
    assert FIRST == (root / "mod.py").read_text()
    assert not (tmp_path / "ran").exists()
    assert root.name == "project"


def test_names_with_blanks_and_other_letters_are_read(project: Path, tmp_path: Path) -> None:
    (project / "a b").mkdir()
    (project / "a b" / "größe.py").write_bytes("x = 'ä'\r\n".encode())
    (project / "link.py").symlink_to("mod.py")
    commit(project)
    root = write_tree(resolve(project, "HEAD"), tmp_path / "old")
    assert "x = 'ä'\r\n".encode() == (root / "a b" / "größe.py").read_bytes()
    assert not (root / "link.py").exists()


@pytest.mark.parametrize("rev", ["nowhere", "-x", "--output=stolen", "", "HEAD:mod.py"])
def test_what_is_no_commit_is_refused(rev: str, project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check", f"--since={rev}"]) == Status.MISUSE
    assert "is no commit of this repository" in capsys.readouterr().err
    assert sorted(file.name for file in project.glob("stolen*")) == []


def test_outside_a_repository_the_message_says_so(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="not a git repository"):
        resolve(tmp_path, "HEAD")


@pytest.mark.parametrize("option", ["--fix", "--diff", "--write-baseline"])
def test_options_that_write_go_without_it(option: str, project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check", "--since", "HEAD", option]) == Status.MISUSE
    assert "--since" in capsys.readouterr().err
    assert (project / "mod.py").read_text() == FIRST
