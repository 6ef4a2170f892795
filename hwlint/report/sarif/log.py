"""Write a whole report as one SARIF 2.1.0 log with one run, as code scanning accepts it.

Code scanning ignores `suppressions` and shows such results as open alerts, so suppressed findings are left out unless
they are asked for. It ignores `fixes` as well; they are written for editors, and each message names its fix.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import sarif_om as om

from hwlint.model.finding import Finding
from hwlint.model.report import Failure
from hwlint.model.rule import RuleInfo
from hwlint.model.span import Span
from hwlint.report.display import printable
from hwlint.report.sarif.line_hash import line_hashes
from hwlint.report.sarif.places import ROOT, location
from hwlint.report.sarif.results import build_result
from hwlint.report.sarif.rules import build_rule, needed_rules
from hwlint.report.sarif.serialise import as_json
from hwlint.report.selection import Selection
from hwlint.report.source_lines import SourceLines

SCHEMA_URI = "https://json.schemastore.org/sarif-2.1.0.json"
MOST_RESULTS = 25_000
"""Results that code scanning takes in one run; an upload with more is refused as a whole."""


def render_sarif(
    selection: Selection, rules: Sequence[RuleInfo], lines: SourceLines, *, include_suppressed: bool = False
) -> str:
    """Return the SARIF log in ASCII, with each property of the run and each result on a line of its own."""
    findings = selection.findings if include_suppressed else selection.shown
    kept = _most_severe(findings)
    described = needed_rules(rules, kept)
    run = _run(selection, described, lines, left_out=len(findings) - len(kept))
    written = as_json(om.SarifLog(version="2.1.0", schema_uri=SCHEMA_URI, runs=[run]))
    return _text(written, (json.dumps(as_json(result)) for result in _results(kept, described, lines)))


def _text(log: dict[str, Any], results: Iterable[str]) -> str:
    """Return the text of `log` with the encoded `results` in its only run.

    Values go through the encoder in one piece, and results one at a time: several times faster than the whole at once.
    """
    run = log["runs"][0]
    parts = [f"{json.dumps(name)}: {json.dumps(value)}" for name, value in run.items() if name != "results"]
    joined = ",\n".join(results)
    body = ",\n".join([*parts, f'"results": [\n{joined}\n]'])
    head = f'"$schema": {json.dumps(log["$schema"])}, "version": {json.dumps(log["version"])}'
    return f'{{{head}, "runs": [{{\n{body}\n}}]}}\n'


def _run(selection: Selection, described: Sequence[RuleInfo], lines: SourceLines, *, left_out: int) -> Any:
    """Return the run without its results, which are far the most of it."""
    report = selection.report
    return om.Run(
        tool=om.Tool(
            driver=om.ToolComponent(
                name="hwlint",
                version=report.version,
                semantic_version=report.version,
                rules=[build_rule(rule) for rule in described],
            )
        ),
        invocations=[_invocation(selection, lines, left_out=left_out)],
        automation_details=om.RunAutomationDetails(id=_category(report.targets)),
        original_uri_base_ids={ROOT: om.ArtifactLocation(description=om.Message(text="The root of the project."))},
        column_kind="utf16CodeUnits",
        results=[],
        properties={"targets": list(report.targets), "unknown": report.summary.unknown},
    )


def _results(findings: Sequence[Finding], described: Sequence[RuleInfo], lines: SourceLines) -> Iterator[Any]:
    places = {rule.id: place for place, rule in enumerate(described)}
    wanted: defaultdict[str, set[int]] = defaultdict(set)
    for finding in findings:
        wanted[finding.span.path].add(finding.span.line)
    texts = {path: lines.text(path) for path in wanted}
    hashes = {path: line_hashes(text, wanted[path]) for path, text in texts.items() if text is not None}
    for finding in findings:
        line_hash = hashes.get(finding.span.path, {}).get(finding.span.line)
        yield build_result(finding, places[finding.rule], line_hash, lines)


def _most_severe(findings: Sequence[Finding]) -> Sequence[Finding]:
    """Return at most as many findings as code scanning takes, the worst ones, in their old order."""
    if len(findings) <= MOST_RESULTS:
        return findings
    ranked = sorted(range(len(findings)), key=lambda place: -findings[place].level.rank)
    return [findings[place] for place in sorted(ranked[:MOST_RESULTS])]


def _invocation(selection: Selection, lines: SourceLines, *, left_out: int) -> Any:
    failures = sorted(selection.report.failures)
    notices = [_notification(failure, lines) for failure in failures]
    if left_out:
        text = f"{left_out} results were left out, since code scanning takes {MOST_RESULTS} at most."
        notices.append(om.Notification(level="warning", message=om.Message(text=text)))
    return om.Invocation(execution_successful=not failures, tool_execution_notifications=notices)


def _notification(failure: Failure, lines: SourceLines) -> Any:
    place = location(Span(failure.path, failure.line, 1, failure.line, 1), lines)
    return om.Notification(
        level="error", message=om.Message(text=f"Not analysed: {printable(failure.message)}"), locations=[place]
    )


def _category(targets: Sequence[str]) -> str:
    """Return the automation id; code scanning keeps what comes before the last slash as the category.

    A run for one architecture has a category of its own, so that a job for each architecture of a matrix can upload.
    """
    return f"hwlint/{targets[0]}/" if len(targets) == 1 else "hwlint/"
