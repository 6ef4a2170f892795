"""Build the SARIF result of one finding."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import groupby
from typing import Any

import sarif_om as om

from hwlint.model.finding import Edit, Finding, Fix, TraceStep
from hwlint.report.display import printable
from hwlint.report.sarif.places import artifact, code_flow, location, region
from hwlint.report.selection import best_safety
from hwlint.report.source_lines import SourceLines

MOST_RELATED = 1_000
"""Locations that code scanning takes for one result."""
MOST_STEPS = 10_000
"""Steps of a code flow that code scanning takes for one result."""
_IN_SOURCE = frozenset({"comment", "file"})
"""Kinds of suppression that stand in the source; the others are external."""


def build_result(finding: Finding, index: int, line_hash: str | None, lines: SourceLines) -> Any:
    """Return the result; `index` is the place of its rule in the driver, `line_hash` GitHub's hash of its line."""
    related = _related(finding)
    return om.Result(
        rule_id=finding.rule,
        rule_index=index,
        level=finding.level.value,
        message=om.Message(text=message(finding, related)),
        locations=[location(finding.span, lines, symbol=finding.symbol)],
        code_flows=[code_flow(finding.trace[:MOST_STEPS], lines)] if finding.trace else None,
        related_locations=[
            location(step.span, lines, message=step.message, identity=number) for number, step in enumerate(related)
        ],
        fixes=[_fix(fix, lines) for fix in finding.fixes if fix.edits and not fix.applied],
        suppressions=_suppressions(finding),
        partial_fingerprints=_fingerprints(finding, line_hash),
        properties=_properties(finding),
    )


def message(finding: Finding, related: tuple[TraceStep, ...]) -> str:
    """Return the text of a result: what is wrong and where it runs first, then links, then how to mend it."""
    targets = f" ({', '.join(finding.targets)})" if finding.targets else ""
    sentences = [f"{_plain(finding.message).rstrip('.')}{targets}."]
    links = [_link(step, number) for number, step in enumerate(related)]
    if links and _has_definition(finding):
        sentences.append(f"The definition is at {links.pop(0)}.")
    if links:
        sentences.append(f"The same cause shows at {', '.join(links)}.")
    if (safety := best_safety(finding)) is not None:
        fix = next(fix for fix in finding.fixes if fix.safety is safety and not fix.applied)
        sentences.append(f"Fix ({safety.value}): {_plain(fix.title).rstrip('.')}.")
    return " ".join(sentences)


def _has_definition(finding: Finding) -> bool:
    return bool(finding.trace) and finding.trace[-1].span != finding.span


def _related(finding: Finding) -> tuple[TraceStep, ...]:
    """Return the definition, where the trace ends elsewhere, and then the further places, each place once."""
    steps = [finding.trace[-1]] if _has_definition(finding) else []
    steps += sorted(finding.related, key=lambda step: (step.span, step.message))
    unique = {step.span: step for step in reversed(steps) if step.span != finding.span}
    return tuple(unique[span] for span in dict.fromkeys(step.span for step in steps) if span in unique)[:MOST_RELATED]


def _link(step: TraceStep, number: int) -> str:
    """Return a link to the related location with this id; brackets in its text are escaped (SARIF 2.1.0, 3.11.6)."""
    text = re.sub(r"([\[\]\\])", r"\\\1", printable(f"{step.span.path}:{step.span.line}"))
    return f"[{text}]({number})"


def _plain(text: str) -> str:
    """Return `text` on one line, with its brackets escaped where a reader would take them for a link."""
    shown = printable(text)
    return re.sub(r"([\[\]\\])", r"\\\1", shown) if "](" in shown else shown


def _fix(fix: Fix, lines: SourceLines) -> Any:
    edits = sorted(fix.edits, key=lambda edit: (edit.span, edit.text))
    properties = {
        "safety": fix.safety.value,
        "donor": fix.donor,
        "reason": fix.reason or None,
        "confirmation": None if fix.confirmation is None else dict(fix.confirmation),
    }
    return om.Fix(
        description=om.Message(text=printable(fix.title)),
        artifact_changes=[
            om.ArtifactChange(
                artifact_location=artifact(path), replacements=[_replacement(edit, lines) for edit in group]
            )
            for path, group in groupby(edits, key=lambda edit: edit.span.path)
        ],
        properties=_without_none(properties),
    )


def _replacement(edit: Edit, lines: SourceLines) -> Any:
    return om.Replacement(deleted_region=region(edit.span, lines), inserted_content=om.ArtifactContent(text=edit.text))


def _suppressions(finding: Finding) -> list[Any] | None:
    if finding.suppressed is None:
        return None
    kind = "inSource" if finding.suppressed.kind in _IN_SOURCE else "external"
    return [om.Suppression(kind=kind, justification=finding.suppressed.reason or None)]


def _fingerprints(finding: Finding, line_hash: str | None) -> dict[str, str]:
    prints = {"primaryLocationLineHash": line_hash, "hwlint/v1": finding.fingerprint or None}
    return {name: value for name, value in prints.items() if value is not None}


def _properties(finding: Finding) -> dict[str, object]:
    values: dict[str, object] = {
        "certainty": finding.certainty.value,
        "targets": list(finding.targets),
        "outcome": finding.outcome or None,
        "applied": [fix.title for fix in finding.fixes if fix.applied] or None,
    }
    return _without_none(values)


def _without_none(values: Mapping[str, object]) -> dict[str, object]:
    return {name: value for name, value in values.items() if value is not None}
