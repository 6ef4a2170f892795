"""Add the architectures that a project defines in its configuration."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NoReturn

from hwlint.hardware import facts
from hwlint.hardware.entries import SEGMENTS, UNKNOWN_GENERATION, label
from hwlint.hardware.table import Catalogue, assemble
from hwlint.model.architecture import Architecture, Fact, Vendor
from hwlint.model.errors import SettingsError

_KEYS = ("capability", "like", "generation", "family", "products", "classes")
_SOURCE = ("configuration",)
_TAKEN_OVER = ("limits.", "tensor_core_inputs.", "isa.", "isa_suffix.", "matrix_instructions.", "rocm.fp8_type")
"""The facts that `like` copies: what the silicon has, not which toolkits or binaries exist."""

_NAME = re.compile(r"sm_\d{2,}|gfx[0-9a-f]{3,}")
_CAPABILITY = re.compile(r"(\d+)\.(\d)")


def extend(catalogue: Catalogue, definitions: Mapping[str, Mapping[str, object]]) -> Catalogue:
    """Return the catalogue with a project's architectures (`[tool.hwlint.architectures.<name>]`).

    A definition has `capability` ("13.0": what `get_device_capability()` answers) and may have `like` (the
    architecture whose limits, formats and instructions it shares; with the same major number, its family too),
    `generation`, `family`, `products`, `classes`, and any fact of the catalogue, as a table (`limits = {...}`) or by
    its dotted name. What it does not say stays unknown.

    Raises SettingsError for a name that is taken or not written as `sm_130` or `gfx1300`, an unknown key or fact, and
    a value of the wrong kind, with a message for each.
    """
    if not definitions:
        return catalogue
    added: list[Architecture] = []
    wrong: list[str] = []
    for name, table in definitions.items():
        try:
            added.append(_Definition(name, table, catalogue).build())
        except SettingsError as error:
            wrong += error.messages
    if wrong:
        raise SettingsError(*wrong)
    names = catalogue.added | {arch.name for arch in added}
    return assemble((*catalogue.architectures, *added), catalogue.toolkits, names)


class _Definition:
    """One table of the configuration, read key by key."""

    def __init__(self, name: str, table: Mapping[str, object], catalogue: Catalogue) -> None:
        self._name = name
        self._table = table
        self._catalogue = catalogue

    def build(self) -> Architecture:
        self._check_name()
        own = self._facts()
        capability = self._capability()
        donor = self._donor()
        same_major = donor is not None and donor.major == capability[0]
        generation = self._text("generation") or (donor.generation if donor else UNKNOWN_GENERATION)
        products = self._texts("products")
        stated = {
            "torch_device_capability": Fact(capability, _SOURCE),
            "generation": Fact(generation, _SOURCE),
            "products": Fact(products or None, _SOURCE if products else ()),
        }
        return Architecture(
            name=self._name,
            vendor=Vendor.NVIDIA if self._name.startswith("sm_") else Vendor.AMD,
            capability=capability,
            generation=generation,
            family=self._text("family") or (donor.family if donor and same_major else self._name),
            label=label(self._name, capability, generation, ", ".join(products[:2])),
            products=products,
            classes=self._classes(),
            facts=_copied(donor) | stated | own,
        )

    def _check_name(self) -> None:
        if not _NAME.fullmatch(self._name):
            self._refuse("is not an architecture name; write it as `sm_130` or `gfx1300`")
        if self._catalogue.find(self._name):
            self._refuse("is in the catalogue already; remove the table, or choose another name")

    def _capability(self) -> tuple[int, int]:
        given = self._text("capability")
        match = _CAPABILITY.fullmatch(given or "")
        if match is None:
            said = "has no `capability`" if given is None else f"has `capability = {given!r}`"
            self._refuse(f'{said}; write major and minor number as text, like `capability = "13.0"`')
        capability = (int(match[1]), int(match[2]))
        if self._name.startswith("sm_") and self._name != f"sm_{match[1]}{match[2]}":
            self._refuse(
                f"has `capability = {given!r}`, which belongs to `sm_{match[1]}{match[2]}`; make the two agree"
            )
        return capability

    def _donor(self) -> Architecture | None:
        given = self._text("like")
        if given is None:
            return None
        donor = self._catalogue.find(given)
        if donor is None:
            self._refuse(
                f"is like `{given}`, which is not in the catalogue{_nearest(given, self._catalogue.spellings)}"
            )
        return donor

    def _classes(self) -> tuple[str, ...]:
        classes = self._texts("classes")
        for name in classes:
            if name not in SEGMENTS:
                self._refuse(f"has the class `{name}`{_nearest(name, SEGMENTS)}; there are {', '.join(SEGMENTS)}")
        return classes

    def _facts(self) -> dict[str, Fact]:
        """Return the facts that the table states beside its own keys, checked against what the catalogue holds."""
        stated: dict[str, Fact] = {}
        given = list(_flat({key: value for key, value in self._table.items() if key not in _KEYS}))
        if unknown := [name for name, _ in given if name not in facts.names()]:
            known = (*_KEYS, *facts.names())
            self._refuse(*(f"has the unknown key `{name}`{_nearest(name, known)}" for name in unknown))
        for name, value in given:
            kinds = facts.kinds(name)
            if type(value) not in kinds:
                wanted = " or ".join(sorted(kind.__name__ for kind in kinds))
                self._refuse(f"has `{name}` of type {type(value).__name__}; the catalogue has {wanted} there")
            stated[name] = Fact(value, _SOURCE)
        return stated

    def _text(self, key: str) -> str | None:
        value = self._table.get(key)
        if value is not None and not isinstance(value, str):
            self._refuse(f"has `{key} = {value!r}`; write it as text in quotes")
        return value

    def _texts(self, key: str) -> tuple[str, ...]:
        value = self._table.get(key, ())
        if isinstance(value, str) or not isinstance(value, Sequence) or not all(isinstance(one, str) for one in value):
            self._refuse(f"has `{key} = {value!r}`; write a list of texts")
        return tuple(value)

    def _refuse(self, *whys: str) -> NoReturn:
        raise SettingsError(*(f"[tool.hwlint.architectures.{self._name}] {why}" for why in whys))


def _copied(donor: Architecture | None) -> dict[str, Fact]:
    if donor is None:
        return {}
    note = f"taken over from {donor.name}"
    return {
        name: Fact(fact.value, _SOURCE, note)
        for name, fact in donor.facts.items()
        if name.startswith(_TAKEN_OVER) and fact.value is not None
    }


def _flat(table: Mapping[str, object], prefix: str = "") -> Iterator[tuple[str, object]]:
    for key, value in table.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", tuple(value) if isinstance(value, list) else value


def _nearest(word: str, words: Sequence[str] | Mapping[str, object]) -> str:
    from hwlint.model.suggest import did_you_mean

    return did_you_mean(word, words)
