"""Name the exit statuses."""

from __future__ import annotations

from enum import IntEnum

from hwlint.model.finding import Level
from hwlint.model.report import Report


class Status(IntEnum):
    """What the exit status of hwlint says."""

    CLEAN = 0
    """Nothing at or above the level."""
    FINDINGS = 1
    """Findings remain."""
    MISUSE = 2
    """Wrong usage or configuration, or a fault of hwlint itself."""
    INCOMPLETE = 3
    """A file could not be read, and nothing worse."""
    INTERRUPTED = 130
    """Stopped by the user: 128 + SIGINT, as shells count."""
    READER_GONE = 141
    """The program that read the output has left: 128 + SIGPIPE."""


def status_of(report: Report, level: Level) -> Status:
    """Return the status for a report whose findings count from `level` upward."""
    if any(finding.suppressed is None and finding.level.rank >= level.rank for finding in report.findings):
        return Status.FINDINGS
    return Status.INCOMPLETE if report.failures else Status.CLEAN
