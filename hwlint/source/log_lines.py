"""Take one line of a log apart: colours, what a logger puts before a line, and the frame that it names."""

from __future__ import annotations

import re
from dataclasses import dataclass

from hwlint.model.crash import Frame
from hwlint.source.log_forms import as_cpython
from hwlint.source.log_json import unpacked

LONGEST_LINE = 4000
"""Characters of a line that are read; no frame or exception needs more."""

_ANSI = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")
_TIMES = re.compile(
    r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?|\d\d[-/]\d\d \d\d:\d\d:\d\d(?:[.,]\d+)?"
    r"|\d{1,2}:\d\d:\d\d(?:[.,]\d+)?|^\d+\.\d+(?= )"
)
"""What differs from one line of a process to the next: dates, times, the seconds of a build."""
_QUOTED = re.compile(r"^(?:> ?)+")
_FRAME = re.compile(r"File [\"“”](?P<path>[^\"“”]+)[\"“”], line (?P<line>\d+)(?:, in (?P<function>.+?))?\s*$")


@dataclass(frozen=True, slots=True)
class LogLine:
    """One line without colours: its number (1-based) and its text."""

    number: int
    text: str

    def rest(self, prefix: str) -> str | None:
        """What follows `prefix` (as `skeleton` writes it), None where the line begins otherwise."""
        if not prefix:
            return self.text
        written = skeleton(self.text)
        return written[len(prefix) :] if written.startswith(prefix) else None


@dataclass(frozen=True, slots=True)
class FrameLine:
    """A line that names a frame: what stands before it, and how far it is indented after that."""

    prefix: str
    indent: int
    frame: Frame


def prepare(text: str) -> list[LogLine]:
    """Return the lines of a log, without colours, carriage returns and marks of quotation."""
    rows = _ANSI.sub("", text.replace("\r\n", "\n").replace("\r", "\n")).split("\n")
    filled = [row for row in rows if row.strip()]
    if 2 * sum(row.startswith(">") for row in filled) > len(filled):
        rows = [_QUOTED.sub("", row) for row in rows]
    cut = ((number, row[:LONGEST_LINE]) for number, row in unpacked(rows))
    return [LogLine(number, row.rstrip()) for number, row in as_cpython(cut)]


def skeleton(prefix: str) -> str:
    """Return a prefix with everything taken out that changes from line to line of one process; its end is trimmed.

    >>> skeleton("(EngineCore pid=73) ERROR 01-28 17:37:45 [core.py:866]   ")
    '(EngineCore pid=73) ERROR # [core.py:866]'
    """
    return _TIMES.sub("#", prefix).rstrip()


def frame_of(line: LogLine) -> FrameLine | None:
    """Return the frame that a line names, or None."""
    hit = _FRAME.search(line.text)
    if hit is None:
        return None
    before = line.text[: hit.start()]
    function = (hit["function"] or "").partition("(")[0].strip().rpartition(".")[2]
    frame = Frame(hit["path"], int(hit["line"]), function, "", line.number)
    return FrameLine(skeleton(before), len(before) - len(before.rstrip()), frame)
