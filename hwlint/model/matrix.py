"""Hold what a code base does on each architecture: a row for each file, class or function, a cell for each of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from hwlint.model.architecture import Architecture
from hwlint.model.finding import TraceStep
from hwlint.model.report import Failure
from hwlint.model.span import Span


class Status(StrEnum):
    """What code does on an architecture; a later member outweighs an earlier one where several hold."""

    NOT_REACHED = "not reached"
    """The architecture never comes to the places that depend on the hardware."""
    WORKS = "works"
    """Every place that depends on the hardware has an answer for it."""
    UNKNOWN = "unknown"
    """What happens could not be worked out, or something other than the hardware decides."""
    FALLS_BACK = "falls back"
    """It gets the default, or the way that a hardware test leaves for the rest."""
    REJECTED = "rejected"
    """The author turns it away in words."""
    FAILS = "fails"
    """It raises, or is led into code that cannot run there."""

    @property
    def rank(self) -> int:
        """0 for `not reached`, larger for what outweighs it."""
        return _RANKS[self]


_RANKS = {status: rank for rank, status in enumerate(Status)}


@dataclass(frozen=True, slots=True)
class Cell:
    """What one row does on one architecture; `certain` is False where more than the hardware decides."""

    status: Status
    certain: bool = True
    was: Status | None = None
    """What it did at the other revision, where that is not the same."""

    @property
    def label(self) -> str:
        """`fails`, or `fails?` where it is only possible; only bad news carries the mark."""
        doubtful = not self.certain and self.status.rank >= Status.REJECTED.rank
        return f"{self.status.value}?" if doubtful else self.status.value


@dataclass(frozen=True, slots=True)
class Effect:
    """What one site does on the architectures in `mask`; `certain` holds those where the hardware alone decides."""

    status: Status
    mask: int
    certain: int
    text: str


@dataclass(frozen=True, slots=True)
class Site:
    """One place that depends on the hardware: a lookup, a rejection, a chain of tests, a finding."""

    span: Span
    kind: str
    """`lookup`, `test`, `rejection`, `comparison`, `size`, `none`, `unset`, `finding` or `unknown`."""
    text: str
    effects: tuple[Effect, ...]
    trace: tuple[TraceStep, ...] = ()
    rule: str = ""
    """For a finding: its rule."""


@dataclass(frozen=True, slots=True)
class Row:
    """A file, class or function; its cells cover its own sites and those of the rows below it."""

    path: str
    symbol: str
    """Dotted, empty for a file."""
    kind: str
    """`file`, `class` or `function`."""
    line: int
    depth: int
    """0 for a file."""
    sites: tuple[Site, ...]
    """Its own: of a file the statements of the module, of a class those of its body."""
    cells: tuple[Cell, ...]
    gone: bool = False
    """True where the row is of the older revision only."""

    @property
    def name(self) -> str:
        """The last part of the symbol, or the path of a file."""
        return self.symbol.rpartition(".")[2] if self.symbol else self.path

    @property
    def is_even(self) -> bool:
        """True where every architecture is treated alike."""
        return len({cell.status for cell in self.cells}) <= 1


@dataclass(frozen=True, slots=True)
class Matrix:
    """What a code base does on each architecture; cells and bits follow `architectures`, rows are in order of place."""

    version: str
    architectures: tuple[Architecture, ...]
    rows: tuple[Row, ...]
    failures: tuple[Failure, ...]
    files: int
    """Files of the project; those without a row have nothing that depends on the hardware."""
    compared: str = ""
    """What the rows were narrowed to: `sm_100 with sm_120`, or `since v1.0`; empty for the whole."""

    def count(self, status: Status, bit: int) -> int:
        """How many functions, classes and files with sites of their own do this on the architecture of `bit`."""
        return sum(1 for row in self.rows if row.sites and status_of(row.sites, bit).status is status)


def status_of(sites: Sequence[Site], bit: int) -> Cell:
    """Return what `sites` do together on the architecture of `bit`: the weightiest of their effects."""
    wanted = 1 << bit
    found = Cell(Status.NOT_REACHED)
    for site in sites:
        for effect in site.effects:
            if effect.mask & wanted:
                found = worst((found, Cell(effect.status, bool(effect.certain & wanted))))
    return found


def worst(cells: Iterable[Cell]) -> Cell:
    """Return the weightiest cell; of equals the certain one."""
    return max(cells, key=lambda cell: (cell.status.rank, cell.certain), default=Cell(Status.NOT_REACHED))
