"""Check what the catalogue says: rows, sources, families, and that its file is consistent with itself."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from hwlint.hardware import background, facts, files
from hwlint.hardware.table import load
from hwlint.model.architecture import Architecture, Vendor

CATALOGUE = load()
NVIDIA = tuple(arch for arch in CATALOGUE.architectures if arch.vendor is Vendor.NVIDIA)
AMD = tuple(arch for arch in CATALOGUE.architectures if arch.vendor is Vendor.AMD)
FILE = Path(files.__file__).with_name("architectures.toml")


def one(name: str) -> Architecture:
    """Return a row that must exist."""
    arch = CATALOGUE.find(name)
    assert arch is not None
    return arch


def test_nvidia_rows_come_first_by_capability_and_then_amd() -> None:
    assert [arch.name for arch in NVIDIA] == [
        *(
            "sm_35",
            "sm_37",
            "sm_50",
            "sm_52",
            "sm_53",
            "sm_60",
            "sm_61",
            "sm_62",
            "sm_70",
            "sm_72",
            "sm_75",
            "sm_80",
            "sm_86",
        ),
        *("sm_87", "sm_88", "sm_89", "sm_90", "sm_100", "sm_101", "sm_103", "sm_107", "sm_110", "sm_120", "sm_121"),
    ]
    assert [arch.name for arch in AMD] == [
        *("gfx906", "gfx908", "gfx90a", "gfx940", "gfx941", "gfx942", "gfx950", "gfx1030", "gfx1100", "gfx1101"),
        *("gfx1102", "gfx1103", "gfx1150", "gfx1151", "gfx1152", "gfx1153", "gfx1200", "gfx1201", "gfx1250"),
    ]
    assert CATALOGUE.architectures == NVIDIA + AMD


@pytest.mark.parametrize("arch", CATALOGUE.architectures, ids=lambda arch: arch.name)
def test_every_fact_names_a_source_that_exists(arch: Architecture) -> None:
    assert len(arch.facts) >= 5
    for name, fact in arch.facts.items():
        assert (fact.value is None) == (not fact.source), (
            f"{name}: a known value needs a source, an unknown one has none"
        )
        assert set(fact.source) <= set(CATALOGUE.sources), name


def test_every_source_is_explained() -> None:
    assert len(CATALOGUE.sources) > 50
    for name, source in CATALOGUE.sources.items():
        assert all((source.kind, source.what, source.address)), name


def test_every_source_is_used() -> None:
    told = [fact for arch in CATALOGUE.architectures for fact in arch.facts.values()]
    told += [background.multicast_rule(), *background.rules().values()]
    for system in background.systems():
        told += [system.nvlink, system.nvswitch, system.multicast]
    mentioned = " ".join(fact.note for fact in told) + " ".join(f"{c.a} {c.b}" for c in background.conflicts())
    used = {source for fact in told for source in fact.source}
    unused = {name for name in CATALOGUE.sources if name not in used and name not in mentioned}
    assert unused == {"configuration", "hwlint"}, "those two are for what a project adds and for `next`"


def test_the_two_parts_of_the_file_are_the_whole_file() -> None:
    whole = tomllib.loads(FILE.read_text(encoding="utf-8"))
    assert whole == files.who_is_who() | {"facts": files.fact_sections()}


def test_every_row_of_facts_belongs_to_an_architecture() -> None:
    rows = {f"{a.major}.{a.minor}" for a in NVIDIA} | {arch.name for arch in AMD}
    assert set(facts.by_row()) == rows


def test_a_fact_has_values_of_one_type() -> None:
    for name in facts.names():
        assert len(facts.kinds(name)) == 1, name


def test_an_unknown_fact_is_none_and_not_false() -> None:
    assert one("sm_101").fact("limits.shared_mem_per_sm_kib") is None
    assert one("sm_88").fact("tensor_core_inputs.fp8") is None
    assert one("sm_86").fact("tensor_core_inputs.fp8") is False
    assert one("gfx940").capability is None
    assert one("gfx1152").fact("rocm.fp8_type") is None
    assert one("gfx1100").fact("rocm.fp8_type") == "none"


def test_the_facts_that_decide_findings_are_right() -> None:
    per_block = "limits.shared_mem_per_block_optin_kib"
    assert tuple(one(name).fact(per_block) for name in ("12.0", "9.0", "10.0", "10.7")) == (99, 227, 227, 327)
    assert {"sm_90"} == {arch.name for arch in NVIDIA if arch.fact("isa.wgmma")}
    assert {"10.0", "10.1", "10.3", "10.7", "11.0"} == {
        f"{arch.major}.{arch.minor}" for arch in NVIDIA if arch.fact("isa.tcgen05")
    }
    assert tuple(
        (one(name).fact("cuda.first_toolkit"), one(name).fact("cuda.last_toolkit")) for name in ("12.0", "10.1")
    ) == (("12.8", "none"), ("12.8", "12.9"))
    assert one("10.1").fact("cuda.dropped_in") == "13.0"


@pytest.mark.parametrize("arch", NVIDIA, ids=lambda arch: arch.name)
def test_an_nvidia_row_agrees_with_its_name_and_the_toolkits(arch: Architecture) -> None:
    assert arch.name == f"sm_{arch.major}{arch.minor}"
    first, last = arch.fact("cuda.first_toolkit"), arch.fact("cuda.last_toolkit")
    listed = [release for release, targets in CATALOGUE.toolkits.items() if arch.name in targets]
    assert last == ("none" if listed[-1] == CATALOGUE.newest_toolkit else listed[-1])
    oldest_listed = next(iter(CATALOGUE.toolkits))
    if listed[0] == oldest_listed:
        assert _release(first) <= _release(oldest_listed)
    else:
        assert first == listed[0]


def test_the_newest_toolkit_is_the_last_one_listed() -> None:
    releases = list(CATALOGUE.toolkits)
    assert releases == sorted(releases, key=_release)
    assert CATALOGUE.newest_toolkit == "13.5"


def test_a_family_holds_those_that_run_its_code() -> None:
    for arch in NVIDIA:
        runs_on = arch.fact("compatibility.family_target_runs_on")
        family = {f"{a.major}.{a.minor}" for a in NVIDIA if a.family == arch.family}
        if arch.fact("compiler_targets.f") == "none":
            assert runs_on == ()
            assert arch.family == arch.generation
        elif arch.family == arch.fact("compiler_targets.f"):
            assert family == set(runs_on)
        else:
            assert set(runs_on) < family, "the later members of a family run less"


@pytest.mark.parametrize("arch", CATALOGUE.architectures, ids=lambda arch: arch.name)
def test_a_label_names_at_most_two_products_and_they_exist(arch: Architecture) -> None:
    match = re.fullmatch(r"\S+ \((?:sm_\d+, )?[^:]+(?:: (?P<products>.+))?\)", arch.label)
    assert match
    named = match["products"].split(", ") if match["products"] else []
    assert len(named) <= 2
    assert bool(named) == bool(arch.products)
    for product in named:
        assert any(product in full for full in arch.products), product


@pytest.mark.parametrize(
    ("name", "label"),
    [
        ("9.0", "9.0 (sm_90, Hopper: H100, H200)"),
        ("10.0", "10.0 (sm_100, datacenter Blackwell: B200, GB200)"),
        ("12.0", "12.0 (sm_120, consumer Blackwell: RTX PRO 6000, RTX 50)"),
        ("11.0", "11.0 (sm_110, Jetson Thor: T5000)"),
        ("8.8", "8.8 (sm_88, Ampere)"),
        ("gfx942", "gfx942 (CDNA3: MI300X)"),
        ("gfx940", "gfx940 (CDNA3)"),
    ],
)
def test_labels_use_the_terms_of_the_field(name: str, label: str) -> None:
    assert label == one(name).label


@pytest.mark.parametrize(
    "text", ["sm_120", "sm120", "SM_120", "120", "12.0", "compute_120", "sm_120a", "12.0f", "120a", " 12.0 "]
)
def test_an_architecture_is_found_in_every_usual_spelling(text: str) -> None:
    assert CATALOGUE.find(text) is one("sm_120")


def test_a_device_name_of_rocm_is_found_with_its_flags() -> None:
    assert CATALOGUE.find("gfx942:sramecc+:xnack-") is one("gfx942")


@pytest.mark.parametrize("text", ["122", "sm_80a", "90f", "12", "9", "sm_", "", "gfx", "gfx9", "12.0.0", "(12, 0)"])
def test_what_names_no_architecture_is_not_found(text: str) -> None:
    assert CATALOGUE.find(text) is None


def test_systems_say_where_multicast_is_known_and_where_not() -> None:
    answers = {system.name: system.multicast.value for system in background.systems()}
    assert answers["HGX B200 8-GPU"] is True
    assert answers["HGX A100 8-GPU"] is False
    assert answers["RTX PRO 6000 Blackwell"] is None
    assert {"RTX PRO 6000 Blackwell", "GeForce RTX 5090"} == {s.name for s in background.systems_with(one("12.0"))}
    assert background.systems_with(one("gfx1200")) == ()
    for system in background.systems():
        assert one(system.capability)


def test_conflicts_between_sources_are_kept() -> None:
    assert "shared memory per SM of 10.7" in {conflict.what for conflict in background.conflicts()}


def test_loading_needs_no_heavy_package_and_no_fact_tables() -> None:
    code = (
        "import sys\n"
        "from hwlint.hardware import facts, targets\n"
        "from hwlint.hardware.table import load\n"
        "targets.parse_targets('current', load())\n"
        "assert not {'networkx', 'libcst', 'torch', 'click', 'difflib'} & set(sys.modules), 'heavy'\n"
        "assert facts.by_row.cache_info().currsize == 0, 'facts were read'\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def _release(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split(".")))
