"""Empty the cache from the command line."""

from __future__ import annotations

from pathlib import Path

import click

from hwlint.cli.options import manual
from hwlint.cli.run_options import CACHE_DIR, PATHS

_MANUAL = manual(
    {
        "hwlint cache clean": "delete the cache of the project in the current folder",
        "hwlint cache clean --cache-dir /var/tmp/hwlint": "delete the cache that lies there",
    }
)


@click.group("cache", short_help="Look after the cache of earlier runs.", epilog=_MANUAL)
def command() -> None:
    """Look after the cache of earlier runs: `.hwlint_cache/` in the project's root, unless the configuration moves it.

    It can be deleted at any time; the next run is then a slow one.
    """


@command.command("clean", short_help="Delete the cache of a project.", epilog=_MANUAL)
@PATHS
@CACHE_DIR
def clean(paths: tuple[Path, ...], cache_dir: Path | None) -> int:
    """Delete the cache of the project that PATHS (the current folder where none is given) belong to."""
    from hwlint.workflow.cache import Cache
    from hwlint.workflow.settings import load_settings

    folder = cache_dir if cache_dir is not None else load_settings(paths).cache_dir
    count = Cache(folder).clean()
    click.echo(f"{count} stored {'report' if count == 1 else 'reports'} deleted")
    return 0
