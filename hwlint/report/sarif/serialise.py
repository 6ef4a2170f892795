"""Turn sarif_om objects into JSON values by walking their attrs metadata.

The customary serializer drops every value that equals the class default, and with it `level: warning`: a warning under
a rule whose own level is error is then shown as an error. This walk keeps what a reader must not have to infer.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import attrs

_ALWAYS_SAID = frozenset({"level", "kind", "results"})
"""Properties that are written even where their value is the default or an empty list."""


def as_json(value: Any) -> Any:
    """Return `value` as dicts, lists, strings and numbers under the names of the SARIF schema.

    None, empty lists and dicts, and values that the class has by default are left out; dicts keep their own keys.
    """
    if isinstance(value, str | int | float | bool) or value is None:
        return value
    if isinstance(value, list | tuple):
        return [as_json(item) for item in value]
    if isinstance(value, dict):
        return {key: as_json(item) for key, item in value.items()}
    return _object(value)


def _object(value: Any) -> dict[str, Any]:
    written: dict[str, Any] = {}
    held = vars(value)
    for attribute, name, default in _properties(type(value)):
        item = held[attribute]
        if item is None:
            continue
        if name in _ALWAYS_SAID or (item != default and item != [] and item != {}):
            written[name] = as_json(item)
    return written


@cache
def _properties(kind: Any) -> tuple[tuple[str, str, Any], ...]:
    """Return (attribute, name in the schema, default) for a class of sarif_om, in the order of the class."""
    return tuple(
        (field.name, field.metadata["schema_property_name"], _default(field.default)) for field in attrs.fields(kind)
    )


def _default(default: Any) -> Any:
    made = getattr(default, "factory", None)
    return made() if callable(made) else default
