"""Draw the graph of a code base: its modules and names, and who imports, defines, inherits from and uses whom."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from hwlint.graph.build import FORMATS, build, export
from hwlint.graph.modules import ModuleTable
from hwlint.graph.resolve import Resolver
from hwlint.model.report import Failure
from hwlint.rulebook.origins import load_origins
from hwlint.source.discover import discover
from hwlint.workflow.analyse import choose
from hwlint.workflow.settings import Settings
from hwlint.workflow.sources import Sources
from hwlint.workflow.workers import Workers

__all__ = ["FORMATS", "Drawing", "draw"]


@dataclass(frozen=True, slots=True)
class Drawing:
    """The graph as text, the number of modules it was asked for, and the files that could not be read for it."""

    text: str
    modules: int
    failures: tuple[Failure, ...]


def draw(paths: Sequence[Path], settings: Settings, form: str, *, only_reached: bool = False) -> Drawing:
    """Return the graph of the modules in `paths` in one of FORMATS; names are resolved in the whole project.

    `only_reached` leaves out modules that no hardware value can reach, which are most of a large code base. A file
    that cannot be read is a module with nothing in it. Raises UsageError for an unknown form.
    """
    asked = discover(settings.root, paths, exclude=settings.exclude, force_exclude=settings.force_exclude)
    project = discover(settings.root, settings.folders, exclude=settings.exclude)
    files = sorted({*asked.files, *project.files})
    sources = Sources(settings.root)
    table = ModuleTable.build(files, settings.root.as_posix(), sorted({*asked.links, *project.links}))
    wanted = sorted(asked.files)
    if only_reached:
        with Workers(sources, files, 1) as workers:
            reached = choose(workers, files, load_origins(declared=settings.origins)).files
        wanted = [path for path in wanted if path in reached]
    graph = build(wanted, table, sources.outline, Resolver(table, sources.outline))
    failures = tuple(sorted({*asked.failures, *project.failures, *sources.failures}))
    return Drawing(export(graph, form), len(wanted), failures)
