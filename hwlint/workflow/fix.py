"""Mend what check finds: rounds of planning and verifying in memory, then the files in one go."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from hwlint.fix.attach import attach_fixes
from hwlint.fix.plan import Ask, Choice, Identity, Refusal, identity, make_plan
from hwlint.fix.replace import NotReplaced, replace_text
from hwlint.fix.verify import Recheck, verify
from hwlint.hardware.additions import extend
from hwlint.hardware.table import load
from hwlint.model.finding import Finding, Fix, Level
from hwlint.model.report import Report
from hwlint.rulebook.rules import load_rules
from hwlint.source.read import Text, read
from hwlint.workflow.check import check
from hwlint.workflow.settings import Settings

_MOST_ROUNDS = 10
"""Fixes that clash wait for the next round; code that still changes after this many is left for another run."""

Offer = Callable[[Sequence[Finding], Callable[[str], str | None]], tuple[Finding, ...]]
"""Gives findings their fixes, for texts that it can ask for by path."""


@dataclass(frozen=True, slots=True)
class FixResult:
    """What one run of `fix` did.

    `report` is what was found before, with `applied` set on the fixes that were applied; `after` is what a check of
    the changed files finds. `changed` are the paths of the files that were replaced (or, with `diff`, that would be),
    `diff` is the unified diff of all changes. `refused` are fixes that were not applied, with the reason, and
    `not_written` are files that could not be replaced although their fixes hold.
    """

    report: Report
    after: Report
    changed: tuple[str, ...]
    diff: str
    applied: tuple[Choice, ...]
    refused: tuple[Refusal, ...]
    not_written: tuple[NotReplaced, ...]


def fix(
    paths: Sequence[Path],
    settings: Settings,
    *,
    unsafe: bool = False,
    select: Sequence[str] = (),
    diff: bool = False,
    ask: Ask | None = None,
    jobs: int | None = None,
    use_cache: bool = True,
) -> FixResult:
    """Fix what a check of `paths` finds at the level of `settings` or above, and replace the files unless `diff`.

    Safe fixes are applied, with `unsafe` all that are more than suggestions. `select` (ids, beginnings of ids, names)
    narrows the run to some rules and takes them at any level. `ask` is asked about each fix before it is tried.
    Raises UsageError or SettingsError for what the user has to mend first.
    """
    catalogue = extend(load(), settings.architectures)
    rules = {rule.id: rule for rule in load_rules(settings.extend_rules).rules}

    def recheck(overlay: Mapping[str, str]) -> Report:
        return check(paths, settings, jobs=jobs, use_cache=use_cache, overlay=overlay)

    def offer(findings: Sequence[Finding], text_of: Callable[[str], str | None]) -> tuple[Finding, ...]:
        return attach_fixes(findings, text_of, catalogue, rules)

    level = settings.level
    return mend(recheck, offer, settings.root, unsafe=unsafe, write=not diff, level=level, select=select, ask=ask)


def mend(
    recheck: Recheck,
    offer: Offer,
    root: Path,
    *,
    unsafe: bool,
    write: bool,
    level: Level = Level.WARNING,
    select: Sequence[str] = (),
    ask: Ask | None = None,
) -> FixResult:
    """Find, plan, verify, and where `write` is true replace the files.

    `recheck` checks the project with given texts in place of files, `offer` gives findings their fixes. Findings
    below `level` are left alone, except those of rules named by `select` (ids, prefixes of ids or names), which
    narrows the run to them. Nothing is written before the last round has come to rest.
    """
    originals = _Originals(root)
    before = report = recheck({})
    overlay: dict[str, str] = {}
    applied: list[Choice] = []
    refused: dict[tuple[Identity, str], Refusal] = {}
    found: list[Finding] = []

    def text_of(path: str) -> str | None:
        return overlay.get(path) if path in overlay else originals.text(path)

    def recheck_more(texts: Mapping[str, str]) -> Report:
        return recheck({**overlay, **texts})

    for _ in range(_MOST_ROUNDS):
        wanted = [one for one in report.findings if _is_wanted(one, level, select)]
        offered = [_left(one, refused) for one in offer([one for one in wanted if one.suppressed is None], text_of)]
        found += offered
        plan = make_plan(offered, unsafe=unsafe, ask=ask)
        if not plan.chosen:
            break
        verified = verify(plan, report, text_of, recheck_more)
        refused |= {(identity(one.finding), one.fix.title): one for one in verified.refused}
        if not verified.applied and not verified.refused:
            break
        applied += verified.applied
        overlay |= verified.texts
        report = verified.report
    changed, not_written = _write(root, originals, overlay) if write else (tuple(sorted(overlay)), ())
    if not_written:
        report = recheck({path: overlay[path] for path in changed})
    marked = _mark(before, found, applied, {one.path for one in not_written})
    diff = _diff(originals, overlay)
    return FixResult(marked, report, changed, diff, tuple(applied), tuple(refused.values()), not_written)


def unified_diff(path: str, old: str, new: str) -> str:
    """Return the unified diff of one file, as `git apply` takes it: line ends kept, a missing last one said."""
    lines = difflib.unified_diff(_lines(old), _lines(new), f"a/{path}", f"b/{path}")
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)


class _Originals:
    """The files as they were when first asked for; everything in one run speaks of these."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._read: dict[str, Text | None] = {}

    def get(self, path: str) -> Text | None:
        if path not in self._read:
            found = read(self._root, path)
            self._read[path] = found if isinstance(found, Text) else None
        return self._read[path]

    def text(self, path: str) -> str | None:
        found = self.get(path)
        return None if found is None else found.text


def _is_wanted(finding: Finding, level: Level, select: Sequence[str]) -> bool:
    if select:
        return any(finding.name == one or finding.rule.startswith(one) for one in select)
    return finding.level.rank >= level.rank


def _left(finding: Finding, refused: Mapping[tuple[Identity, str], Refusal]) -> Finding:
    """Return the finding without the fixes that were refused already, so that the next best one gets its turn."""
    return replace(finding, fixes=tuple(fix for fix in finding.fixes if (identity(finding), fix.title) not in refused))


def _write(
    root: Path, originals: _Originals, overlay: Mapping[str, str]
) -> tuple[tuple[str, ...], tuple[NotReplaced, ...]]:
    changed: list[str] = []
    failed: list[NotReplaced] = []
    for path in sorted(overlay):
        original = originals.get(path)
        if original is None or original.text == overlay[path]:
            continue
        outcome = replace_text(root, original, overlay[path])
        if isinstance(outcome, NotReplaced):
            failed.append(outcome)
        else:
            changed.append(path)
    return tuple(changed), tuple(failed)


def _mark(before: Report, found: Sequence[Finding], applied: Sequence[Choice], unwritten: set[str]) -> Report:
    """Return the first report with the fixes that were offered, and `applied` on those that were applied."""
    done = {
        (identity(choice.finding), choice.fix.title)
        for choice in applied
        if not unwritten & {edit.span.path for edit in choice.fix.edits}
    }
    offered: dict[tuple[Identity, tuple[str, ...]], tuple[Fix, ...]] = {}
    for finding in found:
        offered.setdefault((identity(finding), finding.targets), finding.fixes)
    findings = []
    for finding in before.findings:
        fixes = offered.get((identity(finding), finding.targets), finding.fixes)
        marked = tuple(replace(fix, applied=(identity(finding), fix.title) in done) for fix in fixes)
        findings.append(replace(finding, fixes=marked))
    return replace(before, findings=tuple(findings))


def _diff(originals: _Originals, overlay: Mapping[str, str]) -> str:
    return "".join(unified_diff(path, originals.text(path) or "", overlay[path]) for path in sorted(overlay))


def _lines(text: str) -> list[str]:
    """Split at line feeds only, as diff and git do; a carriage return stays part of its line."""
    return re.findall(r"[^\n]*\n|[^\n]+", text)
