"""Write a result to standard output or to a file, whatever the encoding, and leave quietly when nobody reads."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from pathlib import Path

import click

from hwlint.cli.status import Status
from hwlint.model.errors import UsageError


def emit(text: str | bytes, *, file: Path | None = None, machine: bool = False) -> None:
    """Write `text` to `file`, or to standard output where there is none.

    For programs (`machine`) and files the bytes are UTF-8; for a terminal they are what it understands, with escapes
    for the rest; bytes are written as they are. Raises UsageError where the place cannot be written, and ends the
    command where the reader has left.
    """
    if file is not None:
        _write_file(file, text if isinstance(text, bytes) else text.encode("utf-8", "backslashreplace"))
        return
    encoding = "utf-8" if machine else getattr(sys.stdout, "encoding", None) or "utf-8"
    try:
        click.echo(text if isinstance(text, bytes) else text.encode(encoding, "backslashreplace"), nl=False)
        if sys.stdout is not None:
            sys.stdout.flush()
    except BrokenPipeError:
        _silence()
        raise click.exceptions.Exit(Status.READER_GONE) from None
    except OSError as error:
        _silence()
        raise UsageError(f"cannot write the output: {error.strerror}") from error


def wants_color(*, file: Path | None) -> bool:
    """Tell whether to colour: on a terminal unless NO_COLOR is set, and wherever FORCE_COLOR is set."""
    if file is not None or os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return sys.stdout is not None and sys.stdout.isatty() and os.environ.get("TERM") != "dumb"


def columns() -> int:
    """Return how many columns a line may take: the terminal's, 100 where there is none."""
    return shutil.get_terminal_size((100, 24)).columns


def _write_file(file: Path, content: bytes) -> None:
    """Replace the file in one step, so that a reader never sees half of it."""
    try:
        if file.exists() and not file.is_file():  # a pipe or a device, such as /dev/stdout
            file.write_bytes(content)
            return
        with tempfile.TemporaryDirectory(dir=file.parent, prefix=".hwlint-") as scratch:
            whole = Path(scratch) / file.name
            whole.write_bytes(content)
            whole.replace(file)
    except OSError as error:
        raise UsageError(f"{file}: cannot be written: {error.strerror}") from error


def _silence() -> None:
    """Point standard output at nothing, so that Python does not complain about it on its way out."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError, AttributeError):
        return
