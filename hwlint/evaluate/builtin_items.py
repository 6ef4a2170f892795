"""Evaluate the builtins that take iterables: `any`, `sorted`, `max`, `tuple`, `map`, `zip` and the like."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from hwlint.evaluate.answers import FROZEN, Answer, ListContent, Raised, Ref, SetContent, Unknown, is_concrete
from hwlint.evaluate.comprehensions import Yielded
from hwlint.evaluate.container_methods import ContainerMethods
from hwlint.evaluate.sequences import columns_of, overlap_of, reason_of
from hwlint.evaluate.state import State, put_back
from hwlint.evaluate.values import EVERYWHERE, Value, const, join, lift, make, restrict, unknown
from hwlint.model.outcome import Default, Raises

FALSE = Value(((False, EVERYWHERE),))


class BuiltinItems(ContainerMethods):
    """The part of the evaluator that knows builtins over items."""

    def _do_range(self, args: Sequence[Value], keywords: dict[str, Value], node: ast.AST, state: State) -> Value | None:
        def operation(*answers: Answer) -> Answer:
            if not all(isinstance(answer, int) for answer in answers):
                return Unknown(next((reason_of(a, "a range") for a in answers if not isinstance(a, int)), "a range"))
            try:
                return range(*answers)
            except (TypeError, ValueError) as error:
                return Raised(type(error).__name__, str(error))

        found, raised = lift(operation, tuple(args), state.alive)
        return self._settle(found, raised, node, state)

    def _do_any(self, args: Sequence[Value], keywords: dict[str, Value], node: ast.AST, state: State) -> Value | None:
        return self._quantified(args, state, stop_on=True)

    def _do_all(self, args: Sequence[Value], keywords: dict[str, Value], node: ast.AST, state: State) -> Value | None:
        return self._quantified(args, state, stop_on=False)

    def _quantified(self, args: Sequence[Value], state: State, *, stop_on: bool) -> Value | None:
        if len(args) != 1:
            return None
        cases: list[tuple[Answer, int]] = []
        trace = args[0].trace
        for items, rest, mask in self.iterate(args[0], state):
            left = mask & state.alive
            doubt, reason = (left, rest.reason) if rest is not None else (0, "a part that is not known")
            sure = 0
            for item in items:
                trace = trace or item.trace
                yes, no = self.truth(item, state)
                hit, miss = (yes, no) if stop_on else (no, yes)
                here = hit & ~miss & left
                sure |= here
                doubt |= hit & miss & left
                reason = next((a.reason for a, m in item.cases if isinstance(a, Unknown) and m & doubt), reason)
            cases.append((stop_on, sure))
            cases.append((Unknown(reason), doubt & ~sure))
            cases.append((not stop_on, left & ~sure & ~doubt))
        return make(cases, trace)

    def _do_tuple(self, args: Sequence[Value], keywords: dict[str, Value], node: ast.AST, state: State) -> Value | None:
        if not args:
            return const(())
        cases: list[Value] = []
        for items, rest, mask in self.iterate(args[0], state, ordered=True):
            made = self.tuple_of(list(items)) if rest is None else Value(((rest, EVERYWHERE),))
            cases.append(restrict(made, mask))
        found = join(cases) if cases else Value(())
        return Value(found.cases, args[0].trace or found.trace, None, args[0].via)

    def _do_list(self, args: Sequence[Value], keywords: dict[str, Value], node: ast.AST, state: State) -> Value | None:
        return self._collection("list", args, node, state)

    def _do_set(self, args: Sequence[Value], keywords: dict[str, Value], node: ast.AST, state: State) -> Value | None:
        return self._collection("set", args, node, state)

    def _do_frozenset(
        self, args: Sequence[Value], keywords: dict[str, Value], node: ast.AST, state: State
    ) -> Value | None:
        return self._collection("set", args, node, state, FROZEN)

    def _collection(
        self, kind: str, args: Sequence[Value], node: ast.AST, state: State, type_: Answer = None
    ) -> Value | None:
        if not args:
            return self.new(kind, ListContent(()) if kind == "list" else SetContent(()), node, state, type_)
        ref = Ref(kind, self.span(node, state), node, type_)
        cases: list[tuple[Answer, int]] = []
        for items, rest, mask in self.iterate(args[0], state, ordered=kind == "list"):
            if kind == "list":
                cases.append((ListContent(items, rest), mask))
            else:
                made = self.set_of(list(items), None, state).only()
                for content, seen in self.contents(made, state).cases:
                    if isinstance(content, SetContent):
                        cases.append((SetContent(content.items, content.rest or rest), seen & mask))
        state.heap[ref] = make(cases) if cases else const(ListContent((), Unknown("items that are not known")))
        source = args[0].only()
        if isinstance(source, Ref) and source in self.names:
            self.names.setdefault(ref, self.names[source])
        if isinstance(source, Ref) and source in self.searches:
            self.searches[ref] = self.searches[source]
        return Value(((ref, EVERYWHERE),), args[0].trace)

    def _do_dict(self, args: Sequence[Value], keywords: dict[str, Value], node: ast.AST, state: State) -> Value | None:
        if "**" in keywords or len(args) > 1:
            return None
        named: list[tuple[Value | None, Value]] = [(const(name), value) for name, value in keywords.items()]
        if not args:
            return self.dict_of(named, node, state)
        if all(isinstance(answer, Ref) and answer.kind == "dict" for answer, _ in args[0].cases):
            return self.dict_of([(None, args[0]), *named], node, state)
        cases: list[tuple[Answer, int]] = []
        for items, rest, mask in self.iterate(args[0], state, ordered=True):
            pairs = self._pairs_of(items, state) if rest is None else None
            if pairs is None:
                cases.append((rest or Unknown("a dict of pairs that are not known"), mask))
                continue
            made = self.dict_of([*pairs, *named], None, state)
            cases.extend((content, seen & mask) for content, seen in self.contents(made.only(), state).cases)
        ref = Ref("dict", self.span(node, state), node)
        state.heap[ref] = make(cases)
        return Value(((ref, EVERYWHERE),), args[0].trace)

    def _pairs_of(self, items: Sequence[Value], state: State) -> list[tuple[Value | None, Value]] | None:
        pairs: list[tuple[Value | None, Value]] = []
        for item in items:
            inner = self.iterate(item, state, ordered=True)
            if len(inner) == 1 and inner[0][1] is None and len(inner[0][0]) == 2:
                pairs.append((inner[0][0][0], inner[0][0][1]))
                continue
            columns = columns_of(inner)
            if columns is None or len(columns) != 2:
                return None
            pairs.append((columns[0], columns[1]))
        return pairs

    def _do_sorted(
        self, args: Sequence[Value], keywords: dict[str, Value], node: ast.AST, state: State
    ) -> Value | None:
        return self._ranked(
            args, keywords, node, state, lambda items, reverse: sorted(items, reverse=reverse), whole=True
        )

    def _do_reversed(
        self, args: Sequence[Value], keywords: dict[str, Value], node: ast.AST, state: State
    ) -> Value | None:
        if len(args) != 1:
            return None
        found = self.iterate(args[0], state, ordered=True)
        return self.iterator([(ListContent(items[::-1], rest), mask) for items, rest, mask in found], node, state)

    def _do_max(self, args: Sequence[Value], keywords: dict[str, Value], node: ast.AST, state: State) -> Value | None:
        return self._extreme(max, args, keywords, node, state)

    def _do_min(self, args: Sequence[Value], keywords: dict[str, Value], node: ast.AST, state: State) -> Value | None:
        return self._extreme(min, args, keywords, node, state)

    def _extreme(
        self, choose: Callable[..., Any], args: Sequence[Value], keywords: dict[str, Value], node: ast.AST, state: State
    ) -> Value | None:
        if len(args) > 1 and set(keywords) == {"key"}:
            args = [self.tuple_of(list(args))]
        if len(args) > 1 and not keywords:
            self.note_order("end", args, EVERYWHERE, node, state)
            if _is_text_beside_unknown(args):
                return join(args)
            return self._over_items(lambda *items: choose(items), tuple(args), node, state)
        return self._ranked(args, keywords, node, state, lambda items, _: choose(items), whole=False)

    def _do_sum(self, args: Sequence[Value], keywords: dict[str, Value], node: ast.AST, state: State) -> Value | None:
        return self._ranked(args[:1], keywords, node, state, _total, whole=False) if len(args) == 1 else None

    def _ranked(
        self,
        args: Sequence[Value],
        keywords: dict[str, Value],
        node: ast.AST,
        state: State,
        operation: Callable[[Sequence[Any], bool], Any],
        *,
        whole: bool,
    ) -> Value | None:
        """`sorted`, `min`, `max` and `sum` over the items of one iterable."""
        if len(args) != 1 or set(keywords) - {"reverse" if whole else "default", "key"}:
            return None
        key = keywords.get("key")
        reverse = keywords.get("reverse", FALSE)
        if not all(isinstance(answer, bool) for answer, _ in reverse.cases):
            return None
        parts: list[Value] = []
        found_items = self.iterate(args[0], state)
        several = overlap_of(found_items)
        for items, rest, mask in found_items:
            if rest is not None:
                self.doubts += 1  # there may be none, or two that have no order
                parts.append(restrict(Value(((rest, EVERYWHERE),), args[0].trace), mask))
                continue
            if not items and "default" in keywords:
                parts.append(restrict(keywords["default"], mask))
                continue
            branch = state.narrow(mask, decided=EVERYWHERE)
            if key is not None and key.only() is not None:
                found = self._by_key(key, items, reverse, operation, node, branch, whole=whole)
            else:
                if operation is not _total:
                    self.note_order("sorted" if whole else "end", items, mask, node, state)
                found = self._over_items(
                    lambda how, *given: _as_tuple(operation(given, how), whole=whole), (reverse, *items), node, branch
                )
            put_back(state, branch, mask)
            state.alive &= branch.alive | ~mask | several
            state.certain &= branch.alive | ~(mask & several)
            if whole:
                found = self._tuples_as_lists(found, node, state)
            parts.append(restrict(found, mask))
        found = join(parts) if parts else Value(())
        return Value(found.cases, found.trace or args[0].trace)

    def _by_key(
        self,
        key: Value,
        items: Sequence[Value],
        reverse: Value,
        operation: Callable[[Sequence[Any], bool], Any],
        node: ast.AST,
        state: State,
        *,
        whole: bool,
    ) -> Value:
        """Rank items by what a function makes of each."""
        keys = [self.call(key, [item], {}, node, state) for item in items]

        def ranked(how: Any, *given: Any) -> Any:
            rows = [_Ranked(rank, item) for item, rank in zip(given[: len(items)], given[len(items) :], strict=True)]
            found = operation(rows, how)
            return tuple(row.item for row in found) if whole else found.item

        return self._over_items(ranked, (reverse, *items, *keys), node, state)

    def _tuples_as_lists(self, value: Value, node: ast.AST, state: State) -> Value:
        ref = Ref("list", self.span(node, state), node)
        state.heap[ref] = make(
            (
                ListContent(tuple(map(const, answer)))
                if isinstance(answer, tuple)
                else Unknown(reason_of(answer, "sorted items")),
                mask,
            )
            for answer, mask in value.cases
        )
        return Value(((ref, EVERYWHERE),), value.trace)

    def _over_items(self, function: Callable[..., Any], items: tuple[Value, ...], node: ast.AST, state: State) -> Value:
        def operation(*answers: Answer) -> Answer:
            for answer in answers:
                if isinstance(answer, Unknown) or not is_ordinary(answer):
                    return Unknown(reason_of(answer, "an object among the items"))
            try:
                return function(*answers)
            except (TypeError, ValueError) as error:
                return Raised(type(error).__name__, str(error))

        values = tuple(self.expand(item, state) for item in items)
        found, raised = lift(operation, values, state.alive)
        return self._settle(found, raised, node, state)

    def _do_map(self, args: Sequence[Value], keywords: dict[str, Value], node: ast.AST, state: State) -> Value | None:
        if len(args) != 2:
            return None
        ref = Ref("iterator", self.span(node, state), node)
        cases: list[tuple[Answer, int]] = []
        trace = args[1].trace
        found = self.iterate(args[1], state, ordered=True)
        several = overlap_of(found)
        for items, rest, mask in found:
            branch = state.narrow(mask, decided=EVERYWHERE)
            made = tuple(self.call(args[0], [item], {}, node, branch) for item in items)
            self.doubts += rest is not None  # what it does with the others is not seen
            state.alive &= branch.alive | ~mask | several
            put_back(state, branch, mask)
            trace = trace or next((item.trace for item in made if item.trace), None)
            cases.append((ListContent(made, rest), mask))
        state.heap[ref] = make(cases)
        return Value(((ref, EVERYWHERE),), trace)

    def _do_zip(self, args: Sequence[Value], keywords: dict[str, Value], node: ast.AST, state: State) -> Value | None:
        cases: list[tuple[Answer, int]] = []
        for row in product(*(self.iterate(arg, state, ordered=True) for arg in args)):
            mask = state.alive
            for _, _, where in row:
                mask &= where
            rest = next((more for _, more, _ in row if more is not None), None)
            if mask and rest is not None:
                cases.append((ListContent((), rest), mask))
            elif mask:
                rows = zip(*(items for items, _, _ in row), strict=False)
                cases.append((ListContent(tuple(self.tuple_of(list(columns)) for columns in rows)), mask))
        return self.iterator(cases, node, state) if args else None

    def _do_enumerate(
        self, args: Sequence[Value], keywords: dict[str, Value], node: ast.AST, state: State
    ) -> Value | None:
        start = (args[1] if len(args) > 1 else keywords.get("start", const(0))).only()
        if not args or not isinstance(start, int):
            return None
        cases: list[tuple[Answer, int]] = []
        for items, rest, mask in self.iterate(args[0], state, ordered=True):
            rows = tuple(self.tuple_of([const(start + index), item]) for index, item in enumerate(items))
            cases.append((ListContent(rows if rest is None else (), rest), mask))
        return self.iterator(cases, node, state)

    def _do_filter(
        self, args: Sequence[Value], keywords: dict[str, Value], node: ast.AST, state: State
    ) -> Value | None:
        if len(args) != 2:
            return None
        cases: list[tuple[Answer, int]] = []
        found = self.iterate(args[1], state, ordered=True)
        several = overlap_of(found)
        for items, rest, mask in found:
            made = Yielded()
            if rest is not None:
                made.doubt(rest, mask)
            for item in items:
                branch = state.narrow(mask, decided=EVERYWHERE)
                value = item if args[0].only() is None else self.call(args[0], [item], {}, node, branch)
                yes, no = self.truth(restrict(value, branch.alive), branch)
                state.alive &= branch.alive | ~mask | several
                put_back(state, branch, mask)
                made.elements.append((item, yes & ~no))
                made.doubt(Unknown("an item that may be filtered out"), yes & no)
            cases.extend(self.collected(node, made, mask & state.alive, state))
        return self.iterator(cases, node, state)

    def iterator(self, cases: Sequence[tuple[Answer, int]], node: ast.AST, state: State) -> Value:
        """An iterator over the items of a list; it can be used once."""
        ref = Ref("iterator", self.span(node, state), node)
        state.heap[ref] = make(cases)
        return const(ref)

    def _do_next(self, args: Sequence[Value], keywords: dict[str, Value], node: ast.AST, state: State) -> Value | None:
        """`next(...)` over what was made for it alone: its first item, or the default."""
        if not args or not isinstance(node, ast.Call) or not node.args:
            return None
        if not isinstance(node.args[0], (ast.GeneratorExp, ast.Call)):
            for answer, _ in args[0].cases:
                if type(answer) is Ref and answer.kind == "iterator":
                    self.store(answer, const(ListContent((), Unknown("an iterator that was used"))), state)
            return None
        parts = []
        search = self.searches.get(args[0].only()) if self.searches else None
        if search is not None:
            fails = Raises("StopIteration", "") if len(args) == 1 else Default("", self._shown_default(args[1], state))
            self.note_rows(search, fails, node, state, form="subscript" if len(args) == 1 else "get")
        for items, rest, mask in self.iterate(args[0], state, ordered=True):
            if items and rest is None:
                parts.append(restrict(items[0], mask))
            elif rest is None and len(args) > 1:
                parts.append(restrict(args[1], mask))
            elif rest is None and self.fault(Raised("StopIteration"), mask, node, state):
                continue
            else:
                self.doubts += rest is not None and len(args) < 2
                parts.append(restrict(unknown(rest.reason if rest is not None else "the first of no items"), mask))
        found = join(parts) if parts else Value(())
        return Value(found.cases, found.trace or args[0].trace)

    def _do_iter(self, args: Sequence[Value], keywords: dict[str, Value], node: ast.AST, state: State) -> Value | None:
        if len(args) != 1:
            return None
        found = self.iterate(args[0], state, ordered=True)
        return self.iterator([(ListContent(items, rest), mask) for items, rest, mask in found], node, state)


@dataclass(frozen=True, slots=True)
class _Ranked:
    """An item that is compared by its rank."""

    rank: Any
    item: Any

    def __lt__(self, other: _Ranked) -> bool:
        return bool(self.rank < other.rank)

    def __gt__(self, other: _Ranked) -> bool:
        return bool(self.rank > other.rank)


def is_ordinary(answer: Answer) -> bool:
    """True for a plain constant, or a tuple of such, that builtins can be applied to as it stands."""
    return isinstance(answer, (int, float, str, bytes, tuple, type(None), complex)) and is_concrete(answer)


def _as_tuple(found: Any, *, whole: bool) -> Any:
    return tuple(found) if whole else found


def _total(items: Sequence[Any], _: object) -> Any:
    return sum(items)


def _is_text_beside_unknown(args: Sequence[Value]) -> bool:
    """Whether a text of the hardware is held against one that is not known: the result is one of them."""
    answers = [answer for arg in args for answer, _ in arg.cases]
    plain = all(isinstance(answer, (str, Unknown)) for answer in answers)
    return (
        plain
        and any(isinstance(answer, Unknown) for answer in answers)
        and any(arg.trace is not None and any(isinstance(answer, str) for answer, _ in arg.cases) for arg in args)
    )
