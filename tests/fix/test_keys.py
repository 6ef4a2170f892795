"""Keys are written, recognised and ordered in the form that the table uses."""

from __future__ import annotations

import pytest

from hwlint.fix.encoding import form_of
from hwlint.fix.keys import sort_key, write_key
from hwlint.hardware.table import load
from hwlint.model.architecture import Architecture


def arch(name: str) -> Architecture:
    found = load().find(name)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("value", "neighbours", "written"),
    [
        (12, ["9", "10"], "12"),
        (12, ["0x9"], "0xc"),
        (12, ["0xA"], "0xC"),
        (12, ["0Xa"], "0Xc"),
        ("12.0", ["'9.0'"], "'12.0'"),
        ("12.0", ['"9.0"'], '"12.0"'),
        ("sm_120", ["u'sm_90'"], "u'sm_120'"),
        ((12, 0), ["(9, 0)"], "(12, 0)"),
        ((12, 0), ["(9,0)"], "(12,0)"),
        (("12", "0"), ["('9', '0')"], "('12', '0')"),
        ((12, 0), ["Capability(9, 0)"], "Capability(12, 0)"),
        ((12, 0), ["Capability(major=9, minor=0)"], "Capability(major=12, minor=0)"),
        ("Arch.sm_120", ["Arch.sm_90"], "Arch.sm_120"),
        (12.0, ["9.0"], "12.0"),
        (12, ["'9'"], None),
        ("12", ["9"], None),
        ("Other.sm_120", ["Arch.sm_90"], None),
        ("Arch.sm_120", ["chips.Arch.sm_90"], "chips.Arch.sm_120"),
        ("Arch.sm_120", ["MyArch.sm_90"], None),
        ("sm_120", ["Arch.sm_90"], None),
        ((12, 0), ["(9, 0, 0)"], None),
        (12, ["HOPPER"], None),
        (True, ["1"], None),
    ],
)
def test_a_key_is_written_like_its_neighbours_or_not_at_all(value: object, neighbours: list[str], written: str) -> None:
    assert write_key(value, neighbours) == written


def test_numbers_in_texts_sort_as_numbers() -> None:
    texts = ['"sm_100"', '"sm_90"', '"sm_120"', '"sm_89"']
    assert sorted(texts, key=lambda text: sort_key(text) or ()) == ['"sm_89"', '"sm_90"', '"sm_100"', '"sm_120"']


@pytest.mark.parametrize(
    ("key", "other"),
    [
        (12, 8),
        (120, 89),
        (1200, 890),
        ((12, 0), (8, 9)),
        ((12, 0, 0), (8, 9, 0)),
        ("12.0", "8.9"),
        ("sm_120", "sm_89"),
        ("sm_120a", "sm_89a"),
        ("120", "89"),
        ("12", "8"),
        ("sm12", "sm8"),
    ],
)
def test_the_form_of_a_key_names_other_architectures(key: object, other: object) -> None:
    form = form_of(key, arch("sm_120"))
    assert form is not None
    assert form(arch("sm_89")) == other


def test_a_key_that_does_not_name_its_architecture_has_no_form() -> None:
    assert form_of("blackwell", arch("sm_120")) is None
    assert form_of(7, arch("sm_120")) is None
