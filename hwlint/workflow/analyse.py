"""Choose and evaluate the files of a project, stage by stage, on as many cores as asked for."""

from __future__ import annotations

import gc
import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hwlint.evaluate.engine import Machine
from hwlint.evaluate.project import Project
from hwlint.evaluate.survey import BUILD_SCRIPT, RANKED_TEXTS, RANKING_WORDS, SURVEYED_PHRASE, SURVEYED_WORDS
from hwlint.graph.carriers import Carries
from hwlint.graph.modules import ModuleTable
from hwlint.graph.relevance import Known, Relevance, Surface, grow, passed_on
from hwlint.model.architecture import Architecture
from hwlint.model.origin import Origins
from hwlint.workflow.facts import Evaluated
from hwlint.workflow.sources import Sources
from hwlint.workflow.stages import Stages
from hwlint.workflow.trail import Trail

if TYPE_CHECKING:
    from hwlint.workflow.workers import Workers

COLLECT = (5_000_000, 20, 100)
"""When the collector runs while files are evaluated: seldom, for of 400,000 objects it finds no more than some thousand
in rings. What was there before (the trees) is frozen and not looked at."""
MOST_CHOSEN = 4_000_000
"""Trees of files of so many bytes are kept in a process while files are chosen; a tree takes 35 times its file."""
MOST_EVALUATED = 24_000_000
"""More than this all processes together do not keep while files are evaluated, but for what a single file asks for."""
LEAST_EVALUATED = 4_000_000
"""So much a process may keep however many they are."""
KEPT_ON = 0.4
"""The part that is kept when it is too much: what was known of modules goes with their trees, and is found out anew."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What to evaluate: the architectures, the origins, all files and those that can matter."""

    architectures: tuple[Architecture, ...]
    origins: Origins
    table: ModuleTable
    relevance: Relevance


def choose(workers: Workers, files: Sequence[str], origins: Origins, trail: Trail | None = None) -> Relevance:
    """Find the files that hardware values can reach; what each file was asked and answered is added to `trail`."""

    def search(names: Collection[str]) -> dict[str, frozenset[str]]:
        return workers.run(find_words, files, frozenset(name.encode() for name in names))

    def work(news: Mapping[str, Known]) -> Mapping[str, tuple[Surface, dict[str, Carries]] | None]:
        found = workers.run_at_home(pass_on, list(news), news) if news else {}
        answers = {path: found.get(path) for path in news}
        if trail is not None:
            trail.note(news, answers)
        return answers

    seeds = search([name for name in origins.needles() if name.isidentifier()])
    return grow(seeds, work, search)


def choose_surveyed(workers: Workers, files: Sequence[str]) -> frozenset[str]:
    """Find the files whose source is worth reading although no hardware value may reach them."""
    return frozenset(workers.run(find_surveyed, files))


def find_surveyed(sources: Sources, paths: Sequence[str]) -> dict[str, bool]:
    """Stage: the files that hold a word or phrase that is worth a survey."""
    names = frozenset(word.encode() for word in SURVEYED_WORDS)
    found = {
        path: True
        for path in paths
        if sources.hits(path, names) or sources.holds(path, SURVEYED_PHRASE) or BUILD_SCRIPT.search(path)
    }
    ranking = frozenset(word.encode() for word in RANKING_WORDS)
    for path in paths:
        if path not in found and sources.hits(path, ranking) and any(sources.holds(path, one) for one in RANKED_TEXTS):
            found[path] = True
    return found


def find_words(sources: Sources, paths: Sequence[str], names: frozenset[bytes]) -> dict[str, frozenset[str]]:
    """Stage: for each file that holds any of `names` as a word, those that it holds."""
    found = {path: sources.hits(path, names) for path in paths}
    return {path: hits for path, hits in found.items() if hits}


def pass_on(
    sources: Sources, paths: Sequence[str], news: Mapping[str, Known]
) -> dict[str, tuple[Surface, dict[str, Carries]]]:
    """Stage: what each file passes on of the hardware values that it gets; files that cannot be read are left out."""
    found = {}
    for path in paths:
        outline = sources.outline(path)
        if outline is not None:
            found[path] = passed_on(outline, news[path])
        sources.shed(MOST_CHOSEN)
    return found


def evaluate(workers: Workers, plan: Plan, paths: Sequence[str], stages: Stages) -> dict[str, Evaluated]:
    """Evaluate files; the results are the same whatever the number of processes."""
    most = max(MOST_EVALUATED // workers.jobs, LEAST_EVALUATED)
    found = workers.share(Evaluation, paths, plan, most, counts=stages.counts)
    gc.disable()
    return found


def evaluate_here(sources: Sources, plan: Plan, paths: Sequence[str]) -> dict[str, Evaluated]:
    """Evaluate a few files in this process."""
    evaluation = Evaluation(sources, plan, MOST_EVALUATED)
    found = {path: evaluation(path) for path in paths}
    gc.disable()
    return found


class Evaluation:
    """Evaluates files one after another, each as if it were the only one; trees and outlines are shared."""

    def __init__(self, sources: Sources, plan: Plan, most: int) -> None:
        """Start with nothing known; trees of `most` bytes of sources may be kept."""
        self.sources = sources
        self.plan = plan
        self.most = most
        self.project = project_of(sources, plan)
        sources.forget_words()
        gc.freeze()
        gc.set_threshold(*COLLECT)
        gc.enable()

    def __call__(self, path: str) -> Evaluated:
        """What is seen from one file; a fault of hwlint's own costs that file."""
        if self.sources.held > self.most:
            self.sources.shed(int(self.most * KEPT_ON))
            self.project = project_of(self.sources, self.plan)  # what was known of modules refers to their nodes
        self.project.begin()
        machine = Machine(self.plan.architectures, self.project, self.plan.origins)
        try:
            reached = path in self.plan.relevance.files
            seen = tuple(machine.evaluate(path) if reached else machine.survey(path))
        except Exception as error:
            if os.environ.get("HWLINT_DEBUG") == "1":
                raise
            self.sources.failed(
                path, f"hwlint itself failed on this file ({type(error).__name__}: {error}); please report it"
            )
            seen = ()
        return Evaluated(seen, self.project.asked)


def project_of(sources: Sources, plan: Plan) -> Project:
    """The modules of a plan, as the evaluator asks for them."""
    return Project(
        plan.table,
        sources.load,
        plan.relevance.names_in,
        plan.relevance.files,
        sources.holders,
    )
