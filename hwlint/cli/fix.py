"""`hwlint fix`: mend what breaks, at its definition."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from hwlint.cli.options import manual
from hwlint.cli.output import emit, wants_color
from hwlint.cli.run_options import FOR_PEOPLE, RunOptions, run_options, write_report
from hwlint.cli.status import Status, status_of
from hwlint.model.errors import UsageError

if TYPE_CHECKING:
    from hwlint.workflow.fix import Ask, FixResult, Try
    from hwlint.workflow.settings import Settings


_NOTHING_TO_MEND = "No fix to show: there is none for what `hwlint check` reports here.\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """How to fix."""

    unsafe: bool = False
    diff: bool = False
    interactive: bool = False
    exit_non_zero_on_fix: bool = False
    confirm: bool = False
    python: str | None = None
    timeout: float | None = None
    allow_probes: bool = False


_MANUAL = manual(
    {
        "hwlint fix --diff": "show the safe edits, change nothing",
        "hwlint fix": "make them",
        "hwlint fix --diff --unsafe-fixes": "show those, too, that let architectures into untested code",
        "hwlint fix --select HW101 --interactive": "ask about each fix of one kind",
        "hwlint fix --unsafe-fixes --confirm": "keep those that the device that is here confirms",
    },
    {
        0: "nothing is left at or above the level, or --exit-zero",
        1: "findings are left; with --diff everything is",
        2: "wrong usage or configuration",
        3: "a file could not be read or written, and nothing worse",
    },
)


@click.command("fix", short_help="Mend what breaks.", epilog=_MANUAL)
@run_options
@click.option("--unsafe-fixes", is_flag=True, help="Take the fixes too that let an architecture into untested code.")
@click.option("--diff", is_flag=True, help="Show what would change, and change nothing.")
@click.option("--interactive", is_flag=True, help="Ask about each fix.")
@click.option("--exit-non-zero-on-fix", is_flag=True, help="Leave with 1 where a file was changed.")
@click.option(
    "--confirm",
    is_flag=True,
    help="Run each fix on the device that is here; keep unsafe ones it confirms, safe ones unless it refutes them.",
)
@click.option(
    "--python", metavar="EXE", help="With --confirm: interpreter that runs the code.  [default: hwlint's own]"
)
@click.option(
    "--timeout", type=click.FloatRange(min=1), metavar="SECONDS", help="With --confirm: time for each process."
)
@click.option(
    "--allow-probes", is_flag=True, help="With --confirm: run the probes, too, that rules and the configuration name."
)
def command(
    options: RunOptions,
    *,
    unsafe_fixes: bool,
    diff: bool,
    interactive: bool,
    exit_non_zero_on_fix: bool,
    confirm: bool,
    python: str | None,
    timeout: float | None,
    allow_probes: bool,
) -> int:
    """Mend what breaks in PATHS (the current folder where none is given), where that is safe.

    A fix is only kept where the changed files parse, its finding is gone and no new one has come; each file is
    replaced in one step. Findings below --level are left alone; of rules that --select names, those of every level
    are mended. JSON tells of the findings
    as they were, with what was done; every other format tells what is left. Only --confirm runs the code that it mends.
    """
    how = {"--python": python is not None, "--timeout": timeout is not None, "--allow-probes": allow_probes}
    word = next((option for option, given in how.items() if given), None)
    if word is not None and not confirm:
        raise UsageError(f"{word} says how to run fixes; add --confirm")
    wish = Wish(
        unsafe=unsafe_fixes,
        diff=diff,
        interactive=interactive,
        exit_non_zero_on_fix=exit_non_zero_on_fix,
        confirm=confirm,
        python=python,
        timeout=timeout,
        allow_probes=allow_probes,
    )
    return run_fix(options, wish)


def run_fix(options: RunOptions, wish: Wish) -> int:
    """Fix, report, and return the exit status; for `hwlint fix` and `hwlint check --fix`."""
    from hwlint.cli.options import flatten
    from hwlint.workflow.fix import fix

    if wish.diff and options.output_format != "text":
        raise UsageError("--diff writes a diff; leave out --output-format, or leave out --diff")
    settings = options.settings(with_select=False)
    result = fix(
        options.places,
        settings,
        unsafe=wish.unsafe,
        select=flatten(options.select) or (),
        diff=wish.diff,
        ask=_asking() if wish.interactive else None,
        trial=_trying(settings, wish) if wish.confirm else None,
        jobs=options.jobs,
        use_cache=not options.no_cache,
    )
    if wish.diff:
        _show_diff(result, settings, options, wish)
    else:
        _show(result, settings, options)
    if options.exit_zero:
        return Status.CLEAN
    if result.changed and wish.exit_non_zero_on_fix:
        return Status.FINDINGS
    status = status_of(result.report if wish.diff else result.after, settings.level)
    return Status.INCOMPLETE if status is Status.CLEAN and result.not_written else status


def _show(result: FixResult, settings: Settings, options: RunOptions) -> None:
    if options.output_format == "json":
        write_report(result.report, settings, options)
        return
    heading = _told(result, options) if options.output_format in FOR_PEOPLE else ""
    from hwlint.workflow.offer import with_fixes

    write_report(with_fixes(result.after, settings), settings, options, heading=heading)


def _show_diff(result: FixResult, settings: Settings, options: RunOptions, wish: Wish) -> None:
    """Write the diff where the user wants it, and what there is to say of it beside it."""
    if options.output_file is None and wants_color(file=None):
        emit(_painted(result.diff))
    else:
        emit(result.diff, file=options.output_file, machine=True)
    from hwlint.report.fixed import render_left

    told = _told(result, options, would=True) + render_left(result.report.findings, unsafe=wish.unsafe)
    if not told and status_of(result.report, settings.level) is Status.FINDINGS:
        told = _NOTHING_TO_MEND
    click.echo(told, nl=False, err=True)


def _painted(diff: bytes) -> str:
    """Return a diff for a terminal: coloured, and without what could steer the terminal."""
    from hwlint.report.display import printable
    from hwlint.report.styles import Painter, Style

    styles = {"+": Style.ADDED, "-": Style.REMOVED, "@": Style.GUTTER}
    painter = Painter(color=True)
    lines = diff.decode("utf-8", "backslashreplace").split("\n")
    shown = ((line[:1], line[:1] + printable(line[1:].removesuffix("\r").replace("\t", "    "))) for line in lines)
    return "\n".join(painter.paint(text, styles[sign]) if sign in styles else text for sign, text in shown)


def _told(result: FixResult, options: RunOptions, *, would: bool = False) -> str:
    from hwlint.report.fixed import render_fixed
    from hwlint.report.styles import Painter

    late = {id(one.fix): "it waited for another fix of the same text" for one in result.waited}
    return render_fixed(
        [(one.finding, one.fix, late.get(id(one.fix), "")) for one in result.applied],
        [(one.finding, one.fix, one.reason) for one in result.refused],
        [(one.finding, one.fix, one.reason) for one in result.along],
        len(result.changed),
        Painter(color=wants_color(file=options.output_file) and not would),
        would=would,
    )


def _trying(settings: Settings, wish: Wish) -> Try:
    from hwlint.confirm.replay import DEFAULT_SECONDS, RunSettings, find_interpreter
    from hwlint.workflow.trial import on_device

    python = find_interpreter(wish.python or sys.executable)
    run = RunSettings(python=python, seconds=wish.timeout or DEFAULT_SECONDS)
    return on_device(settings, run, probes_allowed=wish.allow_probes)


def _asking() -> Ask:
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise UsageError("--interactive asks on a terminal, and this is none; look with --diff, choose with --select")
    from hwlint.cli.asking import Asker

    return Asker()
