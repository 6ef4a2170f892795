"""Give the findings of a report their fixes, where its format shows them: text output does without the cost."""

from __future__ import annotations

from dataclasses import replace

from hwlint.hardware.additions import extend
from hwlint.hardware.table import load
from hwlint.model.report import Report
from hwlint.rulebook.rules import load_rules
from hwlint.source.read import reader
from hwlint.workflow.settings import Settings


def with_fixes(report: Report, settings: Settings) -> Report:
    """Return the report with the fixes that can be offered for its findings, from the files as they are on disk.

    A report that has fixes already comes back as it is. Findings below the level have theirs too: a report for
    programs may show them.
    """
    if any(finding.fixes for finding in report.findings):
        return report
    from hwlint.fix.attach import attach_fixes

    rules = {rule.id: rule for rule in load_rules(settings.extend_rules).rules}
    findings = attach_fixes(report.findings, reader(settings.root), extend(load(), settings.architectures), rules)
    return replace(report, findings=tuple(replace(finding, has_recipe=False) for finding in findings))
