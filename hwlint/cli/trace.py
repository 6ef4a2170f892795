"""`hwlint trace`: explain the crashes of a log."""

from __future__ import annotations

import sys
from enum import IntEnum
from pathlib import Path

import click

from hwlint.cli.options import SOME_PATH, Words, architecture_words, flatten, manual
from hwlint.cli.output import columns, emit, wants_color
from hwlint.cli.run_options import (
    CONFIG,
    ISOLATED,
    JOBS,
    LEVEL,
    NO_CACHE,
    OUTPUT_FILE,
    output_format,
    project_settings,
)
from hwlint.model.errors import UsageError
from hwlint.model.finding import Level

MOST_BYTES = 16 << 20
"""Of a longer log the end is read: a crash is the last thing it tells."""


class TraceStatus(IntEnum):
    """What the exit status of `hwlint trace` says."""

    EXPLAINED = 0
    """At least one crash is explained."""
    UNEXPLAINED = 1
    """The log has no crash, or none that the tree explains."""
    INCOMPLETE = 3
    """None is explained, and a file of the tree could not be read."""


_MANUAL = manual(
    {
        "hwlint trace server.log src": "a file, and the tree that explains it",
        "journalctl -u server | hwlint trace src": "by pipe",
        "hwlint trace - < server.log": "the tree is the current folder",
    },
    {
        0: "at least one crash is explained",
        1: "the log has no crash, or none that the tree explains",
        2: "wrong usage or configuration",
        3: "none is explained, and a file of the tree could not be read",
    },
)


@click.command("trace", short_help="Explain the crashes of a log.", epilog=_MANUAL)
@click.argument("places", nargs=-1, type=SOME_PATH, metavar="[LOG] [PATHS]...")
@click.option(
    "--targets",
    type=Words(architecture_words),
    multiple=True,
    metavar="LIST",
    help="Architectures that may have crashed.  [default: all of the maker that the log speaks of]",
)
@LEVEL
@output_format(("text", "json"))
@OUTPUT_FILE
@ISOLATED
@CONFIG
@JOBS
@NO_CACHE
def command(
    places: tuple[Path, ...],
    *,
    targets: tuple[tuple[str, ...], ...],
    level: str | None,
    output_format: str,
    output_file: Path | None,
    isolated: bool,
    config: Path | None,
    jobs: int | None,
    no_cache: bool,
) -> int:
    """Explain the crashes in LOG (standard input where it is left out, or `-`) by the source in PATHS.

    PATHS are the current folder where none is given. For each traceback hwlint finds the innermost frame that it can
    explain, wherever the package was installed, and prints the way from the exception to the definition, the
    architecture that it must have been, what fails there next, and the fix. Nothing that is read is run.
    """
    from hwlint import __version__
    from hwlint.report.source_lines import SourceLines
    from hwlint.source.read import reader
    from hwlint.workflow.trace import trace

    log, paths = _apart(places)
    paths = paths or (Path(),)
    settings = project_settings(
        paths,
        config=config,
        isolated=isolated,
        targets=flatten(targets),
        level=None if level is None else Level(level),
    )
    traced = trace(_read(log), paths, settings, jobs=jobs, use_cache=not no_cache)

    if output_format == "json":
        from hwlint.report.trace_json import render_trace_json

        text = render_trace_json(traced.explanations, traced.targets, __version__)
    else:
        from hwlint.report.styles import Painter
        from hwlint.report.trace_text import render_trace

        painter = Painter(color=wants_color(file=output_file))
        width = columns()
        text = render_trace(traced.explanations, SourceLines(reader(settings.root)), painter, width=width)
    emit(text, file=output_file, machine=output_format == "json")
    if traced.is_explained:
        return TraceStatus.EXPLAINED
    return TraceStatus.INCOMPLETE if traced.failures else TraceStatus.UNEXPLAINED


def _apart(places: tuple[Path, ...]) -> tuple[Path | None, tuple[Path, ...]]:
    """Tell the log from the paths: a folder or a Python file in front means that the log comes by standard input."""
    if not places:
        return None, ()
    first, rest = places[0], places[1:]
    if str(first) == "-":
        return None, rest
    if first.is_dir() or first.suffix == ".py":
        return None, places
    return first, rest


def _read(log: Path | None) -> str:
    """Return the text of the log, its end where it is too long; what is not UTF-8 is replaced."""
    if log is None:
        if sys.stdin is None or sys.stdin.isatty():
            raise UsageError("no log: give its file first (hwlint trace server.log src), or pipe it in")
        data = sys.stdin.buffer.read()
    else:
        try:
            with log.open("rb") as stream:
                if log.is_file():
                    stream.seek(max(0, log.stat().st_size - MOST_BYTES))
                data = stream.read()
        except OSError as error:
            raise UsageError(f"{log}: cannot be read: {error.strerror}") from error
    return data[-MOST_BYTES:].decode("utf-8-sig", "replace")
