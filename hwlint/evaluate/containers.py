"""Evaluate what happens with lists, dicts, sets and tuples: items, membership, iteration, comprehensions."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from hwlint.evaluate import operators
from hwlint.evaluate.budget import MOST_ITERATIONS
from hwlint.evaluate.lookups import Lookups
from hwlint.evaluate.state import State
from hwlint.evaluate.values import (
    EVERYWHERE,
    Answer,
    Class,
    Device,
    DictContent,
    EnumMember,
    External,
    ListContent,
    MixedTuple,
    Raised,
    Ref,
    SetContent,
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
from hwlint.model.outcome import Default, Hit, NotKnown, Raises

Items = tuple[tuple[Value, ...], Unknown | None, int]


class Containers(Lookups):
    """The part of the evaluator that knows containers."""

    def subscript(self, base: Value, key: Value, node: ast.Subscript, state: State) -> Value:
        """Compute `base[key]`; a lookup keyed by the hardware is recorded."""
        self.note_none(base, "subscripted", node, state)
        key = self.expand(key, state)
        results: list[tuple[Answer, int] | Value] = []
        for answer, base_mask in base.cases:
            where = base_mask & state.alive
            if not where:
                continue
            if type(answer) is Ref:
                for content, mask in self.contents(answer, state).cases:
                    if mask & where:
                        results.append(self._item(answer, content, key, node, mask & where, base, state))
            else:
                results.append(self._plain_item(answer, key, node, where, base, state))
        values = [result for result in results if isinstance(result, Value)]
        if not values:
            return Value(())
        found = join(values)
        return Value(found.cases, found.trace or key.trace or base.trace, found.missed, base.via)

    def _item(
        self, ref: Ref, content: Answer, key: Value, node: ast.Subscript, where: int, base: Value, state: State
    ) -> Value:
        if isinstance(content, DictContent):
            return self.entry(ref, content, key, node, where, base, state)
        if isinstance(content, ListContent):
            return self._position(ref, content.items, content.rest, "list", key, node, where, base, state)
        if ref.kind == "instance" and isinstance(ref.type, Class):
            found = self.class_member(ref.type, "__getitem__")
            if found is not None:
                method = self.attribute(restrict(const(ref), where), "__getitem__", node, state)
                return restrict(self.call(method, [key], {}, node, state), where)
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
        happenings: list[tuple[Any, int, Any]] = []
        for index, mask in key.cases:
            both = mask & where
            if not both:
                continue
            if isinstance(index, slice) and rest is None:
                taken = items[index]
                made = self.new("list", ListContent(taken), node, state) if kind == "list" else _tuple(taken)
                parts.append(restrict(made, both))
            elif isinstance(index, int) and (rest is None or 0 <= index < len(items)):
                if -len(items) <= index < len(items):
                    happenings.append((Hit(repr(index)), both, index))
                    parts.append(restrict(items[index], both))
                else:
                    error = Raised("IndexError", f"{kind} index out of range")
                    happenings.append((Raises("IndexError", f"{kind} index out of range"), both, index))
                    parts.append(self._missing(error, both, node, state))
            else:
                reason = _why(index, "an index that is not known") if rest is None else rest.reason
                happenings.append((NotKnown(reason), both, None))
                parts.append(Value(((Unknown(reason), both),)))
        if key.trace is not None and ref is not None and not any(isinstance(index, slice) for index, _ in key.cases):
            self.note_lookup(ref, ListContent(items, rest), "index", key, node.slice, node, happenings, base, state)
        return join(parts) if parts else Value(())

    def _missing(self, error: Raised, mask: int, node: ast.AST, state: State) -> Value:
        """The value where an entry is missing: nothing where the exception is caught, else as if it were there."""
        if self.fault(error, mask, node, state):
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
            known = _has(content, answer)
            if known is True:
                happenings.append((Hit(repr(answer)), both, answer))
                parts.append(restrict(content.items[answer], both))
            elif known is False and ref.kind == "dict":
                happenings.append((Raises("KeyError", repr(answer)), both, answer))
            else:
                reason = known.reason if isinstance(known, Unknown) else "a dict that makes missing entries"
                happenings.append((NotKnown(reason), both, None))
                parts.append(Value(((Unknown(reason), both),)))
        if key.trace is not None:
            self.note_lookup(ref, content, "subscript", key, node.slice, node, happenings, base, state)
        for outcome, mask, answer in happenings:
            if isinstance(outcome, Raises):
                parts.append(self._missing(Raised("KeyError", repr(answer)), mask, node, state))
        return join(parts) if parts else Value(())

    def _plain_item(
        self, answer: Answer, key: Value, node: ast.Subscript, where: int, base: Value, state: State
    ) -> Value:
        if isinstance(answer, MixedTuple):
            return self._position(None, answer.items, None, "tuple", key, node, where, base, state)
        if isinstance(answer, (str, bytes, tuple, range)):
            found, raised = lift(lambda index: _take(answer, index), (key,), where)
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
            return Value(((Unknown(f"an item of {answer.name}"), where),))
        if isinstance(answer, Class):
            return self._member_by_name(answer, key, node, where, state)
        self.doubts += 1
        return Value(((Unknown(_why(answer, "an item of something that is not a container")), where),))

    def member(self, type_name: str, name: str, node: ast.AST, state: State, *, item: bool = False) -> Value | None:
        """An attribute or item of an object that an origin returned (defined with the origins)."""
        raise NotImplementedError

    def _member_by_name(self, owner: Class, key: Value, node: ast.Subscript, where: int, state: State) -> Value:
        """`Arch["sm_90"]`: the member of an Enum with that name."""
        parts = []
        for name, mask in key.cases:
            found = self.class_member(owner, name) if isinstance(name, str) else None
            answer = found[0].only() if found is not None else None
            parts.append((answer if isinstance(answer, EnumMember) else Unknown("an item of a class"), mask & where))
        return make(parts, key.trace)

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
            if not isinstance(index, int) or not mask & where:
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
            value = join([value, self._missing(error, mask, node, state)])
        return value

    # Membership.

    def membership(self, left: Value, right: Value, node: ast.Compare, position: int, state: State) -> Value:
        """Compute `in` and `not in`; a membership test of a hardware value is recorded."""
        negated = isinstance(node.ops[position], ast.NotIn)
        left = self.expand(left, state)
        cases: list[tuple[Answer, int]] = []
        for container, mask in right.cases:
            where = mask & state.alive
            if not where:
                continue
            if type(container) is Ref:
                for content, seen in self.contents(container, state).cases:
                    if seen & where:
                        cases.extend(
                            self._contained(left, container, content, node, position, seen & where, right, state)
                        )
            else:
                cases.extend(self._contained(left, container, container, node, position, where, right, state))
        if negated:
            cases = [((not answer) if isinstance(answer, bool) else answer, mask) for answer, mask in cases]
        return make(cases, left.trace or right.trace)

    def _contained(
        self,
        left: Value,
        container: Answer,
        content: Answer,
        node: ast.Compare,
        position: int,
        where: int,
        right: Value,
        state: State,
    ) -> list[tuple[Answer, int]]:
        cases: list[tuple[Answer, int]] = []
        happenings: list[tuple[Any, int, Any]] = []
        for answer, mask in left.cases:
            both = mask & where
            if not both:
                continue
            found = self._is_in(answer, container, content, state)
            cases.append((found, both))
            if found is True:
                happenings.append((Hit(repr(answer)), both, answer))
            elif found is False:
                happenings.append((Default(repr(answer), "False"), both, answer))
            else:
                happenings.append((NotKnown(_why(found, "membership")), both, None))
        if left.trace is not None and not isinstance(content, (str, Unknown)):
            form = "not in" if isinstance(node.ops[position], ast.NotIn) else "in"
            left_node = node.left if position == 0 else node.comparators[position - 1]
            table = (
                container
                if isinstance(container, Ref)
                else self.tuple_table(container, right, node.comparators[position], state)
            )
            if table is not None:
                shown = content if not isinstance(content, (tuple, MixedTuple)) else ListContent(_as_values(content))
                self.note_lookup(table, shown, form, left, left_node, node, happenings, right, state)
        return cases

    def _is_in(self, answer: Answer, container: Answer, content: Answer, state: State) -> Answer:
        if isinstance(content, Unknown):
            return Unknown(content.reason)
        if isinstance(content, str):
            if isinstance(answer, str):
                return answer in content
            return Unknown(_why(answer, "a part of a text"))
        if isinstance(content, DictContent):
            return _has(content, answer)
        if isinstance(content, SetContent):
            if isinstance(answer, Unknown):
                return Unknown(answer.reason)
            if answer in content.items if is_concrete(answer) else False:
                return True
            return Unknown(content.rest.reason) if content.rest is not None else False
        items, rest = _sequence(content)
        if items is None:
            return Unknown(_why(content, "membership in an object"))
        doubt: Unknown | None = rest
        for item in items:
            for other, mask in item.cases:
                found = operators.compare(ast.Eq, answer, other)
                if found is True and (mask == EVERYWHERE or len(item.cases) == 1):
                    return True
                if found is not False:
                    doubt = doubt or Unknown(_why(found, "membership"))
        return doubt if doubt is not None else False

    # Operators on containers.

    def container_operator(
        self, kind: type[ast.operator], left: Value, right: Value, node: ast.AST, state: State
    ) -> Value:
        """`list + list`, `list * n`, `dict | dict` and set operators."""
        one, other = self._single(left, state), self._single(right, state)
        if isinstance(one, ListContent) and isinstance(other, ListContent) and kind is ast.Add:
            return self.new("list", ListContent(one.items + other.items, one.rest or other.rest), node, state)
        if isinstance(one, DictContent) and isinstance(other, DictContent) and kind is ast.BitOr:
            return self.new("dict", DictContent({**one.items, **other.items}, one.rest or other.rest), node, state)
        if isinstance(one, SetContent) and isinstance(other, SetContent) and not one.rest and not other.rest:
            found = operators.binary(kind, frozenset(one.items), frozenset(other.items))
            if isinstance(found, frozenset):
                ordered = [item for item in (*one.items, *other.items) if item in found]
                return self.new("set", SetContent(tuple(dict.fromkeys(ordered))), node, state)
        times = right.only() if isinstance(one, ListContent) else None
        if (
            isinstance(one, ListContent)
            and isinstance(times, int)
            and kind is ast.Mult
            and times * len(one.items) < 4096
        ):
            return self.new("list", ListContent(one.items * times, one.rest), node, state)
        return unknown("an operator on a container", left.trace or right.trace)

    def _single(self, value: Value, state: State) -> Answer:
        answer = value.only()
        return self.contents(answer, state).only() if type(answer) is Ref else answer

    def lists_as_tuples(self, left: Value, right: Value, state: State) -> tuple[Value, Value]:
        """Let two lists be compared by their items, as two tuples are."""
        if not all(type(answer) is Ref and answer.kind == "list" for answer, _ in (*left.cases, *right.cases)):
            return left, right
        return self._frozen(left, state), self._frozen(right, state)

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

    def iterate(self, value: Value, state: State, *, ordered: bool = False) -> list[Items]:
        """Return the items of an iterable: for each case the items, why there may be more, and the architectures.

        `ordered`: the order matters to the caller, and a set of texts has none that can be known.
        """
        found: list[Items] = []
        self.note_none(value, "iterated over", self.statement or ast.Pass(), state)
        for answer, mask in value.cases:
            where = mask & state.alive
            if not where:
                continue
            if type(answer) is Ref:
                for content, seen in self.contents(answer, state).cases:
                    if seen & where:
                        items, rest = self._members(content, ordered=ordered)
                        found.append((items, rest, seen & where))
            else:
                items, rest = self._members(answer, ordered=ordered)
                found.append((items, rest, where))
        return _alike(found)

    def _members(self, content: Answer, *, ordered: bool) -> tuple[tuple[Value, ...], Unknown | None]:
        if isinstance(content, DictContent):
            return tuple(const(key) for key in content.items), content.rest
        if isinstance(content, SetContent):
            if ordered and len(content.items) > 1 and not all(isinstance(item, int) for item in content.items):
                return (), Unknown("the order of a set")
            return tuple(const(item) for item in content.items), content.rest
        if isinstance(content, Class):
            members = self.enum_members(content)
            if members is not None:
                return members, None
        items, rest = _sequence(content)
        if items is None or len(items) > MOST_ITERATIONS:
            return (), Unknown(_why(content, "items that are not known"))
        return items, rest

    def enum_members(self, owner: Class) -> tuple[Value, ...] | None:
        """The members of an Enum class (defined with the classes)."""
        raise NotImplementedError

    # Comprehensions.

    def comprehension(self, node: ast.expr, generators: Sequence[ast.comprehension], state: State) -> Value:
        """Evaluate a comprehension over items that are known; one over unknown items is an unknown container."""
        saved = dict(state.vars)
        made: list[tuple[Any, int]] = []
        doubt = self._generate(node, list(generators), state, made)
        for name in list(state.vars):
            if name not in saved:
                del state.vars[name]
        state.vars.update(saved)
        return self._collect(node, made, doubt, state)

    def _generate(
        self, node: ast.expr, generators: list[ast.comprehension], state: State, made: list[tuple[Any, int]]
    ) -> Unknown | None:
        if not generators:
            made.append((self._element(node, state), state.alive))
            return None
        first, rest = generators[0], generators[1:]
        doubt: Unknown | None = None
        for items, more, where in self.iterate(self.eval(first.iter, state), state):
            if more is not None:
                doubt = doubt or more
                self._visit_once(node, generators, more, state)
                continue
            for item in items:
                inner = state.narrow(where, decided=EVERYWHERE)
                if not inner.alive:
                    continue
                self.assign(first.target, item, inner)
                for condition in first.ifs:
                    value, yes, no = self.test(condition, inner)
                    if yes & no:
                        doubt = doubt or Unknown(_first_reason(value, "a condition that is not known"))
                    inner = self.refine(condition, inner.narrow(yes, decided=~no), truth=True)
                if inner.alive:
                    doubt = self._generate(node, rest, inner, made) or doubt
                state.heap.update(inner.heap)
        return doubt

    def _visit_once(self, node: ast.expr, generators: list[ast.comprehension], more: Unknown, state: State) -> None:
        """Look at the element of a comprehension over unknown items once, for what it does with the hardware."""
        inner = state.narrow(EVERYWHERE, decided=0)
        for generator in generators:
            self.assign(generator.target, const(more), inner)
            for condition in generator.ifs:
                value, yes, no = self.test(condition, inner)
                inner = self.refine(condition, inner.narrow(yes, decided=~no), truth=True)
        if inner.alive:
            self._element(node, inner)

    def _element(self, node: Any, state: State) -> Any:
        if isinstance(node, ast.DictComp):
            return self.eval(node.key, state), self.eval(node.value, state)
        return self.eval(node.elt, state)

    def _collect(self, node: ast.expr, made: list[tuple[Any, int]], doubt: Unknown | None, state: State) -> Value:
        """Put the elements together; where the hardware decides which are in, one content for each outcome."""
        groups: dict[tuple[bool, ...], int] = {}
        if all(mask & state.alive == state.alive for _, mask in made):
            groups[(True,) * len(made)] = EVERYWHERE
        else:
            bit = 1
            while bit <= state.alive:
                if bit & state.alive:
                    groups.setdefault(tuple(bool(mask & bit) for _, mask in made), 0)
                    groups[tuple(bool(mask & bit) for _, mask in made)] |= bit
                bit <<= 1
        kind = "dict" if isinstance(node, ast.DictComp) else "set" if isinstance(node, ast.SetComp) else "list"
        cases: list[tuple[Answer, int]] = []
        trace = None
        for chosen, mask in groups.items():
            elements = [element for (element, _), taken in zip(made, chosen, strict=True) if taken]
            for element in elements:
                for part in element if isinstance(element, tuple) else (element,):
                    trace = trace or part.trace
            cases.extend(self._content(kind, elements, doubt, mask, state))
        ref = Ref(kind, self.span(node, state), node)
        state.heap[ref] = make(cases or [(ListContent((), doubt), EVERYWHERE)])
        return Value(((ref, EVERYWHERE),), trace)

    def _content(
        self, kind: str, elements: list[Any], doubt: Unknown | None, mask: int, state: State
    ) -> list[tuple[Answer, int]]:
        if kind == "list":
            return [(ListContent(tuple(elements), doubt), mask)]
        if kind == "set":
            probe = self.set_of(elements, None, state)
            content = self.contents(probe.only(), state).only()
            return [(SetContent(content.items, doubt or content.rest), mask)]
        probe = self.dict_of(elements, None, state)
        return [
            (DictContent(content.items, doubt or content.rest), seen & mask)
            for content, seen in self.contents(probe.only(), state).cases
            if seen & mask
        ]


def _alike(found: list[Items]) -> list[Items]:
    """Put cases with the very same items together."""
    if len(found) == 1:
        items, rest, _ = found[0]
        return [(items, rest, found[0][2])]
    return found


def _tuple(items: tuple[Value, ...]) -> Value:
    answers = [item.only() for item in items]
    if all(is_concrete(answer) and not isinstance(answer, Unknown) for answer in answers):
        return const(tuple(answers))
    return const(MixedTuple(items))


def _has(content: DictContent, key: Answer) -> Answer:
    if isinstance(key, Unknown):
        return Unknown(key.reason)
    if isinstance(key, tuple) and any(isinstance(part, Unknown) for part in key):
        return Unknown(next(part.reason for part in key if isinstance(part, Unknown)))
    if not is_concrete(key):
        return Unknown("a key that is an object")
    if key in content.items:
        return True
    return Unknown(content.rest.reason) if content.rest is not None else False


def _sequence(content: Answer) -> tuple[tuple[Value, ...] | None, Unknown | None]:
    if isinstance(content, ListContent):
        return content.items, content.rest
    if isinstance(content, MixedTuple):
        return content.items, None
    if isinstance(content, (tuple, str)):
        return tuple(const(item) for item in content), None
    if isinstance(content, range):
        return (tuple(const(item) for item in content), None) if len(content) <= MOST_ITERATIONS else (None, None)
    return None, None


def _as_values(content: tuple[Any, ...] | MixedTuple) -> tuple[Value, ...]:
    return content.items if isinstance(content, MixedTuple) else tuple(map(const, content))


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


def _why(answer: Answer, otherwise: str) -> str:
    return answer.reason if isinstance(answer, Unknown) else otherwise


def _first_reason(value: Value, otherwise: str) -> str:
    return next((answer.reason for answer, _ in value.cases if isinstance(answer, Unknown)), otherwise)
