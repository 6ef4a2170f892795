"""Tell what one run looks at: the files of the project, which of them are reported, and their bytes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from hwlint.model.report import Failure
from hwlint.source.classify import is_test_path
from hwlint.source.discover import discover
from hwlint.workflow.settings import Settings
from hwlint.workflow.sources import Sources
from hwlint.workflow.stages import Stages


@dataclass(frozen=True, slots=True)
class Scope:
    """The files of a run as sorted paths relative to the root; findings are reported in `reported` only."""

    files: tuple[str, ...]
    reported: frozenset[str]
    failures: tuple[Failure, ...]
    sources: Sources
    links: tuple[tuple[str, str], ...] = ()
    """Symbolic links inside the project with what they lead to: imports may go through them."""


def survey(
    paths: Sequence[Path], settings: Settings, overlay: Mapping[str, str], stages: Stages | None = None
) -> Scope:
    """Find and read the files: the graph is made of the whole project, whatever is asked for."""
    stages = stages or Stages()
    with stages.stage("discover"):
        asked = discover(settings.root, paths, exclude=settings.exclude, force_exclude=settings.force_exclude)
        project = discover(settings.root, settings.folders, exclude=settings.exclude)
    files = tuple(sorted({*asked.files, *project.files}))
    reported = frozenset(path for path in asked.files if settings.include_tests or not is_test_path(path))
    sources = Sources(settings.root, overlay)
    with stages.stage("read"):
        for path in files:
            sources.data(path)
    failures = tuple(sorted({*asked.failures, *project.failures}))
    links = tuple(sorted({*asked.links, *project.links}))
    return Scope(files, reported, failures, sources, links)
