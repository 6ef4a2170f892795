"""`hwlint check`: report what breaks, and on which architectures."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from hwlint.cli.options import manual
from hwlint.cli.progress import Progress
from hwlint.cli.run_options import RunOptions, run_options, write_report
from hwlint.cli.status import Status, status_of
from hwlint.model.errors import UsageError

if TYPE_CHECKING:
    from hwlint.model.report import Report
    from hwlint.workflow.settings import Settings

_WITH_FIXES = ("full", "json", "sarif")
"""The formats that show fixes; for the others none is made."""
_HOW_TO_CONFIRM = (
    "A fix is run before it is made: take these edits back, then `hwlint confirm` on such a device keeps a record "
    "(--export takes the jobs to one), and `hwlint fix` makes them again."
)

_MANUAL = manual(
    {
        "hwlint check": "the current folder, the current NVIDIA architectures",
        "hwlint check src --targets sm_120,gfx942": "these architectures only",
        "hwlint check --targets next": "what breaks when one more architecture ships?",
        "hwlint check --output-format full": "with the source, the way there, and the fixes",
        "hwlint check --since main...": "only what this branch introduced",
        "hwlint check --explain src/mod.py:31": "what is computed on one line",
    },
    {
        0: "nothing at or above the level, or --exit-zero",
        1: "findings remain",
        2: "wrong usage or configuration",
        3: "a file could not be read, and nothing worse",
    },
)


@click.command("check", short_help="Report what breaks, and on which architectures.", epilog=_MANUAL)
@run_options
@click.option("--fix", "fixes", is_flag=True, help="Mend what can be mended safely, as `hwlint fix` does.")
@click.option("--unsafe-fixes", is_flag=True, help="With --fix or --diff: take the unsafe fixes too.")
@click.option("--diff", is_flag=True, help="Show what --fix would change, and change nothing.")
@click.option("--exit-non-zero-on-fix", is_flag=True, help="Leave with 1 where --fix changed a file.")
@click.option(
    "--require-confirmed", is_flag=True, help="Leave with 1 where an unsafe fix was applied that no device confirms."
)
@click.option(
    "--since", metavar="REV", help="Report only what changed after this commit (`main...`: after leaving main)."
)
@click.option(
    "--explain", metavar="PATH:LINE", help="Say what is computed on one line on each architecture, and why or why not."
)
@click.option("--timings", is_flag=True, help="Say on standard error where the time of the run went.")
@click.option("--write-baseline", is_flag=True, help="Write today's findings to the baseline file, and leave with 0.")
def command(
    options: RunOptions,
    *,
    fixes: bool,
    unsafe_fixes: bool,
    diff: bool,
    exit_non_zero_on_fix: bool,
    require_confirmed: bool,
    since: str | None,
    explain: str | None,
    timings: bool,
    write_baseline: bool,
) -> int:
    """Report what breaks in PATHS (the current folder where none is given), and on which architectures.

    Files and folders that are given limit what is reported; what they refer to is read from the whole project. Nothing
    that is read is run. `# hwlint: ignore[HW101]` on its line keeps quiet about a finding.
    """
    if explain is not None:
        from hwlint.cli.explain import run_explain

        if fixes or diff or write_baseline or since is not None:
            raise UsageError("--explain only looks; it goes without --fix, --diff, --since and --write-baseline")
        return run_explain(options, explain)
    if fixes or diff:
        from hwlint.cli.fix import Wish, run_fix

        if write_baseline:
            raise UsageError("--write-baseline goes without --fix and --diff; fix first, then write the baseline")
        if since is not None:
            raise UsageError("--since goes without --fix and --diff; `hwlint fix PATHS` mends the files of a change")
        return run_fix(options, Wish(unsafe=unsafe_fixes, diff=diff, exit_non_zero_on_fix=exit_non_zero_on_fix))
    if unsafe_fixes or exit_non_zero_on_fix:
        word = "--unsafe-fixes" if unsafe_fixes else "--exit-non-zero-on-fix"
        raise UsageError(f"{word} says how to fix; add --fix, or --diff to look first")
    if write_baseline:
        if since is not None:
            raise UsageError("--write-baseline goes without --since: a baseline holds what is there, whoever wrote it")
        return _write_baseline(options)
    from hwlint.workflow.check import check
    from hwlint.workflow.stages import Stages, timings_text

    began, stages = time.perf_counter(), Stages(measures=timings)
    with stages.stage("settings"):
        settings = options.settings()
    with Progress(stages):
        report = check(options.places, settings, jobs=options.jobs, use_cache=not options.no_cache, stages=stages)
        if since is not None:
            from hwlint.workflow.since import only_introduced

            with stages.stage("since"):
                report = only_introduced(report, options.places, settings, since, jobs=options.jobs)
        if options.output_format in _WITH_FIXES:
            with stages.stage("fixes"):
                report = _with_fixes(report, settings)
    with stages.stage("report"):
        write_report(report, settings, options)
    if timings:
        click.echo(timings_text(stages, began), err=True, nl=False)
    unconfirmed = require_confirmed and _tell_unconfirmed(settings.root)
    if options.exit_zero:
        return Status.CLEAN
    return Status.FINDINGS if unconfirmed else status_of(report, settings.level)


def _with_fixes(report: Report, settings: Settings) -> Report:
    from hwlint.workflow.offer import with_fixes

    report = with_fixes(report, settings)
    if not (settings.root / ".hwlint").is_dir():
        return report
    from hwlint.workflow.confirm import with_records

    return with_records(report, settings.root)


def _tell_unconfirmed(root: Path) -> bool:
    """Say on standard error which applied fixes no device confirms; return whether there are any."""
    from hwlint.report.display import printable
    from hwlint.workflow.confirm import unconfirmed

    found = unconfirmed(root)
    for applied, reason in found:
        place = f"{applied.path}:{applied.line}: {applied.rule}"
        click.echo(printable(f"{place}: applied, not confirmed: {applied.title}: {reason}"), err=True)
    if found:
        click.echo(_HOW_TO_CONFIRM, err=True)
    return bool(found)


def _write_baseline(options: RunOptions) -> Status:
    named = next((path for path in options.paths if path.suffix == ".json"), None)
    if named is not None and options.baseline is None:
        raise UsageError(f"--write-baseline takes no file: write --baseline {named} --write-baseline")
    settings = options.settings()
    if settings.baseline is None:
        raise UsageError("--write-baseline has no place to write to: give --baseline FILE, or set `baseline`")
    from hwlint.judge import baseline
    from hwlint.report.closing import counted
    from hwlint.report.display import printable
    from hwlint.workflow.check import check

    report = check(options.places, replace(settings, baseline=None), jobs=options.jobs, use_cache=not options.no_cache)
    baseline.write(settings.baseline, report.findings)
    kept = sum(finding.suppressed is None for finding in report.findings)
    click.echo(printable(f"{counted(kept, 'finding')} of today in {settings.baseline}."), err=True)
    return Status.CLEAN
