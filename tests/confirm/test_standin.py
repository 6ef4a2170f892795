"""The stand-in answers what the catalogue knows, and owns up to the rest as soon as something depends on it."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap
from importlib.resources import files

import pytest

from hwlint.confirm.job import architecture_row
from tests.confirm.conftest import architecture

STANDIN = files("hwlint.confirm") / "children" / "standin.py"


def ask(name: str, code: str) -> str:
    """Run code under the stand-in for an architecture and return what it prints."""
    row = json.dumps(architecture_row(architecture(name)))
    program = f"""
import importlib.util, json, sys
class Hide:
    def find_spec(self, name, path, target=None):
        if name.split(".")[0] in ("torch", "triton"): raise ModuleNotFoundError(name)
spec = importlib.util.spec_from_file_location("standin", {str(STANDIN)!r})
standin = importlib.util.module_from_spec(spec); spec.loader.exec_module(standin)
standin._installed = lambda root: root not in ("torch", "triton", "vllm")
sys.path[:] = [entry for entry in sys.path if "site-packages" not in entry]
standin.install(json.loads({row!r}), [{{"name": "vllm.platforms.cc", "kind": "call", "value": [1, 2]}}])
try:
{textwrap.indent(textwrap.dedent(code).strip(), "    ")}
except standin.StandInUsed as unknown:
    print("unknown:", unknown)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False, timeout=60)
    assert 0 == done.returncode, done.stderr
    return done.stdout.strip()


@pytest.mark.parametrize(
    ("name", "code", "answer"),
    [
        ("sm_120", "import torch; print(torch.cuda.get_device_capability('cuda:0'))", "(12, 0)"),
        ("sm_90", "from torch.cuda import get_device_properties as p; print(p(0).major, p(0).warp_size)", "9 32"),
        ("sm_90", "import torch; print(torch.version.hip, bool(torch.version.cuda))", "None True"),
        ("gfx942", "import torch; print(bool(torch.version.hip), torch.version.cuda)", "True None"),
        ("gfx942", "import torch; print(torch.cuda.get_device_properties(0).gcnArchName)", "gfx942"),
        ("sm_90", "import triton; print(triton.runtime.driver.active.get_current_target().arch)", "90"),
        ("sm_90", "import torch; print({torch.float16: 1}[torch.half], torch.bfloat16 == torch.float16)", "1 False"),
        ("sm_90", "import torch; print(hasattr(torch, 'npu'), torch.device('cuda:1').index)", "False 1"),
        ("sm_90", "import torch.nn as nn\nclass A(nn.Module): x = 1\nprint(A.x)", "1"),
        ("sm_90", "import torch\n@torch.compile\ndef f(): return 3\nprint(f())", "3"),
        ("sm_90", "from vllm.platforms import cc; print(cc())", "(1, 2)"),
    ],
)
def test_what_is_known_is_answered(name: str, code: str, answer: str) -> None:
    assert answer == ask(name, code)


@pytest.mark.parametrize(
    "code",
    [
        "import torch\nif torch.distributed.is_initialized(): print('yes')",
        "import torch; {9: 1}[torch.cuda.new_question()]",
        "import torch; print(torch.cuda.device_memory_used() > 3)",
        "import torch; print(torch.cuda.get_device_properties(0).multi_processor_count)",
        "import torch\ntry: print(int(torch.empty(3)))\nexcept Exception: print('hidden')",
    ],
)
def test_what_is_not_known_says_so(code: str) -> None:
    assert ask("sm_90", code).startswith("unknown: torch.")
