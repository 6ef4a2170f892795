"""Tell what an iterable yields."""

from __future__ import annotations

import ast

from hwlint.evaluate.answers import Answer, Class, DictContent, ListContent, Ref, SetContent, Trace, Unknown
from hwlint.evaluate.budget import MOST_ITERATIONS
from hwlint.evaluate.lookups import Lookups
from hwlint.evaluate.sequences import Items, reason_of, sequence_of
from hwlint.evaluate.state import State, merge
from hwlint.evaluate.values import EVERYWHERE, Value, const, restrict


class Iteration(Lookups):
    """The part of the evaluator that iterates."""

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
            if type(answer) is Ref and answer.kind == "instance":
                found.extend(self._iterated_object(answer, where, state, ordered=ordered))
            elif type(answer) is Ref:
                for content, seen in self.contents(answer, state).cases:
                    if seen & where:
                        items, rest = self._members(content, ordered=ordered)
                        found.append((self._traced(items, answer), rest, seen & where))
                if answer.kind == "iterator":
                    self.store(answer, const(ListContent((), Unknown("an iterator that was used"))), state)
            else:
                items, rest = self._members(answer, ordered=ordered)
                found.append((items, rest, where))
        if value.trace is not None and len(found) > 1:  # which items there are is the hardware's doing
            found = [(_from(value.trace, items), rest, where) for items, rest, where in found]
        return _alike(found)

    def _iterated_object(self, ref: Ref, where: int, state: State, *, ordered: bool) -> list[Items]:
        """What an object yields whose class defines `__iter__`."""
        node = self.statement or ast.Pass()
        owner = ref.type if isinstance(ref.type, Class) else None
        member = self.class_member(owner, "__iter__") if owner is not None else None
        if owner is None or member is None:
            return [((), Unknown("the items of an object"), where)]
        branch = state.narrow(where, decided=EVERYWHERE)
        value = self.call(self.bind(member[0], const(ref), owner, node, branch), [], {}, node, branch)
        if any(answer is ref for answer, _ in value.cases):
            return [((), Unknown("the items of an object that is its own iterator"), where)]
        items = self.iterate(restrict(value, where), branch, ordered=ordered)
        state.heap = (
            branch.heap
            if not state.alive & ~where
            else merge([branch, state.narrow(~where, decided=EVERYWHERE)], state.copy(), 0).heap
        )
        return items

    def bind(self, member: Value, receiver: Value, owner: Class, node: ast.AST, state: State) -> Value:
        """Turn a function found in a class into a bound method (defined with the attributes)."""
        raise NotImplementedError

    def _members(self, content: Answer, *, ordered: bool) -> tuple[tuple[Value, ...], Unknown | None]:
        if isinstance(content, DictContent):
            return tuple(const(key) for key in content.items), content.rest
        if isinstance(content, SetContent):
            return self._set_members(content, ordered=ordered)
        if isinstance(content, Class):
            members = self.enum_members(content)
            if members is not None:
                return members, None
        items, rest = sequence_of(content)
        if items is None or len(items) > MOST_ITERATIONS:
            return (), Unknown(reason_of(content, "items that are not known"))
        return items, rest

    def _traced(self, items: tuple[Value, ...], ref: Ref) -> tuple[Value, ...]:
        """The members of a set that hardware values were added to, with how those came about."""
        trace = self.from_hardware.get(ref)
        return items if trace is None else _from(trace, items)

    def _set_members(self, content: SetContent, *, ordered: bool) -> tuple[tuple[Value, ...], Unknown | None]:
        """The members of a set; small ints come in the order that CPython gives them, texts in one that changes."""
        if not ordered or len(content.items) < 2:
            return tuple(const(item) for item in content.items), content.rest
        if all(type(item) is int for item in content.items):
            return tuple(const(item) for item in set(content.items)), content.rest
        return tuple(const(item) for item in content.items), Unknown("the order of a set")

    def enum_members(self, owner: Class) -> tuple[Value, ...] | None:
        """The members of an Enum class (defined with the classes)."""
        raise NotImplementedError


def _from(trace: Trace, items: tuple[Value, ...]) -> tuple[Value, ...]:
    return tuple(item if item.trace is not None else Value(item.cases, trace, item.missed, item.via) for item in items)


def _alike(found: list[Items]) -> list[Items]:
    """Put cases with the very same items together."""
    if len(found) == 1:
        items, rest, _ = found[0]
        return [(items, rest, found[0][2])]
    return found
