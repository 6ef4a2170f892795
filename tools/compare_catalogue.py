"""Compare the catalogue with a collection of facts in JSON, and print every difference.

    python tools/compare_catalogue.py FACTS.json

The catalogue (hwlint/hardware/architectures.toml) is edited by hand; this says what a newer collection would change.
The collection has `nvidia` and `amd` rows whose leaves are `{"value": ..., "source": [ids], "note": ...}`, and
`toolkit_targets`, `sources`, `interconnect`, `rules` and `conflicts`. Exit status 1 where anything differs.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from hwlint.hardware import background
from hwlint.hardware.table import load
from hwlint.model.architecture import Fact

# What the catalogue calls a fact that the collection calls otherwise.
_NAMES = {
    "products.data_center": "products.datacenter",
    "compiler_targets.arch_specific": "compiler_targets.a",
    "compiler_targets.family": "compiler_targets.f",
    "compiler_targets.arch_specific_first_toolkit": "compiler_targets.a_first_toolkit",
    "compiler_targets.family_first_toolkit": "compiler_targets.f_first_toolkit",
    "family_target_runs_on": "compatibility.family_target_runs_on",
    "base_cubin_runs_on": "compatibility.base_cubin_runs_on",
    "architecture": "generation",
    "wavefront_size": "limits.wavefront_sizes",
    "lds_kib_amd_table": "limits.lds_kib_amd_table",
    "max_shared_mem_per_block_kib": "limits.shared_mem_per_block_optin_kib",
    "fp8_type": "rocm.fp8_type",
    "clang22_accepts": "rocm.clang22_accepts",
    "rocm.listed_6.0_to_6.3": "rocm.listed_6_0_to_6_3",
    "rocm.torch_rocm6.3_wheel": "rocm.torch_rocm6_3_wheel",
    "rocm.torch_rocm7.2_wheel": "rocm.torch_rocm7_2_wheel",
}

# Meant differences: (architecture, fact). The collection quotes two names for one generation; the catalogue takes one.
_MEANT = {("gfx1250", "generation")}


def main(path: str) -> int:
    """Print the differences and return the exit status."""
    collection = json.loads(Path(path).read_text(encoding="utf-8"))
    differences = [*_architectures(collection), *_background(collection)]
    sys.stdout.writelines(f"{difference}\n" for difference in differences)
    sys.stdout.write(f"{len(differences)} differences\n")
    return 1 if differences else 0


def _architectures(collection: Any) -> Iterator[str]:
    catalogue = load()
    rows = {row.get("sm") or row["gfx"]: row for row in (*collection["nvidia"], *collection["amd"])}
    for name in sorted({arch.name for arch in catalogue.architectures} ^ set(rows)):
        yield f"{name}: in one of the two only"
    for arch in catalogue.architectures:
        for path, leaf in _leaves(rows.get(arch.name, {})):
            name = _NAMES.get(path, path)
            if (arch.name, name) not in _MEANT and (problem := _difference(arch.facts.get(name), leaf)):
                yield f"{arch.name}: {name}: {problem}"
            if path.startswith("isa.") and leaf["value"] and (problem := _suffixes(arch, path, leaf)):
                yield f"{arch.name}: {path}: {problem}"
    for release in sorted(set(catalogue.toolkits) | set(collection["toolkit_targets"])):
        if set(catalogue.toolkits.get(release, ())) != set(collection["toolkit_targets"].get(release, ())):
            yield f"toolkit {release}: other targets"


def _background(collection: Any) -> Iterator[str]:
    told = {name: {"kind": s.kind, "what": s.what, "address": s.address} for name, s in background.sources().items()}
    for name, source in collection["sources"].items():
        if told.get(name) != {key: source[key] for key in ("kind", "what", "address")}:
            yield f"source {name}: differs"
    systems = {system.name: system for system in background.systems()}
    for row in collection["interconnect"]["products"]:
        system = systems.get(row["product"])
        if system is None or system.capability != row["compute_capability"]:
            yield f"system {row['product']}: missing or of another capability"
            continue
        links = {"nvlink": system.nvlink, "nvswitch": system.nvswitch, "nvls_multicast": system.multicast}
        for key, fact in links.items():
            if problem := _difference(fact, row[key]):
                yield f"system {row['product']}: {key}: {problem}"
    for name, rule in collection["rules"].items():
        if isinstance(rule["value"], dict):
            rule["value"] = [[key, *values] for key, values in rule["value"].items()]
        if problem := _difference(background.rules().get(name), rule):
            yield f"rule {name}: {problem}"
    conflicts = [(c.what, c.a, c.b, c.taken) for c in background.conflicts()]
    if conflicts != [tuple(row[key] for key in ("what", "a", "b", "taken")) for row in collection["conflicts"]]:
        yield "conflicts: differ"


def _leaves(node: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    if isinstance(node, dict) and {"value", "source"} <= set(node):
        yield path, node
    elif isinstance(node, dict):
        for key, child in node.items():
            yield from _leaves(child, f"{path}.{key}" if path else key)


def _difference(fact: Fact | None, leaf: Any) -> str:
    """Compare value and sources; a fact that the catalogue works out from the toolkits need not repeat the note."""
    value = _frozen(leaf["value"])
    if value is None and (fact is None or fact.value is None):
        return ""
    if fact is None:
        return f"missing; the collection has {value!r}"
    if fact.value != value:
        return f"{fact.value!r}; the collection has {value!r}"
    if set(fact.source) != set(leaf["source"]):
        return f"sources {fact.source}; the collection has {leaf['source']}"
    note = leaf.get("note", "")
    if note and note not in fact.note and fact.source != ("ptxas_list",):
        return f"note {fact.note!r}; the collection has {note!r}"
    return ""


def _suffixes(arch: Any, path: str, leaf: Any) -> str:
    told = arch.fact(path.replace("isa.", "isa_suffix."))
    accepted = tuple(target.removeprefix(arch.name) for target in leaf["accepted_by_targets"])
    wanted = None if "" in accepted else accepted
    return "" if told == wanted else f"accepted with {told!r}; the collection has {wanted!r}"


def _frozen(value: Any) -> Any:
    return tuple(_frozen(part) for part in value) if isinstance(value, list) else value


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
