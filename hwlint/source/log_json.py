"""Take the texts out of logs that are JSON, one object a line, as containers and structured loggers write them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence

_TEXTS = frozenset(
    (
        *("log", "message", "msg", "text", "event", "textpayload", "line", "exception", "exc_info", "exc_text"),
        *("stack", "stack_trace", "stacktrace", "traceback", "error", "err", "detail"),
    )
)
"""Keys, in small letters, whose texts are what the program wrote."""
_PATHS = ("abs_path", "filename", "file", "path")
_FUNCTIONS = ("name", "function", "func")
_DEEPEST = 6


def unpacked(rows: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Yield (line number, text): the lines within the objects, and every other row as it is."""
    for number, row in enumerate(rows, start=1):
        found = _object(row)
        texts = list(_texts(found, 0)) if found is not None else []
        if not texts:
            yield number, row
        for text in texts:
            yield from ((number, line) for line in text.rstrip("\n").split("\n"))


def _object(row: str) -> Mapping[str, object] | None:
    """The object that a row ends with, whatever a collector has put before it."""
    at = row.find('{"')
    if at < 0 or not row.rstrip().endswith("}"):
        return None
    try:
        found = json.loads(row[at:])
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _texts(value: object, depth: int) -> Iterator[str]:
    """The texts of an object in their order, those further inside too."""
    if depth > _DEEPEST:
        return
    if isinstance(value, list):
        for each in value:
            yield from _texts(each, depth + 1)
    elif isinstance(value, dict):
        if frames := list(_frames(value)):
            yield "\n".join(["Traceback (most recent call last):", *frames, _said(value)])
            return
        for key, each in value.items():
            if isinstance(each, str):
                if key.lower() in _TEXTS:
                    yield each
            else:
                yield from _texts(each, depth + 1)


def _frames(value: Mapping[str, object]) -> Iterator[str]:
    """The frames of a traceback that was taken apart, as CPython writes them; newest last, as loggers have them."""
    holder = value.get("stacktrace", value)
    frames = holder.get("frames") if isinstance(holder, dict) else None
    for frame in frames if isinstance(frames, list) else ():
        if not isinstance(frame, dict):
            continue
        path = next((frame[key] for key in _PATHS if isinstance(frame.get(key), str)), None)
        line = frame.get("lineno")
        if path is not None and isinstance(line, int):
            function = next((frame[key] for key in _FUNCTIONS if isinstance(frame.get(key), str)), "")
            yield f'  File "{path}", line {line}' + (f", in {function}" if function else "")


def _said(value: Mapping[str, object]) -> str:
    kind = value.get("exc_type", value.get("type", ""))
    message = value.get("exc_value", value.get("value", ""))
    return f"{kind}: {message}" if message else str(kind)
