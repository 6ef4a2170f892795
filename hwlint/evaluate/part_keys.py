"""Tell of a key that is known in part whether any key of a table can be it: `(arch, dtype)` with an unknown type."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from hwlint.evaluate.answers import CONSTANTS, Answer, Named, Unknown


def is_partly_known(key: Answer) -> bool:
    """True for a tuple with a part of which nothing is known."""
    return isinstance(key, tuple) and any(isinstance(part, Unknown) for part in key)


def may_be_among(key: tuple[Any, ...], others: Iterable[Answer]) -> bool:
    """Tell whether one of the keys could equal a tuple of which some parts are unknown.

    Only parts that are plain constants tell two keys apart: objects may be equal to others.
    """
    return any(_may_be(key, other) for other in others)


def told(key: Answer) -> str:
    """The key as a person would write it: `('120a', ...)` for one whose second part is not known."""
    if not is_partly_known(key):
        return repr(key)
    parts = ["..." if isinstance(part, Unknown) else repr(part) for part in key]
    return f"({', '.join(parts)}{',' if len(parts) == 1 else ''})"


def _may_be(key: tuple[Any, ...], other: Answer) -> bool:
    if type(other) in CONSTANTS:
        return False
    if type(other) is not tuple and type(other) is not Named:
        return True
    return len(key) == len(other) and not any(map(_differ, key, other))


def _differ(part: Answer, other: Answer) -> bool:
    return type(part) in CONSTANTS and type(other) in CONSTANTS and part != other
