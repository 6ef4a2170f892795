"""Tell whether a table's values name architectures, so that a copied one would name the wrong one."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from hwlint.fix.keys import constant_of
from hwlint.model.architecture import Architecture

_TARGET = re.compile(r"(?<![a-z])(?:sm|compute)_?\d{2,3}(?!\d)|gfx\d{3,4}|\b\d{2,3}[af]\b", re.IGNORECASE)
_GENERATIONS = frozenset(
    "pascal volta turing ampere ada lovelace hopper blackwell rubin cdna rdna".split()  # noqa: SIM905
)
_SMALLEST_CAPABILITY = 50
"""Below this a number is taken for a count or a size, not for a capability such as 80."""


@dataclass(frozen=True, slots=True)
class Naming:
    """Whether the values name architectures, and how to write the value of another one where they follow a pattern."""

    names: bool
    generations: bool = False
    """True where some name a generation (Blackwell), so that a mate of another generation is named otherwise."""
    derive: Callable[[Architecture], str] | None = None


def naming_of(values: Mapping[str, Architecture], every: Sequence[str], known: frozenset[int]) -> Naming:
    """Look at values as they are written.

    `values` maps those whose entry belongs to an architecture to it, `every` are all of them, `known` are the
    capabilities that exist as numbers (120).
    """
    derive = _pattern(values) if len(values) == len(set(every)) else None
    numbers = [_number(value) for value in every]
    own = any(_number(value) == _capability(arch) for value, arch in values.items() if _number(value) is not None)
    all_capabilities = own and all(number is not None and number in known for number in numbers)
    generations = any(_words(value) & _GENERATIONS for value in every)
    return Naming(all_capabilities or generations or any(map(_names_target, every)), generations, derive)


def _names_target(value: str) -> bool:
    return bool(_TARGET.search(re.sub(r"(?<=[a-z])(?=Sm\d)", " ", _bare(value))))


def _words(value: str) -> frozenset[str]:
    """Return the lower-case words of a value, without the digits at their ends."""
    words = re.split(r"[^a-z0-9]+", re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", _bare(value)).lower())
    return frozenset(word.rstrip("0123456789") for word in words)


def _bare(value: str) -> str:
    return re.sub(r"#[^\r\n]*", "", value)


def _pattern(values: Mapping[str, Architecture]) -> Callable[[Architecture], str] | None:
    """Return how to write any architecture's value where all are texts alike but for their own digits."""
    templates = set()
    for value, architecture in values.items():
        digits = _digits(architecture)
        if not digits or value.count(digits) != 1 or not isinstance(constant_of(value), str):
            return None
        templates.add(value.partition(digits)[::2])
    if len(templates) != 1 or len(values) < 2:
        return None
    head, tail = templates.pop()
    return lambda architecture: head + _digits(architecture) + tail


def _digits(architecture: Architecture) -> str:
    return "".join(map(str, architecture.capability or ()))


def _capability(architecture: Architecture) -> int | None:
    return int(_digits(architecture)) if architecture.capability else None


def _number(value: str) -> int | None:
    found = constant_of(value)
    return found if isinstance(found, int) and found >= _SMALLEST_CAPABILITY else None
