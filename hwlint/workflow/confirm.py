"""Confirm fixes: run what fails before and after each of them, and keep what was seen."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from hwlint.confirm.applied import Applied, load_applied
from hwlint.confirm.device import Here, disagreements, here_from
from hwlint.confirm.export import read_results, write_jobs
from hwlint.confirm.job import Blobs, fix_fingerprint, make_job
from hwlint.confirm.limits import Difference
from hwlint.confirm.record import Record, by_fix, confirmation, lacking, load, place_for_records, records_of, save
from hwlint.confirm.replay import RunSettings, run_jobs
from hwlint.confirm.verdict import Verdict
from hwlint.hardware.additions import extend
from hwlint.hardware.table import Catalogue
from hwlint.hardware.table import load as load_catalogue
from hwlint.model.errors import UsageError
from hwlint.model.finding import Edit, Finding, Fix, Safety
from hwlint.model.report import Report
from hwlint.workflow.offer import with_fixes
from hwlint.workflow.probes import Probes, gather
from hwlint.workflow.settings import Settings


@dataclass(frozen=True, slots=True)
class Wish:
    """What a run of `confirm` is to do beyond replaying: probes as the user wrote them, and what goes along."""

    probes: tuple[str, ...] = ()
    probes_allowed: bool = False
    together: bool = False
    """Make the other fixes' edits along with each fix, as `fix` would."""
    given: Mapping[str, str] | None = None
    """Source of values that the code before a lookup does not give, by name."""
    quiet: bool = True


@dataclass(frozen=True, slots=True)
class Confirmed:
    """What a run of `confirm` showed.

    `report` is what `check` found, with `fixes[].confirmation` set; `records` are those of this run; `differences`
    are facts on which the catalogue and a device here disagree. `here` is None where nothing was run.
    """

    report: Report
    records: tuple[Record, ...]
    differences: tuple[Difference, ...]
    here: Here | None
    exported: int = 0
    """How many jobs were written to the export file instead of being run."""
    waiting: tuple[str, ...] = ()
    """Probes that the configuration or a rule names for these findings, and that nobody allowed."""

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """The verdict of each fix that was tried, over its architectures."""
        groups = by_fix(self.records).values()
        return tuple(max((Verdict(one["verdict"]) for one in group), key=lambda it: it.rank) for group in groups)


def confirm(
    paths: Sequence[Path],
    settings: Settings,
    run: RunSettings,
    *,
    wish: Wish | None = None,
    export: Path | None = None,
    jobs: int | None = None,
    use_cache: bool = True,
) -> Confirmed:
    """Check `paths`, then run every fix of what was found there before and after its edit, for each architecture.

    With `export` the jobs are written to that file and nothing is run. The project is never written to, except for
    the records below `.hwlint/confirmations/`. Raises UsageError for a probe, a table or a place that is not there.
    """
    wish = wish or Wish()
    report = with_fixes(_checked(paths, settings, jobs=jobs, use_cache=use_cache), settings)
    catalogue = extend(load_catalogue(), settings.architectures)
    blobs = Blobs()
    fixes = _to_confirm(report, settings)
    findings = [finding for finding, _ in fixes]
    probes = gather(wish.probes, settings, findings, allowed=wish.probes_allowed)
    made = make_jobs(fixes, settings, catalogue, blobs, wish, probes=probes)
    waiting = probes.waiting(findings)
    if export is not None:
        write_jobs(export, made, blobs, seconds=run.seconds, memory=run.memory)
        return Confirmed(with_records(report, settings.root), (), (), None, exported=len(made), waiting=waiting)
    if made:
        place_for_records(settings.root)
    results = run_jobs(made, blobs, run, quiet=wish.quiet)
    return replace(_kept(report, settings.root, results, catalogue), waiting=waiting)


def take_in(paths: Sequence[Path], settings: Settings, files: Sequence[Path], *, jobs: int | None = None) -> Confirmed:
    """Read results that other machines wrote, keep their records, and report them on what `check` finds now."""
    catalogue = extend(load_catalogue(), settings.architectures)
    every = [read_results(file) for file in files]
    report = with_fixes(_checked(paths, settings, jobs=jobs, use_cache=True), settings)
    kept = [_kept(report, settings.root, results, catalogue) for results in every]
    if not kept:
        raise UsageError("there is nothing to import; give the results.json that `python jobs.zip` wrote")
    records = tuple(record for one in kept for record in one.records)
    differences = tuple(dict.fromkeys(found for one in kept for found in one.differences))
    return replace(kept[-1], records=records, differences=differences)


def confirm_fixes(
    fixes: Iterable[tuple[Finding, Fix]],
    settings: Settings,
    run: RunSettings,
    *,
    wish: Wish | None = None,
    overlay: Mapping[str, str] | None = None,
) -> dict[str, Record]:
    """Run fixes and return, by fix fingerprint, the record that outweighs the others; for `hwlint fix --confirm`.

    `overlay` holds the texts of files that earlier rounds have changed in memory. The records are kept.
    """
    catalogue = extend(load_catalogue(), settings.architectures)
    blobs = Blobs(overlay=dict(overlay or {}))
    made = make_jobs(list(fixes), settings, catalogue, blobs, wish or Wish(together=True))
    if made:
        place_for_records(settings.root)
    records = records_of(run_jobs(made, blobs, run))
    save(settings.root, records)
    groups = by_fix(records)
    return {name: max(group, key=lambda one: Verdict(one["verdict"]).rank) for name, group in groups.items()}


def with_records(report: Report, root: Path) -> Report:
    """Return the report with what the kept records say of its fixes; for every format of every command."""
    known = by_fix(load(root))
    if not known:
        return report
    return replace(report, findings=tuple(_with_records(finding, root, known) for finding in report.findings))


def unconfirmed(root: Path) -> tuple[tuple[Applied, str], ...]:
    """Return the applied fixes that no fresh record of a device confirms, and why; for `--require-confirmed`."""
    applied = load_applied(root)
    reasons = lacking(root, [one.fingerprint for one in applied])
    return tuple((one, reasons[one.fingerprint]) for one in applied if one.fingerprint in reasons)


def make_jobs(
    fixes: Sequence[tuple[Finding, Fix]],
    settings: Settings,
    catalogue: Catalogue,
    blobs: Blobs,
    wish: Wish,
    *,
    probes: Probes | None = None,
) -> list[dict[str, Any]]:
    """Return one job for each fix and each architecture that it is to mend.

    `probes` are those that `wish`, the settings and the rules name, where they have been gathered already.
    """
    probes = probes or gather(wish.probes, settings, [finding for finding, _ in fixes], allowed=wish.probes_allowed)
    jobs: list[dict[str, Any]] = []
    for finding, fix in fixes:
        probe = probes.choose(finding)
        together = _others(fix, fixes) if wish.together else []
        for name in fix.targets or finding.targets:
            architecture = catalogue.find(name)
            if architecture is None:
                continue
            jobs.append(
                make_job(
                    finding,
                    fix,
                    architecture,
                    settings.root,
                    blobs,
                    together=together,
                    probe=probe,
                    given=wish.given,
                )
            )
    return jobs


def _checked(paths: Sequence[Path], settings: Settings, *, jobs: int | None, use_cache: bool) -> Report:
    from hwlint.workflow.check import check

    return check(paths, settings, jobs=jobs, use_cache=use_cache)


def _to_confirm(report: Report, settings: Settings) -> list[tuple[Finding, Fix]]:
    """Return the fixes of findings that count, each with its finding; suggestions have nothing to run."""
    return [
        (finding, fix)
        for finding in report.findings
        if finding.suppressed is None and finding.level.rank >= settings.level.rank
        for fix in finding.fixes
        if fix.edits and fix.safety is not Safety.DISPLAY
    ]


def _kept(report: Report, root: Path, results: Mapping[str, Any], catalogue: Catalogue) -> Confirmed:
    records = records_of(results)
    save(root, records)
    here = here_from(results["environment"])
    return Confirmed(with_records(report, root), tuple(records), disagreements(here, catalogue.architectures), here)


def _with_records(finding: Finding, root: Path, known: Mapping[str, Sequence[Record]]) -> Finding:
    fixes = tuple(
        replace(fix, confirmation=confirmation(root, known[fingerprint]))
        if (fingerprint := fix_fingerprint(finding, fix)) in known
        else fix
        for fix in finding.fixes
    )
    return replace(finding, fixes=fixes)


def _others(fix: Fix, fixes: Sequence[tuple[Finding, Fix]]) -> list[Edit]:
    """Return the edits of the first fix of every other finding, as far as they leave this one's text alone."""
    taken = list(fix.edits)
    chosen: list[Edit] = []
    seen: set[int] = set()
    for finding, other in fixes:
        if other is fix or id(finding) in seen or fix in finding.fixes:
            continue
        seen.add(id(finding))
        new = [edit for edit in other.edits if edit not in taken]
        if not any(_clash(edit, mine) for edit in new for mine in taken):
            taken += new
            chosen += new
    return chosen


def _clash(one: Edit, two: Edit) -> bool:
    if one.span.path != two.span.path:
        return False
    first, second = sorted((one.span, two.span))
    return (second.line, second.column) < (first.end_line, first.end_column) or first == second
