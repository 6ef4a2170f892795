"""Hold the files of one run: bytes, words, trees and outlines, each made when it is first asked for."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from hwlint.graph.bindings import Outline
from hwlint.graph.outline import let_go, outline
from hwlint.model.report import Failure
from hwlint.source.needles import Asked, ask, words
from hwlint.source.parse import Parsed, parse
from hwlint.source.read import Text, decode, read_bytes


@dataclass(slots=True)
class Sources:
    """The files of one run, by path relative to `root`."""

    root: Path
    overlay: Mapping[str, str] = field(default_factory=dict)
    """Texts that stand in for files on disk, by path."""
    words_asked: set[bytes] = field(default_factory=set)
    """Every word that some file was asked for."""
    phrases_asked: set[bytes] = field(default_factory=set)
    """Every phrase that some file was asked for."""
    read_whole: set[str] = field(default_factory=set)
    """The files whose text was asked for."""
    held: int = 0
    """The size in bytes of the files whose trees are here."""
    held_by: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """The files that have a word, by the words that were asked for in this way."""
    at_fault: bool = False
    """Whether hwlint itself failed on a file: what was seen of others may lack what that file would have said."""
    _bytes: dict[str, bytes | Failure] = field(default_factory=dict)
    _words: dict[str, frozenset[bytes]] = field(default_factory=dict)
    _parsed: dict[str, tuple[Parsed, Outline] | Failure] = field(default_factory=dict)
    _last_asked: Collection[bytes] = ()
    _asked: Asked = field(default_factory=lambda: ask(()))
    _outlines: dict[str, Outline] = field(default_factory=dict)
    """Those of files whose trees were let go."""
    _ever_parsed: set[str] = field(default_factory=set)

    def data(self, path: str) -> bytes | Failure:
        """The bytes of a file."""
        found = self._bytes.get(path)
        if found is None:
            found = read_bytes(f"{self.root}/{path}", shown=path)
            if path in self.overlay:
                old = decode(path, found) if isinstance(found, bytes) else found
                found = old.to_bytes(self.overlay[path]) if isinstance(old, Text) else self.overlay[path].encode()
            self._bytes[path] = found
        return found

    def size(self, path: str) -> int:
        """The length of a file in bytes as the file system tells it; 0 where it cannot."""
        try:
            return os.stat(f"{self.root}/{path}").st_size  # noqa: PTH116 (a Path for each of thousands takes its time)
        except OSError:
            return 0

    def hits(self, path: str, names: Collection[bytes]) -> frozenset[str]:
        """Which of `names` stand in a file as whole words, in code, a string or a comment."""
        if names is not self._last_asked:  # the same words are asked of one file after another
            self.words_asked.update(names)
            self._last_asked = names
            self._asked = ask(names)
        data = self.data(path)
        if not isinstance(data, bytes):
            return frozenset()
        known = self._words.get(path)
        if known is None:
            known = self._words[path] = words(data)
        return self._asked.found(data, known)

    def holds(self, path: str, phrase: bytes) -> bool:
        """Whether `phrase` stands anywhere in a file."""
        self.phrases_asked.add(phrase)
        data = self.data(path)
        return isinstance(data, bytes) and phrase in data

    def holders(self, word: str) -> tuple[str, ...]:
        """The files of the run that have a word, in order; most are told by a search for its letters."""
        found = self.held_by.get(word)
        if found is None:
            name = word.encode()
            held = [path for path in self._bytes if self.holds(path, name) and self.hits(path, frozenset({name}))]
            found = self.held_by[word] = tuple(sorted(held))
        return found

    def text(self, path: str) -> Text | Failure:
        """The decoded text of a file."""
        self.read_whole.add(path)
        data = self.data(path)
        return data if isinstance(data, Failure) else decode(path, data)

    def load(self, path: str) -> tuple[Parsed, Outline] | None:
        """The tree and outline of a file, or None where it cannot be read."""
        found = self._parsed.get(path)
        if found is None:
            text = self.text(path)
            parsed = text if isinstance(text, Failure) else parse(text)
            found = parsed if isinstance(parsed, Failure) else _outlined(parsed, self._outlines.get(path))
            self._parsed[path] = found
            if not isinstance(found, Failure):
                self._ever_parsed.add(path)
                self.held += self._length(path)
        return None if isinstance(found, Failure) else found

    def outline(self, path: str) -> Outline | None:
        """The outline of a file, or None where it cannot be read."""
        if path in self._outlines:
            return self._outlines[path]
        found = self.load(path)
        return None if found is None else found[1]

    def shed(self, most: int) -> None:
        """Let go of trees, those that came first first, until they are of files of no more than `most` bytes.

        Whoever asks for one again gets another tree, whose nodes are others; outlines stay.
        """
        for path in list(self._parsed) if self.held > most else ():
            if self.held <= most:
                break
            found = self._parsed[path]
            if not isinstance(found, Failure):
                del self._parsed[path]
                self.held -= self._length(path)
                if not found[0].skipped:  # a statement of newer syntax has no text that could be read alone
                    let_go(found[1], found[0].lines)
                    self._outlines[path] = found[1]

    def forget_words(self) -> None:
        """Let go of the words of all files; whoever asks again waits for them to be split again."""
        self._words.clear()

    def _length(self, path: str) -> int:
        data = self._bytes[path]
        return len(data) if isinstance(data, bytes) else 0

    def failed(self, path: str, reason: str) -> None:
        """Note that a file could be read and not be analysed."""
        if isinstance(self._parsed.get(path), tuple):
            self.held -= self._length(path)
        self._parsed[path] = Failure(path, 1, reason)
        self.at_fault = True

    def lost(self, path: str) -> None:
        """Note that the process that analysed a file died."""
        self.failed(path, "the process that analysed this file died; the others went on")

    @property
    def failures(self) -> tuple[Failure, ...]:
        """What could not be read or parsed so far."""
        broken = [found for found in (*self._bytes.values(), *self._parsed.values()) if isinstance(found, Failure)]
        return tuple(sorted(set(broken)))

    @property
    def parsed(self) -> frozenset[str]:
        """The files that have been parsed."""
        return frozenset(path for path in self._ever_parsed if not isinstance(self._parsed.get(path), Failure))


def _outlined(parsed: Parsed, known: Outline | None) -> tuple[Parsed, Outline] | Failure:
    """The tree with its outline; an expression of a thousand levels is more than the walk over it can take."""
    try:
        return parsed, known or outline(parsed.tree)
    except RecursionError:
        return Failure(parsed.path, 1, "nested too deeply to be looked at")
