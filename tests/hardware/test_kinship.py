"""Check who belongs with whom, who has what, and which literals name an architecture."""

from __future__ import annotations

import pytest

from hwlint.hardware.features import FACT_NAMES, feature, needed_suffixes
from hwlint.hardware.kinship import exact_mates, family_mates, is_hip, same_answer
from hwlint.hardware.names import known_names, names_architecture
from hwlint.hardware.table import load
from hwlint.hardware.targets import made_up_next
from hwlint.model.architecture import Architecture


def one(name: str) -> Architecture:
    """Return a row that must exist."""
    arch = load().find(name)
    assert arch is not None
    return arch


@pytest.mark.parametrize(
    ("name", "family", "exact"),
    [
        ("sm_100", ["sm_103", "sm_107"], ["sm_103", "sm_107"]),
        ("sm_121", ["sm_120"], ["sm_120"]),
        ("sm_110", [], []),
        ("sm_90", [], []),
        ("sm_80", ["sm_86", "sm_87", "sm_88"], []),
        ("gfx942", ["gfx940", "gfx941"], []),
        ("gfx908", [], []),
        ("gfx1250", [], []),
    ],
)
def test_mates_share_a_family_and_exact_mates_its_compile_target(
    name: str, family: list[str], exact: list[str]
) -> None:
    assert family == [mate.name for mate in family_mates(one(name), load())]
    assert exact == [mate.name for mate in exact_mates(one(name), load())]


def test_rocm_answers_collide_with_nvidia_capabilities() -> None:
    collisions = {
        arch.name: [other.name for other in same_answer(arch, load())]
        for arch in load().architectures
        if is_hip(arch) and same_answer(arch, load())
    }
    assert collisions == {
        **{key: ["sm_90"] for key in ("gfx906", "gfx908", "gfx90a")},
        "gfx1030": ["sm_103"],
        **{key: ["sm_110"] for key in ("gfx1100", "gfx1101", "gfx1102", "gfx1103")},
        **{key: ["sm_120"] for key in ("gfx1200", "gfx1201")},
    }
    assert [other.name for other in same_answer(one("sm_120"), load())] == ["gfx1200", "gfx1201"]
    assert same_answer(one("gfx942"), load()) == ()


def test_an_architecture_of_the_same_vendor_is_no_collision() -> None:
    assert same_answer(one("sm_80"), load()) == ()


@pytest.mark.parametrize(
    ("name", "has", "lacks", "unknown"),
    [
        ("sm_90", "wgmma tma cluster multimem fp8", "tcgen05 fp6 fp4", ""),
        ("sm_100", "tcgen05 tma cluster multimem fp8 fp6 fp4", "wgmma", ""),
        ("sm_120", "tma cluster multimem fp8 fp6 fp4", "wgmma tcgen05", ""),
        ("sm_80", "", "wgmma tcgen05 tma cluster multimem fp8 fp6 fp4", ""),
        ("sm_88", "", "wgmma tcgen05 tma cluster multimem", "fp8 fp6 fp4"),
        ("sm_101", "tcgen05 tma cluster multimem", "wgmma", "fp8 fp6 fp4"),
        ("gfx942", "fp8", "wgmma tcgen05 tma multimem", "cluster fp6 fp4"),
        ("gfx950", "fp8 fp6 fp4", "wgmma tcgen05 tma multimem", "cluster"),
        ("gfx90a", "", "wgmma tcgen05 tma multimem fp8", "cluster fp6 fp4"),
    ],
)
def test_a_feature_is_there_or_not_or_not_known(name: str, has: str, lacks: str, unknown: str) -> None:
    expected = dict.fromkeys(has.split(), True) | dict.fromkeys(lacks.split(), False) | dict.fromkeys(unknown.split())
    assert expected == {feature_name: feature(one(name), feature_name) for feature_name in FACT_NAMES}


def test_nothing_is_known_about_the_features_of_next() -> None:
    assert {feature(made_up_next(load()), name) for name in FACT_NAMES} == {None}


def test_some_features_need_a_target_with_a_suffix() -> None:
    assert needed_suffixes(one("sm_90"), "wgmma") == ("a",)
    assert needed_suffixes(one("sm_100"), "tcgen05") == ("a", "f")
    assert needed_suffixes(one("sm_90"), "tma") == ()


@pytest.mark.parametrize(
    ("literal", "answer"),
    [
        (120, True),
        (122, False),
        ("sm_122", False),
        ((12, 5), False),
        ((12, 0), True),
        ("12.1", True),
        ("sm_35", True),
        ("3.7", True),
        (36, False),
        ("90a", True),
        ("80a", False),
        ("100f", True),
        (101, True),
        ("gfx942", True),
        ("gfx900", None),
        (30, None),
        (130, None),
        ((13, 0), None),
        ("Hopper", None),
        (9, None),
    ],
)
def test_a_literal_names_an_architecture_or_not_or_nobody_can_tell(
    literal: str | int | tuple[int, int],
    answer: bool | None,  # noqa: FBT001 - pytest passes it by name
) -> None:
    assert names_architecture(literal, load()) is answer


def test_known_names_hold_rows_and_what_only_old_toolkits_list() -> None:
    names = known_names(load())
    assert {"sm_120", "12.0", "120a", "compute_90", "gfx942", "sm_35", "3.7"} <= names
    assert not {"sm_122", "122", "sm_36"} & names
