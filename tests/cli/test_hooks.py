"""Run the hooks through the real pre-commit in a real git repository."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parents[2]
SAMPLE = CHECKOUT / "fixtures" / "symmetric_memory"
TABLE, LOOKUP = "peerlink/limits.py", "peerlink/communicator.py"


class Repository:
    """A project that uses the hooks of a local repository, which differ from the real ones in how they start only.

    The real hooks make pre-commit install hwlint from an index; these run the checkout with this interpreter.
    """

    def __init__(self, folder: Path) -> None:
        self.root = Path(shutil.copytree(SAMPLE, folder / "project"))
        self._hooks = folder / "hooks"
        self._hooks.mkdir()
        self._environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "PRE_COMMIT"))},
            "PRE_COMMIT_HOME": str(folder / "store"),
            "PYTHONPATH": str(CHECKOUT),
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_AUTHOR_NAME": "someone",
            "GIT_AUTHOR_EMAIL": "someone@example.org",
            "GIT_COMMITTER_NAME": "someone",
            "GIT_COMMITTER_EMAIL": "someone@example.org",
        }
        hooks = (CHECKOUT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8")
        started, count = re.subn(r"entry: hwlint (.*)", rf"entry: {sys.executable} -m hwlint \1", hooks)
        assert count == hooks.count("- id:")
        (self._hooks / ".pre-commit-hooks.yaml").write_text(started.replace("language: python", "language: system"))
        self._make(self._hooks)
        self.git("init", "--quiet")

    def use(self, hook: str, *arguments: str) -> None:
        """Configure one hook, and commit everything without it."""
        revision = self._git(self._hooks, "rev-parse", "HEAD").stdout.strip()
        words = ", ".join(f'"{word}"' for word in arguments)
        (self.root / ".pre-commit-config.yaml").write_text(
            f"repos:\n- repo: {self._hooks}\n  rev: {revision}\n  hooks:\n  - id: {hook}\n    args: [{words}]\n"
        )
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", "all")

    def touch(self, path: str) -> None:
        """Change a file in a way that does not matter, and stage it."""
        file = self.root / path
        file.write_text(file.read_text() + "# touched\n")
        self.git("add", path)

    def pre_commit(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run pre-commit; what it prints is in `stdout`."""
        command = [sys.executable, "-m", "pre_commit", *arguments]
        return self._run(command, self.root)

    def git(self, *arguments: str) -> str:
        """Run git in the project and return what it prints; its failure is an error."""
        done = self._git(self.root, *arguments)
        assert done.returncode == 0, done.stdout
        return done.stdout

    def _make(self, folder: Path) -> None:
        for words in (("init", "--quiet"), ("add", "--all"), ("commit", "--quiet", "--message", "hooks")):
            done = self._git(folder, *words)
            assert done.returncode == 0, done.stdout

    def _git(self, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
        return self._run(["git", *arguments], folder)

    def _run(self, command: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command,
            cwd=folder,
            env=self._environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path)


def test_a_commit_of_the_lookup_is_stopped_by_a_table_that_is_not_in_it(repository: Repository) -> None:
    repository.use("hwlint")
    repository.touch(LOOKUP)
    done = repository.pre_commit("run")
    assert done.returncode == 1
    assert f"{LOOKUP}:31:29: HW101" in done.stdout
    assert repository.git("status", "--short") == f"M  {LOOKUP}\n"


def test_a_commit_of_the_table_alone_is_not_asked_about_the_lookup(repository: Repository) -> None:
    repository.use("hwlint")
    repository.touch(TABLE)
    done = repository.pre_commit("run")
    assert (done.returncode, "Passed" in done.stdout) == (0, True), done.stdout


def test_git_itself_runs_the_hook_and_refuses_the_commit(repository: Repository) -> None:
    repository.use("hwlint")
    assert repository.pre_commit("install").returncode == 0
    repository.touch(LOOKUP)
    with pytest.raises(AssertionError, match="KeyError: 12"):
        repository.git("commit", "--message", "broken")
    repository.touch(TABLE)
    repository.git("reset", "--quiet", "--", LOOKUP)
    repository.git("commit", "--quiet", "--message", "fine")


def test_a_project_may_exclude_a_file_that_pre_commit_names(repository: Repository) -> None:
    (repository.root / "hwlint.toml").write_text(f'exclude = ["{LOOKUP}"]\n')
    repository.use("hwlint")
    repository.touch(LOOKUP)
    assert repository.pre_commit("run").returncode == 0


def test_with_fix_the_commit_stops_once_and_then_goes_through(repository: Repository) -> None:
    repository.use("hwlint", "--fix")
    repository.touch(LOOKUP)
    done = repository.pre_commit("run")
    assert done.returncode == 1
    assert "files were modified by this hook" in done.stdout
    assert f"{LOOKUP}:31:29: HW101 fixed:" in done.stdout
    assert repository.git("status", "--short") == f"MM {LOOKUP}\n"
    repository.git("add", "--all")
    again = repository.pre_commit("run")
    assert (again.returncode, "Passed" in again.stdout) == (0, True), again.stdout


def test_an_unsafe_fix_of_a_table_outside_the_commit_is_made_there_and_seen(repository: Repository) -> None:
    repository.use("hwlint", "--fix", "--unsafe-fixes")
    repository.touch(LOOKUP)
    done = repository.pre_commit("run")
    assert "files were modified by this hook" in done.stdout
    assert repository.git("status", "--short", "--untracked-files=no") == f"MM {LOOKUP}\n M {TABLE}\n"
    repository.git("add", "--all")
    assert repository.pre_commit("run").returncode == 0


def test_the_whole_project_is_checked_once_whatever_is_pushed(repository: Repository) -> None:
    repository.use("hwlint-project")
    repository.touch(TABLE)
    assert "HW101" not in repository.pre_commit("run").stdout
    done = repository.pre_commit("run", "--hook-stage", "pre-push")
    assert done.returncode == 1
    assert done.stdout.count("HW101") == 2


def test_the_whole_project_can_be_fixed_before_a_push(repository: Repository) -> None:
    repository.use("hwlint-project", "--fix", "--unsafe-fixes")
    repository.touch(TABLE)
    assert repository.pre_commit("run", "--hook-stage", "pre-push").returncode == 1
    assert repository.git("diff", "--name-only").split() == [LOOKUP, TABLE]
    repository.git("add", "--all")
    assert repository.pre_commit("run", "--hook-stage", "pre-push").returncode == 0
