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


@dataclass(frozen=True, slots=True)
class TextUse:
    """A text that names an architecture or a version is cut at fixed places, turned into a number, or put in order."""

    place: Place
    use: str
    """`index`, `slice`, `number` (`int(...)`), `sorted`, `end` (`min`, `max`, the first of sorted ones), `order`."""
    subject: str
    """Source text of what is cut, converted or ordered."""
    kind: str
    """`known`: `texts` holds them; else what the text is: `capability` (`12.0`), `digits` (`120`), `target`
    (`sm_120a`), `tail` (`120a`), `toolkit` (`12.8`)."""
    texts: tuple[tuple[str, int], ...] = ()
    """What the subject is, with the architectures."""
    bounds: tuple[int | None, int | None] = (None, None)
    """The places of an index (first and one behind) or slice."""
    raising: int = 0
    """Architectures on which the conversion raises."""
    other: str = ""
    """The other side of an `order`, where it is a constant."""
    caught: bool = False
    trace: tuple[TraceStep, ...] = ()


@dataclass(frozen=True, slots=True)
class NamePiece:
    """One test of a device name: a condition over pieces of text that are looked for in it."""

    span: Span
    pieces: tuple[str, ...]
    form: str
    """`any` or `all` of the pieces must be there; `other` where the condition asks for more than that."""
    absent: tuple[str, ...] = ()
    """Pieces that must not be there."""
    ends: bool = True
    """False where the next test is made all the same."""


@dataclass(frozen=True, slots=True)
class NameTests:
    """The tests that one function makes of one device name, in order."""

    place: Place
    subject: str
    case: str
    """`lower`, `upper`, `as it is`, or empty where that is not known."""
    tests: tuple[NamePiece, ...]
    form: str = "pieces"
    """`pieces`, or `key` for a subscript of a table with the whole name."""
    table: str = ""
    falls_back: bool = True
    """Whether a name that no test knows gets a value all the same."""
    trace: tuple[TraceStep, ...] = ()


@dataclass(frozen=True, slots=True)
class BuildList:
    """A list of architectures to build for."""

    place: Place
    what: str
    """`variable`, `flags`, `toolkit` (a chain over the toolkit's version) or `suffix`."""
    entries: tuple[str, ...]
    """The entries as written: `8.0`, `9.0+PTX`, `sm_90a`, `compute_90`."""
    words: str = ""
    trace: tuple[TraceStep, ...] = ()


@dataclass(frozen=True, slots=True)
class Partwise:
    """`major >= 7 and minor >= 5`: the parts of one version, each held against its own bound."""

    place: Place
    text: str
    operators: tuple[str, str]
    bounds: tuple[int, int]
    parts: tuple[Span, Span]
    """Where the two comparisons stand."""
    negated: bool
    """True where the parts are joined by `or`."""
    toolkit: bool
    """True where the names say that it is a toolkit's version."""


Observation = Lookup | NoneUse | Rejection | Gate | Comparison | Blank | TextUse | NameTests | BuildList | Partwise
