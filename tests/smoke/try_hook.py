"""Let pre-commit install the hook as a stranger's would: from a git repository, into an environment of its own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]
SAMPLE = CHECKOUT / "fixtures" / "symmetric_memory"
SHIPPED = (".pre-commit-hooks.yaml", "LICENSE", "README.md", "pyproject.toml", "hwlint", "rules")
CONFIGURATION = """\
repos:
- repo: {hooks}
  rev: {revision}
  hooks:
  - id: hwlint
    args: [{arguments}]
"""


def main() -> int:
    """Return 0 where the installed hook stops the sample, mends it with `--fix`, and lets the mended one pass."""
    with tempfile.TemporaryDirectory(prefix="hwlint-hook-") as scratch:
        there = Path(scratch)
        os.environ["PRE_COMMIT_HOME"] = str(there / "store")
        os.environ.pop("PYTHONPATH", None)
        hooks, project = there / "hooks", there / "project"
        _copy_checkout(hooks)
        revision = _commit(hooks)
        shutil.copytree(SAMPLE, project)
        _configure(project, hooks, revision, "")
        _expect(1, project, "KeyError: 12")
        _configure(project, hooks, revision, "--fix")
        _expect(1, project, "files were modified by this hook")
        _commit(project)
        _expect(0, project, "Passed")
    sys.stdout.write("hook: pre-commit installs it; it stops the sample, mends it, and lets it pass\n")
    return 0


def _copy_checkout(target: Path) -> None:
    target.mkdir()
    for name in SHIPPED:
        source = CHECKOUT / name
        if source.is_dir():
            shutil.copytree(source, target / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copyfile(source, target / name)


def _configure(project: Path, hooks: Path, revision: str, arguments: str) -> None:
    text = CONFIGURATION.format(hooks=hooks, revision=revision, arguments=arguments)
    (project / ".pre-commit-config.yaml").write_text(text, encoding="utf-8")
    _commit(project)


def _commit(folder: Path) -> str:
    """Commit everything in `folder`, a repository or not yet one, and return the revision."""
    someone = ["-c", "user.name=someone", "-c", "user.email=someone@example.org", "-c", "commit.gpgsign=false"]
    for words in (["init", "--quiet"], ["add", "--all"], [*someone, "commit", "--quiet", "--message", "all"]):
        subprocess.run(["git", *words], cwd=folder, check=True)
    shown = subprocess.run(["git", "rev-parse", "HEAD"], cwd=folder, check=True, capture_output=True, text=True)
    return shown.stdout.strip()


def _expect(status: int, project: Path, text: str) -> None:
    command = [sys.executable, "-m", "pre_commit", "run", "--all-files"]
    done = subprocess.run(command, cwd=project, capture_output=True, text=True, check=False)
    if done.returncode != status or text not in done.stdout:
        sys.exit(
            f"hook: `pre-commit run` should exit {status} and print {text!r}; it exited {done.returncode} and printed\n"
            f"{done.stdout}{done.stderr}"
        )


if __name__ == "__main__":
    sys.exit(main())
