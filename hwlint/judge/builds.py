"""Judge lists of architectures to build for: those that stop short of what ships today, without PTX for the rest."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from hwlint.hardware.table import load
from hwlint.judge.spelling import numbers
from hwlint.judge.verdict import Bench, Verdict, listed
from hwlint.model.architecture import Vendor
from hwlint.model.finding import Level
from hwlint.model.observation import BuildList, Observation
from hwlint.model.rule import Rule

_ENTRIES_SHOWN = 6
_LEAST_LISTED = 3
"""Two entries are a choice of two, and nothing is left out between them."""
_FAMILIES_FROM = 9
"""First numbers from which on a generation that is left out between others is one that somebody builds for."""


@dataclass(frozen=True, slots=True)
class _Entry:
    """One target of a build: what runs on which devices is in NVIDIA's compatibility rules (see the catalogue)."""

    capability: tuple[int, int]
    suffix: str
    binary: bool
    ptx: bool

    def covers(self, device: tuple[int, int]) -> bool:
        """Whether a device runs what was built for this target, as it is or compiled by its driver."""
        same = device[0] == self.capability[0]
        if self.suffix == "a":
            return device == self.capability
        if self.suffix == "f":
            return same and device >= self.capability
        return (self.ptx and device >= self.capability) or (self.binary and same and device >= self.capability)


def stops_short(seen: Sequence[Observation], rule: Rule, bench: Bench) -> Iterator[Verdict]:
    """No entry of a build list covers an architecture that is newer than all of them."""
    for item in seen:
        if not isinstance(item, BuildList) or item.what in ("members", "exact"):
            continue
        if item.what == "suffix":
            yield from _suffix(item, bench)
        elif item.what == "toolkit":
            yield from _toolkit(item, bench)
        else:
            yield from _listed(item, bench)


def covers(item: BuildList, device: tuple[int, int]) -> bool:
    """Tell whether what a list of a build names runs on a device, as it is or compiled by its driver."""
    return any(entry.covers(device) for entry in _entries_of(item))


def names(item: BuildList, device: tuple[int, int]) -> bool:
    """Tell whether a list of a build names the capability of a device, with whatever suffix."""
    return any(entry.capability == device for entry in _entries_of(item))


def shown(item: BuildList) -> str:
    """The entries of a list, for a sentence; of a long one the last."""
    return _shown(item)


def _listed(item: BuildList, bench: Bench) -> Iterator[Verdict]:
    entries = _entries_of(item)
    plain = [entry for entry in entries if not entry.suffix]
    if len({entry.capability for entry in entries}) < 2 or not plain:
        return
    newest = max(entry.capability for entry in entries)
    mask = 0
    for bit, row in enumerate(bench.architectures):
        newer = row.vendor is Vendor.NVIDIA and row.capability is not None and row.capability > newest
        if newer and row.capability is not None and not any(entry.covers(row.capability) for entry in entries):
            mask |= 1 << bit
    reason = f"covers {_shown(item)}, with no PTX for what is newer"
    yield from _verdict(item, mask & ~bench.floor, reason, Level.NOTE if item.what == "own" else None)
    if not mask and len({entry.capability for entry in entries}) >= _LEAST_LISTED:
        yield from _verdict(item, _skipped(entries, bench) & ~bench.floor, f"covers {_shown(item)}", Level.NOTE)


def _entries_of(item: BuildList) -> list[_Entry]:
    read = [(text, entry) for text in item.entries if (entry := _entry(text)) is not None]
    if item.what == "own":  # what becomes of plain numbers is written elsewhere: mostly binaries alone
        return [replace(entry, ptx="+" in text) for text, entry in read]
    return [entry for _, entry in read]


def _skipped(entries: Sequence[_Entry], bench: Bench) -> int:
    """Architectures of a generation between those of the list, none of which it covers."""
    mask = 0
    oldest, newest = (pick(entry.capability for entry in entries) for pick in (min, max))
    for bit, row in enumerate(bench.architectures):
        device = row.capability
        if row.vendor is not Vendor.NVIDIA or device is None or not row.products or device[0] < _FAMILIES_FROM:
            continue
        told = any(entry.capability[0] == device[0] or entry.covers(device) for entry in entries)
        if oldest < device < newest and not told:
            mask |= 1 << bit
    return mask


def _toolkit(item: BuildList, bench: Bench) -> Iterator[Verdict]:
    """A chain over the toolkit's first number that ends before the toolkits of today."""
    majors = {int(word) for word in item.words.split() if word.isdigit()}
    newest = int(load().newest_toolkit.split(".")[0])
    found = [numbers(entry) for entry in item.entries]
    capabilities = [capability for capability in found if capability is not None]
    if newest in majors or not capabilities or max(majors) > newest:
        return
    mask = 0
    for bit, row in enumerate(bench.architectures):
        if row.vendor is Vendor.NVIDIA and row.capability is not None and row.capability >= min(capabilities):
            mask |= 1 << bit
    yield from _verdict(
        item, mask & ~bench.floor, f"adds {_shown(item)} with the toolkits {item.words} only, and {newest} is here"
    )


def _suffix(item: BuildList, bench: Bench) -> Iterator[Verdict]:
    """A suffix that is given to some members of a family and not to the others, nor to what is newer than they."""
    found = {numbers(entry) for entry in item.entries}
    rows = [row for row in load().architectures if row.vendor is Vendor.NVIDIA]
    families = {row.family for row in rows if row.capability in found}
    if None in found or not families:
        return
    mask = 0
    newest = max(each for each in found if each is not None)
    for bit, row in enumerate(bench.architectures):
        target = row.fact(f"compiler_targets.{item.words}")
        if (
            row.vendor is Vendor.NVIDIA
            and row.capability is not None
            and (row.capability > newest or (len(found) > 1 and row.family in families))
            and row.capability not in found
            and target not in (None, "none")
        ):
            mask |= 1 << bit
    yield from _verdict(
        item, mask & ~bench.floor, f"gives the suffix `{item.words}` to {_shown(item)} only", Level.NOTE
    )


def _verdict(item: BuildList, mask: int, reason: str, level: Level | None = None) -> Iterator[Verdict]:
    if mask:
        fields = {"keys": _shown(item), "reason": reason}
        facts = {"entries": item.entries, "what": item.what, "statement_line": item.place.statement.line}
        yield Verdict(item.place, mask, 0, "left out", fields, level=level, trace=item.trace, facts=facts)


def _shown(item: BuildList) -> str:
    entries = list(dict.fromkeys(item.entries))
    return listed(entries if len(entries) <= _ENTRIES_SHOWN else ["...", *entries[-_ENTRIES_SHOWN:]])


def _entry(text: str) -> _Entry | None:
    match = re.fullmatch(r"(sm_|compute_|lto_)?(\d{1,2}\.\d|\d{2,3})([af]?)(\+PTX|-real|-virtual)?", text)
    capability = numbers(match[2]) if match else None
    if match is None or capability is None:
        return None
    ptx = (
        match[1] == "compute_"
        or match[4] in ("+PTX", "-virtual")
        or (match[1] is None and "." not in match[2] and not match[4])
    )
    binary = match[1] != "compute_" and match[4] != "-virtual"
    return _Entry(capability, match[3], binary, ptx)
