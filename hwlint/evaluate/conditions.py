"""Evaluate conditions: `and`, `or`, `not`, ternaries, and what a test says of the names in it."""

from __future__ import annotations

import ast

from hwlint.evaluate.answers import Answer, AttrContent, Function, Ref, Unknown
from hwlint.evaluate.displays import Displays
from hwlint.evaluate.state import State, merge
from hwlint.evaluate.values import EVERYWHERE, Value, const, join, make, restrict, unknown
from hwlint.model.observation import Gate, TextUse


class Conditions(Displays):
    """The part of the evaluator that decides branches."""

    _as_condition: ast.expr | None = None
    """The `and` or `or` that was last evaluated as a condition; of any other the last operand is a value."""

    def test(self, node: ast.expr, state: State) -> tuple[Value, int, int]:
        """Evaluate a condition; return it with the architectures on which it may be true, and may be false."""
        if node.__class__ is ast.BoolOp:
            self._as_condition = node
        value = self.eval(node, state)
        value = restrict(value, state.alive)
        if value.trace is not None:
            self.hardware_tests.add(node)
        elif node.__class__ is ast.Name and value.cases and type(value.cases[0][0]) is Function:
            self._note_uncalled(node, value, state)
        yes, no = self.truth(value, state)
        return value, yes, no

    def _note_uncalled(self, node: ast.expr, value: Value, state: State) -> None:
        """Record a test of a function of the project that asks for the hardware, and is not called: it is true."""
        function, name = value.only(), node.id if isinstance(node, ast.Name) else ""
        if self.recorder.muted or not isinstance(function, Function):
            return
        if (
            isinstance(function.node, ast.Lambda)
            or name in state.vars
            or len(self.code(state.frame.path).bindings(name)) != 1
        ):
            return
        taken = function.node.args
        required = len(taken.posonlyargs) + len(taken.args) - len(taken.defaults)
        saved = self.doubts, self.import_doubts
        self.recorder.muted += 1
        try:
            found = self.call(value, [unknown("not given")] * required, {}, node, state.copy())
        finally:
            self.recorder.muted -= 1
            self.doubts, self.import_doubts = saved
        if found.trace is not None:
            texts = ((name, state.alive),)
            steps = found.trace.steps()
            self.recorder.text_use(TextUse(self.place(node, state), "uncalled", name, "known", texts, trace=steps))

    def _negated(self, operand: Value, state: State) -> Value:
        yes, no = self.truth(operand, state)
        doubt = yes & no
        cases: list[tuple[Answer, int]] = [(False, yes & ~doubt), (True, no & ~doubt)]
        if doubt:
            reason = next(
                (answer.reason for answer, mask in operand.cases if isinstance(answer, Unknown) and mask & doubt), None
            )
            if reason is None:
                cases += [(False, doubt), (True, doubt)]
            else:
                cases.append((Unknown(reason), doubt))
        return make(cases, operand.trace)

    def _boolop(self, node: ast.BoolOp, state: State) -> Value:
        """Evaluate `and`/`or`: each operand only on the architectures that get there."""
        stop_on = isinstance(node.op, ast.Or)
        results: list[Value] = []
        entry = state.copy()
        self._note_no_limit(node, entry)
        undecided = 0
        leaving: list[State] = []
        trace = None
        doubtful = 0
        asked = self._as_condition is node
        for position, operand in enumerate(node.values):
            if not asked and position == len(node.values) - 1 and operand.__class__ is ast.Name:
                results.append(_unless_in_doubt(restrict(self.eval(operand, state), state.alive), doubtful))
                trace = trace or results[-1].trace
                break
            value, yes, no = self.test(operand, state)
            trace = trace or value.trace
            if yes & no == state.alive and not isinstance(operand, ast.BoolOp):
                self.note_hint(operand, state)
            if position == len(node.values) - 1:
                results.append(_unless_in_doubt(restrict(value, state.alive), doubtful))
                break
            if not stop_on and value.trace is not None:
                doubtful |= _against(value)
            out, on = (yes, no) if stop_on else (no, yes)
            if out:
                results.append(self._shortened(value, out, stop_on=stop_on, state=state))
                left = state.narrow(out, decided=~on)
                leaving.append(left)
            undecided |= out & on
            state.take(self.refine(operand, state.narrow(on, decided=~out), truth=not stop_on))
            if not state.alive:
                break
        together = merge([*leaving, state.copy()], entry, undecided)
        state.take(together)
        found = join(results) if results else Value(())
        return Value(found.cases, found.trace or trace, found.missed)

    def _note_no_limit(self, node: ast.BoolOp, state: State) -> None:
        """Record that the None of a missed lookup passes for "no limit": `limit is None or size <= limit`."""
        limit = _limit(node)
        if limit is None or self.recorder.muted:
            return
        self.recorder.muted += 1
        try:
            value = self.eval(limit, state.copy())
        finally:
            self.recorder.muted -= 1
        self.note_none(value, "taken for no limit", node, state)

    def _shortened(self, value: Value, mask: int, *, stop_on: bool, state: State) -> Value:
        """The operand's value where it ends an `and`/`or` early: only the answers that can have done so."""
        kept = []
        for answer, seen in value.cases:
            yes, no = self.truth(Value(((answer, seen),)), state)
            reached = (yes if stop_on else no) & mask
            if not reached:
                continue
            if isinstance(answer, Unknown) and answer.truth is None:
                answer = Unknown(answer.reason, truth=stop_on, is_none=False if stop_on else answer.is_none)
            kept.append((answer, reached))
        return make(kept, value.trace, value.missed, value.via)

    def _ifexp(self, node: ast.IfExp, state: State) -> Value:
        entry = state.copy()
        value, yes, no = self.test(node.test, state)
        self.gate(node.test, value, yes, no, "ternary", node, state)
        if state.alive and not no:
            return self.eval(node.body, state)
        if state.alive and not yes:
            return self.eval(node.orelse, state)
        first = self.refine(node.test, state.narrow(yes, decided=~no), truth=True)
        second = self.refine(node.test, state.narrow(no, decided=~yes), truth=False)
        self.note_reach(node.body, first)
        self.note_reach(node.orelse, second)
        one, other = self.eval(node.body, first), self.eval(node.orelse, second)
        found = join((restrict(one, first.alive), restrict(other, second.alive)))
        state.take(merge([first, second], entry, yes & no))
        return Value(found.cases, found.trace or value.trace, found.missed, found.via)

    def gate(self, test: ast.expr, value: Value, yes: int, no: int, kind: str, node: ast.AST, state: State) -> None:
        """Record a branch that the hardware decides at least in part."""
        if value.trace is None:
            return
        state.frame.trace = state.frame.trace or value.trace
        state.frame.test = test
        if self.recorder.muted:
            return
        if kind == "if":
            self.note_remark(test, value, state)
        entered = state.frame.entered or self.everyone
        narrowed = state.alive != entered
        self.recorder.gate(
            Gate(
                self.place(test, state),
                self.text(test, state),
                yes,
                no,
                state.alive,
                state.certain,
                kind,
                value.trace.steps(),
                entered,
                _sides(node, value) if narrowed else (False, False),
                self.nearest_test(state) if narrowed and not (yes and no) else "",
                for_anyone=len(self.frames) <= 1 and not (narrowed and self._is_alike(test, entered, state)),
                says_memory=self.spares_little(yes, no) and self.speaks_of_memory(state),
            )
        )

    def _is_alike(self, test: ast.expr, entered: int, state: State) -> bool:
        """True where a test asks for what is the same on all that entered: the maker or platform, say."""
        if any(isinstance(part, (ast.Call, ast.Attribute, ast.Subscript)) for part in ast.walk(test)):
            return False
        names = [part for part in ast.walk(test) if isinstance(part, ast.Name)]
        self.recorder.muted += 1
        try:
            held = [self.eval(name, state.copy()) for name in names]
        finally:
            self.recorder.muted -= 1
        return bool(held) and all(len(value.cases) == 1 and not entered & ~value.mask for value in held)

    def nearest_test(self, state: State) -> str:
        """The source of the nearest hardware test before the running statement (defined with the ladders)."""
        raise NotImplementedError

    def refine(self, node: ast.expr, state: State, *, truth: bool) -> State:
        """Drop the answers of names that cannot be what `node` being `truth` says."""
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return self.refine(node.operand, state, truth=not truth)
        if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.And) == truth:
            for operand in node.values:
                state = self.refine(operand, state, truth=truth)
            return state
        for place in _refinable(node):
            self._refine_place(place, node, state, truth=truth)
        return state

    def _refine_place(self, place: ast.Name | ast.Attribute, node: ast.expr, state: State, *, truth: bool) -> None:
        """Keep of a name, or of an attribute of a name, the answers with which `node` can be what it is."""
        value = self._held(place, state)
        if value is None:
            return
        if len(value.cases) == 1:
            answer, mask = value.cases[0]
            if type(answer) is not Unknown:
                return
            if answer == Unknown(answer.reason) and _tells_nothing_of_others(node):
                sharp = _sharpen(answer, node, truth=truth)
                if sharp is not answer:
                    self._hold(place, Value(((sharp, mask),), value.trace, value.missed, value.via), state)
                return
        kept: list[tuple[Answer, int]] = []
        self.recorder.muted += 1
        doubts = self.doubts, self.import_doubts
        try:
            for answer, mask in value.cases:
                if not mask & state.alive:
                    continue
                trial = state.narrow(mask, decided=EVERYWHERE)
                self._hold(place, Value(((answer, mask),), value.trace), trial)
                found = self.eval(node, trial)
                yes, no = self.truth(restrict(found, trial.alive), trial)
                possible = (yes if truth else no) & mask
                if possible:
                    kept.append((_sharpen(answer, node, truth=truth), possible))
        finally:
            self.recorder.muted -= 1
            self.doubts, self.import_doubts = doubts
        if kept:
            self._hold(place, make(kept, value.trace, value.missed, value.via), state)

    def _held(self, place: ast.Name | ast.Attribute, state: State) -> Value | None:
        if isinstance(place, ast.Name):
            return state.vars.get(place.id)
        ref = self._holder(place, state)
        content = self.contents(ref, state).only() if ref is not None else None
        found = content.items.get(place.attr) if isinstance(content, AttrContent) else None
        return None if found is None or ref is None else self.set_elsewhere(ref, place.attr, found, state)

    def set_elsewhere(self, ref: Ref, name: str, value: Value, state: State) -> Value:
        """What an attribute may be once other methods have run (defined with the classes)."""
        raise NotImplementedError

    def _hold(self, place: ast.Name | ast.Attribute, value: Value, state: State) -> None:
        if isinstance(place, ast.Name):
            state.vars[place.id] = value
            return
        ref = self._holder(place, state)
        content = self.contents(ref, state).only() if ref is not None else None
        if ref is not None and isinstance(content, AttrContent):
            state.heap[ref] = const(AttrContent({**content.items, place.attr: value}, content.rest))

    def _holder(self, place: ast.Attribute, state: State) -> Ref | None:
        """The one instance whose attribute `name.attribute` is."""
        holder = state.vars.get(place.value.id) if isinstance(place.value, ast.Name) else None
        answer = holder.only() if holder is not None else None
        return answer if isinstance(answer, Ref) and answer.kind == "instance" else None


def _against(value: Value) -> int:
    """The architectures on which what is known of an operand is false, and something else of it is not known."""
    off = on = unsure = 0
    for answer, mask in value.cases:
        if isinstance(answer, Unknown):
            unsure |= mask
        elif answer is False:
            off |= mask
        else:
            on |= mask
    return off & unsure & ~on


def _unless_in_doubt(value: Value, doubtful: int) -> Value:
    """The last operand of an `and`, where one before it is true only by what is not known of it."""
    if not any(answer is True and mask & doubtful for answer, mask in value.cases):
        return value
    cases: list[tuple[Answer, int]] = []
    for answer, mask in value.cases:
        if answer is True and mask & doubtful:
            cases += [
                (True, mask & ~doubtful),
                (Unknown("what it is made of is not known on every path"), mask & doubtful),
            ]
        else:
            cases.append((answer, mask))
    return make([(answer, mask) for answer, mask in cases if mask], value.trace, value.missed, value.via)


def _refinable(node: ast.expr) -> list[ast.Name | ast.Attribute]:
    """The names, and attributes of names, that a simple condition tells something about."""
    if isinstance(node, ast.NamedExpr):
        return [node.target]
    sides: list[ast.expr] = [node]
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        sides = [_measured(node.left), node.comparators[0]]
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "isinstance" and node.args:
        sides = [node.args[0]]
    return [
        side
        for side in sides
        if isinstance(side, ast.Name) or (isinstance(side, ast.Attribute) and isinstance(side.value, ast.Name))
    ]


def _measured(side: ast.expr) -> ast.expr:
    """The text or list whose length is asked, or the expression itself."""
    if isinstance(side, ast.Call) and isinstance(side.func, ast.Name) and side.func.id == "len" and len(side.args) == 1:
        return side.args[0]
    return side


def _tells_nothing_of_others(node: ast.expr) -> bool:
    """True for a test that an answer of which nothing is known may pass and may fail, whatever else stands in it."""
    return node.__class__ in _HELD or (
        isinstance(node, ast.Compare)
        and len(node.ops) == 1
        and {node.left.__class__, node.comparators[0].__class__} <= _HELD
    )


_HELD = frozenset({ast.Name, ast.Attribute, ast.Constant})


def _sharpen(answer: Answer, node: ast.expr, *, truth: bool) -> Answer:
    """Keep of an unknown answer what the condition says of it: that it is true, or is not None."""
    if not isinstance(answer, Unknown):
        return answer
    if isinstance(node, (ast.Name, ast.Attribute, ast.NamedExpr)):
        return Unknown(answer.reason, truth=truth, is_none=False if truth else answer.is_none)
    if (
        isinstance(node, ast.Compare)
        and isinstance(node.comparators[0], ast.Constant)
        and node.comparators[0].value is None
    ):
        none = isinstance(node.ops[0], (ast.Is, ast.Eq)) == truth
        return None if none else Unknown(answer.reason, answer.truth, is_none=False)
    return answer


def _sides(node: ast.AST, value: Value) -> tuple[bool, bool]:
    """Whether the body of a branch, and its `else`, do more than object; a test for None is not the hardware's."""
    if not isinstance(node, (ast.If, ast.IfExp)) or _asks_for_none(node.test, value):
        return False, False
    if isinstance(node, ast.IfExp):
        return True, True
    return not all(map(_only_objects, node.body)), not all(map(_only_objects, node.orelse))


def _asks_for_none(test: ast.expr, value: Value) -> bool:
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=ast.Name() | ast.Attribute()):
            return True
        case ast.Compare(ops=[ast.Is() | ast.IsNot()]):
            return True
        case _:
            return not all(isinstance(answer, (bool, Unknown)) for answer, _ in value.cases)


def _only_objects(statement: ast.stmt) -> bool:
    match statement:
        case ast.Raise() | ast.Assert() | ast.Pass() | ast.Expr():
            return True
        case ast.Return(value=None) | ast.Return(value=ast.Constant(value=None | False)):
            return True
        case _:
            return False


def _limit(node: ast.BoolOp) -> ast.Name | ast.Attribute | None:
    """The name that `name is None or size <= name` (or `<`, or the other way round) tests."""
    first = node.values[0]
    if (
        not isinstance(node.op, ast.Or)
        or not isinstance(first, ast.Compare)
        or not isinstance(first.ops[0], ast.Is)
        or not isinstance(first.left, ast.Name | ast.Attribute)
        or not isinstance(first.comparators[0], ast.Constant)
        or first.comparators[0].value is not None
    ):
        return None
    name = ast.dump(first.left)
    for other in node.values[1:]:
        if isinstance(other, ast.Compare) and len(other.ops) == 1:
            least = isinstance(other.ops[0], ast.Lt | ast.LtE)
            greatest = isinstance(other.ops[0], ast.Gt | ast.GtE)
            side = other.comparators[0] if least else other.left if greatest else None
            if side is not None and any(
                ast.dump(part) == name for part in ast.walk(side) if isinstance(part, ast.expr)
            ):
                return first.left
    return None
