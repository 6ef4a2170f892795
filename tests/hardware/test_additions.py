"""Check architectures that a project adds in its configuration."""

from __future__ import annotations

import pickle

import pytest

from hwlint.hardware.additions import extend
from hwlint.hardware.kinship import family_mates
from hwlint.hardware.table import Catalogue, load
from hwlint.hardware.targets import made_up_next, parse_targets
from hwlint.model.architecture import Architecture
from hwlint.model.errors import SettingsError

PER_SM = "limits.shared_mem_per_sm_kib"


def added(**table: object) -> tuple[Architecture, Catalogue]:
    """Add sm_130 with the keys given, and return it with its catalogue."""
    catalogue = extend(load(), {"sm_130": {"capability": "13.0", **table}})
    arch = catalogue.find("sm_130")
    assert arch is not None
    return arch, catalogue


def test_an_added_architecture_takes_its_place_and_leaves_the_catalogue_as_it_was() -> None:
    arch, catalogue = added()
    assert [row.name for row in catalogue.architectures[22:26]] == ["sm_120", "sm_121", "sm_130", "gfx906"]
    assert catalogue.find("13.0a") is arch
    assert load().find("sm_130") is None


def test_what_a_definition_does_not_say_stays_unknown() -> None:
    arch, _ = added()
    assert arch.capability == (13, 0)
    assert arch.fact(PER_SM) is None
    assert arch.fact("isa.wgmma") is None
    assert arch.products == ()


def test_like_takes_over_the_silicon_and_not_the_toolkits() -> None:
    arch, _ = added(like="sm_120")
    assert arch.fact(PER_SM) == 100
    assert arch.facts[PER_SM].source == ("configuration",)
    assert "sm_120" in arch.facts[PER_SM].note
    assert arch.generation == "Blackwell"
    assert arch.fact("cuda.first_toolkit") is None
    assert arch.products == ()


def test_like_shares_the_family_only_within_a_major_number() -> None:
    arch, catalogue = added(like="sm_120")
    assert family_mates(arch, catalogue) == ()
    catalogue = extend(load(), {"sm_125": {"capability": "12.5", "like": "sm_120"}})
    mate = catalogue.find("12.5")
    assert mate is not None
    assert [other.name for other in family_mates(mate, catalogue)] == ["sm_120", "sm_121"]


def test_facts_are_stated_in_tables_or_by_dotted_name_and_win_over_like() -> None:
    arch, _ = added(like="sm_120", limits={"shared_mem_per_sm_kib": 256}, **{"isa.wgmma": True})
    assert (arch.fact(PER_SM), arch.fact("isa.wgmma")) == (256, True)
    assert arch.fact("limits.warp_size") == 32


def test_an_added_architecture_is_among_the_default_targets() -> None:
    _, catalogue = added(generation="Feynman", products=["X1", "X2", "X3"])
    assert "sm_130" in [arch.name for arch in parse_targets("current", catalogue)]
    assert [arch.name for arch in parse_targets("feynman", catalogue)] == ["sm_130"]
    assert catalogue.architectures[24].label == "13.0 (sm_130, Feynman: X1, X2)"
    assert made_up_next(catalogue).name == "sm_140"


def test_an_amd_architecture_can_be_added() -> None:
    catalogue = extend(load(), {"gfx1300": {"capability": "13.0", "like": "gfx1201"}})
    assert catalogue.architectures[-1].name == "gfx1300"
    assert catalogue.architectures[-1].fact("rocm.fp8_type") == "ocp"
    assert catalogue.find("13.0") is None


def test_every_fact_of_an_added_architecture_has_a_source_that_exists() -> None:
    arch, catalogue = added(like="sm_120", products=["X1"])
    for name, fact in arch.facts.items():
        assert fact.source, name
        assert set(fact.source) <= set(catalogue.sources), name


def test_no_definitions_leave_the_very_same_catalogue() -> None:
    assert extend(load(), {}) is load()


def test_architectures_survive_the_way_to_another_process() -> None:
    arch, _ = added(like="sm_120")
    for original in (arch, load().architectures[-1]):
        copy = pickle.loads(pickle.dumps(original))  # noqa: S301 - our own bytes
        assert copy == original
        assert dict(copy.facts) == dict(original.facts)


@pytest.mark.parametrize(
    ("name", "table", "message"),
    [
        ("sm_130", {}, "has no `capability`"),
        ("sm_130", {"capability": 13.0}, "write it as text in quotes"),
        ("sm_130", {"capability": "13"}, "write major and minor number as text"),
        ("sm_130", {"capability": "12.9"}, "belongs to `sm_129`"),
        ("sm_130", {"capability": "13.0", "like": "sm_122"}, "not in the catalogue; did you mean `sm_121`?"),
        ("sm_130", {"capability": "13.0", "lik": "sm_120"}, "unknown key `lik`; did you mean `like`?"),
        ("sm_130", {"capability": "13.0", "isa": {"wgma": True}}, "did you mean `isa.wgmma`?"),
        ("sm_130", {"capability": "13.0", "isa": {"wgmma": 1}}, "of type int; the catalogue has bool there"),
        ("sm_130", {"capability": "13.0", "products": "X1"}, "write a list of texts"),
        ("sm_130", {"capability": "13.0", "classes": ["datacentre"]}, "did you mean `datacenter`?"),
        ("sm_120", {"capability": "12.0"}, "is in the catalogue already"),
        ("rubin", {"capability": "13.0"}, "is not an architecture name"),
    ],
)
def test_a_wrong_definition_is_refused_with_its_place(name: str, table: dict[str, object], message: str) -> None:
    with pytest.raises(SettingsError) as refusal:
        extend(load(), {name: table})
    assert str(refusal.value).startswith(f"[tool.hwlint.architectures.{name}] ")
    assert message in str(refusal.value)


def test_every_unknown_key_of_every_definition_is_told() -> None:
    wrong = {"sm_130": {"capability": "13.0", "lik": "sm_120", "fmaily": "x"}, "sm_140": {"capabilty": "14.0"}}
    with pytest.raises(SettingsError) as refusal:
        extend(load(), wrong)
    assert [
        "[tool.hwlint.architectures.sm_130] has the unknown key `lik`; did you mean `like`?",
        "[tool.hwlint.architectures.sm_130] has the unknown key `fmaily`; did you mean `family`?",
        "[tool.hwlint.architectures.sm_140] has the unknown key `capabilty`; did you mean `capability`?",
    ] == list(refusal.value.messages)
