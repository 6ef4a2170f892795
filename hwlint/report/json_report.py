"""Write the JSON that programs rely on: the contract `hwlint/1`.

Keys keep the order of the contract, lists are sorted, and everything outside ASCII is escaped, so that the same
findings give the same bytes on every platform; `summary.seconds` alone differs between runs. Findings below the level
are left out. Suppressed ones are listed with their reason, and the error, warning and note counts leave them out.
"""

from __future__ import annotations

import json

from hwlint.model.finding import Edit, Finding, Fix, Level, TraceStep
from hwlint.report.selection import Selection

SCHEMA = "hwlint/1"


def render_json(selection: Selection) -> str:
    """Return the report as one indented JSON object with a final newline."""
    return json.dumps(as_json(selection), indent=2) + "\n"


def as_json(selection: Selection) -> dict[str, object]:
    """Return the report as plain dicts, lists, strings and numbers."""
    report = selection.report
    return {
        "schema": SCHEMA,
        "version": report.version,
        "targets": list(report.targets),
        "findings": [finding_as_json(finding) for finding in selection.findings],
        "unknown": [{"path": site.path, "line": site.line, "reason": site.reason} for site in sorted(report.unknown)],
        "failures": [
            {"path": failure.path, "line": failure.line, "message": failure.message}
            for failure in sorted(report.failures)
        ],
        "summary": {
            "files": report.summary.files,
            "parsed": report.summary.parsed,
            "error": selection.count(Level.ERROR),
            "warning": selection.count(Level.WARNING),
            "note": selection.count(Level.NOTE),
            "unknown": report.summary.unknown,
            "seconds": round(report.summary.seconds, 3),
        },
    }


def finding_as_json(finding: Finding) -> dict[str, object]:
    """Return one finding as the contract writes it."""
    suppressed = finding.suppressed
    return {
        "rule": finding.rule,
        "name": finding.name,
        "level": finding.level.value,
        "certainty": finding.certainty.value,
        "message": finding.message,
        "path": finding.span.path,
        "line": finding.span.line,
        "column": finding.span.column,
        "end_line": finding.span.end_line,
        "end_column": finding.span.end_column,
        "symbol": finding.symbol,
        "targets": list(finding.targets),
        "outcome": finding.outcome,
        "trace": [_step(step) for step in finding.trace],
        "fixes": [_fix(fix) for fix in finding.fixes],
        "fingerprint": finding.fingerprint,
        "suppressed": None if suppressed is None else {"kind": suppressed.kind, "reason": suppressed.reason},
    }


def _step(step: TraceStep) -> dict[str, object]:
    return {"path": step.span.path, "line": step.span.line, "column": step.span.column, "message": step.message}


def _fix(fix: Fix) -> dict[str, object]:
    return {
        "title": fix.title,
        "safety": fix.safety.value,
        "donor": fix.donor,
        "reason": fix.reason,
        "edits": [_edit(edit) for edit in sorted(fix.edits, key=lambda edit: (edit.span, edit.text))],
        "applied": fix.applied,
        "refused": fix.refused or None,
        "confirmation": None if fix.confirmation is None else dict(fix.confirmation),
    }


def _edit(edit: Edit) -> dict[str, object]:
    span = edit.span
    return {
        "path": span.path,
        "line": span.line,
        "column": span.column,
        "end_line": span.end_line,
        "end_column": span.end_column,
        "text": edit.text,
    }
