"""Comparisons across forms, part by part, and with architectures that do not exist."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.judge.findings import lines_of

SOME = "sm_80,sm_90,sm_120"
ALL = "warning sm_80 sm_90 sm_120"
CAPABILITY = "major, minor = torch.cuda.get_device_capability()"


def _found(folder: Path, rule: str, expression: str, targets: str = SOME) -> dict[int, str]:
    """Findings in `return expression`, which stands on line 4."""
    return lines_of(folder, f"def f(x):\n    {CAPABILITY}\n    return {expression}\n", rule, targets=targets)


@pytest.mark.parametrize(
    "expression",
    ["major >= 90", "90 <= major", "major == 80", "major * 10 + minor >= 9",
     "(major, minor) == 90", 'f"{major}{minor}" == 90',
     'f"{major}.{minor}" in ("sm_80", "sm_90")', "str(major * 10 + minor) in {80, 90}", 'f"sm_{major}{minor}" == "90"'],
)  # fmt: skip
def test_two_forms_never_meet(tmp_path: Path, expression: str) -> None:
    assert _found(tmp_path, "HW301", expression) == {4: ALL}


@pytest.mark.parametrize(
    "expression",
    ["major >= 9", "major >= 20", "major * 10 + minor >= 90", "(major, minor) >= (9, 0)",
     'f"{major}.{minor}" in ("8.0",)',
     "major in (9, 90)", "minor >= 5", "x >= 90", "major < 7", 'f"sm_{major}{minor}" == "compute_90"'],
)  # fmt: skip
def test_one_form_may_be_false_everywhere(tmp_path: Path, expression: str) -> None:
    assert _found(tmp_path, "HW301", expression) == {}


def test_asking_about_both_vendors_hides_nothing_of_one(tmp_path: Path) -> None:
    both = f"{SOME},gfx942,gfx1100"
    assert _found(tmp_path, "HW301", "major >= 90", both) == {4: ALL}
    assert _found(tmp_path, "HW301", "major in (80, 90)", both) == {4: ALL}
    assert _found(tmp_path, "HW301", "major >= 9", both) == {}


def test_a_gfx_name_is_no_form_of_a_number_where_the_same_call_answers_on_two_vendors(tmp_path: Path) -> None:
    source = (
        "import triton\ndef f():\n    return triton.runtime.driver.active.get_current_target().arch in ('gfx950',)\n"
    )
    assert lines_of(tmp_path, source, "HW301", targets=SOME) == {}


def test_a_gfx_name_with_features_equals_none_without(tmp_path: Path) -> None:
    source = "def f():\n    return torch.cuda.get_device_properties(0).gcnArchName == 'gfx942'\n"
    assert lines_of(tmp_path, source, "HW301", targets="gfx942,gfx950") == {3: "warning gfx942 gfx950"}


def test_parts_are_wrong_where_the_second_is_smaller_beside_a_larger_first(tmp_path: Path) -> None:
    assert _found(tmp_path, "HW304", "major >= 7 and minor >= 5") == {4: ALL}
    assert _found(tmp_path, "HW304", "major < 8 or minor < 9") == {4: "warning sm_90 sm_120"}


@pytest.mark.parametrize(
    "expression",
    [
        "major > 7 or (major == 7 and minor >= 5)",
        "major == 8 and minor >= 6",
        "major >= 7 and minor >= 0",
        "major >= 7 and x >= 5",
    ],
)
def test_parts_that_belong_together_are_right(tmp_path: Path, expression: str) -> None:
    assert _found(tmp_path, "HW304", expression) == {}


def test_parts_of_a_toolkit_are_known_by_their_names(tmp_path: Path) -> None:
    flagged = """\
    def f():
        cuda_major, cuda_minor = torch.version.cuda.split('.')
        return int(cuda_major) >= 11 and int(cuda_minor) >= 2
    """
    assert lines_of(tmp_path, flagged, "HW304") == {4: "warning"}
    python = "import sys\ndef f():\n    return sys.version_info.major >= 3 and sys.version_info.minor >= 9\n"
    assert lines_of(tmp_path, python, "HW304") == {}


@pytest.mark.parametrize(
    ("expression", "found"),
    [("major * 10 + minor == 122", True), ("(major, minor) in ((9, 0), (9, 7))", True),
     ('f"sm_{major}{minor}" == "sm_95"', True),
     ("major * 10 + minor >= 95", False), ("(major, minor) == (9, 4)", False), ("(major, minor) == (14, 0)", False),
     ("major * 10 + minor == 35", False), ("(major, minor) == (8, 7)", False)],
)  # fmt: skip
def test_a_literal_that_is_asked_for_has_to_exist(tmp_path: Path, expression: str, found: bool) -> None:  # noqa: FBT001 - a case
    assert _found(tmp_path, "HW305", expression) == ({4: "warning"} if found else {})


def test_parts_may_have_any_names(tmp_path: Path) -> None:
    source = "def f():\n    a, b = torch.cuda.get_device_capability()\n    return a >= 8 and b >= 6\n"
    assert lines_of(tmp_path, source, "HW304", targets="sm_86,sm_90") == {4: "warning sm_90"}
    assert lines_of(tmp_path, source.replace("b >= 6", "b >= 0"), "HW304") == {}
    assert lines_of(tmp_path, source.replace("get_device_capability", "mem_get_info"), "HW304") == {}


@pytest.mark.parametrize(
    ("expression", "found"),
    [("(major, minor) >= 9", True), ('f"{major}{minor}" < 90', True), ("9 < (major, minor)", True),
     ("(major, minor) >= (9,)", False), ("major >= 9.5", False), ("[major, minor] >= unknown", False)],
)  # fmt: skip
def test_what_python_does_not_put_in_order_is_told(tmp_path: Path, expression: str, found: bool) -> None:  # noqa: FBT001 - a case
    assert _found(tmp_path, "HW301", expression) == ({4: "warning sm_80 sm_90 sm_120"} if found else {})


def test_a_gfx_name_is_held_against_those_of_its_line(tmp_path: Path) -> None:
    source = "def f():\n    return torch.cuda.get_device_properties(0).gcnArchName == 'gfx942'\n"
    found = lines_of(tmp_path, source, "HW301", targets="gfx942,gfx1100")
    assert found == {3: "warning gfx942"}
    assert lines_of(tmp_path, source.replace("gfx942", "gfx1100"), "HW301", targets="gfx942,gfx1100") == {}
