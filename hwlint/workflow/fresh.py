"""Analyse a project from its sources: choose, evaluate, judge, and mark what is suppressed."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

from hwlint import __version__
from hwlint.evaluate.recorder import Recorder
from hwlint.graph.modules import ModuleTable
from hwlint.hardware.additions import extend
from hwlint.hardware.table import Catalogue, load
from hwlint.hardware.targets import parse_targets
from hwlint.judge.fingerprint import with_fingerprints
from hwlint.judge.judge import judge
from hwlint.model.architecture import Architecture
from hwlint.model.finding import Level
from hwlint.model.observation import Blank, Lookup, Observation
from hwlint.model.outcome import NotKnown
from hwlint.model.report import Report, Summary, UnknownSite
from hwlint.rulebook.origins import load_origins
from hwlint.rulebook.rules import load_rules, select
from hwlint.source.classify import is_test_path
from hwlint.workflow.analyse import Plan, choose, evaluate
from hwlint.workflow.declared import unresolved_origins
from hwlint.workflow.scope import Scope
from hwlint.workflow.settings import Settings
from hwlint.workflow.upkeep import marked, unreadable
from hwlint.workflow.workers import Workers


def analyse(scope: Scope, settings: Settings, jobs: int) -> Report:
    """Return everything found in a scope, at every level; suppressed findings are marked.

    Raises UsageError or SettingsError for what the user has to mend first.
    """
    began = time.monotonic()
    catalogue = extend(load(), settings.architectures)
    targets = parse_targets(",".join(settings.targets), catalogue)
    rulebook = load_rules(settings.extend_rules)
    chosen = select(rulebook, settings.select, settings.ignore)
    origins = load_origins(declared=settings.origins)
    sources, files, reported = scope.sources, scope.files, scope.reported
    table = ModuleTable.build(files, settings.root.as_posix())
    with Workers(sources, files, jobs) as workers:
        relevance = choose(workers, files, origins)
        roots = sorted(path for path in relevance.files if settings.include_tests or not is_test_path(path))
        results = evaluate(workers, Plan(targets, origins, table, relevance), roots)
    observations = _merged({path: result.observations for path, result in results.items()})
    parsed = sources.parsed.union(*(result.parsed for result in results.values()))
    broken = {failure for result in results.values() for failure in result.failures}
    rules = [rule for rule in rulebook.active if rule.id in chosen]
    found = judge(observations, rules, targets, floor=_floor(settings, catalogue, targets))
    failures = tuple(sorted({*scope.failures, *sources.failures, *broken}))
    found = [finding for finding in found if finding.span.path in reported]
    found += unreadable(failures, rulebook, chosen, reported)
    undeclared = rulebook.find("unresolved-origin")
    if settings.origins and undeclared is not None and undeclared.id in chosen:
        found += unresolved_origins(settings.origins, settings.file, settings.root, sources, files, undeclared)
    found = with_fingerprints(found)
    found = marked(found, sources, settings, rulebook, chosen, sorted(reported))
    unknown = _unknown(observations, reported)
    counts = {level: sum(f.level is level and f.suppressed is None for f in found) for level in Level}
    summary = Summary(
        files=len(files),
        parsed=len(parsed),
        error=counts[Level.ERROR],
        warning=counts[Level.WARNING],
        note=counts[Level.NOTE],
        unknown=len(unknown),
        seconds=round(time.monotonic() - began, 3),
    )
    names = tuple(row.name for row in targets)
    ordered = tuple(sorted(found, key=lambda finding: (finding.span, finding.rule, finding.targets)))
    return Report(__version__, names, ordered, unknown, failures, summary, str(settings.root))


def _merged(results: Mapping[str, Sequence[Observation]]) -> list[Observation]:
    """Join what different files saw of the same place; the order of files decides which trace is kept."""
    recorder = Recorder()
    for path in sorted(results):
        for seen in results[path]:
            recorder.absorb(seen)
    return recorder.observations()


def _floor(settings: Settings, catalogue: Catalogue, targets: Sequence[Architecture]) -> int:
    """The architectures below the configured floor, as a bit set over the targets."""
    if settings.floor is None:
        return 0
    kept = {row.name for row in parse_targets(f"{settings.floor}+", catalogue)}
    return sum(1 << bit for bit, row in enumerate(targets) if row.name not in kept)


def _unknown(observations: Sequence[Observation], reported: frozenset[str]) -> tuple[UnknownSite, ...]:
    sites = set()
    for seen in observations:
        if seen.place.path not in reported:
            continue
        if isinstance(seen, Blank):
            sites.add(UnknownSite(seen.place.path, seen.place.span.line, f"{seen.what}: {seen.reason}"))
        elif isinstance(seen, Lookup):
            for happening in seen.happenings:
                if isinstance(happening.outcome, NotKnown):
                    reason = f"a lookup in {seen.table.name}: {happening.outcome.reason}"
                    sites.add(UnknownSite(seen.place.path, seen.place.span.line, reason))
    return tuple(sorted(sites))
