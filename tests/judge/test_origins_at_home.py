"""Packages whose names are origins, checked themselves: what an origin says counts more than this one build."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from textwrap import dedent

from hwlint.model.finding import Level
from hwlint.workflow.check import check
from hwlint.workflow.settings import Settings


def _found(folder: Path, files: dict[str, str], rule: str) -> dict[int, tuple[str, ...]]:
    """Line -> architectures of what `rule` reports for all architectures."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dedent(text), encoding="utf-8")
    settings = replace(Settings(root=folder, folders=(folder,)), targets=("all",), level=Level.NOTE)
    report = check([folder], settings, jobs=1, use_cache=False)
    return {finding.span.line: finding.targets for finding in report.findings if finding.rule == rule}


_VERSION = {
    "torch/__init__.py": "from torch import version as version\n",
    "torch/version.py": "from typing import Optional\ncuda: Optional[str] = '13.0'\nhip: Optional[str] = None\n",
}


def test_a_branch_for_rocm_builds_is_not_entered_by_others_in_torch_itself(tmp_path: Path) -> None:
    source = """
    import torch

    def limit(props):
        if torch.version.hip:
            arch = torch.cuda.get_device_properties(0).gcnArchName.split(":")[0]
            if arch == "gfx950":
                max_shared_mem = 160 * 1024
            else:
                max_shared_mem = 64 * 1024
        else:
            max_shared_mem = props.shared_memory_per_block_optin
        return max_shared_mem
    """
    assert _found(tmp_path, {**_VERSION, "torch/limits.py": source}, "HW502") == {}


def test_a_flag_for_rocm_builds_is_no_constant_in_torch_itself(tmp_path: Path) -> None:
    source = """
    import torch

    IS_ROCM = torch.version.hip is not None

    def skips(block):
        return block <= 64 and IS_ROCM and torch.cuda.get_device_capability() >= (9, 5)
    """
    found = _found(tmp_path, {**_VERSION, "torch/choose.py": source}, "HW204")
    assert list(found) == [7]
    assert "gfx1201" in found[7]


def test_a_target_is_known_in_the_package_that_defines_it(tmp_path: Path) -> None:
    files = {
        "triton/__init__.py": "",
        "triton/backends/__init__.py": "",
        "triton/backends/compiler.py": "class GPUTarget:\n    backend: str\n    arch: str\n",
        "triton/backends/amd.py": """
        from triton.backends.compiler import GPUTarget

        def least(target: GPUTarget):
            if target.arch in ("gfx941", "gfx942"):
                return 8
            return 16
        """,
    }
    found = _found(tmp_path, files, "HW103")
    assert list(found) == [5]
    assert "gfx950" in found[5]


def test_a_list_of_numbers_that_jax_asks_its_library_about(tmp_path: Path) -> None:
    source = """
    def check(cuda_versions):
        numbers = (80, 90)
        if cuda_versions.cuda_compute_capability(0) not in numbers:
            raise RuntimeError("Require compute capability in " + str(numbers))
    """
    found = _found(tmp_path, {"attention.py": source}, "HW202")
    assert list(found) == [5]
    assert {"sm_86", "sm_100"} <= set(found[5])
