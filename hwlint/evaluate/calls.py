"""Evaluate calls: functions of the project in a frame of their own, bound methods, partials, classes, decorators."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from hwlint.evaluate.answers import Answer, Bound, Builtin, Class, External, Function, Method, Partial, Ref, Unknown
from hwlint.evaluate.definitions import Definitions
from hwlint.evaluate.slicing import ENDINGS
from hwlint.evaluate.state import State, merge
from hwlint.evaluate.values import Value, const, join, restrict, unknown

_HARMLESS = frozenset(
    [
        "info",
        "debug",
        "warning",
        "warning_once",
        "info_once",
        "debug_once",
        "warn",
        "error",
        "exception",
        "critical",
        "log",
        "print",
        "format",
        "join",
        "register",
    ]
)
"""Calls that do not change the containers they are given."""


class Calls(Definitions):
    """The part of the evaluator that calls things."""

    def call(
        self, function: Value, args: Sequence[Value], keywords: dict[str, Value], node: ast.AST, state: State
    ) -> Value:
        """Call `function`; with several possible functions each is called on its architectures."""
        self.note_none(function, "called", node, state)
        reached = [(answer, mask & state.alive) for answer, mask in function.cases if mask & state.alive]
        if len(reached) == 1:
            found = self._one(reached[0][0], args, keywords, node, state)
            return Value(found.cases, found.trace or function.trace, found.missed, found.via)
        entry, parts, states = state.copy(), [], []
        together = 0
        overlap = 0
        for _, mask in reached:
            overlap |= together & mask
            together |= mask
        for answer, mask in reached:
            branch = state.narrow(mask, decided=~overlap)
            parts.append(self._one(answer, args, keywords, node, branch))
            parts[-1] = restrict(parts[-1], branch.alive)
            states.append(branch)
        if states:
            state.take(merge(states, entry, overlap))
        if not parts:
            return Value(())
        whole = join(parts)
        return Value(whole.cases, whole.trace or function.trace, whole.missed, whole.via)

    def _one(
        self, answer: Answer, args: Sequence[Value], keywords: dict[str, Value], node: ast.AST, state: State
    ) -> Value:
        match answer:
            case Function():
                return self._or_by_name(answer, (), args, keywords, node, state)
            case Bound():
                if isinstance(answer.function, Function):
                    return self._or_by_name(answer.function, (answer.receiver,), args, keywords, node, state)
                return self._one(answer.function, [answer.receiver, *args], keywords, node, state)
            case Partial():
                merged = {**answer.keywords, **keywords}
                return self.call(answer.function, [*answer.args, *args], merged, node, state)
            case Class():
                return self.instantiate(answer, list(args), keywords, node, state)
            case Builtin():
                return self.call_builtin(answer.name, args, keywords, node, state)
            case Method():
                return self.call_method(answer, args, keywords, node, state)
            case External():
                return self._outside(answer.name, args, keywords, node, state)
            case Ref(kind="instance"):
                return self._instance(answer, args, keywords, node, state)
            case Unknown():
                return self._unknown(answer, args, keywords, node, state)
            case _:
                return self._not_known("a call of something that is not a function", args, keywords, node, state)

    def _unknown(
        self, answer: Unknown, args: Sequence[Value], keywords: dict[str, Value], node: ast.AST, state: State
    ) -> Value:
        name = node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else None
        found = self.fallback_call(name, args, keywords, node, state) if name is not None else None
        return found if found is not None else self._not_known(answer.reason, args, keywords, node, state)

    def _instance(
        self, answer: Ref, args: Sequence[Value], keywords: dict[str, Value], node: ast.AST, state: State
    ) -> Value:
        found = self.class_member(answer.type, "__call__") if isinstance(answer.type, Class) else None
        if found is not None and isinstance(answer.type, Class):
            bound = self.bind(found[0], const(answer), answer.type, node, state)
            return self.call(bound, args, keywords, node, state)
        return self._not_known("an object that is called", args, keywords, node, state)

    def _or_by_name(
        self,
        function: Function,
        receiver: tuple[Value, ...],
        args: Sequence[Value],
        keywords: dict[str, Value],
        node: ast.AST,
        state: State,
    ) -> Value:
        """What a function answers; where nothing of that can be worked out, what an origin says of its name."""
        found = self.call_function(function, [*receiver, *args], keywords, node, state)
        if len(found.cases) != 1 or not isinstance(found.cases[0][0], Unknown) or isinstance(function.node, ast.Lambda):
            return found
        by_name = self.fallback_call(function.node.name, args, keywords, node, state)
        return found if by_name is None else restrict(by_name, found.cases[0][1])

    def fallback_call(
        self, name: str, args: Sequence[Value], keywords: dict[str, Value], node: ast.AST, state: State
    ) -> Value | None:
        """A call that an origin knows by its last name alone (defined with the origins)."""
        raise NotImplementedError

    def call_builtin(
        self, name: str, args: Sequence[Value], keywords: dict[str, Value], node: ast.AST, state: State
    ) -> Value:
        """Call a builtin (defined with the builtins)."""
        raise NotImplementedError

    def call_method(
        self, method: Method, args: Sequence[Value], keywords: dict[str, Value], node: ast.AST, state: State
    ) -> Value:
        """Call a method of a builtin object (defined with the builtins)."""
        raise NotImplementedError

    def call_library(
        self, name: str, args: Sequence[Value], keywords: dict[str, Value], node: ast.AST, state: State
    ) -> Value | None:
        """Call a function of the standard library that is known (defined with the builtins)."""
        raise NotImplementedError

    def _outside(
        self, name: str, args: Sequence[Value], keywords: dict[str, Value], node: ast.AST, state: State
    ) -> Value:
        if name in ENDINGS:
            self.throw("SystemExit", state.alive, state)
            return unknown(f"{name}() does not come back")
        found = self.origin(name, args, keywords, node, state, called=True)
        if found is None:
            found = self.call_library(name, args, keywords, node, state)
        if found is None:
            found = self.fallback_call(name.rpartition(".")[2], args, keywords, node, state)
        if found is not None:
            return found
        return self._not_known(f"a call of {name}, which is outside the project", args, keywords, node, state)

    def _not_known(
        self, reason: str, args: Sequence[Value], keywords: dict[str, Value], node: ast.AST, state: State
    ) -> Value:
        """A call of something unknown: it may raise, and may change the containers that it is given."""
        self.doubts += 1
        name = node.func.attr if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) else ""
        if name not in _HARMLESS:
            for value in (*args, *keywords.values()):
                for answer, _ in value.cases:
                    if isinstance(answer, Ref) and answer in state.heap and answer not in self.base:
                        self.havoc(const(answer), state, "a container given to an unknown call")
        return unknown(reason)

    # Functions of the project.

    # Definitions.
