"""Run assignments: names, unpacking, attributes, items, augmented assignment and `del`."""

from __future__ import annotations

import ast
from functools import partial

from hwlint.evaluate.answers import (
    FROZEN,
    Answer,
    AttrContent,
    Class,
    Device,
    DictContent,
    ListContent,
    Raised,
    Ref,
    Trace,
    Unbound,
    Unknown,
    is_concrete,
)
from hwlint.evaluate.builtin_calls import BuiltinCalls
from hwlint.evaluate.state import State
from hwlint.evaluate.values import EVERYWHERE, Value, const, join, make, restrict, unknown


class Assignments(BuiltinCalls):
    """The part of the evaluator that assigns."""

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
                if not self.recorder.muted and (value.trace is not None or state.frame.trace is not None):
                    self.note_binding(target.id, value, target, state)
                if state.frame.function is None:
                    self.module_writes += 1
                    value = self.bound_on_the_way(target.id, value, state)
                elif target.id in state.frame.shared:
                    value = unknown(f"{target.id} is bound by a function inside, too")
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
        answer = value.only()
        device = self.member(answer.type, "0", node, state, item=True) if isinstance(answer, Device) else None
        if device is not None:
            for target in targets:
                self.assign(target, device, state)
            return
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
        if not self.recorder.muted and (value.trace is not None or state.frame.trace is not None):
            self.note_binding(target.attr, value, target, state)
        if value.trace is not None:
            value = Value(
                value.cases, self._stepped(f"it is kept in {text}", target, value.trace, state), value.missed, value.via
            )
        self._name_table(text, value, target, state)
        for answer, mask in holder.cases:
            if type(answer) is not Ref or answer.kind != "instance":
                continue
            content = self.contents(answer, state).only()
            if self.sets_itself(answer, target, value, mask, state):
                continue
            if isinstance(content, AttrContent):
                where = mask & state.alive
                old = content.items.get(target.attr) or const(Unbound(target.attr))
                item = value
                if len(holder.cases) > 1:
                    item = join((restrict(value, where), old))
                elif where != state.alive:
                    item = join((restrict(value, where), restrict(old, ~where)))
                state.heap[answer] = const(AttrContent({**content.items, target.attr: item}, content.rest))

    def sets_itself(self, ref: Ref, target: ast.Attribute, value: Value, mask: int, state: State) -> bool:
        """Let a property's setter, or `__setattr__`, do what is to be done with an attribute; True where one does."""
        if not isinstance(ref.type, Class):
            return False
        setter = self.setter_of(ref.type, target.attr)
        if setter is None and self.class_member(ref.type, "__setattr__") is None:
            return False
        if setter is None:
            content = self.contents(ref, state).only()
            if isinstance(content, AttrContent):
                doubt = unknown(f"{target.attr} is set through __setattr__")
                state.heap[ref] = const(AttrContent({**content.items, target.attr: doubt}, content.rest))
            return True
        self.apart(
            mask & state.alive,
            state,
            lambda at: self.call_function(setter, [const(ref), value], {}, target, at),
        )
        return True

    def _stepped(self, message: str, node: ast.AST, before: Trace, state: State) -> Trace:
        span = self.span(node, state)
        if before.step.span == span or len(before.steps()) > 12:
            return before
        return self.step(message, node, state, before)

    def _set_item(self, target: ast.Subscript, value: Value, state: State) -> None:
        holder = self.eval(target.value, state)
        key = self.expand(self.eval(target.slice, state), state)
        for answer, mask in holder.cases:
            if type(answer) is not Ref:
                continue
            if answer.kind == "instance":
                self.apart(mask & state.alive, state, partial(self._told, answer, key, value, target))
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

    def _told(self, answer: Answer, key: Value, value: Value, node: ast.AST, state: State) -> Value:
        return self.special(answer, "__setitem__", [key, value], node, state) or Value(())

    def _store_where(self, ref: Ref, cases: list[tuple[Answer, int]], where: int, state: State) -> None:
        old = self.contents(ref, state)
        state.heap[ref] = make([*cases, *restrict(old, ~where).cases])

    def _augassign(self, node: ast.AugAssign, state: State) -> None:
        load = _as_load(node.target)
        current = self.eval(load, state)
        value = self.eval(node.value, state)
        asked = self.operate_objects(type(node.op), current, value, node, state, inplace=True)
        if asked is not None:
            self.assign(node.target, asked, state)
            return
        if (
            isinstance(node.op, ast.Add)
            and all(type(a) is Ref and a.kind == "list" for a, _ in current.cases)
            and current.cases
        ):
            self._extend(current, value, state)
            self._rebind(node.target, current, state)
            return
        if (
            isinstance(node.op, ast.BitOr)
            and all(type(a) is Ref and a.kind == "dict" for a, _ in current.cases)
            and current.cases
        ):
            self.call_attribute(current, "update", [value], node, state)
            self._rebind(node.target, current, state)
            return
        found = self.operate(type(node.op), current, value, node, state)
        if any(type(a) is Ref and a.kind in ("list", "set") and a.type is not FROZEN for a, _ in current.cases):
            self._become(current, found, state)
            self._rebind(node.target, current, state)
            return
        self.assign(node.target, found, state)

    def _become(self, current: Value, found: Value, state: State) -> None:
        """Let a list or set hold what an operator has computed in place: its other names see that."""
        one, other = current.only(), found.only()
        if type(one) is Ref and type(other) is Ref and one.kind == other.kind:
            self.store(one, self.contents(other, state), state)
        else:
            self.havoc(current, state, "a container that is changed in place")

    def _rebind(self, target: ast.expr, value: Value, state: State) -> None:
        """`self.names += [...]` sets the attribute on the object, though the list was the class's; so with a slice."""
        if isinstance(target, ast.Attribute) or (isinstance(target, ast.Subscript) and _is_slice(target.slice)):
            self.assign(target, value, state)

    def _extend(self, current: Value, value: Value, state: State) -> None:
        for answer, mask in current.cases:
            cases: list[tuple[Answer, int]] = []
            for items, rest, where in self.iterate(value, state, ordered=True):
                for content, seen in self.contents(answer, state).cases:
                    both = seen & where & mask
                    if both and isinstance(content, ListContent):
                        cases.append((ListContent(content.items + items, content.rest or rest), both))
                    elif both:
                        cases.append((content, both))
                    if both and len(current.cases) > 1:
                        cases.append((content, both & self._elsewhere(current, answer)))
            self._store_where(answer, cases, mask & state.alive, state)

    def _elsewhere(self, value: Value, answer: Answer) -> int:
        """The architectures on which `value` may be something else than `answer`."""
        found = 0
        for other, mask in value.cases:
            if other is not answer:
                found |= mask
        return found

    def _delete(self, node: ast.Delete, state: State) -> None:
        for target in node.targets:
            if isinstance(target, ast.Name):
                state.vars[target.id] = const(Unbound(target.id))
            elif isinstance(target, ast.Attribute):
                self._set_attribute(target, const(Unbound(target.attr)), state)
            elif isinstance(target, ast.Subscript):
                holder, whole = self.eval(target.value, state), self.eval(target.slice, state)
                key = whole.only()
                for answer, mask in holder.cases:
                    if type(answer) is not Ref:
                        continue
                    if answer.kind == "instance":
                        self.special(answer, "__delitem__", [whole], target, state)
                        continue
                    cases: list[tuple[Answer, int]] = []
                    for content, seen in self.contents(answer, state).cases:
                        if isinstance(content, DictContent) and is_concrete(key) and key in content.items:
                            left = {k: v for k, v in content.items.items() if k != key}
                            cases.append((DictContent(left, content.rest), seen & mask & state.alive))
                        else:
                            cases.append((Unknown("an entry is deleted"), seen & mask & state.alive))
                    self._store_where(answer, cases, mask & state.alive, state)


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


def _is_slice(index: ast.expr) -> bool:
    return isinstance(index, ast.Slice)


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
