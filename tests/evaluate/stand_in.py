"""Stand in for `torch` on one architecture of the catalogue, for code that CPython runs beside the evaluator."""

from __future__ import annotations

from dataclasses import dataclass
from types import ModuleType
from typing import Any

from hwlint.model.architecture import Architecture, Vendor

_KIB = 1024


@dataclass(frozen=True, slots=True)
class Properties:
    """What `torch.cuda.get_device_properties()` answers."""

    major: int
    minor: int
    name: str
    gcnArchName: str  # noqa: N815 - the name that torch gives it
    shared_memory_per_block_optin: int
    multi_processor_count: int = 108
    total_memory: int = 80 * 1024**3
    warp_size: int = 32


def stand_in(architecture: Architecture) -> dict[str, ModuleType]:
    """Return `torch` and its modules by dotted name, as a machine with that one device would show them."""
    assert architecture.capability is not None
    amd = architecture.vendor is Vendor.AMD
    capability = architecture.capability
    name = f"NVIDIA {architecture.products[0]}" if architecture.products else "NVIDIA device"
    properties = Properties(
        *capability,
        name=name,
        gcnArchName=f"{architecture.name}:sramecc+:xnack-" if amd else name,
        shared_memory_per_block_optin=int(architecture.fact("limits.shared_mem_per_block_optin_kib") or 0) * _KIB,
        warp_size=int(architecture.fact("limits.warp_size") or 32),
    )
    cuda = _module(
        "torch.cuda",
        get_device_capability=lambda _=None: capability,
        get_device_properties=lambda _=None: properties,
        get_device_name=lambda _=None: name,
        is_available=lambda: True,
        device_count=lambda: 8,
        current_device=lambda: 0,
    )
    version = _module("torch.version", cuda=None if amd else "13.0", hip="7.0.2" if amd else None)
    torch = _module("torch", cuda=cuda, version=version, __version__="2.11.0")
    return {"torch": torch, "torch.cuda": cuda, "torch.version": version}


def _module(name: str, **members: Any) -> ModuleType:
    made = ModuleType(name)
    for member, value in members.items():
        setattr(made, member, value)
    return made
