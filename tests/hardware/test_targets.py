"""Check how `--targets` is read."""

from __future__ import annotations

import pytest

from hwlint.hardware.table import load
from hwlint.hardware.targets import is_made_up, parse_targets
from hwlint.model.architecture import Vendor
from hwlint.model.errors import UsageError

CURRENT = ["7.5", "8.0", "8.6", "8.7", "8.9", "9.0", "10.0", "10.3", "10.7", "11.0", "12.0", "12.1"]


def chosen(text: str) -> list[str]:
    """Return what targets select: NVIDIA by capability, AMD by name."""
    found = parse_targets(text, load())
    return [f"{arch.major}.{arch.minor}" if arch.vendor is Vendor.NVIDIA else arch.name for arch in found]


def test_current_holds_what_is_sold_and_what_the_newest_toolkit_builds_for() -> None:
    assert chosen("current") == CURRENT
    assert "8.8" not in CURRENT, "the newest toolkit builds for it, but no product is named"
    assert "10.1" not in CURRENT, "it became 11.0, and no toolkit since 13.0 builds for it"
    assert "7.0" not in CURRENT, "sold, but no toolkit since 13.0 builds for it"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("sm_120", ["12.0"]),
        ("120, sm90a ,12.0", ["9.0", "12.0"]),
        ("gfx942,9.0", ["9.0", "gfx942"]),
        ("10.1", ["10.1"]),
        ("sm_90+", ["9.0", "10.0", "10.3", "10.7", "11.0", "12.0", "12.1"]),
        ("12.0+", ["12.0", "12.1"]),
        ("hopper", ["9.0"]),
        ("Ada", ["8.9"]),
        ("ada-lovelace", ["8.9"]),
        ("ampere", ["8.0", "8.6", "8.7"]),
        ("blackwell", ["10.0", "10.3", "11.0", "12.0", "12.1"]),
        ("cdna3", ["gfx942"]),
        ("rdna4", ["gfx1200", "gfx1201"]),
        ("datacenter", ["7.5", "8.0", "8.6", "8.9", "9.0", "10.0", "10.3", "10.7", "12.0"]),
        ("consumer", ["7.5", "8.6", "8.9", "12.0", "12.1"]),
        ("jetson", ["8.7", "11.0"]),
        ("9.0+,-jetson,!10.7", ["9.0", "10.0", "10.3", "12.0", "12.1"]),
        ("-blackwell,-sm_87", ["7.5", "8.0", "8.6", "8.9", "9.0", "10.7"]),
        ("12.0,-12.0,12.0", ["12.0"]),
    ],
)
def test_targets_are_read_as_written(text: str, expected: list[str]) -> None:
    assert expected == chosen(text)


def test_all_is_nvidia_and_amd_together() -> None:
    assert chosen("all") == chosen("nvidia") + chosen("amd")
    assert (len(chosen("nvidia")), len(chosen("amd"))) == (24, 19)


def test_next_lies_above_every_known_architecture_and_nothing_else_is_known_about_it() -> None:
    *known, made_up = parse_targets("nvidia,next", load())
    assert is_made_up(made_up)
    assert not any(is_made_up(arch) for arch in known)
    assert made_up.capability == (13, 0)
    assert all(arch.capability and arch.capability < (13, 0) for arch in known)
    assert made_up.name == "sm_130"
    assert made_up.family not in {arch.family for arch in known}
    assert set(made_up.facts) == {"made_up", "torch_device_capability"}
    assert "made up" in made_up.label


def test_next_stands_between_nvidia_and_amd() -> None:
    assert chosen("gfx942,next,sm_120") == ["12.0", "13.0", "gfx942"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("122", "unknown architecture `122`; did you mean `121`? `hwlint archs` lists them all"),
        ("sm_122", "did you mean `sm_121`?"),
        ("sm_90,blackwel", "unknown architecture `blackwel`; did you mean `blackwell`?"),
        ("currnt", "did you mean `current`?"),
        ("gfx943", "did you mean `gfx942`?"),
        ("sm_95+", "unknown architecture `sm_95+`"),
        ("sm_80a", "did you mean `sm_80`?"),
        ("zebra", "unknown architecture `zebra`; `hwlint archs` lists them all"),
        ("gfx942+", "gfx names have no order"),
        ("-zebra", "unknown architecture `zebra`"),
        ("", "no architecture in targets"),
        (" , ", "no architecture in targets"),
        ("9.0,-hopper", "select no architecture"),
    ],
)
def test_what_cannot_be_read_is_refused_with_the_nearest_word(text: str, message: str) -> None:
    with pytest.raises(UsageError) as refusal:
        parse_targets(text, load())
    assert message in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_every_unknown_word_of_a_list_is_told() -> None:
    with pytest.raises(UsageError) as refusal:
        parse_targets("sm_99,sm_90,zebra", load())
    first, second = refusal.value.messages
    assert first.startswith("unknown architecture `sm_99`")
    assert second.startswith("unknown architecture `zebra`")
