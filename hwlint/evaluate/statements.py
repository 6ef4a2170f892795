"""Run statements, keeping the architectures that each path is alive for."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

from hwlint.evaluate import operators
from hwlint.evaluate.budget import MOST_ITERATIONS
from hwlint.evaluate.builtin_calls import BuiltinCalls
from hwlint.evaluate.scopes import assigned_names
from hwlint.evaluate.state import Loop, State, Try, merge
from hwlint.evaluate.values import (
    EVERYWHERE,
    Answer,
    AttrContent,
    DictContent,
    ListContent,
    Module,
    Raised,
    Ref,
    Trace,
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
from hwlint.model.observation import Gate, Rejection

SURE_IMPORTS = frozenset({"torch", "sys", "os", "functools", "typing", "dataclasses", "enum", "logging", "math", "re"})
"""Packages whose import is taken to succeed: torch, which reports the architectures, and the standard library's common parts."""


class Statements(BuiltinCalls):
    """The statement half of the evaluator."""

    def run(self, body: Sequence[ast.stmt], state: State) -> None:
        """Run statements until nobody is alive."""
        for node in body:
            if not state.alive:
                return
            self.budget.spend()
            self.statement = node
            handler = _HANDLERS.get(type(node))
            if handler is not None:
                handler(self, node, state)

    # Assignments.

    def _assign(self, node: ast.Assign, state: State) -> None:
        value = self.eval(node.value, state)
        for target in node.targets:
            self.assign(target, value, state)

    def _annassign(self, node: ast.AnnAssign, state: State) -> None:
        if node.value is not None:
            self.assign(node.target, self.eval(node.value, state), state)

    def assign(self, target: ast.expr, value: Value, state: State) -> None:
        """Bind a target; unpacking takes items apart, an item or attribute changes its object."""
        if not state.alive:
            return
        match target:
            case ast.Name():
                self._name_table(target.id, value, target, state)
                if target.id in state.frame.globals:
                    return
                state.vars[target.id] = value
            case ast.Tuple() | ast.List():
                self._unpack(target.elts, value, target, state)
            case ast.Attribute():
                self._set_attribute(target, value, state)
            case ast.Subscript():
                self._set_item(target, value, state)
            case ast.Starred():
                self.assign(target.value, unknown("the rest of an unpacking"), state)
            case _:
                pass

    def _name_table(self, name: str, value: Value, node: ast.AST, state: State) -> None:
        for answer, _ in value.cases:
            if type(answer) is Ref and answer.kind != "instance" and answer not in self.names:
                self.names[answer] = (name, self.span(node, state))

    def _unpack(self, targets: list[ast.expr], value: Value, node: ast.AST, state: State) -> None:
        self.note_none(value, "unpacked", node, state)
        starred = next((index for index, target in enumerate(targets) if isinstance(target, ast.Starred)), None)
        columns: list[list[Value]] = [[] for _ in targets]
        for items, rest, mask in self.iterate(value, state, ordered=True):
            fits = len(items) == len(targets) if starred is None else len(items) >= len(targets) - 1
            if rest is not None or not fits:
                if rest is None and self.fault(
                    Raised("ValueError", "wrong number of values to unpack"), mask, node, state
                ):
                    continue
                reason = rest or Unknown("a wrong number of values to unpack")
                for column in columns:
                    column.append(restrict(Value(((reason, EVERYWHERE),), value.trace), mask))
                continue
            for index, column in enumerate(columns):
                if starred is None or index < starred:
                    column.append(restrict(items[index], mask))
                elif index > starred:
                    column.append(restrict(items[len(items) - len(targets) + index], mask))
                else:
                    taken = items[starred : len(items) - (len(targets) - starred - 1)]
                    column.append(restrict(self.new("list", ListContent(taken), node, state), mask))
        for target, column in zip(targets, columns, strict=True):
            inner = target.value if isinstance(target, ast.Starred) else target
            found = join(column) if column else Value(())
            self.assign(inner, Value(found.cases, found.trace or value.trace, found.missed), state)

    def _set_attribute(self, target: ast.Attribute, value: Value, state: State) -> None:
        holder = self.eval(target.value, state)
        self.note_none(holder, "computed with", target, state)
        text = self.code(state.frame.path).segment(target)
        if value.trace is not None and not self.recorder.muted:
            value = Value(
                value.cases, self._stepped(f"it is kept in {text}", target, value.trace, state), value.missed, value.via
            )
        self._name_table(text, value, target, state)
        for answer, mask in holder.cases:
            if type(answer) is not Ref or answer.kind != "instance":
                continue
            content = self.contents(answer, state).only()
            if isinstance(content, AttrContent):
                where = mask & state.alive
                old = content.items.get(target.attr) or const(Unbound(target.attr))
                item = value
                if len(holder.cases) > 1:
                    item = join((restrict(value, where), old))
                elif where != state.alive:
                    item = join((restrict(value, where), restrict(old, ~where)))
                state.heap[answer] = const(AttrContent({**content.items, target.attr: item}, content.rest))

    def _stepped(self, message: str, node: ast.AST, before: Trace, state: State) -> Trace:
        span = self.span(node, state)
        if before.step.span == span or len(before.steps()) > 12:
            return before
        return self.step(message, node, state, before)

    def _set_item(self, target: ast.Subscript, value: Value, state: State) -> None:
        holder = self.eval(target.value, state)
        key = self.expand(self.eval(target.slice, state), state)
        for answer, mask in holder.cases:
            if type(answer) is not Ref or answer.kind == "instance":
                continue
            where = mask & state.alive
            cases: list[tuple[Answer, int]] = []
            for content, seen in self.contents(answer, state).cases:
                for index, hit in key.cases:
                    both = seen & hit & where
                    if both:
                        cases.append(
                            (_with_item(content, index, restrict(value, both) if len(key.cases) > 1 else value), both)
                        )
                        if len(holder.cases) > 1:
                            cases.append((content, both))
            self._store_where(answer, cases, where, state)

    def _store_where(self, ref: Ref, cases: list[tuple[Answer, int]], where: int, state: State) -> None:
        old = self.contents(ref, state)
        state.heap[ref] = make([*cases, *restrict(old, ~where).cases])

    def _augassign(self, node: ast.AugAssign, state: State) -> None:
        load = _as_load(node.target)
        current = self.eval(load, state)
        value = self.eval(node.value, state)
        if (
            isinstance(node.op, ast.Add)
            and all(type(a) is Ref and a.kind == "list" for a, _ in current.cases)
            and current.cases
        ):
            self._extend(current, value, state)
            return
        if (
            isinstance(node.op, ast.BitOr)
            and all(type(a) is Ref and a.kind == "dict" for a, _ in current.cases)
            and current.cases
        ):
            self.call_attribute(current, "update", [value], node, state)
            return
        self.assign(node.target, self.operate(type(node.op), current, value, node, state), state)

    def _extend(self, current: Value, value: Value, state: State) -> None:
        for answer, mask in current.cases:
            cases: list[tuple[Answer, int]] = []
            for items, rest, where in self.iterate(value, state, ordered=True):
                for content, seen in self.contents(answer, state).cases:
                    if isinstance(content, ListContent) and seen & where & mask:
                        cases.append((ListContent(content.items + items, content.rest or rest), seen & where & mask))
            self._store_where(answer, cases, mask & state.alive, state)

    def _delete(self, node: ast.Delete, state: State) -> None:
        for target in node.targets:
            if isinstance(target, ast.Name):
                state.vars[target.id] = const(Unbound(target.id))
            elif isinstance(target, ast.Subscript):
                holder, key = self.eval(target.value, state), self.eval(target.slice, state).only()
                for answer, mask in holder.cases:
                    if type(answer) is not Ref:
                        continue
                    cases: list[tuple[Answer, int]] = []
                    for content, seen in self.contents(answer, state).cases:
                        if isinstance(content, DictContent) and is_concrete(key) and key in content.items:
                            left = {k: v for k, v in content.items.items() if k != key}
                            cases.append((DictContent(left, content.rest), seen & mask & state.alive))
                        else:
                            cases.append((Unknown("an entry is deleted"), seen & mask & state.alive))
                    self._store_where(answer, cases, mask & state.alive, state)

    def _expr(self, node: ast.Expr, state: State) -> None:
        if not isinstance(node.value, ast.Constant):
            self.eval(node.value, state)

    # Branches.

    def _if(self, node: ast.If, state: State) -> None:
        value, yes, no = self.test(node.test, state)
        kind = "elif" if getattr(node, "is_elif", False) else "if"
        self.gate(node.test, value, yes, no, kind, node, state)
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
        if value.trace is not None:
            state.frame.gates.append((test, yes, no))
        self.run(body, first)
        self.run(orelse, second)
        if value.trace is not None:
            state.frame.gates.pop()
        merged = merge([first, second], entry, yes & no)
        if value.trace is not None and first.alive and second.alive:
            self._blame(first, second, merged, value.trace)
        state.take(merged)

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
            words = self._words(node.msg, failing) if node.msg is not None else ""
            self._reject("assert", "AssertionError", words, no, failing.certain, node, value.trace, state)
        going = self.refine(node.test, state.narrow(yes, decided=~no), truth=True)
        if no and value.trace is not None:
            self.throw("AssertionError", no, failing)
        going.steady &= ~(yes & no)
        state.take(going)

    def _words(self, node: ast.expr, state: State) -> str:
        """The words of a message: the parts of it that are written down."""
        parts = [
            part.value for part in ast.walk(node) if isinstance(part, ast.Constant) and isinstance(part.value, str)
        ]
        return " ".join(" ".join(parts).split())

    def _reject(
        self,
        kind: str,
        exception: str,
        words: str,
        mask: int,
        certain: int,
        node: ast.AST,
        trace: Trace | None,
        state: State,
    ) -> None:
        if self.recorder.muted:
            return
        caught = mask if self.catches(exception) else 0
        steps = trace.steps() if trace is not None else ()
        gates = tuple(
            Gate(self.place(test, state), self.text(test, state), yes, no, yes | no, 0)
            for test, yes, no in state.frame.gates
        )
        self.recorder.rejection(
            Rejection(
                self.place(node, state),
                kind,
                exception,
                words,
                mask,
                certain & mask,
                state.frame.entered or self.everyone,
                caught,
                steps,
                gates,
            )
        )

    def _raise(self, node: ast.Raise, state: State) -> None:
        exception, words = "Exception", ""
        if node.exc is None:
            exception = state.frame.handling or "Exception"
        else:
            call = node.exc
            target = call.func if isinstance(call, ast.Call) else call
            text = self.code(state.frame.path).segment(target)
            exception = text.rpartition(".")[2]
            words = self._words(call, state) if isinstance(call, ast.Call) else ""
            if isinstance(call, ast.Call):
                for argument in call.args:
                    self.eval(argument, state)
        if state.frame.trace is not None and state.frame.gates:
            self._reject("raise", exception, words, state.alive, state.certain, node, state.frame.trace, state)
        self.throw(exception, state.alive, state)
        state.alive = state.certain = 0

    def _return(self, node: ast.Return, state: State) -> None:
        value = self.eval(node.value, state) if node.value is not None else const(None)
        if not state.alive:
            return
        frame = state.frame
        frame.returns.append((restrict(value, state.alive), state.copy()))
        if (
            frame.function is not None
            and not isinstance(frame.function.node, ast.Lambda)
            and frame.function.node.body[-1] is node
        ):
            frame.final |= state.alive
        state.alive = state.certain = state.steady = 0

    # Loops.

    def _for(self, node: ast.For, state: State) -> None:
        found = self.iterate(self.eval(node.iter, state), state, ordered=True)
        if all(rest is None and len(items) <= MOST_ITERATIONS for items, rest, _ in found) and found:
            self._unroll(node, found, state)
        else:
            reason = next((rest.reason for _, rest, _ in found if rest is not None), "items that are not known")
            self._loop(node, lambda inner: self.assign(node.target, unknown(reason), inner), node.orelse, state)

    def _unroll(
        self, node: ast.For, found: Sequence[tuple[tuple[Value, ...], Unknown | None, int]], state: State
    ) -> None:
        entry = state.copy()
        ends: list[State] = []
        for items, _, mask in found:
            current = state.narrow(mask, decided=EVERYWHERE)
            loop = Loop()
            state.frame.loops.append(loop)
            for item in items:
                if not current.alive:
                    break
                self.assign(node.target, item, current)
                loop.continues = []
                base = current.copy()
                self.run(node.body, current)
                current = merge([current, *loop.continues], base) if loop.continues else current
            state.frame.loops.pop()
            if current.alive:
                self.run(node.orelse, current)
            ends.append(
                merge([current, *loop.breaks], state.narrow(mask, decided=EVERYWHERE)) if loop.breaks else current
            )
        overlap = seen = 0
        for _, _, mask in found:
            overlap |= seen & mask
            seen |= mask
        state.take(merge(ends, entry, overlap) if len(ends) > 1 else ends[0])

    def _loop(self, node: Any, begin: Callable[[State], None], orelse: Sequence[ast.stmt], state: State) -> None:
        """A loop of unknown length: what its body assigns is forgotten, then the body is run once."""
        entry = state.copy()
        self._forget(node.body, state)
        inner = state.narrow(EVERYWHERE, decided=0)
        begin(inner)
        loop = Loop()
        state.frame.loops.append(loop)
        self.run(node.body, inner)
        state.frame.loops.pop()
        for left in [inner, *loop.continues, *loop.breaks]:
            self._forget(node.body, left)
        after = merge([state.copy(), inner, *loop.continues], entry)
        if orelse and after.alive:
            self.run(orelse, after)
        state.take(merge([after, *loop.breaks], entry))

    def _forget(self, body: Sequence[ast.stmt], state: State) -> None:
        """Forget the names that statements assign and the containers that they may change."""
        for name in assigned_names(list(body)):
            if name in state.frame.locals or name in state.vars:
                state.vars[name] = unknown(f"{name} is assigned in a loop")
        for part in (inner for statement in body for inner in ast.walk(statement)):
            holder = None
            if isinstance(part, (ast.Subscript, ast.Attribute)) and isinstance(part.ctx, (ast.Store, ast.Del)):
                holder = part.value
            elif isinstance(part, ast.Call) and isinstance(part.func, ast.Attribute) and part.func.attr in _CHANGES:
                holder = part.func.value
            if isinstance(holder, ast.Name) and holder.id in state.vars and not isinstance(part, ast.Attribute):
                for answer, _ in state.vars[holder.id].cases:
                    if type(answer) is Ref and answer.kind != "instance":
                        state.heap[answer] = unknown("a container that is changed in a loop")
            elif isinstance(part, ast.Attribute) and isinstance(holder, ast.Name) and holder.id in state.vars:
                self._forget_attribute(state.vars[holder.id], part.attr, state)

    def _forget_attribute(self, holder: Value, name: str, state: State) -> None:
        for answer, _ in holder.cases:
            content = self.contents(answer, state).only() if type(answer) is Ref else None
            if isinstance(content, AttrContent):
                forgotten = {**content.items, name: unknown(f"{name} is assigned in a loop")}
                state.heap[answer] = const(AttrContent(forgotten, content.rest))

    def _while(self, node: ast.While, state: State) -> None:
        def begin(inner: State) -> None:
            value, yes, no = self.test(node.test, inner)
            self.gate(node.test, value, yes, no, "while", node, inner)
            inner.take(self.refine(node.test, inner.narrow(yes, decided=~no), truth=True))

        endless = isinstance(node.test, ast.Constant) and bool(node.test.value)
        if not endless:
            self._loop(node, begin, node.orelse, state)
            return
        entry = state.copy()
        self._forget(node.body, state)
        inner = state.narrow(EVERYWHERE, decided=0)
        loop = Loop()
        state.frame.loops.append(loop)
        self.run(node.body, inner)
        state.frame.loops.pop()
        for left in loop.breaks:
            self._forget(node.body, left)
        state.take(merge(loop.breaks, entry) if loop.breaks else entry.dead())

    def _break(self, node: ast.Break, state: State) -> None:
        if state.frame.loops:
            state.frame.loops[-1].breaks.append(state.copy())
        state.alive = state.certain = state.steady = 0

    def _continue(self, node: ast.Continue, state: State) -> None:
        if state.frame.loops:
            state.frame.loops[-1].continues.append(state.copy())
        state.alive = state.certain = state.steady = 0

    # Exceptions.

    def _try(self, node: ast.Try, state: State) -> None:
        frame = state.frame
        entry = state.copy()
        opened = Try(tuple(_caught_names(handler) for handler in node.handlers), [[] for _ in node.handlers])
        frame.tries.append(opened)
        doubts, imports = self.doubts, self.import_doubts
        snapshots = [entry]
        for statement in node.body:
            self.run([statement], state)
            snapshots.append(state.copy())
        frame.tries.remove(opened)
        doubted, import_doubted = self.doubts != doubts, self.import_doubts != imports
        if state.alive:
            self.run(node.orelse, state)
        ends = [state.copy()] if state.alive else []
        undecided = 0
        for handler, names, reached in zip(node.handlers, opened.catches, opened.caught, strict=True):
            starts = list(reached)
            if (import_doubted and _may_be_import(names)) or (doubted and not _only_import(names)):
                starts.extend(snapshot.narrow(EVERYWHERE, decided=0) for snapshot in snapshots if snapshot.alive)
                undecided = EVERYWHERE
            starts = [start for start in starts if start.alive]
            if not starts:
                continue
            overlap = self._overlap(starts)
            begin = merge(starts, entry, overlap) if len(starts) > 1 else starts[0].copy()
            if handler.name is not None:
                begin.vars[handler.name] = unknown("an exception")
            before = frame.handling
            frame.handling = next(iter(sorted(names)), "Exception") if names else "Exception"
            self.run(handler.body, begin)
            frame.handling = before
            if begin.alive:
                ends.append(begin)
        if not ends:
            state.take(entry.dead())
        else:
            undecided |= self._overlap(ends)
            merged = merge(ends, entry, undecided) if len(ends) > 1 or undecided else ends[0]
            state.take(merged)
        self.run(node.finalbody, state)

    def _overlap(self, states: Sequence[State]) -> int:
        overlap = seen = 0
        for state in states:
            overlap |= seen & state.alive
            seen |= state.alive
        return overlap

    def _with(self, node: ast.With, state: State) -> None:
        quiet: list[frozenset[str]] = []
        for item in node.items:
            value = self.eval(item.context_expr, state)
            if item.optional_vars is not None:
                self.assign(
                    item.optional_vars,
                    unknown("what a context manager gives") if not _is_instance(value) else value,
                    state,
                )
            quiet.extend(_suppressed(item.context_expr))
        if quiet:
            handlers = [ast.ExceptHandler(type=None, name=None, body=[ast.Pass()])]
            self._try(ast.Try(body=list(node.body), handlers=handlers, orelse=[], finalbody=[]), state)
        else:
            self.run(node.body, state)

    # Match.

    def _match(self, node: ast.Match, state: State) -> None:
        subject = self.eval(node.subject, state)
        entry = state.copy()
        ends: list[State] = []
        current = state.copy()
        doubted = 0
        for case in node.cases:
            if not current.alive:
                break
            yes, no, bound = self._pattern(case.pattern, subject, current)
            branch = current.narrow(yes, decided=~no)
            for name, value in bound.items():
                branch.vars[name] = restrict(value, branch.alive)
            if case.guard is not None and branch.alive:
                value, true, false = self.test(case.guard, branch)
                no |= false
                branch = branch.narrow(true, decided=~false)
            doubted |= yes & no & branch.alive
            if subject.trace is not None:
                state.frame.trace = state.frame.trace or subject.trace
                state.frame.gates.append((node.subject, yes, no))
            self.run(case.body, branch)
            if subject.trace is not None:
                state.frame.gates.pop()
            ends.append(branch)
            current = current.narrow(no, decided=~yes)
        ends.append(current)
        merged = merge(ends, entry, doubted)
        if subject.trace is not None:
            for name, value in merged.vars.items():
                if value.trace is None and len(value.cases) > 1 and entry.vars.get(name) is not value:
                    merged.vars[name] = Value(value.cases, subject.trace, value.missed, value.via)
        state.take(merged)

    def _pattern(self, pattern: ast.pattern, subject: Value, state: State) -> tuple[int, int, dict[str, Value]]:
        """Return where a pattern may match, where it may not, and the names it binds."""
        match pattern:
            case ast.MatchValue():
                other = self.eval(pattern.value, state)
                found, _ = lift(
                    lambda a, b: operators.compare(ast.Eq, a, b), (self.expand(subject, state), other), state.alive
                )
                return (*self.truth(found, state), {})
            case ast.MatchSingleton():
                found, _ = lift(lambda a: operators.compare(ast.Is, a, pattern.value), (subject,), state.alive)
                return (*self.truth(found, state), {})
            case ast.MatchAs(pattern=None, name=name):
                return state.alive, 0, {name: subject} if name else {}
            case ast.MatchAs(pattern=inner, name=name) if inner is not None:
                yes, no, bound = self._pattern(inner, subject, state)
                return yes, no, {**bound, **({name: subject} if name else {})}
            case ast.MatchOr():
                yes, no, names = 0, state.alive, {}
                for option in pattern.patterns:
                    hit, miss, bound = self._pattern(option, subject, state)
                    yes |= hit
                    no &= miss
                    names.update({name: unknown("bound by one of several patterns") for name in bound})
                return yes, no, names
            case ast.MatchSequence() if not any(isinstance(part, ast.MatchStar) for part in pattern.patterns):
                return self._sequence_pattern(pattern, subject, state)
            case _:
                names = {
                    part.name: unknown("bound by a pattern")
                    for part in ast.walk(pattern)
                    if isinstance(part, (ast.MatchAs, ast.MatchStar)) and part.name
                }
                return state.alive, state.alive, names

    def _sequence_pattern(
        self, pattern: ast.MatchSequence, subject: Value, state: State
    ) -> tuple[int, int, dict[str, Value]]:
        yes = no = 0
        names: dict[str, Value] = {}
        for answer, mask in self.expand(subject, state).cases:
            where = mask & state.alive
            if not isinstance(answer, tuple):
                if isinstance(answer, (str, int, bytes, type(None))):
                    no |= where
                    continue
                return (
                    state.alive,
                    state.alive,
                    {
                        part.name: unknown("bound by a pattern")
                        for part in ast.walk(pattern)
                        if isinstance(part, ast.MatchAs) and part.name
                    },
                )
            if len(answer) != len(pattern.patterns):
                no |= where
                continue
            hit, miss = where, 0
            inner = state.narrow(where, decided=EVERYWHERE)
            for part, item in zip(pattern.patterns, answer, strict=True):
                one, other, bound = self._pattern(part, const(item), inner)
                hit &= one
                miss |= other & where
                for name, value in bound.items():
                    names[name] = (
                        join([names[name], restrict(value, where)]) if name in names else restrict(value, where)
                    )
            yes |= hit
            no |= miss
        return yes, no, {name: Value(value.cases, subject.trace) for name, value in names.items()}

    # Definitions and imports.

    def _def(self, node: ast.FunctionDef | ast.AsyncFunctionDef, state: State) -> None:
        symbol = state.frame.symbol
        qualname = f"{symbol}.{node.name}" if symbol else node.name
        state.vars[node.name] = self.function_value(node, state.frame.path, qualname, state)

    def _class(self, node: ast.ClassDef, state: State) -> None:
        symbol = state.frame.symbol
        state.vars[node.name] = self.class_value(
            node, state.frame.path, f"{symbol}.{node.name}" if symbol else node.name
        )

    def _import(self, node: ast.Import, state: State) -> None:
        for alias in node.names:
            name = alias.asname or alias.name.partition(".")[0]
            target = alias.name if alias.asname else name
            path = self.project.find(target, 0, state.frame.path)
            if path is None:
                self._doubt_import(alias.name)
            state.vars[name] = const(Module(path)) if path is not None else self.outside(target)

    def _import_from(self, node: ast.ImportFrom, state: State) -> None:
        path = self.project.find(node.module or "", node.level, state.frame.path)
        if path is None:
            self._doubt_import(node.module or "")
        code = self.code(state.frame.path)
        for alias in node.names:
            if alias.name == "*":
                continue
            name = alias.asname or alias.name
            state.vars[name] = self.from_import(code, node.module or "", node.level, alias.name, node.lineno, name)

    def _doubt_import(self, module: str) -> None:
        if module.partition(".")[0] not in SURE_IMPORTS:
            self.import_doubts += 1
            self.doubts += 1


_CHANGES = frozenset("append extend add insert update setdefault pop remove discard clear sort reverse popitem".split())


def _with_item(content: Answer, index: Answer, value: Value) -> Answer:
    if isinstance(content, DictContent) and is_concrete(index):
        return DictContent({**content.items, index: value}, content.rest)
    if (
        isinstance(content, ListContent)
        and isinstance(index, int)
        and -len(content.items) <= index < len(content.items)
        and content.rest is None
    ):
        items = list(content.items)
        items[index] = value
        return ListContent(tuple(items))
    if isinstance(content, DictContent):
        reason = index.reason if isinstance(index, Unknown) else "a key that is not a constant"
        changed = (
            {key: join([old, value]) for key, old in content.items.items()}
            if isinstance(index, Unknown)
            else dict(content.items)
        )
        return DictContent(changed, content.rest or Unknown(f"an entry is set under {reason}"))
    return Unknown("an item is assigned")


def _as_load(target: ast.expr) -> ast.expr:
    match target:
        case ast.Name():
            return ast.copy_location(ast.Name(target.id, ast.Load()), target)
        case ast.Attribute():
            return ast.copy_location(ast.Attribute(target.value, target.attr, ast.Load()), target)
        case ast.Subscript():
            return ast.copy_location(ast.Subscript(target.value, target.slice, ast.Load()), target)
        case _:
            return target


def _caught_names(handler: ast.ExceptHandler) -> frozenset[str] | None:
    if handler.type is None:
        return None
    parts = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return frozenset(ast.unparse(part).rpartition(".")[2] for part in parts)


def _only_import(names: frozenset[str] | None) -> bool:
    return names is not None and names <= {"ImportError", "ModuleNotFoundError"}


def _may_be_import(names: frozenset[str] | None) -> bool:
    return names is None or bool(names & {"ImportError", "ModuleNotFoundError", "Exception", "BaseException"})


def _suppressed(node: ast.expr) -> list[frozenset[str]]:
    if isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] == "suppress":
        return [frozenset(ast.unparse(argument).rpartition(".")[2] for argument in node.args)]
    return []


def _is_instance(value: Value) -> bool:
    return any(type(answer) is Ref and answer.kind == "instance" for answer, _ in value.cases)


_HANDLERS: dict[type[ast.stmt], Callable[[Any, Any, State], None]] = {
    ast.Assign: Statements._assign,
    ast.AnnAssign: Statements._annassign,
    ast.AugAssign: Statements._augassign,
    ast.Delete: Statements._delete,
    ast.Expr: Statements._expr,
    ast.If: Statements._if,
    ast.Assert: Statements._assert,
    ast.Raise: Statements._raise,
    ast.Return: Statements._return,
    ast.For: Statements._for,
    ast.AsyncFor: Statements._for,
    ast.While: Statements._while,
    ast.Break: Statements._break,
    ast.Continue: Statements._continue,
    ast.Try: Statements._try,
    ast.With: Statements._with,
    ast.AsyncWith: Statements._with,
    ast.Match: Statements._match,
    ast.FunctionDef: Statements._def,
    ast.AsyncFunctionDef: Statements._def,
    ast.ClassDef: Statements._class,
    ast.Import: Statements._import,
    ast.ImportFrom: Statements._import_from,
}
