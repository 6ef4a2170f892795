"""Write each finding in full: the code, the way there, what happens on each architecture, and how to mend it."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from hwlint.model.finding import Certainty, Finding, TraceStep
from hwlint.model.rule import RuleInfo
from hwlint.model.span import Span
from hwlint.report.closing import closing
from hwlint.report.display import cells, printable
from hwlint.report.excerpt import excerpt, gutter_width
from hwlint.report.fixes_in_full import fixes_in_full
from hwlint.report.selection import Selection
from hwlint.report.source_lines import SourceLines
from hwlint.report.styles import LEVEL_STYLES, Painter, Style

_LEAST_WIDTH = 40
_LEAST_WORD = 12
_LEAST_BESIDE = 36
"""Columns that a message needs beside the place that it is about."""
_POSSIBLE = "possible: more than the hardware decides whether this place is reached (a flag, a setting, an unknown)"


def render_full(
    selection: Selection,
    rules: Sequence[RuleInfo],
    lines: SourceLines,
    painter: Painter,
    *,
    width: int,
    statistics: bool,
    show_unknown: bool,
) -> str:
    """Return every shown finding with its evidence, then the closing lines."""
    written: list[str] = []
    for finding in selection.shown:
        written += _finding(finding, lines, painter, max(width, _LEAST_WIDTH))
        written.append("")
    written += closing(
        selection,
        rules,
        painter,
        statistics=statistics,
        show_unknown=show_unknown,
        shows_fixes=True,
        width=max(width, _LEAST_WIDTH),
    )
    return "".join(f"{line}\n" for line in written)


def definition(finding: Finding) -> TraceStep | None:
    """Return the last step of the trace, where the table or test is defined; None where that is the finding itself."""
    if not finding.trace or finding.trace[-1].span == finding.span:
        return None
    return finding.trace[-1]


def _finding(finding: Finding, lines: SourceLines, painter: Painter, width: int) -> Iterator[str]:
    yield from _heading(finding, painter, width)
    yield from _source(finding, lines, painter, width)
    yield from _trace(finding, painter, width)
    yield from architectures(finding.why, finding.targets, finding.outcome, LEVEL_STYLES[finding.level], painter, width)
    if finding.certainty is Certainty.POSSIBLE:
        yield ""
        yield from _wrapped(_POSSIBLE, width, "  ", "    ")
    if finding.related:
        yield ""
        yield f"  {painter.paint('the same cause at', Style.PLACE)}"
        related = sorted(finding.related, key=lambda step: (step.span, step.message))
        yield from steps_in_rows(related, painter, width)
    yield from fixes_in_full(finding, lines, painter, width)


def _heading(finding: Finding, painter: Painter, width: int) -> Iterator[str]:
    """Yield `error HW101 missing-key: message`, wrapped, with the first line's words in their colours."""
    head = f"{finding.level.value} {finding.rule} {finding.name}: "
    rows = textwrap.wrap(head + printable(finding.message), width, subsequent_indent="  ", break_long_words=False)
    level = painter.paint(finding.level.value, LEVEL_STYLES[finding.level])
    start = f"{finding.level.value} {finding.rule}"
    if rows[0].startswith(start):
        rows[0] = f"{level} {painter.paint(finding.rule, Style.RULE)}{rows[0][len(start) :]}"
    yield from rows


def _source(finding: Finding, lines: SourceLines, painter: Painter, width: int) -> Iterator[str]:
    end = definition(finding)
    gutter = gutter_width(finding.span, *([end.span] if end else []))
    column = f":{finding.span.column}"
    yield from placed(finding.span, column, finding.symbol, painter, width, gutter)
    style = LEVEL_STYLES[finding.level]
    yield from excerpt(
        lines, finding.span, finding.outcome, painter, style=style, width=width, gutter=gutter, before=2, after=1
    )
    if end is None:
        return
    yield painter.paint(f"{' ' * gutter} |", Style.GUTTER)
    yield f"{' ' * gutter}::: {_place(end.span, painter)}:{end.span.column}"
    shown_after = 3 if end.span.line == end.span.end_line else 0
    yield from excerpt(
        lines, end.span, end.message, painter, style=Style.NOTE, width=width, gutter=gutter, after=shown_after
    )


def placed(span: Span, column: str, symbol: str, painter: Painter, width: int, gutter: int) -> Iterator[str]:
    """Yield where it is, the function on a line of its own where both are too long for one."""
    where = f"in {printable(symbol)}" if symbol else ""
    place = f"{' ' * gutter}--> {_place(span, painter)}{column}"
    length = gutter + 4 + cells(f"{printable(span.path)}:{span.line}{column} {where}")
    if where and length > width:
        yield from (place, f"{' ' * gutter}    {where}")
    else:
        yield f"{place} {where}".rstrip()


def _trace(finding: Finding, painter: Painter, width: int) -> Iterator[str]:
    if not finding.trace:
        return
    yield ""
    yield f"  {painter.paint('how the value gets there', Style.PLACE)}"
    yield from steps_in_rows(finding.trace, painter, width, numbered=True)


def steps_in_rows(steps: Sequence[TraceStep], painter: Painter, width: int, *, numbered: bool = False) -> Iterator[str]:
    """Yield place and message of each step, the messages below each other, broken to `width`; there is at least one.

    Where little room is left beside the places, each message stands below its own.
    """
    longest = max(cells(f"{printable(step.span.path)}:{step.span.line}") for step in steps)
    digits = len(str(len(steps)))
    for number, step in enumerate(steps, start=1):
        first = f"    {number:>{digits}}. " if numbered else "    "
        column = len(first) + longest + 2
        beside = width - column >= _LEAST_BESIDE
        indent = " " * (column if beside else len(first) + 2)
        rows = _wrapped(printable(step.message), max(width, _LEAST_WIDTH), indent, indent)
        place = f"{first}{_place(step.span, painter)}"
        if beside and rows:
            gap = " " * (longest - cells(f"{printable(step.span.path)}:{step.span.line}") + 2)
            place, rows = f"{place}{gap}{rows[0].lstrip()}", rows[1:]
        yield place
        yield from rows


def architectures(
    why: Sequence[tuple[str, str]],
    targets: Sequence[str],
    outcome: str,
    style: Style,
    painter: Painter,
    width: int,
) -> Iterator[str]:
    """Yield what happens on each architecture; those in `targets` carry an exclamation mark in `style`.

    A target that `why` does not tell of has `outcome`.
    """
    told = dict(why)
    rows = [*why, *((target, outcome) for target in targets if target not in told and outcome)]
    if not rows:
        return
    yield ""
    yield f"  {painter.paint('what happens on each architecture', Style.PLACE)}"
    groups = list(_grouped(rows, set(targets)))
    longest = min(max(len(names) for names, _, _ in groups), width // 2)
    for names, what, affected in groups:
        mark = painter.paint("!", style) if affected else " "
        text = printable(what)
        if len(names) > longest:
            yield from (row.replace("?", mark, 1) for row in _wrapped(f"? {names}", width, "    ", "      "))
            yield from _wrapped(text, width, " " * 8, " " * 8)
        else:
            indent = " " * (8 + longest)
            first, *rest = _wrapped(text, max(width, len(indent) + _LEAST_WORD), indent, indent) or [indent]
            yield f"    {mark} {names:{longest}}  {first[len(indent) :]}".rstrip()
            yield from rest


def _grouped(rows: Sequence[tuple[str, str]], affected: set[str]) -> Iterator[tuple[str, str, bool]]:
    """Yield (names, what happens, affected) with neighbours that behave alike on one row."""
    group: list[str] = []
    for index, (name, what) in enumerate(rows):
        group.append(name)
        following = rows[index + 1] if index + 1 < len(rows) else None
        if following is None or following[1] != what or (following[0] in affected) != (name in affected):
            yield ", ".join(group), what, name in affected
            group = []


def _wrapped(text: str, width: int, first: str, rest: str) -> list[str]:
    return textwrap.wrap(
        text, width, initial_indent=first, subsequent_indent=rest, break_long_words=False, break_on_hyphens=False
    )


def _place(span: Span, painter: Painter) -> str:
    return painter.paint(f"{printable(span.path)}:{span.line}", Style.PLACE)
