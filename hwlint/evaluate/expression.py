"""Evaluate expressions, for every architecture that is alive at once."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable, Sequence
from typing import Any

from hwlint.evaluate import operators
from hwlint.evaluate.machine import Core
from hwlint.evaluate.state import State, merge
from hwlint.evaluate.values import (
    EVERYWHERE,
    Answer,
    AttrContent,
    Builtin,
    DictContent,
    External,
    Function,
    ListContent,
    MixedTuple,
    Raised,
    Ref,
    SetContent,
    Unbound,
    Unknown,
    Value,
    const,
    is_concrete,
    join,
    lift,
    make,
    restrict,
    unknown,
)
from hwlint.model.observation import Comparison, Gate, NoneUse

_OPERATORS: dict[type[ast.cmpop], str] = {
    ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=",
    ast.Is: "is", ast.IsNot: "is not", ast.In: "in", ast.NotIn: "not in",
}  # fmt: skip


class Expressions(Core):
    """The expression half of the evaluator."""

    def eval(self, node: ast.expr, state: State) -> Value:
        """Evaluate `node`; architectures on which it raises leave `state` where the raise is caught or worded."""
        self.budget.spend()
        if not state.alive:
            return Value(())
        handler = _HANDLERS.get(type(node))
        if handler is None:
            return unknown(f"{type(node).__name__} is not evaluated")
        return handler(self, node, state)

    def _constant(self, node: ast.Constant, state: State) -> Value:
        return const(node.value)

    def _name(self, node: ast.Name, state: State) -> Value:
        frame = state.frame
        found = state.vars.get(node.id)
        if found is not None:
            return self._bound(found, node, state)
        if node.id in frame.locals and node.id not in frame.globals:
            return self._bound(const(Unbound(node.id)), node, state)
        if frame.function is not None:
            captured = frame.function.closure.get(node.id)
            if captured is not None:
                return captured
        value = self.global_name(frame.path, node.id, frame.before)
        if value is not None:
            return value
        if node.id in BUILTINS:
            return const(Builtin(node.id))
        return unknown(f"the name {node.id} is not defined in this file")

    def _bound(self, value: Value, node: ast.Name, state: State) -> Value:
        value = restrict(value, state.alive)
        missing = 0
        for answer, mask in value.cases:
            if type(answer) is Unbound:
                missing |= mask
        if not missing:
            return value
        kept = [(answer, mask) for answer, mask in value.cases if type(answer) is not Unbound]
        self.unbound(node, missing & state.alive, state, also_bound=join([make(kept)]).mask if kept else 0)
        kept.append((Unknown(f"{node.id} may not be assigned here"), missing))
        return make(kept, value.trace, value.missed, value.via)

    def unbound(self, node: ast.Name, mask: int, state: State, *, also_bound: int) -> None:
        """A local name is read where it may not be assigned."""
        self.fault(Raised("UnboundLocalError", node.id), mask & ~also_bound, node, state)

    def _tuple(self, node: ast.Tuple, state: State) -> Value:
        return self.tuple_of(self._items(node.elts, state))

    def tuple_of(self, items: Sequence[Value] | None) -> Value:
        """Build a tuple; None stands for items whose number is not known."""
        if items is None:
            return unknown("a tuple with unpacked items")
        trace = next((item.trace for item in items if item.trace), None)
        answers = []
        for item in items:
            if len(item.cases) != 1 or item.cases[0][1] != EVERYWHERE or not is_concrete(item.cases[0][0]):
                return Value(((MixedTuple(tuple(items)), EVERYWHERE),), trace)
            answers.append(item.cases[0][0])
        return Value(((tuple(answers), EVERYWHERE),), trace)

    def _items(self, nodes: Sequence[ast.expr], state: State) -> list[Value] | None:
        items: list[Value] = []
        for node in nodes:
            if isinstance(node, ast.Starred):
                inner = self.iterate(self.eval(node.value, state), state)
                if len(inner) != 1 or inner[0][1] is not None:
                    return None
                items.extend(inner[0][0])
            else:
                items.append(self.eval(node, state))
        return items

    def _list(self, node: ast.List, state: State) -> Value:
        items = self._items(node.elts, state)
        content = ListContent(tuple(items)) if items is not None else ListContent((), Unknown("unpacked items"))
        made = self.new("list", content, node, state)
        trace = next((item.trace for item in items or () if item.trace), None)
        return Value(made.cases, trace)

    def _set(self, node: ast.Set, state: State) -> Value:
        return self.set_of(self._items(node.elts, state), node, state)

    def set_of(self, items: Sequence[Value] | None, node: ast.AST | None, state: State) -> Value:
        """Build a set."""
        if items is None:
            return self.new("set", SetContent((), Unknown("unpacked items")), node, state)
        members: dict[Any, None] = {}
        for item in items:
            answer = self.expand(item, state).only()
            if not is_concrete(answer):
                reason = answer.reason if isinstance(answer, Unknown) else "a member that is not a constant"
                return self.new("set", SetContent(tuple(members), Unknown(reason)), node, state)
            members[answer] = None
        return self.new("set", SetContent(tuple(members)), node, state)

    def _dict(self, node: ast.Dict, state: State) -> Value:
        pairs: list[tuple[Value | None, Value]] = []
        for key, value in zip(node.keys, node.values, strict=True):
            found = self.eval(value, state) if key is None else None
            pairs.append((None, found) if found is not None else (self.eval(key, state), self.eval(value, state)))  # type: ignore[arg-type]
        return self.dict_of(pairs, node, state)

    def dict_of(self, pairs: Sequence[tuple[Value | None, Value]], node: ast.AST | None, state: State) -> Value:
        """Build a dict from (key, value) pairs; a None key unpacks the value. One content case for each outcome of the keys."""
        contents: list[tuple[dict[Any, Value], Unknown | None, int]] = [({}, None, EVERYWHERE)]
        for key, value in pairs:
            grown: list[tuple[dict[Any, Value], Unknown | None, int]] = []
            for items, rest, mask in contents:
                if key is None:
                    grown.extend(self._unpacked(items, rest, mask, value, state))
                    continue
                for answer, seen in self.expand(key, state).cases:
                    both = mask & seen
                    if not both & state.alive:
                        continue
                    if is_concrete(answer):
                        grown.append(
                            (
                                {**items, answer: value}
                                if len(self.expand(key, state).cases) > 1
                                else _add(items, answer, value),
                                rest,
                                both,
                            )
                        )
                    else:
                        reason = answer.reason if isinstance(answer, Unknown) else "a key that is not a constant"
                        grown.append((items, Unknown(reason), both))
            contents = grown or contents
            if len(contents) > 64:
                contents = [({}, Unknown("too many outcomes of the keys"), EVERYWHERE)]
        ref = Ref("dict", self.span(node, state) if node is not None else None, node)
        state.heap[ref] = make([(DictContent(items, rest), mask) for items, rest, mask in contents])
        trace = next((pair[0].trace for pair in pairs if pair[0] is not None and pair[0].trace), None)
        return Value(((ref, EVERYWHERE),), trace)

    def _unpacked(
        self, items: dict[Any, Value], rest: Unknown | None, mask: int, value: Value, state: State
    ) -> list[tuple[dict[Any, Value], Unknown | None, int]]:
        grown = []
        for answer, seen in value.cases:
            if type(answer) is Ref and answer.kind == "dict":
                for content, where in self.contents(answer, state).cases:
                    if isinstance(content, DictContent):
                        grown.append(({**items, **content.items}, rest or content.rest, mask & seen & where))
                    else:
                        grown.append((items, Unknown("an unknown dict is unpacked"), mask & seen & where))
            else:
                grown.append((items, Unknown("an unknown dict is unpacked"), mask & seen))
        return [entry for entry in grown if entry[2]]

    def _binop(self, node: ast.BinOp, state: State) -> Value:
        left, right = self.eval(node.left, state), self.eval(node.right, state)
        return self.operate(type(node.op), left, right, node, state)

    def operate(self, kind: type[ast.operator], left: Value, right: Value, node: ast.AST, state: State) -> Value:
        """Compute a binary operator, on containers too."""
        if any(type(answer) is Ref for answer, _ in (*left.cases, *right.cases)):
            return self.container_operator(kind, left, right, node, state)
        self.note_none(left, "computed with", node, state)
        self.note_none(right, "computed with", node, state)
        left, right = self.expand(left, state), self.expand(right, state)
        value, raised = lift(lambda one, other: operators.binary(kind, one, other), (left, right), state.alive)
        return self._settle(value, raised, node, state)

    def container_operator(
        self, kind: type[ast.operator], left: Value, right: Value, node: ast.AST, state: State
    ) -> Value:
        """Compute an operator on lists, dicts or sets (defined with the containers)."""
        raise NotImplementedError

    def _settle(self, value: Value, raised: tuple[tuple[Raised, int], ...], node: ast.AST, state: State) -> Value:
        """Handle what an operation raised; where nothing catches it the answer is unknown from there on."""
        for error, mask in raised:
            if not self.fault(error, mask, node, state):
                value = make(
                    [*value.cases, (Unknown(f"it raises {error.exception}: {error.message}"), mask)], value.trace
                )
        return value

    def _unaryop(self, node: ast.UnaryOp, state: State) -> Value:
        operand = self.eval(node.operand, state)
        if isinstance(node.op, ast.Not):
            return self._negated(operand, state)
        value, raised = lift(lambda one: operators.unary(type(node.op), one), (operand,), state.alive)
        return self._settle(value, raised, node, state)

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
        undecided = 0
        leaving: list[State] = []
        trace = None
        for position, operand in enumerate(node.values):
            value, yes, no = self.test(operand, state)
            trace = trace or value.trace
            if position == len(node.values) - 1:
                results.append(restrict(value, state.alive))
                break
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

    def test(self, node: ast.expr, state: State) -> tuple[Value, int, int]:
        """Evaluate a condition; return it with the architectures on which it may be true, and may be false."""
        value = self.eval(node, state)
        value = restrict(value, state.alive)
        yes, no = self.truth(value, state)
        return value, yes, no

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
        if value is None or (len(value.cases) == 1 and not isinstance(value.cases[0][0], Unknown)):
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
        one, other = self.eval(node.body, first), self.eval(node.orelse, second)
        found = join((restrict(one, first.alive), restrict(other, second.alive)))
        state.take(merge([first, second], entry, yes & no))
        return Value(found.cases, found.trace or value.trace, found.missed, found.via)

    def gate(self, test: ast.expr, value: Value, yes: int, no: int, kind: str, node: ast.AST, state: State) -> None:
        """Record a branch that the hardware decides at least in part."""
        if value.trace is None:
            return
        state.frame.trace = state.frame.trace or value.trace
        if self.recorder.muted:
            return
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
            )
        )

    def _compare(self, node: ast.Compare, state: State) -> Value:
        left = self.eval(node.left, state)
        results: list[Value] = []
        going = state
        entry = state.copy() if len(node.ops) > 1 else None
        for position, (op, right_node) in enumerate(zip(node.ops, node.comparators, strict=True)):
            right = self.eval(right_node, going)
            found = self._compared(op, left, right, node, position, going)
            results.append(found)
            left = right
            if position < len(node.ops) - 1:
                yes, no = self.truth(restrict(found, going.alive), going)
                results[-1] = self._shortened(found, no, stop_on=False, state=going)
                going = going.narrow(yes, decided=~no)
                if not going.alive:
                    break
        if entry is not None:
            state.vars, state.heap = {**state.vars, **going.vars}, {**state.heap, **going.heap}
        whole = join([result for result in results if result.cases] or [Value(())])
        return whole

    def _compared(
        self, op: ast.cmpop, left: Value, right: Value, node: ast.Compare, position: int, state: State
    ) -> Value:
        kind = type(op)
        if kind in (ast.In, ast.NotIn):
            found = self.membership(left, right, node, position, state)
        else:
            if kind in (ast.Lt, ast.LtE, ast.Gt, ast.GtE):
                self.note_none(left, "computed with", node, state)
                self.note_none(right, "computed with", node, state)
            one, other = self.expand(left, state), self.expand(right, state)
            one, other = self.lists_as_tuples(one, other, state)
            found, raised = lift(lambda a, b: operators.compare(kind, a, b), (one, other), state.alive)
            found = self._settle(found, raised, node, state)
        self.note_comparison(_OPERATORS[kind], left, right, found, node, position, state)
        return found

    def lists_as_tuples(self, left: Value, right: Value, state: State) -> tuple[Value, Value]:
        """Compare two lists by their items (defined with the containers)."""
        return left, right

    def note_comparison(
        self, symbol: str, left: Value, right: Value, found: Value, node: ast.Compare, position: int, state: State
    ) -> None:
        """Record a comparison with a hardware value."""
        trace = left.trace or right.trace
        if trace is None or self.recorder.muted or symbol in ("is", "is not"):
            return
        yes, no = self.truth(restrict(found, state.alive), state)
        left_node = node.left if position == 0 else node.comparators[position - 1]
        self.recorder.comparison(
            Comparison(
                self.place(node, state),
                symbol,
                self.text(left_node, state),
                self.text(node.comparators[position], state),
                _plain_cases(self.expand(left, state), state.alive),
                _plain_cases(self.expand(right, state), state.alive),
                yes,
                no,
                state.alive,
                trace.steps(),
            )
        )

    def membership(self, left: Value, right: Value, node: ast.Compare, position: int, state: State) -> Value:
        """Compute `in` and `not in` (defined with the containers)."""
        raise NotImplementedError

    def _joinedstr(self, node: ast.JoinedStr, state: State) -> Value:
        parts = [
            self.eval(part, state) if isinstance(part, ast.FormattedValue) else self.eval(part, state)
            for part in node.values
        ]
        if not parts:
            return const("")
        value, raised = lift(lambda *answers: _concatenate(answers), tuple(parts), state.alive)
        return self._settle(value, raised, node, state)

    def _formattedvalue(self, node: ast.FormattedValue, state: State) -> Value:
        value = self.expand(self.eval(node.value, state), state)
        spec = self.eval(node.format_spec, state) if node.format_spec is not None else const("")
        found, raised = lift(lambda answer, how: _formatted(answer, how, node.conversion), (value, spec), state.alive)
        return self._settle(found, raised, node, state)

    def _namedexpr(self, node: ast.NamedExpr, state: State) -> Value:
        value = self.eval(node.value, state)
        self.assign(node.target, value, state)
        return value

    def _attribute(self, node: ast.Attribute, state: State) -> Value:
        return self.attribute(self.eval(node.value, state), node.attr, node, state)

    def _subscript(self, node: ast.Subscript, state: State) -> Value:
        base = self.eval(node.value, state)
        return self.subscript(base, self.eval(node.slice, state), node, state)

    def _slice(self, node: ast.Slice, state: State) -> Value:
        parts = tuple(
            self.eval(part, state) if part is not None else const(None) for part in (node.lower, node.upper, node.step)
        )
        value, _ = lift(_make_slice, parts, state.alive)
        return value

    def _call(self, node: ast.Call, state: State) -> Value:
        function = self.eval(node.func, state)
        args: list[Value] = []
        surplus = False
        for argument in node.args:
            if isinstance(argument, ast.Starred):
                inner = self.iterate(self.eval(argument.value, state), state)
                if len(inner) == 1 and inner[0][1] is None:
                    args.extend(inner[0][0])
                else:
                    surplus = True
                    break
            else:
                args.append(self.eval(argument, state))
        keywords: dict[str, Value] = {}
        for keyword in node.keywords:
            value = self.eval(keyword.value, state)
            if keyword.arg is None:
                surplus = not self._spread(value, keywords, state) or surplus
            else:
                keywords[keyword.arg] = value
        if surplus:
            keywords["**"] = unknown("arguments passed on with * or **")
        if not state.alive:
            return Value(())
        return self.call(function, args, keywords, node, state)

    def _spread(self, value: Value, keywords: dict[str, Value], state: State) -> bool:
        answer = value.only()
        if type(answer) is not Ref or answer.kind != "dict":
            return False
        content = self.contents(answer, state).only()
        if not isinstance(content, DictContent) or content.rest is not None:
            return False
        keywords.update({str(key): item for key, item in content.items.items()})
        return True

    def _lambda(self, node: ast.Lambda, state: State) -> Value:
        return const(
            Function(state.frame.path, f"{state.frame.symbol}.<lambda>".lstrip("."), node, self.closure(state))
        )

    def closure(self, state: State) -> dict[str, Value]:
        """The names that a function made here can read from around it."""
        if state.frame.before is not None and not state.vars:
            return {}
        outer = dict(state.frame.function.closure) if state.frame.function is not None else {}
        outer.update(state.vars)
        return outer

    def _listcomp(self, node: ast.ListComp, state: State) -> Value:
        return self.comprehension(node, node.generators, state)

    def comprehension(self, node: ast.expr, generators: Sequence[ast.comprehension], state: State) -> Value:
        """Evaluate a comprehension (defined with the containers)."""
        raise NotImplementedError

    def _any_comprehension(self, node: Any, state: State) -> Value:
        return self.comprehension(node, node.generators, state)

    def _starred(self, node: ast.Starred, state: State) -> Value:
        self.eval(node.value, state)
        return unknown("unpacked items")

    def _await(self, node: ast.Await, state: State) -> Value:
        return self.eval(node.value, state)

    def _yield(self, node: Any, state: State) -> Value:
        if node.value is not None:
            self.eval(node.value, state)
        state.frame.yields = True
        return unknown("what a generator is sent")

    def note_none(self, value: Value, use: str, node: ast.AST, state: State) -> None:
        """Record that the None of a missed lookup is used as a value."""
        missed = value.missed
        if missed is None or self.recorder.muted:
            return
        mask = 0
        for answer, seen in value.cases:
            if answer is None:
                mask |= seen
        mask &= missed.mask & state.alive
        if not mask or self.catches("TypeError" if use != "read an attribute of" else "AttributeError"):
            return
        other = 0
        for answer, seen in value.cases:
            if answer is not None:
                other |= seen
        steps = value.trace.steps() if value.trace else ()
        self.recorder.none_use(
            NoneUse(
                self.place(node, state),
                use,
                mask,
                mask & state.certain & ~other,
                missed.span,
                missed.table,
                missed.key,
                steps,
            )
        )


def _add(items: dict[Any, Value], key: Any, value: Value) -> dict[Any, Value]:
    items[key] = value
    return items


def _plain_cases(value: Value, alive: int) -> tuple[tuple[Any, int], ...]:
    return tuple(
        (answer if is_concrete(answer) else None, mask & alive)
        for answer, mask in value.cases
        if mask & alive and is_concrete(answer)
    )


def _refinable(node: ast.expr) -> list[ast.Name | ast.Attribute]:
    """The names, and attributes of names, that a simple condition tells something about."""
    if isinstance(node, ast.NamedExpr):
        return [node.target]
    sides: list[ast.expr] = [node]
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        sides = [node.left, node.comparators[0]]
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "isinstance" and node.args:
        sides = [node.args[0]]
    return [
        side
        for side in sides
        if isinstance(side, ast.Name) or (isinstance(side, ast.Attribute) and isinstance(side.value, ast.Name))
    ]


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


def _concatenate(answers: tuple[Answer, ...]) -> Answer:
    doubt = next((answer for answer in answers if not isinstance(answer, str)), None)
    if doubt is None:
        return "".join(answers)
    reason = doubt.reason if isinstance(doubt, Unknown) else "a text with an unknown part"
    certain = any(isinstance(answer, str) and answer for answer in answers)
    return Unknown(reason, truth=True if certain else None, is_none=False)


def _formatted(answer: Answer, spec: Answer, conversion: int) -> Answer:
    if (
        isinstance(answer, Unknown)
        or not is_concrete(answer)
        or not isinstance(spec, str)
        or isinstance(answer, (Builtin, External))
    ):
        return Unknown(answer.reason if isinstance(answer, Unknown) else "the text of an object", is_none=False)
    if type(answer).__name__ in ("EnumMember", "Class", "Function", "Module"):
        return Unknown("the text of an object", is_none=False)
    converted = _CONVERSIONS[conversion](answer) if conversion in _CONVERSIONS else answer
    if len(spec) > 8:
        return Unknown("a long format", is_none=False)
    try:
        return format(converted, spec)
    except (ValueError, TypeError) as error:
        return Raised(type(error).__name__, str(error))


def _make_slice(lower: Answer, upper: Answer, step: Answer) -> Answer:
    for part in (lower, upper, step):
        if not isinstance(part, int) and part is not None:
            return Unknown("a slice with unknown ends")
    return slice(lower, upper, step)


_CONVERSIONS: dict[int, Callable[[Any], str]] = {115: str, 114: repr, 97: ascii}
BUILTINS = frozenset(dir(builtins))

_HANDLERS: dict[type[ast.expr], Callable[[Any, Any, State], Value]] = {
    ast.Constant: Expressions._constant,
    ast.Name: Expressions._name,
    ast.Tuple: Expressions._tuple,
    ast.List: Expressions._list,
    ast.Set: Expressions._set,
    ast.Dict: Expressions._dict,
    ast.BinOp: Expressions._binop,
    ast.UnaryOp: Expressions._unaryop,
    ast.BoolOp: Expressions._boolop,
    ast.IfExp: Expressions._ifexp,
    ast.Compare: Expressions._compare,
    ast.JoinedStr: Expressions._joinedstr,
    ast.FormattedValue: Expressions._formattedvalue,
    ast.NamedExpr: Expressions._namedexpr,
    ast.Attribute: Expressions._attribute,
    ast.Subscript: Expressions._subscript,
    ast.Slice: Expressions._slice,
    ast.Call: Expressions._call,
    ast.Lambda: Expressions._lambda,
    ast.ListComp: Expressions._any_comprehension,
    ast.SetComp: Expressions._any_comprehension,
    ast.DictComp: Expressions._any_comprehension,
    ast.GeneratorExp: Expressions._any_comprehension,
    ast.Starred: Expressions._starred,
    ast.Await: Expressions._await,
    ast.Yield: Expressions._yield,
    ast.YieldFrom: Expressions._yield,
}
