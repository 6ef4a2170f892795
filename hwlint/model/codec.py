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
from typing import Any

from hwlint.model.errors import HwlintError
from hwlint.model.finding import Certainty, Edit, Finding, Fix, Level, Safety, Suppression, TraceStep
from hwlint.model.matrix import Cell, Effect, Matrix, Row, Site, Status
from hwlint.model.report import Failure, Report, Summary, UnknownSite
from hwlint.model.span import Span

_PLAIN = frozenset((str, int, bool, float, type(None)))


class CodecError(HwlintError):
    """A value that has no JSON form, or a document that is not one of ours."""


class Codec:
    """Writes and reads values of certain classes and enumerations, and tuples, sets, mappings and constants of them."""

    def __init__(self, classes: Iterable[type[Any]], enums: Iterable[type[StrEnum]] = ()) -> None:
        """Know these classes, which are dataclasses, by their names."""
        self._classes = {cls.__name__: cls for cls in classes}
        self._enums = {cls.__name__: cls for cls in enums}
        self._fields = {name: tuple(one.name for one in dataclasses.fields(cls)) for name, cls in self._classes.items()}

    def dumps(self, value: object) -> str:
        """Return `value` as JSON text without line breaks; raises CodecError for a type that is not known."""
        pool = _Pool(self)
        pool.add(value)
        return json.dumps(pool.nodes, separators=(",", ":"), ensure_ascii=True)

    def loads(self, text: str) -> Any:
        """Return the value that `dumps` wrote; raises CodecError for anything else."""
        try:
            nodes = json.loads(text)
            made: list[Any] = []
            for node in nodes if type(nodes) is list else ():
                made.append(self._made(node, made) if type(node) is list else node)
            return made[-1]
        except (ValueError, TypeError, KeyError, IndexError, RecursionError) as error:
            raise CodecError(f"not a document of hwlint's: {error}") from error

    def _made(self, node: list[Any], made: list[Any]) -> Any:
        tag = node[0]
        parts = [made[index] for index in node[1:]]
        if tag == "t":
            return tuple(parts)
        cls = self._classes.get(tag)
        if cls is not None:
            return cls(*parts)
        if tag in self._enums:
            return self._enums[tag](*parts)
        if tag == "d":
            return dict(zip(parts[::2], parts[1::2], strict=True))
        if tag == "f":
            return frozenset(parts)
        raise ValueError(f"unknown tag {tag!r}")

    def parts(self, value: object) -> tuple[str, Iterable[object]]:
        """The tag of a value that is no constant, and what it is made of; raises CodecError for an unknown type."""
        kind = type(value)
        name = kind.__name__
        if self._classes.get(name) is kind:
            return name, [getattr(value, field) for field in self._fields[name]]
        if isinstance(value, StrEnum) and self._enums.get(name) is kind:
            return name, (value.value,)
        if isinstance(value, tuple):
            return "t", value
        if isinstance(value, Mapping):
            return "d", [part for item in value.items() for part in item]
        if isinstance(value, (frozenset, set)):
            return "f", sorted(value, key=repr)
        raise CodecError(f"a {name} has no JSON form")


class _Pool:
    """The nodes of one document."""

    def __init__(self, codec: Codec) -> None:
        self.nodes: list[Any] = []
        self._codec = codec
        self._known: dict[tuple[object, ...], int] = {}
        """Where equal nodes are."""
        self._seen: dict[int, tuple[int, object]] = {}
        """Where objects are that were met before, and they themselves, so that no other gets their identity."""

    def add(self, value: object) -> int:
        """Write down a value, unless it is there, and return its number."""
        found = self._seen.get(id(value))
        if found is not None:
            return found[0]
        if type(value) in _PLAIN:
            number = self._node((type(value), value), value)
        else:
            tag, parts = self._codec.parts(value)
            numbers = [self.add(part) for part in parts]
            number = self._node((tag, *numbers), [tag, *numbers])
        self._seen[id(value)] = number, value
        return number

    def _node(self, key: tuple[object, ...], node: object) -> int:
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = len(self.nodes)
            self.nodes.append(node)
        return found


_REPORTS = Codec(
    (
        *(Span, TraceStep, Edit, Fix, Suppression, Finding, Report, UnknownSite, Failure, Summary),
        *(Cell, Effect, Site, Row, Matrix),
    ),
    (Level, Certainty, Safety, Status),
)
dumps = _REPORTS.dumps
"""Write a report, a matrix, or a part of one."""
loads = _REPORTS.loads
"""Read what `dumps` wrote."""
