"""Write model values as JSON and read them back; what is read is checked, and nothing is ever run."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from hwlint.model.errors import HwlintError
from hwlint.model.finding import Certainty, Edit, Finding, Fix, Level, Safety, Suppression, TraceStep
from hwlint.model.matrix import Cell, Effect, Matrix, Row, Site, Status
from hwlint.model.report import Failure, Report, Summary, UnknownSite
from hwlint.model.span import Span

_CLASSES: dict[str, type[Any]] = {
    cls.__name__: cls
    for cls in (
        Span,
        TraceStep,
        Edit,
        Fix,
        Suppression,
        Finding,
        Report,
        UnknownSite,
        Failure,
        Summary,
        Cell,
        Effect,
        Site,
        Row,
        Matrix,
    )
}
_ENUMS: dict[str, type[StrEnum]] = {cls.__name__: cls for cls in (Level, Certainty, Safety, Status)}
_FIELDS = {name: tuple(field.name for field in dataclasses.fields(cls)) for name, cls in _CLASSES.items()}


class CodecError(HwlintError):
    """A value that has no JSON form, or a document that is not one of ours."""


def dumps(value: object) -> str:
    """Return `value` as JSON text; raises CodecError for a type that is not of the model."""
    return json.dumps(_encoded(value), separators=(",", ":"), ensure_ascii=True)


def loads(text: str) -> Any:
    """Return the value that `dumps` wrote; raises CodecError for anything else."""
    try:
        return _decoded(json.loads(text))
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise CodecError(f"not a document of hwlint's: {error}") from error


def _encoded(value: object) -> Any:
    kind = type(value)
    if value is None or kind in (str, int, bool, float):
        return value
    if kind is tuple:
        return ["t", *(_encoded(item) for item in value)]  # type: ignore[attr-defined]
    name = kind.__name__
    if _CLASSES.get(name) is kind:
        return [name, *(_encoded(getattr(value, field)) for field in _FIELDS[name])]
    if _ENUMS.get(name) is kind:
        return [name, str(value)]
    if isinstance(value, Mapping):
        return ["d", *([_encoded(key), _encoded(item)] for key, item in value.items())]
    if isinstance(value, (frozenset, set)):
        return ["f", *sorted(map(_encoded, value), key=repr)]
    if isinstance(value, tuple):
        return ["t", *map(_encoded, value)]
    raise CodecError(f"a {name} has no JSON form")


def _decoded(value: Any) -> Any:
    if not isinstance(value, list):
        return value
    tag, *rest = value
    if tag == "t":
        return tuple(map(_decoded, rest))
    if tag in _CLASSES:
        return _CLASSES[tag](*map(_decoded, rest))
    if tag in _ENUMS:
        return _ENUMS[tag](*rest)
    if tag == "d":
        return {_decoded(key): _decoded(item) for key, item in rest}
    if tag == "f":
        return frozenset(map(_decoded, rest))
    raise CodecError(f"unknown tag {tag!r}")
