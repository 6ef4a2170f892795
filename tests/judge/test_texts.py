"""Texts of versions: how they are put in order, cut and converted."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.judge.findings import lines_of

SOME = "sm_80,sm_90,sm_100,sm_120"


def _found(folder: Path, rule: str, *body: str, targets: str = SOME) -> dict[int, str]:
    """Findings in a function `f` whose body begins on line 4 (after `import torch`, `import os` and the `def`)."""
    return lines_of(folder, "import os\ndef f(x):\n" + "".join(f"    {line}\n" for line in body), rule, targets=targets)


NAMED = ("major, minor = torch.cuda.get_device_capability()", 'v = f"{major}.{minor}"')


@pytest.mark.parametrize("cut", ["v[0]", "v[:1]", "v[2]", "v[:3]", "v[2:3]"])
def test_a_cut_at_a_fixed_place_is_wrong_where_the_first_number_has_two_digits(tmp_path: Path, cut: str) -> None:
    assert _found(tmp_path, "HW303", *NAMED, f"return {cut}") == {6: "warning sm_100 sm_120"}


@pytest.mark.parametrize("cut", ["v[-1]", "v[-1:]", "v[:-2]", "v.split('.')[0]", "v[:]"])
def test_a_cut_counted_from_the_end_is_right_everywhere(tmp_path: Path, cut: str) -> None:
    assert _found(tmp_path, "HW303", *NAMED, f"return {cut}") == {}


def test_entries_of_a_list_that_the_environment_gives_are_cut_too(tmp_path: Path) -> None:
    body = (
        'ccs = os.environ.get("TORCH_CUDA_ARCH_LIST", None).replace(" ", ";").split(";")',
        "for cc in ccs:",
        "    print(cc[0] + cc[2])",
    )
    assert _found(tmp_path, "HW303", *body) == {6: "warning sm_100 sm_120"}


def test_a_name_that_is_split_first_is_no_text_any_more(tmp_path: Path) -> None:
    body = (
        'for cc in os.environ["TORCH_CUDA_ARCH_LIST"].split(";"):',
        '    cc = cc.split(".")',
        "    print(cc[0] + cc[1])",
    )
    assert _found(tmp_path, "HW303", *body) == {}


def test_a_suffix_breaks_int_unless_the_code_knows_it(tmp_path: Path) -> None:
    entry = 'for a in torch.cuda.get_arch_list() if "sm_" in a'
    assert list(_found(tmp_path, "HW303", f'return [int(a.split("_")[1]) {entry}]')) == [4]
    assert _found(tmp_path, "HW303", f"return [int(a[3:]) {entry} and a[3:].isdigit()]") == {}
    assert (
        _found(tmp_path, "HW303", "try:", f"    return [int(a[3:]) {entry}]", "except ValueError:", "    return []")
        == {}
    )


def test_digits_that_another_path_gives_are_no_suffix(tmp_path: Path) -> None:
    made = ('v = f"{major}{minor}"', "if x:", "    v = v + 'a'")
    cut = ("if v[-1].isalpha():", "    v = v[:-1]")
    numbers = "major, minor = torch.cuda.get_device_capability()"
    assert _found(tmp_path, "HW303", numbers, *made, *cut, "return int(v)") == {}
    assert list(_found(tmp_path, "HW303", numbers, 'v = f"{major}{minor}a"', "return int(v)")) == [6]


def test_sorting_texts_matters_where_an_end_is_taken(tmp_path: Path) -> None:
    make = 'ccs = os.environ["TORCH_CUDA_ARCH_LIST"].split(";")'
    assert _found(tmp_path, "HW302", make, "ccs = sorted(ccs)", 'ccs[-1] += "+PTX"') == {5: "warning sm_100 sm_120"}
    assert _found(tmp_path, "HW302", make, "return sorted(ccs)") == {5: "note sm_100 sm_120"}
    assert _found(tmp_path, "HW302", make, "return sorted(ccs, key=float)[-1]") == {}


def test_a_text_is_ordered_wrongly_only_where_numbers_say_otherwise(tmp_path: Path) -> None:
    assert _found(tmp_path, "HW302", *NAMED, 'return v >= "8.0"') == {6: "warning sm_100 sm_120"}
    assert _found(tmp_path, "HW302", *NAMED, 'return v == "8.0"') == {}
    assert _found(tmp_path, "HW302", *NAMED, 'return v >= "8.0"', targets="sm_80,sm_90") == {}


def test_a_toolkit_as_text_is_a_note_until_a_toolkit_is_ordered_wrongly(tmp_path: Path) -> None:
    assert _found(tmp_path, "HW302", 'return torch.version.cuda >= "12.8"') == {4: "note sm_80 sm_90 sm_100 sm_120"}
    assert _found(tmp_path, "HW302", 'return torch.version.cuda >= "9.2"') == {4: "warning sm_80 sm_90 sm_100 sm_120"}
    assert _found(tmp_path, "HW302", 'return torch.__version__ >= "2.1"') == {}


def test_the_whole_name_of_an_amd_device_is_no_number_with_a_suffix(tmp_path: Path) -> None:
    source = """
    import jax

    def capability():
        text = jax.devices()[0].compute_capability
        return tuple(int(part) for part in text.split("."))
    """
    assert lines_of(tmp_path, source, "HW303", targets="sm_90,sm_120,gfx942") == {}


def test_a_list_of_parts_is_not_cut(tmp_path: Path) -> None:
    source = """
    def flags(ccs):
        for cc in ccs.split(";"):
            num = cc[0] + cc[2]
            yield f"-gencode=arch=compute_{num},code=sm_{num}"

    def parted(compute_capabilities):
        for cc in compute_capabilities:
            num = cc[0] + cc[1].split("+")[0]
            yield f"-gencode=arch=compute_{num},code=sm_{num}"
    """
    assert 10 not in lines_of(tmp_path, source, "HW303")


def test_numbers_of_another_vendor_are_not_put_in_order(tmp_path: Path) -> None:
    source = """
    def has_tf32(is_musa):
        if is_musa:
            info = torch.musa.get_device_properties(0)
            return f"{info.major}{info.minor}" >= "22"
        info = torch.cuda.get_device_properties(0)
        return f"{info.major}{info.minor}" >= "80"
    """
    assert list(lines_of(tmp_path, source, "HW302")) == [8]


def test_a_helper_that_all_callers_give_a_target_cuts_one(tmp_path: Path) -> None:
    source = """
    def number(arch):
        return int(arch.split("_")[1])

    def newest():
        return max(number(each) for each in torch.cuda.get_arch_list())
    """
    assert list(lines_of(tmp_path, source, "HW303")) == [4]


def test_a_helper_that_is_given_other_texts_too_is_left_alone(tmp_path: Path) -> None:
    source = """
    def number(arch):
        return int(arch.split("_")[1])

    def newest(names):
        return max(number(each) for each in torch.cuda.get_arch_list()) + number(names[0])
    """
    assert lines_of(tmp_path, source, "HW303") == {}


THREE = ('arch = "{}{}".format(*torch.cuda.get_device_capability())', "if len(arch) == 3:")


def test_the_first_of_three_digits_may_be_looked_at_to_tell_two_from_one(tmp_path: Path) -> None:
    body = (*THREE, "    major = int(arch[0])", "    if major < 2:", "        major = arch[0:2]", "    return major")
    assert _found(tmp_path, "HW303", *body) == {}


def test_the_first_of_three_digits_alone_is_no_major_number(tmp_path: Path) -> None:
    assert _found(tmp_path, "HW303", *THREE, "    return int(arch[0])") == {6: "warning sm_100 sm_120"}


def test_the_lesser_of_a_text_and_one_that_is_not_known_is_a_matter_of_order(tmp_path: Path) -> None:
    source = """
    def target(newest):
        major, minor = torch.cuda.get_device_capability()
        return min(f"{major}{minor}", newest)
    """
    assert list(lines_of(tmp_path, source, "HW302")) == [5]


def test_the_lesser_of_two_numbers_of_which_one_is_not_known_is_left_alone(tmp_path: Path) -> None:
    source = """
    def target(newest):
        major, minor = torch.cuda.get_device_capability()
        return min(major * 10 + minor, newest), min((major, minor), newest)
    """
    assert lines_of(tmp_path, source, "HW302") == {}
