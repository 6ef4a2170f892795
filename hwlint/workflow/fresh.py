"""Analyse a project from its sources: choose, evaluate, judge, and mark what is suppressed."""

from __future__ import annotations

import time
from collections.abc import Sequence

from hwlint import __version__
from hwlint.hardware.table import Catalogue
from hwlint.hardware.targets import parse_targets
from hwlint.judge.fingerprint import with_fingerprints
from hwlint.judge.judge import judge
from hwlint.model.architecture import Architecture
from hwlint.model.errors import SettingsError, UsageError
from hwlint.model.finding import Level
from hwlint.model.observation import Blank, Lookup, Observation
from hwlint.model.outcome import NotKnown
from hwlint.model.report import Report, Summary, UnknownSite
from hwlint.rulebook.rules import Rulebook, load_rules, select
from hwlint.workflow.cache import Cache
from hwlint.workflow.company import asked_about, in_company
from hwlint.workflow.declared import unresolved_origins
from hwlint.workflow.observe import Seen, observe
from hwlint.workflow.resume import facts_from, resumed
from hwlint.workflow.scope import Scope
from hwlint.workflow.settings import Settings
from hwlint.workflow.stages import Stages
from hwlint.workflow.upkeep import marked, unreadable


def analyse_and_keep(scope: Scope, settings: Settings, jobs: int, cache: Cache, stages: Stages | None = None) -> Report:
    """Do what `analyse` does, start from what an earlier run found out, and keep what this one does."""
    began = time.monotonic()
    stages = stages or Stages()
    rules = _rules(settings)  # what the user has to mend is told before anything is worked out
    wide = in_company(settings)
    seen = facts = None
    with stages.stage("facts"):
        known = cache.facts(scope, settings)
    if known is not None:
        again = resumed(known, scope, wide, cache.contents(scope), jobs, stages)
        seen, facts = again if again is not None else (None, None)
    if seen is None:
        seen = observe(scope, wide, jobs, keep=True, stages=stages)
        with stages.stage("keep"):
            facts = facts_from(seen, cache.contents(scope), scope.sources)
    if facts is not None:
        with stages.stage("keep"):
            cache.keep(scope, settings, facts)
    return _judged(scope, settings, seen, *rules, stages, began)


def analyse(
    scope: Scope, settings: Settings, jobs: int, *, seen: Seen | None = None, stages: Stages | None = None
) -> Report:
    """Return everything found in a scope, at every level; suppressed findings are marked.

    `seen` is what `observe` gave for the same scope and settings, where the caller has it already.
    Raises UsageError or SettingsError for what the user has to mend first.
    """
    began = time.monotonic()
    stages = stages or Stages()
    rules = _rules(settings)
    seen = observe(scope, in_company(settings), jobs, stages=stages) if seen is None else seen
    return _judged(scope, settings, seen, *rules, stages, began)


def _judged(
    scope: Scope,
    settings: Settings,
    seen: Seen,
    rulebook: Rulebook,
    chosen: frozenset[str],
    stages: Stages,
    began: float,
) -> Report:
    """What the rules say of what was seen; `began` is when the run did."""
    sources, files, reported = scope.sources, scope.files, scope.reported
    observations, everyone = seen.observations, seen.targets
    asked = asked_about(settings, everyone)
    with stages.stage("judge"):
        rules = [rule for rule in rulebook.active if rule.id in chosen]
        found = judge(observations, rules, everyone, floor=_floor(settings, seen.catalogue, everyone), asked=asked)
        failures = tuple(sorted({*scope.failures, *sources.failures, *seen.failures}))
        found = [finding for finding in found if finding.span.path in reported]
        found += unreadable(failures, rulebook, chosen, reported)
        undeclared = rulebook.find("unresolved-origin")
        if settings.origins and undeclared is not None and undeclared.id in chosen:
            found += unresolved_origins(settings.origins, settings.file, settings.root, sources, files, undeclared)
        found = with_fingerprints(found)
        found = marked(found, sources, settings, rulebook, chosen, sorted(reported))
    unknown = _unknown(observations, reported, asked)
    counts = {level: sum(f.level is level and f.suppressed is None for f in found) for level in Level}
    summary = Summary(
        files=len(files),
        parsed=len(seen.parsed),
        error=counts[Level.ERROR],
        warning=counts[Level.WARNING],
        note=counts[Level.NOTE],
        unknown=len(unknown),
        seconds=round(time.monotonic() - began, 3),
    )
    names = tuple(row.name for bit, row in enumerate(everyone) if asked >> bit & 1)
    ordered = tuple(sorted(found, key=lambda finding: (finding.span, finding.rule, finding.targets)))
    return Report(__version__, names, ordered, unknown, failures, summary, str(settings.root))


def _rules(settings: Settings) -> tuple[Rulebook, frozenset[str]]:
    """The rules, and which of them the settings choose."""
    rulebook = load_rules(settings.extend_rules)
    for words in settings.per_file_ignores.values():
        select(rulebook, words)  # only to refuse a word that names no rule: it would ignore nothing, silently
    return rulebook, select(rulebook, settings.select, settings.ignore)


def _floor(settings: Settings, catalogue: Catalogue, targets: Sequence[Architecture]) -> int:
    """The architectures below the configured floor, as a bit set over the targets."""
    if settings.floor is None:
        return 0
    try:
        kept = {row.name for row in parse_targets(f"{settings.floor}+", catalogue)}
    except UsageError as error:
        raise SettingsError(
            f"`floor` is `{settings.floor}`, but must be one architecture such as `sm_80`; `hwlint archs` lists them"
        ) from error
    return sum(1 << bit for bit, row in enumerate(targets) if row.name not in kept)


def _unknown(observations: Sequence[Observation], reported: frozenset[str], asked: int) -> tuple[UnknownSite, ...]:
    sites = set()
    for seen in observations:
        if seen.place.path not in reported:
            continue
        if isinstance(seen, Blank):
            sites.add(UnknownSite(seen.place.path, seen.place.span.line, f"{seen.what}: {seen.reason}"))
        elif isinstance(seen, Lookup):
            for happening in seen.happenings:
                if isinstance(happening.outcome, NotKnown) and happening.mask & asked:
                    reason = f"a lookup in {seen.table.name}: {happening.outcome.reason}"
                    sites.add(UnknownSite(seen.place.path, seen.place.span.line, reason))
    return tuple(sorted(sites))
