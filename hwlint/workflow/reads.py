"""Tell what a run read of each file: most are only asked for words, and may change in all else without any effect."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from hwlint.workflow.sources import Sources


@dataclass(frozen=True, slots=True)
class Reads:
    """The words and phrases that files were asked for, and the files that were read as a whole."""

    words: frozenset[bytes]
    phrases: frozenset[bytes]
    whole: frozenset[str]


def reads_of(sources: Sources) -> Reads:
    """What one process has read so far."""
    return Reads(frozenset(sources.words_asked), frozenset(sources.phrases_asked), frozenset(sources.read_whole))


def together(parts: Iterable[Reads]) -> Reads:
    """What several processes have read."""
    kept = list(parts)
    return Reads(
        frozenset().union(*(part.words for part in kept)),
        frozenset().union(*(part.phrases for part in kept)),
        frozenset().union(*(part.whole for part in kept)),
    )


def tell(sources: Sources, paths: Sequence[str], words: frozenset[bytes], phrases: Sequence[bytes]) -> dict[str, str]:
    """Stage: for each file a digest of what it answers to these words and phrases."""
    found = {}
    for path in paths:
        held = sorted(sources.hits(path, words))
        answers = [sources.holds(path, phrase) for phrase in phrases]
        found[path] = hashlib.blake2b(repr((held, answers)).encode(), digest_size=12).hexdigest()
    return found
