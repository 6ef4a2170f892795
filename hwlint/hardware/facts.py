"""Look up the facts of an architecture, and read the file's fact tables only when one is asked for."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping

from hwlint.hardware.files import fact, fact_sections
from hwlint.model.architecture import Fact
from hwlint.model.errors import HwlintError


class Facts(Mapping[str, Fact]):
    """Facts by dotted name: an architecture's own, and those of the rows of [facts] that name it.

    `row` is how those rows name the architecture (`12.0`, `gfx942`), or empty for one that the file does not have.
    """

    __slots__ = ("_own", "_row")

    def __init__(self, own: Mapping[str, Fact], row: str = "") -> None:
        self._own = own
        self._row = row

    def __getitem__(self, name: str) -> Fact:
        found = self._own.get(name)
        return by_row().get(self._row, {})[name] if found is None else found

    def __iter__(self) -> Iterator[str]:
        yield from self._own
        yield from (name for name in by_row().get(self._row, ()) if name not in self._own)

    def __len__(self) -> int:
        return sum(1 for _ in self)


@functools.cache
def by_row() -> Mapping[str, Mapping[str, Fact]]:
    """Turn the tables of [facts] round: architecture as the rows name it, then dotted fact name, then fact."""
    turned: dict[str, dict[str, Fact]] = {}
    for section, entries in fact_sections().items():
        for key, rows in entries.items():
            name = f"{section}.{key}"
            for value, members, *rest in rows:
                shared = fact((value, *rest))
                for member in members.split():
                    if turned.setdefault(member, {}).setdefault(name, shared) is not shared:
                        raise HwlintError(
                            f"architectures.toml: [facts.{section}] {key} has two rows for {member}; keep one"
                        )
    return turned


@functools.cache
def names() -> frozenset[str]:
    """Every fact name that [facts] knows, dotted."""
    return frozenset(f"{section}.{key}" for section, entries in fact_sections().items() for key in entries)


def kinds(name: str) -> frozenset[type]:
    """Return the types that the values of a fact have in the catalogue (`bool`, `int`, `str`, `tuple`)."""
    found = (row[name].value for row in by_row().values() if name in row)
    return frozenset(type(value) for value in found if value is not None)
