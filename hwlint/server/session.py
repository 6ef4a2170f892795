"""Keep the findings of one project up to date while its files are edited: quickly for one file, then for all."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import sys
import time
import traceback
from asyncio.subprocess import PIPE
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from functools import partial

from hwlint.model.codec import loads
from hwlint.model.errors import HwlintError
from hwlint.model.report import Report
from hwlint.server import remembered
from hwlint.server.facts import Facts, facts
from hwlint.server.held import Held
from hwlint.server.machine import Stop, StoppedError
from hwlint.server.settle import Shown
from hwlint.server.views import Open, Views
from hwlint.workflow.settings import Settings, load_settings

QUICK_PAUSE = 0.05
"""Seconds without a change before the edited file is looked at."""
WHOLE_PAUSE = 1.0
"""Seconds without a change before the whole project is checked again."""
FILLED_AT_ONCE = 50
"""Files whose words are read in one go."""

MOST_ANSWERED = 1 << 30
"""Bytes of one answer of a check of the whole project: its report is one line."""


@dataclass(slots=True)
class Session:
    """One project, from the first of its files that is opened to the end of the server.

    `publish` is called with a path and what to show there; `tell` with a message for the user. Looks run in `thread`,
    one at a time; checks of the whole project in a process of their own, which is ended when its answer is out of date.
    """

    settings: Settings
    thread: Executor
    publish: Callable[[Session, str], None]
    tell: Callable[[str], None]
    views: Views = field(init=False)
    files: dict[str, Open] = field(default_factory=dict)
    tried: dict[tuple[str, str], str | None] = field(default_factory=dict)
    """Which fixes hold for the texts as they are, by finding and title."""
    ready: asyncio.Event = field(default_factory=asyncio.Event)
    """Set once there are facts."""
    _whole: asyncio.Task[None] | None = None
    _again: bool = False
    """True where texts have changed since the first check began."""
    _told: str = ""
    _filling: asyncio.Task[None] | None = None

    def __post_init__(self) -> None:
        self.views = Views(self.settings.root)

    def open(self, path: str, text: str) -> None:
        """The editor shows a file: say what is known of it, and check the project if that was not done yet."""
        self.files[path] = Open(text)
        self._look(path)
        if self._whole is None:
            self._check(0)
        elif self._differs(path, text):
            self._check(WHOLE_PAUSE)

    def change(self, path: str, text: str) -> None:
        """A text has changed: look at it at once, and at everything when the user pauses."""
        file = self.files.get(path)
        if file is None or file.text == text:
            return
        file.text = text
        file.version += 1
        file.since = time.monotonic()
        self._look(path)
        self._check(WHOLE_PAUSE)

    def save(self) -> None:
        """A file was written, by the editor or by something else: check everything."""
        self.thread.submit(self.views.held.wordbook.refresh)
        self._check(0)

    def close(self, path: str) -> None:
        """The editor shows a file no more; what was not saved is forgotten."""
        file = self.files.pop(path, None)
        if file is None:
            return
        if file.looking is not None:
            file.looking.cancel()
        if self._differs(path, self.views.texts.get(path, file.text)) or self._differs(path, file.text):
            self._check(0)

    def end(self) -> None:
        """Stop everything that runs."""
        for task in (self._whole, self._filling, *(file.looking for file in self.files.values())):
            if task is not None:
                task.cancel()

    def shown(self, path: str) -> tuple[Shown, ...]:
        """What the editor shows of one file."""
        file = self.files.get(path)
        return file.shown if file is not None else ()

    def text(self, path: str) -> str | None:
        """The text of a file as the editor shows it, or as it lies on disk; None where it cannot be read."""
        file = self.files.get(path)
        return file.text if file is not None else Held(self.settings.root).text(path)

    async def in_thread(self, work: Callable[[], object]) -> object:
        """Run something that uses `views` where looks are run, with the texts as they are now."""
        buffers = {path: file.text for path, file in self.files.items()}

        def done() -> object:
            self.views.held.buffers = buffers
            return work()

        return await asyncio.get_running_loop().run_in_executor(self.thread, done)

    def _differs(self, path: str, text: str) -> bool:
        """True where a file on disk has another text."""
        return Held(self.settings.root).text(path) != text

    def _look(self, path: str) -> None:
        file = self.files[path]
        self.tried = {}
        if file.looking is not None:
            file.looking.cancel()
        file.looking = asyncio.ensure_future(self._looked(path, file, file.version))

    async def _looked(self, path: str, file: Open, version: int) -> None:
        await asyncio.sleep(QUICK_PAUSE if version else 0)
        text = file.text

        def stop() -> bool:
            return file.version != version or self.files.get(path) is not file

        try:
            for step in (self.views.known, self.views.glimpse, self.views.look_at):
                shown = await self.in_thread(partial(step, path, file, text, stop))
                if shown is not None and not stop():
                    file.shown = shown  # type: ignore[assignment]
                    self.publish(self, path)
            if version:
                await self._look_beside(path, stop)
        except StoppedError:
            return
        except Exception as error:  # noqa: BLE001 - the editor goes on, whatever one file brings
            self._complain(_said(error))

    async def _look_beside(self, changed: str, stop: Stop) -> None:
        """Look at the other files that the editor shows: the change of one may have changed what they show."""
        for path, file in list(self.files.items()):
            if path == changed or stop():
                continue
            text = file.text
            shown = await self.in_thread(partial(self.views.look_again, path, file, text, stop))
            if shown is not None and not stop() and file.text is text:
                file.shown = shown  # type: ignore[assignment]
                self.publish(self, path)

    def _check(self, pause: float) -> None:
        if self._whole is not None and not self._whole.done():
            if self.views.report is None or self.views.facts is None:  # or whoever keeps typing would never see any
                self._again = True
                return
            self._whole.cancel()
        self._again = False
        self._whole = asyncio.ensure_future(self._checked(pause))

    async def _checked(self, pause: float) -> None:
        await asyncio.sleep(pause)
        try:
            if self._reload():
                await self._ask_for_all()
        except Exception as error:  # noqa: BLE001 - as above
            self._complain(_said(error))
        if self._again:
            self._again = False
            self._whole = asyncio.ensure_future(self._checked(WHOLE_PAUSE))

    async def _ask_for_all(self) -> None:
        """Check the whole project in a process of its own; it ends with this task."""
        texts = {path: file.text for path, file in self.files.items()}
        request = {"place": str(self.settings.root), "overlay": texts, "follow": self.views.follow}
        starting = asyncio.ensure_future(
            asyncio.create_subprocess_exec(
                sys.executable, "-m", "hwlint.server.whole", stdin=PIPE, stdout=PIPE, limit=MOST_ANSWERED
            )
        )
        try:
            process = await asyncio.shield(starting)
        except asyncio.CancelledError:
            starting.add_done_callback(_end)
            raise
        try:
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write(json.dumps(request).encode())
            process.stdin.close()
            while line := await process.stdout.readline():
                await self._take(json.loads(line), texts)
        finally:
            _end(starting)

    async def _take(self, answer: Mapping[str, object], texts: Mapping[str, str]) -> None:
        """Take in one answer of the check of the whole project."""
        if "error" in answer:
            self._complain(str(answer["error"]))
        if isinstance(answer.get("relevance"), str):
            relevance = remembered.decoded(str(answer["relevance"]))
            files = answer["files"]
            self.views.follow = self.views.follow and not answer.get("fresh")
            if relevance is not None and isinstance(files, list):
                settings, names = self.settings, tuple(files)
                found = await self.in_thread(lambda: facts(settings, names, relevance))
                await self.in_thread(self.views.held.wordbook.refresh)
                if self._filling is None:
                    self._filling = asyncio.ensure_future(self._fill(names))
                assert isinstance(found, Facts)
                self.views.take_facts(found)
                self.ready.set()
        if isinstance(answer.get("report"), str):
            text = str(answer["report"])
            report = await self.in_thread(lambda: loads(text))
            assert isinstance(report, Report)
            self._told = ""
            self.views.take_report(report, texts)
        for path in self.files:
            self._look(path)

    async def _fill(self, files: Sequence[str]) -> None:
        """Read the words of all files before somebody waits for them, few at a time: looks come in between."""
        for at in range(0, len(files), FILLED_AT_ONCE):
            await self.in_thread(partial(self.views.held.wordbook.fill, files[at : at + FILLED_AT_ONCE]))

    def _reload(self) -> bool:
        """Read the configuration anew; False where it cannot be used."""
        try:
            settings = load_settings([self.settings.root])
        except HwlintError as error:
            self._complain(str(error))
            return False
        if settings != self.settings:
            if settings.root != self.settings.root:
                self._complain("the project's root has moved; restart the server")
                return False
            self.settings, self.views.facts = settings, None
            self.ready.clear()
        return True

    def _complain(self, message: str) -> None:
        if message != self._told:
            self._told = message
            self.tell(message)


def _end(started: asyncio.Future[asyncio.subprocess.Process]) -> None:
    """End a process that nobody waits for any more."""
    if not started.cancelled() and started.exception() is None:
        with contextlib.suppress(ProcessLookupError):
            started.result().kill()


def _said(error: Exception) -> str:
    """What an error tells the user."""
    if isinstance(error, HwlintError):
        return str(error)
    if os.environ.get("HWLINT_DEBUG") == "1":
        traceback.print_exception(error)
    return f"this is a fault of hwlint, not of the code it read ({type(error).__name__}: {error})"
