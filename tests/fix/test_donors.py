"""The donor follows from what the table is about."""

from __future__ import annotations

import pytest

from hwlint.fix.donors import Candidate, Donor, NoDonor, Subject, choose_donor, subject_of
from hwlint.hardware.table import load
from hwlint.model.architecture import Architecture


def archs(*names: str) -> tuple[Architecture, ...]:
    found = tuple(load().find(name) for name in names)
    assert None not in found
    return tuple(one for one in found if one is not None)


def candidates(**keys: str) -> list[Candidate]:
    return [Candidate(key, archs(*names.split())) for key, names in keys.items()]


def donor_of(target: str, subject: Subject, **keys: str) -> str | None:
    found = choose_donor(archs(target), candidates(**keys), subject)
    return found.architecture.name if isinstance(found, Donor) else None


@pytest.mark.parametrize(
    ("target", "keys", "donor"),
    [
        ("sm_121", {"a": "sm_90", "b": "sm_100", "c": "sm_120"}, "sm_120"),
        ("sm_120", {"a": "sm_100", "c": "sm_121"}, "sm_121"),
        ("sm_120", {"a": "sm_89", "b": "sm_90", "c": "sm_100 sm_103"}, "sm_100"),
        ("sm_90", {"a": "sm_80", "b": "sm_89"}, "sm_89"),
        ("sm_75", {"a": "sm_80"}, None),
        ("sm_107", {"a": "sm_90", "b": "sm_103"}, "sm_103"),
        ("gfx950", {"a": "gfx942"}, None),
        ("gfx942", {"a": "gfx940", "b": "gfx90a"}, "gfx940"),
        ("gfx942", {"a": "sm_90"}, None),
    ],
)
def test_a_plain_table_follows_family_then_generation_then_the_nearest_lower(
    target: str, keys: dict[str, str], donor: str | None
) -> None:
    assert donor_of(target, Subject.GENERAL, **keys) == donor


@pytest.mark.parametrize(
    ("target", "keys", "donor"),
    [
        ("sm_120", {"a": "sm_80", "b": "sm_89", "c": "sm_90", "d": "sm_100"}, "sm_89"),
        ("sm_120", {"a": "sm_90", "b": "sm_100"}, None),
        ("sm_120", {"a": "sm_80 sm_86 sm_89", "b": "sm_90", "c": "sm_100"}, "sm_89"),
        ("sm_120", {"a": "sm_80", "b": "sm_90"}, None),
        ("sm_110", {"a": "sm_90", "b": "sm_100", "c": "sm_120"}, "sm_100"),
        ("sm_107", {"a": "sm_90", "b": "sm_100"}, "sm_100"),
        ("sm_121", {"a": "sm_89", "b": "sm_120"}, "sm_120"),
    ],
)
def test_a_table_about_shared_memory_follows_the_nearest_limit_that_fits(
    target: str, keys: dict[str, str], donor: str | None
) -> None:
    assert donor_of(target, Subject.RESOURCES, **keys) == donor


@pytest.mark.parametrize(
    ("target", "keys", "donor"),
    [
        ("sm_103", {"a": "sm_90", "b": "sm_100"}, "sm_100"),
        ("sm_120", {"a": "sm_90", "b": "sm_100"}, None),
        ("sm_120", {"a": "sm_89", "b": "sm_100"}, "sm_89"),
        ("sm_110", {"a": "sm_90", "b": "sm_100"}, "sm_100"),
    ],
)
def test_a_table_about_instructions_follows_the_family_or_the_same_instructions(
    target: str, keys: dict[str, str], donor: str | None
) -> None:
    assert donor_of(target, Subject.INSTRUCTIONS, **keys) == donor


def test_a_table_about_multicast_is_not_copied_to_another_family_and_says_that_the_capability_does_not_decide() -> None:
    found = choose_donor(archs("sm_120"), candidates(a="sm_90", b="sm_100"), Subject.MULTICAST)
    assert isinstance(found, NoDonor)
    assert "does not decide it" in found.reason


def test_values_that_name_architectures_are_copied_within_the_family_only() -> None:
    kinds = candidates(a="sm_90", b="sm_100")
    assert isinstance(choose_donor(archs("sm_120"), kinds, Subject.GENERAL, same_family=True), NoDonor)
    assert isinstance(choose_donor(archs("sm_103"), kinds, Subject.GENERAL, same_family=True), Donor)


def test_the_reason_names_the_facts() -> None:
    found = choose_donor(archs("sm_120"), candidates(a="sm_89", b="sm_100"), Subject.RESOURCES)
    assert isinstance(found, Donor)
    assert found.reason_short == "same shared memory"
    assert "8.9 has 99 KiB of shared memory per block, as 12.0 has" in found.reason


@pytest.mark.parametrize(
    ("near", "far", "subject"),
    [
        (["_WORLD_SIZES_MULTIMEM"], [], Subject.MULTICAST),
        (["MAX_SIZES"], ["multimem_all_reduce_", "multicast"], Subject.GENERAL),
        (["SMEM_CAPACITY"], [], Subject.RESOURCES),
        (["TileShape"], [], Subject.RESOURCES),
        (["CONFIG"], ["BLOCK_M", "num_stages"], Subject.RESOURCES),
        (["CONFIG"], ["shared", "buffer"], Subject.GENERAL),
        (["WGMMA_SHAPES"], [], Subject.INSTRUCTIONS),
        (["KERNELS"], ["cutlass"], Subject.INSTRUCTIONS),
        (["NAMES"], [], Subject.GENERAL),
    ],
)
def test_what_a_table_is_about_comes_from_its_own_words_first(
    near: list[str], far: list[str], subject: Subject
) -> None:
    assert subject_of(near, far) is subject
