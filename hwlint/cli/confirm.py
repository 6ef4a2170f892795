"""`hwlint confirm`: run fixes on the device that is here, and keep what was seen."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from hwlint.cli.options import SOME_PATH, flatten, manual
from hwlint.cli.output import columns, emit, wants_color
from hwlint.cli.run_options import (
    CACHE_DIR,
    CONFIG,
    IGNORE,
    INCLUDE_TESTS,
    ISOLATED,
    JOBS,
    LEVEL,
    NO_CACHE,
    OUTPUT_FILE,
    PATHS,
    SELECT,
    TARGETS,
    output_format,
    project_settings,
)
from hwlint.cli.status import Status
from hwlint.model.errors import UsageError
from hwlint.model.finding import Level

if TYPE_CHECKING:
    from hwlint.confirm.verdict import Verdict
    from hwlint.workflow.confirm import Confirmed
    from hwlint.workflow.settings import Settings

_FORMATS = ("text", "full", "json", "sarif")
_MIB = 1024 * 1024


_MANUAL = manual(
    {
        "hwlint confirm": "on the device that is here",
        "hwlint confirm --python /opt/venv/bin/python": "with the interpreter that has your torch",
        "hwlint confirm --export jobs.zip": "for another machine: python jobs.zip",
        "hwlint confirm --import results.json": "and its answers back",
        "hwlint confirm --list": "what is on record",
    },
    {
        0: "a device confirms every fix, or there is none to confirm",
        1: "a fix is refuted",
        2: "wrong usage or configuration",
        3: "nothing is refuted, but not all was shown on a device (simulated, compiled)",
    },
)


@click.command("confirm", short_help="Run fixes on the device that is here, before and after.", epilog=_MANUAL)
@PATHS
@click.option(
    "--python", default=sys.executable, metavar="EXE", help="Interpreter that runs the code.  [default: hwlint's own]"
)
@click.option("--device", type=click.IntRange(min=0), metavar="N", help="Use this device only.")
@click.option(
    "--timeout", type=click.FloatRange(min=1), metavar="SECONDS", help="Time for each process.  [default: 120]"
)
@click.option("--memory", type=click.IntRange(min=64), metavar="MIB", help="Memory for each process.  [default: 16384]")
@click.option("--keep", is_flag=True, help="Leave the copies that were run on disk, and say where.")
@click.option(
    "--probe",
    "probes",
    multiple=True,
    metavar="[TABLE=]PROBE[:K=V,...]",
    help="Run this probe with the looked-up value: a bundled one (symmetric-memory, triton-tile, shared-memory, "
    "construct) or a .py file.",
)
@click.option("--allow-probes", is_flag=True, help="Run the probes, too, that rules and the configuration name.")
@click.option("--given", multiple=True, metavar="NAME=SOURCE", help="A value that the code before a lookup needs.")
@click.option("--together", is_flag=True, help="Apply the other fixes along with each fix.")
@click.option(
    "--export", type=SOME_PATH, metavar="ZIP", help="Write the jobs as one file (python jobs.zip), run nothing."
)
@click.option(
    "--import", "results", type=SOME_PATH, multiple=True, metavar="JSON", help="Take in what `python jobs.zip` wrote."
)
@click.option("--list", "only_list", is_flag=True, help="Show the records that are kept, run nothing.")
@TARGETS
@SELECT
@IGNORE
@LEVEL
@output_format(_FORMATS, "How to write the report.")
@OUTPUT_FILE
@click.option("--exit-zero", is_flag=True, help="Leave with 0 whatever is shown.")
@INCLUDE_TESTS
@ISOLATED
@CONFIG
@JOBS
@NO_CACHE
@CACHE_DIR
def command(
    paths: tuple[Path, ...],
    *,
    python: str,
    device: int | None,
    timeout: float | None,
    memory: int | None,
    keep: bool,
    probes: tuple[str, ...],
    allow_probes: bool,
    given: tuple[str, ...],
    together: bool,
    export: Path | None,
    results: tuple[Path, ...],
    only_list: bool,
    targets: tuple[tuple[str, ...], ...],
    select: tuple[tuple[str, ...], ...],
    ignore: tuple[tuple[str, ...], ...],
    level: str | None,
    output_format: str,
    output_file: Path | None,
    exit_zero: bool,
    include_tests: bool,
    isolated: bool,
    config: Path | None,
    jobs: int | None,
    no_cache: bool,
    cache_dir: Path | None,
) -> int:
    """Run every fix of what breaks in PATHS, before and after its edit, on a copy, and keep what was seen.

    This runs the code that it confirms: only for code that you would run. What was seen is kept in .hwlint/, and
    shown by --list.
    """
    from hwlint.confirm.replay import DEFAULT_MEMORY, DEFAULT_SECONDS, RunSettings, find_interpreter
    from hwlint.report.display import printable
    from hwlint.workflow import confirm as workflow

    paths = paths or (Path(),)
    if sum((export is not None, bool(results), only_list)) > 1:
        raise UsageError("--export, --import and --list exclude each other; give one of them")
    settings = project_settings(
        paths,
        config=config,
        isolated=isolated,
        targets=flatten(targets),
        select=flatten(select),
        ignore=flatten(ignore),
        level=None if level is None else Level(level),
        cache_dir=cache_dir,
        include_tests=include_tests or None,
    )
    if only_list:
        _list(settings, output_file)
        return Status.CLEAN
    run = RunSettings(
        python=python if results or export is not None else find_interpreter(python),
        device=device,
        seconds=timeout or DEFAULT_SECONDS,
        memory=memory * _MIB if memory else DEFAULT_MEMORY,
        keep=keep,
    )
    wish = workflow.Wish(probes, allow_probes, together, _given(given), quiet=not (keep or sys.stderr.isatty()))
    if results:
        shown = workflow.take_in(paths, settings, results, jobs=jobs)
    else:
        shown = workflow.confirm(paths, settings, run, wish=wish, export=export, jobs=jobs, use_cache=not no_cache)
    if shown.waiting:
        named = ", ".join(shown.waiting)
        click.echo(printable(f"hwlint: not run: the probes {named}; add --allow-probes to run them"), err=True)
    if export is not None:
        emit(f"{shown.exported} jobs in {export}; run `python {export.name}` where the device is.\n", file=output_file)
        return Status.CLEAN
    emit(
        _rendered(shown, settings, output_format, output_file),
        file=output_file,
        machine=output_format in ("json", "sarif"),
    )
    return Status.CLEAN if exit_zero else _status(shown.verdicts)


def _status(verdicts: Sequence[Verdict]) -> Status:
    if any(verdict.name == "REFUTED" for verdict in verdicts):
        return Status.FINDINGS
    return Status.CLEAN if all(verdict.shown_on_device for verdict in verdicts) else Status.INCOMPLETE


def _given(pairs: tuple[str, ...]) -> dict[str, str]:
    found: dict[str, str] = {}
    for pair in pairs:
        name, equals, source = pair.partition("=")
        if not equals or not name.isidentifier() or not source.strip():
            raise UsageError(f"--given {pair}: write NAME=SOURCE, for example --given world_size=2")
        found[name] = source
    return found


def _list(settings: Settings, file: Path | None) -> None:
    from hwlint.confirm.record import load
    from hwlint.confirm.show import as_text

    emit(as_text(load(settings.root), settings.root, here=None, differences=(), width=columns()), file=file)


def _rendered(shown: Confirmed, settings: Settings, fmt: str, file: Path | None) -> str:
    if fmt == "text":
        from hwlint.confirm.show import as_text

        return as_text(shown.records, settings.root, here=shown.here, differences=shown.differences, width=columns())
    from hwlint.report import render
    from hwlint.rulebook.rules import load_rules
    from hwlint.source.read import reader

    return render(
        shown.report,
        fmt,
        rules=load_rules(settings.extend_rules).infos,
        sources=reader(settings.root),
        color=wants_color(file=file),
        width=columns(),
        level=settings.level,
    )
