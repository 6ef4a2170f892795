"""Find the Python tracebacks in a log, whatever a logger, a container or a terminal has put around them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from hwlint.model.crash import Crash, Frame
from hwlint.source.log_forms import HEADER
from hwlint.source.log_lines import FrameLine, LogLine, frame_of, prepare, skeleton
from hwlint.source.log_refusals import with_refusals

MOST_CRASHES = 200
"""Crashes beyond these are not read; a log that has more repeats itself."""
_MOST_DETAILS = 12
_SAME = 60
"""Messages that agree in so many characters are taken for one; loggers put counts behind them."""
_CHAINS = (
    "The above exception was the direct cause of the following exception",
    "During handling of the above exception, another exception occurred",
)
_MARKS = re.compile(r"[\s~^]+")
_EXCEPTION = re.compile(r"(?P<type>[A-Za-z_][\w.]*)(?:: ?(?P<message>.*))?$")
_NAMED = re.compile(r"(Error|Exception|Warning|Exit|Interrupt|Iteration|OutOfResources|OutOfMemory|Failure|Group)$")
_DOTTED = re.compile(r"(?:[a-z_]\w*\.)+[A-Z]\w*[a-z]\w*$")
_TELLING = re.compile(
    r"(?:^|[\s:|\"'])(?P<type>(?:[A-Za-z_]\w*\.)*(?:[A-Z]\w*(?:Error|Exception)|OutOfResources)): (?P<message>\S.*)$"
)
"""An exception in the middle of a line, for logs that have lost the frames."""
_USER_CODE = re.compile(r"from user code:\s*$")
"""What PyTorch's compiler puts between an exception and the frames of the code that it was compiling."""
_REPEATED = re.compile(r"\[Previous line repeated \d+ more times?\]")


def read_log(text: str) -> tuple[Crash, ...]:
    """Return the crashes of a log in the order of their last lines; equal ones are counted once.

    A log whose newest line comes first is read from its end. Where no traceback is left, lines that name an exception
    become crashes without frames; so do lines of compilers and devices that refuse an architecture, unless a traceback
    tells the same, or is about the build that they ended.
    """
    lines = prepare(text)
    found = _Reader().read(lines)
    if not any(crash.exception for crash in found):
        turned = _Reader().read(list(reversed(lines)))
        if any(crash.exception for crash in turned):
            found = turned
    known = {crash.said for crash in found if crash.exception}
    loose = [crash for crash in _loose(lines) if crash.said not in known]
    if not any(crash.exception for crash in found):
        found = [*found, *loose]
    return _counted(with_refusals(found, lines))


@dataclass(slots=True)
class _Open:
    """A traceback that is being read from one stream of lines."""

    indent: int
    headed: bool
    follows: int | None
    frames: list[Frame] = field(default_factory=list)
    waiting: bool = False
    """True right after a frame's line, where its source text comes."""
    behind: int | None = None
    """The crash that these frames lead on from."""


class _Reader:
    """Reads one log from top to bottom; interleaved processes are told apart by what stands before their lines."""

    def __init__(self) -> None:
        self._found: list[Crash] = []
        self._open: dict[str, _Open] = {}
        self._last: dict[str, int] = {}
        self._chained: dict[str, int | None] = {}
        self._details: tuple[str, list[str]] | None = None
        self._headers = 0
        self._behind: int | None = None

    def read(self, lines: Sequence[LogLine]) -> list[Crash]:
        """Return the crashes of `lines`, the unfinished ones with an empty exception."""
        for line in lines:
            if len(self._found) >= MOST_CRASHES:
                break
            self._line(line)
        self._flush()
        for key in list(self._open):
            self._cut(key)
        return self._found

    def _line(self, line: LogLine) -> None:
        if HEADER in line.text:
            self._header(line)
            return
        chain = next((text for text in _CHAINS if text in line.text), None)
        if chain is not None:
            self._chain(line, line.text.index(chain))
            return
        if self._found and _USER_CODE.search(line.text):
            self._flush()
            self._behind = len(self._found) - 1
            return
        frame = frame_of(line)
        if frame is not None:
            self._frame(frame)
            return
        key = self._stream(line)
        if key is not None:
            self._within(key, line)
        elif self._details is not None:
            self._detail(line)

    def _header(self, line: LogLine) -> None:
        self._flush()
        prefix = skeleton(line.text[: line.text.index(HEADER)])
        for key in {prefix, ""} & self._open.keys():
            self._cut(key)
        self._headers += 1

    def _chain(self, line: LogLine, at: int) -> None:
        self._flush()
        prefix = skeleton(line.text[:at])
        self._chained[prefix] = self._last.get(prefix)

    def _frame(self, found: FrameLine) -> None:
        self._flush()
        key = found.prefix
        opened = self._open.get(key)
        if opened is None:
            opened = _Open(found.indent, self._headers > 0, self._chained.pop(key, None), behind=self._behind)
            self._behind = None
            self._open[key] = opened
            self._headers = max(0, self._headers - 1)
        opened.frames.append(found.frame)
        opened.waiting = not found.frame.text

    def _stream(self, line: LogLine) -> str | None:
        """The open traceback that a line belongs to: the one with the longest fitting prefix."""
        fitting = [key for key in self._open if line.rest(key) is not None]
        return max(fitting, key=len, default=None)

    def _within(self, key: str, line: LogLine) -> None:
        opened = self._open[key]
        rest = line.rest(key) or ""
        text = rest.strip()
        deeper = len(rest) - len(rest.lstrip()) > opened.indent
        if not text or _MARKS.fullmatch(text) or _REPEATED.fullmatch(text) or text.startswith("...<"):
            return
        exception = None if deeper else _exception(text)
        if exception is not None:
            self._close(key, *exception, line.number)
        elif opened.waiting and (deeper or not opened.indent):
            opened.frames[-1] = replace(opened.frames[-1], text=text)
            opened.waiting = False
        elif not deeper and key:
            self._cut(key)

    def _close(self, key: str, exception: str, message: str, number: int) -> None:
        opened = self._open.pop(key)
        self._last[key] = len(self._found)
        self._found.append(Crash(tuple(opened.frames), exception, message, number, (), opened.headed, opened.follows))
        self._details = (key, [])

    def _cut(self, key: str) -> None:
        """A traceback ends without its exception."""
        opened = self._open.pop(key)
        if opened.behind is not None:
            crash = self._found[opened.behind]
            kind, message = _exception(crash.message) or (crash.exception, crash.message)
            frames = (*crash.frames, *opened.frames)
            self._found[opened.behind] = replace(crash, frames=frames, exception=kind, message=message)
            return
        self._last[key] = len(self._found)
        self._found.append(Crash(tuple(opened.frames), "", "", opened.frames[-1].log_line, (), whole=False))

    def _detail(self, line: LogLine) -> None:
        assert self._details is not None
        key, rows = self._details
        rest = line.rest(key)
        another = "#" not in key and "#" in skeleton(line.text)
        if rest is None or another or len(rows) >= _MOST_DETAILS:
            self._flush()
        elif rest.strip():
            rows.append(rest.strip())

    def _flush(self) -> None:
        if self._details is not None and self._details[1]:
            self._found[-1] = replace(self._found[-1], details=tuple(self._details[1]))
        self._details = None


def _exception(text: str) -> tuple[str, str] | None:
    """The type and message of a traceback's last line; None for a line of another kind, such as `INFO: started`."""
    hit = _EXCEPTION.match(text)
    if hit is None or not (_NAMED.search(hit["type"]) or _DOTTED.match(hit["type"])):
        return None
    return hit["type"], (hit["message"] or "").strip()


def _loose(lines: Sequence[LogLine]) -> list[Crash]:
    found: list[Crash] = []
    for line in lines:
        hit = _TELLING.search(line.text)
        if hit is None or len(found) >= MOST_CRASHES:
            continue
        crash = Crash((), hit["type"], hit["message"].strip(), line.number, whole=False)
        first = next((one for one in found if _repeats(crash, one)), None)
        found.append(crash if first is None else replace(first, log_line=line.number))
    return found


def _repeats(crash: Crash, first: Crash) -> bool:
    """True where a line says again what an earlier one said, perhaps with a shorter name or more behind it."""
    short, long = sorted((crash.message, first.message), key=len)
    return crash.type == first.type and long.startswith(short[:_SAME])


def _counted(crashes: Sequence[Crash]) -> tuple[Crash, ...]:
    """Join crashes that differ only in where the log has them; a chain keeps its links."""
    kept: list[Crash] = []
    places: dict[int, int] = {}
    index: dict[tuple[object, ...], int] = {}
    for position, crash in enumerate(crashes):
        follows = places.get(crash.follows) if crash.follows is not None else None
        frames = tuple((frame.path, frame.line, frame.function) for frame in crash.frames)
        identity = (frames, crash.exception, crash.message, follows)
        if identity in index:
            places[position] = index[identity]
            kept[index[identity]] = replace(kept[index[identity]], times=kept[index[identity]].times + crash.times)
        else:
            places[position] = index[identity] = len(kept)
            kept.append(replace(crash, follows=follows))
    return tuple(kept)
