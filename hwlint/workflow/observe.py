"""Evaluate a project and return what was seen, before anybody judges it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from hwlint.evaluate.recorder import Recorder
from hwlint.graph.modules import ModuleTable
from hwlint.hardware.additions import extend
from hwlint.hardware.table import Catalogue, load
from hwlint.hardware.targets import parse_targets
from hwlint.model.architecture import Architecture
from hwlint.model.observation import Observation
from hwlint.model.report import Failure
from hwlint.rulebook.origins import load_origins
from hwlint.source.classify import is_test_path
from hwlint.workflow.analyse import Plan, choose, choose_surveyed, evaluate
from hwlint.workflow.reads import Reads, reads_of, together
from hwlint.workflow.scope import Scope
from hwlint.workflow.settings import Settings
from hwlint.workflow.sources import Sources
from hwlint.workflow.stages import Stages
from hwlint.workflow.workers import Stage, Workers


@dataclass(frozen=True, slots=True)
class Seen:
    """The observations of one run, joined over all files and sorted; masks count over `targets`."""

    observations: tuple[Observation, ...]
    targets: tuple[Architecture, ...]
    catalogue: Catalogue
    roots: tuple[str, ...]
    """The files that were evaluated."""
    parsed: frozenset[str]
    failures: tuple[Failure, ...]
    by_file: Mapping[str, tuple[Observation, ...]] = field(default_factory=dict)
    """What each file's own evaluation saw, before it was joined."""
    also: Mapping[str, Any] = field(default_factory=dict)
    """What the further stage gave, by file."""
    reads: Reads | None = None
    """What was read of the files, where that was to be kept."""


def observe(
    scope: Scope,
    settings: Settings,
    jobs: int,
    *,
    only: Collection[str] | None = None,
    also: Stage | None = None,
    keep_reads: bool = False,
    stages: Stages | None = None,
) -> Seen:
    """Evaluate the files of a scope that hardware values reach, or those of `only` among them.

    `also` is a further stage over the files of which something was seen, for what wants their trees: the processes
    that have them run it. With `only`, what other files do to these with arguments of their own is not seen. Raises
    UsageError or SettingsError for what the user has to mend first.
    """
    stages = stages or Stages()
    catalogue = extend(load(), settings.architectures)
    targets = parse_targets(",".join(settings.targets), catalogue)
    origins = load_origins(declared=settings.origins)
    table = ModuleTable.build(scope.files, settings.root.as_posix(), scope.links)
    with Workers(scope.sources, scope.files, jobs) as workers:
        with stages.stage("choose", cpu=workers.cpu):
            relevance = choose(workers, scope.files, origins)
            roots = sorted(
                path
                for path in relevance.files | choose_surveyed(workers, scope.files)
                if (only is None or path in only) and (settings.include_tests or not is_test_path(path))
            )
        with stages.stage("evaluate", cpu=workers.cpu):
            results = evaluate(workers, Plan(targets, origins, table, relevance), roots, stages)
        observations = joined(results)
        further = (
            workers.run_at_home(also, sorted({each.place.path for each in observations})) if also is not None else {}
        )
        looked_at = workers.everywhere(parsed_and_failed)
        reads = together(workers.everywhere(reads_of)) if keep_reads else None
    return Seen(
        observations=tuple(observations),
        targets=targets,
        catalogue=catalogue,
        roots=tuple(roots),
        parsed=frozenset().union(*(parsed for parsed, _ in looked_at)),
        failures=tuple({failure for _, failures in looked_at for failure in failures}),
        by_file=results,
        also=further,
        reads=reads,
    )


def parsed_and_failed(sources: Sources) -> tuple[frozenset[str], tuple[Failure, ...]]:
    """Which files a process has parsed, and what it could not read."""
    return sources.parsed, sources.failures


def joined(results: Mapping[str, Sequence[Observation]]) -> list[Observation]:
    """Join what different files saw of the same place; the order of files decides which trace is kept."""
    recorder = Recorder()
    for path in sorted(results):
        for seen in results[path]:
            recorder.absorb(seen)
    return recorder.observations()
