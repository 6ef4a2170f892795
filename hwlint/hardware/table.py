"""Hold the catalogue of architectures and find its rows."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hwlint.hardware import entries, files, toolkits
from hwlint.model.architecture import Architecture, Vendor

if TYPE_CHECKING:
    from hwlint.hardware.background import Source


@dataclass(frozen=True, slots=True, eq=False)
class Catalogue:
    """The known architectures: NVIDIA by compute capability, then AMD. Compares by identity.

    `toolkits` maps a CUDA toolkit release to the compile targets that it lists (`sm_90a`), oldest release first.
    `added` names the architectures that come from a project's configuration.
    """

    architectures: tuple[Architecture, ...]
    toolkits: Mapping[str, tuple[str, ...]]
    added: frozenset[str]
    spellings: Mapping[str, Architecture]
    """Every accepted way to write an architecture, in lower case."""

    @property
    def newest_toolkit(self) -> str:
        """The newest CUDA toolkit release whose targets are known."""
        return list(self.toolkits)[-1]

    @property
    def sources(self) -> Mapping[str, Source]:
        """What each source id stands for; read from disk on first use."""
        from hwlint.hardware import background

        return background.sources()

    def find(self, text: str) -> Architecture | None:
        """Return the architecture that `text` names, or None.

        Accepts `sm_120`, `sm120`, `compute_120`, `120`, `12.0`, each with the suffix of a target that exists (`90a`,
        `12.0f`), and `gfx942` with or without feature flags (`gfx942:sramecc+:xnack-`); case does not count.
        A bare capability means NVIDIA.
        """
        key = text.strip().lower()
        return self.spellings.get(key.partition(":")[0] if key.startswith("gfx") else key)


@functools.cache
def load() -> Catalogue:
    """Read the catalogue that comes with hwlint; later calls return the same object."""
    document = files.who_is_who()
    listed = toolkits.unfold(document["toolkits"])
    return assemble(entries.architectures(document["architectures"], listed), listed)


def assemble(
    architectures: Iterable[Architecture],
    listed: Mapping[str, tuple[str, ...]],
    added: frozenset[str] = frozenset(),
) -> Catalogue:
    """Put architectures into catalogue order and index their spellings."""
    ordered = tuple(sorted(architectures, key=order))
    spellings = {spelling: arch for arch in ordered for spelling in spell(arch)}
    return Catalogue(ordered, listed, added, spellings)


def order(arch: Architecture) -> tuple[int, tuple[int, int]]:
    """Sort key of the catalogue: NVIDIA by capability, then AMD as listed."""
    if arch.vendor is Vendor.NVIDIA and arch.capability is not None:
        return (0, arch.capability)
    return (1, (0, 0))


def spell(arch: Architecture) -> tuple[str, ...]:
    """Return the ways to write one architecture, its name first, all in lower case."""
    if arch.vendor is not Vendor.NVIDIA or arch.capability is None:
        return (arch.name,)
    suffixes = ("", *(suffix for suffix in "af" if arch.fact(f"compiler_targets.{suffix}") != toolkits.NONE))
    return tuple([form + suffix for suffix in suffixes for form in forms(*arch.capability)])


def forms(major: int, minor: int) -> tuple[str, ...]:
    """Return the ways to write a compute capability without a suffix, the name of the target first."""
    digits = f"{major}{minor}"
    return (f"sm_{digits}", f"sm{digits}", f"compute_{digits}", digits, f"{major}.{minor}")
