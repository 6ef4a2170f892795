"""Empty the cache from the command line."""

from __future__ import annotations

from pathlib import Path

import click


@click.group("cache")
def command() -> None:
    """Look after the cache of earlier runs."""


@command.command("clean")
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
@click.option("--cache-dir", type=click.Path(path_type=Path), help="The cache, where it is not in the project's root.")
def clean(paths: tuple[Path, ...], cache_dir: Path | None) -> int:
    """Delete the cache of the project that PATHS (the current folder where none is given) belong to."""
    from hwlint.workflow.cache import Cache
    from hwlint.workflow.settings import load_settings

    folder = cache_dir if cache_dir is not None else load_settings(paths).cache_dir
    count = Cache(folder).clean()
    click.echo(f"{count} stored {'report' if count == 1 else 'reports'} deleted")
    return 0
