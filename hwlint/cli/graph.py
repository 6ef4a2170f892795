"""`hwlint graph`: write the graph of a code base for other tools."""

from __future__ import annotations

from pathlib import Path

import click

from hwlint.cli.options import manual
from hwlint.cli.output import emit
from hwlint.cli.run_options import CONFIG, ISOLATED, OUTPUT_FILE, PATHS, output_format, project_settings
from hwlint.cli.status import Status

_FORMATS = ("dot", "graphml", "json")


_MANUAL = manual(
    {
        "hwlint graph src | dot -Tsvg -o graph.svg": "a picture, with Graphviz",
        "hwlint graph --reached --output-format json": "what hardware values can reach, for programs",
    },
    {0: "done", 2: "wrong usage or configuration", 3: "a file could not be read; it is named on standard error"},
)


@click.command("graph", short_help="Write the graph of modules and names (dot, graphml, json).", epilog=_MANUAL)
@PATHS
@output_format(_FORMATS, "dot for Graphviz, graphml for graph editors, json (node-link) for programs.")
@OUTPUT_FILE
@click.option("--reached", is_flag=True, help="Leave out modules that no hardware value can reach.")
@ISOLATED
@CONFIG
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
    say imports, defines, binds, inherits or uses. Nothing that is read is run.
    """
    from hwlint.workflow.graph import draw

    paths = paths or (Path(),)
    settings = project_settings(paths, config=config, isolated=isolated)
    drawing = draw(paths, settings, output_format, only_reached=reached)
    emit(drawing.text, file=output_file, machine=True)
    for failure in drawing.failures:
        click.echo(f"hwlint: {failure.path}:{failure.line}: {failure.message}", err=True)
    return Status.INCOMPLETE if drawing.failures else Status.CLEAN
