"""Tell in which form a key names an architecture (`12`, `(12, 0)`, `"12.0"`, `"sm_120"`), and name others in it."""

from __future__ import annotations

from collections.abc import Callable

from hwlint.model.architecture import Architecture

Form = Callable[[Architecture], object]
"""Names an architecture in one form; None for one that has no such name."""


def form_of(key: object, architecture: Architecture) -> Form | None:
    """Return the form in which `key` names `architecture`, or None where it is none that is known.

    An int is tried as major, as major * 10 + minor and as `__CUDA_ARCH__`; a text as one that holds the capability
    with a dot, its digits, or the major number alone.
    """
    if architecture.capability is None:
        return _named(key, architecture)
    for form in (_major, _digits, _cuda_arch, _pair, _triple, _decimal):
        if _equal(form(architecture), key):
            return form
    return _text_form(key, architecture) if isinstance(key, str) else None


def _equal(left: object, right: object) -> bool:
    return type(left) is type(right) and left == right


def _major(architecture: Architecture) -> object:
    return architecture.major


def _digits(architecture: Architecture) -> object:
    return None if architecture.capability is None else architecture.capability[0] * 10 + architecture.capability[1]


def _cuda_arch(architecture: Architecture) -> object:
    digits = _digits(architecture)
    return digits * 10 if isinstance(digits, int) else None


def _pair(architecture: Architecture) -> object:
    return architecture.capability


def _triple(architecture: Architecture) -> object:
    return None if architecture.capability is None else (*architecture.capability, 0)


def _decimal(architecture: Architecture) -> object:
    return None if architecture.capability is None else float("{}.{}".format(*architecture.capability))


def _named(key: object, architecture: Architecture) -> Form | None:
    return (lambda one: one.name) if key == architecture.name else None


def _text_form(key: str, architecture: Architecture) -> Form | None:
    if key == architecture.name:
        return lambda one: one.name
    assert architecture.capability is not None
    major, minor = architecture.capability
    for spell in ("{0}.{1}", "{0}{1}", "{0}_{1}", "{0}"):
        written = spell.format(major, minor)
        if key.count(written) == 1:
            head, _, tail = key.partition(written)
            return _template(head, spell, tail)
    return None


def _template(head: str, spell: str, tail: str) -> Form:
    def form(architecture: Architecture) -> object:
        return None if architecture.capability is None else head + spell.format(*architecture.capability) + tail

    return form
