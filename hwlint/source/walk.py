"""Walk folders for Python files, without following links, under the rules that hold in each."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field

from hwlint.model.report import Failure
from hwlint.source.ignore import Rules

ENVIRONMENT_MARKS = frozenset({"pyvenv.cfg", "conda-meta"})
"""A folder that holds one of these is an installed environment, whatever its name."""


@dataclass(slots=True)
class Walk:
    """Gathers what lies below the starts given, as POSIX paths relative to `root`, which is a real path."""

    root: str
    files: set[str] = field(default_factory=set)
    failures: set[Failure] = field(default_factory=set)
    links: set[tuple[str, str]] = field(default_factory=set)

    def below(self, start: str, rules: Rules) -> None:
        """Take every Python file below the folder `start`; `rules` are those that hold around it."""
        stack = [(start, rules)]
        while stack:
            folder, rules = stack.pop()
            try:
                with os.scandir(folder) as entries:
                    stack += self._one_folder(folder, entries, rules, is_start=folder == start)
            except OSError as error:
                self.fail(folder, f"the directory cannot be listed: {error.strerror or error}")

    def take(self, path: str) -> None:
        """Take one file that was given by its name; one that is not read, or whose name is not UTF-8, is a failure."""
        if path.endswith(".py"):
            self._take(self._relative(path))
        else:
            self.fail(path, _NOT_READ.get(os.path.splitext(path)[1], _NO_SOURCE))  # noqa: PTH122 (a text)

    def fail(self, path: str, message: str) -> None:
        """Note that `path` (absolute) could not be listed or used."""
        self.failures.add(Failure(_printable(self._relative(path)), 1, message))

    def _one_folder(
        self, folder: str, entries: Iterator[os.DirEntry[str]], rules: Rules, *, is_start: bool
    ) -> list[tuple[str, Rules]]:
        """Take the folder's own Python files; return the folders below it that are to be entered."""
        files: list[str] = []
        folders: list[str] = []
        names: set[str] = set()
        for entry in entries:
            name = entry.name
            if name.endswith(".py") and entry.is_file(follow_symlinks=False):
                files.append(name)
            elif entry.is_dir(follow_symlinks=False):
                folders.append(name)
                names.add(name)
            elif entry.is_symlink():
                self._link(entry)
            else:
                names.add(name)
        if not is_start and not names.isdisjoint(ENVIRONMENT_MARKS):
            return []
        if ".gitignore" in names or ".git" in names:
            rules, failures = rules.entering(folder, repository=".git" in names)
            for failure in failures:
                self.fail(failure.path, failure.message)
        base = folder.rstrip(os.sep) + os.sep
        prefix = self._prefix(folder)
        for name in files:
            if not (rules.can_leave_out_files and rules.leave_out(base + name, name, folder=False)):
                self._take(prefix + name)
        return [(base + name, rules) for name in folders if not rules.leave_out(base + name, name, folder=True)]

    def _take(self, path: str) -> None:
        if path.isascii() or _printable(path) == path:
            self.files.add(path)
        else:
            self.failures.add(Failure(_printable(path), 1, "the file's name is not UTF-8; rename it"))

    def _link(self, entry: os.DirEntry[str]) -> None:
        if not entry.name.endswith(".py") and not os.path.isdir(entry.path):  # noqa: PTH112 (a loop is False here, an OSError elsewhere)
            return
        target = self._relative(os.path.realpath(entry.path))
        if not target.startswith("../") and target != "..":
            self.links.add((_printable(self._relative(entry.path)), _printable(target)))

    def _prefix(self, folder: str) -> str:
        relative = self._relative(folder)
        return "" if relative == "." else relative + "/"

    def _relative(self, path: str) -> str:
        if path.startswith(self.root + os.sep):
            path = path[len(self.root) + 1 :]
        elif path == self.root:
            return "."
        else:
            path = os.path.relpath(path, self.root)
        return path if os.sep == "/" else path.replace(os.sep, "/")


_NO_SOURCE = "not a Python source file (.py), so it is not read"
_NOT_READ = {
    ".ipynb": "a notebook, which is not read; `jupyter nbconvert --to script` makes a Python source file of it",
    ".pyi": "a stub file, which holds no code to evaluate, so it is not read",
}
"""Why a file that was given by its name is not read, by its suffix."""


def _printable(path: str) -> str:
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
