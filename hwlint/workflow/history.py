"""Read the sources of an earlier revision from git's store, without touching the user's tree."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from hwlint.model.errors import UsageError

_LARGEST = 32 << 20
"""Larger files are not read today either."""
_GIT = ("git", "-c", "core.fsmonitor=false", "-c", "core.quotePath=false")
"""No setting of the repository may start a program."""
_FILES = ("100644", "100755")


@dataclass(frozen=True, slots=True)
class Revision:
    """One commit of the repository around a project; `prefix` is the project's root below `top`, empty for the same."""

    top: Path
    prefix: str
    commit: str
    shown: str


def resolve(root: Path, rev: str) -> Revision:
    """Return the commit that `rev` names in the repository around `root`; `REV...` is where HEAD left REV.

    Raises UsageError where git is missing, `root` is in no repository, or there is no such commit.
    """
    top = Path(_text(_git(root, "rev-parse", "--show-toplevel", what="find the repository of the project")))
    real = root.resolve()
    if not real.is_relative_to(top.resolve()):
        raise UsageError(f"{root}: lies outside its repository {top}; --since needs a project inside one repository")
    prefix = real.relative_to(top.resolve()).as_posix().removeprefix(".")
    name = rev.removesuffix("...")
    commit = _commit(root, name)
    if name != rev:
        base = _text(_git(root, "merge-base", commit, "HEAD", what=f"find where HEAD left {name}"))
        return Revision(top, prefix, base, f"{base[:12]} (where HEAD left {name})")
    return Revision(top, prefix, commit, name if commit.startswith(name) else f"{name} ({commit[:12]})")


def write_tree(revision: Revision, folder: Path) -> Path:
    """Write the Python files and ignore rules of a revision below `folder`; return what the project's root is there.

    The folders above the root keep their names, for a package may be named by them. Contents are the stored bytes: no
    filter, hook or line-end conversion of the repository runs. Links, submodules and very large files are left out.
    """
    folder = folder.joinpath(*revision.top.parts[1:])
    root = folder.joinpath(*PurePosixPath(revision.prefix).parts)
    root.mkdir(parents=True, exist_ok=True)
    inside = ["--", revision.prefix] if revision.prefix else []
    listing = _git(revision.top, "ls-tree", "-r", "-z", "-l", "--full-tree", revision.commit, *inside, what="list it")
    wanted: dict[str, str] = {}
    for row in listing.split(b"\0"):
        head, _, name = row.partition(b"\t")
        fields = head.decode("ascii").split()
        path = os.fsdecode(name)
        if len(fields) == 4 and fields[0] in _FILES and _is_wanted(path) and int(fields[3]) <= _LARGEST:
            wanted[path] = fields[2]
    contents = _contents(revision.top, sorted(set(wanted.values())))
    for path, blob in wanted.items():
        parts = PurePosixPath(path).parts
        if ".." in parts or PurePosixPath(path).is_absolute():
            continue
        file = folder.joinpath(*parts)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(contents[blob])
    return root


def _is_wanted(path: str) -> bool:
    return path.endswith((".py", "/.gitignore")) or path == ".gitignore"


def _contents(top: Path, blobs: list[str]) -> dict[str, bytes]:
    """The bytes of blobs, by their names, in one run of git."""
    data = _git(top, "cat-file", "--batch", what="read its files", given="".join(f"{one}\n" for one in blobs).encode())
    found: dict[str, bytes] = {}
    at = 0
    while at < len(data):
        end = data.index(b"\n", at)
        name, _, size = data[at:end].decode("ascii").split()
        found[name] = data[end + 1 : end + 1 + int(size)]
        at = end + 2 + int(size)
    return found


def _commit(root: Path, name: str) -> str:
    done = _run(root, ("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}"))
    if done.returncode != 0 or not name:
        raise UsageError(
            f"`{name}` is no commit of this repository; where it is a shallow clone, fetch more of it first "
            "(git fetch --unshallow; fetch-depth: 0 in a workflow)"
        )
    return _text(done.stdout)


def _git(folder: Path, *arguments: str, what: str, given: bytes = b"") -> bytes:
    done = _run(folder, arguments, given)
    if done.returncode != 0:
        said = " ".join(done.stderr.decode("utf-8", "replace").split())
        raise UsageError(f"{folder}: git cannot {what}: {said or 'it gives no reason'}")
    return done.stdout


def _run(folder: Path, arguments: tuple[str, ...], given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    environment = {**os.environ, "GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}
    try:
        return subprocess.run(  # noqa: S603 - a fixed program; what the user gives is one argument, behind end-of-options
            [*_GIT, *arguments], cwd=folder, input=given, capture_output=True, check=False, env=environment
        )
    except FileNotFoundError as error:
        raise UsageError("--since needs git, which is not on the path") from error


def _text(output: bytes) -> str:
    return os.fsdecode(output.strip(b"\n"))
