"""Decide which findings a report shows, in which order, and count them once for every format."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from hwlint.model.finding import Finding, Level, Safety
from hwlint.model.report import Report


@dataclass(frozen=True, slots=True)
class Selection:
    """The part of a report that is at or above a level.

    `findings` is sorted by place and holds the suppressed ones too; `shown` leaves them out. Every count of errors,
    warnings and notes in every format is a count over `shown`. `below` counts what only the level hides,
    `suppressed` what an ignore comment, the baseline, the configuration or `--since` hides, `earlier` the last alone.
    """

    report: Report
    level: Level
    findings: tuple[Finding, ...]
    shown: tuple[Finding, ...]
    below: int
    suppressed: int
    earlier: int = 0

    def count(self, level: Level) -> int:
        """Return how many shown findings have exactly this level."""
        return sum(finding.level is level for finding in self.shown)

    def count_by_rule(self) -> dict[str, int]:
        """Return rule id to number of shown findings, the most frequent rule first, then by id."""
        counted = Counter(finding.rule for finding in self.shown)
        return dict(sorted(counted.items(), key=lambda item: (-item[1], item[0])))

    def fixable(self, safety: Safety) -> tuple[Finding, ...]:
        """Return the shown findings that wait for a fix whose best offer has this safety."""
        return tuple(finding for finding in self.shown if best_safety(finding) is safety)

    def count_suggested(self) -> int:
        """Return how many shown findings have suggestions only, which no run of fix applies."""
        return sum(
            bool(one.fixes) and best_safety(one) is None and not any(fix.applied for fix in one.fixes)
            for one in self.shown
        )

    def untried(self) -> tuple[Finding, ...]:
        """Return the shown findings that have recipes which were not tried on them."""
        return tuple(finding for finding in self.shown if finding.has_recipe)


def select(report: Report, level: Level) -> Selection:
    """Return the findings of `report` at or above `level`, sorted."""
    kept = sorted((finding for finding in report.findings if finding.level.rank >= level.rank), key=_order)
    hidden = [finding for finding in report.findings if finding.level.rank < level.rank]
    shown = tuple(finding for finding in kept if finding.suppressed is None)
    return Selection(
        report=report,
        level=level,
        findings=tuple(kept),
        shown=shown,
        below=sum(finding.suppressed is None for finding in hidden),
        suppressed=sum(finding.suppressed is not None for finding in report.findings),
        earlier=sum(one.suppressed is not None and one.suppressed.kind == "since" for one in report.findings),
    )


def best_safety(finding: Finding) -> Safety | None:
    """Return the safest kind among the fixes of `finding` that can still be applied, or None where there is none."""
    open_kinds = {fix.safety for fix in finding.fixes if not fix.applied and fix.edits}
    return next((safety for safety in (Safety.SAFE, Safety.UNSAFE) if safety in open_kinds), None)


def _order(finding: Finding) -> tuple[object, ...]:
    return (finding.span, finding.rule, -finding.level.rank, finding.targets, finding.message, finding.outcome)
