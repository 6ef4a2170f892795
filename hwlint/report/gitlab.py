"""Write the report that GitLab's Code Quality widget reads.

The format is an array of objects with description, check_name, fingerprint, severity and location
(GitLab documentation, "Code Quality report format"). GitLab merges entries with equal fingerprints, so each is unique.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter

from hwlint.model.finding import Finding, Level
from hwlint.model.report import Failure
from hwlint.report.selection import Selection

_SEVERITIES = {Level.ERROR: "critical", Level.WARNING: "major", Level.NOTE: "info"}


def render_gitlab(selection: Selection) -> str:
    """Return the shown findings, and the files that were not analysed, as a JSON array without a byte order mark."""
    seen: Counter[str] = Counter()
    issues = [_issue(finding, seen) for finding in selection.shown]
    issues += [_failure(failure, seen) for failure in sorted(selection.report.failures)]
    return json.dumps(issues, indent=2) + "\n"


def _issue(finding: Finding, seen: Counter[str]) -> dict[str, object]:
    span = finding.span
    targets = f" [{', '.join(finding.targets)}]" if finding.targets else ""
    parts = (finding.fingerprint,) if finding.fingerprint else (finding.rule, span.path, finding.symbol, finding.table)
    return {
        "description": f"{finding.rule}: {finding.message}{targets}",
        "check_name": finding.rule,
        "fingerprint": _unique(parts, seen),
        "severity": _SEVERITIES[finding.level],
        "location": {"path": span.path, "lines": {"begin": span.line, "end": span.end_line}},
    }


def _failure(failure: Failure, seen: Counter[str]) -> dict[str, object]:
    return {
        "description": f"Not analysed: {failure.message}",
        "check_name": "not-analysed",
        "fingerprint": _unique(("not-analysed", failure.path), seen),
        "severity": "info",
        "location": {"path": failure.path, "lines": {"begin": failure.line}},
    }


def _unique(parts: tuple[str, ...], seen: Counter[str]) -> str:
    """Return a hash of `parts` that no earlier entry of this report has; equal parts are told apart by their order."""
    name = "\0".join(parts)
    occurrence = seen[name]
    seen[name] += 1
    return hashlib.sha256(f"{name}\0{occurrence}".encode("utf-8", "surrogatepass")).hexdigest()
