"""Build the SARIF description of each rule, within the limits of code scanning."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import sarif_om as om

from hwlint.model.finding import Finding, Level
from hwlint.model.rule import RuleInfo

LONGEST_DESCRIPTION = 1_024
"""Characters of a description that code scanning takes."""
MOST_TAGS = 20
"""Tags of a rule that code scanning takes."""
_SEVERITIES = {Level.ERROR: "error", Level.WARNING: "warning", Level.NOTE: "recommendation"}


def needed_rules(rules: Sequence[RuleInfo], findings: Iterable[Finding]) -> list[RuleInfo]:
    """Return `rules` by id, with a bare description added for each rule that a finding names and `rules` lacks."""
    known = {rule.id: rule for rule in rules}
    for finding in findings:
        if finding.rule not in known:
            known[finding.rule] = _bare(finding)
    return [known[rule] for rule in sorted(known)]


def build_rule(rule: RuleInfo) -> Any:
    """Return the reportingDescriptor; code scanning refuses empty texts, so each falls back to a shorter one."""
    title = rule.title or rule.name or rule.id
    summary = rule.summary or title
    return om.ReportingDescriptor(
        id=rule.id,
        name=rule.name,
        short_description=om.MultiformatMessageString(text=_cut(title)),
        full_description=om.MultiformatMessageString(text=_cut(summary)),
        help=om.MultiformatMessageString(text=rule.help_text or summary, markdown=rule.help_markdown or None),
        help_uri=rule.uri,
        default_configuration=om.ReportingConfiguration(level=rule.level.value),
        properties={
            "precision": rule.precision,
            "problem.severity": _SEVERITIES[rule.level],
            "tags": sorted(set(rule.tags))[:MOST_TAGS],
        },
    )


def _bare(finding: Finding) -> RuleInfo:
    title = finding.name.replace("-", " ") or finding.rule
    return RuleInfo(finding.rule, finding.name, finding.level, title, title, title, "", precision="medium")


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST_DESCRIPTION else f"{text[: LONGEST_DESCRIPTION - 3]}..."
