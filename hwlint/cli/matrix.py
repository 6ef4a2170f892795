"""`hwlint matrix`: show what a code base does on each architecture."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from hwlint.cli.options import flatten, manual
from hwlint.cli.output import columns, emit, wants_color
from hwlint.cli.run_options import (
    CACHE_DIR,
    CONFIG,
    INCLUDE_TESTS,
    ISOLATED,
    JOBS,
    NO_CACHE,
    OUTPUT_FILE,
    PATHS,
    TARGETS,
    output_format,
    project_settings,
)
from hwlint.cli.status import Status
from hwlint.model.errors import UsageError

if TYPE_CHECKING:
    from hwlint.model.matrix import Matrix
    from hwlint.workflow.settings import Settings

_FORMATS = ("text", "json", "html")


_MANUAL = manual(
    {
        "hwlint matrix src": "where the architectures differ, for the terminal",
        "hwlint matrix --diff sm_100 sm_120": "what works on one and not on the other, and why",
        "hwlint matrix --since main...": "what this branch changed",
        "hwlint matrix --output-format html --output-file matrix.html": "one page to pass on",
    },
    {0: "done", 2: "wrong usage or configuration", 3: "a file could not be read"},
)


@click.command("matrix", short_help="Show what a code base does on each architecture.", epilog=_MANUAL)
@PATHS
@TARGETS
@click.option("--diff", nargs=2, metavar="A B", help="Show only where these two architectures are treated differently.")
@click.option(
    "--since", metavar="REV", help="Show only what is not as it was at this commit (`main...`: where HEAD left main)."
)
@click.option("--all", "everything", is_flag=True, help="Show rows that treat all architectures alike too (text).")
@output_format(_FORMATS, "text for the terminal, json for programs, html for one page to pass on.")
@OUTPUT_FILE
@INCLUDE_TESTS
@ISOLATED
@CONFIG
@JOBS
@NO_CACHE
@CACHE_DIR
def command(
    paths: tuple[Path, ...],
    *,
    targets: tuple[tuple[str, ...], ...],
    diff: tuple[str, str] | None,
    since: str | None,
    everything: bool,
    output_format: str,
    output_file: Path | None,
    include_tests: bool,
    isolated: bool,
    config: Path | None,
    jobs: int | None,
    no_cache: bool,
    cache_dir: Path | None,
) -> int:
    """Show what the files, classes and functions in PATHS that depend on the hardware do on each architecture.

    A cell says: works; falls back (to a default, or to the way that a hardware test leaves for the rest); rejected (the
    author turns it away); fails (it raises, or is led where it cannot run); unknown (it could not be worked out, or
    something other than the hardware decides); not reached. A question mark says that more than the hardware decides
    whether it comes to that. Nothing that is read is run.
    """
    if diff and since:
        raise UsageError("--diff compares architectures and --since revisions; give one of them")
    paths = paths or (Path(),)
    settings = project_settings(
        paths,
        config=config,
        isolated=isolated,
        targets=flatten(targets),
        include_tests=include_tests or None,
        cache_dir=cache_dir,
    )
    made = _made(paths, settings, diff, since, jobs, use_cache=not no_cache)
    emit(
        _rendered(made, settings, output_format, output_file, everything=everything),
        file=output_file,
        machine=output_format != "text",
    )
    return Status.INCOMPLETE if made.failures else Status.CLEAN


def _made(
    paths: tuple[Path, ...],
    settings: Settings,
    diff: tuple[str, str] | None,
    since: str | None,
    jobs: int | None,
    *,
    use_cache: bool,
) -> Matrix:
    if diff:
        from hwlint.workflow.matrix import matrix_of_two

        return matrix_of_two(paths, settings, diff, jobs=jobs, use_cache=use_cache)
    if since:
        from hwlint.workflow.matrix_since import matrix_since

        return matrix_since(paths, settings, since, jobs=jobs, use_cache=use_cache)
    from hwlint.workflow.matrix import matrix

    return matrix(paths, settings, jobs=jobs, use_cache=use_cache)


def _rendered(made: Matrix, settings: Settings, form: str, file: Path | None, *, everything: bool) -> str:
    if form == "json":
        from hwlint.report.matrix_json import render_matrix_json

        return render_matrix_json(made)
    if form == "html":
        from hwlint.report.matrix_html import render_matrix_html
        from hwlint.source.read import reader

        return render_matrix_html(made, reader(settings.root), title=settings.root.name)
    from hwlint.report.matrix_text import render_matrix_text
    from hwlint.report.styles import Painter

    painter = Painter(color=wants_color(file=file))
    return render_matrix_text(made, painter, width=columns(), everything=everything)
