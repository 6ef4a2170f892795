"""Look at one file alone, with what the last check of the whole project knew of all others."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from hwlint.evaluate.engine import Machine, Work
from hwlint.evaluate.project import Code, Project
from hwlint.evaluate.watch import Watched, WatchingMachine
from hwlint.graph.carriers import Carries
from hwlint.graph.modules import ModuleTable
from hwlint.graph.relevance import Known, Relevance, Surface, grow, passed_on
from hwlint.hardware.additions import extend
from hwlint.hardware.table import Catalogue, load
from hwlint.hardware.targets import parse_targets
from hwlint.model.architecture import Architecture
from hwlint.model.errors import HwlintError
from hwlint.model.finding import Finding
from hwlint.model.observation import Observation
from hwlint.model.origin import Origins
from hwlint.rulebook.origins import load_origins
from hwlint.server.held import Held
from hwlint.source.classify import is_test_path
from hwlint.workflow.fresh import analyse
from hwlint.workflow.observe import Seen, joined
from hwlint.workflow.scope import Scope
from hwlint.workflow.settings import Settings
from hwlint.workflow.sources import Sources

Stop = Callable[[], bool]
"""Says whether the result is still wanted."""


class StoppedError(HwlintError):
    """Nobody waits for the result any more."""


@dataclass(frozen=True, slots=True)
class Facts:
    """What a look takes as given: the settings, the files of the project, and which names carry hardware values."""

    settings: Settings
    catalogue: Catalogue
    targets: tuple[Architecture, ...]
    origins: Origins
    files: frozenset[str]
    table: ModuleTable
    relevance: Relevance
    codes: dict[str, Code] = field(default_factory=dict, compare=False)
    """What was worked out about the trees of unchanged files, kept from one look to the next."""

    def is_reported(self, path: str) -> bool:
        """True for a file of the project that check reports on."""
        return path in self.files and (self.settings.include_tests or not is_test_path(path))


@dataclass(frozen=True, slots=True)
class Shape:
    """What in one text of a file has to do with hardware: the known names that stand in it, and what they lead to."""

    hits: frozenset[str] = frozenset()
    grown: frozenset[str] = frozenset()

    def without(self, other: Shape) -> Shape:
        """What this shape has and the other has not."""
        return Shape(self.hits - other.hits, self.grown - other.grown)


def facts(settings: Settings, files: tuple[str, ...], relevance: Relevance) -> Facts:
    """Gather what looks need; raises UsageError or SettingsError for what the user has to mend first."""
    catalogue = extend(load(), settings.architectures)
    targets = parse_targets(",".join(settings.targets), catalogue)
    origins = load_origins(declared=settings.origins)
    table = ModuleTable.build(files, settings.root.as_posix())
    return Facts(settings, catalogue, targets, origins, frozenset(files), table, relevance)


def shape(held: Held, known: Facts, path: str) -> Shape:
    """Follow the known names through one file, as a check of the whole project follows them through all."""
    relevance = known.relevance
    needles = frozenset(name for name in known.origins.needles() if name.isidentifier())
    hits = held.hits(path, relevance.names_in(path) | needles)

    def search(names: frozenset[str]) -> Mapping[str, frozenset[str]]:
        return {path: held.hits(path, names)}

    def work(news: Mapping[str, Known]) -> dict[str, tuple[Surface, dict[str, Carries]] | None]:
        loaded = held.load(path)
        return {
            other: passed_on(loaded[1], active) if other == path and loaded is not None else None
            for other, active in news.items()
        }

    grown = grow({path: hits}, work, search) if hits else None
    return Shape(hits, frozenset() if grown is None else grown.names_in(path))


def look(held: Held, known: Facts, path: str, news: Shape, stop: Stop) -> tuple[Finding, ...] | None:
    """Return what check would report in one file as far as that file alone tells; None where it cannot be parsed.

    `news` is what the shape of the text has that `known` does not account for. Raises StoppedError as soon as `stop`
    says so.
    """
    if not known.is_reported(path):
        return ()
    loaded = held.load(path)
    if loaded is None:
        return None
    machine = _Machine(known, held, path, news, stop)
    observations = machine.evaluate(path) if machine.reaches else machine.survey(path)
    sources = Sources(known.settings.root, {path: loaded[0].text.text})
    scope = Scope((path,), frozenset({path}), (), sources)
    settings = replace(known.settings, origins={})  # origins that nothing names are a question to the whole project
    seen = Seen(tuple(joined({path: observations})), known.targets, known.catalogue, (path,), frozenset({path}), ())
    return tuple(one for one in analyse(scope, settings, 1, seen=seen).findings if one.span.path == path)


def watch(
    held: Held, known: Facts, path: str, line: int, news: Shape, stop: Stop
) -> tuple[tuple[Watched, ...], tuple[Observation, ...]]:
    """Return what one file's evaluation sees of one of its lines: the expressions on it, and what happens there."""
    machine = _Watching(known, held, path, news, stop, line)
    seen = machine.evaluate(path)
    machine.look()
    seen = [*seen, *machine.recorder.observations()]
    return machine.watched(), tuple(one for one in joined({path: seen}) if one.place.path == path)


def _project(known: Facts, held: Held, path: str, news: Shape) -> tuple[Project, bool]:
    """The modules as the evaluator asks for them, and whether hardware values reach the file that is looked at."""
    names = known.relevance.names_in(path) | news.hits | news.grown
    reached = known.relevance.files | ({path} if news.hits else set())
    return _Modules(known, held, path, names, reached), path in reached


class _Modules(Project):
    """The modules of the project: the one that is looked at anew, the others with what is known of them."""

    def __init__(
        self, known: Facts, held: Held, path: str, names: frozenset[str], reached: frozenset[str] | set[str]
    ) -> None:
        super().__init__(
            known.table,
            held.load,
            lambda other: names if other == path else known.relevance.names_in(other),
            reached,
            lambda other, name: bool(held.hits(other, frozenset({name}))),
        )
        self._held, self._kept, self._path = held, known.codes, path

    def code(self, path: str) -> Code | None:
        """Return a module, or None where it cannot be read or parsed."""
        if path in self._codes or path == self._path or not path.endswith(".py"):
            return super().code(path)
        loaded, kept = self._held.load(path), self._kept.get(path)
        if kept is None or loaded is None or kept.parsed is not loaded[0]:
            kept = super().code(path)
        if kept is not None:
            self._kept[path] = kept
        self._codes[path] = kept
        return kept


class _Machine(Machine):
    """The evaluator, which gives up between two functions where nobody waits for it any more."""

    def __init__(self, known: Facts, held: Held, path: str, news: Shape, stop: Stop) -> None:
        project, self.reaches = _project(known, held, path, news)
        super().__init__(known.targets, project, known.origins)
        self._stop = stop

    def _root(self, code: Code, node: ast.AST, work: Work) -> None:
        if self._stop():
            raise StoppedError("a newer text came")
        super()._root(code, node, work)


class _Watching(WatchingMachine):
    """The same, watching one line."""

    def __init__(self, known: Facts, held: Held, path: str, news: Shape, stop: Stop, line: int) -> None:
        super().__init__(known.targets, _project(known, held, path, news)[0], known.origins, path, line)
        self._stop = stop

    def _root(self, code: Code, node: ast.AST, work: Work) -> None:
        if self._stop():
            raise StoppedError("nobody waits for it")
        super()._root(code, node, work)
