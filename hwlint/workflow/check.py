"""Check a code base: find where it breaks on the architectures asked for."""

from __future__ import annotations

import gc
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from hwlint import __version__
from hwlint.evaluate.recorder import Recorder
from hwlint.graph.modules import ModuleTable
from hwlint.hardware.additions import extend
from hwlint.hardware.table import Catalogue, load
from hwlint.hardware.targets import parse_targets
from hwlint.judge import baseline, suppressions
from hwlint.judge.fingerprint import with_fingerprints
from hwlint.judge.judge import judge
from hwlint.model.architecture import Architecture
from hwlint.model.finding import Certainty, Finding, Level
from hwlint.model.observation import Blank, Lookup, Observation
from hwlint.model.outcome import NotKnown
from hwlint.model.report import Failure, Report, Summary, UnknownSite
from hwlint.model.rule import Rule
from hwlint.model.span import Span
from hwlint.rulebook.origins import load_origins
from hwlint.rulebook.rules import Rulebook, load_rules, select
from hwlint.source.classify import is_test_path
from hwlint.source.comments import Comments
from hwlint.source.comments import suppressions as comments_of
from hwlint.source.discover import discover
from hwlint.source.read import Text
from hwlint.workflow.analyse import Plan, choose, evaluate
from hwlint.workflow.declared import unresolved_origins
from hwlint.workflow.settings import Settings
from hwlint.workflow.sources import Sources
from hwlint.workflow.workers import Workers, usable_cores


def check(
    paths: Sequence[Path],
    settings: Settings,
    *,
    jobs: int | None = None,
    use_cache: bool = True,
    overlay: Mapping[str, str] | None = None,
) -> Report:
    """Check `paths` and return everything found there, at every level; suppressed findings are marked.

    The graph is made of all files of the project; only findings in `paths` are reported. `overlay` gives texts that
    stand in for files. Raises UsageError or SettingsError for what the user has to mend first.
    """
    began = time.monotonic()
    collecting = gc.isenabled()
    gc.disable()
    try:
        return _check(paths, settings, jobs or usable_cores(), dict(overlay or {}), began)
    finally:
        if collecting:
            gc.enable()


def _check(paths: Sequence[Path], settings: Settings, jobs: int, overlay: dict[str, str], began: float) -> Report:
    catalogue = extend(load(), settings.architectures)
    targets = parse_targets(",".join(settings.targets), catalogue)
    rulebook = load_rules(settings.extend_rules)
    chosen = select(rulebook, settings.select, settings.ignore)
    origins = load_origins(declared=settings.origins)
    asked = discover(settings.root, paths, exclude=settings.exclude, force_exclude=settings.force_exclude)
    project = discover(settings.root, settings.folders, exclude=settings.exclude)
    files = sorted({*asked.files, *project.files})
    reported = {path for path in asked.files if settings.include_tests or not is_test_path(path)}
    sources = Sources(settings.root, overlay)
    table = ModuleTable.build(files, settings.root.as_posix())
    for path in files:
        sources.data(path)
    with Workers(sources, files, jobs) as workers:
        relevance = choose(workers, files, origins)
        roots = sorted(path for path in relevance.files if settings.include_tests or not is_test_path(path))
        results = evaluate(workers, Plan(targets, origins, table, relevance), roots)
    observations = _merged({path: result.observations for path, result in results.items()})
    parsed = sources.parsed.union(*(result.parsed for result in results.values()))
    broken = {failure for result in results.values() for failure in result.failures}
    rules = [rule for rule in rulebook.active if rule.id in chosen]
    found = judge(observations, rules, targets, floor=_floor(settings, catalogue, targets))
    failures = tuple(sorted({*asked.failures, *project.failures, *sources.failures, *broken}))
    found = [finding for finding in found if finding.span.path in reported]
    found += _unreadable(failures, rulebook, chosen, reported)
    undeclared = rulebook.find("unresolved-origin")
    if settings.origins and undeclared is not None and undeclared.id in chosen:
        found += unresolved_origins(settings.origins, settings.file, settings.root, sources, files, undeclared)
    found = with_fingerprints(found)
    found = _marked(found, sources, settings, rulebook, chosen, sorted(reported))
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


def _unknown(observations: Sequence[Observation], reported: set[str]) -> tuple[UnknownSite, ...]:
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


def _unreadable(
    failures: Sequence[Failure], rulebook: Rulebook, chosen: frozenset[str], reported: set[str]
) -> list[Finding]:
    rule = rulebook.find("unreadable-file")
    if rule is None or rule.id not in chosen:
        return []
    return [_upkeep(rule, Span(f.path, f.line, 1, f.line, 1), f.message) for f in failures if f.path in reported]


def _upkeep(rule: Rule, span: Span, reason: str, *, idle: tuple[str, ...] | None = None) -> Finding:
    """Return a finding about the project's own upkeep; only one about a comment (`idle`) can be fixed."""
    message = rule.message.format(reason=reason, symbol="")
    facts = {} if idle is None else {"idle": idle}
    return Finding(
        rule.id,
        rule.name,
        rule.level,
        Certainty.CERTAIN,
        message,
        span,
        "",
        (),
        reason,
        facts=facts,
        has_recipe=idle is not None and bool(rule.fixes),
    )


def _marked(
    found: list[Finding],
    sources: Sources,
    settings: Settings,
    rulebook: Rulebook,
    chosen: frozenset[str],
    judged: list[str],
) -> list[Finding]:
    """Mark what comments, per-file ignores and the baseline suppress; report comments that suppress nothing."""
    comments: dict[str, Comments] = {}
    for path in judged:
        data = sources.data(path)
        if isinstance(data, bytes) and b"hwlint:" in data:
            text = sources.text(path)
            if isinstance(text, Text):
                comments[path] = comments_of(text)
    names = {rule.id: rule.name for rule in rulebook.rules}
    found, upkeep = suppressions.apply(found, comments, rules=names, ran=chosen)
    for note in upkeep:
        rule = rulebook.find(note.rule)
        if rule is not None and rule.id in chosen:
            found.append(_upkeep(rule, note.span, note.message, idle=note.idle))
    found = suppressions.apply_per_file_ignores(found, settings.per_file_ignores)
    found = with_fingerprints(found)
    if settings.baseline is not None:
        found, stale = baseline.apply(found, baseline.load(settings.baseline), paths=judged)
        rule = rulebook.find("unused-suppression")
        if rule is not None and rule.id in chosen:
            for old in stale:
                reason = f"{settings.baseline.name} accepts {old.entry.rule} here, which is no longer found"
                found.append(_upkeep(rule, Span(old.entry.path, 1, 1, 1, 1), reason))
    return found
