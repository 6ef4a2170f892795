"""Evaluate what happens with lists, dicts, sets and tuples: items, membership, iteration, comprehensions."""

from __future__ import annotations

import ast
from typing import Any

from hwlint.evaluate import operators
from hwlint.evaluate.answers import (
    FROZEN,
    Answer,
    Class,
    Device,
    DictContent,
    External,
    ListContent,
    Missed,
    MixedTuple,
    Module,
    Raised,
    Ref,
    SetContent,
    Unknown,
    is_concrete,
)
from hwlint.evaluate.membership import Membership, has_key
from hwlint.evaluate.part_keys import is_partly_known, told
from hwlint.evaluate.sequences import reason_of
from hwlint.evaluate.state import State
from hwlint.evaluate.values import EVERYWHERE, Value, const, join, lift, make, overlay, restrict, unknown
from hwlint.model.outcome import Hit, NotKnown, Raises

LONGEST_LIST = 4096
"""Lists that `*` makes longer than this are not computed."""


class Containers(Membership):
    """The part of the evaluator that knows containers."""

    def subscript(self, base: Value, key: Value, node: ast.Subscript, state: State) -> Value:
        """Compute `base[key]`; a lookup keyed by the hardware is recorded."""
        self.note_none(base, "subscripted", node, state)
        key = self.expand(key, state)
        if any(type(answer) is not Ref or answer.kind == "list" for answer, _ in base.cases):
            key = self.as_index(key, node, state)
        results: list[Value] = []
        held = self._held_tables(base, state)
        before, self.several = self.several, _several([mask for _, _, mask in held])
        certain = state.certain
        state.certain &= ~self.several
        if len(held) > 1 and key.trace is None:
            self.note_absent(held, key, node, base, state)
        for answer, content, where in held:
            if type(answer) is Ref:
                results.append(self._item(answer, content, key, node, where & state.alive, base, state))
            else:
                results.append(self._plain_item(answer, key, node, where & state.alive, base, state))
        state.certain |= certain & self.several & state.alive
        self.several = before
        if key.trace is not None and not self.recorder.muted:
            self._note_unknown_table(base, node, state)
        if not results:
            return Value(())
        found = join(results)
        return Value(found.cases, found.trace or key.trace or base.trace, found.missed, base.via)

    def _held_tables(self, base: Value, state: State) -> list[tuple[Answer, Answer, int]]:
        """Each thing that is subscripted, what it holds, and the architectures on which that may be so."""
        found: list[tuple[Answer, Answer, int]] = []
        for answer, mask in base.cases:
            if type(answer) is Ref:
                found.extend(
                    (answer, content, mask & seen & state.alive) for content, seen in self.contents(answer, state).cases
                )
            else:
                found.append((answer, answer, mask & state.alive))
        return [one for one in found if one[2]]

    def as_index(self, key: Value, node: ast.AST, state: State) -> Value:
        """A subscript of a sequence, as `__index__` says (defined with the protocols)."""
        raise NotImplementedError

    def _note_unknown_table(self, base: Value, node: ast.Subscript, state: State) -> None:
        """A lookup keyed by the hardware in something whose entries are not known at all is counted.

        A part that is cut out with a slice is no entry, and `kernel[grid](...)` launches a kernel.
        """
        if _cuts(node.slice):
            return
        for answer, mask in base.cases:
            if not mask & state.alive:
                continue
            held = [content for content, _ in self.contents(answer, state).cases] if type(answer) is Ref else [answer]
            doubt = next((one for one in held if isinstance(one, Unknown)), None)
            if doubt is not None and self.is_kept_here(node.value, doubt, state):
                return
            if doubt is not None and doubt.of is None and not doubt.reason.startswith("a call of triton."):
                text = self.text(node.value, state)
                self.recorder.blank(self.place(node, state), f"a lookup in {text[:60]}", doubt.reason)
                return

    def _item(
        self, ref: Ref, content: Answer, key: Value, node: ast.Subscript, where: int, base: Value, state: State
    ) -> Value:
        if isinstance(content, DictContent):
            content = content if key.trace is None else self.filled(ref, content, key)
            assert isinstance(content, DictContent)
            return self.entry(ref, content, key, node, where, base, state)
        if isinstance(content, ListContent) and ref.kind == "list":
            return self._position(ref, content.items, content.rest, "list", key, node, where, base, state)
        if ref.kind == "instance" and isinstance(ref.type, Class):
            found = self.class_member(ref.type, "__getitem__")
            if found is not None:
                method = self.attribute(restrict(const(ref), where), "__getitem__", node, state)
                return restrict(self.call(method, [key], {}, node, state), where)
        self.doubts += self.catches("KeyError" if ref.kind == "dict" else "IndexError")
        reason = content.reason if isinstance(content, Unknown) else "an item of an object"
        return Value(((Unknown(reason), where),))

    def _position(
        self,
        ref: Ref | None,
        items: tuple[Value, ...],
        rest: Unknown | None,
        kind: str,
        key: Value,
        node: ast.Subscript,
        where: int,
        base: Value,
        state: State,
    ) -> Value:
        """An item or a slice of a list or tuple."""
        parts: list[Value] = []
        missing = 0
        happenings: list[tuple[Any, int, Any]] = []
        for index, mask in key.cases:
            both = mask & where
            if not both:
                continue
            if isinstance(index, slice) and rest is None:
                taken = items[index]
                made = self.new("list", ListContent(taken), node, state) if kind == "list" else _tuple(taken)
                parts.append(restrict(made, both))
            elif isinstance(index, int) and rest is None:
                if -len(items) <= index < len(items):
                    happenings.append((Hit(repr(index)), both, index))
                    parts.append(restrict(items[index], both))
                else:
                    happenings.append((Raises("IndexError", f"{kind} index out of range"), both, index))
                    missing |= both
            else:
                reason = reason_of(index, "an index that is not known") if rest is None else rest.reason
                self.doubts += self.catches("IndexError")
                happenings.append((NotKnown(reason), both, None))
                parts.append(Value(((Unknown(reason), both),)))
        if missing:
            error = Raised("IndexError", f"{kind} index out of range")
            parts.append(self._missing(error, missing, node, state, _seen(parts)))
        if key.trace is not None and ref is not None and not any(isinstance(index, slice) for index, _ in key.cases):
            self.note_lookup(ref, ListContent(items, rest), "index", key, node.slice, node, happenings, base, state)
        return join(parts) if parts else Value(())

    def _missing(self, error: Raised, mask: int, node: ast.AST, state: State, others: int) -> Value:
        """The value where an entry is missing: nothing where the exception is caught, else as if it were there."""
        if self.fault(error, mask, node, state, others=others | self.several):
            return Value(())
        return Value(((Unknown("an entry that is missing"), mask),))

    def entry(
        self, ref: Ref, content: DictContent, key: Value, node: ast.Subscript, where: int, base: Value, state: State
    ) -> Value:
        """The entry of a dict."""
        parts: list[Value] = []
        happenings: list[tuple[Any, int, Any]] = []
        for answer, mask in key.cases:
            both = mask & where & state.alive
            if not both:
                continue
            known = has_key(content, answer)
            if known is True:
                happenings.append((Hit(repr(answer)), both, answer))
                parts.append(restrict(content.items[answer], both))
            elif known is False and ref.kind == "dict":
                spared = self._in_another(ref, content, base, answer, both, state) if both & self.several else 0
                if is_partly_known(answer):
                    self.doubts += self.catches("TypeError")  # the unknown part may be no key at all
                if both & ~spared:
                    happenings.append((Raises("KeyError", told(answer)), both & ~spared, answer))
                if spared:
                    doubt = "which of several tables it is"
                    self.doubts += self.catches("KeyError")
                    happenings.append((NotKnown(doubt), spared, None))
                    parts.append(Value(((Unknown(doubt), spared),)))
            else:
                named = self.item_by_name(answer, node, state)
                if named is not None:
                    parts.append(restrict(named, both))
                    continue
                if ref.kind == "defaultdict":
                    self._make_entry(ref, content, answer, both, state)
                reason = known.reason if isinstance(known, Unknown) else "a dict that makes missing entries"
                self.doubts += self.catches("KeyError")
                happenings.append((NotKnown(reason), both, answer if is_partly_known(answer) else None))
                parts.append(Value(((Unknown(reason), both),)))
        if key.trace is not None:
            self.note_lookup(ref, content, "subscript", key, node.slice, node, happenings, base, state)
        others = _seen(parts)
        for outcome, mask, answer in happenings:
            if isinstance(outcome, Raises):
                parts.append(self._missing(Raised("KeyError", told(answer)), mask, node, state, others))
        return join(parts) if parts else Value(())

    def _make_entry(self, ref: Ref, content: DictContent, key: Answer, mask: int, state: State) -> None:
        """A `defaultdict` has an entry from now on that was looked up in it."""
        doubt = Unknown("a dict that makes missing entries")
        items = {**content.items, key: Value(((doubt, EVERYWHERE),))} if is_concrete(key) else content.items
        made = DictContent(items, content.rest if is_concrete(key) else content.rest or doubt)
        others = [(one, seen & ~mask if one is content else seen) for one, seen in self.contents(ref, state).cases]
        state.heap[ref] = make([(made, mask), *others])

    def _in_another(self, ref: Ref, content: DictContent, base: Value, answer: Answer, mask: int, state: State) -> int:
        """The architectures on which the table may be another one, or hold something else, and has the entry."""
        found = 0
        for other, seen in base.cases:
            if isinstance(other, Unknown) and len(base.cases) > 2:
                found |= seen & mask
            elif isinstance(other, Ref):
                for held, where in self.contents(other, state).cases:
                    if held is not content and isinstance(held, DictContent) and has_key(held, answer) is True:
                        found |= seen & where & mask
        return found

    def _plain_item(
        self, answer: Answer, key: Value, node: ast.Subscript, where: int, base: Value, state: State
    ) -> Value:
        if isinstance(answer, MixedTuple):
            return self._position(None, answer.items, None, "tuple", key, node, where, base, state)
        if isinstance(answer, (str, bytes, tuple, range)):
            found, raised = lift(lambda index: _take(answer, index), (key,), where)
            if isinstance(answer, str):
                self.note_cut(answer, base, key, node, where, state)
                self.note_search(answer, base, key, node, where, state)
            if isinstance(answer, tuple) and key.trace is not None and base.trace is None:
                self._note_tuple_index(answer, key, raised, node, where, base, state)
            return restrict(self._settle_item(found, raised, node, state), where)
        if isinstance(answer, Device):
            name = key.only()
            if isinstance(name, str):
                member = self.member(answer.type, name, node, state, item=True)
                if member is not None:
                    return restrict(member, where)
            return Value(((Unknown(f"an item of {answer.type}"), where),), base.trace)
        if isinstance(answer, External):
            if answer.name == "sys.modules" and isinstance(node.slice, ast.Name) and node.slice.id == "__name__":
                return Value(((Module(state.frame.path), where),))
            return Value(((Unknown(f"an item of {answer.name}"), where),))
        if key.trace is not None and isinstance(answer, Unknown) and _is_call_of_globals(node.value):
            return self._global_by_name(key, node, where, state)
        if isinstance(answer, Class):
            return self.member_by_name(answer, key, node.slice, node, where, "KeyError", state)
        self.doubts += 1
        named = self.item_by_name(key.only(), node, state)
        if named is not None:
            return restrict(named, where)
        return Value(((Unknown(reason_of(answer, "an item of something that is not a container")), where),))

    def _global_by_name(self, key: Value, node: ast.Subscript, where: int, state: State) -> Value:
        """`globals()[name]`: what the module binds under a name that the hardware makes."""
        module = Module(state.frame.path)
        self.note_named(module, key, (node.value, node.slice), node, state, "KeyError")
        parts = []
        for name, mask in key.cases:
            both = mask & where & state.alive
            found = self.global_name(module.path, name, None) if isinstance(name, str) else None
            missing = Value(((Unknown("a name that the module does not have"), EVERYWHERE),))
            if both:
                parts.append(restrict(found if found is not None else missing, both))
        return join(parts) if parts else Value(())

    def note_named(
        self,
        holder: Answer,
        key: Value,
        written: tuple[ast.expr, ast.expr],
        node: ast.AST,
        state: State,
        exception: str = "AttributeError",
        default: str | None = None,
    ) -> Missed | None:
        """Record that the hardware makes a name (defined with the members)."""
        raise NotImplementedError

    def item_by_name(self, key: Answer, node: ast.AST, state: State) -> Value | None:
        """An item of a dict that is not known, by a key that says what it is (defined with the origins)."""
        raise NotImplementedError

    def member(self, type_name: str, name: str, node: ast.AST, state: State, *, item: bool = False) -> Value | None:
        """An attribute or item of an object that an origin returned (defined with the origins)."""
        raise NotImplementedError

    def member_by_name(
        self, owner: Class, key: Value, key_node: ast.AST, node: ast.AST, where: int, exception: str, state: State
    ) -> Value:
        """The member of an Enum with a name (defined with the classes)."""
        raise NotImplementedError

    def _note_tuple_index(
        self,
        answer: tuple[Any, ...],
        key: Value,
        raised: Any,
        node: ast.Subscript,
        where: int,
        base: Value,
        state: State,
    ) -> None:
        happenings: list[tuple[Any, int, Any]] = []
        for index, mask in key.cases:
            if isinstance(index, slice) or not mask & where:
                continue
            if not isinstance(index, int):
                doubt = reason_of(index, "an index that is not known")
                happenings.append((NotKnown(doubt), mask & where, None))
                continue
            inside = -len(answer) <= index < len(answer)
            outcome = Hit(repr(index)) if inside else Raises("IndexError", "tuple index out of range")
            happenings.append((outcome, mask & where, index))
        ref = Ref("tuple", base.via[-1].span if base.via else self.span(node.value, state), node.value)
        self.note_lookup(
            ref, ListContent(tuple(map(const, answer))), "index", key, node.slice, node, happenings, base, state
        )

    def _settle_item(self, value: Value, raised: tuple[tuple[Raised, int], ...], node: ast.AST, state: State) -> Value:
        for error, mask in raised:
            value = join([value, self._missing(error, mask, node, state, value.mask)])
        return value

    # Membership.

    # Operators on containers.

    def container_operator(
        self, kind: type[ast.operator], left: Value, right: Value, node: ast.AST, state: State
    ) -> Value:
        """`list + list`, `list * n`, `dict | dict` and set operators."""
        cases: list[tuple[Answer, int]] = []
        made = "list"
        for one, seen in self._opened(left, state):
            for other, mask in self._opened(right, state):
                both = seen & mask & state.alive
                if both:
                    found, made = _operated(kind, one, other)
                    cases.append((found, both))
        kinds = {type(answer) for answer, _ in cases}
        if not cases or kinds == {Unknown} or len(kinds - {Unknown}) > 1:
            return unknown("an operator on a container", left.trace or right.trace)
        if bool in kinds:
            return make(cases, left.trace or right.trace)
        frozen = made == "set" and any(type(a) is Ref and a.type is FROZEN for a, _ in left.cases)
        ref = Ref(made, self.span(node, state) if hasattr(node, "lineno") else None, node, FROZEN if frozen else None)
        state.heap[ref] = make(cases)
        return Value(((ref, EVERYWHERE),), left.trace or right.trace)

    def _opened(self, value: Value, state: State) -> list[tuple[Answer, int]]:
        """The answers of a value, containers by their contents."""
        found: list[tuple[Answer, int]] = []
        for answer, mask in value.cases:
            if type(answer) is Ref:
                found.extend((content, mask & seen) for content, seen in self.contents(answer, state).cases)
            else:
                found.append((answer, mask))
        return found

    def lists_as_tuples(self, left: Value, right: Value, state: State) -> tuple[Value, Value]:
        """Let two lists be compared by their items, as two tuples are, and sets as sets."""
        answers = [answer for answer, _ in (*left.cases, *right.cases)]
        if not all(type(answer) is Ref and answer.kind in ("list", "set") for answer in answers):
            return left, right
        if any(answer.kind == "set" for answer in answers):
            return self.frozen_sets(left, state), self.frozen_sets(right, state)
        return self._frozen(left, state), self._frozen(right, state)

    def frozen_sets(self, value: Value, state: State) -> Value:
        """Sets, and the keys of dicts, as constants that CPython can compare."""
        cases: list[tuple[Answer, int]] = []
        for content, mask in self._opened(value, state):
            found = _as_set(content)
            cases.append((frozenset(found) if found is not None else Unknown("a set that is not known"), mask))
        return make(cases, value.trace)

    def _frozen(self, value: Value, state: State) -> Value:
        cases: list[tuple[Answer, int]] = []
        for ref, mask in value.cases:
            for content, seen in self.contents(ref, state).cases:
                if isinstance(content, ListContent) and content.rest is None:
                    cases.append((MixedTuple(content.items), mask & seen))
                else:
                    cases.append((Unknown("a list whose items are not known"), mask & seen))
        return self.expand(make(cases, value.trace), state)

    # Iteration.

    # Comprehensions.


def _tuple(items: tuple[Value, ...]) -> Value:
    answers = [item.only() for item in items]
    if all(is_concrete(answer) and not isinstance(answer, Unknown) for answer in answers):
        return const(tuple(answers))
    return const(MixedTuple(items))


def _take(answer: Any, index: Answer) -> Answer:
    if isinstance(index, Unknown):
        return Unknown(index.reason)
    if not isinstance(index, (int, slice)):
        return Raised("TypeError", "indices must be integers or slices")
    try:
        return answer[index]
    except IndexError as error:
        return Raised("IndexError", str(error))
    except (TypeError, ValueError) as error:
        return Raised(type(error).__name__, str(error))


def _operated(kind: type[ast.operator], one: Answer, other: Answer) -> tuple[Answer, str]:
    """Compute an operator on the contents of containers: the content of what comes out, and its kind."""
    match one, other:
        case ListContent(), ListContent() if kind is ast.Add:
            return ListContent(one.items + other.items, one.rest or other.rest), "list"
        case (ListContent(), int()) if kind is ast.Mult and other * len(one.items) < LONGEST_LIST:
            return ListContent(one.items * other, one.rest), "list"
        case DictContent(), DictContent() if kind is ast.BitOr:
            return overlay(one, other), "dict"
        case SetContent() | ListContent(), SetContent() | ListContent() if kind in _SET_OPERATORS:
            first, second = _as_set(one), _as_set(other)
            if first is not None and second is not None:
                found = operators.binary(kind, frozenset(first), frozenset(second))
                if isinstance(found, frozenset):
                    ordered = [item for item in (*first, *second) if item in found]
                    return SetContent(tuple(dict.fromkeys(ordered))), "set"
        case _:
            pass
    return Unknown("an operator on a container"), "list"


_SET_OPERATORS = frozenset({ast.BitAnd, ast.BitOr, ast.BitXor, ast.Sub})


def _as_set(content: Answer) -> tuple[Any, ...] | None:
    """The members of a set, or of a dict's keys (held as a list); None where they are not known."""
    if isinstance(content, SetContent) and content.rest is None:
        return content.items
    if isinstance(content, DictContent) and content.rest is None:
        return tuple(content.items)
    if isinstance(content, ListContent) and content.rest is None:
        answers = [item.only() for item in content.items]
        return tuple(answers) if all(is_concrete(answer) for answer in answers) else None
    return None


def _is_call_of_globals(node: ast.expr) -> bool:
    """True for `globals()`."""
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "globals"


def _cuts(index: ast.expr) -> bool:
    """True for a subscript that is, or holds, a slice or an ellipsis: what has such is an array or a text."""
    parts = index.elts if isinstance(index, ast.Tuple) else [index]
    return any(isinstance(part, ast.Slice) or (isinstance(part, ast.Constant) and part.value is ...) for part in parts)


def _several(masks: list[int]) -> int:
    """The architectures that more than one of the masks hold."""
    seen = twice = 0
    for mask in masks:
        twice |= seen & mask
        seen |= mask
    return twice


def _seen(parts: list[Value]) -> int:
    """The architectures on which one of `parts` is the value."""
    mask = 0
    for part in parts:
        mask |= part.mask
    return mask
