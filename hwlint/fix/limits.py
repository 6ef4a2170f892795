"""Suggest asking the device for a limit that the code takes for granted."""

from __future__ import annotations

from hwlint.fix.donors import short
from hwlint.fix.problem import Problem
from hwlint.model.finding import Fix, Safety

_SHARED_MEMORY = "limits.shared_mem_per_block_optin_kib"


def query_limit(problem: Problem) -> tuple[Fix, ...]:
    """Return a suggestion without edits: which property holds the limit, and what it is on the finding's targets.

    Only for findings that hold something against a limit (they have the fact `limit`).
    """
    if problem.fact("limit") is None:
        return ()
    known = [
        f"{found} KiB on {short(one)}" for one in problem.targets if (found := one.fact(_SHARED_MEMORY)) is not None
    ]
    if not known:
        return ()
    reason = (
        "`torch.cuda.get_device_properties(device).shared_memory_per_block_optin` answers in bytes what one block may "
        f"have: {', '.join(known)}."
    )
    return (Fix("Ask the device how much shared memory a block may have", Safety.DISPLAY, reason, ()),)
