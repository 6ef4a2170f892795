"""Check what `hwlint archs` prints."""

from __future__ import annotations

import json

import pytest

from hwlint.hardware.show import archs_json, archs_table
from hwlint.hardware.table import load
from hwlint.hardware.targets import parse_targets


@pytest.mark.parametrize("width", [60, 80, 100, 160, 400])
def test_the_table_fits_the_width_and_names_every_architecture(width: int) -> None:
    lines = archs_table(load(), load().architectures, width).splitlines()
    assert max(map(len, lines)) <= width
    first_words = [line.split()[0] for line in lines if line]
    for arch in load().architectures:
        assert arch.name in first_words


def test_a_wide_table_tells_limits_features_formats_and_products() -> None:
    lines = archs_table(load(), parse_targets("sm_120", load()), 200).splitlines()
    cells = lines[1].split("  ")
    told = [cell.strip() for cell in cells if cell.strip()]
    assert told[:8] == [
        *("sm_120", "12.0", "Blackwell", "12.8+", "100/99", "1536/48/24", "--TCM"),
        "tf32 bf16 fp16 fp8 fp6 fp4 int8",
    ]
    assert told[8].startswith("RTX PRO 6000 Blackwell")


def test_unknown_is_shown_as_unknown_and_not_as_no() -> None:
    (row,) = [line for line in archs_table(load(), load().architectures, 200).splitlines() if line.startswith("sm_101")]
    assert row.split() == ["sm_101", "10.1", "Blackwell", "12.8-12.9", "?", "?", "-5TCM", "?", "?"]


def test_only_the_vendors_asked_for_are_explained() -> None:
    assert "Wavefront" not in archs_table(load(), parse_targets("12.0", load()), 100)
    assert "ISA" not in archs_table(load(), parse_targets("gfx942", load()), 100)


def test_an_amd_answer_says_whether_it_is_derived_and_collides() -> None:
    table = archs_table(load(), parse_targets("gfx942,gfx1030,gfx90a,gfx1250", load()), 100)
    answers = {line.split()[0]: line[9:17].strip() for line in table.splitlines() if line.startswith("gfx")}
    assert answers == {"gfx90a": "9.0 =", "gfx942": "9.4", "gfx1030": "10.3 ~=", "gfx1250": "12.5 ~"}


def test_the_json_holds_every_fact_with_its_sources() -> None:
    text = archs_json(load())
    document = json.loads(text)
    assert document["schema"] == "hwlint-archs/1"
    assert document["newest_toolkit"] == "13.5"
    rows = {row["name"]: row for row in document["architectures"]}
    assert len(rows) == 43
    assert rows["sm_120"]["capability"] == [12, 0]
    assert rows["sm_120"]["facts"]["isa.wgmma"] == {"value": False, "source": ["ptxas_probe"]}
    assert rows["gfx940"]["capability"] is None
    mentioned = {source for row in rows.values() for fact in row["facts"].values() for source in fact["source"]}
    assert mentioned <= set(document["sources"])
    assert document["sets"]["current"][-1] == "sm_121"
    assert {"systems", "rules", "conflicts", "toolkits", "multicast"} <= set(document)


def test_the_same_catalogue_gives_the_same_bytes() -> None:
    assert archs_json(load()) == archs_json(load())
