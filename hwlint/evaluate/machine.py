"""Declare what the parts of the evaluator offer each other; `engine.Machine` is their sum."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from hwlint.evaluate.answers import (
    Answer,
    AttrContent,
    Class,
    DictContent,
    External,
    Function,
    ListContent,
    Missed,
    MixedTuple,
    Ref,
    SetContent,
    Trace,
    Unknown,
    truth_of,
)
from hwlint.evaluate.budget import Budget
from hwlint.evaluate.changes import Change, after
from hwlint.evaluate.recorder import Recorder
from hwlint.evaluate.state import Frame, State
from hwlint.evaluate.values import EVERYWHERE, Value, const, make, restrict
from hwlint.model.architecture import Architecture
from hwlint.model.finding import TraceStep
from hwlint.model.observation import Place
from hwlint.model.origin import Origins
from hwlint.model.span import Span

if TYPE_CHECKING:
    from hwlint.evaluate.code import Code
    from hwlint.evaluate.project import Project
    from hwlint.evaluate.searches import Search

Content = ListContent | DictContent | SetContent | AttrContent


class Core:
    """State that all parts share, and the small operations on it."""

    def __init__(self, architectures: Sequence[Architecture], project: Project, origins: Origins) -> None:
        """Prepare to evaluate `project` on `architectures`."""
        self.architectures = tuple(architectures)
        self.everyone = (1 << len(self.architectures)) - 1
        self.project = project
        self.origins = origins
        self.recorder = Recorder()
        self.base: dict[Ref, Value] = {}
        self.loose: dict[Ref, tuple[Unknown, Change]] = {}
        """Containers of modules that functions change, and how."""
        self.names: dict[Ref, tuple[str, Span]] = {}
        self.budget = Budget()
        self.frames: list[Frame] = []
        self.statement: ast.AST | None = None
        self.points: dict[str, int] = {}
        """Modules whose top-level code is being run, and the statement: functions see the names as of there."""
        self.several = 0
        """Architectures on which the table of the lookup that is being worked out may hold one thing or another."""
        self.faulted = 0
        """Architectures on which a round of the running loop has raised what nobody catches: no later one is sure."""
        self.ancestors: dict[str, frozenset[str]] = {}
        """What exceptions of the project derive from, by their names; filled where they are raised."""
        self.module_writes = 0
        """How often module-level code has bound a name so far: calls are only remembered in between."""
        self.doubts = 0
        self.import_doubts = 0
        self.stand_ins: dict[Ref, tuple[Missed, Trace]] = {}
        """Containers that a `.get` gave in place of a missing entry, with the lookup that missed it."""
        self.searches: dict[Ref, Search] = {}
        """Lists that were filtered by a hardware value, and may be empty, with what was looked for."""
        self.from_hardware: dict[Ref, Trace] = {}
        """Sets that hardware values were added to, and how the first of them came about."""
        self.hardware_tests: set[ast.expr] = set()
        self.block_limits: set[TraceStep] = set()
        """Where a device is asked how much shared memory one block may have."""
        """Conditions, and parts of conditions, in which the hardware has had a say."""

    def origin_type(self, answer: Answer) -> str | None:
        """The name of a class of which an origin says what its objects hold; the project itself may define it."""
        if isinstance(answer, External):
            name = answer.name
        elif isinstance(answer, Class):
            name = f"{self.project.table.name_of(answer.path)}.{answer.qualname}"
        else:
            return None
        return name if self.origins.holds(name) else None

    # What the parts offer each other.

    def eval(self, node: ast.expr, state: State) -> Value:
        """Evaluate an expression in `state`, which loses the architectures that raise."""
        raise NotImplementedError

    def run(self, body: Sequence[ast.stmt], state: State) -> None:
        """Run statements in `state`."""
        raise NotImplementedError

    def call(
        self, function: Value, args: Sequence[Value], keywords: dict[str, Value], node: ast.AST, state: State
    ) -> Value:
        """Call a value."""
        raise NotImplementedError

    def call_function(
        self, function: Function, args: Sequence[Value], keywords: dict[str, Value], node: ast.AST, state: State
    ) -> Value:
        """Run a function of the project in a frame of its own."""
        raise NotImplementedError

    def attribute(self, value: Value, name: str, node: ast.AST, state: State) -> Value:
        """Read an attribute."""
        raise NotImplementedError

    def assign(self, target: ast.expr, value: Value, state: State) -> None:
        """Bind a target to a value."""
        raise NotImplementedError

    def subscript(self, base: Value, key: Value, node: ast.Subscript, state: State) -> Value:
        """Compute `base[key]`."""
        raise NotImplementedError

    def global_name(self, path: str, name: str, before: int | None) -> Value | None:
        """Return what a module-level name is, as of statement `before`; None where the module does not bind it."""
        raise NotImplementedError

    def iterate(
        self, value: Value, state: State, *, ordered: bool = False
    ) -> list[tuple[tuple[Value, ...], Unknown | None, int]]:
        """Return the items of an iterable: for each case the items, why there may be more, and the architectures."""
        raise NotImplementedError

    def origin(
        self, name: str, args: Sequence[Value], keywords: dict[str, Value], node: ast.AST, state: State, *, called: bool
    ) -> Value | None:
        """Return the value of an origin with this qualified name, or None where there is none."""
        raise NotImplementedError

    def class_member(self, owner: Class, name: str) -> tuple[Value, Class] | None:
        """Return what a class or its bases define under `name`, and which of them does."""
        raise NotImplementedError

    def bound_on_the_way(self, name: str, value: Value, state: State) -> Value:
        """What a name is that a module's compound statement binds (defined with the names)."""
        raise NotImplementedError

    def settled(self, value: Value) -> Value:
        """Look up what was only imported so far."""
        raise NotImplementedError

    def is_beside(self, node: ast.expr, state: State) -> bool:
        """True for a name, or an attribute of one, that comes from a module which hardware values do not reach."""
        raise NotImplementedError

    def test(self, node: ast.expr, state: State) -> tuple[Value, int, int]:
        """Evaluate a condition; return it with the architectures on which it may be true, and may be false."""
        raise NotImplementedError

    # Places and names.

    def code(self, path: str) -> Code:
        """The module at `path`; it is there for every frame that runs."""
        found = self.project.code(path)
        assert found is not None
        return found

    def span(self, node: ast.AST, state: State) -> Span:
        """Where a node of the running frame stands."""
        return self.code(state.frame.path).span(node)

    def place(self, node: ast.AST, state: State) -> Place:
        """The node, its statement and its function."""
        statement = self.statement if self.statement is not None else node
        return Place(self.span(node, state), self.span(statement, state), state.frame.symbol)

    def text(self, node: ast.AST, state: State) -> str:
        """The source of a node on one line."""
        return " ".join(self.code(state.frame.path).segment(node).split())

    def step(self, message: str, node: ast.AST, state: State, before: Trace | None = None) -> Trace:
        """A new step of a trace."""
        return Trace(TraceStep(self.span(node, state), message), before)

    # The heap.

    def keep_new(self, heap: Mapping[Ref, Value]) -> None:
        """Let later evaluation see the objects that were made; what happened to others on the way is not theirs."""
        self.keep({ref: value for ref, value in heap.items() if ref not in self.base})

    def keep(self, heap: Mapping[Ref, Value]) -> None:
        """Let every later evaluation see objects; those that functions change stay as little known as they are."""
        self.base.update(heap)
        if self.loose:
            for ref in self.loose.keys() & heap.keys():
                reason, change = self.loose[ref]
                self.base[ref] = make([(after(content, reason, change), mask) for content, mask in heap[ref].cases])

    def contents(self, ref: Ref, state: State) -> Value:
        """The content cases of a mutable object."""
        found = state.heap.get(ref)
        if found is None:
            found = self.base.get(ref)
        return found if found is not None else Value(((Unknown("an object made elsewhere"), EVERYWHERE),))

    def store(self, ref: Ref, content: Value, state: State) -> None:
        """Replace the content of an object on the architectures that are alive."""
        old = state.heap.get(ref)
        if old is None:
            old = self.base.get(ref)
        if old is None:
            state.heap[ref] = content
            return
        state.heap[ref] = make(
            [*restrict(content, state.alive).cases, *restrict(old, ~state.alive).cases], content.trace or old.trace
        )

    def new(self, kind: str, content: Content, node: ast.AST | None, state: State, type_: Answer = None) -> Value:
        """Make a mutable object."""
        span = self.span(node, state) if node is not None and hasattr(node, "lineno") else None
        ref = Ref(kind, span, node, type_)
        state.heap[ref] = const(content)
        return const(ref)

    def havoc(self, value: Value, state: State, reason: str) -> None:
        """Forget the content of the mutable objects that `value` may be."""
        for answer, _ in value.cases:
            if type(answer) is Ref and answer.kind != "instance":
                self.store(answer, const(Unknown(reason)), state)

    # Exceptions.

    # Truth.

    def truth(self, value: Value, state: State) -> tuple[int, int]:
        """Return the architectures on which `value` may be true, and may be false."""
        yes = no = 0
        for answer, mask in value.cases:
            if type(answer) is Ref and answer.kind == "instance" and mask & state.alive:
                found = self.object_truth(answer, mask & state.alive, state)
                if found is not None:
                    yes, no = yes | found[0], no | found[1]
                    continue
            if type(answer) is Ref:
                found = self._container_truth(answer, mask & state.alive, state)
                yes, no = yes | found[0], no | found[1]
                continue
            known = truth_of(answer)
            if known is not False:
                yes |= mask
            if known is not True:
                no |= mask
        return yes & state.alive, no & state.alive

    def object_truth(self, ref: Ref, mask: int, state: State) -> tuple[int, int] | None:
        """Where an instance is true and where it is false, as its class says (defined with the protocols)."""
        raise NotImplementedError

    def _container_truth(self, ref: Ref, mask: int, state: State) -> tuple[int, int]:
        """Where a container may hold something, and where it may be empty."""
        if ref.kind == "iterator":
            return mask, 0
        if ref.kind == "instance":
            return mask, mask
        yes = no = 0
        for content, seen in self.contents(ref, state).cases:
            known = isinstance(content, (ListContent, DictContent, SetContent))
            if not known or content.items or content.rest:
                yes |= seen & mask
            if not known or not content.items:
                no |= seen & mask
        return yes, no

    def expand(self, value: Value, state: State) -> Value:
        """Turn tuples with several possibilities inside into plain tuples of answers, one case each."""
        if not any(type(answer) is MixedTuple for answer, _ in value.cases):
            return value
        cases: list[tuple[Answer, int]] = []
        for answer, mask in value.cases:
            if type(answer) is MixedTuple:
                cases.extend(
                    _combinations(tuple(self.expand(item, state) for item in answer.items), mask & state.alive)
                )
            else:
                cases.append((answer, mask))
        return make(cases, value.trace, value.missed, value.via)


def _combinations(items: tuple[Value, ...], mask: int) -> list[tuple[Answer, int]]:
    found: list[tuple[tuple[Answer, ...], int]] = [((), mask)]
    for item in items:
        grown: list[tuple[tuple[Answer, ...], int]] = []
        for head, seen in found:
            for answer, where in item.cases:
                if seen & where:
                    grown.append(((*head, answer), seen & where))
        if len(grown) > 4 * 96:
            return [(Unknown("more combinations than are tracked"), mask)]
        found = grown
    return [(head, seen) for head, seen in found]


def restore(held: dict[str, Any], key: str, value: Any) -> None:
    """Put an entry back as it was; None stands for none."""
    if value is None:
        held.pop(key, None)
    else:
        held[key] = value
