"""Find the word a user probably meant."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

_CLOSE_ENOUGH = 0.5
"""Similarity (0 to 1) below which a suggestion would puzzle more than it helps."""


def nearest(word: str, words: Iterable[str]) -> str | None:
    """Return the one of `words` that looks most like `word`, or None where none is close; case does not count.

    >>> nearest("tragets", ["targets", "select"])
    'targets'
    """
    spelled = {candidate.casefold(): candidate for candidate in sorted(words, reverse=True)}
    found = difflib.get_close_matches(word.casefold(), sorted(spelled), n=1, cutoff=_CLOSE_ENOUGH)
    return spelled[found[0]] if found else None


def did_you_mean(word: str, words: Iterable[str]) -> str:
    """Return a tail such as "; did you mean `targets`?" for a message, or an empty string where nothing is close."""
    found = nearest(word, words)
    return "" if found is None else f"; did you mean `{found}`?"
