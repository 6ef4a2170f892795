"""A lookup is replayed in whatever shape it has: nested, keyed by text or tuple, through helpers and classes."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from hwlint.confirm.job import Blobs, make_job
from hwlint.confirm.record import Record, records_of
from hwlint.confirm.replay import RunSettings, run_jobs
from hwlint.confirm.verdict import Verdict
from tests.confirm.conftest import Case, architecture

SETTINGS = RunSettings(seconds=20, memory=1 << 30)
SHAPES = {
    "nested dict": (
        """
        import torch
        TILES = {"gemm": {8: 64, 10: 256}, "attn": {8: 32, 9: 64, 10: 128}}
        def tile():
            cc = torch.cuda.get_device_capability()
            return TILES["gemm"][cc[0]]
        """,
        'TILES["gemm"][cc[0]]',
        ("8: 64, ", "8: 64, 9: 128, "),
        "KeyError: 9",
        "128",
    ),
    "list": (
        """
        import torch
        NAMES = ["", "", "", "", "", "", "", "volta", "ampere"]
        def name():
            return NAMES[torch.cuda.get_device_capability()[0]]
        """,
        "NAMES[torch.cuda.get_device_capability()[0]]",
        ('"ampere"', '"ampere", "hopper"'),
        "IndexError: list index out of range",
        "'hopper'",
    ),
    "text key": (
        """
        import torch
        FLAGS = {"sm_80": "-O2", "sm_100": "-O3"}
        def flags():
            major, minor = torch.cuda.get_device_capability()
            arch = f"sm_{major}{minor}"
            return FLAGS[arch]
        """,
        "FLAGS[arch]",
        ('"sm_80": "-O2", ', '"sm_80": "-O2", "sm_90": "-O3", '),
        "KeyError: 'sm_90'",
        "'-O3'",
    ),
    "tuple key": (
        """
        import torch
        STAGES = {(8, 0): 3, (10, 0): 4}
        def stages(device=0):
            return STAGES[torch.cuda.get_device_capability(device)]
        """,
        "STAGES[torch.cuda.get_device_capability(device)]",
        ("(8, 0): 3, ", "(8, 0): 3, (9, 0): 4, "),
        "KeyError: (9, 0)",
        "4",
    ),
    "chain": (
        """
        import torch
        NAMES = {8: "ampere", 9: "hopper", 10: "blackwell"}
        WARPS = {"ampere": 4, "blackwell": 8}
        def family():
            return NAMES[torch.cuda.get_device_capability()[0]]
        def warps(n: int):
            return WARPS[family()] * n
        """,
        "WARPS[family()]",
        ('"ampere": 4, ', '"ampere": 4, "hopper": 8, '),
        "KeyError: 'hopper'",
        "8",
    ),
    "attribute set in the constructor": (
        """
        import torch
        class Runner:
            SIZES = {8: 1, 10: 2}
            def __init__(self, group, device):
                self.group = group.name
                self.cc = torch.cuda.get_device_capability(device)[0]
            def size(self, tensor):
                if tensor is None:
                    return 0
                return self.SIZES[self.cc]
        """,
        "self.SIZES[self.cc]",
        ("8: 1, ", "8: 1, 9: 2, "),
        "KeyError: 9",
        "2",
    ),
    "property of a base class": (
        """
        import torch
        class Base:
            @property
            def major(self):
                return torch.cuda.get_device_capability(self.index())[0]
            def index(self):
                return 0
        class Runner(Base):
            def size(self, tensor):
                return {8: 1, 10: 2}[self.major]
        """,
        "{8: 1, 10: 2}[self.major]",
        ("{8: 1, ", "{8: 1, 9: 2, "),
        "KeyError: 9",
        "2",
    ),
    "parameter passed by a caller": (
        """
        import torch
        SIZES = {8: 1, 10: 2}
        def size(major, scale):
            found = SIZES[major]
            return found * scale
        def run(scale):
            major, minor = torch.cuda.get_device_capability()
            return size(major, scale)
        """,
        "SIZES[major]",
        ("8: 1, ", "8: 1, 9: 2, "),
        "KeyError: 9",
        "2",
    ),
    "module level": (
        """
        import torch
        SIZES = {8: 1, 10: 2}
        SIZE = SIZES[torch.cuda.get_device_capability()[0]]
        """,
        "SIZES[torch.cuda.get_device_capability()[0]]",
        ("8: 1, ", "8: 1, 9: 2, "),
        "KeyError: 9",
        "2",
    ),
    "class body": (
        """
        import torch
        SIZES = {8: 1, 10: 2}
        class Config:
            size = SIZES[torch.cuda.get_device_capability()[0]]
        """,
        "SIZES[torch.cuda.get_device_capability()[0]]",
        ("8: 1, ", "8: 1, 9: 2, "),
        "KeyError: 9",
        "'evaluated at import'",
    ),
    "comprehension": (
        """
        import torch
        SIZES = {"a": {8: 1, 10: 2}, "b": {8: 1, 10: 2}}
        def sizes():
            major = torch.cuda.get_device_capability()[0]
            return [SIZES[name][major] for name in ("a",)]
        """,
        "SIZES[name][major]",
        ('"a": {8: 1, ', '"a": {8: 1, 9: 3, '),
        "KeyError: 9",
        "[3]",
    ),
    "branch": (
        """
        import torch
        SIZES = {8: 1, 10: 2}
        def size(fast: bool):
            if torch.cuda.is_available():
                major = torch.cuda.get_device_capability()[0]
            else:
                major = 0
            if fast and major >= 8:
                with open("/no/such/file") as file:
                    for line in file:
                        return SIZES[major]
            return 0
        """,
        "SIZES[major]",
        ("8: 1, ", "8: 1, 9: 2, "),
        "KeyError: 9",
        "2",
    ),
}
MISSING_DEPENDENCY = "import a_package_that_is_not_installed\n"


@pytest.fixture(params=["device", "no device"])
def on_device(request: pytest.FixtureRequest, fake_torch: Callable[..., None]) -> bool:
    if request.param == "device":
        fake_torch((9, 0))
    return bool(request.param == "device")


def confirm_all(cases: list[Case]) -> list[Record]:
    blobs = Blobs()
    jobs = [make_job(case.finding, case.fix, architecture("sm_90"), case.root, blobs) for case in cases]
    return records_of(run_jobs(jobs, blobs, SETTINGS))


@pytest.mark.parametrize("shape", SHAPES)
def test_the_real_module_shows_failure_and_value(
    make_case: Callable[..., Case], shape: str, *, on_device: bool
) -> None:
    text, lookup, (old, new), outcome, value = SHAPES[shape]
    case = make_case({"pkg/mod.py": text}, lookup, edit=("pkg/mod.py", old, new), outcome=outcome)
    record = confirm_all([case])[0]
    expected = Verdict.CONFIRMED if on_device else Verdict.SIMULATED
    assert (expected, "real") == (record["verdict"], record["mode"]), (record["reason"], record["why_not_real"])
    assert value == record["after"]["text"]


@pytest.mark.parametrize("shape", SHAPES)
def test_the_slice_shows_the_same_where_the_module_cannot_be_imported(
    make_case: Callable[..., Case], fake_torch: Callable[..., None], shape: str
) -> None:
    fake_torch((9, 0))
    text, lookup, (old, new), outcome, value = SHAPES[shape]
    indent = text[: len(text) - len(text.lstrip())].lstrip("\n")
    files = {"pkg/mod.py": "\n" + indent + MISSING_DEPENDENCY + text.lstrip("\n")}
    case = make_case(files, lookup, edit=("pkg/mod.py", old, new), outcome=outcome)
    record = confirm_all([case])[0]
    assert (Verdict.CONFIRMED, "slice") == (record["verdict"], record["mode"]), record["reason"]
    assert "a_package_that_is_not_installed" in record["why_not_real"]
    assert value == record["after"]["text"]
