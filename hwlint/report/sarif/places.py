"""Build SARIF locations: relative URIs and regions with UTF-16 columns."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any
from urllib.parse import quote

import sarif_om as om

from hwlint.model.finding import TraceStep
from hwlint.model.span import Span
from hwlint.report.display import printable
from hwlint.report.source_lines import SourceLines

ROOT = "%SRCROOT%"
"""The customary name of the folder that relative URIs start from."""


def artifact(path: str) -> Any:
    """Return the artifactLocation of a project file; its URI is percent-encoded, relative and without `./`."""
    return om.ArtifactLocation(uri=uri(path), uri_base_id=ROOT)


@cache
def uri(path: str) -> str:
    """Return a POSIX path as a relative URI reference; bytes of the name that are no UTF-8 are encoded as they are."""
    return quote(path.encode("utf-8", "surrogateescape"), safe="/")


def region(span: Span, lines: SourceLines) -> Any:
    """Return the exact region of `span`."""
    return om.Region(
        start_line=span.line,
        start_column=lines.utf16_column(span.path, span.line, span.column),
        end_line=span.end_line,
        end_column=lines.utf16_column(span.path, span.end_line, span.end_column),
    )


def first_line(span: Span, lines: SourceLines) -> Any:
    """Return the region of `span` cut to its first line, since GitHub annotates only what a diff shows whole."""
    if span.line == span.end_line:
        return region(span, lines)
    start = lines.utf16_column(span.path, span.line, span.column)
    end = lines.utf16_line_end(span.path, span.line)
    return om.Region(
        start_line=span.line,
        start_column=start,
        end_line=span.line,
        end_column=None if end is None else max(end, start),
    )


def location(
    span: Span, lines: SourceLines, *, message: str = "", identity: int | None = None, symbol: str = ""
) -> Any:
    """Return a location on one line, with a message, an id that messages link to, and a qualified name where given."""
    return om.Location(
        id=-1 if identity is None else identity,
        physical_location=om.PhysicalLocation(artifact_location=artifact(span.path), region=first_line(span, lines)),
        logical_locations=[om.LogicalLocation(fully_qualified_name=printable(symbol))] if symbol else None,
        message=om.Message(text=printable(message)) if message else None,
    )


def code_flow(trace: Sequence[TraceStep], lines: SourceLines) -> Any:
    """Return one code flow whose single thread walks the trace."""
    steps = [om.ThreadFlowLocation(location=location(step.span, lines, message=step.message)) for step in trace]
    return om.CodeFlow(thread_flows=[om.ThreadFlow(locations=steps)])
