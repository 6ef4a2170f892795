"""Run statements, keeping the architectures that each path is alive for."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

from hwlint.evaluate.answers import Class, Module, Ref
from hwlint.evaluate.changes import changes_in
from hwlint.evaluate.patterns import Patterns
from hwlint.evaluate.scopes import changed_in
from hwlint.evaluate.slicing import PassedOver
from hwlint.evaluate.state import State
from hwlint.evaluate.values import Value, const, unknown

SURE_IMPORTS = frozenset({"torch", "sys", "os", "functools", "typing", "dataclasses", "enum", "logging", "math", "re"})
"""Packages whose import is taken to succeed: torch, which reports the architectures, and common standard ones."""


class Statements(Patterns):
    """The statement half of the evaluator."""

    def __init__(self, *args: object) -> None:
        """Start with nothing defined under a test."""
        super().__init__(*args)
        self.defined: dict[ast.AST, int] = {}
        """The architectures on which a module comes to a definition that lies under a test or in a `try`."""

    def run(self, body: Sequence[ast.stmt], state: State) -> None:
        """Run statements until nobody is alive."""
        for node in body:
            if not state.alive:
                return
            self.budget.spend()
            self.statement = node
            if state.frame.trace is not None:
                self.note_reach(node, state)
            beside = state.frame.skipped.get(node)
            if beside is not None:
                self._pass_over(node, beside, state)
                continue
            handler = _HANDLERS.get(type(node))
            if handler is not None:
                handler(self, node, state)

    def _pass_over(self, node: ast.stmt, beside: PassedOver, state: State) -> None:
        """Forget what a statement changes, or may change, without evaluating it."""
        self.doubts += 1
        self.forget([node], state, "it does not come from the hardware", rounds=False)
        for holder in {name for name, _ in changed_in([node])[3]}:
            value = state.vars.get(holder)
            for name, change in changes_in(node) if value is not None else ():
                if value is not None and name.startswith(f"{holder}."):
                    reason = "changed where nothing comes from the hardware"
                    self.changed_by_name(name.removeprefix(holder), value, reason, change, state)
        for name in beside.names:
            value = state.vars.get(name)
            for answer, _ in value.cases if value is not None else ():
                if type(answer) is Ref and answer in state.heap and answer not in self.base:
                    self.havoc(const(answer), state, "a container given to an unknown call")

    # Assignments.

    def _expr(self, node: ast.Expr, state: State) -> None:
        if not isinstance(node.value, ast.Constant):
            self.eval(node.value, state)

    # Definitions and imports.

    def _def(self, node: ast.FunctionDef | ast.AsyncFunctionDef, state: State) -> None:
        symbol = state.frame.symbol
        qualname = f"{symbol}.{node.name}" if symbol else node.name
        state.vars[node.name] = self.function_value(node, state.frame.path, qualname, state)
        self._note_defined(node, state)
        for name in state.frame.shared:
            if name in state.vars:
                state.vars[name] = unknown(f"{name} is bound by a function inside, too")

    def _class(self, node: ast.ClassDef, state: State) -> None:
        symbol = state.frame.symbol
        qualname = f"{symbol}.{node.name}" if symbol else node.name
        made = self.class_value(node, state.frame.path, qualname)
        if state.frame.function is not None:
            made = self.enclosed(node, made, state)
        state.vars[node.name] = made
        self._note_defined(node, state)
        if not self.recorder.muted and (self.code(state.frame.path).touches(node) or _is_handed(made)):
            self._class_body(node, qualname, state)

    def _note_defined(self, node: ast.stmt, state: State) -> None:
        if state.frame.function is None and not self.recorder.muted:
            self.defined[node] = self.defined.get(node, 0) | state.alive

    def _class_body(self, node: ast.ClassDef, qualname: str, state: State) -> None:
        """Run what a class statement does at once; what its names hold is asked for, and worked out, elsewhere."""
        frame = state.frame
        inside = state.copy()
        symbol, frame.symbol = frame.symbol, qualname
        try:
            for statement in node.body:
                if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
                    inside.vars[statement.name] = unknown(f"{statement.name} is a method of the class")
                else:
                    self.run([statement], inside)
        finally:
            frame.symbol = symbol

    def _import(self, node: ast.Import, state: State) -> None:
        for alias in node.names:
            name = alias.asname or alias.name.partition(".")[0]
            target = alias.name if alias.asname else name
            path = self.project.find(target, 0, state.frame.path)
            if path is None:
                self._doubt_import(alias.name)
            state.vars[name] = const(Module(path)) if path is not None else self.outside(target)

    def _import_from(self, node: ast.ImportFrom, state: State) -> None:
        path = self.project.find(node.module or "", node.level, state.frame.path)
        if path is None:
            self._doubt_import(node.module or "")
        code = self.code(state.frame.path)
        for alias in node.names:
            if alias.name == "*":
                continue
            name = alias.asname or alias.name
            state.vars[name] = self.from_import(code, node.module or "", node.level, alias.name, node.lineno, name)

    def _doubt_import(self, module: str) -> None:
        if module.partition(".")[0] not in SURE_IMPORTS:
            self.import_doubts += 1
            self.doubts += 1


def _is_handed(made: Value) -> bool:
    """True for a class in whose body names of the function around it stand that hold something from the hardware."""
    owner = made.only()
    around = owner.around if isinstance(owner, Class) else None
    return around is not None and any(value.trace is not None for value in around.now.values())


_HANDLERS: dict[type[ast.stmt], Callable[[Any, Any, State], None]] = {
    ast.Assign: Statements._assign,
    ast.AnnAssign: Statements._annassign,
    ast.AugAssign: Statements._augassign,
    ast.Delete: Statements._delete,
    ast.Expr: Statements._expr,
    ast.If: Statements._if,
    ast.Assert: Statements._assert,
    ast.Raise: Statements._raise,
    ast.Return: Statements._return,
    ast.For: Statements._for,
    ast.AsyncFor: Statements._for,
    ast.While: Statements._while,
    ast.Break: Statements._break,
    ast.Continue: Statements._continue,
    ast.Try: Statements._try,
    ast.With: Statements._with,
    ast.AsyncWith: Statements._with,
    ast.Match: Statements._match,
    ast.FunctionDef: Statements._def,
    ast.AsyncFunctionDef: Statements._def,
    ast.ClassDef: Statements._class,
    ast.Import: Statements._import,
    ast.ImportFrom: Statements._import_from,
}
