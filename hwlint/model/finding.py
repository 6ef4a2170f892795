"""Describe what hwlint reports: findings, the steps that led there, and the edits that mend them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from hwlint.model.span import Span


class Level(StrEnum):
    """How bad a finding is."""

    ERROR = "error"
    """It crashes."""
    WARNING = "warning"
    """It is wrong, or very likely wrong."""
    NOTE = "note"
    """It is worth knowing."""

    @property
    def rank(self) -> int:
        """0 for a note, 1 for a warning, 2 for an error; larger is worse."""
        return (Level.NOTE, Level.WARNING, Level.ERROR).index(self)


class Certainty(StrEnum):
    """Whether the hardware alone decides that the place is reached."""

    CERTAIN = "certain"
    POSSIBLE = "possible"


class Safety(StrEnum):
    """What applying a fix may change."""

    SAFE = "safe"
    """Changes nothing on architectures that work today and lets no architecture into untested code."""
    UNSAFE = "unsafe"
    """May enable code that has not run on that architecture."""
    DISPLAY = "display"
    """A suggestion to read; never applied."""


@dataclass(frozen=True, slots=True)
class TraceStep:
    """One step of the chain from the place that fails back to the definition."""

    span: Span
    message: str


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace the text at `span` by `text`; an empty span inserts."""

    span: Span
    text: str


@dataclass(frozen=True, slots=True)
class Fix:
    """One way to mend a finding; `donor` names the architecture whose entry is copied, or is None."""

    title: str
    safety: Safety
    reason: str
    edits: tuple[Edit, ...]
    donor: str | None = None
    applied: bool = False
    targets: tuple[str, ...] = ()
    """The architectures that it mends; empty means all of its finding's."""
    confirmation: Mapping[str, object] | None = None
    refused: str = ""
    """Why it was tried and not applied, in a sentence; empty where it was not tried or was applied."""


@dataclass(frozen=True, slots=True)
class Suppression:
    """Why a finding is not printed: an ignore comment, the baseline, the configuration or an earlier revision."""

    kind: str
    """`comment`, `file`, `baseline`, `configuration` or `since`."""
    reason: str


@dataclass(frozen=True, slots=True)
class Finding:
    """One fault at one place, for the architectures in `targets`.

    `table` is the name of the table or predicate that the finding is about (empty where there is none); it
    goes into the fingerprint, so that the fingerprint survives line shifts. `facts` holds what a fix recipe
    or a report needs beyond the message (strings only): the keys, the missing keys, the definition.
    """

    rule: str
    name: str
    level: Level
    certainty: Certainty
    message: str
    span: Span
    symbol: str
    targets: tuple[str, ...]
    outcome: str
    trace: tuple[TraceStep, ...] = ()
    related: tuple[TraceStep, ...] = ()
    """Further places with the same cause: other lookups of the table in the same function."""
    why: tuple[tuple[str, str], ...] = ()
    """For the full report: (architecture, what happens there), in catalogue order."""
    table: str = ""
    facts: Mapping[str, object] = field(default_factory=dict)
    fixes: tuple[Fix, ...] = ()
    fingerprint: str = ""
    suppressed: Suppression | None = None
    has_recipe: bool = False
    """True where its rule has recipes that may be applied and none was tried on it yet; then `fixes` tells."""

    @property
    def is_fixable(self) -> bool:
        """True where at least one fix can be applied."""
        return any(fix.safety is not Safety.DISPLAY for fix in self.fixes)
