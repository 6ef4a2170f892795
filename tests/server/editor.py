"""Be an editor: start `hwlint server` as editors do, and speak with it over its standard input and output."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from lsprotocol import types
from pygls.lsp.client import LanguageClient

CHECKOUT = Path(__file__).resolve().parents[2]
PATIENCE = float(os.environ.get("HWLINT_TEST_PATIENCE", "60"))
"""Seconds to wait for what must come; machines may be busy."""


class Editor:
    """An editor that shows files, types in them and keeps what the server says."""

    def __init__(self) -> None:
        self.client = LanguageClient("editor", "1")
        self.messages: list[str] = []
        self._shown: dict[str, list[types.Diagnostic]] = {}
        self._times: dict[str, float] = {}
        self._versions: dict[str, int] = {}
        self._news = asyncio.Event()

        feature: Any = self.client.feature

        @feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)  # type: ignore[untyped-decorator]
        def published(params: types.PublishDiagnosticsParams) -> None:
            self._shown[params.uri] = list(params.diagnostics)
            self._times[params.uri] = time.monotonic()
            self._news.set()

        @feature(types.WINDOW_SHOW_MESSAGE)  # type: ignore[untyped-decorator]
        def told(params: types.ShowMessageParams) -> None:
            self.messages.append(params.message)
            self._news.set()

    def open(self, file: Path, text: str | None = None) -> None:
        """Show a file, with another text than the one on disk where one is given."""
        self._versions[file.as_uri()] = 1
        shown = file.read_text(encoding="utf-8") if text is None else text
        item = types.TextDocumentItem(file.as_uri(), "python", 1, shown)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))

    def type(self, file: Path, text: str) -> float:
        """Change the text that is shown, without saving; return the time."""
        uri = file.as_uri()
        self._versions[uri] += 1
        named = types.VersionedTextDocumentIdentifier(uri=uri, version=self._versions[uri])
        change = types.TextDocumentContentChangeWholeDocument(text)
        self.client.text_document_did_change(types.DidChangeTextDocumentParams(named, [change]))
        return time.monotonic()

    def save(self, file: Path, text: str) -> None:
        """Write a file and say so."""
        file.write_text(text, encoding="utf-8")
        self.client.text_document_did_save(types.DidSaveTextDocumentParams(_named(file)))

    def close(self, file: Path) -> None:
        """Show a file no more."""
        self.client.text_document_did_close(types.DidCloseTextDocumentParams(_named(file)))

    def diagnostics(self, file: Path) -> list[types.Diagnostic] | None:
        """What was said of a file last, None where nothing was."""
        return self._shown.get(file.as_uri())

    def places(self, file: Path) -> list[tuple[str, int]] | None:
        """Rule and line (from 1) of each diagnostic."""
        found = self.diagnostics(file)
        return None if found is None else [(str(one.code), one.range.start.line + 1) for one in found]

    async def until(self, wanted: Callable[[], object]) -> None:
        """Wait until something holds; fail with what was shown where it never does."""
        end = time.monotonic() + PATIENCE
        while not wanted():
            self._news.clear()
            try:
                await asyncio.wait_for(self._news.wait(), end - time.monotonic())
            except TimeoutError:
                raise AssertionError(f"it did not come; shown: {self._shown}; told: {self.messages}") from None

    async def next_for(self, file: Path, since: float) -> list[types.Diagnostic]:
        """Wait for diagnostics of a file that came after a time, and return them."""
        await self.until(lambda: self._times.get(file.as_uri(), 0.0) > since)
        return self._shown[file.as_uri()]

    def work(self) -> float:
        """The seconds of CPU that the server itself has used so far, where the system tells (Linux)."""
        client: Any = self.client
        stat = Path(f"/proc/{client._server.pid}/stat")
        if not stat.exists():
            return 0.0
        fields = stat.read_text(encoding="ascii").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    async def is_ready(self, file: Path) -> None:
        """Wait until the server can look at single files: it then tells values, of the file's first function."""
        end = time.monotonic() + PATIENCE
        rows = file.read_text(encoding="utf-8").splitlines()
        line = next(at for at, row in enumerate(rows, 1) if "get_device_capability" in row)
        while await self.hover(file, line, rows[line - 1].index("get_device") + 1) is None:
            assert time.monotonic() < end, "the server never tells a value"
            await asyncio.sleep(0.1)

    async def hover(self, file: Path, line: int, column: int) -> str | None:
        """What is shown over a place (from 1)."""
        at = types.Position(line - 1, column - 1)
        found = await self.client.text_document_hover_async(types.HoverParams(_named(file), at))
        if found is None:
            return None
        assert isinstance(found.contents, types.MarkupContent)
        return found.contents.value

    async def actions(self, file: Path, diagnostic: types.Diagnostic) -> list[types.CodeAction]:
        """What is offered to mend a diagnostic."""
        context = types.CodeActionContext([diagnostic])
        params = types.CodeActionParams(_named(file), diagnostic.range, context)
        found = await self.client.text_document_code_action_async(params)
        return [one for one in found or [] if isinstance(one, types.CodeAction)]


def _named(file: Path) -> types.TextDocumentIdentifier:
    return types.TextDocumentIdentifier(file.as_uri())


@asynccontextmanager
async def editor(folder: Path, **environment: str) -> AsyncIterator[Editor]:
    """Start the server for a folder; at the end it must leave with 0 and without a traceback."""
    started = Editor()
    client: Any = started.client
    paths = os.pathsep.join(filter(None, (str(CHECKOUT), os.environ.get("PYTHONPATH", ""))))
    there = {**os.environ, "PYTHONPATH": paths, **environment}
    await client.start_io(sys.executable, "-m", "hwlint", "server", env=there)
    where = types.WorkspaceFolder(folder.as_uri(), folder.name)
    wishes = types.ClientCapabilities(general=types.GeneralClientCapabilities(position_encodings=None))
    await client.initialize_async(types.InitializeParams(capabilities=wishes, workspace_folders=[where]))
    client.initialized(types.InitializedParams())
    try:
        yield started
    finally:
        await asyncio.wait_for(client.shutdown_async(None), PATIENCE)
        client.exit(None)
        status = await asyncio.wait_for(client._server.wait(), PATIENCE)
        said = (await asyncio.wait_for(client._server.stderr.read(), PATIENCE)).decode()
        assert (0, False) == (status, "Traceback" in said), said
        await client.stop()


def applied(text: str, action: types.CodeAction, file: Path) -> str:
    """The text after an action's edits to a file; for texts of the Basic Multilingual Plane."""
    assert action.edit is not None
    assert action.edit.changes is not None
    lines = text.splitlines(keepends=True)

    def offset(at: types.Position) -> int:
        return sum(map(len, lines[: at.line])) + at.character

    for edit in sorted(action.edit.changes[file.as_uri()], key=lambda one: -offset(one.range.start)):
        text = text[: offset(edit.range.start)] + edit.new_text + text[offset(edit.range.end) :]
    return text
