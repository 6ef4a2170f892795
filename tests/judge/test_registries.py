"""Tables that are filled from outside: by functions that register something, and by other modules at import."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.judge.test_callers import found

REGISTRY = """
TABLE = {}

def register(*numbers):
    def keep(function):
        for number in numbers:
            TABLE[number] = function
        return function
    return keep
"""
RUN = """
import torch
from registry import TABLE

def run(x):
    return TABLE[torch.cuda.get_device_capability()[0]](x)
"""
USER = """
from registry import register

@register(7, 8)
def old(x):
    return x

@register({numbers})
def new(x):
    return x
"""
AT = ("run.py", 5)
LOOP = "def load(plugin):\n    for number in plugin.numbers:\n        register(number)(plugin.function)\n"


def test_what_decorators_register_is_all_that_the_table_has(tmp_path: Path) -> None:
    assert found(tmp_path, "HW101", registry=REGISTRY, run=RUN, users=USER.format(numbers="9, 10")) == {
        AT: "error sm_110 sm_120 sm_121"
    }


def test_a_table_into_which_everything_is_registered_lacks_nothing(tmp_path: Path) -> None:
    users = USER.format(numbers="9, 10, 11, 12")
    assert found(tmp_path, "HW101", registry=REGISTRY, run=RUN, users=users) == {}


@pytest.mark.parametrize(
    "more",
    [
        LOOP,
        "import os\nif os.environ.get('X'):\n    @register(12)\n    def newest(x):\n        return x\n",
        "keep = register\n",
    ],
)
def test_a_table_is_unknown_where_something_may_be_registered_later(tmp_path: Path, more: str) -> None:
    users = USER.format(numbers="9, 10") + more
    assert found(tmp_path, "HW101", registry=REGISTRY, run=RUN, users=users) == {}


def test_a_function_that_registers_and_is_handed_on_by_a_package(tmp_path: Path) -> None:
    (tmp_path / "pack").mkdir()
    files = {
        "pack/__init__": "from .registry import TABLE, register\n",
        "pack/registry": REGISTRY,
        "users": USER.format(numbers="9, 10").replace("registry", "pack"),
        "run": RUN.replace("registry", "pack"),
    }
    assert found(tmp_path, "HW101", **files) == {AT: "error sm_110 sm_120 sm_121"}


LIMITS = "LIMITS = {7: 1, 8: 1, 9: 2}\n"
ASKED = (
    "import torch\nfrom limits import LIMITS\n\ndef f():\n    return LIMITS[torch.cuda.get_device_capability()[0]]\n"
)


def test_what_another_module_adds_when_it_is_run_is_there(tmp_path: Path) -> None:
    more = "import limits\nlimits.LIMITS.update({10: 3})\nlimits.LIMITS[11] = 4\n"
    assert found(tmp_path, "HW101", limits=LIMITS, run=ASKED, more=more) == {AT: "error sm_120 sm_121"}


def test_what_another_module_may_add_later_makes_a_table_unknown(tmp_path: Path) -> None:
    more = "import limits\n\ndef install(rows):\n    limits.LIMITS.update(rows)\n"
    assert found(tmp_path, "HW101", limits=LIMITS, run=ASKED, more=more) == {}


def test_a_table_of_the_same_name_elsewhere_is_another_one(tmp_path: Path) -> None:
    more = "LIMITS = {}\nLIMITS[10] = 1\n\ndef fill():\n    LIMITS = {}\n    LIMITS.update(other())\n"
    assert found(tmp_path, "HW101", limits=LIMITS, run=ASKED, more=more) == {
        AT: "error sm_100 sm_103 sm_107 sm_110 sm_120 sm_121"
    }


def test_other_names_for_what_registers_or_is_changed_are_seen(tmp_path: Path) -> None:
    users = USER.format(numbers="9, 10").replace("import register", "import register as keep")
    users = users.replace("@register", "@keep") + "\n@keep(11)\n@keep(12)\ndef newest(x):\n    return x\n"
    assert found(tmp_path, "HW101", registry=REGISTRY, run=RUN, users=users) == {}
    for file in tmp_path.glob("*.py"):
        file.unlink()
    more = "from limits import LIMITS as rows\nrows.update({10: 3, 11: 1, 12: 1})\n"
    assert found(tmp_path, "HW101", limits=LIMITS, run=ASKED, more=more) == {}


def test_what_a_package_hands_on_under_another_name_registers_too(tmp_path: Path) -> None:
    (tmp_path / "pack").mkdir()
    calls = "".join(f"@keep({number})\n" for number in (7, 8, 9, 10, 11, 12))
    files = {
        "pack/__init__": "from .registry import TABLE, register as keep\n",
        "pack/registry": REGISTRY,
        "pack/own": "from .registry import register\n\n@register(9)\ndef own(x):\n    return x\n",
        "users": f"from pack import keep\n\n{calls}def newest(x):\n    return x\n",
        "run": RUN.replace("registry", "pack"),
    }
    assert found(tmp_path, "HW101", **files) == {}


def test_what_a_function_imports_and_registers_may_be_there(tmp_path: Path) -> None:
    more = "def load():\n    from registry import register\n\n    @register(12)\n    def newest(x):\n        return x\n"
    users = USER.format(numbers="9, 10")
    assert found(tmp_path, "HW101", registry=REGISTRY, run=RUN, users=users, more=more) == {}
