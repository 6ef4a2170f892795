"""Write what `hwlint trace` found out, for programs: the contract `hwlint-trace/1`."""

from __future__ import annotations

import json
from collections.abc import Sequence

from hwlint.model.crash import Explanation
from hwlint.report.json_report import finding_as_json

SCHEMA = "hwlint-trace/1"


def render_trace_json(explanations: Sequence[Explanation], targets: Sequence[str], version: str) -> str:
    """Return one JSON object; findings have the form of `hwlint/1`."""
    document = {
        "schema": SCHEMA,
        "version": version,
        "targets": list(targets),
        "crashes": [_crash(one) for one in explanations],
    }
    return json.dumps(document, indent=2) + "\n"


def _crash(one: Explanation) -> dict[str, object]:
    crash = one.crash
    return {
        "exception": crash.exception,
        "message": crash.message,
        "log_line": crash.log_line,
        "times": crash.times,
        "explained": one.is_explained,
        "reason": one.reason,
        "path": one.span.path if one.span is not None else None,
        "line": one.span.line if one.span is not None else None,
        "symbol": one.symbol,
        "installed": None if one.frame is None else {"path": one.frame.path, "line": one.frame.line},
        "headline": one.headline,
        "steps": [
            {"path": step.span.path, "line": step.span.line, "column": step.span.column, "message": step.message}
            for step in one.steps
        ],
        "architectures": list(one.targets),
        "because": one.because,
        "why": [{"architecture": name, "what": what} for name, what in one.why],
        "finding": None if one.finding is None else finding_as_json(one.finding),
        "advice": one.advice,
        "following": [finding_as_json(finding) for finding in one.following],
    }
