"""`hwlint archs`: show the catalogue of architectures."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path

import click

from hwlint.cli.options import SOME_PATH, OneOf
from hwlint.cli.output import emit
from hwlint.model.architecture import Architecture


@click.command("archs", short_help="Show the known architectures.")
@click.argument("targets", nargs=-1, metavar="[TARGETS]...")
@click.option(
    "--output-format", type=OneOf(("text", "json")), default="text", show_default=True, help="How to write it."
)
@click.option("--isolated", is_flag=True, help="Read no configuration file, and so none of a project's architectures.")
@click.option("--config", type=SOME_PATH, metavar="FILE", help="Read this configuration instead of the nearest one.")
def command(*, targets: tuple[str, ...], output_format: str, isolated: bool, config: Path | None) -> None:
    """Show the architectures that TARGETS name (sm_120, 9.0+, hopper, datacenter; all where none is given).

    For a single one, show every fact with its sources. As JSON it is always the whole catalogue.
    """
    from hwlint.hardware.additions import extend
    from hwlint.hardware.show import archs_json, archs_table
    from hwlint.hardware.table import load
    from hwlint.hardware.targets import parse_targets
    from hwlint.workflow.settings import load_settings

    catalogue = extend(load(), load_settings((), config=config, isolated=isolated).architectures)
    chosen = parse_targets(",".join(targets) or "all", catalogue)
    if output_format == "json":
        emit(archs_json(catalogue), machine=True)
    elif len(chosen) == 1:
        titles = {name: source.what for name, source in catalogue.sources.items()}
        emit("".join(f"{line}\n" for line in _details(chosen[0], titles)))
    else:
        emit(archs_table(catalogue, chosen, shutil.get_terminal_size((120, 24)).columns))


def _details(arch: Architecture, titles: Mapping[str, str]) -> Iterator[str]:
    """Yield the label, one line for each fact, and what its source ids stand for."""
    yield arch.label
    yield ""
    used: set[str] = set()
    wide = max(map(len, arch.facts), default=0)
    for name in sorted(arch.facts):
        fact = arch.facts[name]
        used.update(fact.source)
        note = f"  {fact.note}" if fact.note else ""
        yield f"  {name:{wide}}  {_shown(fact.value)}  [{', '.join(fact.source)}]{note}"
    yield ""
    for source in sorted(used):
        yield f"  [{source}] {titles.get(source, 'this project')}"


def _shown(value: object) -> str:
    match value:
        case None:
            return "?"
        case bool():
            return "yes" if value else "no"
        case tuple():
            return ", ".join(map(str, value)) or "none"
        case _:
            return str(value)
