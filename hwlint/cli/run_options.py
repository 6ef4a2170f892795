"""Hold the options of every command that checks a project, and turn them into settings and reports."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hwlint.cli.options import SOME_PATH, OneOf, Words, architecture_words, flatten, rule_words
from hwlint.cli.output import columns, emit, wants_color
from hwlint.model.errors import UsageError
from hwlint.model.finding import Level

if TYPE_CHECKING:
    from hwlint.model.report import Report
    from hwlint.workflow.settings import Settings

FORMATS = ("text", "full", "json", "github", "sarif", "gitlab")
FOR_PEOPLE = ("text", "full")
_WITH_RULES = ("full", "sarif")
"""The formats that show more of a rule than its findings hold; the others need not read the rules a second time."""

PATHS = click.argument("paths", nargs=-1, type=SOME_PATH)
TARGETS = click.option(
    "--targets",
    type=Words(architecture_words),
    multiple=True,
    metavar="LIST",
    help="Architectures to ask about: sm_120, 12.0, gfx942, sm_90+, or a set (current, all, nvidia, amd, "
    "datacenter, consumer, next).  [default: current]",
)
SELECT = click.option(
    "--select",
    type=Words(rule_words),
    multiple=True,
    metavar="LIST",
    help="Run only these rules (HW101, missing-key).",
)
IGNORE = click.option("--ignore", type=Words(rule_words), multiple=True, metavar="LIST", help="Leave these rules out.")
LEVEL = click.option(
    "--level", type=OneOf([level.value for level in Level]), help="Least level to report.  [default: warning]"
)
OUTPUT_FILE = click.option("--output-file", type=SOME_PATH, metavar="FILE", help="Write it there.")
INCLUDE_TESTS = click.option("--include-tests", is_flag=True, help="Report on test files too.")
ISOLATED = click.option("--isolated", is_flag=True, help="Read no configuration file.")
CONFIG = click.option(
    "--config", type=SOME_PATH, metavar="FILE", help="Read this configuration instead of the nearest one."
)
JOBS = click.option(
    "--jobs", type=click.IntRange(min=1), metavar="N", help="Processes to use.  [default: one for each core]"
)
NO_CACHE = click.option("--no-cache", is_flag=True, help="Neither read nor write the cache.")
CACHE_DIR = click.option(
    "--cache-dir", type=SOME_PATH, metavar="DIR", help="Where the cache lies.  [default: .hwlint_cache]"
)


def output_format(formats: Sequence[str], text: str = "How to write it.") -> Callable[[Any], Any]:
    """The option that chooses among formats; the first is the default."""
    return click.option("--output-format", type=OneOf(formats), default=formats[0], show_default=True, help=text)


_OPTIONS: tuple[Callable[[Any], Any], ...] = (
    PATHS,
    TARGETS,
    SELECT,
    IGNORE,
    LEVEL,
    output_format(FORMATS, "How to write the report."),
    OUTPUT_FILE,
    click.option("--exit-zero", is_flag=True, help="Leave with 0 whatever is found."),
    click.option("--statistics", is_flag=True, help="Count the findings of each rule."),
    click.option(
        "--show-unknown", is_flag=True, help="List the places whose outcome could not be worked out, and why."
    ),
    INCLUDE_TESTS,
    click.option("--baseline", type=SOME_PATH, metavar="FILE", help="Keep quiet about the findings in this file."),
    click.option("--force-exclude", is_flag=True, help="Leave out excluded files even when they are given by name."),
    ISOLATED,
    CONFIG,
    JOBS,
    NO_CACHE,
    CACHE_DIR,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOptions:
    """What the user gave, by the names of the options."""

    paths: tuple[Path, ...]
    targets: tuple[tuple[str, ...], ...]
    select: tuple[tuple[str, ...], ...]
    ignore: tuple[tuple[str, ...], ...]
    level: str | None
    output_format: str
    output_file: Path | None
    exit_zero: bool
    statistics: bool
    show_unknown: bool
    include_tests: bool
    baseline: Path | None
    force_exclude: bool
    isolated: bool
    config: Path | None
    jobs: int | None
    no_cache: bool
    cache_dir: Path | None

    @property
    def places(self) -> tuple[Path, ...]:
        """The files and folders to report on: the current folder where none is given."""
        return self.paths or (Path(),)

    def settings(self, *, with_select: bool = True) -> Settings:
        """Return the project's settings with these options over them; `with_select` False leaves `--select` out."""
        return project_settings(
            self.places,
            config=self.config,
            isolated=self.isolated,
            targets=flatten(self.targets),
            select=flatten(self.select) if with_select else None,
            ignore=flatten(self.ignore),
            level=None if self.level is None else Level(self.level),
            baseline=self.baseline,
            cache_dir=self.cache_dir,
            include_tests=self.include_tests or None,
            force_exclude=self.force_exclude or None,
        )


def project_settings(paths: Sequence[Path], *, config: Path | None, isolated: bool, **over: Any) -> Settings:
    """Return the settings of the project that `paths` belong to, with what the command line says put over them."""
    from hwlint.workflow.settings import load_settings, override

    if isolated and config is not None:
        raise UsageError("--isolated and --config exclude each other; give one of them")
    return override(load_settings(paths, config=config, isolated=isolated), **over)


def run_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command these options; it gets them as one `RunOptions` in front of its own."""
    names = tuple(field.name for field in fields(RunOptions))

    @functools.wraps(command)
    def collected(**given: Any) -> Any:
        return command(RunOptions(**{name: given.pop(name) for name in names}), **given)

    for option in reversed(_OPTIONS):
        collected = option(collected)
    return collected


def write_report(report: Report, settings: Settings, options: RunOptions, *, heading: str = "") -> None:
    """Write a report in the format and to the place that the user chose; `heading` goes before it, for people only."""
    text = _rendered(report, settings, options)
    if options.output_format in FOR_PEOPLE:
        text = heading + text
    emit(text, file=options.output_file, machine=options.output_format not in FOR_PEOPLE)


def _rendered(report: Report, settings: Settings, options: RunOptions) -> str:
    from hwlint.report import render
    from hwlint.rulebook.rules import load_rules
    from hwlint.source.read import reader

    fmt = options.output_format
    return render(
        report,
        fmt,
        rules=load_rules(settings.extend_rules).infos if options.statistics or fmt in _WITH_RULES else (),
        sources=reader(settings.root),
        color=wants_color(file=options.output_file),
        width=columns(),
        statistics=options.statistics,
        show_unknown=options.show_unknown,
        level=settings.level,
    )
