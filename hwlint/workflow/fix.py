"""Mend what check finds: rounds of planning and verifying in memory, then the files in one go."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from hwlint.fix.attach import attach_fixes
from hwlint.fix.plan import Choice, Plan, Refusal, make_plan
from hwlint.fix.replace import NotReplaced
from hwlint.fix.verify import Recheck, TextOf, Verified, verify
from hwlint.hardware.additions import extend
from hwlint.hardware.table import load
from hwlint.model.finding import Finding, Fix, Level, Safety
from hwlint.model.report import Report
from hwlint.rulebook.rules import load_rules
from hwlint.rulebook.rules import select as select_rules
from hwlint.source.discover import discover
from hwlint.workflow.check import check
from hwlint.workflow.ledger import Ledger, Trial
from hwlint.workflow.originals import Originals
from hwlint.workflow.settings import Settings

_MOST_ROUNDS = 10
"""Fixes that clash wait for the next round; code that still changes after this many is left for another run."""

Offer = Callable[[Sequence[Finding], TextOf], tuple[Finding, ...]]
"""Gives findings their fixes, for texts that it can ask for by path."""

Ask = Callable[[Finding, Fix, TextOf], bool]
"""Says whether a fix may be tried; the texts are those that its edits speak of."""

Try = Callable[[Sequence[Choice], Mapping[str, str]], Mapping[Choice, Trial]]
"""Runs fixes on a device, each on top of the given texts; for `fix --confirm`."""


@dataclass(frozen=True, slots=True)
class FixResult:
    """What one run of `fix` did.

    `report` is what was found before, with `applied` or `refused` set on the fixes that were tried; `after` is what a
    check of the changed files finds. `changed` are the paths of the files that were replaced (or, with `diff`, that
    would be), `diff` is the unified diff of all changes. `refused` are fixes that were not applied, with the reason,
    `waited` are fixes that were applied in a later round, because they changed the same text as others, `along` are
    those that were not needed any more once the others were in, and `not_written` are files that could not be replaced
    although their fixes hold (or, with `diff`, could not hold the new text).
    """

    report: Report
    after: Report
    changed: tuple[str, ...]
    diff: bytes
    applied: tuple[Choice, ...]
    refused: tuple[Refusal, ...]
    waited: tuple[Refusal, ...]
    along: tuple[Refusal, ...]
    not_written: tuple[NotReplaced, ...]


def fix(
    paths: Sequence[Path],
    settings: Settings,
    *,
    unsafe: bool = False,
    select: Sequence[str] = (),
    diff: bool = False,
    ask: Ask | None = None,
    trial: Try | None = None,
    jobs: int | None = None,
    use_cache: bool = True,
) -> FixResult:
    """Fix what a check of `paths` finds at the level of `settings` or above, and replace the files unless `diff`.

    Safe fixes are applied, with `unsafe` all that are more than suggestions. `select` (ids, beginnings of ids, names)
    narrows the run to some rules and takes them at any level. So that no fix trades one finding for another, all
    rules run, on the whole project, whatever `select` and `paths` leave out. `ask` is asked about each fix before it
    is tried, `trial` runs those that hold. Raises UsageError or SettingsError for what the user has to mend first.
    """
    catalogue = extend(load(), settings.architectures)
    rulebook = load_rules(settings.extend_rules)
    rules = {rule.id: rule for rule in rulebook.rules}
    wanted = select_rules(rulebook, select, settings.ignore) if select else frozenset()
    if wanted:
        settings = replace(
            settings, select=tuple(sorted(wanted | select_rules(rulebook, settings.select, settings.ignore)))
        )

    asked = discover(settings.root, paths, exclude=settings.exclude, force_exclude=settings.force_exclude)
    scope = frozenset(asked.files)
    everything = (*(path for path in paths if path.is_file()), *settings.folders)

    def recheck(overlay: Mapping[str, str]) -> Report:
        return check(everything, settings, jobs=jobs, use_cache=use_cache, overlay=overlay)

    def offer(findings: Sequence[Finding], text_of: TextOf) -> tuple[Finding, ...]:
        return attach_fixes(findings, text_of, catalogue, rules)

    result = mend(
        recheck,
        offer,
        settings.root,
        unsafe=unsafe,
        write=not diff,
        level=settings.level,
        select=sorted(wanted),
        scope=scope,
        ask=ask,
        trial=trial,
        before_writing=partial(_note, settings.root),
    )
    report, after = (_only(one, wanted, scope) for one in (result.report, result.after))
    return replace(result, report=report, after=after)


def _note(root: Path, applied: Sequence[Choice]) -> None:
    """Remember what is let in untested, so that `check --require-confirmed` can ask for its confirmation.

    This comes before the files are written: a killed run leaves no untested entry that nobody knows of, and what is
    on the list without being in its file counts for nothing.
    """
    untested = [(one.finding, one.fix) for one in applied if one.fix.safety is Safety.UNSAFE]
    if untested:
        from hwlint.confirm.applied import note_applied

        note_applied(root, untested)


def mend(
    recheck: Recheck,
    offer: Offer,
    root: Path,
    *,
    unsafe: bool,
    write: bool,
    level: Level = Level.WARNING,
    select: Sequence[str] = (),
    scope: Collection[str] | None = None,
    ask: Ask | None = None,
    trial: Try | None = None,
    before_writing: Callable[[Sequence[Choice]], None] | None = None,
) -> FixResult:
    """Find, plan, verify, and where `write` is true replace the files.

    `recheck` checks the project with given texts in place of files, `offer` gives findings their fixes. Findings
    below `level` are left alone, except those of rules named by `select` (ids, prefixes of ids or names), which
    narrows the run to them; where `scope` is given, only findings in these files are mended. Nothing is written
    before the last round has come to rest and `before_writing` has been told what will be.
    """
    originals = Originals(root)
    before = report = recheck({})
    overlay: dict[str, str] = {}
    ledger = Ledger()

    def text_of(path: str) -> str | None:
        return overlay.get(path) if path in overlay else originals.text(path)

    def recheck_more(texts: Mapping[str, str]) -> Report:
        return recheck({**overlay, **texts})

    def may(finding: Finding, one: Fix) -> bool:
        return ask is None or ask(finding, one, text_of)

    stuck: dict[str, NotReplaced] = {}

    def storable(verified: Verified) -> list[Choice]:
        stuck.update({one.path: one for one in originals.obstacles(verified.texts, write=write)})
        return ledger.stored(verified.applied, stuck)

    def tried(verified: Verified) -> list[Choice]:
        if trial is None or not verified.applied:
            return list(verified.applied)
        return ledger.tried(trial(verified.applied, overlay))

    for _ in range(_MOST_ROUNDS):
        within = [one for one in report.findings if scope is None or one.span.path in scope]
        wanted = [one for one in within if one.suppressed is None and _is_wanted(one, level, select)]
        offered = [ledger.left(one) for one in offer(wanted, text_of)]
        ledger.found += offered
        plan = make_plan(offered, unsafe=unsafe, ask=may)
        ledger.deferred += plan.deferred
        if not plan.chosen:
            if ledger.reconsider():
                continue
            break
        verified = verify(plan, report, text_of, recheck_more)
        for keep in (storable, tried):
            kept = keep(verified)
            if len(kept) < len(verified.applied):
                ledger.refuse_for_now(verified.refused)
                verified = verify(Plan(tuple(kept), plan.deferred), report, text_of, recheck_more)
        ledger.refuse_for_now(verified.refused)
        ledger.applied += verified.applied
        overlay |= verified.texts
        report = verified.report
    if write and before_writing is not None:
        before_writing(ledger.applied)
    together = [{edit.span.path for edit in choice.fix.edits} for choice in ledger.applied]
    changed, failed = originals.write(overlay, together) if write else (tuple(sorted(overlay)), ())
    if failed:
        report = recheck({path: overlay[path] for path in changed})
    late = ledger.settle(report, {one.path: one.reason for one in failed})
    not_written = {**stuck, **{one.path: one for one in failed}}
    return FixResult(
        report=ledger.mark(before),
        after=report,
        changed=changed,
        diff=originals.diff(overlay),
        applied=tuple(ledger.applied),
        refused=tuple(ledger.refused.values()),
        waited=late.waited,
        along=late.along,
        not_written=tuple(not_written[path] for path in sorted(not_written) if path not in changed),
    )


def _is_wanted(finding: Finding, level: Level, select: Sequence[str]) -> bool:
    if select:
        return any(finding.name == one or finding.rule.startswith(one) for one in select)
    return finding.level.rank >= level.rank


def _only(report: Report, rules: Collection[str], scope: Collection[str]) -> Report:
    """Return what of a report is about these files and rules (all where there are none)."""
    findings = tuple(one for one in report.findings if one.span.path in scope and (not rules or one.rule in rules))
    unknown = tuple(one for one in report.unknown if one.path in scope)
    return replace(report, findings=findings, unknown=unknown, summary=replace(report.summary, unknown=len(unknown)))
