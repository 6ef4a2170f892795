"""Write lists of architectures, and the verbs behind them, as sentences have them."""

from __future__ import annotations

from collections.abc import Sequence

from hwlint.fix.donors import short
from hwlint.model.architecture import Architecture


def listed(words: Sequence[str]) -> str:
    """Return `a`, `a and b`, or `a, b and c`; an empty text for no words."""
    return " and ".join([*filter(None, [", ".join(words[:-1])]), *words[-1:]])


def names(architectures: Sequence[Architecture]) -> str:
    """Return the architectures as a sentence names them: `11.0, 12.0 and 12.1`."""
    return listed([short(one) for one in architectures])


def verb(subjects: Sequence[object], one: str, several: str) -> str:
    """Return the form of a verb that goes with so many subjects: `has` or `have`."""
    return one if len(subjects) == 1 else several
