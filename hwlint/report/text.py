"""Write one line a finding, in the shape that editors and grep understand."""

from __future__ import annotations

from collections.abc import Sequence

from hwlint.model.finding import Finding
from hwlint.model.rule import RuleInfo
from hwlint.report.closing import closing
from hwlint.report.display import printable
from hwlint.report.selection import Selection
from hwlint.report.styles import LEVEL_STYLES, Painter, Style


def render_text(
    selection: Selection, rules: Sequence[RuleInfo], painter: Painter, *, statistics: bool, show_unknown: bool
) -> str:
    """Return `path:line:column: HW101 error message [sm_120]` for each shown finding, then the closing lines."""
    lines = [_line(finding, painter) for finding in selection.shown]
    lines += closing(selection, rules, painter, statistics=statistics, show_unknown=show_unknown)
    return "".join(f"{line}\n" for line in lines)


def _line(finding: Finding, painter: Painter) -> str:
    span = finding.span
    place = painter.paint(f"{printable(span.path)}:{span.line}:{span.column}", Style.PLACE)
    rule = painter.paint(finding.rule, Style.RULE)
    level = painter.paint(finding.level.value, LEVEL_STYLES[finding.level])
    targets = painter.paint(f"[{', '.join(finding.targets)}]", Style.QUIET) if finding.targets else ""
    return f"{place}: {rule} {level} {printable(finding.message)} {targets}".rstrip()
