"""Turn `def` statements and their decorators into functions."""

from __future__ import annotations

import ast

from hwlint.evaluate.answers import Builtin, Class, External, Function, Super, Unknown
from hwlint.evaluate.scopes import decorator_passes_through
from hwlint.evaluate.standalone import Standalone
from hwlint.evaluate.state import State
from hwlint.evaluate.values import EVERYWHERE, Value, const, unknown

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


_REMEMBERING = frozenset(("memoize", "memoized", "memoise", "cache", "cached", "lru_cache", "cache_once"))
"""Decorators that keep what a function returned, whatever package they come from. So do those that register it."""


class Definitions(Standalone):
    """The part of the evaluator that defines functions."""

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
            if kind in ("static", "class", "property", "cached"):
                binding = kind
            elif kind != "through":
                opaque = kind
        if opaque is not None:
            reason = f"{qualname} is decorated with {opaque}, which may change what it returns"
            return Value(((Unknown(reason, of=Function(path, qualname, node)), EVERYWHERE),))
        nested = state.frame.function is not None
        home = state.frame if nested else None
        return const(
            Function(path, qualname, node, self.closure(node, state) if nested else {}, owner, binding, home=home)
        )

    def _decorator(self, node: ast.expr, path: str, state: State) -> str:
        called = isinstance(node, ast.Call)
        target = node.func if isinstance(node, ast.Call) else node
        if isinstance(target, ast.Attribute) and target.attr in ("setter", "deleter", "getter"):
            return "property"
        last = target.attr if isinstance(target, ast.Attribute) else target.id if isinstance(target, ast.Name) else ""
        if last in _REMEMBERING or last.startswith("register"):
            return "through"
        if self.is_beside(target, state):
            return self.code(path).segment(target)
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
                    return "cached" if name.startswith("functools") else "property"
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
