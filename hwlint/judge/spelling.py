"""Tell in which form a value names an architecture or a version: `12`, `120`, `(12, 0)`, `12.0`, `sm_120a`."""

from __future__ import annotations

import re
from dataclasses import dataclass

from hwlint.model.architecture import Architecture, Vendor

_TEXT = re.compile(
    r"(?P<prefix>sm_|sm|compute_|cc|)(?P<digits>\d+)(?P<dot>\.(?P<minor>\d+))?(?P<tail>[af]?)(?P<ptx>\+PTX)?", re.I
)
_VERSION = re.compile(r"(?:sm_?|compute_)?(\d+(?:\.\d+)*)[a-z]?(?:\+PTX)?", re.I)


@dataclass(frozen=True, slots=True)
class Form:
    """How a value is written, without saying which architecture: `text` is the form in words."""

    name: str
    """`major`, `number`, `hundreds`, `tuple`, `digits`, `dotted`, `prefixed`, `gfx` or `gfx with features`."""
    text: str


MAJOR = Form("major", "a first number")
NUMBER = Form("number", "a number of both parts")
HUNDREDS = Form("hundreds", "a number in hundreds")
TUPLE = Form("tuple", "a tuple")
DIGITS = Form("digits", "digits as text")
DOTTED = Form("dotted", "a text with a dot")
PREFIXED = Form("prefixed", "a target's name")
GFX = Form("gfx", "a gfx name")
GFX_FEATURES = Form("gfx with features", "a gfx name with features")

_MAJORS = range(5, 14)
_OLDEST = 50


def form_on(value: object, row: Architecture) -> Form | None:
    """Return the form in which `value` names `row`, or None where it does not."""
    if row.capability is None:
        return _gfx_form(value, row)
    major, minor = row.capability
    match value:
        case bool():
            return None
        case int():
            known = {major: MAJOR, major * 10 + minor: NUMBER, major * 100 + minor * 10: HUNDREDS}
            return known.get(value)
        case tuple():
            return TUPLE if tuple(value) == (major, minor) else None
        case str():
            form = form_of_text(value)
            if form in (GFX, GFX_FEATURES):
                return _gfx_form(value, row)
            return form if form is not None and numbers(value) == (major, minor) else None
    return None


def form_of_text(text: str) -> Form | None:
    """Return the form of a text that could name an architecture, None for any other text."""
    if text.startswith("gfx"):
        return GFX_FEATURES if ":" in text else GFX
    match = _TEXT.fullmatch(text)
    if match is None or match["ptx"]:
        return None
    if match["prefix"]:
        return PREFIXED
    if match["dot"]:
        return DOTTED
    return DIGITS if 2 <= len(match["digits"]) <= 3 else None


def form_of_literal(value: object) -> Form | None:
    """Return the form of a literal that is compared with an architecture, as far as its size tells."""
    match value:
        case bool():
            return None
        case int():
            if value in _MAJORS:
                return MAJOR
            if _OLDEST <= value < 200:
                return NUMBER
            return HUNDREDS if 500 <= value < 2000 and value % 10 == 0 else None
        case tuple() if len(value) == 2 and all(type(part) is int for part in value):
            return TUPLE
        case str():
            return form_of_text(value)
    return None


def numbers(text: str) -> tuple[int, int] | None:
    """Return the capability that a text names: (12, 0) for `12.0`, `120`, `sm_120a`."""
    match = _TEXT.fullmatch(text)
    if match is None:
        return None
    if match["dot"]:
        return int(match["digits"]), int(match["minor"])
    digits = match["digits"]
    return (int(digits[:-1]), int(digits[-1])) if len(digits) > 1 else None


def version_key(text: str) -> tuple[int, ...] | None:
    """Return the parts of a version as numbers, for the order that was meant; None for a text that is none."""
    match = _VERSION.fullmatch(text)
    return tuple(int(part) for part in match[1].split(".")) if match else None


def _gfx_form(value: object, row: Architecture) -> Form | None:
    if not isinstance(value, str) or row.vendor is not Vendor.AMD:
        return None
    name, colon, _ = value.partition(":")
    if name != row.name:
        return None
    return GFX_FEATURES if colon else GFX
