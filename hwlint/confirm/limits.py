"""Compare what a device says, and what a compiled kernel takes, with the catalogue's limits of an architecture."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

_KIB = 1024
_COMPARED = (
    ("limits.shared_mem_per_block_optin_kib", "shared_mem_per_block_optin", _KIB),
    ("limits.static_shared_mem_per_block_kib", "shared_mem_per_block", _KIB),
    ("limits.shared_mem_per_sm_kib", "shared_mem_per_sm", _KIB),
    ("limits.warp_size", "warp_size", 1),
    ("limits.registers_per_sm", "registers_per_sm", 1),
    ("limits.max_threads_per_sm", "max_threads_per_sm", 1),
    ("limits.max_threads_per_block", "max_threads_per_block", 1),
)


@dataclass(frozen=True, slots=True)
class Difference:
    """A fact on which the catalogue and a device disagree; both values in the catalogue's unit."""

    architecture: str
    fact: str
    catalogue: float
    device: float

    def __str__(self) -> str:
        return f"{self.architecture}: {self.fact} is {self.catalogue:g} in the catalogue, {self.device:g} on the device"


def differences(architecture: str, facts: Mapping[str, Any], measured: Mapping[str, Any]) -> tuple[Difference, ...]:
    """Return where the device's own numbers differ from the catalogue's; what either does not know is no difference."""
    found: list[Difference] = []
    for fact, name, unit in _COMPARED:
        ours, theirs = facts.get(fact), measured.get(name)
        if isinstance(ours, int | float) and isinstance(theirs, int) and ours * unit != theirs:
            found.append(Difference(architecture, fact, ours, theirs / unit))
    return tuple(found)


def compile_problems(answer: Mapping[str, Any], architecture: Mapping[str, Any]) -> list[str]:
    """Return the limits that a compiled kernel exceeds; a limit that the catalogue does not know cannot be exceeded.

    `answer` is what `children/compile_kernel.py` wrote (`shared` in bytes), `architecture` the job's row.
    """
    facts = architecture["facts"]
    problems: list[str] = []
    shared = facts.get("limits.shared_mem_per_block_optin_kib")
    if isinstance(shared, int | float) and answer["shared"] > shared * _KIB:
        needs = answer["shared"] / _KIB
        problems.append(
            f"it needs {needs:g} KiB of shared memory, a block of {architecture['name']} has {shared:g} KiB"
        )
    registers, most = answer.get("registers"), facts.get("limits.max_registers_per_block")
    if isinstance(registers, int) and isinstance(most, int):
        threads = answer.get("warps", 1) * (facts.get("limits.warp_size") or 32)
        if registers * threads > most:
            problems.append(f"it needs {registers * threads} registers a block, {architecture['name']} has {most}")
    return problems
