"""Answer the editor: which project a file belongs to, what it shows, what is hovered over, and what mends it."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from lsprotocol import types
from pygls import uris
from pygls.lsp.server import LanguageServer

from hwlint import __version__
from hwlint.evaluate.watch import Watched
from hwlint.model.finding import Finding
from hwlint.report.source_lines import SourceLines
from hwlint.server.language import Speaker, hover
from hwlint.server.look import watch
from hwlint.server.offers import Offers
from hwlint.server.session import Session
from hwlint.workflow.explain import describe
from hwlint.workflow.settings import Settings, load_settings, project_of

LONGEST_WAIT = 30.0
"""Seconds that a request for fixes waits for the first check of a project."""
_WATCHED = ("**/*.py", "**/pyproject.toml", "**/hwlint.toml")


class Desk(LanguageServer):
    """The server, with a session for each project that the editor shows files of."""

    def __init__(self) -> None:
        # Whole texts come with each change: editors and Python do not agree on where lines end at a form feed.
        super().__init__("hwlint", __version__, types.TextDocumentSyncKind.Full)
        self._thread = ThreadPoolExecutor(1, "hwlint-look")
        self._sessions: dict[Path, Session] = {}
        self._places: dict[str, tuple[Path, str]] = {}
        """The project and path of each file, by the URI that the editor calls it by."""
        self._uris: dict[tuple[Path, str], str] = {}

    def report_server_error(self, error: Exception, source: Any) -> None:
        """Say on standard error, in one line, what went wrong in the protocol."""
        self.note(f"{type(error).__name__}: {error}")

    def note(self, message: str) -> None:
        """Write one line to standard error, which editors keep in a log."""
        sys.stderr.write(f"hwlint: {' '.join(message.split())}\n")
        sys.stderr.flush()

    def tell(self, message: str) -> None:
        """Show a message to the user."""
        self.note(message)
        text = f"hwlint: {' '.join(message.split())}"
        self.window_show_message(types.ShowMessageParams(types.MessageType.Error, text))

    def session(self, uri: str) -> tuple[Session, str] | None:
        """The session of the project that a file belongs to, and the file's path there; None for what is no Python."""
        name = uris.to_fs_path(uri) if uri.startswith("file:") else None
        if name is None or not name.endswith(".py"):
            return None
        if uri not in self._places:
            file = Path(os.path.realpath(name))
            settings = load_settings([self._start(file)])
            place = (settings.root, file.relative_to(os.path.realpath(settings.root)).as_posix())
            if settings.root not in self._sessions:
                self._sessions[settings.root] = Session(settings, self._thread, self.publish, self.tell)
            self._places[uri] = place
            self._uris[place] = uri
        root, path = self._places[uri]
        return self._sessions[root], path

    def publish(self, session: Session, path: str) -> None:
        """Send the editor what a file shows."""
        speaker = self._speaker(session)
        wanted = [one.finding for one in session.shown(path) if _is_wanted(one.finding, session.settings)]
        uri = self._uris.get((session.settings.root, path), speaker.uri(path))
        found = [speaker.diagnostic(one) for one in wanted]
        document = self.workspace.text_documents.get(uri)
        version = document.version if document is not None else None
        self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, found, version))

    def save(self) -> None:
        """Something on disk has changed."""
        for session in self._sessions.values():
            session.save()

    def watch_files(self) -> None:
        """Ask the editor to tell of files that change on disk, where it can."""
        workspace = self.client_capabilities.workspace
        watched = workspace.did_change_watched_files if workspace is not None else None
        if watched is None or not watched.dynamic_registration:
            return
        options = types.DidChangeWatchedFilesRegistrationOptions([types.FileSystemWatcher(each) for each in _WATCHED])
        wish = types.Registration("hwlint-files", types.WORKSPACE_DID_CHANGE_WATCHED_FILES, options)
        self.client_register_capability(types.RegistrationParams([wish]))

    async def hover(self, uri: str, at: types.Position) -> types.Hover | None:
        """What the expressions at a position are on each architecture."""
        found = self.session(uri)
        if found is None:
            return None
        session, path = found
        told = await session.in_thread(lambda: self._hovered(session, path, at))
        return told if isinstance(told, types.Hover) else None

    async def actions(self, uri: str, where: types.Range) -> list[types.CodeAction] | None:
        """The fixes of what is shown on the lines between two positions."""
        found = self.session(uri)
        if found is None:
            return None
        session, path = found
        first, last = where.start.line + 1, where.end.line + 1
        touched = [
            one.finding
            for one in session.shown(path)
            if one.current and one.finding.span.line <= last and first <= one.finding.span.end_line
        ]
        wanted = [finding for finding in touched if _is_wanted(finding, session.settings)]
        if not wanted:
            return None
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(session.ready.wait(), LONGEST_WAIT)
        made = await session.in_thread(lambda: self._offered(session, path, wanted))
        return made if isinstance(made, list) else None

    def end(self) -> None:
        """Stop everything that runs."""
        for session in self._sessions.values():
            session.end()
        self._thread.shutdown(wait=False, cancel_futures=True)

    def _start(self, file: Path) -> Path:
        """Where to look for the project of a file from: the file itself, or its workspace where nothing marks one."""
        if project_of(file) is None:
            names = [uris.to_fs_path(one.uri) for one in self.workspace.folders.values()]
            folders = [Path(os.path.realpath(name)) for name in names if name]
            around = [folder for folder in folders if file.is_relative_to(folder)]
            if around:
                return max(around, key=lambda folder: len(folder.parts))
        return file if file.exists() else file.parent

    def _speaker(self, session: Session) -> Speaker:
        encoding = types.PositionEncodingKind(self.workspace.position_encoding or "utf-16")
        return Speaker(Path(os.path.realpath(session.settings.root)), SourceLines(session.text), encoding)

    def _hovered(self, session: Session, path: str, at: types.Position) -> types.Hover | None:
        known = session.views.facts
        if known is None or session.views.held.load(path) is None:
            return None
        speaker = self._speaker(session)
        line, column = at.line + 1, speaker.column(path, at)
        watched, here = watch(session.views.held, known, path, line, session.views.news_in(path), lambda: False)
        around = [one for one in watched if _covers(one, line, column)]
        findings = [one.finding for one in session.shown(path) if _is_wanted(one.finding, session.settings)]
        told = describe(path, line, known.targets, around, here, findings)
        if not told.values:
            return None
        smallest = min((one.span for one in around), key=lambda span: (span.end_line - span.line, span.end_column))
        return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, hover(told)), speaker.range(smallest))

    def _offered(self, session: Session, path: str, findings: list[Finding]) -> list[types.CodeAction]:
        known = session.views.facts
        if known is None or session.views.held.load(path) is None:
            return []
        text = session.views.held.text(path)
        offers = Offers(
            session.views.held,
            known,
            path,
            session.views.news_in(path),
            session.tried,
            lambda: session.text(path) != text,
        )
        speaker = self._speaker(session)
        return [action for finding in offers.for_findings(findings) for action in speaker.actions(finding)]


def _is_wanted(finding: Finding, settings: Settings) -> bool:
    """True for what check would print."""
    return finding.suppressed is None and finding.level.rank >= settings.level.rank


def _covers(one: Watched, line: int, column: int) -> bool:
    starts = (one.span.line, one.span.column) <= (line, column)
    return starts and (line, column) < (one.span.end_line, one.span.end_column)
