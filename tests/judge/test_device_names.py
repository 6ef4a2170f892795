"""Device names: pieces that other names hold too, pieces that none holds, products without a piece."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.judge.findings import lines_of


def _found(folder: Path, *body: str) -> dict[int, str]:
    """Findings in a function whose body begins on line 4, after `name` is bound."""
    source = "def f():\n    name = torch.cuda.get_device_name()\n" + "".join(f"    {line}\n" for line in body)
    return lines_of(folder, source, "HW501")


@pytest.mark.parametrize(
    ("piece", "found"),
    [
        ("H20", "warning sm_90"),
        ("L4", "warning sm_89"),
        ("A10", "warning sm_80 sm_86"),
        ("H100", ""),
        ("A40", ""),
        ("B200", ""),
    ],
)
def test_a_piece_is_held_by_longer_names_of_its_kin(tmp_path: Path, piece: str, found: str) -> None:
    assert _found(tmp_path, f'if "{piece}" in name:', "    return 1", "return None") == ({4: found} if found else {})


def test_the_longer_name_first_or_its_absence_settles_it(tmp_path: Path) -> None:
    first = ('if "H200" in name:', "    return 2", 'if "H20" in name:', "    return 1", "return None")
    absent = ('if "H20" in name and "H200" not in name:', "    return 1", "return None")
    later = ("peak = None", 'if "H20" in name:', "    peak = 1", 'if "H200" in name:', "    peak = 2", "return peak")
    for body in (first, absent, later):
        assert _found(tmp_path, *body) == {}


def test_the_order_of_a_table_is_the_order_of_its_tests(tmp_path: Path) -> None:
    table = 'peaks = {"H20": 1, "H200": 2}'
    loop = ("    if piece in name:", "        return peaks[piece]", "return None")
    assert _found(tmp_path, table, "for piece in peaks:", *loop) == {6: "warning sm_90"}
    assert _found(tmp_path, table, "for piece in sorted(peaks, reverse=True):", *loop) == {}
    assert _found(tmp_path, table, "for piece in sorted(peaks, key=len, reverse=True):", *loop) == {}


def test_a_piece_is_never_there_in_the_wrong_case(tmp_path: Path) -> None:
    assert _found(tmp_path, 'return "l40s" in name') == {4: "warning sm_89"}
    assert _found(tmp_path, 'return "L40S" in name') == {}
    assert _found(tmp_path, "name = name.lower()", 'return "L40S" in name') == {5: "warning sm_89"}


def test_a_bare_number_names_cards_of_several_generations(tmp_path: Path) -> None:
    assert _found(tmp_path, 'return any(piece in name for piece in ("A100", "6000"))') == {
        4: "warning sm_75 sm_86 sm_89 sm_120"
    }
    assert _found(tmp_path, 'return any(piece in name for piece in ("5090", "4090"))') == {}


def test_newer_products_that_get_what_is_left_are_a_note(tmp_path: Path) -> None:
    body = ('if "A100" in name:', "    return 256", 'if "H100" in name:', "    return 512")
    assert _found(tmp_path, *body, "return 128") == {6: "note sm_100 sm_103 sm_120"}
    assert _found(tmp_path, *body, "return None") == {}


def test_a_series_that_went_on_is_a_note(tmp_path: Path) -> None:
    assert _found(tmp_path, 'return any(piece in name for piece in {"RTX 40"})') == {4: "note sm_120"}
    assert _found(tmp_path, 'return any(piece in name for piece in {"RTX 40", "RTX 50"})') == {}


def test_a_table_of_whole_names_raises_for_every_other(tmp_path: Path) -> None:
    table = 'specs = {"NVIDIA H100": 1, "NVIDIA B200": 2}'
    assert list(_found(tmp_path, table, "return specs[name]")) == [5]
    assert _found(tmp_path, table, "return specs[name] if name in specs else None") == {}
    assert _found(tmp_path, table, "return specs.get(name)") == {}
    assert _found(tmp_path, table, "name = known(name)", "return specs[name]") == {}


def test_amd_generations_stop_at_the_last_but_one(tmp_path: Path) -> None:
    source = "def f(arch):\n    return 32 if {} else 64\n"
    targets = "gfx942,gfx1030,gfx1100,gfx1201"
    stops = source.format("'gfx10' in arch or 'gfx11' in arch")
    assert lines_of(tmp_path, stops, "HW501", targets=targets) == {3: "warning gfx1201"}
    whole = source.format("'gfx10' in arch or 'gfx11' in arch or 'gfx12' in arch")
    assert lines_of(tmp_path, whole, "HW501", targets=targets) == {}
    assert lines_of(tmp_path, stops, "HW501") == {}


def test_the_name_of_the_properties_is_a_device_name(tmp_path: Path) -> None:
    source = """
    def f():
        props = torch.cuda.get_device_properties(0)
        if "L4" in props.name:
            return 300
        if "L40" in props.name:
            return 864
        return 0
    """
    assert lines_of(tmp_path, source, "HW501") == {5: "warning sm_89"}
    assert lines_of(tmp_path, source.replace("get_device_properties", "find"), "HW501") == {}


def test_a_generation_is_no_part_of_a_device_name(tmp_path: Path) -> None:
    source = """
    def run():
        gpu_name = torch.cuda.get_device_name(0)
        if "Turing" in gpu_name:
            return "old"
        return "new"
    """
    assert lines_of(tmp_path, source, "HW501") == {5: "warning sm_75"}


def test_a_generation_that_stands_in_names_is_left_alone(tmp_path: Path) -> None:
    source = """
    def run():
        gpu_name = torch.cuda.get_device_name(0)
        return "Blackwell" in gpu_name
    """
    assert lines_of(tmp_path, source, "HW501") == {}


def test_one_answer_for_a_list_of_names_means_cards_with_the_same_chip_too(tmp_path: Path) -> None:
    source = """
    def run(known=("a40", "l40")):
        gpu_name = torch.cuda.get_device_properties(0).name.lower()
        return any(name in gpu_name for name in known)
    """
    assert "warning" not in " ".join(lines_of(tmp_path, source, "HW501").values())


@pytest.mark.parametrize(
    ("test", "found"),
    [('part.startswith("H20")', "warning sm_90"), ('part == "H20"', ""), ('part.startswith("B200")', "")],
)
def test_a_word_of_the_name_that_begins_with_a_piece_may_be_a_longer_one(tmp_path: Path, test: str, found: str) -> None:
    body = (
        'parts = name.replace(" ", "_").split("_")',
        f"if any({test} for part in parts):",
        "    return 1",
        "return None",
    )
    assert _found(tmp_path, *body) == ({5: found} if found else {})
