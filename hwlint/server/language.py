"""Say what hwlint found in the words of the language server protocol."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from lsprotocol import types

from hwlint.model.explained import ABSENT, ExplainedLine, Rows
from hwlint.model.finding import Finding, Fix, Level, Safety, TraceStep
from hwlint.model.span import Span
from hwlint.report.source_lines import SourceLines

SOURCE = "hwlint"
_SEVERITIES = {
    Level.ERROR: types.DiagnosticSeverity.Error,
    Level.WARNING: types.DiagnosticSeverity.Warning,
    Level.NOTE: types.DiagnosticSeverity.Information,
}
_BYTES = {types.PositionEncodingKind.Utf8: ("utf-8", 1), types.PositionEncodingKind.Utf16: ("utf-16-le", 2)}
"""How the units that the client counts columns in are encoded, and the bytes of one; code points otherwise."""


@dataclass(frozen=True, slots=True)
class Speaker:
    """Turns places of files below `root`, whose texts `lines` gives, into the client's."""

    root: Path
    lines: SourceLines
    encoding: types.PositionEncodingKind = types.PositionEncodingKind.Utf16

    def position(self, path: str, line: int, column: int) -> types.Position:
        """Lines and columns from 1, in code points, become those from 0, in the client's units."""
        text = self.lines.line(path, line) or ""
        before = text[: column - 1]
        if self.encoding in _BYTES and not before.isascii():
            codec, size = _BYTES[self.encoding]
            return types.Position(line - 1, len(before.encode(codec, "surrogatepass")) // size)
        return types.Position(line - 1, max(column - 1, 0))

    def column(self, path: str, at: types.Position) -> int:
        """The column (from 1, in code points) of a position of the client's."""
        text = self.lines.line(path, at.line + 1) or ""
        if self.encoding not in _BYTES or text.isascii():
            return at.character + 1
        codec, size = _BYTES[self.encoding]
        return len(text.encode(codec, "surrogatepass")[: at.character * size].decode(codec, "ignore")) + 1

    def range(self, span: Span) -> types.Range:
        """A stretch of a file."""
        start = self.position(span.path, span.line, span.column)
        return types.Range(start, self.position(span.path, span.end_line, span.end_column))

    def uri(self, path: str) -> str:
        """The URI of a file of the project."""
        return (self.root / path).as_uri()

    def diagnostic(self, finding: Finding) -> types.Diagnostic:
        """A finding, with the steps of its trace and its further places as related information."""
        steps = [step for step in (*finding.trace, *finding.related) if step.span != finding.span]
        return types.Diagnostic(
            range=self.range(finding.span),
            message=f"{finding.message} [{', '.join(finding.targets)}]" if finding.targets else finding.message,
            severity=_SEVERITIES[finding.level],
            code=finding.rule,
            source=SOURCE,
            related_information=[self._related(step) for step in steps] or None,
            data=finding.fingerprint,
        )

    def _related(self, step: TraceStep) -> types.DiagnosticRelatedInformation:
        location = types.Location(self.uri(step.span.path), self.range(step.span))
        return types.DiagnosticRelatedInformation(location, step.message)

    def actions(self, finding: Finding) -> Iterator[types.CodeAction]:
        """What mends a finding, the first safe fix preferred; a fix that is only to be read offers nothing to do."""
        preferred = False
        for fix in finding.fixes:
            if fix.safety is Safety.DISPLAY or not fix.edits:
                continue
            first_safe = fix.safety is Safety.SAFE and not preferred
            preferred = preferred or first_safe
            yield types.CodeAction(
                title=fix.title if fix.safety is Safety.SAFE else f"{fix.title} (unsafe: not tried there)",
                kind=types.CodeActionKind.QuickFix,
                diagnostics=[self.diagnostic(finding)],
                is_preferred=first_safe,
                edit=types.WorkspaceEdit(changes=self._changes(fix)),
            )

    def _changes(self, fix: Fix) -> dict[str, Sequence[types.TextEdit]]:
        changes: dict[str, list[types.TextEdit]] = {}
        for edit in fix.edits:
            changes.setdefault(self.uri(edit.span.path), []).append(types.TextEdit(self.range(edit.span), edit.text))
        return dict(changes)


def hover(found: ExplainedLine) -> str:
    """Say in Markdown who comes to a line, what its expressions are there, what happens and what is reported."""
    return "\n".join(_hovered(found))


def _hovered(found: ExplainedLine) -> Iterator[str]:
    for item in found.values:
        yield from _told(f"`{_inline(item.title)}`", item.rows)
    for item in found.events:
        yield from _told(_escaped(item.title), item.rows)
    away: dict[str, list[str]] = {}
    for name, how in found.reach:
        if how.startswith(ABSENT):
            away.setdefault(how, []).append(name)
    for how, names in away.items():
        yield f"{', '.join(map(_escaped, names))}: {_escaped(how)}\n"
    for finding in found.findings:
        yield f"**{finding.rule}** {_escaped(finding.message)}\n"


def _told(title: str, rows: Rows | Sequence[tuple[str, str]]) -> Iterator[str]:
    """A title with a line for each different answer, and the architectures that have it."""
    groups: dict[str, list[str]] = {}
    for name, what in rows:
        groups.setdefault(what, []).append(name)
    if len(groups) == 1:
        ((what, names),) = groups.items()
        yield f"{title} is `{_inline(what)}` on {', '.join(names)}\n"
        return
    yield f"{title}\n"
    for what, names in groups.items():
        yield f"- `{_inline(what)}`: {', '.join(names)}"
    yield ""


def _inline(text: str) -> str:
    return " ".join(text.replace("`", "'").split())


def _escaped(text: str) -> str:
    """Text for Markdown; what stands between backticks is left as it is."""
    parts = text.split("`")
    if len(parts) % 2 == 0:
        return f"`{_inline(text)}`"
    return "`".join(part if at % 2 else _plain(part) for at, part in enumerate(parts))


def _plain(text: str) -> str:
    return "".join(f"\\{char}" if char in "\\*_[]<>#" else char for char in text)
