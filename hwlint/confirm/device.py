"""Ask an interpreter which GPUs it can see, and compare them with the catalogue."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hwlint.confirm.job import Blobs, architecture_row
from hwlint.confirm.limits import Difference, differences
from hwlint.confirm.replay import RunSettings, run_jobs
from hwlint.model.architecture import Architecture, Vendor


@dataclass(frozen=True, slots=True)
class Device:
    """One GPU as the target interpreter sees it; `uuid` is hashed, `measured` in bytes and plain counts."""

    index: int
    name: str
    capability: tuple[int, ...]
    gcn: str
    uuid: str
    measured: Mapping[str, int]

    def is_a(self, architecture: Architecture) -> bool:
        """True where this device is of that architecture: the same capability, or for AMD the same gfx name."""
        if architecture.vendor is Vendor.AMD:
            return self.gcn == architecture.name
        return not self.gcn and self.capability == architecture.capability


@dataclass(frozen=True, slots=True)
class Here:
    """What an interpreter says about its machine; no device is a normal answer."""

    devices: tuple[Device, ...]
    python: str
    torch: str | None
    cuda: str | None
    driver: str | None
    triton: str | None
    asked: tuple[str, ...]
    """Whom it asked, and what each said."""


def ask(settings: RunSettings) -> Here:
    """Return the devices that the interpreter of `settings` sees, asked in a child process."""
    return here_from(run_jobs([], Blobs(), settings)["environment"])


def here_from(environment: Mapping[str, Any]) -> Here:
    """Read the `environment` of a results file."""
    devices = tuple(
        Device(
            int(one["index"]),
            str(one["name"]),
            tuple(one["capability"]),
            str(one.get("gcn") or ""),
            str(one.get("uuid") or ""),
            dict(one.get("measured") or {}),
        )
        for one in environment.get("devices", ())
    )
    return Here(
        devices,
        str(environment.get("python") or ""),
        environment.get("torch"),
        environment.get("cuda"),
        environment.get("driver"),
        environment.get("triton"),
        tuple(environment.get("asked", ())),
    )


def disagreements(here: Here, architectures: Sequence[Architecture]) -> tuple[Difference, ...]:
    """Return where devices here and the catalogue give different limits for the same architecture."""
    found: list[Difference] = []
    for device in here.devices:
        for architecture in architectures:
            if device.is_a(architecture):
                facts = architecture_row(architecture)["facts"]
                found += differences(architecture.name, facts, device.measured)
    return tuple(dict.fromkeys(found))
