"""Know what lies beyond single architectures: sources and their conflicts, systems and their links, general rules."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass

from hwlint.hardware import files
from hwlint.model.architecture import Architecture, Fact, Vendor


@dataclass(frozen=True, slots=True)
class Source:
    """Where facts come from: how they were obtained, which document or run, and where to find it."""

    kind: str
    what: str
    address: str


@dataclass(frozen=True, slots=True)
class System:
    """A board, rack or setup whose links are known; the capability alone does not tell them.

    `nvlink`, `nvswitch` and `multicast` (NVLS) are facts with a bool, or with None where the sources do not tell.
    """

    name: str
    capability: str
    nvlink: Fact
    nvswitch: Fact
    multicast: Fact


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two sources that disagree, and which one the catalogue follows."""

    what: str
    a: str
    b: str
    taken: str


@functools.cache
def sources() -> Mapping[str, Source]:
    """Map each source id to what it stands for (sources.toml)."""
    return {name: Source(**entry) for name, entry in files.document("sources.toml").items()}


@functools.cache
def systems() -> tuple[System, ...]:
    """Return the systems of background.toml."""
    unknown = Fact(None)
    told = [
        {key: files.fact(entry[key]) if key in entry else unknown for key in ("nvlink", "nvswitch", "nvls_multicast")}
        for entry in _document()["systems"]
    ]
    return tuple(
        System(entry["name"], entry["capability"], facts["nvlink"], facts["nvswitch"], facts["nvls_multicast"])
        for entry, facts in zip(_document()["systems"], told, strict=True)
    )


def systems_with(arch: Architecture) -> tuple[System, ...]:
    """Return the known systems built from an NVIDIA architecture; empty means that none is recorded."""
    if arch.vendor is not Vendor.NVIDIA or arch.capability is None:
        return ()
    capability = f"{arch.capability[0]}.{arch.capability[1]}"
    return tuple(system for system in systems() if system.capability == capability)


def multicast_rule() -> Fact:
    """Return what decides whether a system has multicast (NVLS)."""
    return files.fact(_document()["multicast"]["rule"])


@functools.cache
def rules() -> Mapping[str, Fact]:
    """Return the general rules: which code runs where, what torch answers."""
    return {name: files.fact(row) for name, row in _document()["rules"].items()}


@functools.cache
def conflicts() -> tuple[Conflict, ...]:
    """Return the known disagreements between sources."""
    return tuple(Conflict(**entry) for entry in _document()["conflicts"])


@functools.cache
def _document() -> dict[str, files.Table]:
    return files.document("background.toml")
