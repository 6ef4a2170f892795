"""Run the language server over standard input and output, and hand each message of the editor's to the desk."""

from __future__ import annotations

import contextlib
import gc
import logging
import os
import traceback
from collections.abc import Awaitable, Iterator
from typing import TypeVar

from lsprotocol import types

from hwlint.model.errors import HwlintError
from hwlint.server.desk import Desk
from hwlint.server.machine import StoppedError

T = TypeVar("T")
COLLECT = (100_000, 20, 100)
"""When the collector runs: trees are large, live long and hold no cycles, so that going over them finds nothing."""


def serve() -> None:
    """Speak until the editor leaves."""
    if os.environ.get("HWLINT_DEBUG") != "1":  # the protocol's library logs tracebacks
        logging.disable(logging.CRITICAL)
    gc.set_threshold(*COLLECT)
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever prints must not spoil the protocol
    desk = make()
    try:
        desk.start_io(stdout=out)
    finally:
        desk.end()


def make() -> Desk:
    """Make a server that answers."""
    desk = Desk()

    @desk.feature(types.INITIALIZED)
    def initialized(_: types.InitializedParams) -> None:
        with _quiet(desk):
            desk.watch_files()

    @desk.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def opened(params: types.DidOpenTextDocumentParams) -> None:
        with _quiet(desk):
            found = desk.session(params.text_document.uri)
            if found is not None:
                found[0].open(found[1], params.text_document.text)

    @desk.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def changed(params: types.DidChangeTextDocumentParams) -> None:
        with _quiet(desk):
            found = desk.session(params.text_document.uri)
            if found is not None:
                found[0].change(found[1], desk.workspace.get_text_document(params.text_document.uri).source)

    @desk.feature(types.TEXT_DOCUMENT_DID_SAVE)
    def saved(_: types.DidSaveTextDocumentParams) -> None:
        with _quiet(desk):
            desk.save()

    @desk.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def written(_: types.DidChangeWatchedFilesParams) -> None:
        with _quiet(desk):
            desk.save()

    @desk.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def closed(params: types.DidCloseTextDocumentParams) -> None:
        with _quiet(desk):
            uri = params.text_document.uri
            found = desk.session(uri)
            if found is not None:
                found[0].close(found[1])
                desk.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, []))

    @desk.feature(types.TEXT_DOCUMENT_HOVER)
    async def hovered(params: types.HoverParams) -> types.Hover | None:
        return await _quietly(desk, desk.hover(params.text_document.uri, params.position))

    kinds = types.CodeActionOptions(code_action_kinds=[types.CodeActionKind.QuickFix])

    @desk.feature(types.TEXT_DOCUMENT_CODE_ACTION, kinds)
    async def acted(params: types.CodeActionParams) -> list[types.CodeAction] | None:
        return await _quietly(desk, desk.actions(params.text_document.uri, params.range))

    return desk


async def _quietly(desk: Desk, answer: Awaitable[T]) -> T | None:
    """What the desk answers, or None where that went wrong."""
    found: list[T] = []
    with _quiet(desk):
        found.append(await answer)
    return found[0] if found else None


@contextlib.contextmanager
def _quiet(desk: Desk) -> Iterator[None]:
    """Turn what goes wrong in an answer into a message: one line, never a traceback."""
    try:
        yield
    except StoppedError:
        return
    except HwlintError as error:
        desk.tell(str(error))
    except Exception as error:  # noqa: BLE001 - the editor goes on, whatever it is
        if os.environ.get("HWLINT_DEBUG") == "1":
            traceback.print_exception(error)
        desk.note(f"this is a fault of hwlint, not of the code it read ({type(error).__name__}: {error})")
