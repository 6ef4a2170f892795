"""Explain what a device, its driver or a compiler refused: shared memory, a missing kernel image, an unknown target."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hwlint.model.crash import Crash, Explanation
from hwlint.model.finding import Finding, TraceStep
from hwlint.workflow import trace_builds
from hwlint.workflow.trace_clues import Clue, compiler_target
from hwlint.workflow.trace_evidence import Evidence, called, unexplained, where
from hwlint.workflow.trace_frames import Spot

_SHARED = re.compile(r"shared memory,?\s*Required: ?(\d+),?\s*Hardware limit(?:ation)?: ?(\d+)")
_NO_IMAGE = re.compile(
    r"no kernel image is available|not compiled for the current|[Ii]nvalid device function"
    r"|NoKernelImageForDevice|NoBinaryForGpu|NO_BINARY_FOR_GPU"
)
_RUNTIME = re.compile(r"nvrtc: error: invalid value for --gpu-architecture|invalid value for --gpu-architecture")
_INVALID_OPTION = re.compile(r"NVRTC_ERROR_INVALID_OPTION")
_FACT = "limits.shared_mem_per_block_optin_kib"
_KIB = 1024
_MOST_CANDIDATES = 4


def is_about_builds(crash: Crash) -> bool:
    """Tell whether the lists of what the tree builds for have a say in a crash."""
    words = _words(crash)
    return bool(compiler_target(crash) or _NO_IMAGE.search(words) or ".target" in words)


def explain(crash: Crash, spots: Sequence[Spot], known: Evidence, said: Clue | None) -> Explanation | None:
    """Return the explanation of what the device or a compiler refused, None for any other exception."""
    words = _words(crash)
    if hit := _SHARED.search(words):
        return _shared_memory(crash, int(hit[1]), int(hit[2]), spots, known)
    if target := compiler_target(crash):
        return trace_builds.refused(crash, target, spots, known)
    if _RUNTIME.search(words) or _INVALID_OPTION.search(words):
        return trace_builds.by_itself(crash, spots, known, said)
    if plain := trace_builds.without_suffix(crash, spots, known):
        return plain
    if _NO_IMAGE.search(words):
        return trace_builds.no_image(crash, spots, known, said)
    return None


def _words(crash: Crash) -> str:
    return " ".join((crash.said, *crash.details))


def _shared_memory(crash: Crash, required: int, limit: int, spots: Sequence[Spot], known: Evidence) -> Explanation:
    rows = known.rows
    have = [(row.name, int(row.fact(_FACT))) for row in rows if row.fact(_FACT) is not None]
    names = {name for name, kib in have if kib * _KIB == limit}
    if not names:
        return unexplained(
            crash, spots, f"no architecture asked about has a limit of {limit} bytes of shared memory per block"
        )
    because = f"{limit // _KIB} KiB of shared memory per block is the limit of these"
    for clue in known.clues:
        if clue.names & names:
            names, because = names & clue.names, f"{because}, and {clue.text}"
            break
    fitting = [name for name, kib in have if kib * _KIB >= required]
    fits = f"fits on {', '.join(fitting)} only" if fitting else "fits on no architecture asked about"
    finding = _finding_near(spots, known, names)
    if finding is not None and names - set(finding.targets):
        names &= set(finding.targets)
        because += (
            f", and of these only {' and '.join(known.in_order(names))} come to what is too large at line "
            f"{finding.span.line}"
        )
    return Explanation(
        crash,
        spots[0].frame if spots else None,
        where(spots),
        spots[0].function if spots else "",
        f"a block asks for {_kib(required)} of shared memory and may have {_kib(limit)}; what it asks for {fits}"
        + _chosen_where(spots, finding, _candidates(known, names)),
        (*called(spots, "the launch that asks for too much"), *_at(finding), *_maybe(spots, known, names)),
        known.in_order(names),
        because,
        tuple((name, "is enough" if kib * _KIB >= required else f"has {kib} KiB") for name, kib in have),
        finding,
        "choose smaller tiles or fewer stages on architectures with less shared memory (num_stages, BLOCK sizes)",
    )


def _chosen_where(spots: Sequence[Spot], finding: Finding | None, candidates: Sequence[Finding]) -> str:
    """What the tree says of the size; plainly, where it says nothing."""
    if finding is not None:
        return ""
    if not candidates:
        return "; check finds no size in the tree that is too large there: it is computed, or another package's"
    if spots:
        return ""
    return "; the log does not say which kernel it was: the sizes that check finds too large there are listed below"


def _maybe(spots: Sequence[Spot], known: Evidence, names: set[str]) -> tuple[TraceStep, ...]:
    """The sizes that may have been it, where no frame tells."""
    if spots:
        return ()
    return tuple(
        TraceStep(one.span, f"it may be this: {one.message}") for one in _candidates(known, names)[:_MOST_CANDIDATES]
    )


def _candidates(known: Evidence, names: set[str]) -> list[Finding]:
    about = [one for one in known.report.findings if one.rule == "HW502" and names & set(one.targets)]
    return sorted(about, key=lambda one: (-one.level.rank, one.span))


def _finding_near(spots: Sequence[Spot], known: Evidence, names: set[str]) -> Finding | None:
    """What check finds too large for these in a function of the traceback, or in its file."""
    functions = {(spot.path, spot.function) for spot in spots}
    files = {spot.path for spot in spots}
    about = [one for one in _candidates(known, names) if one.span.path in files]
    return max(about, key=lambda one: ((one.span.path, one.symbol) in functions, one.level.rank), default=None)


def _at(finding: Finding | None) -> tuple[TraceStep, ...]:
    return () if finding is None else (TraceStep(finding.span, finding.message), *finding.trace)


def _kib(size: int) -> str:
    return f"{size / _KIB:g} KiB" if size % _KIB == 0 else f"{size} bytes"
