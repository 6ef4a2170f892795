"""`hwlint archs`: show the catalogue of architectures."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path

import click

from hwlint.cli.options import OneWord, architecture_words, manual
from hwlint.cli.output import emit
from hwlint.cli.run_options import CONFIG, ISOLATED, output_format, project_settings
from hwlint.model.architecture import Architecture

_MANUAL = manual(
    {
        "hwlint archs": "the whole catalogue",
        "hwlint archs 9.0+": "compute capability 9.0 and later",
        "hwlint archs sm_120": "every fact about one, with its sources",
    }
)


@click.command("archs", short_help="Show the known architectures.", epilog=_MANUAL)
@click.argument("targets", nargs=-1, type=OneWord(architecture_words), metavar="[TARGETS]...")
@output_format(("text", "json"))
@ISOLATED
@CONFIG
def command(*, targets: tuple[str, ...], output_format: str, isolated: bool, config: Path | None) -> None:
    """Show the architectures that TARGETS name (sm_120, 9.0+, hopper, datacenter; all where none is given).

    For a single one, show every fact with its sources. As JSON it is always the whole catalogue.
    """
    from hwlint.hardware.additions import extend
    from hwlint.hardware.show import archs_json, archs_table
    from hwlint.hardware.table import load
    from hwlint.hardware.targets import parse_targets

    catalogue = extend(load(), project_settings((), config=config, isolated=isolated).architectures)
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
