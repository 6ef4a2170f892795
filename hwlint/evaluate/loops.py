"""Run loops: one by one over constants, else once with everything that they change forgotten."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

from hwlint.evaluate.answers import Answer, AttrContent, Class, Ref, Trace, Unbound, Unknown
from hwlint.evaluate.branches import Branches
from hwlint.evaluate.budget import MOST_ITERATIONS
from hwlint.evaluate.scopes import changed_in, changing_names
from hwlint.evaluate.sequences import goes_over_devices
from hwlint.evaluate.state import Frame, Loop, State, merge
from hwlint.evaluate.values import EVERYWHERE, Value, const, make, unknown
from hwlint.source.nodes import walk


class Loops(Branches):
    """The part of the evaluator that loops."""

    def _for(self, node: ast.For, state: State) -> None:
        whole = self.eval(node.iter, state)
        found = self.iterate(whole, state, ordered=True)
        if whole.trace is not None and len(whole.cases) > 1:
            found = [(tuple(_from(item, whole.trace) for item in items), rest, mask) for items, rest, mask in found]
        if goes_over_devices(node.iter):
            found = [((unknown("the index of a device"),), None, state.alive)]
        known = [one for one in found if one[1] is None and len(one[0]) <= MOST_ITERATIONS]
        others = [one for one in found if one[1] is not None or len(one[0]) > MOST_ITERATIONS]
        counted, uncounted = _reached(known), _reached(others)
        reason = next((rest.reason for _, rest, _ in found if rest is not None), "items that are not known")

        def begin(inner: State) -> None:
            self.assign(node.target, unknown(reason), inner)

        if known and not uncounted:
            entry = state.copy()
            if len(known) == 1 and len(node.body) == 1:
                self.note_loop(node, known[0][0], state)
            self._unroll(node, found, state)
            if self._grew(node.iter, whole, entry, state):
                state.take(entry)
                self._loop(node, begin, node.orelse, state)
        elif known and not counted & uncounted:
            entry = state.copy()
            first, second = (state.narrow(mask, decided=EVERYWHERE) for mask in (counted, uncounted))
            self._unroll(node, known, first)
            if self._grew(node.iter, whole, entry, first):
                self._loop(node, begin, node.orelse, state)
                return
            self._loop(node, begin, node.orelse, second)
            state.take(merge([first, second], entry, 0))
        else:
            self._loop(node, begin, node.orelse, state)

    def _grew(self, iterable: ast.expr, whole: Value, entry: State, state: State) -> bool:
        """True where a loop changes what it goes over: then it has other rounds."""
        grown = {ref for ref in state.heap if ref.kind in _SIZED and _resized(ref, entry, state)}
        if not grown:
            return False
        if any(answer in grown for answer, _ in whole.cases if type(answer) is Ref):
            return True
        self.recorder.muted += 1
        try:
            parts = [part for part in walk(iterable) if isinstance(part, (ast.Name, ast.Attribute, ast.Subscript))]
            plain = [part for part in parts if not any(isinstance(inner, ast.Call) for inner in walk(part))]
            values = [self.eval(part, entry.copy()) for part in plain if isinstance(part.ctx, ast.Load)]
        finally:
            self.recorder.muted -= 1
        return any(answer in grown for value in values for answer, _ in value.cases if type(answer) is Ref)

    def _unroll(
        self, node: ast.For, found: Sequence[tuple[tuple[Value, ...], Unknown | None, int]], state: State
    ) -> None:
        entry = state.copy()
        ends: list[State] = []
        for items, _, mask in found:
            current = state.narrow(mask, decided=EVERYWHERE)
            loop = Loop()
            state.frame.loops.append(loop)
            faulted, self.faulted, certain = self.faulted, 0, 0
            for item in items:
                if not current.alive:
                    break
                certain |= current.certain & self.faulted
                current.certain &= ~self.faulted
                self.assign(node.target, item, current)
                loop.continues = []
                base = current.copy()
                self.run(node.body, current)
                current = merge([current, *loop.continues], base) if loop.continues else current
            self.faulted |= faulted
            current.certain |= certain & current.steady & current.alive
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
        changing: list[ast.AST] = [*node.body]
        if isinstance(node, ast.While) and any(isinstance(part, ast.NamedExpr) for part in walk(node.test)):
            changing.append(node.test)
        self.forget(changing, state)
        inner = state.narrow(EVERYWHERE, decided=0)
        begin(inner)
        loop = Loop()
        state.frame.loops.append(loop)
        self.run(node.body, inner)
        state.frame.loops.pop()
        rounds = [inner, *loop.continues, *loop.breaks]
        for left in rounds:
            self._let_go(changing, entry, left)
            self.forget(changing, left)
        self.forget_effects(entry, rounds)
        after = merge([state.copy(), inner, *loop.continues], entry)
        if orelse and after.alive:
            self.run(orelse, after)
        state.take(merge([after, *loop.breaks], entry))

    def forget(
        self, body: Sequence[ast.AST], state: State, reason: str = "assigned in a loop", *, rounds: bool = True
    ) -> None:
        """Forget the names that statements assign and the containers that they may change.

        `rounds`: the statements may be run more than once, and find what they have done themselves.
        """
        names, containers, attributes, held = changed_in(body)
        for name, attribute in held if rounds else set(held).intersection(attributes):
            self._forget_held(name, attribute, state, reason)
        for name in containers:
            for answer, _ in self._standing_for(name, state).cases:
                if type(answer) is Ref and answer.kind != "instance":
                    state.heap[answer] = unknown(f"a container: {reason}")
        frame = state.frame
        for name in names:
            old = state.vars.get(name)
            if old is not None or name in frame.globals or frame.function is None:
                state.vars[name] = _lost(name, old, f"{name}: {reason}")
            elif name in frame.locals:
                answers = Unbound(name), Unknown(f"{name}: {reason}")
                state.vars[name] = make([(answer, EVERYWHERE) for answer in answers])
        for name, attribute in attributes:
            self._forget_attribute(self._standing_for(name, state), attribute, state, reason)

    def _let_go(self, changing: Sequence[ast.AST], entry: State, state: State) -> None:
        """Forget containers from before a loop that the loop gave to names which are not followed after it.

        What is done to them by such a name is not seen; where nothing is done by it, they stay as they are.
        """
        names, _, attributes, _ = changed_in(changing)
        given: list[tuple[str, Value]] = []
        for name in names:
            value = state.vars.get(name)
            if value is not None and value is not entry.vars.get(name):
                given.append((name, value))
        for name, attribute in attributes:
            for answer, _ in self._standing_for(name, state).cases:
                content = self.contents(answer, state).only() if type(answer) is Ref else None
                if isinstance(content, AttrContent) and attribute in content.items:
                    given.append((attribute, content.items[attribute]))
        for name, value in given:
            if not any(type(answer) is Ref for answer, _ in value.cases):
                continue
            changed, handed = self._changed_by(state.frame, of_module=name not in names)
            if name not in changed and name not in handed:
                continue
            for ref in self.reached(value, state):
                old = entry.heap.get(ref)
                if ref.kind != "instance" and (old is not None or (name in changed and ref in self.base)):
                    self.havoc(const(ref), state, f"a container that {name} may stand for after a loop")

    def _changed_by(self, frame: Frame, *, of_module: bool) -> tuple[frozenset[str], frozenset[str]]:
        """The names by which a function, or the whole module, changes containers, and those that it hands on."""
        if frame.function is not None and not of_module:
            return changing_names(frame.function.node)
        return changing_names(self.code(frame.path).parsed.tree)

    def _standing_for(self, name: str, state: State) -> Value:
        """What a name stands for before a loop, also one of the module."""
        found = state.vars.get(name)
        if found is None and name not in state.frame.locals:
            found = self.global_name(state.frame.path, name, state.frame.before)
        return found if found is not None else Value(())

    def forget_effects(self, entry: State, rounds: Sequence[State]) -> None:
        """Forget what one round changed of the objects from outside the loop, also through calls: others follow."""
        changed: dict[Ref, set[str]] = {}
        for left in rounds:
            for ref, value in left.heap.items():
                old = entry.heap.get(ref) or self.base.get(ref)
                if old is not None and old is not value:
                    changed.setdefault(ref, set()).update(_differing(old.only(), value.only()))
        for left in rounds:
            for ref, names in changed.items():
                content = self.contents(ref, left).only()
                if isinstance(content, AttrContent):
                    before = self.contents(ref, entry).only()
                    lost = {name: _lost_from(before, name, f"{name} is changed in a loop") for name in names}
                    left.heap[ref] = const(AttrContent({**content.items, **lost}, content.rest))
                else:
                    left.heap[ref] = unknown("a container that is changed in a loop")

    def _forget_held(self, name: str, attribute: str, state: State, reason: str) -> None:
        """Forget the container that an attribute, or the class, holds: other names may stand for it, too."""
        for answer, _ in self._standing_for(name, state).cases:
            content = self.contents(answer, state).only() if type(answer) is Ref else None
            if isinstance(content, AttrContent) and attribute in content.items:
                self.havoc(content.items[attribute], state, f"a container: {reason}")
                continue
            owner = answer if isinstance(answer, Class) else answer.type if type(answer) is Ref else None
            member = self.class_member(owner, attribute) if isinstance(owner, Class) else None
            if member is not None:
                self.havoc(member[0], state, f"a container: {reason}")

    def _forget_attribute(self, holder: Value, name: str, state: State, reason: str) -> None:
        for answer, _ in holder.cases:
            content = self.contents(answer, state).only() if type(answer) is Ref else None
            if isinstance(content, AttrContent):
                forgotten = {**content.items, name: _lost_from(content, name, f"{name}: {reason}")}
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
        self.forget(node.body, state)
        inner = state.narrow(EVERYWHERE, decided=0)
        loop = Loop()
        state.frame.loops.append(loop)
        self.run(node.body, inner)
        state.frame.loops.pop()
        for left in loop.breaks:
            self._let_go(node.body, entry, left)
            self.forget(node.body, left)
        self.forget_effects(entry, [inner, *loop.continues, *loop.breaks])
        state.take(merge(loop.breaks, entry) if loop.breaks else entry.dead())

    def _break(self, node: ast.Break, state: State) -> None:
        if state.frame.loops:
            state.frame.loops[-1].breaks.append(state.copy())
        state.alive = state.certain = state.steady = 0

    def _continue(self, node: ast.Continue, state: State) -> None:
        if state.frame.loops:
            state.frame.loops[-1].continues.append(state.copy())
        state.alive = state.certain = state.steady = 0


def _lost_from(before: Answer, name: str, reason: str) -> Value:
    """An attribute that a loop may have set."""
    old = before.items.get(name) if isinstance(before, AttrContent) else None
    return _lost(name, const(Unbound(name)) if old is None else old, reason)


def _lost(name: str, old: Value | None, reason: str) -> Value:
    """What a loop may have set: not at all, where it may not have been there before."""
    if old is None or not any(isinstance(answer, Unbound) for answer, _ in old.cases):
        return unknown(reason)
    return make([(Unbound(name), EVERYWHERE), (Unknown(reason), EVERYWHERE)])


def _from(item: Value, trace: Trace) -> Value:
    """An item of a container that the hardware has chosen."""
    return item if item.trace is not None else Value(item.cases, trace, item.missed, item.via)


def _reached(found: Sequence[tuple[tuple[Value, ...], Unknown | None, int]]) -> int:
    mask = 0
    for _, _, where in found:
        mask |= where
    return mask


def _differing(before: Answer, after: Answer) -> set[str]:
    """The attributes that differ between two contents of an instance."""
    if not isinstance(before, AttrContent) or not isinstance(after, AttrContent):
        return set()
    return {name for name, item in after.items.items() if before.items.get(name) is not item}


_SIZED = frozenset({"list", "dict", "set"})


def _resized(ref: Ref, entry: State, state: State) -> bool:
    """True for a dict from before a loop that has other keys after it, and for a list or set that was changed."""
    before = entry.heap.get(ref) or entry.frame.base.get(ref)
    if before is None or before is state.heap[ref]:
        return False
    return ref.kind != "dict" or _items(before) != _items(state.heap[ref])


def _items(contents: Value) -> tuple[object, ...]:
    """What a loop over a container goes over, for each content that it may have."""
    return tuple(tuple(content.items) for content, _ in contents.cases if hasattr(content, "items"))
