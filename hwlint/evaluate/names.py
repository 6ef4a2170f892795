"""Evaluate module-level names on demand: only the statements that bind a name are run, once."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from hwlint.evaluate.budget import OverBudget
from hwlint.evaluate.effects import INSIDE, Change, Group
from hwlint.evaluate.instances import Instances
from hwlint.evaluate.machine import restore
from hwlint.evaluate.project import Code
from hwlint.evaluate.state import State, merge_contents
from hwlint.evaluate.values import (
    EVERYWHERE,
    Answer,
    AttrContent,
    Bound,
    Class,
    External,
    Function,
    Imported,
    Module,
    Ref,
    Unbound,
    Unknown,
    Value,
    const,
    join,
    make,
    unknown,
)
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


class Names(Instances):
    """The part of the evaluator that knows module-level names."""

    def __init__(self, *args: object) -> None:
        """Start with nothing evaluated."""
        super().__init__(*args)
        self._name_values: dict[tuple[str, str, int], Value] = {}
        self._working: set[tuple[str, str, int]] = set()
        self._class_values: dict[ast.ClassDef, Value] = {}
        self._groups: dict[tuple[str, Group, int], State] = {}
        self._shared_objects: set[Ref] = set()
        self._latest: dict[tuple[str, Group], tuple[str, Group, int]] = {}
        self._grouped_objects: dict[Ref, tuple[str, Group]] = {}
        """Objects that the statements of a group have made, and which group it was."""
        self._undisturbed: dict[tuple[str, Group], dict[Ref, Value]] = {}
        """What objects from elsewhere held before the statements of a group were first run: each run begins so."""
        self._calling: dict[str, State] = {}
        """For each module the state in which its own code is calling a function."""
        self._open: dict[str, tuple[Group, State, list[tuple[int, State]]]] = {}
        """The group of names of a module that is being run, where it stands, and how it was before each statement."""

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
        calling = self._calling.get(path)
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
            return self._grouped(code, name, group, limit)
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

    def _grouped(self, code: Code, name: str, group: Group, limit: int) -> Value:
        """A name whose object other statements than its own may change: all of them are run, in order, once."""
        opened = self._open.get(code.path)
        if opened is not None and opened[0] is group:
            return self._opened_name(code, name, limit)
        index = (code.path, group, limit if any(at >= limit for at in group.statements) else -1)
        if index not in self._groups:
            self._groups[index] = self._run_group(code, group, limit)
        elif self._latest.get((code.path, group)) != index:
            self.keep(self._undisturbed.get((code.path, group), {}))
            self._show(code, group, self._groups[index].heap)
            self.module_writes += 1
        self._latest[code.path, group] = index
        found = self._groups[index].vars.get(name)
        return unknown(f"{name} is not assigned before it is read") if found is None else found

    def _opened_name(self, code: Code, name: str, limit: int) -> Value:
        """A name of the group that is being run; another name's statement may ask what it was earlier."""
        _, state, history = self._open[code.path]
        found = state.vars.get(name)
        if limit < (state.frame.before or 0):
            begun = next(begun for at, begun in history if at >= limit)
            found = begun.vars.get(name)
            reached = self.reached(found, begun) if found is not None else ()
            if any(state.heap.get(ref) is not begun.heap.get(ref) for ref in reached):
                return unknown(f"{name} is what it was before a later statement changed it")
        if found is None:
            return unknown(f"{name} is not assigned before it is read")
        if any(type(answer) is Ref for answer, _ in found.cases):
            self._publish(code, self._open[code.path][0], state)
        return found

    def _publish(self, code: Code, group: Group, state: State) -> None:
        """Let others see the objects as the statements of a group have left them, and remember how they were before."""
        index = code.path, group
        before = self._undisturbed.setdefault(index, {})
        for ref, value in state.heap.items():
            old = self.base.get(ref)
            if old is None:
                self._grouped_objects[ref] = index
            elif old is not value and self._grouped_objects.get(ref) != index:
                before.setdefault(ref, old)
        self._show(code, group, state.heap)

    def _show(self, code: Code, group: Group, heap: Mapping[Ref, Value]) -> None:
        """Keep objects as a group has left them; those of other modules may be read before that, or after."""
        before = self._undisturbed.get((code.path, group), {})
        self.keep(
            {
                ref: merge_contents(ref, before[ref], EVERYWHERE, value, EVERYWHERE)
                if ref in before and ref.span is not None and ref.span.path != code.path
                else value
                for ref, value in heap.items()
            }
        )

    def at_module_level(self, state: State) -> None:
        """A function is called by the module itself: it sees the module's names as they are there."""
        path = state.frame.path
        if state.frame.covered:
            state = state.copy()
            for name, value in state.frame.covered.items():
                state.vars.pop(name, None)
                if value is not None:
                    state.vars[name] = value
        self._calling[path] = state
        opened = self._open.get(path)
        if opened is not None and opened[1].frame is state.frame:
            self._open[path] = (opened[0], state, opened[2])

    def bound_on_the_way(self, name: str, value: Value, state: State) -> Value:
        """What a name is that a module's compound statement binds: functions it calls later on may change that."""
        code = self.code(state.frame.path)
        at = state.frame.before
        if at is None or not hasattr(code.body[at], "body") or name in state.frame.covered:
            return value
        change = self._change(code, name, value)
        if change is None:
            return value
        self.keep({ref: state.heap[ref] for ref in self.reached(value, state) if ref in state.heap})
        loose = self.loosened(value, f"{name} is changed by a function", change, code.changes.get(name + INSIDE))
        state.heap.update({ref: self.base[ref] for ref in self.reached(loose, state) if ref in self.loose})
        return loose

    def _bound_by(self, code: Code, at: int, group: Group, state: State) -> None:
        """A statement of the module was run: what it bound, functions may have changed since."""
        for name in group.names:
            value = state.vars.get(name)
            if value is None or not any(binding.statement == at for binding in code.bindings(name)):
                continue
            change = self._change(code, name, value)
            if change is not None:
                self._publish(code, group, state)
                reason = f"{name} is changed by a function"
                loose = self.loosened(value, reason, change, code.changes.get(name + INSIDE))
                state.heap.update({ref: self.base[ref] for ref in self.reached(loose, state) if ref in self.loose})
                state.vars[name] = loose
            if self._is_handled(code, name, value, state):
                self._publish(code, group, state)
                self._name_objects(code, name, value)
                state.heap.update({ref: self.base[ref] for ref in self.reached(value, state) if ref in self.base})

    def _is_handled(self, code: Code, name: str, value: Value, state: State) -> bool:
        """True for a name that has objects with which functions may do more than read their attributes."""
        if not any(type(answer) is Ref for answer, _ in value.cases):
            return False
        if not any(ref.kind == "instance" for ref in self.reached(value, state)):
            return False
        return name in code.handled or bool(code.stored) or any(held.startswith(f"{name}.") for held in code.changes)

    def _change(self, code: Code, name: str, value: Value) -> Change | None:
        """What functions do at worst to what a module-level name stands for; None where they leave it alone."""
        if any(binding.in_function for binding in code.bindings(name)):
            return code.changes.get(name, Change.ANYTHING)
        if not any(type(answer) is Ref for answer, _ in value.cases):
            return None
        return code.aliased.get(name) or (Change.NOTHING if name + INSIDE in code.changes else None)

    def _run_group(self, code: Code, group: Group, limit: int) -> State:
        state = self.fresh(code.path, "")
        saved = self.budget.left, self.statement, self.frames, self.points.get(code.path), self._open.get(code.path)
        self.frames = [state.frame]
        self.recorder.muted += 1
        self.module_writes += 1
        state.heap.update(self._undisturbed.get((code.path, group), {}))
        history: list[tuple[int, State]] = []
        for name in group.names:
            starred = self._starred_first(code, name)
            if starred is not None:
                state.vars[name] = starred
        try:
            for at in group.statements:
                if at >= limit:
                    break
                self.points[code.path] = state.frame.before = at
                history.append((at, state.copy()))
                self._open[code.path] = (group, state, history)
                self.budget.start()
                self.run([code.body[at]], state)
                self._bound_by(code, at, group, state)
        except OverBudget:
            for name in group.names:
                state.vars[name] = unknown(f"working out {name} exceeds the budget")
        finally:
            self.recorder.muted -= 1
            self.budget.left, self.statement, self.frames = saved[:3]
            restore(self.points, code.path, saved[3])
            restore(self._open, code.path, saved[4])
        self._publish(code, group, state)
        for name in sorted(group.names & state.vars.keys()):
            self._name_objects(code, name, state.vars[name])
        return state

    def _stored(self, ref: Ref, owner: Class, names: frozenset[str]) -> None:
        """Attributes that functions set on objects which are not their own may have been set on this one."""
        content = self.base.get(ref, Value(())).only()
        if isinstance(content, AttrContent):
            items = dict(content.items)
            for name in names:
                if name in items or self.class_member(owner, name) is not None:
                    old = items[name] if name in items else const(Unbound(name))
                    items[name] = join((old, unknown(f"{name} is set by a function")))
            self.base[ref] = const(AttrContent(items, content.rest))

    def _settable(self, ref: Ref, owner: Class) -> None:
        """Attributes of a module's object that its methods set may have been set by the functions that call them."""
        content = self.base.get(ref, Value(())).cases
        attributes = self.setters(owner)
        if len(content) != 1 or not isinstance(content[0][0], AttrContent):
            return
        items = dict(content[0][0].items)
        for name, change in self.changers(owner).items():
            held = items.get(name.removesuffix(INSIDE))
            if held is not None:
                self._loosen(
                    held, name, f"{name.removesuffix(INSIDE)} is changed by a method of {owner.qualname}", change
                )
        for name in attributes:
            old = items[name] if name in items else const(Unbound(name))
            items[name] = join((old, unknown(f"{name} is set by a method of {owner.qualname}")))
        self.base[ref] = const(AttrContent(items, content[0][0].rest))

    def shared(self, value: Value) -> None:
        """What other modules have of a module: they may have called the methods of its objects."""
        for answer, _ in value.cases:
            if type(answer) is Ref and isinstance(answer.type, Class) and answer not in self._shared_objects:
                self._shared_objects.add(answer)
                self._settable(answer, answer.type)

    def _changeable(self, ref: Ref, owner: Class, name: str, code: Code) -> None:
        """Containers that a module's object, or its class, holds may have been changed by functions that name them."""
        content = self.base.get(ref, Value(())).only()
        for held, change in code.changes.items():
            root, _, attribute = held.partition(".")
            if root != name or not attribute:
                continue
            held_by = attribute.removesuffix(INSIDE)
            found = content.items.get(held_by) if isinstance(content, AttrContent) else None
            if found is None:
                member = self.class_member(owner, held_by)
                found = member[0] if member is not None else Value(())
            self._loosen(found, held, f"{held.removesuffix(INSIDE)} is changed by a function", change)

    def _loosen(self, value: Value, name: str, reason: str, change: Change) -> None:
        """Let a container, or those inside where `name` says so, have been changed."""
        inside = name.endswith(INSIDE)
        self.loosened(value, reason, Change.NOTHING if inside else change, change if inside else None)

    def _name_objects(self, code: Code, name: str, value: Value) -> None:
        for ref in self.reached(value, self.fresh(code.path, "")):
            if isinstance(ref.type, Class):
                if name in code.handled:
                    self._settable(ref, ref.type)
                if code.stored:
                    self._stored(ref, ref.type, code.stored)
        for answer, _ in value.cases:
            if isinstance(answer, Ref) and isinstance(answer.type, Class):
                self._changeable(answer, answer.type, name, code)
            if isinstance(answer, Ref):
                bound = next((b for b in code.bindings(name) if not b.in_function), None)
                span = code.span(code.body[bound.statement]) if bound is not None else answer.span
                if span is not None:
                    end = span.column + len(name)
                    self.names.setdefault(answer, (name, Span(span.path, span.line, span.column, span.line, end)))

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
            return unknown(f"{name} is made by the module's __getattr__")
        return None

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
        value = self._starred_first(code, name)
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
        change = self._change(code, name, value)
        if changed is None and change is not None:
            changed = f"{name} is changed by a function"
        if changed is not None:
            return self.loosened(value, changed, change or Change.ANYTHING, code.changes.get(name + INSIDE))
        return value

    def _starred_first(self, code: Code, name: str) -> Value | None:
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
        self._name_objects(code, name, found)
        return _placed(found, code, node, name)

    def reached(self, value: Value, state: State) -> set[Ref]:
        """The objects that a value may be, and those that they hold."""
        found: set[Ref] = set()
        waiting = [value]
        while waiting:
            for answer, _ in waiting.pop().cases:
                if type(answer) is not Ref or answer in found:
                    continue
                found.add(answer)
                for content, _ in self.contents(answer, state).cases:
                    held = getattr(content, "items", ())
                    inner = held.values() if isinstance(held, Mapping) else held
                    waiting.extend(item for item in inner if isinstance(item, Value))
        return found

    def loosened(self, value: Value, reason: str, change: Change, inside: Change | None = None) -> Value:
        """A name that functions change: a container may have other entries, anything else may be another value.

        `inside`: what they do to the containers that it holds.
        """
        if inside is not None:
            for ref in self.reached(value, self.fresh("", "")) - {answer for answer, _ in value.cases}:
                if ref.kind != "instance":
                    self.loose[ref] = (Unknown(reason), inside)
                    self.keep({ref: self.base.get(ref, Value(()))})
        if change is Change.NOTHING:
            return value
        cases: list[tuple[Answer, int]] = []
        for answer, mask in value.cases:
            cases.append((answer, mask))
            if isinstance(answer, Ref) and answer.kind != "instance":
                self.loose[answer] = (Unknown(reason), change)
                self.keep({answer: self.base.get(answer, Value(()))})
            else:
                cases.append((Unknown(reason), mask))
        return make(cases, value.trace, value.missed, value.via)

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
            for node in code.body if code is not None else ():
                if (
                    isinstance(node, ast.Assign)
                    and isinstance(node.targets[0], ast.Attribute)
                    and node.targets[0].attr == name
                    and isinstance(node.targets[0].value, ast.Name)
                    and node.targets[0].value.id == top
                ):
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
