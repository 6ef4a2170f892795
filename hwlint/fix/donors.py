"""Choose the architecture whose entry a missing one may be copied from, by what the table is about."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import assert_never

from hwlint.model.architecture import Architecture, Vendor

_SHARED_MEMORY = "limits.shared_mem_per_block_optin_kib"
_INSTRUCTIONS = ("isa.wgmma", "isa.tcgen05")
"""What separates the tensor-core programming models; capability numbers do not order it."""

_MULTICAST_WORDS = frozenset({"multimem", "nvls", "multicast", "nvlink", "nvswitch"})
_INSTRUCTION_WORDS = frozenset({"wgmma", "tcgen05", "tmem", "umma", "cutlass", "gemmsm"})
_RESOURCE_WORDS = frozenset({"smem", "shmem", "sharedmem", "blockm", "blockn", "blockk", "numstages", "numwarps"})
"""Words that say what a table is about wherever they stand."""

_NEAR_INSTRUCTION_WORDS = _INSTRUCTION_WORDS | {"mma", "instruction", "instructions", "ptx", "isa", "intrinsic"}
_NEAR_RESOURCE_WORDS = _RESOURCE_WORDS | {
    *("shared", "tile", "tiles", "tiling", "block", "blocks", "blocksize", "stage", "stages", "warp", "warps"),
    *("sram", "occupancy", "registers"),
}
"""Words that count only in the table's own name, comments and values; elsewhere they are too common."""

_PHRASES = ("block_m", "block_n", "block_k", "block_size", "num_stages", "num_warps", "shared_mem")
"""Pairs of words that count as one."""


class Subject(StrEnum):
    """What a table is about, as far as it matters for copying an entry."""

    MULTICAST = "multicast"
    """Multicast between GPUs (NVLS, multimem): a matter of the system, not of the capability."""
    INSTRUCTIONS = "instructions"
    """Instructions or kernels written for one family."""
    RESOURCES = "resources"
    """Tile sizes, stages, warps, shared memory: what must fit a limit."""
    GENERAL = "general"
    """Anything else."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """An entry that exists: the architectures of the run that find it, oldest first."""

    key: object
    architectures: tuple[Architecture, ...]


@dataclass(frozen=True, slots=True)
class Donor:
    """The entry to copy, the architecture it is named after, and why: in a few words for a comment, and in whole."""

    candidate: Candidate
    architecture: Architecture
    reason_short: str
    reason: str


@dataclass(frozen=True, slots=True)
class NoDonor:
    """Why no entry can be defended."""

    reason: str


def subject_of(near: Iterable[str], far: Iterable[str] = ()) -> Subject:
    """Return what a table is about.

    `near` are the words of its name, its comments and its values, `far` those of the code that uses it. Far words
    can make it a table of instructions or resources, never one about multicast: code that tries multicast among
    other ways uses tables of many kinds.
    """
    close, around = _split(near), _split(far)
    if close & _MULTICAST_WORDS:
        return Subject.MULTICAST
    if close & _NEAR_RESOURCE_WORDS:
        return Subject.RESOURCES
    if close & _NEAR_INSTRUCTION_WORDS:
        return Subject.INSTRUCTIONS
    if around & _RESOURCE_WORDS:
        return Subject.RESOURCES
    if around & _INSTRUCTION_WORDS:
        return Subject.INSTRUCTIONS
    return Subject.GENERAL


def mentions_multicast(words: Iterable[str]) -> bool:
    """Return whether any of the words is about multicast between GPUs."""
    return bool(_split(words) & _MULTICAST_WORDS)


def choose_donor(
    targets: Sequence[Architecture], candidates: Sequence[Candidate], subject: Subject, *, same_family: bool = False
) -> Donor | NoDonor:
    """Return the entry to copy for `targets`, architectures that share the missing key, or why there is none.

    `same_family` says that the values name architectures, so that only an entry of the targets' own family will do.
    """
    target = targets[0]
    usable = [one for one in candidates if any(arch.vendor is target.vendor for arch in one.architectures)]
    if not usable:
        return NoDonor(f"no entry belongs to an {target.vendor.value.upper()} architecture")
    family = _of_family(target, usable)
    if same_family:
        named = f"the entries name the architecture they were made for, and none is of {short(target)}'s family"
        return family or NoDonor(named)
    match subject:
        case Subject.MULTICAST:
            return family or NoDonor(
                f"the table is about multicast (NVLS), which depends on the system's NVLink, and the capability "
                f"of {short(target)} does not decide it; a copied row would enable it on the strength of a number"
            )
        case Subject.INSTRUCTIONS:
            return family or _of_instructions(target, usable)
        case Subject.RESOURCES:
            return _of_limits(targets, usable)
        case Subject.GENERAL:
            return family or _of_generation(target, usable) or _nearest_lower(target, usable)
        case _:
            assert_never(subject)


def has_less(targets: Iterable[Architecture], donor: Architecture) -> bool:
    """Return whether a target has less shared memory per block than the donor; False where either is not known."""
    most = _limit(donor)
    limits = [_limit(one) for one in targets]
    return most is not None and any(limit is not None and limit < most for limit in limits)


def short(architecture: Architecture) -> str:
    """Return `12.0`, or `gfx942` for an architecture that is not named by its capability."""
    if architecture.vendor is Vendor.NVIDIA and architecture.capability is not None:
        return ".".join(map(str, architecture.capability))
    return architecture.name


def _split(texts: Iterable[str]) -> frozenset[str]:
    """Return the lower-case words of identifiers and phrases, and the pairs that stand for one word (`block_m`)."""
    words: set[str] = set()
    for text in texts:
        spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", text)
        parts = [part for part in re.split(r"[^A-Za-z0-9]+", spaced.lower()) if part]
        words.update(parts, (part.rstrip("0123456789") for part in parts))
        joined = "_".join(parts)
        words.update(phrase.replace("_", "") for phrase in _PHRASES if phrase in joined)
    return frozenset(words)


def _order(architecture: Architecture) -> tuple[int, int, str]:
    return (*(architecture.capability or (0, 0)), architecture.name)


def _first(candidate: Candidate, target: Architecture) -> Architecture:
    """Return the architecture that an entry is best named after: the oldest of the target's vendor."""
    return min((one for one in candidate.architectures if one.vendor is target.vendor), key=_order)


def _nearest(target: Architecture, found: Sequence[tuple[Candidate, Architecture]]) -> tuple[Candidate, Architecture]:
    """Return the nearest lower one, or the nearest higher where none is lower."""
    lower = [one for one in found if _order(one[1]) < _order(target)]
    return max(lower, key=lambda one: _order(one[1])) if lower else min(found, key=lambda one: _order(one[1]))


def _of_family(target: Architecture, usable: Sequence[Candidate]) -> Donor | None:
    found = [(one, arch) for one in usable for arch in one.architectures if arch.family == target.family]
    if not found:
        return None
    candidate, donor = _nearest(target, found)
    reason = f"{short(donor)} is of the same family as {short(target)} ({target.family})"
    return Donor(candidate, donor, "same family", reason)


def _of_generation(target: Architecture, usable: Sequence[Candidate]) -> Donor | None:
    found = [
        (one, arch)
        for one in usable
        for arch in one.architectures
        if arch.generation == target.generation and arch.vendor is target.vendor and _order(arch) < _order(target)
    ]
    if not found:
        return None
    candidate, _ = _nearest(target, found)
    donor = next(arch for arch in sorted(candidate.architectures, key=_order) if arch.generation == target.generation)
    reason = (
        f"no entry is of {short(target)}'s own family; {short(donor)} is the nearest lower architecture of its "
        f"generation ({target.generation}), which says little: the two differ in instructions and limits"
    )
    return Donor(candidate, donor, "same generation", reason)


def _nearest_lower(target: Architecture, usable: Sequence[Candidate]) -> Donor | NoDonor:
    found = [(one, arch) for one in usable for arch in one.architectures if arch.vendor is target.vendor]
    lower = [one for one in found if _order(one[1]) < _order(target)]
    if not lower or target.vendor is not Vendor.NVIDIA:
        return NoDonor(f"no entry is of {short(target)}'s family or generation, and none is of a lower architecture")
    candidate, _ = _nearest(target, lower)
    donor = _first(candidate, target)
    reason = f"no entry is of {short(target)}'s family or generation; {short(donor)} is the nearest lower architecture"
    return Donor(candidate, donor, "nearest lower", reason)


def _of_instructions(target: Architecture, usable: Sequence[Candidate]) -> Donor | NoDonor:
    """Take the nearest lower architecture that has, and lacks, the same tensor-core instructions."""
    wanted = _instructions(target)
    alike = [
        (one, arch)
        for one in usable
        for arch in one.architectures
        if None not in wanted and all(_instructions(other) == wanted for other in one.architectures)
        if _order(arch) < _order(target)
    ]
    if not alike:
        return NoDonor(
            f"the table is about instructions, and no entry is of {short(target)}'s family or of a lower architecture "
            f"with the same ones ({_instruction_text(target)})"
        )
    candidate, donor = _nearest(target, alike)
    reason = (
        f"no entry is of {short(target)}'s family; {short(donor)} is the nearest lower architecture with the same "
        f"tensor-core instructions ({_instruction_text(target)})"
    )
    return Donor(candidate, donor, "same instructions", reason)


def _instructions(architecture: Architecture) -> tuple[object, ...]:
    return tuple(architecture.fact(name) for name in _INSTRUCTIONS)


def _instruction_text(architecture: Architecture) -> str:
    names = (f"{'no ' if not architecture.fact(name) else ''}{name.partition('.')[2]}" for name in _INSTRUCTIONS)
    return ", ".join(names)


def _of_limits(targets: Sequence[Architecture], usable: Sequence[Candidate]) -> Donor | NoDonor:
    """Take the entry whose tightest architecture comes nearest to the targets' limit without exceeding it."""
    target = min(targets, key=lambda one: _limit(one) or 0)
    limit = _limit(target)
    if limit is None:
        return NoDonor(f"the table is about what fits, and the shared memory of {short(target)} is not known")
    fitting: list[tuple[int, int, tuple[int, int, str], Candidate, Architecture]] = []
    for one in usable:
        known = [(found, arch) for arch in one.architectures if (found := _limit(arch)) is not None]
        if known:
            tightest = min(found for found, _ in known)
            names = [arch for found, arch in known if found == tightest]
            name = max((arch for arch in names if _order(arch) < _order(target)), key=_order, default=names[0])
            if tightest <= limit:
                fitting.append((tightest, int(name.family == target.family), _order(name), one, name))
    if not fitting:
        return NoDonor(
            f"the table is about what fits, and every entry was made for an architecture with more shared memory "
            f"per block than the {limit} KiB of {short(target)}"
        )
    tightest, _, _, candidate, donor = max(fitting, key=lambda one: one[:3])
    same = tightest == limit
    reason = f"the table is about what fits, and {short(donor)} has {tightest} KiB of shared memory per block"
    reason += f", as {short(target)} has" if same else f", the nearest within the {limit} KiB of {short(target)}"
    return Donor(candidate, donor, "same shared memory" if same else "nearest shared memory", reason)


def _limit(architecture: Architecture) -> int | None:
    found = architecture.fact(_SHARED_MEMORY)
    return int(found) if isinstance(found, int | float) else None
