"""Describe one architecture of the catalogue."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


class Vendor(StrEnum):
    """Who makes the device, which decides the platform flags (`torch.version.hip` and the like)."""

    NVIDIA = "nvidia"
    AMD = "amd"


@dataclass(frozen=True, slots=True)
class Fact:
    """A value with the ids of its sources; `value` None means that the sources used do not tell."""

    value: Any
    source: tuple[str, ...] = ()
    note: str = ""


@dataclass(frozen=True, slots=True)
class Architecture:
    """One row of the catalogue.

    `name` is `sm_120` or `gfx942`. `capability` is what `torch.cuda.get_device_capability()` answers
    (major, minor), or None where that is not known. `family` names the group whose members run each other's
    family-specific code (`sm_100f`: 10.0, 10.3, 10.7), or the generation where there is no such group.
    `label` is for messages: `12.0 (sm_120, consumer Blackwell: RTX 50, RTX PRO 6000)`.
    `facts` maps dotted fact names (`limits.shared_mem_per_block_optin_kib`, `isa.wgmma`) to facts.
    """

    name: str
    vendor: Vendor
    capability: tuple[int, int] | None
    generation: str
    family: str
    label: str
    products: tuple[str, ...] = ()
    classes: tuple[str, ...] = ()
    """`datacenter`, `workstation_consumer`, `jetson`: the market segments with a named product."""
    facts: Mapping[str, Fact] = field(default_factory=dict, hash=False, compare=False)

    @property
    def major(self) -> int | None:
        """The first number of the capability."""
        return self.capability[0] if self.capability else None

    @property
    def minor(self) -> int | None:
        """The second number of the capability."""
        return self.capability[1] if self.capability else None

    @property
    def line(self) -> str:
        """The line of products: all of NVIDIA's are one, AMD's (CDNA, RDNA) name themselves differently."""
        return self.vendor if self.vendor is Vendor.NVIDIA else self.generation.rstrip("0123456789.")

    def fact(self, name: str) -> Any:
        """Return the value of a fact, or None where the catalogue has none."""
        found = self.facts.get(name)
        return None if found is None else found.value
