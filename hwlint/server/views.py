"""Work out what open files show: from the last check of the project, and from looks at what has changed since."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from hwlint.model.finding import Finding
from hwlint.model.report import Report
from hwlint.server.facts import Facts, Shape, shape
from hwlint.server.held import Held
from hwlint.server.look import glance, look
from hwlint.server.machine import Stop
from hwlint.server.settle import Shown, glimpsed, moved, settle

SLOW = 0.3
"""A file that takes longer than so many seconds is first looked at where it has changed."""
DUE = 0.2
"""Seconds after a change when what was found by then is shown, where the changed parts have been looked at."""
OVERDUE = 0.28
"""Seconds after a change when it is shown in any case: a changed function may take longer."""


@dataclass(slots=True)
class Open:
    """A file that the editor shows."""

    text: str
    version: int = 0
    since: float = 0.0
    """When the text was changed."""
    shown: tuple[Shown, ...] = ()
    whole: tuple[str, tuple[Shown, ...]] | None = None
    """The last text that was looked at as a whole, or that the check of the project was about, and what it showed."""
    seconds: float = SLOW
    """How long the last look at the whole of it took."""
    looking: asyncio.Task[None] | None = None


@dataclass(frozen=True, slots=True)
class _Basis:
    """What the last check of the whole project said of one file, and what a look at the same text says."""

    text: str
    checked: tuple[Finding, ...]
    alone: tuple[Finding, ...]


@dataclass(slots=True)
class Views:
    """What is known of the files of one project; all but its attributes is used in the thread where looks are run."""

    root: Path
    held: Held = field(init=False)
    facts: Facts | None = None
    report: Report | None = None
    """The last check of everything."""
    texts: Mapping[str, str] = field(default_factory=dict)
    """The open texts that the report is about."""
    follow: bool = False
    """True where a text has a new shape, so that the hardware has to be followed through the project anew."""
    _bases: dict[str, _Basis] = field(default_factory=dict)
    _shapes: dict[str, Shape] = field(default_factory=dict)
    """The shapes of the texts that `facts` account for: those that were checked."""

    def __post_init__(self) -> None:
        self.held = Held(self.root)

    def take_facts(self, found: Facts) -> None:
        """Know something new of the project."""
        self.facts, self._bases, self._shapes = found, {}, {}

    def take_report(self, report: Report, texts: Mapping[str, str]) -> None:
        """Know what a check of everything has found, with these texts in place of files."""
        self.report, self.texts, self._bases = report, texts, {}

    def news_in(self, path: str) -> Shape:
        """What the shape of a file has that `facts` do not account for; to be called in the thread."""
        assert self.facts is not None
        if path not in self._shapes:
            with self._as_checked(path):
                self._shapes[path] = shape(self.held, self.facts, path)
        return shape(self.held, self.facts, path).without(self._shapes[path])

    def known(self, path: str, file: Open, text: str, _: Stop) -> tuple[Shown, ...] | None:
        """What to show where the check of everything was about this very text; runs in the thread, as the next do."""
        if self.report is None or text != self.checked_text(path):
            return None
        shown = tuple(Shown(one) for one in self.report.findings if one.span.path == path)
        file.whole = text, shown
        return shown

    def glimpse(self, path: str, file: Open, text: str, stop: Stop) -> tuple[Shown, ...] | None:
        """What to show at once for a changed text where a look at all of it would take too long; None elsewhere."""
        if file.whole is None or file.whole[0] == text:
            return None
        old, shown = file.whole
        before = [one.finding for one in shown]
        if self.held.load(path) is None:  # the text cannot be parsed while it is being written
            return moved(before, old, text)
        if self.facts is None or file.seconds < SLOW:
            return None
        news, since = self.news_in(path), file.since
        found = glance(
            self.held,
            self.facts,
            path,
            news,
            old,
            stop,
            lambda: time.monotonic() > since + DUE,
            lambda: time.monotonic() > since + OVERDUE,
        )
        if found is None:
            return None
        basis = self._bases.get(path)
        alone, together = (basis.alone, basis.checked) if basis is not None else ((), ())
        return glimpsed(*found, alone, together, before, old, text)

    def look_at(self, path: str, file: Open, text: str, stop: Stop) -> tuple[Shown, ...] | None:
        """What to show for another text; None where it was shown already, or cannot be parsed.

        For the text that was checked this only makes the basis, so that all is at hand when the first change comes.
        """
        if self.held.load(path) is None and file.whole is not None:
            return None
        basis, known = self._basis(path, stop), self.facts
        if known is None or (basis is not None and basis.text == text):
            return None
        checked, old, alone = (basis.checked, basis.text, basis.alone) if basis is not None else ((), text, ())
        began = time.monotonic()
        news = self.news_in(path)
        now = look(self.held, known, path, news, stop)
        if now is None:
            return None if basis is None else moved(checked, old, text)
        self.follow = self.follow or news != Shape()
        shown = settle(now, alone, checked, old, text)
        file.whole, file.seconds = (text, shown), time.monotonic() - began
        return shown

    def checked_text(self, path: str) -> str:
        """The text of a file that the check of everything was about."""
        text = self.texts.get(path)
        return Held(self.root).text(path) or "" if text is None else text

    def _basis(self, path: str, stop: Stop) -> _Basis | None:
        """What the last check of everything said of a file, with a look at the same text; made when first needed."""
        report, known = self.report, self.facts
        if path in self._bases or report is None:
            return self._bases.get(path)
        text = self.checked_text(path)
        checked = tuple(one for one in report.findings if one.span.path == path)
        if known is None:
            return _Basis(text, checked, ())
        with self._as_checked(path):
            alone = look(self.held, known, path, self.news_in(path), stop)
        basis = _Basis(text, checked, alone or ())
        if self.report is report and self.facts is known:
            self._bases[path] = basis
        return basis

    @contextlib.contextmanager
    def _as_checked(self, path: str) -> Iterator[None]:
        """Take all files for what they were when everything was checked; `path` is the one that is asked about."""
        buffers = self.held.buffers
        self.held.buffers = {**self.texts, path: self.checked_text(path)}
        try:
            yield
        finally:
            self.held.buffers = buffers

    def look_again(self, path: str, file: Open, text: str, stop: Stop) -> tuple[Shown, ...] | None:
        """What to show for a file whose text has not changed; None where that is what it shows. Runs in the thread."""
        basis, known = self._basis(path, stop), self.facts
        if basis is None or known is None:
            return None
        now = look(self.held, known, path, self.news_in(path), stop)
        if now is None:
            return None
        shown = settle(now, basis.alone, basis.checked, basis.text, text)
        file.whole = text, shown
        return None if _places(shown) == _places(file.shown) else shown


def _places(shown: Sequence[Shown]) -> list[tuple[object, ...]]:
    """What of findings an editor shows."""
    return [(one.finding.rule, one.finding.span, one.finding.message, one.finding.targets) for one in shown]
