"""Carry what the evaluator saw to the judge: spans, strings and sets of architectures, no syntax nodes.

Masks are bit sets over the run's architectures: bit i stands for the i-th.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hwlint.model.finding import TraceStep
from hwlint.model.outcome import Outcome
from hwlint.model.span import Span


@dataclass(frozen=True, slots=True)
class Place:
    """Where something happens: the expression, its statement, and the function around it (dotted, empty at module level)."""

    span: Span
    statement: Span
    symbol: str

    @property
    def path(self) -> str:
        """The file."""
        return self.span.path


@dataclass(frozen=True, slots=True)
class Table:
    """A constant container: its name as written at the definition, where that is, and its keys in order."""

    name: str
    span: Span
    kind: str
    """`dict`, `list`, `tuple` or `set`."""
    keys: tuple[Any, ...]
    complete: bool
    """False where there may be more entries than are known."""
    words: tuple[str, ...] = ()
    """Identifiers and words around the definition, for telling what the table is about."""


@dataclass(frozen=True, slots=True)
class Happening:
    """One outcome and the architectures it happens on; `certain` are those where the hardware alone decides it."""

    outcome: Outcome
    mask: int
    certain: int
    key: Any = None


@dataclass(frozen=True, slots=True)
class Lookup:
    """A use of a table with a key that comes from the hardware: `T[k]`, `T.get(k)`, `k in T`."""

    place: Place
    form: str
    """`subscript`, `get`, `in`, `not in`, `index`."""
    table: Table
    key: str
    """The key's source text."""
    happenings: tuple[Happening, ...]
    caught: int
    """Architectures whose exception is caught by the code around."""
    trace: tuple[TraceStep, ...] = ()
    via: tuple[TraceStep, ...] = ()


@dataclass(frozen=True, slots=True)
class NoneUse:
    """The None of a missed `.get` is used as if it were a value."""

    place: Place
    use: str
    """`subscripted`, `called`, `unpacked`, `iterated over`, `computed with`, `read an attribute of`."""
    mask: int
    certain: int
    lookup: Span
    table: str
    key: str
    trace: tuple[TraceStep, ...] = ()


@dataclass(frozen=True, slots=True)
class Rejection:
    """A `raise` or `assert` of the author's that the hardware decides; `reached` are those that could come here."""

    place: Place
    kind: str
    """`raise` or `assert`."""
    exception: str
    message: str
    """The words the author gives, as far as they are known."""
    mask: int
    certain: int
    reached: int
    """Architectures that entered the function."""
    caught: int
    trace: tuple[TraceStep, ...] = ()
    gates: tuple[Gate, ...] = ()
    """The hardware tests on the way here, outermost first."""


@dataclass(frozen=True, slots=True)
class Gate:
    """A branch decided, at least in part, by the hardware."""

    place: Place
    text: str
    true: int
    false: int
    """Architectures on which the test may be true, and may be false (both where it is not known)."""
    alive: int
    certain: int
    kind: str = "if"
    """`if`, `elif`, `while`, `assert`, `ternary`, `and`, `or`, `not`, `match`."""
    trace: tuple[TraceStep, ...] = ()


@dataclass(frozen=True, slots=True)
class Comparison:
    """A comparison with a hardware value on at least one side."""

    place: Place
    operator: str
    left: str
    right: str
    left_values: tuple[tuple[Any, int], ...]
    right_values: tuple[tuple[Any, int], ...]
    true: int
    false: int
    alive: int
    trace: tuple[TraceStep, ...] = ()


@dataclass(frozen=True, slots=True)
class Blank:
    """Something whose outcome stays unknown although it depends on the hardware."""

    place: Place
    what: str
    reason: str


Observation = Lookup | NoneUse | Rejection | Gate | Comparison | Blank
