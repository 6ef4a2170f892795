"""Run `if`, `assert`, `raise` and `return`, keeping who is alive on each path."""

from __future__ import annotations

import ast
import builtins
from collections import Counter
from collections.abc import Sequence

from hwlint.evaluate.answers import Class, Trace, Unknown
from hwlint.evaluate.faults import AN_EXCEPTION, handler_catches
from hwlint.evaluate.forms import only_raises
from hwlint.evaluate.ladders import Ladders
from hwlint.evaluate.state import Opened, State, merge
from hwlint.evaluate.values import EVERYWHERE, Value, const, restrict, told_by
from hwlint.source.nodes import walk


class Branches(Ladders):
    """The part of the evaluator that branches."""

    def _if(self, node: ast.If, state: State) -> None:
        value, yes, no = self.test(node.test, state)
        kind = "elif" if getattr(node, "is_elif", False) else "if"
        self.gate(node.test, value, yes, no, kind, node, state)
        self.note_dead_stores(node, value, yes, no, state)
        self._fork(node.test, value, yes, no, node.body, node.orelse, state)

    def _fork(
        self,
        test: ast.expr,
        value: Value,
        yes: int,
        no: int,
        body: Sequence[ast.stmt],
        orelse: Sequence[ast.stmt],
        state: State,
    ) -> None:
        entry = state.copy()
        first = self.refine(test, state.narrow(yes, decided=~no), truth=True)
        second = self.refine(test, state.narrow(no, decided=~yes), truth=False)
        first = self._with_the_number(test, first)
        if value.trace is not None:
            state.frame.gates.append((test, yes, no))
            state.frame.undecided |= yes & no
        if yes & no == state.alive and not isinstance(test, ast.BoolOp):
            self.note_hint(test, state)
        frame, hardware = state.frame, value.trace is not None
        answers = len(frame.returns)
        told = told_by(value, state.alive) if hardware and yes & no else (0, 0)
        frame.open.append(Opened(test, yes, no, truth=True, hardware=hardware, told=told))
        self.run(body, first)
        frame.open[-1] = Opened(test, yes, no, truth=False, hardware=hardware, turns_away=only_raises(body), told=told)
        self.run(orelse, second)
        passed = frame.open.pop()
        if hardware:
            frame.gates.pop()
            if bool(first.alive) != bool(second.alive):
                passed = Opened(test, yes, no, truth=bool(first.alive), hardware=True)
                self.note_guard(passed, raised=len(frame.returns) == answers, state=state)
        merged = merge([first, second], entry, yes & no)
        if value.trace is not None and first.alive and second.alive:
            self._blame(first, second, merged, value.trace)
        state.take(merged)

    def _with_the_number(self, test: ast.expr, state: State) -> State:
        """Where `x == 128` holds, the tests around it are what they are with that number.

        With `x <= 256 and major >= 9` being false and nothing known of `x`, anybody may be in the `else`. Where
        `x == 128` holds there, only those are left that fail `major >= 9`.
        """
        name, number = _number_asked(test)
        held = state.vars.get(name)
        around = [opened for opened in state.frame.open if opened.hardware and _asks_number(opened.test, name)]
        if not around or held is None or not isinstance(held.only(), Unknown) or self._may_change(around, state):
            return state
        self.recorder.muted += 1
        doubts = self.doubts, self.import_doubts
        try:
            for opened in around:
                trial = state.copy()
                trial.vars[name] = const(number)
                _, yes, no = self.test(opened.test, trial)
                left = yes if opened.truth else no
                if left & state.alive:
                    state = state.narrow(left, decided=EVERYWHERE)
        finally:
            self.recorder.muted -= 1
            self.doubts, self.import_doubts = doubts
        return state

    def _may_change(self, around: Sequence[Opened], state: State) -> bool:
        """Whether a name in the tests may be another than it was: bound twice, or a parameter that is bound again."""
        function = state.frame.function
        if function is None:
            return True
        bound: Counter[str] = Counter()
        for part in walk(function.node):
            if isinstance(part, ast.arg):
                bound[part.arg] += 1
            elif isinstance(part, ast.Name) and not isinstance(part.ctx, ast.Load):
                bound[part.id] += 1
        parts = [part for opened in around for part in walk(opened.test)]
        return any(
            isinstance(part, (ast.Attribute, ast.Call, ast.NamedExpr))
            or (isinstance(part, ast.Name) and bound[part.id] > 1)
            for part in parts
        )

    def _blame(self, first: State, second: State, merged: State, trace: Trace) -> None:
        """Names that differ between the branches of a hardware test depend on the hardware."""
        for name, value in merged.vars.items():
            if value.trace is None and first.vars.get(name) is not second.vars.get(name) and len(value.cases) > 1:
                merged.vars[name] = Value(value.cases, trace, value.missed, value.via)

    def _assert(self, node: ast.Assert, state: State) -> None:
        value, yes, no = self.test(node.test, state)
        self.gate(node.test, value, yes, no, "assert", node, state)
        failing = state.narrow(no, decided=~yes)
        if value.trace is not None and no:
            words = _words(node.msg) if node.msg is not None else ""
            self.reject(
                "assert", "AssertionError", words, no, node, value.trace, state,
                certain=failing.certain, decided=no & ~yes, asserted=Opened(
                    node.test, yes, no, truth=False, hardware=True, told=told_by(value, state.alive)
                ),
            )  # fmt: skip
        if value.trace is not None and yes & no and not state.frame.open:
            holds, fails = told_by(value, state.alive)
            if fails & ~holds and self.asks_for_capability(node.test, state):
                state.frame.asserted_off |= fails & ~holds
        if value.trace is not None and yes & no:
            self.note_limits(node.test, node, "AssertionError", failing, truth=False)
        going = self.refine(node.test, state.narrow(yes, decided=~no), truth=True)
        if no and value.trace is not None:
            passed = Opened(node.test, yes, no, truth=True, hardware=True)
            self.note_guard(passed, raised=True, state=state)
        if no and (value.trace is not None or self.catches("AssertionError")):
            self.throw("AssertionError", no, failing)
        going.steady &= ~(yes & no)
        state.take(going)

    def _raise(self, node: ast.Raise, state: State) -> None:
        exception = "Exception"
        if node.exc is None:
            exception = state.frame.handling or "Exception"
        else:
            call = node.exc
            target = call.func if isinstance(call, ast.Call) else call
            text = self.code(state.frame.path).segment(target)
            exception = self._known_exception(target, text.rpartition(".")[2], state)
            if isinstance(call, ast.Call):
                for argument in call.args:
                    self.eval(argument, state)
        frame = state.frame
        if frame.trace is not None and (frame.gates or self.ends_a_chain(frame)):
            words = _words(node.exc) if isinstance(node.exc, ast.Call) else ""
            self.reject(
                "raise", exception, words, state.alive, node, frame.trace, state,
                certain=state.certain, decided=state.alive,
            )  # fmt: skip
        opened = frame.open[-1] if frame.open else None
        if opened is not None and opened.hardware and opened.yes & opened.no:
            self.note_limits(opened.test, node, exception, state, truth=opened.truth)
        self.throw(exception, state.alive, state)
        state.alive = state.certain = 0

    def _known_exception(self, target: ast.expr, name: str, state: State) -> str:
        """The name of what is raised; what a class of the project derives from is remembered, for the handlers."""
        if handler_catches(frozenset({"BaseException"}), name) and hasattr(builtins, name):
            return name
        held = state.vars.get(target.id) if isinstance(target, ast.Name) else None
        if held is not None and held.only() == AN_EXCEPTION:
            return state.frame.handling or "Exception"
        if name not in self.ancestors and self.frames and any(frame.tries for frame in self.frames):
            self.recorder.muted += 1
            value = self.eval(target, state.copy()).only() if isinstance(target, (ast.Name, ast.Attribute)) else None
            self.recorder.muted -= 1
            if isinstance(value, Class):
                bases = {holder.qualname for holder in self.lineage(value)} | self.external_bases(value)
                self.ancestors[name] = frozenset(bases)
        return name

    def _return(self, node: ast.Return, state: State) -> None:
        value = self.eval(node.value, state) if node.value is not None else const(None)
        if not state.alive:
            return
        frame = state.frame
        frame.returns.append((restrict(value, state.alive), state.copy()))
        if node.value is not None:
            self.note_size_answer(value, node.value, state)
        if (
            frame.function is not None
            and not isinstance(frame.function.node, ast.Lambda)
            and frame.function.node.body[-1] is node
        ):
            frame.final |= state.alive
        state.alive = state.certain = state.steady = 0


def _number_asked(test: ast.expr) -> tuple[str, int]:
    """The name and number of `name == number`."""
    match test:
        case ast.Compare(left=ast.Name(id=name), ops=[ast.Eq()], comparators=[ast.Constant(value=int(number))]):
            return name, number
        case _:
            return "", 0


def _asks_number(test: ast.expr, name: str) -> bool:
    """True for an `and` or `or` in which the name is compared with a number."""
    return isinstance(test, ast.BoolOp) and any(
        isinstance(part, ast.Compare)
        and isinstance(part.left, ast.Name)
        and part.left.id == name
        and all(isinstance(limit, ast.Constant) for limit in part.comparators)
        for part in test.values
    )


def _words(node: ast.expr) -> str:
    """The words of a message: the parts of it that are written down."""
    parts = [part.value for part in ast.walk(node) if isinstance(part, ast.Constant) and isinstance(part.value, str)]
    return " ".join(" ".join(parts).split())
