"""Run `match`."""

from __future__ import annotations

import ast

from hwlint.evaluate import operators
from hwlint.evaluate.forms import only_raises
from hwlint.evaluate.state import Opened, State, merge
from hwlint.evaluate.tries import Tries
from hwlint.evaluate.values import EVERYWHERE, Value, const, join, lift, restrict, unknown


class Patterns(Tries):
    """The part of the evaluator that matches."""

    def _match(self, node: ast.Match, state: State) -> None:
        subject = self.eval(node.subject, state)
        entry = state.copy()
        ends: list[State] = []
        current = state.copy()
        doubted = 0
        passed: list[Opened] = []
        opened = state.frame.open
        outside = len(opened)
        hardware = subject.trace is not None
        for case in node.cases:
            if not current.alive:
                break
            yes, no, bound = self._pattern(case.pattern, subject, current)
            branch = current.narrow(yes, decided=~no)
            for name, value in bound.items():
                branch.vars[name] = restrict(value, branch.alive)
            failed, unmatched = None, no
            if case.guard is not None and branch.alive:
                value, true, false = self.test(case.guard, branch)
                failed = branch.narrow(false, decided=~true)
                no |= false
                branch = branch.narrow(true, decided=~false)
            doubted |= yes & no & branch.alive
            if subject.trace is not None:
                state.frame.trace = state.frame.trace or subject.trace
                state.frame.gates.append((node.subject, yes, no))
                state.frame.undecided |= yes & no
            test = ast.Compare(node.subject, [ast.Eq()], [ast.Constant("a case")])
            ast.copy_location(test, case.pattern)
            opened.extend(passed)
            if no:
                opened.append(Opened(test, yes, no, truth=True, hardware=hardware))
            self.run(case.body, branch)
            del opened[outside:]
            turns_away = only_raises(case.body)
            passed.append(Opened(test, yes, no, truth=False, hardware=hardware, turns_away=turns_away))
            if subject.trace is not None:
                state.frame.gates.pop()
            ends.append(branch)
            if failed is None or not failed.alive:
                current = current.narrow(no, decided=~yes)
            else:
                current = merge([current.narrow(unmatched, decided=~yes), failed], current, unmatched & failed.alive)
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
