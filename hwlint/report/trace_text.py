"""Write what `hwlint trace` found out, for people."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import replace

from hwlint.model.crash import Explanation
from hwlint.model.span import Span
from hwlint.report.closing import counted
from hwlint.report.display import printable
from hwlint.report.excerpt import excerpt, gutter_width
from hwlint.report.fixes_in_full import fixes_in_full
from hwlint.report.full import architectures, placed, steps_in_rows
from hwlint.report.source_lines import SourceLines
from hwlint.report.styles import LEVEL_STYLES, Painter, Style

MOST_FOLLOWING = 12
"""Places that fail next and are listed for one crash; the others are counted."""
_LEAST_WIDTH = 40
_LONGEST_LABEL = 60
_LONGEST_SAID = 600
"""Characters of an exception's words that are printed: a log of JSON may hold a whole document on that line."""


def render_trace(explanations: Sequence[Explanation], lines: SourceLines, painter: Painter, *, width: int) -> str:
    """Return one section for each crash and a last line that counts them."""
    width = max(width, _LEAST_WIDTH)
    written: list[str] = []
    for explanation in explanations:
        written += _section(explanation, lines, painter, width)
        written.append("")
    explained = sum(one.is_explained for one in explanations)
    if not explanations:
        written.append("No Python traceback in the log, and no line that names an exception.")
    else:
        noun = "crash" if len(explanations) == 1 else "crashes"
        written.append(f"Explained {explained} of {len(explanations)} {noun}.")
    return "".join(f"{line}\n" for line in written)


def _section(one: Explanation, lines: SourceLines, painter: Painter, width: int) -> Iterator[str]:
    crash = one.crash
    times = f", {crash.times} times" if crash.times > 1 else ""
    said = printable(_cut(crash.said)) if crash.exception else "a traceback without its exception"
    yield from _wrapped(
        f"{said} (line {crash.log_line} of the log{times})", width, "", "  ", painter, Style.ERROR, said
    )
    if not one.is_explained:
        yield from _wrapped(f"not explained: {printable(one.reason)}", width, "  ", "    ")
        yield from _place(one, lines, painter, width)
        return
    yield from _wrapped(printable(one.headline), width, "  ", "    ")
    yield from _place(one, lines, painter, width)
    if one.steps:
        yield ""
        yield f"  {painter.paint('from the exception to its cause', Style.PLACE)}"
        yield from steps_in_rows(one.steps, painter, width, numbered=True)
    yield ""
    yield f"  {painter.paint('the architecture', Style.PLACE)}"
    yield from _wrapped(f"{_either(one.targets)}: {printable(one.because)}", width, "    ", "      ")
    yield from architectures(one.why, one.targets, "", Style.ERROR, painter, width)
    yield from _following(one, painter, width)
    yield from _mend(one, lines, painter, width)


def _cut(said: str) -> str:
    return said if len(said) <= _LONGEST_SAID else f"{said[: _LONGEST_SAID - 3]}..."


def _place(one: Explanation, lines: SourceLines, painter: Painter, width: int) -> Iterator[str]:
    if one.span is None:
        return
    gutter = gutter_width(one.span)
    yield from placed(one.span, "", one.symbol, painter, width, gutter)
    if one.frame is not None and not _is_same_place(one):
        yield f"{' ' * gutter}    in the log: {printable(one.frame.path)}:{one.frame.line}"
    label = one.crash.said if len(one.crash.said) <= _LONGEST_LABEL else one.crash.type
    span = _whole_line(one.span, lines)
    yield from excerpt(
        lines, span, printable(label), painter, style=Style.ERROR, width=width, gutter=gutter, before=2, after=1
    )


def _whole_line(span: Span, lines: SourceLines) -> Span:
    """The text of the line, where only the line is known."""
    if (span.line, span.column) != (span.end_line, span.end_column):
        return span
    text = lines.line(span.path, span.line) or ""
    return replace(span, column=len(text) - len(text.lstrip()) + 1, end_column=len(text.rstrip()) + 1)


def _is_same_place(one: Explanation) -> bool:
    assert one.frame is not None
    assert one.span is not None
    return one.frame.path == one.span.path and one.frame.line == one.span.line


def _either(names: Sequence[str]) -> str:
    if len(names) <= 1:
        return "".join(names) or "not known"
    return f"{', '.join(names[:-1])} or {names[-1]}"


def _following(one: Explanation, painter: Painter, width: int) -> Iterator[str]:
    yield ""
    if not one.following:
        yield from _wrapped(f"check finds no other place that fails on {_either(one.targets)}", width, "  ", "    ")
        return
    heading = f"what fails or goes wrong next on {_either(one.targets)}"
    yield from (painter.paint(row, Style.PLACE) for row in _wrapped(heading, width, "  ", "    "))
    for finding in one.following[:MOST_FOLLOWING]:
        place, level = f"{printable(finding.span.path)}:{finding.span.line}", finding.level.value
        rows = _wrapped(f"{place}: {finding.rule} {level} {printable(finding.message)}", width, "    ", "      ")
        head = f"    {place}: {finding.rule} {level} "
        if rows[0].startswith(head):
            painted = (
                f"    {painter.paint(place, Style.PLACE)}: {painter.paint(finding.rule, Style.RULE)} "
                f"{painter.paint(level, LEVEL_STYLES[finding.level])} "
            )
            rows[0] = painted + rows[0][len(head) :]
        yield from rows
    rest = len(one.following) - MOST_FOLLOWING
    if rest > 0:
        yield f"    and {counted(rest, 'more place')}: hwlint check --targets {','.join(one.targets)}"


def _mend(one: Explanation, lines: SourceLines, painter: Painter, width: int) -> Iterator[str]:
    if one.finding is not None and one.finding.fixes:
        yield from fixes_in_full(one.finding, lines, painter, width)
    elif one.advice:
        yield ""
        yield from _wrapped(f"what to do: {one.advice}", width, "  ", "    ")


def _wrapped(
    text: str,
    width: int,
    first: str,
    rest: str,
    painter: Painter | None = None,
    style: Style | None = None,
    part: str = "",
) -> list[str]:
    rows = textwrap.wrap(
        text, width, initial_indent=first, subsequent_indent=rest, break_long_words=False, break_on_hyphens=False
    )
    if painter is not None and style is not None and rows and rows[0].startswith(part):
        rows[0] = painter.paint(part, style) + rows[0][len(part) :]
    return rows
