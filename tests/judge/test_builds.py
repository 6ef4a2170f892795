"""Build lists: where they end, and what they cover after that."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.judge.findings import lines_of

SOME = "sm_80,sm_90,sm_100,sm_120"


def _found(folder: Path, source: str) -> dict[int, str]:
    return lines_of(folder, source, "HW401", targets=SOME)


@pytest.mark.parametrize(
    ("listed", "left"),
    [("8.0;9.0", "warning sm_100 sm_120"), ("8.0 9.0 10.0", "warning sm_120"), ("8.0,9.0a", "warning sm_100 sm_120"),
     ("8.0;9.0+PTX", ""), ("8.0+PTX;9.0a", ""), ("9.0", ""), ("9.0a;10.0a", ""),
     ("8.0;12.0", ""), ("Ampere;Hopper", "")],
)  # fmt: skip
def test_a_variable_ends_where_no_ptx_goes_on(tmp_path: Path, listed: str, left: str) -> None:
    source = f'import os\nos.environ["TORCH_CUDA_ARCH_LIST"] = "{listed}"\n'
    assert _found(tmp_path, source) == ({3: left} if left else {})


def test_a_list_that_grows_counts_on_every_path_together(tmp_path: Path) -> None:
    source = """\
    import os
    def f(new):
        archs = ["8.0"]
        if new:
            archs.append("9.0")
        os.environ["TORCH_CUDA_ARCH_LIST"] = ";".join(archs)
    """
    assert _found(tmp_path, source) == {7: "warning sm_100 sm_120"}


def test_a_list_with_a_part_that_is_not_written_down_is_left_alone(tmp_path: Path) -> None:
    source = """\
    import os
    def f(own):
        archs = ["8.0", "9.0"]
        archs.append(own)
        os.environ["TORCH_CUDA_ARCH_LIST"] = ";".join(archs)
    """
    assert _found(tmp_path, source) == {}


def test_flags_of_one_list_belong_together_and_those_of_two_do_not(tmp_path: Path) -> None:
    source = """\
    ONE = ["-gencode=arch=compute_80,code=sm_80", "-gencode=arch=compute_90,code=sm_90"]
    KERNEL_A = ["-gencode=arch=compute_90a,code=sm_90a"]
    KERNEL_B = ["-gencode=arch=compute_80,code=sm_80"]
    WITH_PTX = ["-gencode=arch=compute_80,code=sm_80", "-gencode=arch=compute_90,code=[sm_90,compute_90]"]
    """
    assert _found(tmp_path, source) == {2: "warning sm_100 sm_120"}


def test_a_chain_over_toolkits_ends_before_the_toolkit_of_today(tmp_path: Path) -> None:
    chain = """\
    # for TORCH_CUDA_ARCH_LIST
    def f(cuda_major):
        caps = "6.0;7.0"
        if cuda_major == 11:
            caps += ";8.0"
        elif cuda_major == 12:
            caps += ";8.0;9.0"
    """
    assert _found(tmp_path, chain) == {5: "warning sm_80 sm_90 sm_100 sm_120"}
    assert _found(tmp_path, chain + "        else:\n            caps += ';9.0+PTX'\n") == {}
    assert _found(tmp_path, chain.replace("== 12", ">= 12")) == {}


def test_a_suffix_for_some_of_a_family_is_a_note_for_the_others_and_for_what_is_newer(tmp_path: Path) -> None:
    source = 'def f(archs):\n    return [f"{x}a" if x in [90, 100] else str(x) for x in archs]\n'
    assert lines_of(tmp_path, source, "HW401", targets="sm_90,sm_100,sm_103,sm_120") == {}
    source = "# TORCH_CUDA_ARCH_LIST\n" + source
    assert lines_of(tmp_path, source, "HW401", targets="sm_89,sm_90,sm_100,sm_103") == {4: "note sm_103"}
    assert lines_of(tmp_path, source, "HW401", targets="sm_90,sm_100,sm_103,sm_120") == {4: "note sm_103 sm_120"}


def test_flags_made_for_each_of_a_written_list_are_a_list(tmp_path: Path) -> None:
    source = """\
    TARGETS = ["80", "90"]
    def f():
        return ["-O3"] + [f"-gencode=arch=compute_{one},code=sm_{one}" for one in TARGETS]
    """
    assert _found(tmp_path, source) == {4: "warning sm_100 sm_120"}
    assert _found(tmp_path, source.replace("in TARGETS", "in TARGETS if one != '80'")) == {}
    assert _found(tmp_path, source.replace('"90"]', '"90", "100", "120"]')) == {}


def test_a_list_to_which_ptx_is_added_is_no_last_word(tmp_path: Path) -> None:
    source = """\
    import os
    def f():
        listed = os.environ.get("TORCH_CUDA_ARCH_LIST", "8.0;9.0").split(";")
        listed[-1] += "+PTX"
        return listed
    """
    assert _found(tmp_path, source) == {}
    assert _found(tmp_path, source.replace("+PTX", "")) == {4: "warning sm_100 sm_120"}


def test_flags_that_are_added_to_a_list_count(tmp_path: Path) -> None:
    source = """
    def load(cpp_extension, toolkit):
        cc_flag = []
        if toolkit >= 11:
            cc_flag.append("arch=compute_80,code=sm_80")

        def one(name):
            return cpp_extension.load(
                name=name,
                extra_cuda_cflags=["-gencode", "arch=compute_70,code=sm_70"] + cc_flag,
            )

        return one
    """
    assert "sm_120" in " ".join(lines_of(tmp_path, source, "HW401").values())


def test_a_list_for_one_architecture_is_a_choice(tmp_path: Path) -> None:
    source = """
    def load(cpp_extension, others):
        return cpp_extension.load(extra_cuda_cflags=["-gencode", "arch=compute_90,code=sm_90"] + others)
    """
    assert lines_of(tmp_path, source, "HW401") == {}


RETURNED = """
# TORCH_CUDA_ARCH_LIST
DEFAULTS = "6.0;7.0"

def get_default_capabilities(cuda_version):
    found = DEFAULTS
    if cuda_version >= 11:
        found += ";8.0;8.6;9.0"
    return found
"""


def test_a_default_list_that_a_function_puts_together_needs_ptx(tmp_path: Path) -> None:
    assert "warning sm_100" in " ".join(lines_of(tmp_path, RETURNED, "HW401").values())


def test_a_default_list_that_ends_with_ptx_or_is_no_list_of_architectures_is_left_alone(tmp_path: Path) -> None:
    assert lines_of(tmp_path, RETURNED.replace('9.0"', '9.0+PTX"'), "HW401") == {}
    assert lines_of(tmp_path, RETURNED.replace("get_default_capabilities", "python_versions"), "HW401") == {}
    assert lines_of(tmp_path, RETURNED.replace('";8.0;8.6;9.0"', "cuda_version.newest()"), "HW401") == {}
