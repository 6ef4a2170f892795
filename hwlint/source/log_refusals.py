"""Find what compilers, drivers and devices say in a log outside of Python's tracebacks, and which crash it led to."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from hwlint.model.crash import Crash
from hwlint.source.log_lines import LogLine

_MOST = 50
"""Refusals beyond these are not read; a log that has more repeats itself."""
_SAME = 60
"""Messages that agree in so many characters are taken for one; loggers put counts behind them."""

_SAID = (
    re.compile(
        r"\b(?P<tool>nvcc|ptxas|nvlink|fatbinary) (?P<how>fatal)\s*: "
        r"(?P<message>(?:Unsupported gpu architecture|Value '[^']*' is not defined for option|.*unsupported.*arch).*)"
    ),
    re.compile(
        r"\b(?P<tool>ptxas)\b.*?; ?(?P<how>error)\s*: (?P<message>\S.*(?:not supported on|requires) \.target '?sm_.*)"
    ),
    re.compile(
        r"\b(?P<tool>clang[\w+-]*|amdclang[\w+]*|hipcc): (?P<how>error): "
        r"(?P<message>(?:unsupported (?:HIP|CUDA) gpu architecture|invalid target ID|unknown target CPU).*)"
    ),
    re.compile(r"(?P<message>'(?:sm_\d+[af]?|gfx\w+)' is not a recognized processor for this target.*)"),
    re.compile(r"\b(?P<tool>nvrtc): (?P<how>error): (?P<message>invalid value for --gpu-architecture.*)"),
    re.compile(r"(?P<message>NVRTC_ERROR_INVALID_OPTION.*)"),
    re.compile(
        r"(?P<message>(?:no kernel image is available|[Ii]nvalid device function"
        r"|\b(?:cudaErrorNoKernelImageForDevice|hipErrorNoBinaryForGpu|CUDA_ERROR_NO_BINARY_FOR_GPU)).*)"
    ),
    re.compile(r"(?P<message>out of resource: shared memory,?\s*Required: ?\d+.*)"),
)
_WORTH = re.compile(
    r"nsupported|is not defined for option|not supported on|requires \.target|target ID|target CPU"
    r"|recognized processor|nvrtc|NVRTC|no kernel image|nvalid device function|NoKernelImage|NoBinaryForGpu"
    r"|NO_BINARY_FOR_GPU|out of resource"
)
"""One of these is in every such line; most lines of a log have none, and are done with one search."""
_BUILD_FAILED = re.compile(
    r"returned non-zero exit status|Error (?:building|compiling)|(?:[Nn]inja|[Bb]uild) (?:build )?failed"
    r"|failed with (?:exit )?(?:status|code)|nvcc compilation of|[Cc]ompil\w+ (?:failed|error)"
)
"""What Python says of a compiler that it has called, whose own words stand elsewhere in the log."""


def with_refusals(crashes: Sequence[Crash], lines: Sequence[LogLine]) -> list[Crash]:
    """Return the crashes, each failed build with the compiler's words for it, and the refusals that led to no crash.

    A refusal is a crash without frames whose exception is the tool (`nvcc fatal`) or its error (`CUDA error`).
    """
    found = _refusals(lines)
    told = [_words(crash) for crash in crashes]
    left = [one for one in found if not any(one.message[:_SAME] in words for words in told)]
    joined = [_joined(crash, found) if _BUILD_FAILED.search(_words(crash)) else crash for crash in crashes]
    used = {row for crash in joined for row in crash.details}
    return [*joined, *(one for one in left if one.said not in used)]


def _words(crash: Crash) -> str:
    return " ".join((crash.exception, crash.message, *crash.details))


def _joined(crash: Crash, found: Sequence[Crash]) -> Crash:
    """A failed build with the nearest refusal before it, else the first after it, among its details."""
    if any(one.message[:_SAME] in _words(crash) for one in found):
        return crash
    before = [one for one in found if one.log_line <= crash.log_line]
    nearest = (before[-1:] or list(found[:1]))[:1]
    return replace(crash, details=(*crash.details, *(one.said for one in nearest)))


def _refusals(lines: Sequence[LogLine]) -> list[Crash]:
    found: dict[str, Crash] = {}
    for line in lines:
        one = _refusal(line)
        if one is None or (one.said not in found and len(found) >= _MOST):
            continue
        known = found.get(one.said)
        found[one.said] = one if known is None else replace(known, times=known.times + 1)
    return list(found.values())


def _refusal(line: LogLine) -> Crash | None:
    for pattern in _SAID if _WORTH.search(line.text) else ():
        hit = pattern.search(line.text)
        if hit is None:
            continue
        parts = hit.groupdict()
        tool = " ".join(filter(None, (parts.get("tool"), parts.get("how"))))
        return Crash((), tool or _runtime(line.text), hit["message"].strip(), line.number, whole=False)
    return None


def _runtime(text: str) -> str:
    """Whose error it is, where the line names no compiler."""
    if "out of resource" in text:
        return "OutOfResources"
    return "HIP error" if "HIP" in text or "hipError" in text else "NVRTC" if "NVRTC" in text else "CUDA error"
