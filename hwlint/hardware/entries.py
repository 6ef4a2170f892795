"""Turn the blocks of architectures.toml into architectures."""

from __future__ import annotations

from collections.abc import Mapping

from hwlint.hardware import facts, toolkits
from hwlint.hardware.files import Table, fact
from hwlint.model.architecture import Architecture, Fact, Vendor

SEGMENTS = ("datacenter", "workstation_consumer", "jetson")
"""The market segments by which NVIDIA lists products."""

UNKNOWN_GENERATION = "unknown generation"
"""The generation of an added architecture that states none, and of `next`."""


def architectures(blocks: Mapping[str, Table], listed: Mapping[str, tuple[str, ...]]) -> list[Architecture]:
    """Build the architecture of each block, in file order; `listed` is the targets by toolkit release."""
    spans, releases = toolkits.ranges(listed), tuple(listed)
    built = []
    for name, block in blocks.items():
        own = _block_facts(block)
        if name.startswith("sm_"):
            own |= toolkits.facts(name, spans, releases)
        built.append(_architecture(name, block, own))
    return built


def label(name: str, capability: tuple[int, int] | None, called: str, headline: str) -> str:
    """Name an architecture for messages: `12.0 (sm_120, consumer Blackwell: RTX 50)`, `gfx942 (CDNA3: MI300X)`."""
    about = f"{called}: {headline}" if headline else called
    if name.startswith("gfx") or capability is None:
        return f"{name} ({about})"
    return f"{capability[0]}.{capability[1]} ({name}, {about})"


def _architecture(name: str, block: Mapping[str, Table], own: dict[str, Fact]) -> Architecture:
    nvidia = name.startswith("sm_")
    capability = own["torch_device_capability"].value
    generation = own["generation"].value
    named = {
        segment: block[segment][0] for segment in SEGMENTS if segment in block and own[f"products.{segment}"].value
    }
    products = block["products"][0] if "products" in block else [one for some in named.values() for one in some]
    return Architecture(
        name=name,
        vendor=Vendor.NVIDIA if nvidia else Vendor.AMD,
        capability=capability,
        generation=generation,
        family=block.get("family", generation),
        label=label(name, capability, block.get("called", generation), block.get("headline", "")),
        products=tuple(products),
        classes=tuple(named),
        facts=facts.Facts(own, block["capability"][0] if nvidia else name),
    )


def _block_facts(block: Mapping[str, Table]) -> dict[str, Fact]:
    told = {"generation": fact(block["generation"]), "torch_device_capability": _capability(block["capability"])}
    if "products" in block:
        told["products"] = fact(block["products"])
    told |= {f"products.{segment}": fact(block[segment]) for segment in SEGMENTS if segment in block}
    if "none_named" in block:
        segments, source = block["none_named"]
        told |= dict.fromkeys((f"products.{segment}" for segment in segments.split()), Fact((), tuple(source.split())))
    return told


def _capability(row: Table) -> Fact:
    plain = fact(row)
    if plain.value is None:
        return plain
    major, minor = plain.value.split(".")
    return Fact((int(major), int(minor)), plain.source, plain.note)
