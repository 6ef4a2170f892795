"""Show on a terminal how far a run is that takes longer than a moment, and leave nothing of it behind."""

from __future__ import annotations

import os
import shutil
import sys
import threading
from types import TracebackType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hwlint.workflow.stages import Stages

PATIENCE = 1.0
"""Seconds before anything is shown."""
EVERY = 0.2
"""Seconds from one picture to the next."""
_CELLS = 24
_SAYS = {
    "discover": "looking for files",
    "read": "reading",
    "cache": "comparing with the last run",
    "choose": "choosing what hardware values reach",
    "evaluate": "evaluating",
    "judge": "judging",
    "keep": "keeping the report",
    "since": "looking at the earlier revision",
    "fixes": "making fixes",
    "report": "writing",
}


class Progress:
    """A line on standard error while a run goes on, drawn by a thread of its own that sleeps nearly always."""

    def __init__(self, stages: Stages) -> None:
        """Watch these stages."""
        self.stages = stages
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._draw, daemon=True) if _is_wanted() else None
        self._drawn = 0

    def __enter__(self) -> None:
        """Start to watch."""
        if self._thread is not None:
            self._thread.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop, and take the line away."""
        if self._thread is not None:
            self._over.set()
            self._thread.join()
            if self._drawn:
                _write("\r" + " " * self._drawn + "\r")

    def _draw(self) -> None:
        wait = PATIENCE
        while not self._over.wait(wait):
            wait = EVERY
            line = picture(self.stages.name, self.stages.done, self.stages.whole)
            line = line[: max(0, shutil.get_terminal_size((80, 24)).columns - 1)]
            _write("\r" + line.ljust(self._drawn))
            self._drawn = len(line)


def picture(name: str, done: int, whole: int) -> str:
    """The line for a stage: a bar where it is told how many files there are, else only what is being done."""
    says = _SAYS.get(name, name) or "working"
    if not whole:
        return f"hwlint: {says}"
    full = _CELLS * done // whole
    return f"hwlint: {says} [{'#' * full}{'.' * (_CELLS - full)}] {done:,} of {whole:,} files"


def _is_wanted() -> bool:
    """True on a terminal that takes it, and not in CI, whose logs keep every picture."""
    quiet = os.environ.get("NO_COLOR") or os.environ.get("CI") or os.environ.get("TERM") == "dumb"
    return not quiet and sys.stderr is not None and sys.stderr.isatty()


def _write(text: str) -> None:
    """Write past Python's buffers: a process that is forked meanwhile inherits no lock and no half of a line."""
    try:
        os.write(sys.stderr.fileno(), text.encode("ascii", "replace"))
    except (OSError, ValueError, AttributeError):
        return
