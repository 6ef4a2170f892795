"""Find out from the words of a log which architecture it ran on."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from hwlint.model.architecture import Architecture, Vendor
from hwlint.model.crash import Crash

_MOST_NAMES = 2
"""A line that names more architectures than this is a list of what is supported, not a device."""
_SHORTEST_ALONE = 7
"""A product's name without its maker counts from so many characters: `RTX 5090`, not `A10`."""

_LONGEST_LINE = 2000
_TELLING = r"capability|sm_\d|compute_\d|gfx\d"

_NUMBER = re.compile(r"(?<![\w.])(\d{1,2})\.(\d)(?![\w.])")
_PAIR = re.compile(r"\((\d{1,2}), ?(\d)\)")
_TARGET = re.compile(r"(?<![a-z])(?:sm_?|compute_)(\d{1,2})(\d)[af]?(?!\d)", re.IGNORECASE)
_GFX = re.compile(r"\bgfx\d{3,4}[a-f]?\b")
_CAPABILITY = re.compile(
    r"capability(?: is|:|=|\s)*\(?(?:major=)?(\d{1,2})(?:\.|,\s?)(?:minor=)?(\d)\)?(?!\d)"
    r"|capability sm_(\d{1,2})(\d)\b",
    re.IGNORECASE,
)
_DEMAND = re.compile(
    r"\b(requires?|needs?|at least|minimum|maximum|support\w*|or (?:higher|newer|later)|expected)\b|[<>]=?", re.I
)
_COMPILER = re.compile(
    r"Value '((?:sm|compute)_\w*)' is not defined|gpu-name=(sm_\d+[af]?)"
    r"|'(sm_\d+[af]?|gfx\d\w*)' is not a recognized processor|[Uu]nsupported gpu architecture '((?:compute|sm)_\w*)'?"
    r"|unsupported (?:HIP|CUDA) gpu architecture: '?(gfx\d\w*|sm_\d+[af]?)"
    r"|(?:invalid target ID|unknown target CPU) '(gfx\d\w*)'"
    r"|invalid value for --gpu-architecture.*?-(?:-gpu-)?arch(?:itecture)?=((?:sm|compute)_\d+[af]?)"
    r"|Options:.*?-arch=((?:sm|compute)_\d+[af]?).*invalid value for --gpu-architecture"
)
_TOOLKIT = (
    re.compile(r"(?P<said>release (?P<release>\d+\.\d+), V\d+\.\d+)"),
    re.compile(r"(?P<said>[\\/](?:cuda-|CUDA[\\/]v)(?P<release>\d+\.\d+)[\\/])"),
    re.compile(r"(?P<said>[\w.]+\+cu(?P<major>\d\d)(?P<minor>\d))\b"),
)
"""How a log names the CUDA release that compiles: nvcc's own words, its folder, or the build of a wheel."""
_GOT = re.compile(r"\b(?:but )?(?:got|found|given|running on|detected|have)\b[^;]*", re.IGNORECASE)
"""What a message says was there, beside what it asks for."""
_SERIES = re.compile(r"(?P<series>GeForce RTX \d\d)\d\d$")
"""A GeForce of a series whose listed members are all of one architecture is taken to be of that, too."""
_ROCM = re.compile(r"\bgfx\d{3,4}[a-f]?\b|\bROCm\b|\bHIP (?:error|out of memory)")


@dataclass(frozen=True, slots=True)
class Clue:
    """Architectures, and what says so, for a sentence: `line 12 says "NVIDIA GeForce RTX 5090"`."""

    names: frozenset[str]
    text: str


@dataclass(frozen=True, slots=True)
class Toolkit:
    """The CUDA release that a log names, and what says so, for a sentence."""

    release: str
    text: str


def toolkit_in(text: str) -> Toolkit | None:
    """The CUDA release whose compiler ran, by the first line that names one; nvcc's own words go before others."""
    lines = text.splitlines()
    for pattern in _TOOLKIT:
        for number, line in enumerate(lines, start=1):
            hit = pattern.search(line[:_LONGEST_LINE])
            if hit is not None:
                parts = hit.groupdict()
                release = parts.get("release") or f"{parts['major']}.{parts['minor']}"
                return Toolkit(release, f'line {number} of the log says "{hit["said"]}"')
    return None


def speaks_of_rocm(text: str) -> bool:
    """Tell whether a log comes from AMD hardware."""
    return _ROCM.search(text) is not None


def in_message(crash: Crash, rows: Sequence[Architecture]) -> Clue | None:
    """The architectures that the exception's own words name, None where they name none or a whole list."""
    text = " ".join((crash.message, *crash.details))
    names = _named_in(text, rows)
    if len(names) > 1 and (got := _GOT.search(text)) is not None:
        names = _named_in(got.group(), rows) or names
    return Clue(frozenset(names), "its message names it") if 0 < len(names) <= _MOST_NAMES else None


def _named_in(text: str, rows: Sequence[Architecture]) -> set[str]:
    capabilities = {(int(one), int(two)) for form in (_TARGET, _PAIR, _NUMBER) for one, two in form.findall(text)}
    names = {row.name for row in rows if row.vendor is Vendor.NVIDIA and row.capability in capabilities}
    return names | set(_GFX.findall(text))


def in_log(text: str, rows: Sequence[Architecture]) -> tuple[Clue, ...]:
    """The devices that the log names, in the order of their first lines; each is one clue."""
    products = _products(rows)
    worth = re.compile("|".join([_TELLING, *(pattern.pattern for pattern, _ in products)]), re.IGNORECASE)
    found: dict[frozenset[str], Clue] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        if worth.search(line[:_LONGEST_LINE]) is None:
            continue
        for names, words in _clues(line[:_LONGEST_LINE], rows, products):
            if names and names not in found:
                found[names] = Clue(names, f'line {number} of the log says "{words}"')
    return tuple(found.values())


def compiler_target(crash: Crash) -> str:
    """The target that a compiler refused (`sm_121a`), or an empty string."""
    hit = _COMPILER.search(" ".join((crash.message, *crash.details)))
    return next((word for word in hit.groups() if word), "") if hit else ""


def _clues(
    line: str, rows: Sequence[Architecture], products: Sequence[tuple[re.Pattern[str], str]]
) -> Iterator[tuple[frozenset[str], str]]:
    rest = line
    for pattern, name in products:
        hit = pattern.search(rest)
        if hit is not None:
            yield frozenset({name}), hit.group()
            rest = pattern.sub(" ", rest)
    hit = _CAPABILITY.search(line)
    if hit is not None and _DEMAND.search(line) is None:
        major, minor = hit[1] or hit[3], hit[2] or hit[4]
        yield _with_capability(int(major), int(minor), rows), hit.group()
    compiled = _COMPILER.search(line)
    if compiled is not None:
        target = next(word for word in compiled.groups() if word)
        digits = target.rpartition("_")[2].rstrip("af")
        if digits.isdigit() and len(digits) > 1:
            yield _with_capability(int(digits[:-1]), int(digits[-1]), rows), target
    gfx = sorted(set(_GFX.findall(line)))
    if len(gfx) == 1 and _DEMAND.search(line) is None:
        yield frozenset(row.name for row in rows if row.name == gfx[0]), gfx[0]


def _with_capability(major: int, minor: int, rows: Iterable[Architecture]) -> frozenset[str]:
    return frozenset(row.name for row in rows if row.vendor is Vendor.NVIDIA and row.capability == (major, minor))


def _products(rows: Iterable[Architecture]) -> list[tuple[re.Pattern[str], str]]:
    """A pattern for every product name, the longest names first, so that a name inside another is not taken for it."""
    spelled: dict[str, str] = {}
    for row in rows:
        for product in row.products:
            name = re.sub(r"\s*\(.*\)$", "", product)
            spelled[name] = row.name
            name = re.sub(r" (Server|Workstation) Edition$", "", name)
            spelled.setdefault(name, row.name)
            alone = re.sub(r"^(NVIDIA|GeForce|Instinct|Radeon) ", "", name)
            if len(alone) >= _SHORTEST_ALONE and " " in alone:
                spelled.setdefault(alone, row.name)
    series: dict[str, set[str]] = {}
    for row in rows:
        for product in row.products:
            if hit := _SERIES.search(product):
                series.setdefault(hit["series"], set()).add(row.name)
    ordered = sorted(spelled, key=lambda name: (-len(name), name))
    found = [(_pattern(re.escape(name)), spelled[name]) for name in ordered]
    found += [
        (_pattern(rf"{re.escape(name)}\d\d"), next(iter(members)))
        for name, members in series.items()
        if len(members) == 1
    ]
    return found


def _pattern(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w-]){name.replace(re.escape(' '), '[ _]')}(?![\w-])")
