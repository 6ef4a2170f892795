"""Read the TOML files of the catalogue."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hwlint.model.architecture import Fact

Table = Any
"""What tomllib returns for a table or an array: the shape is the file's, and the tests check it."""

_NOT_TOLD = "?"
_FIRST_FACTS = "\n[facts."


def who_is_who() -> dict[str, Table]:
    """Parse the first part of architectures.toml: toolkits and one block for each architecture."""
    return _parse(_text("architectures.toml").partition(_FIRST_FACTS)[0])


def fact_sections() -> dict[str, Table]:
    """Parse the second part of architectures.toml: section, then fact name, then rows."""
    _, start, rest = _text("architectures.toml").partition(_FIRST_FACTS)
    sections: dict[str, Table] = _parse(start + rest)["facts"]
    return sections


def document(name: str) -> dict[str, Table]:
    """Parse one of the other files: `sources.toml` or `background.toml`."""
    return _parse(_text(name))


def fact(row: Sequence[Table]) -> Fact:
    """Turn `[value, 'source ids', 'note']` into a fact; arrays become tuples, `?` becomes None."""
    return Fact(_frozen(row[0]), tuple(row[1].split()), row[2] if len(row) > 2 else "")


def _text(name: str) -> str:
    return Path(__file__).with_name(name).read_text(encoding="utf-8")


def _parse(text: str) -> dict[str, Table]:
    import tomllib

    return tomllib.loads(text)


def _frozen(value: Table) -> Table:
    if isinstance(value, list):
        return tuple([_frozen(part) for part in value])
    return None if value == _NOT_TOLD else value
