"""Run functions of the project in frames of their own."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass

from hwlint.evaluate.answers import (
    Class,
    Coroutine,
    DictContent,
    Function,
    ListContent,
    Missed,
    MixedTuple,
    Ref,
    SetContent,
    Unknown,
    is_concrete,
)
from hwlint.evaluate.budget import DEEPEST_CALL, DEEPEST_RECURSION, MOST_RUNS
from hwlint.evaluate.changes import Change, after, changes_in, changes_in_functions, given_to_be_changed
from hwlint.evaluate.code import Code
from hwlint.evaluate.machine import restore
from hwlint.evaluate.scopes import local_names, shared_names
from hwlint.evaluate.slicing import Slice, passed_over
from hwlint.evaluate.state import Called, Frame, State, merge
from hwlint.evaluate.unfollowed import Unfollowed, is_small
from hwlint.evaluate.values import EVERYWHERE, Value, const, join, make, restrict, unknown

_LEAST_NUMBER = 5
"""A smaller number that a call is given names no architecture."""


@dataclass(frozen=True, slots=True)
class _Memo:
    alive: int
    returned: int
    steady: int
    value: Value
    cost: int
    doubts: tuple[int, int]


class Functions(Unfollowed):
    """The part of the evaluator that runs functions."""

    def __init__(self, *args: object) -> None:
        """Start with no call remembered."""
        super().__init__(*args)
        self._slices: dict[tuple[ast.AST, frozenset[str]], Slice] = {}
        self._inner_changes: dict[ast.AST, dict[str, Change]] = {}
        self._memo: dict[tuple[object, ...], _Memo] = {}
        self._defaults: dict[ast.expr, Value] = {}
        """Defaults are made once, when the function is defined; a list among them is shared by all calls."""

    def call_function(
        self, function: Function, args: Sequence[Value], keywords: dict[str, Value], node: ast.AST, state: State
    ) -> Value:
        """Run a function of the project; the caller loses the architectures that do not come back."""
        if (
            len(self.frames) >= DEEPEST_CALL
            or sum(f.function is not None and f.function.node is function.node for f in self.frames) > DEEPEST_RECURSION
        ):
            self.doubts += 1
            return unknown(f"calls nested too deeply at {function.qualname}")
        if self.is_beside_the_point(function, args, keywords, state):
            self.doubts += 1
            self.not_followed(function, args, keywords, state)
            return unknown(f"{function.qualname}() has nothing to do with the hardware and is not followed")
        index = self._memo_index(function, args, keywords, state)
        if index is not None:
            memo = self._memo.get(index)
            if memo is not None and not state.alive & ~memo.alive:
                self.budget.left -= memo.cost
                self.budget.spend()
                self.doubts += memo.doubts[0]
                self.import_doubts += memo.doubts[1]
                state.certain &= memo.steady | ~memo.alive
                state.steady &= memo.steady | ~memo.alive
                state.alive &= memo.returned
                kept = restrict(memo.value, state.alive) if len(memo.value.cases) > 1 else memo.value
                return _as_called(function, kept)
        self.budget.runs[function.node] += 1
        if self.budget.runs[function.node] > MOST_RUNS:
            self.doubts += 1
            return unknown(f"{function.qualname}() is called more often than it is followed")
        if function.closure and function.home not in self.frames:
            self._outlive(function, state)
        before = self.budget.left, self.doubts, self.import_doubts
        entered, known = state.alive, len(state.heap)
        calling = self.calling.get(state.frame.path)
        inner = self._enter(function, args, keywords, state)
        if not self.recorder.muted and any(self._is_written_down(one, state) for one in (*args, *keywords.values())):
            inner.frame.called = Called(node, self.statement, state.frame.path, state.frame.symbol)
        try:
            value, after = self._finish(function, inner, state)
        finally:
            restore(self.calling, state.frame.path, calling)
        if (
            index is not None
            and not inner.frame.blamed
            and not inner.frame.escapes
            and len(after.heap) == known
            and not any(isinstance(answer, (Ref, MixedTuple)) for answer, _ in value.cases)
        ):
            self._memo[index] = _Memo(
                entered, after.alive, after.steady, value, before[0] - self.budget.left,
                (self.doubts - before[1], self.import_doubts - before[2]),
            )  # fmt: skip
        self._leave(inner.frame, after, node, state)
        return value if inner.frame.yields else _as_called(function, value)

    def _outlive(self, function: Function, state: State) -> None:
        """A function is called whose maker has returned: calls before may have changed the containers around it."""
        outer = function.home.function if function.home is not None else None
        if outer is None or isinstance(outer.node, ast.Lambda):
            return
        known = self._inner_changes.get(outer.node)
        if known is None:
            body = outer.node.body
            known = self._inner_changes[outer.node] = changes_in_functions(body, given_to_be_changed(body))
        for name, change in known.items():
            for answer, _ in function.closure[name].cases if name in function.closure else ():
                if type(answer) is Ref and answer.kind != "instance":
                    reason = Unknown(f"{name} is changed by a function inside {outer.qualname}")
                    contents = self.contents(answer, state).cases
                    state.heap[answer] = make([(after(content, reason, change), mask) for content, mask in contents])

    def _is_written_down(self, value: Value, state: State) -> bool:
        """True for an argument that may name architectures: a number, or a list of numbers or texts."""
        if value.trace is not None or len(value.cases) != 1:
            return False
        answer = value.cases[0][0]
        if type(answer) is Ref:
            content = self.contents(answer, state).only() if answer.kind in ("list", "set") else None
            answer = tuple(one.only() for one in content.items) if isinstance(content, ListContent) else answer
            answer = content.items if isinstance(content, SetContent) else answer
        if type(answer) is tuple:
            return bool(answer) and all(type(part) in (int, str, tuple) for part in answer)
        return type(answer) is int and answer >= _LEAST_NUMBER

    def _memo_index(
        self, function: Function, args: Sequence[Value], keywords: dict[str, Value], state: State
    ) -> tuple[object, ...] | None:
        if function.closure or "**" in keywords:
            return None
        parts: list[object] = [
            function.node,
            self.points.get(function.path),
            bool(self.recorder.muted),
            len(self.frames) > DEEPEST_CALL - 4,
            self.module_writes,
        ]
        for name, value in (*(("", value) for value in args), *sorted(keywords.items())):
            if len(value.cases) != 1 or value.cases[0][1] != EVERYWHERE:
                return None
            answer = value.cases[0][0]
            if isinstance(answer, Unknown):
                parts.append((name, "unknown", answer))
            elif is_concrete(answer) and not isinstance(answer, (Function,)):
                parts.append(
                    (name, type(answer).__name__, repr(answer) if not isinstance(answer, Class) else answer.node)
                )
            else:
                return None
        parts.append(
            frozenset((ref, value) for ref, value in state.heap.items() if self.base.get(ref, value) is not value)
        )
        return tuple(parts)

    def _enter(self, function: Function, args: Sequence[Value], keywords: dict[str, Value], state: State) -> State:
        names = self.bind_arguments(function, args, keywords, state)
        if function.closure and function.home is state.frame:
            function = self._at_home(function, state)
        if state.frame.function is None:
            self.at_module_level(state)
        frame = self.frame(function, frozenset(name for name, value in names.items() if value.trace is not None))
        frame.entered = state.alive
        return State(frame, state.alive, state.certain, state.alive, names, dict(state.heap))

    def _at_home(self, function: Function, state: State) -> Function:
        """A function that is called where it was made: the names around it are what they are by now."""
        closure = {
            name: state.vars[name]
            if name in state.vars and name not in state.frame.shared and name not in function.covered
            else value
            for name, value in function.closure.items()
        }
        return Function(
            function.path,
            function.qualname,
            function.node,
            closure,
            function.owner,
            function.binding,
            home=function.home,
            covered=function.covered,
        )

    def frame(self, function: Function, given: frozenset[str] = frozenset()) -> Frame:
        """A frame for a run of `function`, whose parameters in `given` get hardware values."""
        assigned, declared = local_names(function.node)
        frame = Frame(function.path, function.qualname, self.base, function, function.owner, assigned, declared)
        frame.shared = shared_names(function.node)
        carriers = self.code(function.path).carriers
        if carriers is not None and not is_small(function.node):
            known = self._slices.get((function.node, given))
            if known is None:
                known = self._slices[function.node, given] = passed_over(function.node, carriers, given)
            frame.skipped = known
        return frame

    def _finish(self, function: Function, inner: State, state: State) -> tuple[Value, State]:
        """Run the body; return the value and the state in which the function comes back."""
        frame = inner.frame
        entry = inner.copy()
        statement = self.statement
        self.frames.append(frame)
        try:
            if isinstance(function.node, ast.Lambda):
                value = self.eval(function.node.body, inner)
                frame.returns.append((value, inner))
            else:
                self.run(function.node.body, inner)
                if inner.alive:
                    frame.returns.append((self._ended(function, inner), inner))
        finally:
            self.frames.pop()
            self.statement = statement
        if not frame.returns:
            return Value(()), entry.dead()
        found = join([restrict(value, left.alive) for value, left in frame.returns])
        after = merge([left for _, left in frame.returns], entry)
        frame.returns.clear()  # the states hold the frame: without this the collector would have to find the ring
        after.steady &= ~frame.raised | ~entry.alive
        if frame.yields:
            return self.new("list", ListContent((), Unknown("what a generator yields")), function.node, after), after
        if frame.trace is not None and found.trace is None and len(found.cases) > 1:
            found = Value(found.cases, frame.trace, found.missed, found.via)
        if len(found.cases) == 1 and found.cases[0][1] & entry.alive == entry.alive:
            found = Value(((found.cases[0][0], EVERYWHERE),), found.trace, found.missed, found.via)
        return found, after

    def _ended(self, function: Function, inner: State) -> Value:
        """The None of a function that ends without a `return`, marked where a hardware test decides that it does."""
        self.note_fall_through(inner)
        frame = inner.frame
        answered = 0
        for value, left in frame.returns:
            answered |= left.alive
            if any(answer is None for answer, _ in value.cases):
                return const(None)
        decided = inner.alive & ~answered
        if frame.trace is None or not answered or not decided or isinstance(function.node, ast.Lambda):
            return const(None)
        span = self.code(frame.path).span(function.node.body[-1])
        return Value(((None, EVERYWHERE),), None, Missed(decided, span, "", function.qualname, ended=True))

    def note_fall_through(self, state: State) -> None:
        """The running function comes to its end without a `return` (defined with the ladders)."""
        raise NotImplementedError

    def hand_on(self, frame: Frame, state: State) -> None:
        """What a called function turned away, the caller has been guarded against too (defined with the ladders)."""
        raise NotImplementedError

    def _leave(self, frame: Frame, after: State, node: ast.AST, state: State) -> None:
        """Go on in the caller: what escaped goes to its handlers, what came back goes on."""
        self.hand_on(frame, state)
        for exception, mask, heap in frame.escapes:
            left = state.narrow(mask, decided=mask & after.steady)
            left.heap = heap if heap is not None else left.heap
            self.throw(exception, mask, left)
        state.alive = after.alive
        state.certain &= after.steady & after.alive
        state.steady &= after.steady & after.alive
        state.heap = after.heap

    def bind_arguments(
        self, function: Function, args: Sequence[Value], keywords: dict[str, Value], state: State
    ) -> dict[str, Value]:
        """Bind arguments to parameters; a parameter that gets nothing has its default, or is unknown."""
        spec = function.node.args
        names: dict[str, Value] = {}
        positional = [*spec.posonlyargs, *spec.args]
        spread = keywords.get("**")
        for parameter, value in zip(positional, args, strict=False):
            names[parameter.arg] = value
        rest = list(args[len(positional) :])
        if spec.vararg is not None:
            names[spec.vararg.arg] = unknown("arguments passed on with *") if spread else self.tuple_of(rest)
        defaults: list[ast.expr | None] = [None] * (len(positional) - len(spec.defaults)) + list(spec.defaults)
        others: dict[str, Value] = {}
        known = {parameter.arg for parameter in (*positional, *spec.kwonlyargs)}
        for name, value in keywords.items():
            if name in known:
                names[name] = value
            elif name != "**":
                others[name] = value
        for parameter, default in (
            *zip(positional, defaults, strict=True),
            *zip(spec.kwonlyargs, spec.kw_defaults, strict=True),
        ):
            if parameter.arg in names:
                continue
            if spread is not None:
                names[parameter.arg] = spread
            elif default is not None:
                names[parameter.arg] = self._default(function, default, state)
            else:
                names[parameter.arg] = unknown(f"the argument {parameter.arg} is not given")
        if spec.kwarg is not None:
            content = DictContent(dict(others), Unknown("arguments passed on with **") if spread else None)
            ref = Ref("dict", None, spec.kwarg)
            state.heap[ref] = const(content)
            names[spec.kwarg.arg] = const(ref)
        return names

    def _default(self, function: Function, default: ast.expr, state: State) -> Value:
        if isinstance(default, ast.Constant):
            return const(default.value)
        if function.closure or (function.home is not None and function.home.function is not None):
            return unknown("a default made inside another function")
        known = self._defaults.get(default)
        if known is None:
            known = self.quietly(default, function.path, function.qualname)
            if any(type(answer) is Ref for answer, _ in known.cases) and not isinstance(function.node, ast.Lambda):
                known = self._default_object(self.code(function.path), function.node, default, known)
            self._defaults[default] = known
        return known

    def _default_object(
        self, code: Code, node: ast.FunctionDef | ast.AsyncFunctionDef, default: ast.expr, value: Value
    ) -> Value:
        """A list or dict that is a default: one that the function changes, earlier calls have changed.

        One that has a name in the module may have been changed by that name.
        """
        for part in ast.walk(default):
            if isinstance(part, ast.Name) and code.effects.group(part.id) is not None:
                return self.loosened(value, f"{part.id} may be changed later on", Change.ANYTHING)
        spec = node.args
        given = [*spec.posonlyargs, *spec.args]
        rows = [*zip(given[len(given) - len(spec.defaults) :], spec.defaults, strict=True)]
        rows += [
            (one, other) for one, other in zip(spec.kwonlyargs, spec.kw_defaults, strict=True) if other is not None
        ]
        name = next((parameter.arg for parameter, written in rows if written is default), "")
        change = next((change for held, change in changes_in(node) if held == name), None)
        if change is None:
            return value
        return self.loosened(value, f"the default of {name} is changed by calls", Change.ANYTHING)

    def _note_answer(self, node: ast.FunctionDef | ast.AsyncFunctionDef, inner: State) -> None:
        """Record what a function answers whose name says for which architecture it is true."""
        answers = [restrict(value, left.alive) for value, left in inner.frame.returns]
        if inner.alive:
            answers.append(Value(((None, inner.alive),)))
        whole = join(answers)
        self.note_answer(node, Value(whole.cases, whole.trace or inner.frame.trace), inner)


def _as_called(function: Function, value: Value) -> Value:
    """What a call gives of a function that returns `value`: that, or something to be awaited."""
    if type(function.node) is not ast.AsyncFunctionDef or not value.cases:
        return value
    return Value(((Coroutine(value), EVERYWHERE),), value.trace)
