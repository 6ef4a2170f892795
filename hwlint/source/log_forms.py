"""Write the tracebacks of notebooks, rich, pytest and error reports as CPython would: one reader does for all."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

HEADER = "Traceback (most recent call last)"

_NOTEBOOK = re.compile(r"^(?:File )?(?P<path>[/~]\S*\.py|[A-Za-z]:\\\S*\.py):(?P<line>\d+), in (?P<function>[\w.<>]+)")
_OLD_NOTEBOOK = re.compile(r"^(?P<path>[/~]\S*\.py|[A-Za-z]:\\\S*\.py) in (?P<function>[\w.<>]+)\(.*\)\s*$")
_ARROW = re.compile(r"^-+> (?P<line>\d+)(?P<text>.*)$")
_NUMBERED = re.compile(r"^\s*\d+(?:\s|$)")
_BOXED = re.compile(r"^\s*[│|]\s*(?P<path>\S+\.py):(?P<line>\d+) in (?P<function>[\w.<>]+)\s*[│|]?\s*$")
_BOXED_TEXT = re.compile(r"❱\s*\d+\s*[│|]?(?P<text>.*?)[│|]?\s*$")
_GUIDES = "│| "
_BOX = ("│", "╭", "╰", "┃")
_PYTEST_PLACE = re.compile(r"^(?P<path>\S+\.py):(?P<line>\d+): ?(?P<type>\w*)\s*$")
_PYTEST_SAID = re.compile(r"^E\s{2,}(?P<said>[\w.]+(?:Error|Exception|OutOfResources)\b.*)$")
_REPORTED = re.compile(r"^\W*Exception (?P<what>Type|Message):\W*?\s*(?P<said>[\w'\"(].*)$")
_PYTEST_TEXT = re.compile(r"^>\s{2,}(?P<text>\S.*)$")


def as_cpython(rows: Iterable[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    """Yield (line number, text) with foreign forms rewritten; a line of another kind comes out as it is."""
    writer = _Writer()
    for number, row in rows:
        for text in writer.rewrite(row):
            yield number, text


class _Writer:
    """Remembers what the form at hand has said so far."""

    def __init__(self) -> None:
        self._path = self._function = ""
        self._numbered = False
        self._said = self._text = ""
        self._reported = {"Type": "", "Message": ""}
        self._frames = 0

    def rewrite(self, row: str) -> Iterator[str]:
        """Yield what CPython would have written for `row`."""
        if not row.strip():
            self._numbered = False
        self._frames += 'File "' in row
        if hit := _NOTEBOOK.match(row):
            self._numbered, self._path = True, ""
            yield _frame(hit["path"], hit["line"], hit["function"])
        elif hit := _OLD_NOTEBOOK.match(row):
            self._numbered, self._path, self._function = True, hit["path"], hit["function"]
        elif hit := _ARROW.match(row):
            if self._path:
                yield _frame(self._path, hit["line"], self._function)
            self._path = ""
            yield f"    {hit['text'].strip()}"
        elif self._numbered and _NUMBERED.match(row):
            return
        else:
            yield from self._framed(row)

    def _framed(self, row: str) -> Iterator[str]:
        if hit := _BOXED.match(row):
            yield _frame(hit["path"], hit["line"], hit["function"])
        elif hit := _BOXED_TEXT.search(row):
            yield f"    {hit['text'].strip(_GUIDES)}"
        elif row.startswith(_BOX) and HEADER not in row:
            return
        elif hit := _REPORTED.match(row):
            self._reported[hit["what"]], self._frames = hit["said"].strip(), 0
        elif self._reported["Type"] and self._frames and row.startswith("#"):
            yield from self._closed(row)
        elif hit := _PYTEST_SAID.match(row):
            self._said = self._said or hit["said"]
        elif hit := _PYTEST_TEXT.match(row):
            self._text = hit["text"]
        elif hit := _PYTEST_PLACE.match(row):
            yield from self._tested(hit["path"], hit["line"], hit["type"])
        else:
            yield row

    def _closed(self, row: str) -> Iterator[str]:
        """The next heading of an error report ends its traceback; the exception stood before that."""
        kind, message = self._reported["Type"], self._reported["Message"]
        self._reported = {"Type": "", "Message": ""}
        yield f"{kind}: {message.removeprefix(f'{kind}: ')}".removesuffix(": ")
        yield row

    def _tested(self, path: str, line: str, name: str) -> Iterator[str]:
        yield _frame(path, line, "")
        if self._text:
            yield f"    {self._text}"
        if name:
            yield self._said or name
            self._said = ""
        self._text = ""


def _frame(path: str, line: str, function: str) -> str:
    return f'  File "{path}", line {line}' + (f", in {function}" if function else "")
