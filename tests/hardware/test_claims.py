"""What names say about the architectures that they are for."""

from __future__ import annotations

import pytest

from hwlint.hardware.claims import claims_of, is_for, is_named
from hwlint.hardware.table import load

ROWS = load().architectures


def _covered(text: str) -> set[str]:
    claim = claims_of(text)[0]
    return {row.name for row in ROWS if is_for(claim, row)}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("-gencode=arch=compute_90a,code=sm_90a", {"sm_90"}),
        ("sm100a_nvcc_flags", {"sm_100"}),
        ("sm_103f", {"sm_103", "sm_107"}),
        ("AttentionForwardSm100", {"sm_100", "sm_101", "sm_103", "sm_107"}),
        ("_kernel_meta_sm12x", {"sm_120", "sm_121"}),
        ("is_hopper", {"sm_90"}),
        ("flash3", {"sm_90"}),
        ("cutlassF-blackwell", {"sm_100", "sm_101", "sm_103", "sm_107", "sm_110"}),
        ("_h100_default_config", {"sm_90"}),
    ],
)
def test_a_name_covers_the_architectures_that_its_word_means(text: str, expected: set[str]) -> None:
    assert expected == _covered(text)


@pytest.mark.parametrize("text", ["sm_80_kernel", "num_sms", "prism_100", "small_100", "fp8a", "h10000", "version_90"])
def test_a_name_without_such_a_word_claims_nothing(text: str) -> None:
    assert claims_of(text) == ()


def test_the_geforce_kernels_of_a_library_are_not_its_datacenter_ones() -> None:
    assert "tcgen05" not in {claim.value for claim in claims_of("cutlass_blackwell_geforce")}


@pytest.mark.parametrize("text", ["# GB10 has its own", "sm_121a", "(12, 1)", "12.1", "121"])
def test_an_architecture_is_named_in_any_of_its_spellings(text: str) -> None:
    (row,) = (row for row in ROWS if row.name == "sm_121")
    assert is_named(row, text)


@pytest.mark.parametrize("text", ["(12, 10)", "1210", "2.12.1.5", "v121x"])
def test_a_longer_number_is_not_a_name(text: str) -> None:
    (row,) = (row for row in ROWS if row.name == "sm_121")
    assert not is_named(row, text)
