"""Say which architectures belong together, and which only look alike."""

from __future__ import annotations

from hwlint.hardware import toolkits
from hwlint.hardware.table import Catalogue
from hwlint.model.architecture import Architecture, Vendor


def family_mates(arch: Architecture, catalogue: Catalogue) -> tuple[Architecture, ...]:
    """Return the other members of the architecture's family, in catalogue order.

    For 10.0 these are 10.3 and 10.7 (`sm_100f`); where NVIDIA defines no family, and for AMD, the family is the
    generation, so for 8.0 they are 8.6, 8.7 and 8.8.
    """
    return tuple(
        other
        for other in catalogue.architectures
        if other.family == arch.family and other.vendor is arch.vendor and other.name != arch.name
    )


def exact_mates(arch: Architecture, catalogue: Catalogue) -> tuple[Architecture, ...]:
    """Return the mates that an exact test for this capability leaves out although they run its family's code.

    These are the family mates within a family-specific target of NVIDIA: 12.1 for 12.0, 10.3 and 10.7 for 10.0, none
    for 9.0 or 8.0. Source: the f targets (`compatibility.family_target_runs_on`).
    """
    if arch.fact("compiler_targets.f") in (None, toolkits.NONE):
        return ()
    return family_mates(arch, catalogue)


def same_answer(arch: Architecture, catalogue: Catalogue) -> tuple[Architecture, ...]:
    """Return the architectures of the other vendor that answer `get_device_capability()` with the same numbers."""
    return tuple(
        other
        for other in catalogue.architectures
        if arch.capability is not None and other.capability == arch.capability and other.vendor is not arch.vendor
    )


def is_hip(arch: Architecture) -> bool:
    """Tell whether torch runs the architecture through ROCm, so that `torch.version.hip` is a string and not None."""
    return arch.vendor is Vendor.AMD
