"""A longer list does not make untrue what a name promises, and says which message stays as it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from hwlint.fix.add_entry import add_entry
from hwlint.model.finding import Safety
from hwlint.workflow.fix import fix
from hwlint.workflow.settings import load_settings
from tests.fix.samples import applied, table_problem

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
    assert ("would not be true any more" in found.reason) == (safety is Safety.DISPLAY)


def test_a_message_that_names_a_member_is_said_to_stay() -> None:
    code = "if cc not in T:\n    raise ValueError('only SM80 and SM90')\n"
    (found,) = add_entry(table_problem(LIST + code, {"sm_87": (8, 7)}, lookup="cc not in T", lookup_form="not in"))
    assert found.reason.endswith("What is said there (`only SM80 and SM90`) stays as it is.")
    code = code.replace("only SM80 and SM90", "at most 80900 bytes")
    (found,) = add_entry(table_problem(LIST + code, {"sm_87": (8, 7)}, lookup="cc not in T", lookup_form="not in"))
    assert "stays as it is" not in found.reason


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
