"""Evaluate comprehensions over items that are known."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from hwlint.evaluate.answers import Answer, DictContent, ListContent, Ref, SetContent, Trace, Unknown
from hwlint.evaluate.containers import Containers
from hwlint.evaluate.sequences import Items, goes_over_devices, overlap_of
from hwlint.evaluate.state import State, merge, put_back
from hwlint.evaluate.values import EVERYWHERE, Value, const, make, overlay, unknown
from hwlint.source.nodes import kept, walk


@dataclass(slots=True)
class Yielded:
    """What a comprehension yields: elements with the architectures that have them, and where there may be more."""

    elements: list[tuple[Any, int]] = field(default_factory=list)
    doubts: list[tuple[Unknown, int]] = field(default_factory=list)
    trace: Trace | None = None
    """How the hardware came to decide which elements are in."""

    def doubt(self, reason: Unknown, mask: int) -> None:
        """There may be other elements on `mask`."""
        if mask:
            self.doubts.append((reason, mask))

    def reason(self, bit: int) -> Unknown | None:
        """Why there may be more on one architecture."""
        return next((reason for reason, mask in self.doubts if mask & bit), None)


class Comprehensions(Containers):
    """The part of the evaluator that knows comprehensions."""

    def comprehension(self, node: ast.expr, generators: Sequence[ast.comprehension], state: State) -> Value:
        """Evaluate a comprehension over items that are known; one over unknown items is an unknown container."""
        found = self._sources(node, generators[0], state)
        saved = dict(state.vars)
        thrown = [(caught, len(caught)) for opened in state.frame.tries for caught in opened.caught]
        cases: list[tuple[Answer, int]] = []
        trace = None
        alive = state.alive
        covered = state.frame.covered
        state.frame.covered = {**{name: saved.get(name) for name in _targets(generators)}, **covered}
        certain, several = state.certain, overlap_of(found)
        state.certain &= ~several
        for items, more, where in found:
            made = Yielded()
            lost = self._over(node, list(generators), (items, more, where & alive), state, made, 0)
            state.alive &= ~lost
            state.certain &= state.alive
            for element, _ in made.elements:
                for part in element if isinstance(element, tuple) else (element,):
                    trace = trace or part.trace
            trace = trace or made.trace
            cases.extend(self.collected(node, made, where & alive, state))
        state.certain |= certain & several & state.alive
        state.frame.covered = covered
        outside = {name: state.vars[name] for name in _walruses(node) if name in state.vars}
        state.vars = {**saved, **outside}
        for caught, before in thrown:
            for left in caught[before:]:
                bound = {name: left.vars[name] for name in _walruses(node) if name in left.vars}
                left.vars = {**saved, **bound}
        ref = Ref("iterator" if isinstance(node, ast.GeneratorExp) else _kind(node), self.span(node, state), node)
        state.heap[ref] = make(cases)
        if len(cases) > 1 and len(generators) == 1 and len(generators[0].ifs) == 1 and not self.recorder.muted:
            self._remember_search(ref, generators[0], found, cases, state)
        return Value(((ref, EVERYWHERE),), trace)

    def _remember_search(
        self,
        ref: Ref,
        generator: ast.comprehension,
        found: Sequence[Items],
        cases: Sequence[tuple[Answer, int]],
        state: State,
    ) -> None:
        """Keep what was looked for where a filter leaves nothing on some architectures."""
        if len(found) == 1 and any(isinstance(content, ListContent) and not content.items for content, _ in cases):
            search = self.searched(generator.target, generator.ifs[0], found[0][0], generator.iter, state)
            if search is not None:
                self.searches[ref] = search

    def _sources(self, node: ast.expr, generator: ast.comprehension, state: State) -> list[Items]:
        """What the first iterable yields: one entry for each thing that it may be."""
        if goes_over_devices(generator.iter):
            return [((unknown("the index of a device"),), None, state.alive)]
        ordered = isinstance(node, (ast.ListComp, ast.DictComp))
        return self.iterate(self.eval(generator.iter, state), state, ordered=ordered)

    def _over(
        self,
        node: ast.expr,
        generators: list[ast.comprehension],
        source: Items,
        state: State,
        made: Yielded,
        unsure: int,
    ) -> int:
        """Run one `for` of a comprehension; returns the architectures that leave by an exception.

        `unsure`: those for which it is not known that this point is reached.
        """
        items, more, where = source
        first, lost = generators[0], 0
        if more is not None:
            made.doubt(more, where)
            inner = state.narrow(where, decided=0)
            self._visit_once(node, generators, more, inner)
            if _differs(inner, state):
                self.forget_effects(state, [inner])
                state.heap = merge([state, inner], state).heap
            return 0
        faulted, self.faulted = self.faulted, 0
        for item in items:
            inner = state.narrow(where & ~lost, decided=EVERYWHERE)
            if not inner.alive:
                break
            inner.certain &= ~self.faulted
            self.assign(first.target, item, inner)
            entered, doubtful = inner.alive, unsure
            restored: list[tuple[Ref, Value | None, Value]] = []
            for condition in first.ifs:
                value, yes, no = self.test(condition, inner)
                lost |= entered & ~inner.alive & ~doubtful
                if no and value.trace is not None:
                    made.trace = value.trace
                if no and _differs(inner, state):  # what the condition did is done for those that leave here, too
                    put_back(state, inner, entered)
                doubtful |= yes & no
                made.doubt(Unknown(_first_reason(value, "a condition that is not known")), yes & no)
                inner = self._narrowed(condition, inner, yes, no, restored)
                entered = inner.alive
            if inner.alive:
                lost |= self._inside(node, generators[1:], inner, made, doubtful)
            for ref, old, new in restored:
                if inner.heap.get(ref) is new:
                    _put(inner.heap, ref, old)
            if state.alive & ~inner.alive and _differs(inner, state):
                others = state.narrow(~inner.alive, decided=EVERYWHERE)
                state.heap = merge([others, inner], state).heap
            else:
                state.heap.update(inner.heap)
        self.faulted |= faulted
        return lost

    def _narrowed(
        self, condition: ast.expr, inner: State, yes: int, no: int, restored: list[tuple[Ref, Value | None, Value]]
    ) -> State:
        """Go on where a condition holds; what it says of attributes holds for this element only."""
        before = inner.heap
        found = self.refine(condition, inner.narrow(yes, decided=~no), truth=True)
        for ref, value in found.heap.items():
            if before.get(ref) is not value:
                restored.append((ref, before.get(ref), value))
        return found

    def _inside(
        self, node: ast.expr, generators: list[ast.comprehension], state: State, made: Yielded, unsure: int
    ) -> int:
        """Run what is inside one `for` of a comprehension: the next one, or the element."""
        entered = state.alive
        if not generators:
            element = self._element(node, state)
            made.elements.append((element, state.alive & ~unsure))
            made.doubt(Unknown("an element that may be left out"), state.alive & unsure)
            return entered & ~state.alive & ~unsure
        found = self.iterate(self.eval(generators[0].iter, state), state, ordered=not isinstance(node, ast.SetComp))
        lost = entered & ~state.alive & ~unsure
        twice = overlap_of(found)
        for source in found:
            lost |= self._over(node, generators, source, state, made, unsure | twice)
        return lost

    def _visit_once(self, node: ast.expr, generators: list[ast.comprehension], more: Unknown, inner: State) -> None:
        """Look at the element of a comprehension over unknown items once, for what it does with the hardware."""
        entered = inner.alive
        restored: list[tuple[Ref, Value | None, Value]] = []
        for generator in generators:
            self.assign(generator.target, const(more), inner)
            for condition in generator.ifs:
                _, yes, no = self.test(condition, inner)
                inner.take(self._narrowed(condition, inner, yes, no, restored))
        if inner.alive:
            self._element(node, inner)
        for ref, old, new in restored:
            if inner.heap.get(ref) is new:
                _put(inner.heap, ref, old)
        inner.alive = entered

    def forget_effects(self, entry: State, rounds: Sequence[State]) -> None:
        """Forget what one round changed of the objects from outside (defined with the loops)."""
        raise NotImplementedError

    def _element(self, node: Any, state: State) -> Any:
        if isinstance(node, ast.DictComp):
            return self.eval(node.key, state), self.eval(node.value, state)
        return self.eval(node.elt, state)

    def collected(self, node: ast.AST, made: Yielded, where: int, state: State) -> list[tuple[Answer, int]]:
        """Put the elements together; where the hardware decides which are in, one content for each outcome."""
        groups: dict[tuple[tuple[bool, ...], Unknown | None], int] = {}
        if not made.doubts and all(where & ~mask == 0 for _, mask in made.elements):
            groups[(True,) * len(made.elements), None] = where
        else:
            bit = 1
            while bit <= where:
                if bit & where:
                    index = tuple(bool(mask & bit) for _, mask in made.elements), made.reason(bit)
                    groups[index] = groups.get(index, 0) | bit
                bit <<= 1
        cases: list[tuple[Answer, int]] = []
        for (chosen, doubt), mask in groups.items():
            elements = [element for (element, _), taken in zip(made.elements, chosen, strict=True) if taken]
            cases.extend(self._content(_kind(node), elements, doubt, mask, state))
        return cases

    def _content(
        self, kind: str, elements: list[Any], doubt: Unknown | None, mask: int, state: State
    ) -> list[tuple[Answer, int]]:
        if kind == "list":
            return [(ListContent(tuple(elements), doubt), mask)]
        probe = self.set_of(elements, None, state) if kind == "set" else self.dict_of(elements, None, state)
        cases: list[tuple[Answer, int]] = []
        for content, seen in self.contents(probe.only(), state).cases:
            if isinstance(content, SetContent):
                cases.append((SetContent(content.items, doubt or content.rest), seen & mask))
            elif isinstance(content, DictContent) and doubt is not None:
                whole = overlay(content, DictContent({}, doubt))
                cases.append((whole, seen & mask))
            else:
                cases.append((content, seen & mask))
        return cases


def _kind(node: ast.AST) -> str:
    return "dict" if isinstance(node, ast.DictComp) else "set" if isinstance(node, ast.SetComp) else "list"


def _targets(generators: Sequence[ast.comprehension]) -> set[str]:
    """The names that a comprehension binds for itself."""
    return {part.id for one in generators for part in walk(one.target) if isinstance(part, ast.Name)}


def _walruses(node: ast.expr) -> set[str]:
    """The names that walruses in a comprehension bind outside it."""
    known = kept(node)
    if "walruses" not in known:
        known["walruses"] = {part.target.id for part in walk(node) if isinstance(part, ast.NamedExpr)}
    found: set[str] = known["walruses"]
    return found


def _put(heap: dict[Ref, Value], ref: Ref, value: Value | None) -> None:
    if value is None:
        heap.pop(ref, None)
    else:
        heap[ref] = value


def _first_reason(value: Value, otherwise: str) -> str:
    return next((answer.reason for answer, _ in value.cases if isinstance(answer, Unknown)), otherwise)


def _differs(inner: State, state: State) -> bool:
    """True where an object that is known outside holds something else inside."""
    heap, base = state.heap, state.frame.base
    return any(value is not (heap.get(ref) or base.get(ref) or value) for ref, value in inner.heap.items())
