"""`hwlint graph`: write the graph of a code base for other tools."""

from __future__ import annotations

from pathlib import Path

import click

from hwlint.cli.options import SOME_PATH, OneOf
from hwlint.cli.output import emit
from hwlint.cli.status import Status
from hwlint.model.errors import UsageError

_FORMATS = ("dot", "graphml", "json")


@click.command("graph", short_help="Write the graph of modules and names (dot, graphml, json).")
@click.argument("paths", nargs=-1, type=SOME_PATH)
@click.option(
    "--output-format",
    type=OneOf(_FORMATS),
    default="dot",
    show_default=True,
    help="dot for Graphviz, graphml for graph editors, json (node-link) for programs.",
)
@click.option("--output-file", type=SOME_PATH, metavar="FILE", help="Write the graph there.")
@click.option("--reached", is_flag=True, help="Leave out modules that no hardware value can reach.")
@click.option("--isolated", is_flag=True, help="Read no configuration file.")
@click.option("--config", type=SOME_PATH, metavar="FILE", help="Read this configuration instead of the nearest one.")
def command(
    paths: tuple[Path, ...],
    *,
    output_format: str,
    output_file: Path | None,
    reached: bool,
    isolated: bool,
    config: Path | None,
) -> int:
    """Write the graph of the modules in PATHS: their functions, classes and constants, and what refers to what.

    Nodes are modules (pkg/a.py), names in them (pkg/a.py:Class.method) and other packages' names (torch.cuda). Edges
    say imports, defines, binds, inherits or uses. Nothing that is read is run. The exit status is 0, 2 for wrong usage,
    and 3 where a file could not be read; such files are named on standard error.
    """
    from hwlint.workflow.graph import draw
    from hwlint.workflow.settings import load_settings

    if isolated and config is not None:
        raise UsageError("--isolated and --config exclude each other; give one of them")
    paths = paths or (Path(),)
    drawing = draw(paths, load_settings(paths, config=config, isolated=isolated), output_format, only_reached=reached)
    emit(drawing.text, file=output_file, machine=True)
    for failure in drawing.failures:
        click.echo(f"hwlint: {failure.path}:{failure.line}: {failure.message}", err=True)
    return Status.INCOMPLETE if drawing.failures else Status.CLEAN
