"""`hwlint check`: report what breaks, and on which architectures."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from hwlint.cli.options import SOME_PATH, OneOf, Words, flatten
from hwlint.cli.output import emit, wants_color
from hwlint.cli.status import Status, status_of
from hwlint.model.errors import UsageError
from hwlint.model.finding import Level

if TYPE_CHECKING:
    from hwlint.model.report import Report
    from hwlint.workflow.settings import Settings

_FORMATS = ("text", "full", "json", "github", "sarif", "gitlab")
_FOR_PEOPLE = ("text", "full")
_WITH_RULES = ("full", "sarif")
"""The formats that show more of a rule than its findings hold; the others need not read the rules a second time."""


@click.command("check", short_help="Report what breaks, and on which architectures.")
@click.argument("paths", nargs=-1, type=SOME_PATH)
@click.option(
    "--targets",
    type=Words(),
    multiple=True,
    metavar="LIST",
    help="Architectures to ask about: sm_120, 12.0, gfx942, sm_90+, or a set (current, all, nvidia, amd, datacenter, "
    "consumer, next).  [default: current]",
)
@click.option(
    "--select", type=Words(), multiple=True, metavar="LIST", help="Run only these rules (HW101, missing-key)."
)
@click.option("--ignore", type=Words(), multiple=True, metavar="LIST", help="Leave these rules out.")
@click.option(
    "--level", type=OneOf([level.value for level in Level]), help="Least level to report.  [default: warning]"
)
@click.option(
    "--output-format", type=OneOf(_FORMATS), default="text", show_default=True, help="How to write the report."
)
@click.option("--output-file", type=SOME_PATH, metavar="FILE", help="Write the report there.")
@click.option("--exit-zero", is_flag=True, help="Leave with 0 whatever is found.")
@click.option("--statistics", is_flag=True, help="Count the findings of each rule.")
@click.option("--show-unknown", is_flag=True, help="List the places whose outcome could not be worked out, and why.")
@click.option("--include-tests", is_flag=True, help="Report findings in test files too.")
@click.option("--baseline", type=SOME_PATH, metavar="FILE", help="Keep quiet about the findings in this file.")
@click.option("--write-baseline", is_flag=True, help="Write today's findings to the baseline file, and leave with 0.")
@click.option("--force-exclude", is_flag=True, help="Leave out excluded files even when they are given by name.")
@click.option("--isolated", is_flag=True, help="Read no configuration file.")
@click.option("--config", type=SOME_PATH, metavar="FILE", help="Read this configuration instead of the nearest one.")
@click.option("--jobs", type=click.IntRange(min=1), metavar="N", help="Processes to use.  [default: one for each core]")
@click.option("--no-cache", is_flag=True, help="Neither read nor write the cache.")
@click.option("--cache-dir", type=SOME_PATH, metavar="DIR", help="Where the cache lies.  [default: .hwlint_cache]")
def command(
    paths: tuple[Path, ...],
    *,
    targets: tuple[tuple[str, ...], ...],
    select: tuple[tuple[str, ...], ...],
    ignore: tuple[tuple[str, ...], ...],
    level: str | None,
    output_format: str,
    output_file: Path | None,
    exit_zero: bool,
    statistics: bool,
    show_unknown: bool,
    include_tests: bool,
    baseline: Path | None,
    write_baseline: bool,
    force_exclude: bool,
    isolated: bool,
    config: Path | None,
    jobs: int | None,
    no_cache: bool,
    cache_dir: Path | None,
) -> int:
    """Report what breaks in PATHS (the current folder where none is given), and on which architectures.

    Files and folders that are given limit what is reported; what they refer to is read from the whole project. Nothing
    that is read is run. The exit status is 0 where nothing is found, 1 where findings remain, 2 for wrong usage, and 3
    where a file could not be read and nothing worse.
    """
    from hwlint.workflow.settings import load_settings, override

    paths = paths or (Path(),)
    if isolated and config is not None:
        raise UsageError("--isolated and --config exclude each other; give one of them")
    settings = override(
        load_settings(paths, config=config, isolated=isolated),
        targets=flatten(targets),
        select=flatten(select),
        ignore=flatten(ignore),
        level=None if level is None else Level(level),
        baseline=baseline,
        cache_dir=cache_dir,
        include_tests=include_tests or None,
        force_exclude=force_exclude or None,
    )
    if write_baseline:
        return _write_baseline(paths, settings, jobs=jobs, use_cache=not no_cache)
    from hwlint.workflow.check import check

    report = check(paths, settings, jobs=jobs, use_cache=not no_cache)
    text = _rendered(report, settings, output_format, output_file, statistics=statistics, show_unknown=show_unknown)
    emit(text, file=output_file, machine=output_format not in _FOR_PEOPLE)
    return Status.CLEAN if exit_zero else status_of(report, settings.level)


def _rendered(
    report: Report, settings: Settings, fmt: str, file: Path | None, *, statistics: bool, show_unknown: bool
) -> str:
    from hwlint.report import render
    from hwlint.rulebook.rules import load_rules
    from hwlint.source.read import Text, read

    def source(path: str) -> str | None:
        content = read(settings.root, path)
        return content.text if isinstance(content, Text) else None

    return render(
        report,
        fmt,
        rules=load_rules(settings.extend_rules).infos if statistics or fmt in _WITH_RULES else (),
        sources=source,
        color=wants_color(file=file),
        width=shutil.get_terminal_size((100, 24)).columns,
        statistics=statistics,
        show_unknown=show_unknown,
        level=settings.level,
    )


def _write_baseline(paths: Sequence[Path], settings: Settings, *, jobs: int | None, use_cache: bool) -> Status:
    if settings.baseline is None:
        raise UsageError("--write-baseline has no place to write to: give --baseline FILE, or set `baseline`")
    from hwlint.judge import baseline
    from hwlint.workflow.check import check

    report = check(paths, replace(settings, baseline=None), jobs=jobs, use_cache=use_cache)
    baseline.write(settings.baseline, report.findings)
    return Status.CLEAN
