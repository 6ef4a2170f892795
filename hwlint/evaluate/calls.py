"""Evaluate calls: functions of the project in a frame of their own, bound methods, partials, classes, decorators."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass

from hwlint.evaluate.budget import DEEPEST_CALL
from hwlint.evaluate.names import Names
from hwlint.evaluate.scopes import decorator_passes_through, local_names
from hwlint.evaluate.state import Frame, State, merge
from hwlint.evaluate.values import (
    EVERYWHERE,
    Answer,
    Bound,
    Builtin,
    Class,
    External,
    Function,
    DictContent,
    ListContent,
    Method,
    MixedTuple,
    Partial,
    Ref,
    Super,
    Unknown,
    Value,
    const,
    is_concrete,
    join,
    make,
    restrict,
    unknown,
)

TRANSPARENT = (
    "functools.lru_cache",
    "functools.cache",
    "functools.wraps",
    "functools.total_ordering",
    "torch.compiler.",
    "torch._dynamo.",
    "torch.no_grad",
    "torch.inference_mode",
    "torch.jit.ignore",
    "torch.jit.unused",
    "typing.",
    "typing_extensions.",
    "abc.abstractmethod",
    "atexit.register",
)
"""Decorators of other packages that leave what a function returns as it is (their own documentation)."""

_HARMLESS = frozenset(
    "info debug warning warning_once info_once debug_once warn error exception critical log print format join register".split()
)
"""Calls that do not change the containers they are given."""


SMALL_FUNCTION = 12
"""Functions of so many lines are evaluated even where they have nothing to do with the hardware: they may be guards."""


@dataclass(frozen=True, slots=True)
class _Memo:
    alive: int
    returned: int
    steady: int
    value: Value
    cost: int
    doubts: tuple[int, int]


class Calls(Names):
    """The part of the evaluator that calls things."""

    def __init__(self, *args: object) -> None:
        """Start with no call remembered."""
        super().__init__(*args)
        self._memo: dict[tuple[object, ...], _Memo] = {}

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
                return self.call_function(answer, args, keywords, node, state)
            case Bound():
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
                found = self.class_member(answer.type, "__call__") if isinstance(answer.type, Class) else None
                if found is not None and isinstance(answer.type, Class):
                    bound = self.bind(found[0], const(answer), answer.type, node, state)
                    return self.call(bound, args, keywords, node, state)
                return self._not_known("an object that is called", args, keywords, node, state)
            case Unknown():
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                    found_value = self.fallback_call(node.func.id, args, keywords, node, state)
                    if found_value is not None:
                        return found_value
                return self._not_known(answer.reason, args, keywords, node, state)
            case _:
                return self._not_known("a call of something that is not a function", args, keywords, node, state)

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

    def call_function(
        self, function: Function, args: Sequence[Value], keywords: dict[str, Value], node: ast.AST, state: State
    ) -> Value:
        """Run a function of the project; the caller loses the architectures that do not come back."""
        if (
            len(self.frames) >= DEEPEST_CALL
            or sum(f.function is not None and f.function.node is function.node for f in self.frames) > 2
        ):
            self.doubts += 1
            return unknown(f"calls nested too deeply at {function.qualname}")
        if self._is_beside_the_point(function, args, keywords):
            self.doubts += 1
            return unknown(f"{function.qualname}() has nothing to do with the hardware and is not followed")
        index = self._memo_index(function, args, keywords)
        if index is not None:
            memo = self._memo.get(index)
            if memo is not None and not state.alive & ~memo.alive:
                self.budget.left -= memo.cost
                self.budget.spend()
                self.doubts += memo.doubts[0]
                self.import_doubts += memo.doubts[1]
                state.certain &= memo.steady | ~memo.alive
                state.steady &= memo.steady | ~memo.alive
                state.alive &= memo.returned
                return (
                    restrict(memo.value, state.alive) if memo.value.cases and len(memo.value.cases) > 1 else memo.value
                )
        before = self.budget.left, self.doubts, self.import_doubts
        entered, known = state.alive, len(state.heap)
        inner = self._enter(function, args, keywords, state)
        value, after = self._finish(function, inner, state)
        if (
            index is not None
            and not inner.frame.escapes
            and len(after.heap) == known
            and not any(isinstance(answer, (Ref, MixedTuple)) for answer, _ in value.cases)
        ):
            self._memo[index] = _Memo(
                entered, after.alive, after.steady, value, before[0] - self.budget.left,
                (self.doubts - before[1], self.import_doubts - before[2]),
            )  # fmt: skip
        self._leave(inner.frame, after, node, state)
        return value

    def _is_beside_the_point(self, function: Function, args: Sequence[Value], keywords: dict[str, Value]) -> bool:
        """True for a large function that neither mentions nor is given anything from the hardware."""
        if any(value.trace is not None for value in (*args, *keywords.values())):
            return False
        if (
            isinstance(function.node, ast.Lambda)
            or (function.node.end_lineno or 0) - function.node.lineno <= SMALL_FUNCTION
        ):
            return False
        return not self.code(function.path).matters(function.qualname)

    def _memo_index(
        self, function: Function, args: Sequence[Value], keywords: dict[str, Value]
    ) -> tuple[object, ...] | None:
        if function.closure or "**" in keywords:
            return None
        parts: list[object] = [function.node, bool(self.recorder.muted), len(self.frames) > DEEPEST_CALL - 4]
        for name, value in (*(("", value) for value in args), *sorted(keywords.items())):
            if len(value.cases) != 1 or value.cases[0][1] != EVERYWHERE:
                return None
            answer = value.cases[0][0]
            if isinstance(answer, Unknown):
                parts.append((name, "unknown", answer))
            elif is_concrete(answer) and not isinstance(answer, (Function,)):
                parts.append(
                    (name, type(answer).__name__, repr(answer) if not isinstance(answer, Class) else answer.node)
                )
            else:
                return None
        return tuple(parts)

    def _enter(self, function: Function, args: Sequence[Value], keywords: dict[str, Value], state: State) -> State:
        names = self.bind_arguments(function, args, keywords, state)
        frame = self.frame(function)
        inner = State(frame, state.alive, state.certain, state.alive, names, dict(state.heap))
        return inner

    def frame(self, function: Function) -> Frame:
        """A frame for a run of `function`."""
        assigned, declared = local_names(function.node)
        return Frame(function.path, function.qualname, self.base, function, function.owner, assigned, declared)

    def _finish(self, function: Function, inner: State, state: State) -> tuple[Value, State]:
        """Run the body; return the value and the state in which the function comes back."""
        frame = inner.frame
        entry = inner.copy()
        statement = self.statement
        self.frames.append(frame)
        try:
            if isinstance(function.node, ast.Lambda):
                value = self.eval(function.node.body, inner)
                frame.returns.append((value, inner))
            else:
                self.run(function.node.body, inner)
                if inner.alive:
                    frame.returns.append((const(None), inner))
        finally:
            self.frames.pop()
            self.statement = statement
        if not frame.returns:
            return Value(()), entry.dead()
        found = join([restrict(value, left.alive) for value, left in frame.returns])
        after = merge([left for _, left in frame.returns], entry)
        after.steady &= ~frame.raised | ~entry.alive
        if frame.yields:
            return self.new("list", ListContent((), Unknown("what a generator yields")), function.node, after), after
        if frame.trace is not None and found.trace is None and len(found.cases) > 1:
            found = Value(found.cases, frame.trace, found.missed, found.via)
        if len(found.cases) == 1 and found.cases[0][1] & entry.alive == entry.alive:
            found = Value(((found.cases[0][0], EVERYWHERE),), found.trace, found.missed, found.via)
        return found, after

    def _leave(self, frame: Frame, after: State, node: ast.AST, state: State) -> None:
        """Go on in the caller: what escaped goes to its handlers, what came back goes on."""
        for exception, mask, _ in frame.escapes:
            self.throw(exception, mask, state.narrow(mask, decided=mask & after.steady))
        state.alive = after.alive
        state.certain &= after.steady & after.alive
        state.steady &= after.steady & after.alive
        state.heap = after.heap

    def bind_arguments(
        self, function: Function, args: Sequence[Value], keywords: dict[str, Value], state: State
    ) -> dict[str, Value]:
        """Bind arguments to parameters; a parameter that gets nothing has its default, or is unknown."""
        spec = function.node.args
        names: dict[str, Value] = {}
        positional = [*spec.posonlyargs, *spec.args]
        spread = keywords.get("**")
        for parameter, value in zip(positional, args, strict=False):
            names[parameter.arg] = value
        rest = list(args[len(positional) :])
        if spec.vararg is not None:
            names[spec.vararg.arg] = unknown("arguments passed on with *") if spread else self.tuple_of(rest)
        defaults: list[ast.expr | None] = [None] * (len(positional) - len(spec.defaults)) + list(spec.defaults)
        others: dict[str, Value] = {}
        known = {parameter.arg for parameter in (*positional, *spec.kwonlyargs)}
        for name, value in keywords.items():
            if name in known:
                names[name] = value
            elif name != "**":
                others[name] = value
        for parameter, default in (
            *zip(positional, defaults, strict=True),
            *zip(spec.kwonlyargs, spec.kw_defaults, strict=True),
        ):
            if parameter.arg in names:
                continue
            if spread is not None:
                names[parameter.arg] = spread
            elif default is not None:
                names[parameter.arg] = self._default(function, default, state)
            else:
                names[parameter.arg] = unknown(f"the argument {parameter.arg} is not given")
        if spec.kwarg is not None:
            content = DictContent(dict(others), Unknown("arguments passed on with **") if spread else None)
            ref = Ref("dict", None, spec.kwarg)
            state.heap[ref] = const(content)
            names[spec.kwarg.arg] = const(ref)
        return names

    def _default(self, function: Function, default: ast.expr, state: State) -> Value:
        if isinstance(default, ast.Constant):
            return const(default.value)
        if function.closure:
            return unknown("a default made inside another function")
        return self.quietly(default, function.path)

    def run_standalone(self, function: Function, ref: Ref | None, state: State) -> int:
        """Run a function whose arguments are not known; return the architectures that only leave it early.

        `state` becomes the state after it. The first parameter of a method is `ref`, or the class.
        """
        names: dict[str, Value] = {}
        spec = function.node.args
        parameters = [*spec.posonlyargs, *spec.args, *spec.kwonlyargs]
        for parameter in parameters:
            names[parameter.arg] = unknown(f"the argument {parameter.arg}")
        if parameters and function.binding == "class" and function.owner is not None:
            names[parameters[0].arg] = const(function.owner)
        elif parameters and ref is not None and function.binding != "static":
            names[parameters[0].arg] = const(ref)
        if spec.vararg is not None:
            names[spec.vararg.arg] = unknown(f"the argument {spec.vararg.arg}")
        if spec.kwarg is not None:
            names[spec.kwarg.arg] = unknown(f"the argument {spec.kwarg.arg}")
        frame = self.frame(function)
        inner = State(frame, state.alive, state.certain, state.alive, names, dict(state.heap))
        entry = inner.copy()
        self.frames.append(frame)
        try:
            if isinstance(function.node, ast.Lambda):
                self.eval(function.node.body, inner)
            else:
                self.run(function.node.body, inner)
        finally:
            self.frames.pop()
        ends = inner.alive | frame.final
        states = [left for _, left in frame.returns]
        if inner.alive:
            states.append(inner)
        after = merge(states, entry) if states else entry.dead()
        state.take(State(state.frame, after.alive, after.certain, after.steady, state.vars, after.heap))
        return after.alive & ~ends

    # Definitions.

    def function_value(
        self,
        node: ast.FunctionDef | ast.AsyncFunctionDef,
        path: str,
        qualname: str,
        state: State,
        owner: Class | None = None,
    ) -> Value:
        """The value of a `def`, with its decorators; one that a decorator may turn into something else is Unknown."""
        binding = ""
        opaque: str | None = None
        for decorator in node.decorator_list:
            kind = self._decorator(decorator, path, state)
            if kind in ("static", "class", "property"):
                binding = kind
            elif kind != "through":
                opaque = kind
        if opaque is not None:
            return unknown(f"{qualname} is decorated with {opaque}, which may change what it returns")
        nested = state.frame.function is not None
        return const(Function(path, qualname, node, self.closure(state) if nested else {}, owner, binding))

    def _decorator(self, node: ast.expr, path: str, state: State) -> str:
        called = isinstance(node, ast.Call)
        target = node.func if isinstance(node, ast.Call) else node
        if isinstance(target, ast.Attribute) and target.attr in ("setter", "deleter", "getter"):
            return "property"
        self.recorder.muted += 1
        try:
            answer = self.eval(target, state).only()
        finally:
            self.recorder.muted -= 1
        text = self.code(path).segment(target)
        match answer:
            case Builtin(name="staticmethod"):
                return "static"
            case Builtin(name="classmethod"):
                return "class"
            case Builtin(name="property"):
                return "property"
            case External(name=name):
                if name in ("functools.cached_property", "abc.abstractproperty"):
                    return "property"
                return "through" if name.startswith(TRANSPARENT) else text
            case Function() if decorator_passes_through(answer.node, called=called):
                return "through"
            case _:
                return text

    def super_value(self, state: State) -> Value:
        """`super()` in a method."""
        frame = state.frame
        if frame.function is None or frame.owner is None or not frame.function.node.args.args:
            return unknown("super() outside a method")
        receiver = state.vars.get(frame.function.node.args.args[0].arg)
        return const(Super(frame.owner, receiver)) if receiver is not None else unknown("super() without a receiver")

    def pieces(self, value: Value, state: State) -> list[tuple[Answer, int]]:
        """The cases of a value that are alive."""
        return [(answer, mask & state.alive) for answer, mask in value.cases if mask & state.alive]

    def remade(self, cases: Sequence[tuple[Answer, int]], like: Value) -> Value:
        """A value from cases with the trace of another."""
        return make(cases, like.trace)
