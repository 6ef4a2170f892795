"""Tell what a run read of each file: most are only asked for words, and may change in all else without any effect."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from hwlint.source.needles import MAX_PROBES
from hwlint.workflow.sources import Sources

BROKEN = (ValueError, TypeError, KeyError, IndexError, AttributeError)
"""What reading raises where a document is none of ours."""
IN_COMMENTS = b"hwlint:"
"""Files that hold this phrase are read once more for what their comments suppress."""


@dataclass(frozen=True, slots=True)
class Asked:
    """The words and phrases that all files were asked for."""

    words: frozenset[bytes]
    phrases: frozenset[bytes]

    def without(self, others: Iterable[Asked]) -> Asked:
        """Those that none of the others has."""
        known = list(others)
        return Asked(
            self.words.difference(*(one.words for one in known)),
            self.phrases.difference(*(one.phrases for one in known)),
        )

    def __bool__(self) -> bool:
        return bool(self.words or self.phrases)


@dataclass(frozen=True, slots=True)
class Basis:
    """What a run rests on: what is in the files that were read as a whole, and what the others answer."""

    contents: Mapping[str, str]
    """A digest of what is in each file."""
    asked: tuple[Asked, ...]
    """What all files were asked for: by the first run, and what each later one asked beside that."""
    told: Mapping[str, str]
    """By file, a digest of its answer to each of them."""
    whole: frozenset[str]
    """The files of which more than words was asked."""

    def changed(self, contents: Mapping[str, str]) -> list[str]:
        """The files that are others now."""
        return [path for path, told in contents.items() if self.contents.get(path) != told]

    def is_told_again(self, sources: Sources, paths: Iterable[str]) -> bool:
        """True where each of the files can still be read and answers as before."""
        return all(
            isinstance(sources.data(path), bytes) and tell(sources, path, self.asked) == self.told.get(path)
            for path in paths
        )


def asked_of(sources: Sources) -> Asked:
    """What one process has asked so far."""
    return Asked(frozenset(sources.words_asked), frozenset(sources.phrases_asked))


def together(parts: Iterable[Asked]) -> Asked:
    """What several processes have asked."""
    kept = list(parts)
    return Asked(frozenset().union(*(part.words for part in kept)), frozenset().union(*(part.phrases for part in kept)))


def tell(sources: Sources, path: str, asked: Sequence[Asked]) -> str:
    """A digest for each part of what a file is asked for; one that has nothing of it answers `-`."""
    return " ".join(_told(sources, path, one) for one in asked)


def _told(sources: Sources, path: str, asked: Asked) -> str:
    data = sources.data(path)
    if len(asked.words) <= MAX_PROBES and isinstance(data, bytes):
        few = frozenset(word for word in asked.words if word.removeprefix(b".") in data)
        held = sorted(sources.hits(path, few)) if few else []
    else:
        held = sorted(sources.hits(path, asked.words))
    phrases = [phrase for phrase in sorted(asked.phrases) if sources.holds(path, phrase)]
    if not held and not phrases:
        return "-"
    return hashlib.blake2b(repr((held, phrases)).encode(), digest_size=12).hexdigest()


def head_of(basis: Basis) -> str:
    """The basis as a line of JSON."""
    paths = list(basis.contents)
    numbers = {path: number for number, path in enumerate(paths)}
    head = {
        "paths": paths,
        "contents": list(basis.contents.values()),
        "told": [basis.told[path] for path in paths],
        "whole": sorted(numbers[path] for path in basis.whole),
        "asked": [
            [sorted(word.decode() for word in one.words), sorted(phrase.hex() for phrase in one.phrases)]
            for one in basis.asked
        ],
    }
    return json.dumps(head, separators=(",", ":"), ensure_ascii=True)


def basis_of(head: str) -> Basis | None:
    """What such a line says, or None where it is none of ours."""
    try:
        known = json.loads(head)
        paths = known["paths"]
        asked = [
            Asked(frozenset(word.encode() for word in words), frozenset(bytes.fromhex(phrase) for phrase in phrases))
            for words, phrases in known["asked"]
        ]
        return Basis(
            dict(zip(paths, known["contents"], strict=True)),
            tuple(asked),
            dict(zip(paths, known["told"], strict=True)),
            frozenset(paths[number] for number in known["whole"]),
        )
    except BROKEN:
        return None
