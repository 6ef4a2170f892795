"""No wider test is applied that would make untrue what a name, a comment or a message beside it says."""

from __future__ import annotations

from pathlib import Path

import pytest

from hwlint.fix.add_entry import add_entry
from hwlint.fix.rewrite import widen_to_family
from hwlint.model.finding import Safety
from hwlint.workflow.fix import fix
from hwlint.workflow.settings import load_settings
from tests.fix.samples import applied, expression_problem, table_problem

LIST = "T = [(8, 0), (9, 0)]\n"


@pytest.mark.parametrize(
    ("code", "safety"),
    [
        ("is_sm80_or_sm90 = cc in T\n", Safety.DISPLAY),
        ("self.on_8_0_and_9_0 = cc in T\n", Safety.DISPLAY),
        ("def only_sm80_sm90():\n    return cc in T\n", Safety.DISPLAY),
        ("f(sm80_or_sm90=cc in T)\n", Safety.DISPLAY),
        ("is_sm80_and_up = cc in T\n", Safety.UNSAFE),
        ("has_memory = cc in T\n", Safety.UNSAFE),
        ("if cc in T:\n    is_sm80_or_sm90 = True\n", Safety.UNSAFE),
        ("version_800_or_900 = cc in T\n", Safety.UNSAFE),
    ],
)
def test_a_list_whose_members_a_name_has_all_is_only_shown_longer(code: str, safety: Safety) -> None:
    (found,) = add_entry(table_problem(LIST + code, {"sm_87": (8, 7)}, lookup="cc in T", lookup_form="in"))
    assert applied(LIST, found).startswith("T = [(8, 0), (8, 7), (9, 0)]")
    assert found.safety is safety
    assert ("who is on the list" in found.reason) == (safety is Safety.DISPLAY)


TESTS = "T = ((9, 0), (10, 0), (10, 3))\n"
"""Two of one family and one of another."""


@pytest.mark.parametrize(
    ("code", "safety"),
    [
        ("if cc not in T:\n    raise ValueError('built for SM90, SM100 and SM103')\n", Safety.DISPLAY),
        ("if cc not in T:\n    raise ValueError('needs SM90 or SM100')\n", Safety.UNSAFE),
        ("if cc not in T:\n    raise ValueError('not for %s', cc)\n", Safety.UNSAFE),
        ("# H100, B200 and B300\n# have been measured\nif cc not in T:\n    go()\n", Safety.DISPLAY),
        ("# SM90, that is H100, and B300\nif cc not in T:\n    go()\n", Safety.UNSAFE),
        ("# only H100, SM100/SM103\nimport f\n\nif cc not in T:\n    go()\n", Safety.DISPLAY),
        ("if x:\n    # H100, B200, B300\n    f()\nif cc not in T:\n    go()\n", Safety.UNSAFE),
        ("# H100, B200, B300 and VR200\nif cc not in T:\n    go()\n", Safety.UNSAFE),
        ("if cc not in T:  # sm_90, sm_100, sm_103\n    go()\n", Safety.DISPLAY),
        ("if cc not in T:  # Hopper and datacenter Blackwell\n    go()\n", Safety.UNSAFE),
        ("if cc not in T:\n    go()  # sm_90, sm_100, sm_103\n", Safety.UNSAFE),
        ("def f():\n    '''Take (9, 0), (10, 0) and (10, 3).'''\n    return cc not in T\n", Safety.DISPLAY),
    ],
)
def test_a_list_whose_members_are_enumerated_in_words_is_only_shown_longer(code: str, safety: Safety) -> None:
    problem = table_problem(TESTS + code, {"sm_107": (10, 7)}, lookup="cc not in T", lookup_form="not in")
    (found,) = add_entry(problem)
    assert found.safety is safety
    assert ("who is on the list" in found.reason) == (safety is Safety.DISPLAY)


def test_words_above_the_list_count_like_those_beside_the_test() -> None:
    for words, safety in (("B200 and B300, H100", Safety.DISPLAY), ("the datacenter", Safety.UNSAFE)):
        text = f"# {words}\n{TESTS}x = cc in T\n"
        (found,) = add_entry(table_problem(text, {"sm_107": (10, 7)}, lookup="cc in T", lookup_form="in"))
        assert found.safety is safety


def test_one_member_of_a_family_stands_for_it_in_words() -> None:
    text = "T = ((8, 9), (12, 0))\nif cc in T:  # off for sm89/sm120\n    go()\n"
    (found,) = add_entry(table_problem(text, {"sm_121": (12, 1)}, lookup="cc in T", lookup_form="in"))
    assert found.safety is Safety.UNSAFE


@pytest.mark.parametrize(
    ("docstring", "safety"),
    [
        ("Select the B200 way.", Safety.DISPLAY),
        ("Select the SM100 way.", Safety.UNSAFE),
        ("Select the way for B200 and B300.", Safety.UNSAFE),
    ],
)
def test_what_is_made_for_a_product_is_only_shown_for_its_family(docstring: str, safety: Safety) -> None:
    text = f'def f(cc):\n    """{docstring}"""\n    return cc == (10, 0)\n'
    (found,) = widen_to_family(expression_problem(text, "cc == (10, 0)", ("sm_103", "sm_107")))
    assert found.safety is safety
    assert applied(text, found).endswith("return cc in ((10, 0), (10, 3), (10, 7))\n")


def test_a_list_that_is_written_twice_in_a_function_grows_in_both_places(tmp_path: Path) -> None:
    tests = "    if x(1) and cc in (100, 103):\n        return 1\n"
    tests += "    return x(2) and cc in (100,\n                        103)\n"
    head = "import torch\n\n\ndef f(x):\n    major, minor = torch.cuda.get_device_capability()\n"
    (tmp_path / "m.py").write_text(f"{head}    cc = major * 10 + minor\n{tests}")
    settings = load_settings([tmp_path], isolated=True)
    result = fix([tmp_path], settings, unsafe=True, select=["HW103"], jobs=1, use_cache=False)
    assert ["Add 107 to `(100, 103)` (2 places), beside 10.3"] == [one.fix.title for one in result.applied]
    text = (tmp_path / "m.py").read_text()
    assert "    if x(1) and cc in (100, 103, 107):  # 107 like 10.3; not confirmed on 10.7\n" in text
    assert "cc in (100,\n                        103,\n                        # like 10.3" in text
    assert not fix([tmp_path], settings, unsafe=True, select=["HW103"], jobs=1, use_cache=False).changed


@pytest.mark.parametrize(
    ("use", "grows"), [("limit is None or x <= limit", "100 103 107"), ("x <= limit", "100 103 107 110 120 121")]
)
def test_where_none_means_no_limit_only_the_family_gets_an_entry(use: str, grows: str, tmp_path: Path) -> None:
    (tmp_path / "m.py").write_text(
        "import torch\n\nLIMITS = {90: 64, 100: 32}\n\n\ndef f(x):\n"
        "    major, minor = torch.cuda.get_device_capability()\n"
        f"    limit = LIMITS.get(major * 10 + minor)\n    return {use}\n"
    )
    settings = load_settings([tmp_path], isolated=True)
    fix([tmp_path], settings, unsafe=True, select=["HW105"], jobs=1, use_cache=False)
    text = (tmp_path / "m.py").read_text()
    assert "90: 64, " + ", ".join(f"{key}: 32" for key in grows.split()) + "}" in text
