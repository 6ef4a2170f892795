"""Answer whether an architecture has a feature that code takes for granted."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from hwlint.model.architecture import Architecture, Vendor

FACT_NAMES: Mapping[str, str] = MappingProxyType(
    {
        "wgmma": "isa.wgmma",
        "tcgen05": "isa.tcgen05",
        "tma": "isa.tma_cp_async_bulk_tensor",
        "cluster": "isa.thread_block_cluster",
        "multimem": "isa.multimem_ld_reduce",
        "fp8": "tensor_core_inputs.fp8",
        "fp6": "tensor_core_inputs.fp6",
        "fp4": "tensor_core_inputs.fp4",
    }
)
"""The features by the names that messages use, and the NVIDIA fact that answers each.

`multimem` says that the instruction assembles; whether a system has multicast is not the architecture's to say (see
`background.systems_with`). The formats are what the tensor cores take as input.
"""

_PTX_ONLY = frozenset({"wgmma", "tcgen05", "tma", "multimem"})
"""Features that are PTX instructions, which no AMD device executes."""


def feature(arch: Architecture, name: str) -> bool | None:
    """Tell whether the architecture has a feature of `FACT_NAMES`; None where the sources do not tell.

    Raises KeyError for a name that is not there: rules are checked when they are loaded.
    """
    fact_name = FACT_NAMES[name]
    if arch.vendor is Vendor.AMD:
        return _on_amd(arch, name)
    answer = arch.fact(fact_name)
    return answer if isinstance(answer, bool) else None


def needed_suffixes(arch: Architecture, name: str) -> tuple[str, ...]:
    """Return the target suffixes (`a`, `f`) without which the compiler refuses the feature; empty where none is needed.

    `("a",)` for wgmma on 9.0, `("a", "f")` for tcgen05 on 10.0: any one of them will do.
    """
    suffixes = arch.fact(FACT_NAMES[name].replace("isa.", "isa_suffix."))
    return suffixes if isinstance(suffixes, tuple) else ()


def _on_amd(arch: Architecture, name: str) -> bool | None:
    if name in _PTX_ONLY:
        return False
    if name == "fp8":
        kind = arch.fact("rocm.fp8_type")
        return None if kind is None else kind != "none"
    if name in ("fp6", "fp4") and arch.fact("matrix_instructions.mfma_scale_f8f6f4"):
        return True
    return None
