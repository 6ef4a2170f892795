"""The kinds of things that an expression may be beside plain constants: objects, containers, functions, unknowns."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar, dataclass_transform

from hwlint.model.finding import TraceStep
from hwlint.model.observation import Thing
from hwlint.model.span import Span

if TYPE_CHECKING:
    from hwlint.evaluate.values import Value


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
