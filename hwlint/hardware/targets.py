"""Turn what a user writes after `--targets` into architectures."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from hwlint.hardware import entries
from hwlint.hardware.table import Catalogue, order
from hwlint.model.architecture import Architecture, Fact, Vendor
from hwlint.model.errors import UsageError

NEXT = "next"
DEFAULT = "current"
_EXCLUDE = ("-", "!")
_MADE_UP = "made_up"


def parse_targets(text: str, catalogue: Catalogue) -> tuple[Architecture, ...]:
    """Return the architectures that a comma-separated list names, in catalogue order and without repeats.

    An item is an architecture in any spelling that `Catalogue.find` takes; a range `sm_90+` or `9.0+` (NVIDIA
    architectures from that capability up that a product carries); a set of `SETS`; a generation (`hopper`, `ada`,
    `cdna3`; the members that a product carries); `all`; or `next`. A leading `-` or `!` takes an item out again, in the
    order written; a list that starts by taking out starts from `current`.

    Raises UsageError, naming the nearest valid word, for every item that is none of these, and for a list that selects
    nothing.
    """
    items = [item for item in (part.strip() for part in text.split(",")) if item]
    if not items:
        raise UsageError(f"no architecture in targets `{text}`; write for example `sm_120`, `9.0+` or `{DEFAULT}`")
    chosen: dict[str, Architecture] = {}
    if items[0].startswith(_EXCLUDE):
        chosen.update(_by_name(current(catalogue)))
    wrong: list[str] = []
    for item in items:
        out = item.startswith(_EXCLUDE)
        try:
            some = _by_name(_select(item[1:].strip() if out else item, catalogue))
        except UsageError as error:
            wrong += error.messages
            continue
        chosen = {name: arch for name, arch in chosen.items() if name not in some} if out else {**chosen, **some}
    if wrong:
        raise UsageError(*wrong)
    if not chosen:
        raise UsageError(f"targets `{text}` select no architecture: everything that is put in is taken out again")
    places = {arch.name: place for place, arch in enumerate(catalogue.architectures)}
    return tuple(sorted(chosen.values(), key=lambda arch: (*order(arch), places.get(arch.name, len(places)))))


def current(catalogue: Catalogue) -> tuple[Architecture, ...]:
    """Return the default targets: NVIDIA architectures with a named product that the newest toolkit builds for.

    Architectures that the project added belong to them too: it says that it cares.
    """
    built = catalogue.toolkits[catalogue.newest_toolkit]
    return tuple(
        arch
        for arch in catalogue.architectures
        if arch.vendor is Vendor.NVIDIA and (arch.name in catalogue.added or (arch.products and arch.name in built))
    )


def made_up_next(catalogue: Catalogue) -> Architecture:
    """Make up the architecture `next`: a major number above every known one, and nothing else known about it.

    Its name is that of the target it would have (`sm_130`), its fact `made_up` is True, its family holds only itself.
    """
    capability = (1 + max(arch.major or 0 for arch in catalogue.architectures if arch.vendor is Vendor.NVIDIA), 0)
    name = f"sm_{capability[0]}0"
    source = ("hwlint",)
    return Architecture(
        name=name,
        vendor=Vendor.NVIDIA,
        capability=capability,
        generation=entries.UNKNOWN_GENERATION,
        family=name,
        label=entries.label(name, capability, "made up: one above all known", ""),
        facts={_MADE_UP: Fact(value=True, source=source), "torch_device_capability": Fact(capability, source)},
    )


def is_made_up(arch: Architecture) -> bool:
    """Tell whether this is the architecture `next`, which does not exist."""
    return arch.fact(_MADE_UP) is True


def words(catalogue: Catalogue) -> tuple[str, ...]:
    """Return every word that `parse_targets` understands, ranges and exclusions apart; sorted."""
    return tuple(sorted({*SETS, NEXT, *_generations(catalogue), *catalogue.spellings}))


def _segment(name: str) -> Callable[[Catalogue], tuple[Architecture, ...]]:
    return lambda catalogue: tuple(arch for arch in current(catalogue) if name in arch.classes)


def _vendor(vendor: Vendor) -> Callable[[Catalogue], tuple[Architecture, ...]]:
    return lambda catalogue: tuple(arch for arch in catalogue.architectures if arch.vendor is vendor)


SETS: Mapping[str, Callable[[Catalogue], tuple[Architecture, ...]]] = MappingProxyType(
    {
        DEFAULT: current,
        "all": lambda catalogue: catalogue.architectures,
        "nvidia": _vendor(Vendor.NVIDIA),
        "amd": _vendor(Vendor.AMD),
        "datacenter": _segment("datacenter"),
        "consumer": _segment("workstation_consumer"),
        "jetson": _segment("jetson"),
    }
)
"""The sets by name. The market segments hold those of `current` with a product in that segment, so an architecture can
be in two: the RTX PRO 6000 Blackwell is sold for both. `all`, `nvidia` and `amd` hold every row, old ones included."""


def _select(item: str, catalogue: Catalogue) -> tuple[Architecture, ...]:
    word = item.lower()
    if chosen := SETS.get(word):
        return chosen(catalogue)
    if word == NEXT:
        return (made_up_next(catalogue),)
    if arch := catalogue.find(word):
        return (arch,)
    if members := _generations(catalogue).get(word):
        return members
    if word.endswith("+") and (first := catalogue.find(word[:-1])):
        return _from(first, item, catalogue)
    raise UsageError(_unknown(item, word, catalogue))


def _from(first: Architecture, item: str, catalogue: Catalogue) -> tuple[Architecture, ...]:
    """Return the NVIDIA architectures at or above `first` that a product carries, and `first` itself."""
    if first.vendor is not Vendor.NVIDIA or first.capability is None:
        raise UsageError(f"`{item}` is not a range: gfx names have no order; name each, or use `amd` or a generation")
    return tuple(
        arch
        for arch in catalogue.architectures
        if arch.vendor is Vendor.NVIDIA
        and arch.capability is not None
        and (arch is first or (arch.capability > first.capability and _in_use(arch, catalogue)))
    )


def _generations(catalogue: Catalogue) -> dict[str, tuple[Architecture, ...]]:
    """Map generation names in lower case, and their first words (`ada`), to the members that a product carries."""
    found: dict[str, tuple[Architecture, ...]] = {}
    for arch in catalogue.architectures:
        if _in_use(arch, catalogue) and arch.generation != entries.UNKNOWN_GENERATION:
            name = arch.generation.lower()
            for word in {name.replace(" ", "-"), name.partition(" ")[0]}:
                found[word] = (*found.get(word, ()), arch)
    return found


def _in_use(arch: Architecture, catalogue: Catalogue) -> bool:
    return bool(arch.products) or arch.name in catalogue.added


def _by_name(some: tuple[Architecture, ...]) -> dict[str, Architecture]:
    return {arch.name: arch for arch in some}


def _unknown(item: str, word: str, catalogue: Catalogue) -> str:
    from hwlint.model.suggest import did_you_mean

    hint = did_you_mean(word.removesuffix("+"), words(catalogue))
    return f"unknown architecture `{item}`{hint}{' ' if hint else '; '}`hwlint archs` lists them all"
