"""Choose the writer for an output format."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import StrEnum
from typing import assert_never

from hwlint.model.errors import UsageError
from hwlint.model.finding import Level
from hwlint.model.report import Report
from hwlint.model.rule import RuleInfo
from hwlint.model.suggest import did_you_mean
from hwlint.report.selection import select
from hwlint.report.source_lines import SourceLines
from hwlint.report.styles import Painter


class Format(StrEnum):
    """Every way to write a report."""

    TEXT = "text"
    """One line a finding, for terminals and editors."""
    FULL = "full"
    """Source excerpts, the trace and the fixes of each finding."""
    JSON = "json"
    """Everything, for programs; the contract `hwlint/1`."""
    GITHUB = "github"
    """Workflow commands that GitHub Actions shows beside the code."""
    SARIF = "sarif"
    """SARIF 2.1.0, for code scanning and editors."""
    GITLAB = "gitlab"
    """The report that GitLab's Code Quality widget reads."""


def render(
    report: Report,
    fmt: str,
    *,
    rules: Sequence[RuleInfo],
    sources: Callable[[str], str | None],
    color: bool = False,
    width: int = 100,
    statistics: bool = False,
    show_unknown: bool = False,
    level: Level = Level.WARNING,
) -> str:
    """Write `report` in the format named `fmt`; the text ends with a newline unless it is empty.

    Findings below `level` are left out of every format; suppressed ones appear in JSON only, marked as such.
    `sources` gives the decoded text of a project file by its relative path, or None where there is none: excerpts,
    UTF-16 columns and line hashes need it, and do without where it is missing. `color`, `width` (terminal cells),
    `statistics` and `show_unknown` concern `text` and `full`. A name that is no format raises UsageError.
    """
    selection = select(report, level)
    lines = SourceLines(sources)
    painter = Painter(color=color)
    chosen = _named(fmt)
    match chosen:
        case Format.TEXT:
            from hwlint.report.text import render_text

            return render_text(selection, rules, painter, statistics=statistics, show_unknown=show_unknown)
        case Format.FULL:
            from hwlint.report.full import render_full

            return render_full(
                selection, rules, lines, painter, width=width, statistics=statistics, show_unknown=show_unknown
            )
        case Format.JSON:
            from hwlint.report.json_report import render_json

            return render_json(selection)
        case Format.GITHUB:
            from hwlint.report.github import render_github

            return render_github(selection)
        case Format.SARIF:
            from hwlint.report.sarif import render_sarif

            return render_sarif(selection, rules, lines)
        case Format.GITLAB:
            from hwlint.report.gitlab import render_gitlab

            return render_gitlab(selection)
        case _:
            assert_never(chosen)


def _named(fmt: str) -> Format:
    try:
        return Format(fmt)
    except ValueError:
        known = ", ".join(Format)
        raise UsageError(f"`{fmt}` is no output format{did_you_mean(fmt, Format)} (known: {known})") from None
