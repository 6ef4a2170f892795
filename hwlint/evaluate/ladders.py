"""Keep the tests that lead to a place, and tell which of them let in what a later `raise` or `assert` turns away."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import replace

from hwlint.evaluate.answers import Trace
from hwlint.evaluate.assignments import Assignments
from hwlint.evaluate.forms import Form, form_of, only_raises
from hwlint.evaluate.state import Called, Frame, Guard, Opened, State
from hwlint.evaluate.stores import DeadStore, Ways, dead_stores, ways_on
from hwlint.evaluate.values import Value
from hwlint.model.finding import TraceStep
from hwlint.model.observation import Admission, CallRejection, DeadChoice, FallThrough, Gate, Limit, Place, Rejection

_LEFT = frozenset({Form.REST, Form.MOST})
"""Forms of a test that turns away what it leaves over, for it picks those that it lets in."""


_ORDERS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
_OPPOSITES: dict[type[ast.cmpop], str] = {ast.NotIn: "in", ast.In: "not in", ast.NotEq: "==", ast.Eq: "!="}


class Ladders(Assignments):
    """The part of the evaluator that remembers chains of tests."""

    def __init__(self, *args: object) -> None:
        """Start with no function looked at."""
        super().__init__(*args)
        self._ways: dict[ast.AST, dict[ast.If, Ways]] = {}
        self._dead_stores: dict[ast.If, tuple[DeadStore, ...]] = {}
        self.decorating: Called | None = None
        """The decorator whose wrapper is being run."""

    # Tests that are open or passed.

    def note_guard(self, passed: Opened, *, raised: bool, state: State) -> None:
        """One side of a hardware test has left the function: the other has been let in."""
        if passed.hardware and passed.other & ~passed.side and not self.recorder.muted:
            frame = state.frame
            frame.guards.append(Guard(passed, frame.path, self._around(frame), raised))

    def hand_on(self, frame: Frame, state: State) -> None:
        """What a called function turned away by raising, the caller has been guarded against too."""
        guards = [guard for guard in frame.guards if guard.raised]
        if guards and not self.recorder.muted:
            around = self._around(state.frame)
            state.frame.guards.extend(replace(guard, around=around) for guard in guards)

    def nearest_test(self, state: State) -> str:
        """The source of the nearest hardware test before the running statement."""
        frame = state.frame
        for opened in reversed(frame.open):
            if opened.hardware:
                return self._source(frame.path, opened.test)
        return self._source(frame.guards[-1].path, frame.guards[-1].passed.test) if frame.guards else ""

    def _around(self, frame: Frame) -> tuple[tuple[str, bool], ...]:
        return tuple(
            (self._source(frame.path, opened.test), opened.truth) for opened in frame.open if not opened.hardware
        )

    def _source(self, path: str, test: ast.expr) -> str:
        return " ".join(self.code(path).segment(test).split())

    # Rejections.

    def reject(
        self, kind: str, exception: str, words: str, mask: int, node: ast.AST, trace: Trace | None, state: State,
        *, certain: int, decided: int, asserted: Opened | None = None,
    ) -> None:  # fmt: skip
        """Record that the author turns `mask` away; of `decided` the statement leaves no doubt.

        `asserted` is the condition of an `assert`, false.
        """
        if self.recorder.muted:
            return
        frame = state.frame
        own = len(frame.open) if asserted is not None else self._start_of_chain(frame)
        chain = frame.open[own:] or self._last_of_hardware(frame, asserted)
        conditional = asserted is None and bool(frame.open) and not frame.open[-1].hardware
        by_rest = self._by_rest(chain, asserted)
        if conditional and not (by_rest and chain and chain[-1].truth):
            return
        for opened in chain:
            decided &= ~opened.other
        came = self._came(frame, chain, asserted, state)
        if by_rest and not came & ~mask and not mask & decided:
            mask = decided = _told([asserted] if asserted is not None else chain, came)
            certain = 0
        elif not by_rest or not came & ~mask or mask & decided:
            mask &= decided
        if not mask:
            return
        self._blame_call(exception, words, mask, came, node, trace, state)
        gates = tuple(
            Gate(self.place(test, state), self.text(test, state), yes, no, yes | no, 0) for test, yes, no in frame.gates
        )
        self.recorder.rejection(
            Rejection(
                self.place(node, state),
                kind,
                exception,
                words,
                mask,
                certain & mask,
                came,
                mask if self.catches(exception) else 0,
                trace.steps() if trace is not None else (),
                gates,
                by_rest,
                conditional,
                decided & mask,
                branches=tuple(self._branches(frame, frame.open[own:])) if asserted is None else (),
                admissions=tuple(self._admissions(frame, own, decided & mask)),
                picks=self.picks(frame),
            )
        )

    def _blame_call(
        self, exception: str, words: str, mask: int, came: int, node: ast.AST, trace: Trace | None, state: State
    ) -> None:
        """Record the rejection at the call, too, whose arguments may have made the list."""
        called = state.frame.called or self.decorating
        if called is None:
            return
        state.frame.blamed = True
        code = self.code(called.path)
        statement = called.statement if called.statement is not None else called.node
        place = Place(code.span(called.node), code.span(statement), called.symbol)
        at = self.span(node, state)
        steps = (*(trace.steps() if trace is not None else ()), TraceStep(at, f"{exception} is raised here"))
        caught = mask if self.catches(exception) else 0
        self.recorder.call_rejection(CallRejection(place, at, exception, words, mask, came, caught, steps))

    def _by_rest(self, chain: Sequence[Opened], asserted: Opened | None) -> bool:
        """True where a rejection takes what a list, a chain or a range leaves, and does not pick whom to turn away."""
        if asserted is not None:
            return form_of(asserted.test, self.hardware_tests, truth=False) in _LEFT
        return all(form_of(opened.test, self.hardware_tests, truth=opened.truth) in _LEFT for opened in chain)

    def _last_of_hardware(self, frame: Frame, asserted: Opened | None) -> list[Opened]:
        """The nearest hardware test around the running statement, where others stand between them."""
        if asserted is not None:
            return []
        return next(([opened] for opened in reversed(frame.open) if opened.hardware), [])

    def _came(self, frame: Frame, chain: Sequence[Opened], asserted: Opened | None, state: State) -> int:
        """The architectures that came to the tests that decide about the running statement."""
        if asserted is not None:
            return state.alive
        return chain[0].yes | chain[0].no if chain else frame.entered or self.everyone

    def ends_a_chain(self, frame: Frame) -> bool:
        """True where the running statement follows a row of hardware tests each of which has left by a `return`."""
        around = self._around(frame)
        return (
            len(around) == len(frame.open)
            and sum(not guard.raised and not guard.passed.truth and guard.around == around for guard in frame.guards)
            > 1
        )

    def _start_of_chain(self, frame: Frame) -> int:
        """Where in `frame.open` the hardware tests begin that decide the running `raise`: a body, or rows of `else`."""
        start = len(frame.open)
        if start and frame.open[-1].hardware and frame.open[-1].truth:
            return start - 1
        while start and frame.open[start - 1].hardware and not frame.open[start - 1].truth:
            start -= 1
        return start

    def _branches(self, frame: Frame, chain: Sequence[Opened]) -> Iterator[int]:
        """What each branch takes that comes before the running `raise` in its chain, or returns before it."""
        around = self._around(frame)
        for guard in frame.guards:
            if not guard.raised and not guard.passed.truth and guard.around == around:
                yield guard.passed.other
        for opened in chain:
            if not opened.truth and not opened.turns_away:
                yield opened.other

    def _admissions(self, current: Frame, own: int, mask: int) -> Iterator[Admission]:
        """The tests before that let `mask` in by name, in this function and in those that called it."""
        if not mask:
            return
        for frame in self.frames:
            inside = frame is current
            for index, opened in enumerate(frame.open[:own] if inside else frame.open):
                between = sum(not other.hardware for other in frame.open[index + 1 :]) if inside else 0
                yield from self._admission(opened, frame.path, mask, between)
            around = dict(self._around(frame))
            for guard in frame.guards:
                if all(around.get(text) is truth for text, truth in guard.around):
                    between = len(around) - len(guard.around) if inside else 0
                    yield from self._admission(guard.passed, guard.path, mask, between)

    def _admission(self, passed: Opened, path: str, mask: int, between: int) -> Iterator[Admission]:
        mask &= passed.side
        left_out = passed.other & ~passed.side
        if not passed.hardware or not mask or not left_out:
            return
        form = form_of(passed.test, self.hardware_tests, truth=passed.truth)
        if form is Form.NAMED or (form is Form.BARE and self.is_newer(left_out, passed.side)):
            text = self._said(path, passed.test, truth=passed.truth)
            yield Admission(TraceStep(self.code(path).span(passed.test), f"`{text}` lets it in"), text, mask, between)

    def _said(self, path: str, test: ast.expr, *, truth: bool) -> str:
        """What holds where `test` is `truth`, as one would write it."""
        if truth:
            return self._source(path, test)
        match test:
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return self._source(path, operand)
            case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in _OPPOSITES:
                return f"{self._source(path, left)} {_OPPOSITES[type(op)]} {self._source(path, right)}"
            case ast.BoolOp():
                return f"not ({self._source(path, test)})"
            case _:
                return f"not {self._source(path, test)}"

    def is_newer(self, some: int, others: int) -> bool:
        """True where one of `some` is newer than one of `others` of the same vendor."""
        for vendor in {row.vendor for row in self.architectures}:
            kin = sum(1 << bit for bit, row in enumerate(self.architectures) if row.vendor is vendor)
            left, right = some & kin, others & kin
            if left and right and left.bit_length() > (right & -right).bit_length():
                return True
        return False

    def note_limits(self, test: ast.expr, node: ast.AST, exception: str, state: State, *, truth: bool) -> None:
        """Record the limits that a test holds sizes against, where it being `truth` leads to a `raise` or `assert`."""
        if self.recorder.muted:
            return
        for compare, holds in _comparisons(test, truth=truth):
            left, right, op = compare.left, compare.comparators[0], compare.ops[0]
            least = isinstance(op, ast.Lt | ast.LtE) == holds  # the left is turned away where it is small
            for side, other, most in ((right, left, not least), (left, right, least)):
                if not isinstance(side, ast.Name | ast.Attribute) or not isinstance(op, _ORDERS):
                    continue
                value = self._muted(side, state)
                sizes = tuple(
                    (answer, mask & state.alive)
                    for answer, mask in value.cases
                    if type(answer) is int and mask & state.alive
                )
                if value.trace is not None and len(sizes) > 1 and self._muted(other, state).trace is None:
                    self.recorder.limit(
                        Limit(
                            self.place(node, state), self.text(side, state), sizes, most, exception, value.trace.steps()
                        )
                    )

    def _muted(self, node: ast.expr, state: State) -> Value:
        self.recorder.muted += 1
        try:
            return self.eval(node, state.copy())
        finally:
            self.recorder.muted -= 1

    # What a chain leaves behind.

    def note_dead_stores(self, node: ast.If, value: Value, yes: int, no: int, state: State) -> None:
        """Record the names that a branch of this hardware test sets in vain."""
        function = state.frame.function
        if value.trace is None or self.recorder.muted or function is None or isinstance(function.node, ast.Lambda):
            return
        told: set[bool] = set()
        for store in self._stores_in_vain(function.node, node):
            mask, other = (yes, no) if store.truth else (no, yes)
            mask = mask & ~other or mask
            if mask and store.truth not in told:
                told.add(store.truth)
                statement, self.statement = self.statement, store.assignment
                place = self.place(store.assignment, state)
                self.statement = statement
                certain = mask & ~other & state.certain
                again = self.span(store.again, state)
                self.recorder.left_behind(DeadChoice(place, store.names, mask, certain, again, value.trace.steps()))

    def _stores_in_vain(self, function: ast.FunctionDef | ast.AsyncFunctionDef, node: ast.If) -> tuple[DeadStore, ...]:
        found = self._dead_stores.get(node)
        if found is None:
            ways = self._ways.get(function)
            if ways is None:
                ways = self._ways[function] = ways_on(function)
            found = dead_stores(function, node, ways[node]) if node in ways else ()
            self._dead_stores[node] = found
        return found

    def note_fall_through(self, state: State) -> None:
        """The running function comes to its end: record it where every other path answers or raises."""
        frame = state.frame
        function = frame.function
        if frame.trace is None or self.recorder.muted or function is None or isinstance(function.node, ast.Lambda):
            return
        chain = function.node.body[-1]
        if not isinstance(chain, ast.If) or chain.test not in self.hardware_tests or not _else_raises(chain):
            return
        if not frame.returns or any(answer is None for value, _ in frame.returns for answer, _ in value.cases):
            return
        mask = state.alive & ~frame.undecided
        if not mask:
            return
        statement, self.statement = self.statement, chain
        place = self.place(chain, state)
        self.statement = statement
        self.recorder.left_behind(FallThrough(place, mask, mask & state.certain, frame.trace.steps()))


def _comparisons(test: ast.expr, *, truth: bool) -> Iterator[tuple[ast.Compare, bool]]:
    """The single comparisons of a test, each with what it has to be so that the test can be `truth`."""
    match test:
        case ast.UnaryOp(op=ast.Not()):
            yield from _comparisons(test.operand, truth=not truth)
        case ast.BoolOp():
            for part in test.values:
                yield from _comparisons(part, truth=truth)
        case ast.Compare(ops=[_]):
            yield test, truth


def _told(chain: Sequence[Opened], came: int) -> int:
    """The architectures that a row of tests turns away by all the answers that are known; 0 where it lets none in."""
    turned_away = let_in = 0
    for position, opened in enumerate(chain):
        side, other = opened.told if opened.truth else reversed(opened.told)
        turned_away = side & ~other if position == 0 else turned_away & side & ~other
        let_in |= other
    return turned_away & came if let_in & came else 0


def _else_raises(node: ast.If) -> bool:
    """True where the last `else` of a chain of two branches or more does nothing but raise."""
    branches = 1
    while len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If):
        node = node.orelse[0]
        branches += 1
    return branches > 1 and only_raises(node.orelse)
