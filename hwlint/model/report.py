"""Hold the result of one run."""

from __future__ import annotations

from dataclasses import dataclass

from hwlint.model.finding import Finding


@dataclass(frozen=True, slots=True, order=True)
class UnknownSite:
    """A lookup or gate whose outcome could not be worked out, and why."""

    path: str
    line: int
    reason: str


@dataclass(frozen=True, slots=True, order=True)
class Failure:
    """A file that could not be read, decoded or parsed; `line` is 1 where no line is known."""

    path: str
    line: int
    message: str


@dataclass(frozen=True, slots=True)
class Summary:
    """Counts of one run: files seen and parsed, findings that are not suppressed by level, unknowns, wall seconds."""

    files: int
    parsed: int
    error: int
    warning: int
    note: int
    unknown: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Report:
    """Everything one run found, sorted; `root` is the absolute path that the relative paths start from."""

    version: str
    targets: tuple[str, ...]
    findings: tuple[Finding, ...]
    unknown: tuple[UnknownSite, ...]
    failures: tuple[Failure, ...]
    summary: Summary
    root: str = "."
