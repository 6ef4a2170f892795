"""Offer `hwlint check` to programs as a function."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING

from hwlint.model.errors import UsageError
from hwlint.model.finding import Level
from hwlint.model.suggest import did_you_mean
from hwlint.workflow.settings import load_settings, override

if TYPE_CHECKING:
    from hwlint.model.report import Report

AnyPath = str | PathLike[str]


def check(
    paths: AnyPath | Iterable[AnyPath] = (),
    *,
    targets: str | Sequence[str] | None = None,
    select: str | Sequence[str] | None = None,
    ignore: str | Sequence[str] | None = None,
    level: Level | str = Level.NOTE,
    baseline: AnyPath | None = None,
    config: AnyPath | None = None,
    isolated: bool = False,
    include_tests: bool | None = None,
    fixes: bool = False,
    jobs: int | None = 1,
    use_cache: bool = True,
) -> Report:
    """Check files and folders, and return what breaks there, on which architectures.

    `paths` is one path or several, the current folder where there is none; they limit what is reported, and what they
    refer to is read from the whole project. Nothing that is read is run, and nothing is written but the cache.

    `targets`, `select`, `ignore`, `baseline` and `include_tests` mean what the options of `hwlint check` mean, and go
    before the configuration; None leaves it as it is, and a single text may hold several words, separated by commas.
    The configuration is the nearest one to the first path, or `config`, or none with `isolated`. Findings below
    `level` are left out; suppressed ones are there and say why.
    With `fixes` each finding has the fixes that can be offered for it. `jobs` is the number of processes, None one for
    each core. With `use_cache` the report of an earlier run over the same sources is taken.

    Raises UsageError for a wrong path, target or rule, SettingsError for a wrong configuration, RuleError for a rule
    of the project's own that does not fit its format; all are HwlintError. What is wrong with the code that is read
    is no exception: a file that cannot be read is in `failures`.
    """
    from hwlint.workflow.check import check as run

    places = _places(paths)
    settings = override(
        load_settings(places, config=_path(config), isolated=isolated),
        targets=_words(targets),
        select=_words(select),
        ignore=_words(ignore),
        level=_level(level),
        baseline=_path(baseline),
        include_tests=include_tests,
    )
    report = run(places, settings, jobs=jobs, use_cache=use_cache)
    if fixes:
        from hwlint.workflow.offer import with_fixes

        report = with_fixes(report, settings)
    kept = tuple(finding for finding in report.findings if finding.level.rank >= settings.level.rank)
    return replace(report, findings=kept)


def _words(words: str | Sequence[str] | None) -> tuple[str, ...] | None:
    """A single text counts as on the command line: `"sm_90,sm_120"` is two words."""
    if isinstance(words, str):
        return tuple(word.strip() for word in words.split(",") if word.strip())
    return None if words is None else tuple(words)


def _level(level: Level | str) -> Level:
    try:
        return Level(level)
    except ValueError:
        known = [each.value for each in Level]
        raise UsageError(
            f"`{level}` is no level{did_you_mean(str(level), known)} (known: {', '.join(known)})"
        ) from None


def _places(paths: AnyPath | Iterable[AnyPath]) -> tuple[Path, ...]:
    several = [paths] if isinstance(paths, (str, PathLike)) else list(paths)
    return tuple(Path(fspath(path)) for path in several) or (Path(),)


def _path(path: AnyPath | None) -> Path | None:
    return None if path is None else Path(fspath(path))
