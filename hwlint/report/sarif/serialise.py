"""Turn sarif_om objects into JSON values by walking their attrs metadata.

The customary serializer drops every value that equals the class default, and with it `level: warning`: a warning under
a rule whose own level is error is then shown as an error. This walk keeps what a reader must not have to infer.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import cache
from operator import attrgetter
from typing import Any, cast

import attrs

_PLAIN = frozenset({str, int, float, bool, type(None)})
_GROUPS = frozenset({list, dict})
_ALWAYS_SAID = frozenset({"level", "results"})
"""Properties that are written even where their value is the default or an empty list."""


def as_json(value: Any) -> Any:
    """Return `value` as dicts, lists, strings and numbers under the names of the SARIF schema.

    None, empty lists and dicts, and values that the class has by default are left out; dicts keep their own keys.
    """
    kind = type(value)
    if kind in _PLAIN:
        return value
    if kind is list:
        return [as_json(item) for item in value]
    if kind is dict:
        return {key: as_json(item) for key, item in value.items()}
    return _object(value, _shape(cast("Hashable", kind)))


def _object(value: Any, shape: _Shape) -> dict[str, Any]:
    written: dict[str, Any] = {}
    for name, default, item in zip(shape.names, shape.defaults, shape.read(value), strict=True):
        if item is None:
            continue
        kind = type(item)
        if kind in _PLAIN:
            if item != default or name in _ALWAYS_SAID:
                written[name] = item
        elif kind not in _GROUPS or (item and item != default) or name in _ALWAYS_SAID:
            written[name] = as_json(item)
    return written


@dataclass(frozen=True, slots=True)
class _Shape:
    """How to read a class of sarif_om: a getter of all attributes, and for each its name in the schema and default."""

    read: Callable[[Any], tuple[Any, ...]]
    names: tuple[str, ...]
    defaults: tuple[Any, ...]


@cache
def _shape(kind: Any) -> _Shape:
    """Return the shape of a class; reading through it spares each object the dict that `vars` would make."""
    fields = attrs.fields(kind)
    return _Shape(
        read=attrgetter(*(field.name for field in fields)),
        names=tuple(field.metadata["schema_property_name"] for field in fields),
        defaults=tuple(_default(field.default) for field in fields),
    )


def _default(default: Any) -> Any:
    made = getattr(default, "factory", None)
    return made() if callable(made) else default
