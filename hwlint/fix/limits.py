"""Know limits of architectures: suggest asking the device for one, and tell a table that lists one."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hwlint.fix.donors import short
from hwlint.fix.problem import Problem
from hwlint.model.architecture import Architecture
from hwlint.model.finding import Fix, Safety

_SHARED_MEMORY = "limits.shared_mem_per_block_optin_kib"
_LIMITS = {
    _SHARED_MEMORY: "shared memory per block in KiB",
    "limits.shared_mem_per_sm_kib": "shared memory per multiprocessor in KiB",
    "limits.max_threads_per_sm": "threads per multiprocessor",
    "limits.max_warps_per_sm": "warps per multiprocessor",
    "limits.max_blocks_per_sm": "blocks per multiprocessor",
}
_LEAST_ENTRIES = 3
"""So many entries, of two values at least, have to be a limit before the next one is taken to be."""
_NUMBER = re.compile(r"(\d+)((?:\s*\*\s*1024|\s*<<\s*10)?)")
"""A number, and what makes bytes of KiB."""


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


def known_value(
    entries: Sequence[tuple[str, Sequence[Architecture]]], targets: Sequence[Architecture]
) -> tuple[str, str] | None:
    """Return the value of `targets` in a table that lists a limit of the catalogue, and what it limits.

    `entries` are values as they are written, each with the architectures that it is for. None where an entry is
    something else, where too few are known, and where two limits fit that differ on the targets.
    """
    found: dict[str, str] = {}
    for fact, words in _LIMITS.items():
        for unit in (1, 1024):
            value = _value(fact, unit, entries, targets)
            if value is not None:
                found.setdefault(value, words)
    return next(iter(found.items())) if len(found) == 1 else None


def _value(
    fact: str, unit: int, entries: Sequence[tuple[str, Sequence[Architecture]]], targets: Sequence[Architecture]
) -> str | None:
    seen: list[object] = []
    tails: set[str] = set()
    for written, architectures in entries:
        match = _NUMBER.fullmatch(written.strip())
        limits = {limit for one in architectures if (limit := one.fact(fact)) is not None}
        if match is None or (limits and limits != {int(match[1]) / unit}):
            return None
        seen += limits
        tails.add(match[2])
    wanted = {one.fact(fact) for one in targets}
    if len(seen) < _LEAST_ENTRIES or len(set(seen)) == 1 or len(wanted) != 1 or len(tails) != 1:
        return None
    limit = wanted.pop()
    return None if not isinstance(limit, int) else f"{limit * unit}{tails.pop()}"
