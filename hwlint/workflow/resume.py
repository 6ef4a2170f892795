"""Start from what an earlier run found out: after an edit, evaluate only the files that asked a changed one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from hwlint.graph.modules import ModuleTable
from hwlint.graph.relevance import Known
from hwlint.model.codec import CodecError
from hwlint.model.report import Failure
from hwlint.workflow.analyse import Plan, evaluate, evaluate_here
from hwlint.workflow.facts import Evaluated, Facts, line_of_names, line_of_seen, line_of_steps
from hwlint.workflow.observe import Seen, failures_of, held_by_of, is_at_fault, joined, merged, question
from hwlint.workflow.reads import IN_COMMENTS, Asked, Basis, asked_of, tell, together
from hwlint.workflow.scope import Scope
from hwlint.workflow.settings import Settings
from hwlint.workflow.sources import Sources
from hwlint.workflow.stages import Stages
from hwlint.workflow.trail import Answer, asked_again, digest, questions, stems_of

FEW = 12
"""So many files are evaluated sooner by one process than another is started."""
MOST_ASKED = 8
"""Runs that asked for more words than those before; then everything is told anew."""


def facts_from(seen: Seen, contents: Mapping[str, str], sources: Sources) -> Facts | None:
    """What a run that evaluated everything found out, in the form that is kept; None where it cannot be."""
    found = seen.found
    if found is None or found.at_fault:
        return None
    asked = {path: one.asked for path, one in found.evaluated.items()}
    whole = frozenset(found.trail.steps).union(*asked.values())
    asked_for = (Asked(found.asked.words, found.asked.phrases | {IN_COMMENTS}),)
    basis = Basis(contents, asked_for, {path: tell(sources, path, asked_for) for path in contents}, whole)
    relevance = found.relevance
    stems = stems_of(relevance.files | found.trail.handing())
    try:
        return Facts(
            basis,
            relevance.files,
            relevance.names,
            seen.failures,
            asked,
            found.held_by,
            {path: line_of_names(names) for path, names in relevance.local.items()},
            {path: _line_of(steps, stems) for path, steps in found.trail.steps.items()},
            {path: line_of_seen(one.seen) for path, one in found.evaluated.items()},
        )
    except CodecError:
        return None


def resumed(
    facts: Facts, scope: Scope, settings: Settings, contents: Mapping[str, str], jobs: int, stages: Stages
) -> tuple[Seen, Facts] | None:
    """Do what `observe` does, for the same files and settings as the run that found out `facts`.

    None where the change may have moved more than what is evaluated again: which files hardware values reach.
    """
    changed = facts.basis.changed(contents)
    if not _reach_the_same(facts, scope.sources, changed):
        return None
    again = sorted(path for path, asked in facts.asked.items() if not asked.isdisjoint(changed))
    others = facts.asked.keys() - set(again)
    try:
        kept = {path: facts.seen_from(path) for path in others}
    except CodecError:
        return None
    asked = question(settings)
    table = ModuleTable.build(scope.files, settings.root.as_posix(), scope.links)
    plan = Plan(asked.targets, asked.origins, table, facts.relevance())
    scope.sources.held_by.update(facts.held_by)  # changed files answer for these words as before
    with stages.stage("evaluate"):
        ran = _run(scope, plan, again, jobs, stages)
    if ran.at_fault:
        return None
    fresh = _brought_up(facts, contents, ran, scope.sources)
    if fresh is None:
        return None
    kept.update((path, one.seen) for path, one in ran.results.items())
    failures = {one for one in facts.failures if one.path not in changed and one.path in fresh.basis.whole}
    failures.update(ran.failures)
    fresh = replace(fresh, failures=tuple(sorted(failures)))
    return Seen(
        observations=tuple(joined(kept)),
        targets=asked.targets,
        catalogue=asked.catalogue,
        roots=tuple(sorted(kept)),
        parsed=fresh.basis.whole - {failure.path for failure in failures},
        failures=fresh.failures,
        by_file=kept,
    ), fresh


@dataclass(frozen=True, slots=True)
class _Ran:
    """What came of evaluating a few files again."""

    results: dict[str, Evaluated]
    asked: Asked
    held_by: Mapping[str, tuple[str, ...]]
    failures: tuple[Failure, ...]
    at_fault: bool


def _run(scope: Scope, plan: Plan, paths: Sequence[str], jobs: int, stages: Stages) -> _Ran:
    sources = scope.sources
    if jobs == 1 or len(paths) <= FEW:
        results = evaluate_here(sources, plan, paths)
        return _Ran(results, asked_of(sources), sources.held_by, sources.failures, sources.at_fault)
    from hwlint.workflow.workers import Workers

    with Workers(sources, scope.files, jobs) as workers:
        results = evaluate(workers, plan, paths, stages)
        asked, held_by = together(workers.everywhere(asked_of)), merged(workers.everywhere(held_by_of))
        failures = {one for part in workers.everywhere(failures_of) for one in part}
        return _Ran(results, asked, held_by, tuple(failures), any(workers.everywhere(is_at_fault)))


def _line_of(steps: Sequence[tuple[Known, Answer]], stems: frozenset[str]) -> str:
    asked = questions(steps)
    answers = [next(answer for active, answer in steps if active == each) for each in asked]
    return line_of_steps(asked, digest(list(zip(asked, answers, strict=True)), stems))


def _reach_the_same(facts: Facts, sources: Sources, changed: Sequence[str]) -> bool:
    """True where hardware values reach the same files as before, by the same names."""
    if not facts.basis.is_told_again(sources, changed):
        return False
    stems = stems_of(facts.files | facts.handing())
    for path in changed:
        if path in facts.steps:
            asked, told = facts.asked_on_the_way(path)
            if digest(asked_again(sources.outline(path), asked), stems) != told:
                return False
    return True


def _brought_up(facts: Facts, contents: Mapping[str, str], ran: _Ran, sources: Sources) -> Facts | None:
    """The facts after some files were evaluated again; None where they cannot be kept."""
    asked = {**facts.asked, **{path: one.asked for path, one in ran.results.items()}}
    whole = frozenset(facts.steps).union(*asked.values())
    more = ran.asked.without(facts.basis.asked)
    basis = replace(facts.basis, contents=contents, whole=whole)
    if more:
        if len(basis.asked) > MOST_ASKED:
            return None
        told = {path: f"{old} {tell(sources, path, (more,))}" for path, old in basis.told.items()}
        basis = replace(basis, asked=(*basis.asked, more), told=told)
    try:
        lines = {path: line_of_seen(one.seen) for path, one in ran.results.items()}
    except CodecError:
        return None
    return replace(facts, basis=basis, asked=asked, held_by=ran.held_by, seen={**facts.seen, **lines})
