"""Hold the texts, trees and outlines of the files that looks at single files touch, each until its file changes."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path

from hwlint.graph.bindings import Outline
from hwlint.graph.outline import outline
from hwlint.model.report import Failure
from hwlint.server.wordbook import Wordbook
from hwlint.source.needles import ask, words
from hwlint.source.parse import Parsed, parse
from hwlint.source.read import Text, read

MOST_HELD = 250
"""Files held at once; what was not asked for longest goes first."""

_Mark = tuple[int, int, int] | str
"""What tells that a file is still the same: time, size and inode on disk, or the text of an editor's buffer."""


@dataclass(slots=True)
class _File:
    mark: _Mark
    text: Text | Failure
    words: frozenset[bytes] | None = None
    tried: bool = False
    loaded: tuple[Parsed, Outline] | None = None


@dataclass(slots=True)
class Held:
    """The files of one project below `root`; `buffers` are texts that stand in for files on disk, by path."""

    root: Path
    buffers: Mapping[str, str] = field(default_factory=dict)
    wordbook: Wordbook = field(init=False)
    _newer: set[str] = field(default_factory=set)
    """Files with syntax that this Python does not know."""
    _files: OrderedDict[str, _File] = field(default_factory=OrderedDict)

    def __post_init__(self) -> None:
        self.wordbook = Wordbook(self.root)

    def text(self, path: str) -> str | None:
        """The text of a file as the editor shows it, or else as it lies on disk; None where it cannot be read."""
        found = self._file(path).text
        return found.text if isinstance(found, Text) else None

    def words(self, path: str) -> frozenset[bytes]:
        """Every word of a file that could be an identifier."""
        file = self._file(path)
        if file.words is None:
            file.words = words(file.text.to_bytes()) if isinstance(file.text, Text) else frozenset()
        return file.words

    def hits(self, path: str, names: frozenset[str]) -> frozenset[str]:
        """Which of `names` stand in a file as whole words; those with a dot in front as attributes."""
        text = self._file(path).text
        asked = ask([name.encode("utf-8", "surrogatepass") for name in names])
        return asked.found(text.to_bytes(), self.words(path)) if isinstance(text, Text) else frozenset()

    def has_word(self, path: str, word: str) -> bool:
        """Whether a file has a word; for asking all files of the project, of which most lie unchanged on disk."""
        return bool(self.hits(path, frozenset({word}))) if path in self.buffers else self.wordbook.holds(path, word)

    def load(self, path: str) -> tuple[Parsed, Outline] | None:
        """The tree and outline of a file, or None where it cannot be read or parsed."""
        file = self._file(path)
        if not file.tried:
            file.tried = True
            parsed = file.text if isinstance(file.text, Failure) else self._parse(path, file.text)
            if not isinstance(parsed, Failure):
                file.loaded = _outlined(parsed)
        return file.loaded

    def _parse(self, path: str, text: Text) -> Parsed | Failure:
        """The tree of a text; one that is being written is taken for broken, not for newer than this Python."""
        parsed = parse(text, newer=False)
        if isinstance(parsed, Failure) and (path not in self.buffers or path in self._newer or self._is_saved(path)):
            parsed = parse(text)
            if not isinstance(parsed, Failure) and parsed.skipped:
                self._newer.add(path)
        return parsed

    def _is_saved(self, path: str) -> bool:
        saved = self._read(path)
        return isinstance(saved, Text) and saved.text == self.buffers[path]

    def _file(self, path: str) -> _File:
        mark = self._mark(path)
        file = self._files.get(path)
        if file is None or file.mark != mark:
            file = self._files[path] = _File(mark, _buffer(path, mark) if isinstance(mark, str) else self._read(path))
        self._files.move_to_end(path)
        while len(self._files) > MOST_HELD:
            self._files.popitem(last=False)
        return file

    def _mark(self, path: str) -> _Mark:
        if path in self.buffers:
            return self.buffers[path]
        try:
            state = (self.root / path).lstat()
        except (OSError, ValueError):
            return (0, 0, 0)
        return (state.st_mtime_ns, state.st_size, state.st_ino)

    def _read(self, path: str) -> Text | Failure:
        return read(self.root, path)


def _buffer(path: str, text: str) -> Text | Failure:
    data = text.encode("utf-8", "surrogatepass")
    if b"\0" in data:
        return Failure(path, 1, "contains a NUL character, so it is not Python source")
    return Text(
        path, text.removeprefix("\ufeff"), "utf-8", text.startswith("\ufeff"), blake2b(data, digest_size=16).hexdigest()
    )


def _outlined(parsed: Parsed) -> tuple[Parsed, Outline] | None:
    """The tree with its outline; an expression of a thousand levels is more than the walk over it can take."""
    try:
        return parsed, outline(parsed.tree)
    except RecursionError:
        return None
