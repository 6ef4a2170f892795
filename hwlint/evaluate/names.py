"""Evaluate module-level names on demand: only the statements that bind a name are run, once."""

from __future__ import annotations

import ast
from copy import copy

from hwlint.evaluate.answers import Answer, Around, Bound, Class, External, Function, Imported, Module, Unbound, Unknown
from hwlint.evaluate.budget import OverBudget
from hwlint.evaluate.changes import Change
from hwlint.evaluate.classes import bound_names
from hwlint.evaluate.code import Code
from hwlint.evaluate.groups import Groups
from hwlint.evaluate.holders import INSIDE
from hwlint.evaluate.machine import restore
from hwlint.evaluate.scopes import mentioned_names
from hwlint.evaluate.state import State
from hwlint.evaluate.values import Value, const, make, unknown
from hwlint.graph.bindings import Binding, BindingKind
from hwlint.model.finding import TraceStep
from hwlint.model.span import Span

_RUNS = (
    BindingKind.VALUE,
    BindingKind.DEF,
    BindingKind.CLASS,
    BindingKind.IMPORT,
    BindingKind.FROM,
    BindingKind.DELETE,
)
MOST_STAR_HOPS = 8


class Names(Groups):
    """The part of the evaluator that knows module-level names."""

    def __init__(self, *args: object) -> None:
        """Start with nothing evaluated."""
        super().__init__(*args)
        self._name_values: dict[tuple[str, str, int], Value] = {}
        self._working: set[tuple[str, str, int]] = set()
        self._class_values: dict[ast.ClassDef, Value] = {}

    def global_name(self, path: str, name: str, before: int | None) -> Value | None:
        """Return what a module-level name is, as of statement `before` (None: at the end of the module).

        None where the module does not bind it. A name that functions change, or that is being worked out already,
        is Unknown.
        """
        found = self._global(path, name, before)
        return None if found is None else self.settled(found)

    def settled(self, value: Value) -> Value:
        """Look up what was only imported so far."""
        for answer, _ in value.cases:
            if type(answer) is Imported:
                break
        else:
            return value
        cases: list[tuple[Answer, int]] = []
        via = value.via
        trace = value.trace
        for answer, mask in value.cases:
            if type(answer) is Imported:
                found = self._found_import(answer)
                cases.extend((inner, seen & mask) for inner, seen in found.cases)
                via, trace = via or found.via, trace or found.trace
            else:
                cases.append((answer, mask))
        return make(cases, trace, value.missed, via)

    def is_beside(self, node: ast.expr, state: State) -> bool:
        """True for a name, or an attribute of one, that comes from a module which hardware values do not reach."""
        parts: list[str] = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        if not isinstance(node, ast.Name):
            return False
        value = state.vars.get(node.id)
        if value is None:
            if node.id in state.frame.locals:
                return False
            value = (
                self._global(state.frame.path, node.id, state.frame.before) if self._is_import(node.id, state) else None
            )
        answer = value.only() if value is not None else None
        if type(answer) is Module and self.project.is_beside(answer.path):
            module = self.project.table.name_of(answer.path)
            return not any(self._is_origin(f"{module}.{part}") for part in parts)
        if type(answer) is not Imported:
            return False
        module = f"{self.project.dotted(answer.module, answer.level, answer.path)}.{answer.attribute}"
        return not any(self._is_origin(f"{module}.{part}") for part in parts)

    def _is_origin(self, name: str) -> bool:
        return self.origins.holds(name) or bool(self.origins.named(name))

    def _is_import(self, name: str, state: State) -> bool:
        bindings = self.code(state.frame.path).bindings(name)
        return bool(bindings) and all(b.kind in (BindingKind.IMPORT, BindingKind.FROM) for b in bindings)

    def _global(self, path: str, name: str, before: int | None) -> Value | None:
        code = self.project.code(path)
        if code is None:
            return unknown(f"{path} cannot be read") if path.endswith(".py") else None
        if name in ("__file__", "__doc__", "__package__", "__spec__"):
            return unknown(f"the name {name}")
        if name == "__name__":
            return const(self.project.table.name_of(path))
        bindings = code.bindings(name)
        if not bindings:
            return self._starred_name(code, name)
        if before is None:
            before = self.points.get(path)
        calling = self.calling.get(path)
        if (
            calling is not None
            and before == calling.frame.before
            and name in calling.vars
            and any(binding.statement == before and not binding.in_function for binding in bindings)
        ):
            return _certainly_bound(name, calling.vars[name])
        limit = len(code.body) if before is None else before
        group = code.effects.group(name)
        if group is not None:
            return self.grouped(code, name, group, limit)
        index = (path, name, limit if before is not None and any(b.statement >= limit for b in bindings) else -1)
        known = self._name_values.get(index)
        if known is not None:
            return known
        if index in self._working:
            return unknown(f"{name} depends on itself")
        self._working.add(index)
        try:
            value = self._evaluate_name(code, name, bindings, limit)
        finally:
            self._working.discard(index)
        self._name_values[index] = value
        return value

    def _starred_name(self, code: Code, name: str) -> Value | None:
        """A name that a star import brings in, or that the module makes up in `__getattr__`."""
        if len(self._working) < MOST_STAR_HOPS * 8:
            for star in code.outline.stars:
                path = self.project.find(star.module, star.level, code.path)
                if path is None or path == code.path or name.startswith("_"):
                    continue
                key = (code.path, f"*{name}", star.statement)
                if key in self._working:
                    continue
                self._working.add(key)
                try:
                    found = self.global_name(path, name, None)
                finally:
                    self._working.discard(key)
                if found is not None:
                    return self._imported(found, code, star, name)
        if code.outline.dynamic_getattr:
            return self.made_up(code, name)
        return None

    def made_up(self, code: Code, name: str) -> Value:
        """What the `__getattr__` of a module gives for a name (defined with what fills containers)."""
        raise NotImplementedError

    def _evaluate_name(self, code: Code, name: str, bindings: tuple[Binding, ...], limit: int) -> Value:
        saved, statement, frames = self.budget.left, self.statement, self.frames
        self.budget.start()
        self.frames = []
        self.recorder.muted += 1
        try:
            return self._run_bindings(code, name, bindings, limit)
        except OverBudget:
            return unknown(f"working out {name} exceeds the budget")
        finally:
            self.recorder.muted -= 1
            self.budget.left, self.statement, self.frames = saved, statement, frames

    def _run_bindings(self, code: Code, name: str, bindings: tuple[Binding, ...], limit: int) -> Value:
        value = self.starred_first(code, name)
        done: set[int] = set()
        changed: str | None = None
        for binding in bindings:
            if binding.type_only:
                continue
            if binding.in_function:
                changed = f"{name} is changed by a function"
                continue
            if binding.statement >= limit or binding.statement in done:
                continue
            done.add(binding.statement)
            if binding.kind in (BindingKind.IMPORT, BindingKind.FROM) and not binding.conditional:
                value = self.imported_name(code, binding, name)
                continue
            value = self._run_statement(code, name, binding, value)
        if value is None:
            return unknown(
                f"{name} is set while the program runs" if changed else f"{name} is not assigned before it is read"
            )
        change = self.change_of(code, name, value)
        if changed is None and change is not None:
            changed = f"{name} is changed by a function"
        if changed is not None:
            return self.loosened(value, changed, change or Change.ANYTHING, code.changes.get(name + INSIDE))
        return value

    def starred_first(self, code: Code, name: str) -> Value | None:
        """What a star import gives a name that statements after it bind: they may not do so on every path."""
        first = min((b.statement for b in code.bindings(name) if not b.in_function), default=-1)
        if not any(star.statement < first for star in code.outline.stars) or not all(
            binding.conditional for binding in code.bindings(name) if binding.statement == first
        ):
            return None
        return self._starred_name(code, name)

    def _run_statement(self, code: Code, name: str, binding: Binding, value: Value | None) -> Value | None:
        node = code.body[binding.statement]
        state = self.fresh(code.path, "")
        state.frame.before = binding.statement
        if value is not None:
            state.vars[name] = value
        before = self.points.get(code.path)
        self.points[code.path] = binding.statement
        self.frames = [state.frame]
        try:
            self.run([node], state)
        finally:
            restore(self.points, code.path, before)
        found = state.vars.get(name)
        self.keep_new(state.heap)
        for ref in self.reached(value, state) if value is not None else ():
            if ref in state.heap:
                self.keep({ref: state.heap[ref]})
        if found is None:
            return value
        self.name_objects(code, name, found)
        return _placed(found, code, node, name)

    def imported_name(self, code: Code, binding: Binding, name: str) -> Value:
        """What `import a.b` or `from a import b` binds."""
        path = self.project.find(binding.module, binding.level, code.path)
        if binding.kind is BindingKind.IMPORT:
            return const(Module(path)) if path is not None else self.outside(binding.module)
        return self.from_import(code, binding.module, binding.level, binding.attribute, binding.line, name)

    def from_import(self, code: Code, module: str, level: int, attribute: str, line: int, name: str) -> Value:
        """What `from module import attribute as name` binds."""
        path = self.project.find(module, level, code.path)
        dotted = self.project.dotted(module, level, code.path)
        if path is None:
            inner = self.project.find(f"{dotted}.{attribute}" if dotted else attribute, 0, code.path)
            if inner is not None:
                return const(Module(inner))
            return self.outside(f"{dotted}.{attribute}")
        modelled = self.origins.named(f"{self.project.table.name_of(path)}.{attribute}")
        if modelled:
            return const(External(f"{self.project.table.name_of(path)}.{attribute}"))
        if path != code.path and self.project.is_beside(path):
            return const(Imported(code.path, module, level, attribute, line, name))
        return self._from_module(code, path, dotted, attribute, line, name)

    def _found_import(self, imported: Imported) -> Value:
        code = self.code(imported.path)
        path = self.project.find(imported.module, imported.level, code.path)
        dotted = self.project.dotted(imported.module, imported.level, code.path)
        assert path is not None
        return self._from_module(code, path, dotted, imported.attribute, imported.line, imported.name)

    def _from_module(self, code: Code, path: str, dotted: str, attribute: str, line: int, name: str) -> Value:
        """What a module of the project holds under a name: one that it binds, or a module inside it."""
        if path != code.path:
            found = self.global_name(path, attribute, None)
            if found is not None:
                self.shared(found)
                step = TraceStep(Span(code.path, line, 1, line, 1), f"{name} is imported from {dotted}")
                return Value(found.cases, found.trace, found.missed, (step, *found.via))
        inner = self.project.submodule(path, attribute)
        if inner is not None:
            return const(Module(inner))
        if self.origins.holds(f"{dotted}.{attribute}"):
            return const(External(f"{dotted}.{attribute}"))
        return unknown(f"{attribute} is not found in {dotted}")

    def _imported(self, value: Value, code: Code, star: Binding, name: str) -> Value:
        self.shared(value)
        step = TraceStep(
            Span(code.path, star.line, 1, star.line, 1), f"{name} comes with a star import of {star.module}"
        )
        return Value(value.cases, value.trace, value.missed, (step, *value.via))

    def outside(self, dotted: str) -> Value:
        """A name of another package: what an origin says it is, else the bare name."""
        found = self.origin(dotted, (), {}, ast.Pass(), self.fresh("", ""), called=False)
        return found if found is not None else const(External(dotted))

    def function_attribute(self, answer: Answer, name: str) -> Value:
        """An attribute that the module sets on a function with `function.name = value`."""
        function = answer.function if isinstance(answer, Bound) else answer
        if isinstance(function, Function):
            code = self.project.code(function.path)
            top = function.qualname.partition(".")[0]
            stores = code.stores.get((top, name), []) if code is not None and (top, name) in code.outside_stores else []
            for node in code.body if code is not None and len(stores) == 1 else ():
                if isinstance(node, ast.Assign) and node.targets[0] is stores[0]:
                    return self.quietly(node.value, function.path)
        if name == "__name__" and isinstance(function, Function):
            return const(function.qualname.rpartition(".")[2])
        return unknown(f"the attribute {name} of a function")

    def class_value(self, node: ast.ClassDef, path: str, qualname: str) -> Value:
        """The value of a `class` statement; one object for one statement."""
        known = self._class_values.get(node)
        if known is None:
            known = const(Class(path, qualname, node))
            self._class_values[node] = known
        return known

    def enclosed(self, node: ast.ClassDef, shared: Value, state: State) -> Value:
        """The value of a `class` statement inside a function: another class each time, where it reads names of that."""
        own = {name for statement in node.body for name in bound_names(statement)}
        mentioned = mentioned_names(node) - {node.name}
        now = {name: state.vars[name] for name in mentioned & state.vars.keys() - own}
        later = {name: value for name, value in self.closure(node, state).items() if name in mentioned}
        owner = shared.only()
        if not isinstance(owner, Class) or not (now or later):
            return shared
        around = Around(state.frame, {**later, **now}, later, dict(state.heap))
        return const(Class(owner.path, owner.qualname, copy(node), around))


def _certainly_bound(name: str, value: Value) -> Value:
    """What a name is where it is read: not that nothing is bound to it."""
    if not any(type(answer) is Unbound for answer, _ in value.cases):
        return value
    doubt = Unknown(f"{name} may not be assigned here")
    cases = [(doubt if type(answer) is Unbound else answer, mask) for answer, mask in value.cases]
    return make(cases, value.trace, value.missed, value.via)


def _placed(value: Value, code: Code, node: ast.stmt, name: str) -> Value:
    """Let a tuple that is written down know where: unlike a list it is no object that remembers it."""
    written = node.value if isinstance(node, ast.Assign | ast.AnnAssign) else None
    if value.via or not isinstance(written, ast.Tuple) or not any(isinstance(one, tuple) for one, _ in value.cases):
        return value
    return Value(value.cases, value.trace, value.missed, (TraceStep(code.span(written), f"{name} is defined here"),))
