"""Write what `hwlint check --explain` found out about one line, for people and for programs."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator

from hwlint.model.explained import ABSENT, ExplainedLine, Item, Rows
from hwlint.model.span import Span
from hwlint.report.display import printable
from hwlint.report.excerpt import excerpt
from hwlint.report.json_report import finding_as_json
from hwlint.report.source_lines import SourceLines
from hwlint.report.styles import LEVEL_STYLES, Painter, Style

SCHEMA = "hwlint-explain/1"
_LEAST_WIDTH = 40


def render_line(found: ExplainedLine, lines: SourceLines, painter: Painter, *, width: int) -> str:
    """Return the line with who comes there, the values, what happens and what is reported."""
    return "".join(f"{row}\n" for row in _rows(found, lines, painter, max(width, _LEAST_WIDTH)))


def render_line_json(found: ExplainedLine, version: str) -> str:
    """Return one JSON object; findings have the form of `hwlint/1`."""
    document = {
        "schema": SCHEMA,
        "version": version,
        "targets": list(found.targets),
        "path": found.path,
        "line": found.line,
        "symbol": found.symbol,
        "reach": dict(found.reach),
        "values": [_item(item) for item in found.values],
        "events": [_item(item) for item in found.events],
        "findings": [finding_as_json(finding) for finding in found.findings],
        "remark": found.remark,
    }
    return json.dumps(document, indent=2) + "\n"


def _item(item: Item) -> dict[str, object]:
    return {"title": item.title, "architectures": dict(item.rows)}


def _rows(found: ExplainedLine, lines: SourceLines, painter: Painter, width: int) -> Iterator[str]:
    where = f" in {printable(found.symbol)}" if found.symbol else ""
    yield f"{painter.paint(f'{printable(found.path)}:{found.line}', Style.PLACE)}{where}"
    text = lines.line(found.path, found.line) or ""
    start = len(text) - len(text.lstrip()) + 1
    span = Span(found.path, found.line, start, found.line, len(text.rstrip()) + 1)
    gutter = len(str(found.line + 1))
    yield from excerpt(lines, span, "", painter, style=Style.NOTE, width=width, gutter=gutter, before=1, after=1)
    if found.remark:
        yield ""
        yield from _wrapped(found.remark, width, "  ", "  ")
    if found.reach:
        yield ""
        yield f"  {painter.paint('who comes here', Style.PLACE)}"
        yield from _grouped(found.reach, width)
    for title, items in (("what the expressions are", found.values), ("what happens", found.events)):
        if items:
            yield ""
            yield f"  {painter.paint(title, Style.PLACE)}"
            for item in items:
                yield from _titled(item, found, width)
    yield from _findings(found, painter, width)


def _titled(item: Item, found: ExplainedLine, width: int) -> Iterator[str]:
    whats = {what for _, what in item.rows}
    if len(whats) != 1:
        yield from _wrapped(printable(item.title), width, "    ", "      ")
        if item.rows:
            yield from (f"  {row}" for row in _grouped(item.rows, width - 2))
        return
    (what,) = whats
    names = [name for name, _ in item.rows]
    come = [name for name, how in found.reach if not how.startswith(ABSENT)]
    where = "" if names == come else f" [{', '.join(names)}]"
    yield from _wrapped(f"{printable(item.title)}: {printable(what)}{where}", width, "    ", "      ")


def _grouped(rows: Rows, width: int) -> Iterator[str]:
    """Yield neighbours that behave alike on one row."""
    groups: list[tuple[list[str], str]] = []
    for name, what in rows:
        if groups and groups[-1][1] == what:
            groups[-1][0].append(name)
        else:
            groups.append(([name], what))
    longest = min(max(len(", ".join(names)) for names, _ in groups), width // 2)
    for names, what in groups:
        head = ", ".join(names)
        if len(head) > longest:
            yield from _wrapped(head, width, "    ", "      ")
            yield from _wrapped(printable(what), width, "        ", "          ")
        else:
            yield from _wrapped(printable(what), width, f"    {head:{longest}}  ", " " * (longest + 6))


def _findings(found: ExplainedLine, painter: Painter, width: int) -> Iterator[str]:
    if not found.findings:
        return
    yield ""
    yield f"  {painter.paint('what check reports here', Style.PLACE)}"
    for finding in found.findings:
        level = painter.paint(finding.level.value, LEVEL_STYLES[finding.level])
        quiet = f" (suppressed: {printable(finding.suppressed.reason)})" if finding.suppressed is not None else ""
        head = f"{finding.rule} {finding.level.value}"
        first, *rest = _wrapped(f"{head} {printable(finding.message)}{quiet}", width, "    ", "      ")
        yield first.replace(head, f"{painter.paint(finding.rule, Style.RULE)} {level}", 1)
        yield from rest


def _wrapped(text: str, width: int, first: str, rest: str) -> list[str]:
    return textwrap.wrap(
        text, width, initial_indent=first, subsequent_indent=rest, break_long_words=False, break_on_hyphens=False
    )
