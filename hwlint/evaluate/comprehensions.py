"""Evaluate comprehensions over items that are known."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from hwlint.evaluate.containers import Containers
from hwlint.evaluate.state import State
from hwlint.evaluate.values import (
    EVERYWHERE,
    Answer,
    DictContent,
    ListContent,
    Ref,
    SetContent,
    Unknown,
    Value,
    const,
    make,
)


class Comprehensions(Containers):
    """The part of the evaluator that knows comprehensions."""

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
                _, yes, no = self.test(condition, inner)
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


def _first_reason(value: Value, otherwise: str) -> str:
    return next((answer.reason for answer, _ in value.cases if isinstance(answer, Unknown)), otherwise)
