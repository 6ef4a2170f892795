"""Hold what a look at one file takes as given, and tell what a text of that file adds to it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from hwlint.evaluate.code import Code
from hwlint.graph.carriers import Carries
from hwlint.graph.modules import ModuleTable
from hwlint.graph.relevance import Known, Relevance, Surface, grow, passed_on
from hwlint.hardware.additions import extend
from hwlint.hardware.table import Catalogue, load
from hwlint.hardware.targets import parse_targets
from hwlint.model.architecture import Architecture
from hwlint.model.origin import Origins
from hwlint.rulebook.origins import load_origins
from hwlint.server.held import Held
from hwlint.source.classify import is_test_path
from hwlint.workflow.company import in_company
from hwlint.workflow.settings import Settings


@dataclass(frozen=True, slots=True)
class Facts:
    """What a look takes as given: the settings, the files of the project, and which names carry hardware values."""

    settings: Settings
    catalogue: Catalogue
    targets: tuple[Architecture, ...]
    company: tuple[Architecture, ...]
    """The targets and those that a check evaluates beside them."""
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
    company = parse_targets(",".join(in_company(settings).targets), catalogue)
    return Facts(settings, catalogue, targets, company, origins, frozenset(files), table, relevance)


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
