"""Tables and values that a base, a package or a module's `__getattr__` gets from somewhere else."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.judge.test_callers import found

BASE = """
import torch

class Base:
    TABLE = {}

    @classmethod
    def tile(cls):
        return cls.TABLE[torch.cuda.get_device_capability()[0]]
"""
BELOW = "from base import Base\n\nclass Gemm(Base):\n    TABLE = {}\n"


def test_a_class_method_of_a_base_asks_the_tables_of_the_classes_below(tmp_path: Path) -> None:
    table = "{7: 1, 8: 64, 9: 128}"
    assert found(tmp_path, "HW101", base=BASE, below=BELOW.replace("{}", table)) == {
        ("base.py", 8): "error sm_100 sm_103 sm_107 sm_110 sm_120 sm_121"
    }


def test_classes_below_whose_tables_have_everything_lack_nothing(tmp_path: Path) -> None:
    table = "{7: 1, 8: 64, 9: 128, 10: 1, 11: 1, 12: 1}"
    assert found(tmp_path, "HW101", base=BASE, below=BELOW.replace("{}", table)) == {}


PACK = "import torch\n\ndef capability():\n    return torch.cuda.get_device_capability()[0]\n"
USER = "from . import capability\n\nROWS = {{{rows}}}\n\ndef f():\n    return ROWS[capability()]\n"


def test_what_a_package_defines_is_followed_into_its_modules(tmp_path: Path) -> None:
    (tmp_path / "pack").mkdir()
    files = {"pack/__init__": PACK, "pack/user": USER.format(rows="7: 1, 8: 1, 9: 1, 10: 1")}
    assert found(tmp_path, "HW101", **files) == {("pack/user.py", 6): "error sm_110 sm_120 sm_121"}


def test_a_module_of_another_package_means_another_name(tmp_path: Path) -> None:
    (tmp_path / "pack").mkdir()
    (tmp_path / "other").mkdir()
    files = {
        "pack/__init__": PACK,
        "other/__init__": "def capability():\n    return 9\n",
        "other/user": USER.format(rows="9: 1"),
    }
    assert found(tmp_path, "HW101", **files) == {}


MADE = """
_platform = None

def _make():
    from plat.cuda import Cuda
    return Cuda()

def __getattr__(name):
    global _platform
    if name == "current":
        if _platform is None:
            _platform = _make()
        return _platform
    raise AttributeError(name)
"""
CUDA = "import torch\n\nclass Cuda:\n    def sm_major(self):\n        return torch.cuda.get_device_capability()[0]\n"


def test_an_object_that_a_module_makes_when_it_is_asked_for(tmp_path: Path) -> None:
    (tmp_path / "plat").mkdir()
    user = "from plat import current\n\nROWS = {{{rows}}}\n\ndef f():\n    return ROWS[current.sm_major()]\n"
    files = {"plat/__init__": MADE, "plat/cuda": CUDA, "user": user.format(rows="7: 1, 8: 1, 9: 1, 10: 1")}
    assert found(tmp_path, "HW101", **files) == {("user.py", 6): "error sm_110 sm_120 sm_121"}
    files["user"] = user.format(rows="7: 1, 8: 1, 9: 1, 10: 1, 11: 1, 12: 1")
    assert found(tmp_path, "HW101", **files) == {}


QUANT = """
import torch

class Quant:
    capabilities = {usual}

    def validate(self):
        if torch.cuda.get_device_capability() not in self.capabilities:
            raise ValueError("unsupported")
"""
HEIRS = """
from quant import Quant

class One(Quant):
    capabilities = ((8, 9), (9, 0), (10, 0))

class Other(Quant):
    capabilities = ((10, 0), (10, 3))
"""


@pytest.mark.parametrize("usual", ["()", "None"])
def test_what_a_base_leaves_open_is_what_the_classes_below_have(tmp_path: Path, usual: str) -> None:
    assert found(tmp_path, "HW202", quant=QUANT.format(usual=usual), heirs=HEIRS) == {
        ("quant.py", 8): "note sm_107 sm_110 sm_120 sm_121"
    }


def test_what_a_base_has_itself_is_asked_as_it_is(tmp_path: Path) -> None:
    usual = "((8, 9), (9, 0), (10, 0), (10, 3), (10, 7), (11, 0), (12, 0), (12, 1))"
    assert found(tmp_path, "HW202", quant=QUANT.format(usual=usual), heirs=HEIRS) == {}


def test_what_a_constructor_sets_as_well_is_not_asked_of_the_classes_below(tmp_path: Path) -> None:
    usual = "None\n\n    def __init__(self, capabilities):\n        self.capabilities = capabilities"
    assert found(tmp_path, "HW202", quant=QUANT.format(usual=usual), heirs=HEIRS) == {}


KERNELS = """
import torch

class Kernel:
    def forward(self, x):
        major = torch.cuda.get_device_capability()[0]
        return getattr(self, f"forward_sm{major}0")(x)
"""


def _gemm(*numbers: int) -> str:
    methods = "".join(f"    def forward_sm{number}0(self, x): return x\n" for number in numbers)
    return f"from kernels import Kernel\n\nclass Gemm(Kernel):\n{methods}"


def test_methods_by_name_that_the_classes_below_have(tmp_path: Path) -> None:
    assert found(tmp_path, "HW101", kernels=KERNELS, gemm=_gemm(7, 8, 9, 10)) == {
        ("kernels.py", 6): "error sm_110 sm_120 sm_121"
    }
    assert found(tmp_path, "HW101", kernels=KERNELS, gemm=_gemm(7, 8, 9, 10, 11, 12)) == {}
    asked = KERNELS.replace(
        "        return", '        if not hasattr(self, f"forward_sm{major}0"):\n            return x\n        return'
    )
    assert found(tmp_path, "HW101", kernels=asked, gemm=_gemm(7, 8, 9, 10)) == {}


MODULE = "def gemm_sm7(x): return x\ndef gemm_sm8(x): return x\ndef gemm_sm9(x): return x\n"
NAMED = """
import torch
import kernels

def gemm(x):
    made = getattr(kernels, f"gemm_sm{torch.cuda.get_device_capability()[0]}", None)
    return made(x)
"""


def test_a_function_by_name_or_none_that_is_called(tmp_path: Path) -> None:
    newer = "sm_100 sm_103 sm_107 sm_110 sm_120 sm_121"
    assert found(tmp_path, "HW105", kernels=MODULE, api=NAMED) == {("api.py", 6): f"error {newer}"}
    guarded = NAMED.replace("return made(x)", "return made(x) if made is not None else x")
    assert found(tmp_path, "HW105", kernels=MODULE, api=guarded) == {}


OPTIONS = """
import torch
from config import build

def run():
    major, minor = torch.cuda.get_device_capability()
    options = {"arch": f"{major}{minor}", "more": 1}
    return build(options)
"""


def test_a_dict_that_holds_a_hardware_value_takes_it_to_another_module(tmp_path: Path) -> None:
    config = "def build(options):\n    return {'75': 0, '80': 1, '86': 1, '87': 1, '89': 1, '90': 2}[options['arch']]\n"
    newer = "sm_100 sm_103 sm_107 sm_110 sm_120 sm_121"
    assert found(tmp_path, "HW101", config=config, run=OPTIONS) == {("config.py", 2): f"error {newer}"}
    assert found(tmp_path, "HW101", config=config.replace("arch", "more"), run=OPTIONS) == {}
