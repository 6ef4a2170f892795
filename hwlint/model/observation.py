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
    """Where something happens: the expression, its statement, and the function around it (empty at module level)."""

    span: Span
    statement: Span
    symbol: str

    @property
    def path(self) -> str:
        """The file."""
        return self.span.path


@dataclass(frozen=True, slots=True, eq=False)
class Thing:
    """What has no form of its own here: an object of another package, a class, the member of an enum of the project."""

    text: str
    """How it is shown."""
    owner: str = ""
    """For the member of an enum, the qualified name of the enum."""
    equal_to: Any = None
    """For the member of an `IntEnum` or the like, the value that it is, too."""

    def __eq__(self, other: object) -> bool:
        """Tell whether it is the same, or a value that it is, too."""
        if isinstance(other, Thing) and (self.text, self.owner) == (other.text, other.owner):
            return True
        value = other.equal_to if isinstance(other, Thing) else other
        return self.equal_to is not None and bool(self.equal_to == value)

    def __hash__(self) -> int:
        """Agree with equality."""
        return hash((self.text, self.owner)) if self.equal_to is None else hash(self.equal_to)

    def __repr__(self) -> str:
        """How it is shown."""
        return self.text


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
    """`subscripted`, `called`, `unpacked`, `computed with` and the like, or `taken for no limit`."""
    mask: int
    certain: int
    lookup: Span
    table: str
    key: str
    trace: tuple[TraceStep, ...] = ()
    ended: bool = False
    """True where the None is no lookup's, but that of a function (`key`) that ends without a `return`."""
    answered: int = 0
    """Architectures on which there is another answer."""


@dataclass(frozen=True, slots=True)
class Admission:
    """An earlier test on the way to a rejection that lets architectures in by name."""

    step: TraceStep
    text: str
    mask: int
    """Architectures that it lets in and that the rejection turns away."""
    between: int
    """How many tests that the hardware does not decide lie between the two in the function that rejects."""


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
    """Architectures that came to the tests that decide here."""
    caught: int
    trace: tuple[TraceStep, ...] = ()
    gates: tuple[Gate, ...] = ()
    """The hardware tests on the way here, outermost first."""
    by_rest: bool = True
    """True where the rest of a list or chain is turned away, False where the architectures are picked to be."""
    conditional: bool = False
    """True where something other than the hardware decides last."""
    decided: int = 0
    """The part of `mask` for which the hardware tests right here leave no doubt."""
    branches: tuple[int, ...] = ()
    """The architectures that each branch of the chain that ends here takes."""
    admissions: tuple[Admission, ...] = ()
    picks: tuple[tuple[str, str], ...] = ()
    """The choices that it holds for: (`backend`, `fast`) for a raise under `if self.backend == "fast":` alone."""


@dataclass(frozen=True, slots=True)
class CallRejection:
    """A call with arguments written down for which the called function turns architectures away."""

    place: Place
    """The call."""
    at: Span
    """The `raise` or `assert`."""
    exception: str
    message: str
    mask: int
    reached: int
    """Architectures that came to the test that decides."""
    caught: int
    trace: tuple[TraceStep, ...] = ()


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
    entered: int = 0
    """Architectures that entered the function."""
    sides: tuple[bool, bool] = (False, False)
    """Whether the body, and the `else`, do more than object; told only where not all that entered come here."""
    after: str = ""
    """Source text of the nearest hardware test before it."""
    settled: bool = False
    """True where the same holds on every architecture of the catalogue."""
    for_anyone: bool = False
    """True where it was seen with arguments of which nothing is known, and not only for what callers pass in."""
    says_memory: bool = False
    """True where it singles out the 8.x with little shared memory, and the function speaks of shared memory."""


@dataclass(frozen=True, slots=True)
class Unset:
    """A local name is read on architectures on which no branch has set it."""

    place: Place
    name: str
    mask: int
    certain: int
    set_on: int
    """Architectures on which a branch has set it."""
    trace: tuple[TraceStep, ...] = ()


@dataclass(frozen=True, slots=True)
class FallThrough:
    """A function that answers or raises on every other path ends inside a hardware branch without a `return`."""

    place: Place
    """The chain whose branches are all passed by."""
    mask: int
    certain: int
    trace: tuple[TraceStep, ...] = ()


@dataclass(frozen=True, slots=True)
class DeadChoice:
    """Names that a hardware branch sets and that are set again before they are read."""

    place: Place
    names: tuple[str, ...]
    mask: int
    certain: int
    again: Span
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
    named: tuple[str, ...] = ()
    """For equalities: the architectures that the function around names, in code or comments."""
    opposite: str = ""
    """For equalities: a generation that a comment on the other branch speaks of (`blackwell` for `# Not Blackwell`)."""
    turned_away: bool = False
    """For equalities: True where a `raise` alone stands behind it."""


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
    """`index`, `slice`, `pattern` (a regular expression), `number` (`int(...)`), `sorted`, `end` (`min`, `max`, the
    first of sorted ones), `order`, `member`, `letters` (a name for each character, as many as the second bound says),
    `characters` (each of them made a number),
    `suffixless` (a number of its own for what is not digits alone), `found` (cut where a search that may find nothing
    says), `dots` (a dot put between all digits), `always` (a test
    that a literal, or two bounds, decide), `never` (two tests of one number that none meets), `uncalled` (a test that
    names a function where its answer is meant)."""
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
    """The other side of an `order`, where it is a constant; of a `pattern` how it is used, and itself."""
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
    """`pieces`; `key` for a subscript of a table with the whole name; `generations` for those of AMD's names;
    `patterns` for a table of regular expressions; `words` where the code tested speaks of a generation (`table`)."""
    table: str = ""
    falls_back: bool = True
    """Whether a name that no test knows gets a value all the same."""
    trace: tuple[TraceStep, ...] = ()


@dataclass(frozen=True, slots=True)
class BuildList:
    """A list of architectures to build for."""

    place: Place
    what: str
    """`variable`, `own` (a variable of the project), `flags`, `toolkit` (a chain over the toolkit's version), `suffix`,
    `members` for a list of exact targets, whose name is in `words`, or `exact` for members of a generation that a test
    names one by one."""
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
    bounds: tuple[int, int] | None
    """None where they are names."""
    parts: tuple[Span, Span]
    """Where the two comparisons stand."""
    negated: bool
    """True where the parts are joined by `or`."""
    toolkit: bool
    """True where the names say that it is a toolkit's version."""


@dataclass(frozen=True, slots=True)
class Reach:
    """A name that says which architecture it is for is used behind a hardware test."""

    place: Place
    text: str
    """The name, dotted name or compiler flag as written."""
    how: str
    """`import`, `name` (`rung` for a function named after a whole line, `sm9x`, that only works out numbers), `text`,
    `declared` for a call of a function that lists capabilities, `pick` for a text that
    is chosen (`pick here` for one that a ternary gives a variable of the function), `message` for words to the user
    that turn a generation away, `remark` for a word of the comment above a test, whose answer is yes on `mask`."""
    mask: int
    """Architectures that come here."""
    certain: int
    guard: str
    """Source text of the nearest hardware test."""
    trace: tuple[TraceStep, ...] = ()
    declared: tuple[int, ...] = ()
    """For `declared`: the capabilities that it lists, as numbers (`100`)."""
    decorator: str = ""
    """For `declared`: the decorator that lists them; for `pick`: the name that is given the text."""
    asked: str = ""
    """What the function assigns to the guard, where that is a bare name."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A size (a tile, stages, bytes of shared memory) that a name or keyword is given, by architecture."""

    place: Place
    name: str
    sizes: tuple[tuple[int, int], ...]
    """Each number with the architectures on which it may be the one."""
    certain: int
    tiled: bool
    """Whether the function speaks of tiles that are held in shared memory."""
    trace: tuple[TraceStep, ...] = ()


@dataclass(frozen=True, slots=True)
class Limit:
    """A limit that is chosen by architecture, where the author turns away what does not keep to it."""

    place: Place
    """The `raise` or `assert`."""
    name: str
    sizes: tuple[tuple[int, int], ...]
    """Each number with the architectures on which it may be the one."""
    most: bool
    """True where more than the limit is turned away, False where less is."""
    exception: str
    trace: tuple[TraceStep, ...] = ()


@dataclass(frozen=True, slots=True)
class Predicate:
    """A function or variable whose name says which architecture it is true for, and where it may be true and false."""

    place: Place
    name: str
    kind: str
    """`function` or `variable`; `flag` for a module's variable whose name makes no claim."""
    true: int
    false: int
    proven: int
    """Architectures on which True itself is among the answers, and not only something unknown."""
    trace: tuple[TraceStep, ...] = ()


@dataclass(frozen=True, slots=True)
class Window:
    """A class that declares which capabilities it supports: a least one and, where there is one, a greatest."""

    place: Place
    owner: str
    attribute: str
    """The attribute with the least capability."""
    least: tuple[int, int]
    greatest: tuple[int, int] | None
    words: tuple[str, ...]
    """The class's own name and its module's, and texts that it gives itself as a name."""
    by_call: bool = False
    """True where a call declares it (`Needs(min_sm=(10, 0))`); the words are those of the texts beside it."""


@dataclass(frozen=True, slots=True)
class OpenTable:
    """A table or list of architectures is asked for something that the hardware is not seen to decide."""

    place: Place
    form: str
    """`subscript`, `get`, `index` or `in`."""
    table: str
    span: Span
    """Where its members are written."""
    key: str
    """Source text of what is asked for."""
    keys: tuple[str | int | tuple[int, ...], ...]
    kind: str
    """`gfx` for AMD's names, `target` for NVIDIA's (`sm_90a`), `number` for capabilities in any form."""
    numbers: tuple[int, ...]
    """NVIDIA's members as numbers (`90`, `120`)."""
    turns_away: bool
    """Whether what is not there raises."""


Observation = (
    Lookup | NoneUse | Rejection | CallRejection | Gate | Comparison | Blank | TextUse | NameTests | BuildList
    | Partwise | Reach | Choice | Limit | Predicate | Window | Unset | FallThrough | DeadChoice
    | OpenTable
)  # fmt: skip
