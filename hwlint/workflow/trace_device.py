"""Explain what a device, its driver or a compiler refused: shared memory, a missing kernel image, an unknown target."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hwlint.hardware.table import load
from hwlint.hardware.targets import is_made_up
from hwlint.model.architecture import Architecture
from hwlint.model.crash import Crash, Explanation
from hwlint.model.finding import Finding, TraceStep
from hwlint.model.report import Report
from hwlint.model.span import Span
from hwlint.workflow.trace_clues import Clue, compiler_target
from hwlint.workflow.trace_frames import Spot

_SHARED = re.compile(r"shared memory,?\s*Required: ?(\d+),?\s*Hardware limit(?:ation)?: ?(\d+)")
_NO_IMAGE = ("no kernel image is available", "not compiled for the current", "invalid device function")
_FACT = "limits.shared_mem_per_block_optin_kib"
_KIB = 1024
_MOST_STEPS = 4


def explain(
    crash: Crash,
    spots: Sequence[Spot],
    rows: Sequence[Architecture],
    report: Report,
    said: Clue | None,
    clues: Sequence[Clue],
) -> Explanation | None:
    """Return the explanation of an exception that the device or a compiler raised, None for any other exception."""
    words = " ".join((crash.message, *crash.details))
    if hit := _SHARED.search(words):
        return _shared_memory(crash, int(hit[1]), int(hit[2]), spots, rows, report, clues)
    if target := compiler_target(crash):
        return _compiler(crash, target, spots, rows)
    if any(text in words for text in _NO_IMAGE):
        return _no_image(crash, spots, rows, report, [clue for clue in (said, *clues) if clue is not None])
    return None


def _shared_memory(
    crash: Crash,
    required: int,
    limit: int,
    spots: Sequence[Spot],
    rows: Sequence[Architecture],
    report: Report,
    clues: Sequence[Clue],
) -> Explanation:
    known = [(row.name, int(row.fact(_FACT))) for row in rows if row.fact(_FACT) is not None]
    names = {name for name, kib in known if kib * _KIB == limit}
    if not names:
        return _unexplained(
            crash, spots, f"no architecture asked about has a limit of {limit} bytes of shared memory per block"
        )
    because = f"{limit // _KIB} KiB of shared memory per block is the limit of these"
    for clue in clues:
        if clue.names & names:
            names, because = names & clue.names, f"{because}, and {clue.text}"
            break
    fitting = [name for name, kib in known if kib * _KIB >= required]
    fits = f"fits on {', '.join(fitting)} only" if fitting else "fits on no architecture asked about"
    finding = _finding_near(spots, report, ("HW502",), names)
    if finding is not None and names - set(finding.targets):
        names &= set(finding.targets)
        because += f", and of these only {_listed(names, rows)} come to what is too large at line {finding.span.line}"
    return Explanation(
        crash,
        spots[0].frame if spots else None,
        _span(spots),
        spots[0].function if spots else "",
        f"a block asks for {_kib(required)} of shared memory and may have {_kib(limit)}; what it asks for {fits}",
        (*_called(spots, "the launch that asks for too much"), *_at(finding)),
        tuple(row.name for row in rows if row.name in names),
        because,
        tuple((name, "is enough" if kib * _KIB >= required else f"has {kib} KiB") for name, kib in known),
        finding,
        "choose smaller tiles or fewer stages on architectures with less shared memory (num_stages, BLOCK sizes)",
    )


def _compiler(crash: Crash, target: str, spots: Sequence[Spot], rows: Sequence[Architecture]) -> Explanation:
    wanted = "sm_" + target.rpartition("_")[2]
    base = wanted.rstrip("af")
    listed = [release for release, targets in load().toolkits.items() if wanted in targets]
    names = tuple(row.name for row in rows if row.name == base)
    if not names or not listed:
        return _unexplained(crash, spots, f"`{target}` is no target of an architecture asked about")
    return Explanation(
        crash,
        spots[0].frame if spots else None,
        _span(spots),
        spots[0].function if spots else "",
        f"the compiler that ran does not know {wanted}: CUDA {listed[0]} is the first that does",
        _called(spots, f"what was compiled for {wanted}"),
        names,
        f"`{target}` is what was asked for",
        advice=f"use the ptxas and nvcc of CUDA {listed[0]} or newer (for Triton, TRITON_PTXAS_PATH names the ptxas)",
    )


def _no_image(
    crash: Crash, spots: Sequence[Spot], rows: Sequence[Architecture], report: Report, clues: Sequence[Clue]
) -> Explanation:
    names = {row.name for row in rows if not is_made_up(row) and any(row.name in clue.names for clue in clues)}
    if not names:
        return _unexplained(
            crash,
            spots,
            "a kernel was not built for the device, and the log does not say which device that is; "
            "add its name (nvidia-smi -L) to the log",
        )
    finding = _finding_near(spots, report, ("HW401",), names)
    lists = f"; `{finding.span.path}:{finding.span.line}` leaves it out" if finding else ""
    return Explanation(
        crash,
        spots[0].frame if spots else None,
        _span(spots) if finding is None else finding.span,
        spots[0].function if spots and finding is None else "",
        f"the kernel that was launched is not built for it, and carries no PTX that the driver could compile{lists}",
        (*_called(spots, "the launch"), *_at(finding)),
        tuple(row.name for row in rows if row.name in names),
        next(clue.text for clue in clues if clue.names & names),
        finding=finding,
        advice="build the package that the kernel belongs to with this architecture in TORCH_CUDA_ARCH_LIST, "
        "or install a build that has it; a launch error may be reported late: CUDA_LAUNCH_BLOCKING=1 shows the place",
    )


def _unexplained(crash: Crash, spots: Sequence[Spot], reason: str) -> Explanation:
    return Explanation(crash, spots[0].frame if spots else None, _span(spots), reason=reason)


def _called(spots: Sequence[Spot], what: str) -> tuple[TraceStep, ...]:
    """The frames of the tree, the innermost first."""
    steps = []
    for number, spot in enumerate(spots[:_MOST_STEPS]):
        span = Span(spot.path, max(spot.line, 1), 1, max(spot.line, 1), 1)
        steps.append(
            TraceStep(span, f"{what} comes from here" if number == 0 else f"called by {spot.function or 'the module'}")
        )
    return tuple(steps)


def _at(finding: Finding | None) -> tuple[TraceStep, ...]:
    return () if finding is None else (TraceStep(finding.span, finding.message), *finding.trace)


def _finding_near(spots: Sequence[Spot], report: Report, rules: Sequence[str], names: set[str]) -> Finding | None:
    """A finding of one of `rules` for these architectures: in a function of the traceback, its file, or anywhere.

    What a block asks for is decided in the files of the traceback; what a package is built for may stand anywhere.
    """
    functions = {(spot.path, spot.function) for spot in spots}
    files = {spot.path for spot in spots}
    about = [
        one
        for one in report.findings
        if one.rule in rules and names & set(one.targets) and (one.span.path in files or "HW401" in rules)
    ]
    return max(
        about,
        key=lambda one: ((one.span.path, one.symbol) in functions, one.span.path in files, one.level.rank),
        default=None,
    )


def _listed(names: set[str], rows: Sequence[Architecture]) -> str:
    return " and ".join(row.name for row in rows if row.name in names)


def _span(spots: Sequence[Spot]) -> Span | None:
    if not spots:
        return None
    line = max(spots[0].line, 1)
    return Span(spots[0].path, line, 1, line, 1)


def _kib(size: int) -> str:
    return f"{size / _KIB:g} KiB" if size % _KIB == 0 else f"{size} bytes"
