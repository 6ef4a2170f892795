"""Write workflow commands, which GitHub Actions shows as annotations beside the code.

GitHub shows at most ten annotations of each kind for one step; the log holds them all. For more, upload SARIF.
"""

from __future__ import annotations

from hwlint.model.finding import Finding, Level
from hwlint.model.report import Failure
from hwlint.report.display import printable
from hwlint.report.selection import Selection, best_safety

_COMMANDS = {Level.ERROR: "error", Level.WARNING: "warning", Level.NOTE: "notice"}


def render_github(selection: Selection) -> str:
    """Return one workflow command for each shown finding and for each file that was not analysed."""
    lines = [_finding(finding) for finding in selection.shown]
    lines += [_failure(failure) for failure in sorted(selection.report.failures)]
    return "".join(f"{line}\n" for line in lines)


def command(name: str, properties: dict[str, str | int], message: str) -> str:
    """Return `::name key=value,...::message` with everything escaped that would end a part early."""
    written = ",".join(f"{key}={_escape_property(str(value))}" for key, value in properties.items())
    whole = f"::{name} {written}::{_escape_data(message)}"
    return whole.encode("utf-8", "replace").decode("utf-8")  # a file name may hold bytes that are no text


def _finding(finding: Finding) -> str:
    span = finding.span
    place: dict[str, str | int] = {"file": span.path, "line": span.line, "endLine": span.end_line, "col": span.column}
    if span.line == span.end_line:  # an annotation over several lines may not have an end column
        place["endColumn"] = span.end_column
    place["title"] = f"{finding.rule} {finding.name}"
    return command(_COMMANDS[finding.level], place, _message(finding))


def _message(finding: Finding) -> str:
    targets = f" [{', '.join(finding.targets)}]" if finding.targets else ""
    lines = [printable(finding.message) + targets]
    if finding.trace and finding.trace[-1].span.path != finding.span.path:
        end = finding.trace[-1]
        lines.append(f"{end.span.path}:{end.span.line}: {printable(end.message)}")
    if (safety := best_safety(finding)) is not None:
        fix = next(fix for fix in finding.fixes if fix.safety is safety and not fix.applied)
        lines.append(f"Fix ({safety.value}): {printable(fix.title)}")
    return "\n".join(lines)


def _failure(failure: Failure) -> str:
    return command(
        "warning", {"file": failure.path, "line": failure.line, "title": "not analysed"}, printable(failure.message)
    )


def _escape_data(text: str) -> str:
    """Escape as actions/toolkit does for the message: percent first, then line ends."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _escape_property(text: str) -> str:
    return _escape_data(text).replace(":", "%3A").replace(",", "%2C")
