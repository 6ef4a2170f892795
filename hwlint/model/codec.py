"""Write model values as JSON and read them back; what is read is checked, and nothing is ever run.

A document is a list of nodes. A text, number, truth value or null stands for itself; anything else is a list of a tag
and the numbers of the nodes that it is made of, which come before it. Equal parts are written once; the last node is
the value.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Any, get_args

from hwlint.model.errors import HwlintError
from hwlint.model.finding import Certainty, Edit, Finding, Fix, Level, Safety, Suppression, TraceStep
from hwlint.model.matrix import Cell, Effect, Matrix, Row, Site, Status
from hwlint.model.observation import Admission, Happening, NamePiece, Observation, Place, Table, Thing
from hwlint.model.outcome import Outcome
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
        Place,
        Table,
        Happening,
        Admission,
        NamePiece,
        Thing,
        *get_args(Observation),
        *get_args(Outcome),
    )
}
_ENUMS: dict[str, type[StrEnum]] = {cls.__name__: cls for cls in (Level, Certainty, Safety, Status)}
_FIELDS = {name: tuple(field.name for field in dataclasses.fields(cls)) for name, cls in _CLASSES.items()}
_PLAIN = frozenset((str, int, bool, float, type(None)))


class CodecError(HwlintError):
    """A value that has no JSON form, or a document that is not one of ours."""


def dumps(value: object) -> str:
    """Return `value` as JSON text without line breaks; raises CodecError for a type that is not of the model."""
    pool = _Pool()
    pool.add(value)
    return json.dumps(pool.nodes, separators=(",", ":"), ensure_ascii=True)


def loads(text: str) -> Any:
    """Return the value that `dumps` wrote; raises CodecError for anything else."""
    try:
        nodes = json.loads(text)
        made: list[Any] = []
        for node in nodes if type(nodes) is list else ():
            made.append(_made(node, made) if type(node) is list else node)
        return made[-1]
    except (ValueError, TypeError, KeyError, IndexError, RecursionError) as error:
        raise CodecError(f"not a document of hwlint's: {error}") from error


def _made(node: list[Any], made: list[Any]) -> Any:
    tag = node[0]
    parts = [made[index] for index in node[1:]]
    if tag == "t":
        return tuple(parts)
    cls = _CLASSES.get(tag)
    if cls is not None:
        return cls(*parts)
    if tag in _ENUMS:
        return _ENUMS[tag](*parts)
    if tag == "d":
        return dict(zip(parts[::2], parts[1::2], strict=True))
    if tag == "f":
        return frozenset(parts)
    raise ValueError(f"unknown tag {tag!r}")


class _Pool:
    """The nodes of one document."""

    def __init__(self) -> None:
        self.nodes: list[Any] = []
        self._known: dict[tuple[object, ...], int] = {}
        """Where equal nodes are."""
        self._seen: dict[int, int] = {}
        """Where objects are that were met before; whoever wrote them down keeps them alive."""

    def add(self, value: object) -> int:
        """Write down a value, unless it is there, and return its number."""
        found = self._seen.get(id(value))
        if found is None:
            found = self._seen[id(value)] = self._added(value)
        return found

    def _added(self, value: object) -> int:
        kind = type(value)
        if kind in _PLAIN:
            return self._node((kind, value), value)
        name = kind.__name__
        if _CLASSES.get(name) is kind:
            return self._compound(name, [getattr(value, field) for field in _FIELDS[name]])
        if isinstance(value, StrEnum) and _ENUMS.get(name) is kind:
            word = self._node((str, value.value), value.value)
            return self._node((name, word), [name, word])
        if isinstance(value, tuple):
            return self._compound("t", value)
        if isinstance(value, Mapping):
            return self._compound("d", [part for item in value.items() for part in item])
        if isinstance(value, (frozenset, set)):
            return self._compound("f", sorted(value, key=repr))
        raise CodecError(f"a {name} has no JSON form")

    def _compound(self, tag: str, parts: Iterable[object]) -> int:
        numbers = [self.add(part) for part in parts]
        return self._node((tag, *numbers), [tag, *numbers])

    def _node(self, key: tuple[object, ...], node: object) -> int:
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = len(self.nodes)
            self.nodes.append(node)
        return found
