"""Tell which files of the project hold a word, quickly enough to ask while somebody types."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from hwlint.source.needles import words
from hwlint.source.read import read_bytes

_Mark = tuple[int, int]
"""Time and size of a file on disk."""


@dataclass(slots=True)
class Wordbook:
    """The words of files below `root` as they lie on disk, each once: a sixth of what the files take.

    Files are read when they are first asked for, and looked at again when `refresh` says so.
    """

    root: Path
    _words: dict[str, bytes] = field(default_factory=dict)
    _marks: dict[str, _Mark] = field(default_factory=dict)

    def holds(self, path: str, word: str) -> bool:
        """Whether a file has a word that could be an identifier: in code, a string or a comment."""
        known = self._words.get(path)
        if known is None:
            self._marks[path] = self._mark(path)
            known = self._words[path] = self._read(path)
        return b"\n%b\n" % word.encode("utf-8", "surrogatepass") in known

    def fill(self, paths: Iterable[str]) -> None:
        """Read the files that were not read yet."""
        for path in paths:
            self.holds(path, "")

    def refresh(self) -> None:
        """Forget the files that have changed on disk."""
        for path, mark in list(self._marks.items()):
            if mark != self._mark(path):
                del self._words[path], self._marks[path]

    def _mark(self, path: str) -> _Mark:
        try:
            state = (self.root / path).lstat()
        except (OSError, ValueError):
            return (0, 0)
        return (state.st_mtime_ns, state.st_size)

    def _read(self, path: str) -> bytes:
        data = read_bytes(str(self.root / path), shown=path)
        return b"\n%b\n" % b"\n".join(sorted(words(data))) if isinstance(data, bytes) else b""
