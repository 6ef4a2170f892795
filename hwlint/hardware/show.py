"""Show the catalogue as a table for people and as JSON for tools."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass

from hwlint.hardware import background, features, toolkits
from hwlint.hardware.table import Catalogue
from hwlint.hardware.targets import SETS
from hwlint.model.architecture import Architecture, Fact, Vendor

SCHEMA = "hwlint-archs/1"

_GAP = "  "
_LETTERS = {"wgmma": "W", "tcgen05": "5", "tma": "T", "cluster": "C", "multimem": "M"}
_FORMATS = ("fp64", "tf32", "bf16", "fp16", "fp8", "fp6", "fp4", "int8", "int4")
_NARROWEST_PRODUCTS = 24

_NVIDIA_LEGEND = (
    "CUDA: first and last toolkit that builds for it (+ still built). SMEM: KiB of shared memory per SM / per block.",
    "SM: threads / warps / blocks. ISA: W wgmma, 5 tcgen05, T TMA, C clusters, M multimem. Inputs: tensor core.",
)
_AMD_LEGEND = (
    "Answers: what torch's get_device_capability() gives under ROCm; ~ derived from the name, = also an NVIDIA answer.",
    "LDS: KiB of shared memory per workgroup.",
)


@dataclass(frozen=True, slots=True)
class _Column:
    title: str
    cell: Callable[[Architecture], str]
    keep: int
    """Columns with a smaller number are left out first where the width does not suffice."""


def archs_table(catalogue: Catalogue, targets: Sequence[Architecture], width: int) -> str:
    """Return the architectures `targets` as text of at most `width` columns (at least 60), ending in a newline.

    Where the width does not suffice, columns are left out and product lists cut; `?` is what the sources do not tell.
    """
    width = max(width, 60)
    nvidia = [arch for arch in targets if arch.vendor is Vendor.NVIDIA]
    amd = [arch for arch in targets if arch.vendor is Vendor.AMD]
    answers = frozenset(a.capability for a in catalogue.architectures if a.vendor is Vendor.NVIDIA and a.capability)
    parts = []
    if nvidia:
        parts.append(_table(_NVIDIA_COLUMNS, nvidia, width))
    if amd:
        parts.append(_table(_amd_columns(answers), amd, width))
    legend = [*(_NVIDIA_LEGEND if nvidia else ()), *(_AMD_LEGEND if amd else ())]
    legend.append(f"`?`: not known from the sources. Newest CUDA toolkit checked: {catalogue.newest_toolkit}.")
    parts.append([line for sentence in legend for line in _wrapped(sentence, width)])
    return "\n\n".join("\n".join(part) for part in parts) + "\n"


def archs_json(catalogue: Catalogue) -> str:
    """Return everything that the catalogue knows as one JSON document: facts with sources, toolkits, systems, rules."""
    document = {
        "schema": SCHEMA,
        "newest_toolkit": catalogue.newest_toolkit,
        "architectures": [_architecture(arch) for arch in catalogue.architectures],
        "sets": {name: [arch.name for arch in members(catalogue)] for name, members in SETS.items()},
        "toolkits": {release: list(targets) for release, targets in catalogue.toolkits.items()},
        "systems": [_system(system) for system in background.systems()],
        "multicast": _fact(background.multicast_rule()),
        "rules": {name: _fact(rule) for name, rule in background.rules().items()},
        "conflicts": [asdict(conflict) for conflict in background.conflicts()],
        "sources": {name: asdict(source) for name, source in sorted(catalogue.sources.items())},
    }
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _table(columns: Sequence[_Column], archs: Sequence[Architecture], width: int) -> list[str]:
    """Lay out rows of cells; the last column is the products, which take what is left."""
    cells = {column.title: [column.title, *(column.cell(arch) for arch in archs)] for column in columns}
    widths = {title: max(map(len, texts)) for title, texts in cells.items()}
    kept = list(columns)
    while _needed(kept, widths) > width:
        kept.remove(min(kept[1:-1], key=lambda column: column.keep))
    room = width - _needed(kept, widths) + min(widths[kept[-1].title], _NARROWEST_PRODUCTS)
    lines = []
    for row in range(len(archs) + 1):
        fixed = [cells[column.title][row].ljust(widths[column.title]) for column in kept[:-1]]
        lines.append(_GAP.join([*fixed, _cut(cells[kept[-1].title][row], room)]).rstrip())
    return lines


def _needed(columns: Sequence[_Column], widths: Mapping[str, int]) -> int:
    fixed = sum(widths[column.title] + len(_GAP) for column in columns[:-1])
    return fixed + min(widths[columns[-1].title], _NARROWEST_PRODUCTS)


def _cut(text: str, room: int) -> str:
    return text if len(text) <= room else text[: room - 1].rstrip(" ,") + "…"


def _wrapped(sentence: str, width: int) -> list[str]:
    import textwrap

    return textwrap.wrap(sentence, width)


def _known(*values: object) -> str:
    return "/".join("?" if value is None else str(value) for value in values)


def _limits(*names: str) -> Callable[[Architecture], str]:
    def cell(arch: Architecture) -> str:
        values = [arch.fact(f"limits.{name}") for name in names]
        return "?" if all(value is None for value in values) else _known(*values)

    return cell


def _capability(arch: Architecture) -> str:
    return "?" if arch.capability is None else f"{arch.capability[0]}.{arch.capability[1]}"


def _toolkits(arch: Architecture) -> str:
    first, last = arch.fact("cuda.first_toolkit"), arch.fact("cuda.last_toolkit")
    if first is None and last is None:
        return "?"
    return f"{_known(first)}+" if last == toolkits.NONE else f"{_known(first)}-{_known(last)}"


def _isa(arch: Architecture) -> str:
    answers = {name: features.feature(arch, name) for name in _LETTERS}
    return "".join("?" if has is None else _LETTERS[name] if has else "-" for name, has in answers.items())


def _inputs(arch: Architecture) -> str:
    answers = {name: arch.fact(f"tensor_core_inputs.{name}") for name in _FORMATS}
    named = [name for name, has in answers.items() if has]
    if None in answers.values():
        named.append("?")
    return " ".join(named) or "none"


def _products(arch: Architecture) -> str:
    return ", ".join(product.removeprefix("NVIDIA ").removeprefix("GeForce ") for product in arch.products) or "?"


def _wavefronts(arch: Architecture) -> str:
    sizes = arch.fact("limits.wavefront_sizes")
    return _known(*sizes) if sizes else "?"


def _amd_columns(nvidia_answers: frozenset[tuple[int, int]]) -> tuple[_Column, ...]:
    def answers(arch: Architecture) -> str:
        told = arch.facts["torch_device_capability"]
        marks = ("~" if told.note.startswith("derived") else "") + ("=" if arch.capability in nvidia_answers else "")
        return _capability(arch) + (f" {marks}" if marks else "")

    return (
        _Column("Name", lambda arch: arch.name, 9),
        _Column("Answers", answers, 8),
        _Column("Generation", lambda arch: arch.generation, 7),
        _Column("Wavefront", _wavefronts, 4),
        _Column("LDS", _limits("shared_mem_per_block_optin_kib"), 6),
        _Column("FP8", lambda arch: _known(arch.fact("rocm.fp8_type")), 5),
        _Column("Products", _products, 9),
    )


_NVIDIA_COLUMNS = (
    _Column("Name", lambda arch: arch.name, 9),
    _Column("CC", _capability, 8),
    _Column("Generation", lambda arch: arch.generation, 7),
    _Column("CUDA", _toolkits, 4),
    _Column("SMEM", _limits("shared_mem_per_sm_kib", "shared_mem_per_block_optin_kib"), 6),
    _Column("SM", _limits("max_threads_per_sm", "max_warps_per_sm", "max_blocks_per_sm"), 2),
    _Column("ISA", _isa, 5),
    _Column("Inputs", _inputs, 3),
    _Column("Products", _products, 9),
)


def _architecture(arch: Architecture) -> dict[str, object]:
    return {
        "name": arch.name,
        "vendor": arch.vendor.value,
        "capability": None if arch.capability is None else list(arch.capability),
        "generation": arch.generation,
        "family": arch.family,
        "label": arch.label,
        "products": list(arch.products),
        "classes": list(arch.classes),
        "facts": {name: _fact(arch.facts[name]) for name in sorted(arch.facts)},
    }


def _system(system: background.System) -> dict[str, object]:
    links = {"nvlink": system.nvlink, "nvswitch": system.nvswitch, "multicast": system.multicast}
    return {"name": system.name, "capability": system.capability, **{key: _fact(link) for key, link in links.items()}}


def _fact(fact: Fact) -> dict[str, object]:
    """Return value and source ids, and the note where there is one; tuples become lists, unknown becomes null."""
    told: dict[str, object] = {"value": fact.value, "source": list(fact.source)}
    return told | {"note": fact.note} if fact.note else told
