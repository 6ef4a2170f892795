"""The words of findings: they agree with the number of architectures, and end where the author's words are known."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from hwlint.workflow.check import check
from hwlint.workflow.settings import Settings

KERNEL = """
    import torch

    def run(x):
        if torch.cuda.get_device_capability()[0] >= 10:
            return kernels.gemm_sm100(x)
        return x
    """
LADDER = """
    import torch

    def warps():
        major, minor = torch.cuda.get_device_capability()
        if major == 8:
            return 4
        elif major == 9:
            return 8
        else:
            raise ValueError(f"unsupported capability: {major}.{minor}")
    """


def message(folder: Path, source: str, *targets: str) -> str:
    (folder / "example.py").write_text(dedent(source), encoding="utf-8")
    settings = Settings(root=folder, folders=(folder,), targets=targets)
    (finding,) = check([folder], settings, jobs=1, use_cache=False).findings
    return finding.message


@pytest.mark.parametrize(
    ("targets", "beginning"),
    [
        (("sm_100", "sm_120"), "sm_120 comes here; `kernels.gemm_sm100` is for others"),
        (("sm_100", "sm_120", "sm_121"), "sm_120 and sm_121 come here; `kernels.gemm_sm100` is for others"),
    ],
)
def test_one_architecture_comes_and_several_come(targets: tuple[str, ...], beginning: str, tmp_path: Path) -> None:
    assert message(tmp_path, KERNEL, *targets).startswith(beginning)


def test_the_words_of_a_raise_end_before_the_value_that_only_a_run_knows(tmp_path: Path) -> None:
    assert message(tmp_path, LADDER, "sm_90", "sm_120").endswith("newer: unsupported capability")
