"""Hold what is known at one point of the program: who is alive, the names, and the objects on the heap."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from hwlint.evaluate.answers import AttrContent, Class, Function, Ref, Trace, Unbound, Unknown, held
from hwlint.evaluate.slicing import Slice
from hwlint.evaluate.values import EVERYWHERE, Value, const, join, make, restrict

MOST_CONTENTS = 12
"""A container with more possible contents than this, of which several are possible on one architecture, is given up
as Unknown."""
MOST_AT_ONCE = 4
"""So many on one architecture are several."""


@dataclass(slots=True, eq=False)
class Frame:
    """One function (or module-level statement) being evaluated."""

    path: str
    symbol: str
    base: dict[Ref, Value]
    """The objects made at module level, shared by every frame."""
    function: Function | None = None
    owner: Class | None = None
    locals: frozenset[str] = frozenset()
    globals: frozenset[str] = frozenset()
    shared: frozenset[str] = frozenset()
    """Local names that functions inside bind, too."""
    covered: dict[str, Value | None] = field(default_factory=dict)
    """Names that running comprehensions bind for themselves, and what they stand for outside."""
    before: int | None = None
    """For module-level code: names are those bound before this statement; None inside functions."""
    returns: list[tuple[Value, State]] = field(default_factory=list)
    yields: bool = False
    raised: int = 0
    """Architectures that may have left by an exception."""
    escapes: list[tuple[str, int, dict[Ref, Value] | None]] = field(default_factory=list)
    """Exceptions that left this frame: name, architectures, and the objects as they were, where a caller catches it."""
    trace: Trace | None = None
    """The first hardware test that decided a branch of this frame."""
    tries: list[Try] = field(default_factory=list)
    loops: list[Loop] = field(default_factory=list)
    depth: int = 0
    gates: list[tuple[ast.expr, int, int]] = field(default_factory=list)
    """The hardware tests around the running statement: the test, where it may be true, where it may be false."""
    handling: str = ""
    """The exception that the running handler caught, for a bare `raise`."""
    entered: int = 0
    """Architectures that entered the function."""
    skipped: Slice = field(default_factory=dict)
    """Statements of the function that cannot matter and are passed over."""
    final: int = 0
    """Architectures that left by a `return` that is the last statement."""
    test: ast.expr | None = None
    """The last hardware test that was met."""
    asserted_off: int = 0
    """Architectures for which an `assert` of the function's own body holds only if a known value is something else."""
    hinted: bool = False
    """True once a test that is not worked out has named an architecture."""
    open: list[Opened] = field(default_factory=list)
    """Every `if` around the running statement, outermost first."""
    undecided: int = 0
    """Architectures on which a hardware test went either way."""
    guards: list[Guard] = field(default_factory=list)
    """The hardware tests that were passed: one of their sides left the function."""
    called: Called | None = None
    """The call that led here, where it gives arguments that are written down."""
    blamed: bool = False
    """True once something was recorded at that call."""


@dataclass(frozen=True, slots=True, eq=False)
class Called:
    """A call of a function: the expression, its statement, and the function around."""

    node: ast.AST
    statement: ast.AST | None
    path: str
    symbol: str


@held()
class Opened:
    """An `if` whose body (`truth`) or `else` is running, and where its test may be true and may be false."""

    test: ast.expr
    yes: int
    no: int
    truth: bool
    hardware: bool
    """Whether the hardware has a say in the test."""
    turns_away: bool = False
    """True where the side that is not running only raises."""
    told: tuple[int, int] = (0, 0)
    """Where a known answer is true, and where one is false, though others are not known."""

    @property
    def side(self) -> int:
        """Architectures that may be on the running side."""
        return self.yes if self.truth else self.no

    @property
    def other(self) -> int:
        """Architectures that may be on the other side."""
        return self.no if self.truth else self.yes


@dataclass(frozen=True, slots=True, eq=False)
class Guard:
    """A hardware test one side of which has left the function, and the side that went on."""

    passed: Opened
    path: str
    around: tuple[tuple[str, bool], ...]
    """The tests around it that the hardware does not decide: their text and what they were."""
    raised: bool
    """Whether the other side left by an exception."""


@dataclass(slots=True, eq=False)
class Try:
    """An open `try`: the exceptions it catches and the states that reached its handlers."""

    catches: tuple[frozenset[str] | None, ...]
    """For each handler the names it catches; None catches everything."""
    caught: list[list[State]]
    thrown: set[str] = field(default_factory=set)
    """The exceptions that came to a handler."""
    depth: int = 0


@dataclass(slots=True, eq=False)
class Loop:
    """An open loop: the states that left by `break` or went on by `continue`."""

    breaks: list[State] = field(default_factory=list)
    continues: list[State] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class State:
    """One point of the program.

    `alive`: architectures that can be here. `certain`: those for which the hardware alone decides that they are.
    `steady`: those that cannot have left this function on a path that something else decided.
    """

    frame: Frame
    alive: int
    certain: int
    steady: int
    vars: dict[str, Value] = field(default_factory=dict)
    heap: dict[Ref, Value] = field(default_factory=dict)

    def copy(self) -> State:
        """An independent copy."""
        return State(self.frame, self.alive, self.certain, self.steady, dict(self.vars), dict(self.heap))

    def dead(self) -> State:
        """A copy that nobody reaches."""
        return State(self.frame, 0, 0, 0, self.vars, self.heap)

    def narrow(self, mask: int, *, decided: int) -> State:
        """A copy that only `mask` reaches; for those outside `decided` something besides the hardware decides it."""
        made = self.copy()
        made.alive &= mask
        made.certain &= mask & decided
        made.steady &= mask
        return made

    def take(self, other: State) -> None:
        """Become `other`."""
        self.alive, self.certain, self.steady = other.alive, other.certain, other.steady
        self.vars, self.heap = other.vars, other.heap


def merge(states: list[State], entry: State, undecided: int = EVERYWHERE) -> State:
    """Join the states that meet again after a branch taken from `entry`.

    `undecided`: the architectures that could have taken more than one of the branches. Those of them that did not
    come out of every branch may have left on an undecided path: they are no longer steady.
    """
    reached = [state for state in states if state.alive]
    if not reached:
        return entry.dead()
    steady_everywhere, steady_somewhere, certain = EVERYWHERE, 0, 0
    for state in states:
        steady_everywhere &= state.steady & state.alive
        steady_somewhere |= state.steady & state.alive
        certain |= state.certain
    result = reached[0]
    if len(reached) > 1:
        result = result.copy()
        for other in reached[1:]:
            result.vars = _merge_names(result.vars, result.alive, other.vars, other.alive)
            result.heap = _merge_heap(result.heap, result.alive, other.heap, other.alive, entry.frame.base)
            result.alive |= other.alive
    result.steady = ((steady_everywhere & undecided) | (steady_somewhere & ~undecided)) & result.alive
    result.certain = (certain | (entry.certain & result.steady)) & result.alive
    return result


def put_back(state: State, branch: State, mask: int) -> None:
    """Let what the objects hold after `branch`, which only `mask` took, be what they hold in `state` for those."""
    if not state.alive & ~mask:
        state.heap.update(branch.heap)
    else:
        state.heap = _merge_heap(branch.heap, mask, state.heap, ~mask, state.frame.base)


def _merge_names(left: dict[str, Value], left_mask: int, right: dict[str, Value], right_mask: int) -> dict[str, Value]:
    """Join two sets of names; those that are the same object on both sides, nearly all, cost next to nothing."""
    merged = dict(left)
    for name, two in right.items():
        one = left.get(name)
        if one is not two:
            one = one or _unbound(name)
            merged[name] = join((restrict(one, left_mask), restrict(two, right_mask)))
    if len(merged) > len(right):
        for name, one in left.items():
            if name not in right:
                merged[name] = join((restrict(one, left_mask), restrict(_unbound(name), right_mask)))
    return merged


def _unbound(name: str) -> Value:
    return make([(Unbound(name), EVERYWHERE)])


def _merge_heap(
    left: dict[Ref, Value], left_mask: int, right: dict[Ref, Value], right_mask: int, base: dict[Ref, Value]
) -> dict[Ref, Value]:
    """Join two heaps; an object that only one side knows keeps what it holds there."""
    merged = dict(left)
    for ref, two in right.items():
        one = left.get(ref)
        if one is None:
            one = base.get(ref)
        if one is not two:
            merged[ref] = two if one is None else merge_contents(ref, one, left_mask, two, right_mask)
    if len(merged) > len(right):
        for ref, one in left.items():
            if ref not in right:
                old = base.get(ref)
                if old is not None and old is not one:
                    merged[ref] = merge_contents(ref, one, left_mask, old, right_mask)
    return merged


def merge_contents(ref: Ref, one: Value, left_mask: int, two: Value, right_mask: int) -> Value:
    """Join what an object holds on two paths."""
    if ref.kind == "instance":
        return _merge_attributes(one, left_mask, two, right_mask)
    return _bounded(join((restrict(one, left_mask), restrict(two, right_mask))))


def _merge_attributes(left: Value, left_mask: int, right: Value, right_mask: int) -> Value:
    """An instance has one content, whose attributes hold what differs: their number must not grow with the paths."""
    one, two = left.only(), right.only()
    if not isinstance(one, AttrContent) or not isinstance(two, AttrContent):
        return left if isinstance(two, AttrContent) else right
    items = _merge_names(dict(one.items), left_mask, dict(two.items), right_mask)
    return const(AttrContent(items, one.rest or two.rest))


def _bounded(content: Value) -> Value:
    """Give up a container that may have more than a few contents on one architecture."""
    if len(content.cases) <= MOST_CONTENTS:
        return content
    seen = 0
    often = [0] * MOST_AT_ONCE
    for _, mask in content.cases:
        for times in range(MOST_AT_ONCE - 1, 0, -1):
            often[times] |= often[times - 1] & mask
        often[0] |= mask
        seen |= mask
    return make([(Unknown("a container that differs on too many paths"), seen)]) if often[-1] else content
