"""Run the samples with a stand-in torch until they crash, and explain what CPython really prints."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from hwlint.workflow.settings import load_settings
from hwlint.workflow.trace import trace

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"

STAND_IN = """
import sys, types

class Anything(types.ModuleType):
    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Anything(name)
    def __call__(self, *args, **keywords):
        return Anything("made")

torch = Anything("torch")
torch.cuda = types.SimpleNamespace(
    get_device_capability=lambda device=None: CAPABILITY,
    get_device_properties=lambda device=None: types.SimpleNamespace(major=CAPABILITY[0], minor=CAPABILITY[1]),
)
sys.modules.update({name: torch for name in ("torch", "torch.distributed", "triton", "triton.language")})
"""

CASES = [
    ("key_forms", (12, 1), "from codec.tables import blocks_per_unit as f; f(0)", "codec/tables.py:30", "sm_121"),
    ("key_forms", (10, 7), "from codec.tables import registers as f; f(0)", "codec/tables.py:37", "sm_107"),
    ("key_forms", (11, 0), "from codec.tables import copy_style as f; f(0)", "codec/tables.py:16", "sm_110"),
    ("wrapped_table", (12, 0), "from launcher.matmul import launch_options as f; f(9)", "tuning/depth.py:19", "sm_120"),
    (
        "get_or_default",
        (11, 0),
        "from scheduler.waves import queue as f; f(0, 'long')",
        "scheduler/waves.py:25",
        "sm_110",
    ),
    (
        "reexport_chain",
        (12, 1),
        "sys.modules['pynvml'] = None\nfrom engine.kernels.batch import batches as f; f([1])",
        "engine/kernels/batch.py:7",
        "sm_121",
    ),
    (
        "symmetric_memory",
        (12, 0),
        "from peerlink.communicator import PeerCommunicator as C; C(None, 0)",
        "peerlink/communicator.py:31",
        "sm_120",
    ),
    (
        "tracebacks",
        (12, 1),
        "from serving.attention import LatentAttention as C; C(0)",
        "serving/attention.py:26",
        "sm_121",
    ),
    (
        "tracebacks",
        (9, 0),
        "from serving.attention import prefill_backend as f; f('fused', 0)",
        "serving/attention.py:14",
        "sm_90",
    ),
    (
        "tracebacks",
        (12, 0),
        "from serving.launch import warps_and_stages as f; f(0, 99)",
        "serving/launch.py:17",
        "sm_120",
    ),
    (
        "tracebacks",
        (7, 5),
        "from serving.compile_flags import CompilationContext as C; C().flags([9, 10])",
        "serving/compile_flags.py:16",
        "sm_75",
    ),
]


@pytest.mark.parametrize(("tree", "capability", "code", "place", "target"), CASES, ids=lambda value: str(value)[:24])
def test_what_really_crashed_is_found_with_its_architecture(
    tree: str, capability: tuple[int, int], code: str, place: str, target: str, tmp_path: Path
) -> None:
    installed = tmp_path / "lib" / "site-packages"
    shutil.copytree(FIXTURES / tree, installed)
    script = f"CAPABILITY = {capability}\n{STAND_IN}\n{code}\n"
    done = subprocess.run(
        [sys.executable, "-c", script], env={"PYTHONPATH": str(installed)}, capture_output=True, text=True, check=False
    )
    assert "Traceback (most recent call last)" in done.stderr
    root = FIXTURES / tree
    (one,) = trace(done.stderr, [root], load_settings([root]), jobs=1, use_cache=False).explanations
    assert one.is_explained, one.reason
    assert one.span is not None
    assert place == f"{one.span.path}:{one.span.line}"
    assert target in one.targets
