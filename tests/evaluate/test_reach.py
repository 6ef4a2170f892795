"""Hardware values reach tables through instances, modules loaded at run time, programs' output and caught errors."""

from __future__ import annotations

from pathlib import Path

from hwlint.model.finding import Finding, Level
from hwlint.workflow.settings import Settings

_TORCH = "import torch\n\n"


def _found(root: Path, files: dict[str, str], targets: str = "current") -> list[Finding]:
    from hwlint.workflow.check import check

    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    settings = Settings(root=root, folders=(root,), targets=(targets,), level=Level.NOTE)
    return list(check([root], settings, jobs=1, use_cache=False).findings)


def _all_targets(found: list[Finding]) -> set[str]:
    return {name for finding in found for name in finding.targets}


def _lines(found: list[Finding]) -> list[tuple[str, int, str]]:
    return [(finding.rule, finding.span.line, finding.span.path) for finding in found]


_BASE = """
MAP = {80: 80, 90: 90, 100: 100}


class Base:
    def __init__(self, chip):
        self.chip = chip
        self.steps = []

    def trace(self, inputs):
        self.steps.append(inputs)
        self.steps.append(1)
        self.steps.append(2)
        self.steps.append(3)
        self.steps.append(4)
        self.steps.append(5)
        self.steps.append(6)
        self.steps.append(7)
        self.steps.append(8)
        self.steps.append(9)
        return MAP[self.chip]
"""
_USER = """
import torch
from base import Base


def chip():
    major, minor = torch.cuda.get_device_capability()
    return major * 10 + minor


def trace(inputs):
    return Base(chip()).trace(inputs)
"""


def test_a_long_method_that_reads_a_hardware_value_of_its_instance_is_followed(tmp_path: Path) -> None:
    found = _found(tmp_path, {"base.py": _BASE, "user.py": _USER})
    assert [("HW101", 21, "base.py")] == [line for line in _lines(found) if line[0] == "HW101"][:1]
    assert "sm_120" in _all_targets(found)


_CACHE = """
class Cache:
    def __init__(self):
        self.made = {}

    def __getitem__(self, key):
        return self.made[key]
"""
_LOOK = "\n\nCACHE = Cache()\n\n\ndef look():\n    return CACHE[torch.cuda.get_device_capability()[0]]\n"


def test_a_container_that_other_methods_fill_is_not_taken_for_complete(tmp_path: Path) -> None:
    filled = "\n    def __setitem__(self, key, value):\n        self.made[key] = value\n"
    assert _found(tmp_path, {"cache.py": _TORCH + _CACHE + filled + _LOOK}) == []


def test_a_container_that_no_method_fills_is_complete(tmp_path: Path) -> None:
    found = _found(tmp_path, {"cache.py": _TORCH + _CACHE.replace("{}", "{8: 1, 9: 2}") + _LOOK})
    assert [("HW101", 9, "cache.py")] == [line for line in _lines(found) if line[0] == "HW101"][:1]


_LOADER = """
import importlib
import torch

vendor = None


def load(name):
    global vendor
    if vendor is None:
        vendor = importlib.import_module("_" + name)
    return vendor


def arch():
    key = str(torch.cuda.get_device_capability()[0])
    return vendor.ARCH_MAP.get(key)
"""


def test_a_constant_of_a_module_that_is_loaded_at_run_time_is_looked_for_below_the_folder(tmp_path: Path) -> None:
    plugin = 'ARCH_MAP = {"8": "ampere", "9": "hopper"}\n'
    found = _found(tmp_path, {"backend/__init__.py": _LOADER, "backend/_nvidia/__init__.py": plugin})
    assert [("HW102", 17, "backend/__init__.py")] == _lines(found)


def test_without_such_a_module_nothing_is_said(tmp_path: Path) -> None:
    assert _found(tmp_path, {"backend/__init__.py": _LOADER}) == []


_ROCMINFO = """
import subprocess

CODES = {"gfx90a": 1, "gfx942": 2}


def code():
    done = subprocess.run(["rocminfo"], capture_output=True, text=True)
    for line in done.stdout.split("\\n"):
        if "gfx" in line.lower():
            return CODES[line.split(":")[-1].strip()]
    return 0
"""


def test_what_rocminfo_prints_is_known_beside_architectures_that_have_no_rocminfo(tmp_path: Path) -> None:
    found = _found(tmp_path, {"chip.py": _ROCMINFO}, "all")
    assert [("HW101", 11, "chip.py")] == [line for line in _lines(found) if line[0] == "HW101"][:1]
    assert "gfx950" in _all_targets(found)
    assert "sm_90" not in _all_targets(found)


def test_of_what_another_program_prints_only_the_table_is_told(tmp_path: Path) -> None:
    found = _found(tmp_path, {"chip.py": _ROCMINFO.replace('"rocminfo"', '"lspci"')}, "all")
    assert ["note"] == [finding.level for finding in found]


_MAYBE_NONE = """
import torch

device = None


def choose(name):
    global device
    device = getattr(torch, name)


def rows():
    try:
        if not device.is_available():
            return 0
        major = device.get_device_properties(0).major
    except Exception:
        return 0
    return {8: 1, 9: 2}[major]
"""


def test_an_error_that_only_one_of_several_possibilities_raises_does_not_end_the_others(tmp_path: Path) -> None:
    found = _found(tmp_path, {"rows.py": _MAYBE_NONE})
    assert [("HW101", 19, "rows.py")] == [line for line in _lines(found) if line[0] == "HW101"][:1]


_FIELDS = """
import torch
from dataclasses import dataclass, field


@dataclass
class Tuning:
    name: str
    warps: dict[int, int] = field(default_factory=lambda: {8: 4, 9: 8})

    def best(self):
        return self.warps[torch.cuda.get_device_capability()[0]]
"""


def test_a_table_in_a_field_of_a_dataclass_is_its_default(tmp_path: Path) -> None:
    found = _found(tmp_path, {"tuning.py": _FIELDS})
    assert [("HW101", 12, "tuning.py")] == [line for line in _lines(found) if line[0] == "HW101"][:1]
    assert "sm_120" in _all_targets(found)


def test_a_field_that_starts_empty_is_no_table(tmp_path: Path) -> None:
    assert _found(tmp_path, {"tuning.py": _FIELDS.replace("lambda: {8: 4, 9: 8}", "dict")}) == []


HEIRS = """\
import torch


class Base:
    TABLE = {9: 1}

    def __init__(self):
        self.major = torch.cuda.get_device_capability()[0]

    def get(self):
        return self.TABLE[self.major]


class Full(Base):
    TABLE = {8: 1, 9: 1, 10: 1, 12: 1}


def make():
    return Full()
"""


def test_a_table_that_only_subclasses_with_a_fuller_one_use_is_not_reported(tmp_path: Path) -> None:
    assert [] == _found(tmp_path, {"a.py": HEIRS}, "sm_80,sm_90,sm_100,sm_120")


def test_a_table_of_a_class_that_is_made_itself_is_reported(tmp_path: Path) -> None:
    made = HEIRS.replace("return Full()", "return Base(), Full()")
    found = _found(tmp_path, {"a.py": made}, "sm_90,sm_100")
    assert [("HW101", 11, "a.py")] == _lines(found)


COUNTED = """\
import torch
import triton


@triton.jit
def kernel(x):
    pass


def run(x, tables):
    major = torch.cuda.get_device_capability()[0]
    blocks = x.numel() // major
    kernel[(blocks,)](x)
    y = torch.empty(8)[: blocks * major]
    known = (y if major > 9 else x).dtype in (torch.float16, torch.bfloat16)
    return known, tables[major]
"""


def test_only_lookups_that_may_be_keyed_by_the_hardware_are_counted_as_unknown(tmp_path: Path) -> None:
    from hwlint.workflow.check import check

    (tmp_path / "a.py").write_text(COUNTED)
    settings = Settings(root=tmp_path, folders=(tmp_path,), targets=("sm_90,sm_120",), level=Level.NOTE)
    found = check([tmp_path], settings, jobs=1, use_cache=False).unknown
    assert [(16, "a lookup in tables: the argument tables")] == [(one.line, one.reason) for one in found]


CACHES = """\
import torch

_made = {}
_told = set()


def compiled(x, shape):
    key = (torch.cuda.get_device_capability()[0], shape)
    if key not in _made:
        _made[key] = x
    return _made[key]


def tell(name):
    kept = (torch.cuda.get_device_capability()[0], name)
    if kept not in _told:
        _told.add(kept)


def look(x):
    return _made[torch.cuda.get_device_capability()[0], x]
"""


def test_a_cache_that_the_function_itself_fills_is_no_table_that_is_not_known(tmp_path: Path) -> None:
    from hwlint.workflow.check import check

    (tmp_path / "a.py").write_text(CACHES)
    settings = Settings(root=tmp_path, folders=(tmp_path,), targets=("sm_90,sm_120",), level=Level.NOTE)
    found = check([tmp_path], settings, jobs=1, use_cache=False).unknown
    assert [21] == [one.line for one in found]
