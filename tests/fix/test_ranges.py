"""An open range gets its upper end, where that keeps out nobody else."""

from __future__ import annotations

from pathlib import Path

import pytest

from hwlint.fix.ranges import bound_range
from hwlint.model.finding import Level, Safety
from hwlint.workflow.fix import fix
from hwlint.workflow.settings import load_settings
from tests.fix.samples import applied, expression_problem

NOT_HOPPER = ("sm_100", "sm_103", "sm_107", "sm_110", "sm_120", "sm_121")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("major >= 9", "9 <= major < 12"),
        ("sm > 90", "90 < sm < 120"),
        ("cap >= (9, 0)", "(9, 0) <= cap < (12, 0)"),
        ("self.props.major>=9", "9 <= self.props.major < 12"),
        ("torch.cuda.get_device_capability()[0] >= 9", "9 <= torch.cuda.get_device_capability()[0] < 12"),
    ],
)
def test_an_open_range_gets_an_upper_end(before: str, after: str) -> None:
    (found,) = bound_range(expression_problem(before, before))
    assert applied(before, found) == after
    assert found.safety is Safety.UNSAFE


@pytest.mark.parametrize(
    ("before", "targets"),
    [
        ("major >= 9", ("sm_103", "sm_110", "sm_120", "sm_121")),
        ("major >= 9", ("sm_110",)),
        ("cap >= (9, 4)", ("gfx1100", "gfx1201")),
    ],
)
def test_a_bound_that_keeps_out_others_too_is_only_shown(before: str, targets: tuple[str, ...]) -> None:
    (found,) = bound_range(expression_problem(before, before, targets))
    assert found.safety is Safety.DISPLAY
    assert "so it is only shown" in found.reason


@pytest.mark.parametrize("text", ["minor >= 0", "major == 9", "major >= 12", "flag >= True", "f(x)"])
def test_what_is_no_open_range_below_the_architectures_is_left_alone(text: str) -> None:
    assert bound_range(expression_problem(text, text)) == ()


@pytest.mark.parametrize(
    ("rest", "safety"),
    [
        ("        # Hopper defaults\n        x = fa3(x)\n", Safety.DISPLAY),
        ("        x = gemm_sm90(x)\n", Safety.DISPLAY),
        ("        if not x:  # Hopper defaults\n            x = 1\n", Safety.DISPLAY),
        ("        if not x:\n            x = gemm(x)\n", Safety.UNSAFE),
        ("        x = gemm_sm80(x)  # from Ampere on\n", Safety.UNSAFE),
        ("        x = gemm(x)\n", Safety.UNSAFE),
    ],
)
def test_no_architecture_is_sent_to_a_branch_that_speaks_of_another(rest: str, safety: Safety) -> None:
    text = f"def f(m, x):\n    if m >= 10:\n        x = tcgen05(x)\n    else:\n{rest}    return x\n"
    (found,) = bound_range(expression_problem(text, "tcgen05(x)"))
    assert found.safety is safety
    assert ("which is another architecture" in found.reason) == (safety is Safety.DISPLAY)


@pytest.mark.parametrize(
    ("leaves", "safety"),
    [
        ("        # the SM90 kernels have no limit\n        return None\n", Safety.DISPLAY),
        ("        return None  # no limit\n", Safety.UNSAFE),
    ],
)
def test_no_architecture_is_sent_away_with_words_about_another(leaves: str, safety: Safety) -> None:
    text = f"def f(m, x):\n    if m < 10:\n{leaves}    return tcgen05(x)\n"
    (found,) = bound_range(expression_problem(text, "tcgen05(x)", guard="m < 10"))
    assert found.safety is safety


def test_the_test_around_the_place_gets_the_upper_end() -> None:
    text = "def f(m, x):\n    if m >= 9 and x:\n        return wgmma(x)\n    return 0\n"
    (found,) = bound_range(expression_problem(text, "wgmma(x)"))
    assert applied(text, found) == text.replace("m >= 9", "9 <= m < 12")
    assert bound_range(expression_problem(text.replace("return 0", "return gemm(x)"), "gemm(x)")) == ()
    assert bound_range(expression_problem(text.replace("m >= 9", "minor >= 0"), "wgmma(x)")) == ()


@pytest.mark.parametrize(
    ("test", "new"),
    [
        ("m < 10", "m < 10 or m >= 12"),
        ("cap < (10, 0)", "cap < (10, 0) or cap >= (12, 0)"),
        ("self.sm < 100", "self.sm < 100 or self.sm >= 120"),
        ("off or m < 10", "off or m < 10 or m >= 12"),
        ("props.major<10", "props.major<10 or props.major >= 12"),
    ],
)
def test_an_earlier_test_that_leaves_for_older_ones_leaves_for_newer_ones_too(test: str, new: str) -> None:
    older = f"    if x.size < 8:\n        return x\n    if {test}:\n        return x\n"
    text = f"def f(x):\n{older}    with y:\n        go(x)\n"
    (found,) = bound_range(expression_problem(text, "go(x)", guard=test))
    assert applied(text, found) == text.replace(f"if {test}:", f"if {new}:")
    assert bound_range(expression_problem(text, "go(x)")) == (), "no guard is named: a number is no capability"


def test_an_alternative_on_a_line_of_its_own_gets_a_neighbour_and_keeps_its_comment() -> None:
    lines = "    if (\r\n        m < 10  # old\r\n        or not x  # nothing to do\r\n    ):\r\n"
    text = f"def f(m, x):\r\n{lines}        return x\r\n    go(x)\r\n"
    (found,) = bound_range(expression_problem(text, "go(x)", guard="m < 10"))
    new = "# nothing to do\r\n        or m >= 12\r\n    ):"
    assert applied(text, found) == text.replace("# nothing to do\r\n    ):", new)
    assert found.title == "Bound the range: `m < 10 or m >= 12`"


@pytest.mark.parametrize("test", ["off and m < 10", "m <= 9", "not m < 10"])
def test_an_earlier_test_of_another_form_is_left_alone(test: str) -> None:
    text = f"def f(x):\n    if {test}:\n        return x\n    go(x)\n"
    assert bound_range(expression_problem(text, "go(x)", guard=test)) == ()


def test_the_bound_holds_in_a_whole_run_and_a_second_one_changes_nothing(tmp_path: Path) -> None:
    (tmp_path / "mod.py").write_text(
        "import torch\n\n\ndef flags():\n    major, _ = torch.cuda.get_device_capability()\n    if major >= 9:\n"
        '        return ["-gencode=arch=compute_90a,code=sm_90a"]\n    return ["-gencode=arch=compute_80,code=sm_80"]\n'
    )
    settings = load_settings([tmp_path], isolated=True)
    result = fix([tmp_path], settings, unsafe=True, jobs=1, use_cache=False)
    assert [NOT_HOPPER] == [one.finding.targets for one in result.applied]
    assert "    if 9 <= major < 10:\n" in (tmp_path / "mod.py").read_text()
    assert [] == [one for one in result.after.findings if one.level.rank >= Level.WARNING.rank]
    assert not fix([tmp_path], settings, unsafe=True, jobs=1, use_cache=False).changed
