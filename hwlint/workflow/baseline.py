"""Keep the findings a project has today in a file, so that only new ones are reported."""

from __future__ import annotations

import json
from pathlib import Path

from hwlint.model.errors import SettingsError
from hwlint.model.report import Report

SCHEMA = "hwlint-baseline/1"


def baseline_text(report: Report) -> str:
    """Return the baseline of a report as JSON: every finding of any level that nothing else suppresses.

    A reader finds rule, path and symbol beside each fingerprint; only the fingerprint counts. It survives line shifts.
    """
    kept = {
        finding.fingerprint: {
            "fingerprint": finding.fingerprint,
            "rule": finding.rule,
            "path": finding.span.path,
            "symbol": finding.symbol,
            "targets": list(finding.targets),
        }
        for finding in report.findings
        if finding.suppressed is None
    }
    rows = sorted(kept.values(), key=lambda row: (row["path"], row["rule"], row["symbol"], row["fingerprint"]))
    return json.dumps({"schema": SCHEMA, "findings": rows}, indent=2, ensure_ascii=False) + "\n"


def load_baseline(file: Path) -> frozenset[str]:
    """Return the fingerprints in a baseline file.

    Raises SettingsError where the file is missing or is no baseline; a baseline that silently hides nothing, or
    everything, would be worse.
    """
    try:
        document = json.loads(file.read_bytes())
        if document["schema"] != SCHEMA:
            raise SettingsError(f"{file}: a baseline of another kind ({document['schema']}); write it again{_HOW}")
        return frozenset(str(row["fingerprint"]) for row in document["findings"])
    except FileNotFoundError:
        raise SettingsError(f"{file}: no such baseline; write it{_HOW}") from None
    except OSError as error:
        raise SettingsError(f"{file}: the baseline cannot be read: {error.strerror}") from error
    except (ValueError, LookupError, TypeError, RecursionError):
        raise SettingsError(f"{file}: this is no baseline of hwlint; write it again{_HOW}") from None


_HOW = " with `hwlint check --baseline FILE --write-baseline`"
