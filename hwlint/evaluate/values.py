"""Represent what an expression may be, one answer per architecture.

A `Value` is a tuple of cases: an answer and the bit set of architectures for which it may be the answer. Masks of
different cases may overlap: then several answers are possible on one architecture. The mask `EVERYWHERE` stands for
all architectures, so that a constant costs one case whatever the number of targets.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import product
from typing import Any, TypeVar, dataclass_transform

from hwlint.model.finding import TraceStep
from hwlint.model.observation import Thing
from hwlint.model.span import Span

EVERYWHERE = -1
MOST_CASES = 96
"""More cases than this in one value are given up as Unknown: no table of hardware values needs as many."""

Answer = Any
"""A Python constant, a tuple of answers, or one of the classes below."""

_Kind = TypeVar("_Kind")


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def held(*, eq: bool = False) -> Callable[[type[_Kind]], type[_Kind]]:
    """Make a dataclass that the type checker, not every assignment in `__init__`, keeps from being changed.

    Hundreds of thousands are made in a run, and a frozen one takes three times as long to make.
    """
    return dataclass(slots=True, eq=eq, unsafe_hash=eq)


ELSEWHERE = " on this platform"
"""What the reason ends with of what is asked of another platform's device."""


@held(eq=True)
class Unknown:
    """An answer that is not known, and why. `truth` is its truth value where that much is known."""

    reason: str
    truth: bool | None = None
    is_none: bool | None = None
    """False where it is known not to be None."""
    of: Answer = None
    """The function that it is, where a decorator may have changed what that returns."""


@held(eq=True)
class Unbound:
    """The answer of a local name that was not assigned on this path."""

    name: str


@held(eq=True)
class Raised:
    """What an operation answers when CPython would raise."""

    exception: str
    message: str = ""


@held()
class Ref:
    """A mutable object; its content lives in the state's heap. Two Refs are equal only if they are the same object."""

    kind: str
    """`list`, `dict`, `set` or `instance`."""
    span: Span | None = None
    """Where the object is made."""
    node: ast.AST | None = None
    type: Answer = None
    """The class of an instance; `FROZEN` for a set that cannot be changed."""


@held()
class ListContent:
    """The items of a list; `rest` says why there may be more."""

    items: tuple[Value, ...]
    rest: Unknown | None = None


@held()
class DictContent:
    """The entries of a dict in insertion order; `rest` says why there may be more."""

    items: Mapping[Any, Value]
    rest: Unknown | None = None


@held()
class SetContent:
    """The members of a set in insertion order; `rest` says why there may be more."""

    items: tuple[Any, ...]
    rest: Unknown | None = None


@held()
class AttrContent:
    """The attributes that were set on an instance; `rest` says why there may be more."""

    items: Mapping[str, Value]
    rest: Unknown | None = None


@held()
class MixedTuple:
    """A tuple whose items are not all single constants."""

    items: tuple[Value, ...]


@held()
class Function:
    """A function or lambda of the project, with the names of the enclosing function it may read."""

    path: str
    qualname: str
    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
    closure: Mapping[str, Value] = field(default_factory=dict)
    owner: Class | None = None
    binding: str = ""
    """`static`, `class`, `property` or `cached` (a property that is worked out once) where a decorator says so."""
    captured: Mapping[int, Value] = field(default_factory=dict)
    """Defaults of functions made inside another function, by position of the default node."""
    home: Any = None
    """The frame of the function that it was made in: while that runs, names are what they are there by then."""
    covered: frozenset[str] = frozenset()
    """Those of the names around it that a comprehension binds: the frame's own of the same name are others."""


@held()
class Around:
    """What a class that is made inside a function finds around it: names as they are when it is made, and objects."""

    frame: Any
    now: Mapping[str, Value]
    """For the statements of its body, which are run at once."""
    later: Mapping[str, Value]
    """For its methods."""
    heap: Mapping[Ref, Value]


@held()
class Class:
    """A class of the project; one that reads names of the function around it is another one each time it is made."""

    path: str
    qualname: str
    node: ast.ClassDef
    around: Around | None = None


@held()
class EnumMember:
    """A member of an Enum class of the project; `plain` where it is its value, too, as those of an IntEnum are."""

    owner: Class
    name: str
    value: Any
    plain: bool = False

    def __eq__(self, other: object) -> bool:
        if isinstance(other, EnumMember):
            if self.owner.node is other.owner.node:
                return self.name == other.name
            return self.plain and other.plain and bool(self.value == other.value)
        return self.plain and bool(self.value == other)

    def __hash__(self) -> int:
        return hash(self.value) if self.plain else hash((self.owner.qualname, self.name))

    def __repr__(self) -> str:
        return f"{self.owner.qualname}.{self.name}"


@held(eq=True)
class Bound:
    """A function together with its first argument."""

    function: Answer
    receiver: Value


@held()
class Partial:
    """`functools.partial(function, *args, **keywords)`."""

    function: Value
    args: tuple[Value, ...]
    keywords: Mapping[str, Value]


@held(eq=True)
class Module:
    """A module of the project, by path."""

    path: str


@held(eq=True)
class Imported:
    """A name imported from a module that hardware values do not reach; it is looked up only where it is used."""

    path: str
    """The importing file."""
    module: str
    level: int
    attribute: str
    line: int
    name: str


@held(eq=True)
class External:
    """Something that lives outside the project, by its dotted name."""

    name: str


@held(eq=True)
class Builtin:
    """A builtin function or type, by name."""

    name: str


FROZEN = Builtin("frozenset")
"""The type of a set that cannot be changed."""


@held(eq=True)
class Method:
    """A method of a builtin object: `"a.b".split`."""

    receiver: Answer
    name: str


@held(eq=True)
class Device:
    """An object that an origin returns, such as a properties record; its attributes are origins too."""

    type: str


@held()
class Coroutine:
    """What a call of an `async def` gives: something to be awaited, and what that gives."""

    value: Value


@held()
class Super:
    """`super()` inside a method of `owner`."""

    owner: Class
    receiver: Value


@held()
class Trace:
    """How a hardware value came about, newest step first."""

    step: TraceStep
    before: Trace | None = None

    def steps(self) -> tuple[TraceStep, ...]:
        """The steps, the origin first."""
        found: list[TraceStep] = []
        node: Trace | None = self
        while node is not None:
            found.append(node.step)
            node = node.before
        return tuple(reversed(found))


@held()
class Missed:
    """Marks the None that a missed `.get` gave: on which architectures, and from which lookup."""

    mask: int
    span: Span
    table: str
    key: str
    ended: bool = False
    """True where no lookup gave the None, but a function that ends without a `return`."""


class Named(tuple[Any, ...]):
    """A named tuple: a tuple whose items have names too. `type` is its class, or the type name of an origin."""

    type: Answer
    fields: tuple[str, ...]

    def __repr__(self) -> str:
        if not isinstance(self.type, Class) or len(self.fields) != len(self):
            return tuple.__repr__(self)
        shown = ", ".join(f"{field}={item!r}" for field, item in zip(self.fields, self, strict=True))
        return f"{self.type.qualname.rpartition('.')[2]}({shown})"

    @classmethod
    def of(cls, type_: Answer, fields: tuple[str, ...], items: Iterable[Any]) -> Named:
        """Build one."""
        made = cls(items)
        made.type, made.fields = type_, fields
        return made


Case = tuple[Answer, int]


@held()
class Value:
    """What an expression may be; `trace` is set where it depends on the hardware, `via` tells how a table got here."""

    cases: tuple[Case, ...]
    trace: Trace | None = None
    missed: Missed | None = None
    via: tuple[TraceStep, ...] = ()

    @property
    def mask(self) -> int:
        """The architectures for which there is an answer at all."""
        found = 0
        for _, mask in self.cases:
            found |= mask
        return found

    def only(self) -> Answer:
        """Return the answer where it is the same everywhere, else an Unknown."""
        if len(self.cases) == 1:
            return self.cases[0][0]
        return Unknown("several answers")


def const(answer: Answer) -> Value:
    """A value that is `answer` everywhere."""
    return Value(((answer, EVERYWHERE),))


def unknown(reason: str, trace: Trace | None = None) -> Value:
    """A value that is unknown everywhere."""
    return Value(((Unknown(reason), EVERYWHERE),), trace)


def awaited(value: Value) -> Value:
    """What `await` gives: the answer of a coroutine; anything else is taken for what it gives itself."""
    if not any(type(answer) is Coroutine for answer, _ in value.cases):
        return value
    parts = [
        restrict(answer.value, mask) if type(answer) is Coroutine else Value(((answer, mask),))
        for answer, mask in value.cases
    ]
    found = join(parts)
    return Value(found.cases, found.trace or value.trace, found.missed, found.via)


def same(left: Answer, right: Answer) -> bool:
    """True where two answers are the same object to CPython's eyes; 1, True and 1.0 are three answers."""
    if left is right:
        return True
    if type(left) is not type(right):
        return False
    if type(left) is float:
        return repr(left) == repr(right)
    if left != right:  # most are told apart here; of two equal tuples one may hold 1 where the other holds True
        return False
    return not isinstance(left, tuple) or all(map(same, left, right))


def make(
    cases: Iterable[Case],
    trace: Trace | None = None,
    missed: Missed | None = None,
    via: tuple[TraceStep, ...] = (),
) -> Value:
    """Build a value: equal answers are put together, empty cases dropped, and each architecture keeps one Unknown."""
    kept: list[tuple[Answer, int]] = []
    unsure = 0
    coming = iter(cases)
    for answer, mask in coming:
        if type(answer) is Unknown:
            if mask & unsure:
                _weaken(kept, answer, mask)
            mask &= ~unsure
            unsure |= mask
        if not mask:
            continue
        kind = type(answer)
        for index, (known, seen) in enumerate(kept):
            if known is answer or (type(known) is kind and (known == answer or kind is float) and same(known, answer)):
                kept[index] = (known, seen | mask)
                break
        else:
            kept.append((answer, mask))
            if len(kept) > MOST_CASES:
                break
    if len(kept) > MOST_CASES:
        whole = 0
        for _, mask in (*kept, *coming):
            whole |= mask
        kept = [(Unknown("more possibilities than are tracked"), whole)]
    return Value(tuple(kept), trace, missed, via)


def _weaken(kept: list[Case], other: Unknown, mask: int) -> None:
    """Let the Unknowns that are kept say no more than `other` does, where both may be the answer."""
    for index, (answer, seen) in enumerate(kept):
        if type(answer) is not Unknown or not seen & mask:
            continue
        truth = answer.truth if answer.truth == other.truth else None
        is_none = answer.is_none if answer.is_none == other.is_none else None
        if truth is not answer.truth or is_none is not answer.is_none:
            kept[index] = (answer, seen & ~mask)
            kept.append((Unknown(answer.reason, truth, is_none), seen & mask))
    kept[:] = [case for case in kept if case[1]]


def overlay(under: DictContent, over: DictContent) -> DictContent:
    """The entries of `over` put on those of `under`; what `over` may hold besides may replace any of them."""
    items = under.items
    if over.rest is not None:
        unsure = Value(((over.rest, EVERYWHERE),))
        items = {key: join((value, unsure)) for key, value in items.items()}
    return DictContent({**items, **over.items}, under.rest or over.rest)


def restrict(value: Value, mask: int) -> Value:
    """Keep only the cases of the architectures in `mask`."""
    if len(value.cases) == 1:
        answer, seen = value.cases[0]
        if seen & mask == seen:
            return value
        return Value(((answer, seen & mask),) if seen & mask else (), value.trace, value.missed, value.via)
    kept = tuple((answer, seen & mask) for answer, seen in value.cases if seen & mask)
    return Value(kept, value.trace, value.missed, value.via)


def join(values: Iterable[Value]) -> Value:
    """A value that may be any of `values`."""
    found = list(values)
    if len(found) == 1:
        return found[0]
    first = found[0]
    if all(value is first for value in found):
        return first
    trace = next((value.trace for value in found if value.trace), None)
    via = next((value.via for value in found if value.via), ())
    missed = _join_missed(found)
    return make((case for value in found for case in value.cases), trace, missed, via)


def _join_missed(values: list[Value]) -> Missed | None:
    """Keep the first mark of a missed lookup, widened to every architecture that carries one from the same place."""
    marks = [value.missed for value in values if value.missed]
    if not marks:
        return None
    first = marks[0]
    mask = 0
    for mark in marks:
        if mark.span == first.span:
            mask |= mark.mask
    return Missed(mask, first.span, first.table, first.key, first.ended)


def select(left: Value, left_mask: int, right: Value, right_mask: int) -> Value:
    """Take `left` on the architectures of `left_mask` and `right` on those of `right_mask`."""
    if left is right:
        return left
    return join((restrict(left, left_mask), restrict(right, right_mask)))


def lift(
    operation: Callable[..., Answer],
    values: tuple[Value, ...],
    alive: int,
) -> tuple[Value, tuple[tuple[Raised, int], ...]]:
    """Apply `operation` to every combination of answers that occurs on some architecture in `alive`.

    Returns the value and, apart, what was raised and where. `operation` gets answers and returns an answer, an
    Unknown or a Raised.
    """
    trace = next((value.trace for value in values if value.trace), None)
    done: list[Case] = []
    raised: list[tuple[Raised, int]] = []
    count = 0
    combinations = product(*(value.cases for value in values)) if len(values) < _FEW else _combined(values, alive)
    if combinations is None:
        return Value(((Unknown("more combinations than are tracked"), alive),), trace), ()
    for combination in combinations:
        mask = alive
        for _, seen in combination:
            mask &= seen
        if not mask:
            continue
        count += 1
        if count > 4 * MOST_CASES:
            return Value(((Unknown("more combinations than are tracked"), alive),), trace), ()
        answer = operation(*(answer for answer, _ in combination))
        if type(answer) is Raised:
            raised.append((answer, mask))
        else:
            done.append((answer, mask))
    if len(done) == 1 and not raised:
        only, mask = done[0]
        if mask == alive and all(seen == EVERYWHERE for value in values for _, seen in value.cases):
            mask = EVERYWHERE
        return Value(((only, mask),), trace), ()
    return make(done, trace), tuple(raised)


_FEW = 4
"""From so many values on their combinations are too many to go through all of them."""


def _combined(values: tuple[Value, ...], alive: int) -> list[tuple[Case, ...]] | None:
    """The combinations of answers that occur on some architecture; None where they are more than are tracked."""
    found: list[tuple[tuple[Case, ...], int]] = [((), alive)]
    for value in values:
        found = [((*head, case), mask & case[1]) for head, mask in found for case in value.cases if mask & case[1]]
        if len(found) > 4 * MOST_CASES:
            return None
    return [head for head, _ in found]


def opened(content: Answer, rest: Unknown) -> Answer:
    """The content of a container to which something may have been added, as `rest` says."""
    match content:
        case DictContent():
            return DictContent(content.items, content.rest or rest)
        case ListContent():
            return ListContent(content.items, content.rest or rest)
        case SetContent():
            return SetContent(content.items, content.rest or rest)
        case AttrContent():
            return AttrContent(content.items, content.rest or rest)
        case _:
            return content


def truth(value: Value, alive: int) -> tuple[int, int]:
    """Return the architectures on which `value` may be true, and those on which it may be false."""
    yes = no = 0
    for answer, mask in value.cases:
        known = truth_of(answer)
        if known is not False:
            yes |= mask
        if known is not True:
            no |= mask
    return yes & alive, no & alive


def told_by(value: Value, alive: int) -> tuple[int, int]:
    """Return the architectures on which a known answer is true, and on which one is false.

    An argument that may be passed in, and is read from the hardware where it is not, has both kinds of answers: what
    the hardware says is judged by the known ones alone.
    """
    return truth(Value(tuple(case for case in value.cases if type(case[0]) is not Unknown)), alive)


def truth_of(answer: Answer) -> bool | None:
    """The truth of an answer, None where it is not known. Containers on the heap are decided by the caller."""
    kind = type(answer)
    if kind is Unknown:
        found: bool | None = answer.truth
        return found
    if kind is MixedTuple:
        return bool(answer.items)
    if kind is Ref or kind is Unbound:
        return None
    if kind is External or kind is Device:
        return None
    if kind is EnumMember:
        return bool(answer.value) if answer.plain else True
    if kind in _ALWAYS_TRUE:
        return True
    return bool(answer)


_ALWAYS_TRUE = frozenset({Function, Class, Bound, Partial, Module, Builtin, Coroutine, Method, Super})

CONSTANTS = frozenset({int, str, bool, float, bytes, type(None), complex, type(...)})
_TOLD = frozenset({int, str, bool, float, type(None)})


def is_concrete(answer: Answer) -> bool:
    """True for a Python constant, or a tuple or frozenset of them, that CPython would compare as it stands."""
    kind = type(answer)
    if kind in CONSTANTS or kind is EnumMember:
        return True
    if kind is tuple or kind is frozenset or kind is Named:
        return all(is_concrete(item) for item in answer)
    return kind in (Class, Function, Module, Builtin, External, range)


def shown(answer: Answer) -> Any:
    """The form in which an answer is told to whoever has no syntax nodes: a constant stands for itself."""
    kind = type(answer)
    if kind in _TOLD:
        return answer
    if kind is tuple or kind is frozenset:
        return kind(map(shown, answer))
    if kind is Named:
        return tuple(map(shown, answer))
    if kind is EnumMember:
        return Thing(repr(answer), answer.owner.qualname, shown(answer.value) if answer.plain else None)
    return Thing("..." if kind is Unknown else repr(answer))
