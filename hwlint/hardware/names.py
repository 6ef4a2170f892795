"""Tell whether a literal names an architecture that exists."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping

from hwlint.hardware.table import Catalogue, forms
from hwlint.model.architecture import Vendor

_NUMERAL = re.compile(r"(?:sm_?|compute_)?(?:(\d+)\.(\d)|(\d+)(\d))([a-z]?)")
"""`sm_120a`, `sm120`, `compute_90`, `12.0`, `120`: the last digit is the minor number."""


@functools.cache
def known_names(catalogue: Catalogue) -> frozenset[str]:
    """Return every spelling of every architecture that the catalogue or one of its toolkits knows, in lower case.

    That includes targets which only old toolkits list and which have no row of their own (`sm_35`, `3.7`).
    """
    listed = {
        form + suffix
        for capability, suffixes in _targets(catalogue).items()
        for suffix in suffixes
        for form in forms(*capability)
    }
    return frozenset(listed | set(catalogue.spellings))


@functools.cache
def known_capabilities(catalogue: Catalogue) -> frozenset[tuple[int, int]]:
    """Return every NVIDIA compute capability that the catalogue or one of its toolkits knows."""
    rows = {a.capability for a in catalogue.architectures if a.vendor is Vendor.NVIDIA and a.capability}
    return frozenset(rows | set(_targets(catalogue)))


def names_architecture(literal: str | int | tuple[int, int], catalogue: Catalogue) -> bool | None:
    """Tell whether a literal names an architecture: `120`, `"sm_90a"`, `"12.0"`, `(12, 0)`, `"gfx942"`.

    False only where the catalogue can tell: `122` lies among compute capabilities that are all known. None where it
    cannot: older than the oldest toolkit listed, a major number above every known one, an AMD name without a row, or
    a text that is not written like an architecture.
    """
    if isinstance(literal, tuple):
        return _exists(literal, "", catalogue)
    text = str(literal).strip().lower()
    if text.startswith("gfx"):
        return True if catalogue.find(text) else None
    match = _NUMERAL.fullmatch(text)
    if match is None:
        return None
    major, minor = match[1] or match[3], match[2] or match[4]
    return _exists((int(major), int(minor)), match[5], catalogue)


def _exists(capability: tuple[int, int], suffix: str, catalogue: Catalogue) -> bool | None:
    known = known_capabilities(catalogue)
    if capability in known:
        return f"{capability[0]}.{capability[1]}{suffix}" in known_names(catalogue)
    if capability < min(known) or capability[0] > max(known)[0]:
        return None
    return False


@functools.cache
def _targets(catalogue: Catalogue) -> Mapping[tuple[int, int], frozenset[str]]:
    """Map each capability that a toolkit lists to the suffixes listed for it (`""`, `"a"`, `"f"`)."""
    found: dict[tuple[int, int], frozenset[str]] = {}
    for target in {target for targets in catalogue.toolkits.values() for target in targets}:
        if match := _NUMERAL.fullmatch(target):
            capability = (int(match[3]), int(match[4]))
            found[capability] = found.get(capability, frozenset()) | {match[5]}
    return found
