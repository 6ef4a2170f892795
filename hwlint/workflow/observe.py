"""Evaluate a project and return what was seen, before anybody judges it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from hwlint.evaluate.recorder import Recorder
from hwlint.graph.modules import ModuleTable
from hwlint.graph.relevance import Relevance
from hwlint.hardware.additions import extend
from hwlint.hardware.table import Catalogue, load
from hwlint.hardware.targets import parse_targets
from hwlint.model.architecture import Architecture
from hwlint.model.observation import Observation
from hwlint.model.origin import Origins
from hwlint.model.report import Failure
from hwlint.rulebook.origins import load_origins
from hwlint.source.classify import is_test_path
from hwlint.workflow.analyse import Plan, choose, choose_surveyed, evaluate
from hwlint.workflow.facts import Evaluated
from hwlint.workflow.reads import Asked, asked_of, together
from hwlint.workflow.scope import Scope
from hwlint.workflow.settings import Settings
from hwlint.workflow.sources import Sources
from hwlint.workflow.stages import Stages
from hwlint.workflow.trail import Trail

if TYPE_CHECKING:
    from hwlint.workflow.workers import Stage


@dataclass(frozen=True, slots=True)
class Question:
    """What a run asks: of which architectures, and what reads the hardware."""

    targets: tuple[Architecture, ...]
    catalogue: Catalogue
    origins: Origins


@dataclass(frozen=True, slots=True)
class Found:
    """How a run came to what it saw, file by file: what a later one, after an edit, can start from."""

    relevance: Relevance
    trail: Trail
    evaluated: Mapping[str, Evaluated]
    asked: Asked
    held_by: Mapping[str, tuple[str, ...]]
    at_fault: bool
    """Whether hwlint itself failed on a file."""


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
    found: Found | None = None
    """How it came about, where that was to be kept."""


def observe(
    scope: Scope,
    settings: Settings,
    jobs: int,
    *,
    only: Collection[str] | None = None,
    also: Stage | None = None,
    keep: bool = False,
    stages: Stages | None = None,
) -> Seen:
    """Evaluate the files of a scope that hardware values reach, or those of `only` among them.

    `also` is a further stage over the files of which something was seen, for what wants their trees: the processes
    that have them run it. With `only`, what other files do to these with arguments of their own is not seen. Raises
    UsageError or SettingsError for what the user has to mend first.
    """
    from hwlint.workflow.workers import Workers  # a run that evaluates few files does without

    stages = stages or Stages()
    asked = question(settings)
    table = ModuleTable.build(scope.files, settings.root.as_posix(), scope.links)
    trail = Trail() if keep else None
    with Workers(scope.sources, scope.files, jobs) as workers:
        with stages.stage("choose", cpu=workers.cpu):
            relevance = choose(workers, scope.files, asked.origins, trail)
            roots = sorted(
                path
                for path in relevance.files | choose_surveyed(workers, scope.files)
                if (only is None or path in only) and (settings.include_tests or not is_test_path(path))
            )
        with stages.stage("evaluate", cpu=workers.cpu):
            results = evaluate(workers, Plan(asked.targets, asked.origins, table, relevance), roots, stages)
        observations = joined({path: one.seen for path, one in results.items()})
        further = (
            workers.run_at_home(also, sorted({each.place.path for each in observations})) if also is not None else {}
        )
        parsed, failures = workers.everywhere(parsed_of), workers.everywhere(failures_of)
        found = None
        if trail is not None:
            words = together(workers.everywhere(asked_of))
            held_by = merged(workers.everywhere(held_by_of))
            found = Found(relevance, trail, results, words, held_by, any(workers.everywhere(is_at_fault)))
    return Seen(
        observations=tuple(observations),
        targets=asked.targets,
        catalogue=asked.catalogue,
        roots=tuple(roots),
        parsed=frozenset().union(*parsed),
        failures=tuple({failure for part in failures for failure in part}),
        by_file={path: one.seen for path, one in results.items()},
        also=further,
        found=found,
    )


def question(settings: Settings) -> Question:
    """What a run with these settings asks; raises UsageError or SettingsError for what the user has to mend first."""
    catalogue = extend(load(), settings.architectures)
    targets = parse_targets(",".join(settings.targets), catalogue)
    return Question(targets, catalogue, load_origins(declared=settings.origins))


def parsed_of(sources: Sources) -> frozenset[str]:
    """Which files a process has parsed."""
    return sources.parsed


def failures_of(sources: Sources) -> tuple[Failure, ...]:
    """What a process could not read."""
    return sources.failures


def held_by_of(sources: Sources) -> Mapping[str, tuple[str, ...]]:
    """Which files a process found to have the words that it looked for in all of them."""
    return sources.held_by


def merged(parts: Iterable[Mapping[str, tuple[str, ...]]]) -> dict[str, tuple[str, ...]]:
    """What several processes found; of a word that more than one looked for they all say the same."""
    return {word: held for part in parts for word, held in part.items()}


def is_at_fault(sources: Sources) -> bool:
    """Whether hwlint itself failed on a file."""
    return sources.at_fault


def joined(results: Mapping[str, Sequence[Observation]]) -> list[Observation]:
    """Join what different files saw of the same place; the order of files decides which trace is kept."""
    recorder = Recorder()
    for path in sorted(results):
        for seen in results[path]:
            recorder.absorb(seen)
    return recorder.observations()
