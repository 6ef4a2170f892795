"""Run `hwlint check --explain PATH:LINE`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from hwlint.cli.output import columns, emit, wants_color
from hwlint.cli.run_options import RunOptions
from hwlint.cli.status import Status
from hwlint.model.errors import UsageError

_FORMATS = ("text", "full", "json")


def run_explain(options: RunOptions, place: str) -> Status:
    """Explain the line that `place` (`src/mod.py:31`) names, in the project that it belongs to."""
    from hwlint import __version__
    from hwlint.source.read import reader
    from hwlint.workflow.explain import explain

    if options.output_format not in _FORMATS:
        raise UsageError(f"--explain writes text or json; `{options.output_format}` is for findings")
    file, line = _apart(place)
    if not options.paths and not file.resolve().is_relative_to(Path().resolve()):
        options = replace(options, paths=(file.parent,))
    settings = options.settings()
    found = explain(options.places, settings, file, line, jobs=options.jobs, use_cache=not options.no_cache)

    if options.output_format == "json":
        from hwlint.report.line_text import render_line_json

        text = render_line_json(found, __version__)
    else:
        from hwlint.report.line_text import render_line
        from hwlint.report.source_lines import SourceLines
        from hwlint.report.styles import Painter

        painter = Painter(color=wants_color(file=options.output_file))
        width = columns()
        text = render_line(found, SourceLines(reader(settings.root)), painter, width=width)
    emit(text, file=options.output_file, machine=options.output_format == "json")
    return Status.CLEAN


def _apart(place: str) -> tuple[Path, int]:
    path, _, number = place.rpartition(":")
    if not path or not number.isascii() or not number.isdigit():
        raise UsageError(f"--explain takes PATH:LINE, such as src/mod.py:31, not `{place}`")
    return Path(path), int(number)
