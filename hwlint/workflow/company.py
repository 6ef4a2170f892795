"""Choose which architectures to evaluate for those that a run was asked about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from hwlint.hardware.additions import extend
from hwlint.hardware.table import load
from hwlint.hardware.targets import parse_targets
from hwlint.model.architecture import Architecture, Vendor
from hwlint.workflow.settings import Settings

_COMPANY = {Vendor.NVIDIA: "current", Vendor.AMD: "amd"}


def in_company(settings: Settings) -> Settings:
    """Return settings whose targets are those asked about and the usual ones of the same lines.

    What an architecture misses shows in what others have: asked about alone, a chain of branches for others looks like
    one that nobody takes. All of NVIDIA's are one line; AMD's are CDNA and RDNA, which name themselves differently.
    Raises UsageError for targets that name nothing.
    """
    catalogue = extend(load(), settings.architectures)
    asked = _asked(settings)
    lines = {row.line for row in asked}
    company = [
        row.name
        for maker in sorted({row.vendor for row in asked})
        for row in parse_targets(_COMPANY[maker], catalogue)
        if row.line in lines
    ]
    return replace(settings, targets=(*settings.targets, *company))


def asked_about(settings: Settings, everyone: Sequence[Architecture]) -> int:
    """Return which of `everyone` the settings ask about, as a bit set."""
    names = {row.name for row in _asked(settings)}
    return sum(1 << bit for bit, row in enumerate(everyone) if row.name in names)


def _asked(settings: Settings) -> tuple[Architecture, ...]:
    return parse_targets(",".join(settings.targets), extend(load(), settings.architectures))
