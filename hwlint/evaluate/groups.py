"""Run the statements of a module that change the same objects, together and in order."""

from __future__ import annotations

from collections.abc import Mapping

from hwlint.evaluate.answers import Ref
from hwlint.evaluate.budget import OverBudget
from hwlint.evaluate.code import Code
from hwlint.evaluate.effects import Group
from hwlint.evaluate.holders import INSIDE
from hwlint.evaluate.holdings import Holdings
from hwlint.evaluate.machine import restore
from hwlint.evaluate.state import State, merge_contents
from hwlint.evaluate.values import EVERYWHERE, Value, unknown


class Groups(Holdings):
    """The part of the evaluator that runs groups of statements, and knows where each of them stands."""

    def __init__(self, *args: object) -> None:
        """Start with no group run."""
        super().__init__(*args)
        self._groups: dict[tuple[str, Group, int], State] = {}
        self._latest: dict[tuple[str, Group], tuple[str, Group, int]] = {}
        self._grouped_objects: dict[Ref, tuple[str, Group]] = {}
        """Objects that the statements of a group have made, and which group it was."""
        self._undisturbed: dict[tuple[str, Group], dict[Ref, Value]] = {}
        """What objects from elsewhere held before the statements of a group were first run: each run begins so."""
        self.calling: dict[str, State] = {}
        """For each module the state in which its own code is calling a function."""
        self._open: dict[str, tuple[Group, State, list[tuple[int, State]]]] = {}
        """The group of names of a module that is being run, where it stands, and how it was before each statement."""

    def starred_first(self, code: Code, name: str) -> Value | None:
        """What a star import gives a name before other statements bind it (defined with the names)."""
        raise NotImplementedError

    def grouped(self, code: Code, name: str, group: Group, limit: int) -> Value:
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
            reached = self.reached(found, begun) if found is not None else set()
            if any(state.heap.get(ref) is not begun.heap.get(ref) for ref in (*reached, *self.of_classes(reached))):
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
        others = self.everyone & ~state.alive
        if not others or not state.alive:
            self._show(code, group, state.heap)
            return
        opened = self._open.get(code.path)
        begun = opened[2][-1][1].heap if opened is not None and opened[0] is group and opened[2] else {}
        self._show(code, group, self._with_others(state, others, begun))

    def _with_others(self, state: State, others: int, begun: Mapping[Ref, Value]) -> dict[Ref, Value]:
        """The objects as a path has left them on its architectures, and for `others` as its statement found them."""
        whole: dict[Ref, Value] = {}
        for ref, value in state.heap.items():
            old = begun.get(ref) or self.base.get(ref)
            whole[ref] = value if old is None or old is value else merge_contents(ref, value, ~others, old, others)
        return whole

    def _show(self, code: Code, group: Group, heap: Mapping[Ref, Value]) -> None:
        """Keep objects as a group has left them.

        Those of other modules, and those that functions change, may be read before that, or after.
        """
        before = self._undisturbed.get((code.path, group), {})
        self.keep(
            {
                ref: merge_contents(ref, before[ref], EVERYWHERE, value, EVERYWHERE)
                if ref in before and ref.span is not None and (ref.span.path != code.path or ref in self.loose)
                else value
                for ref, value in heap.items()
            }
        )
        self.doubt_shared(heap)

    def at_module_level(self, state: State) -> None:
        """A function is called by the module itself: it sees the module's names as they are there."""
        path = state.frame.path
        if state.frame.covered:
            state = state.copy()
            for name, value in state.frame.covered.items():
                state.vars.pop(name, None)
                if value is not None:
                    state.vars[name] = value
        self.calling[path] = state
        opened = self._open.get(path)
        if opened is not None and opened[1].frame is state.frame:
            self._open[path] = (opened[0], state, opened[2])

    def bound_on_the_way(self, name: str, value: Value, state: State) -> Value:
        """What a name is that a module's compound statement binds: functions it calls later on may change that."""
        code = self.code(state.frame.path)
        at = state.frame.before
        if at is None or not hasattr(code.body[at], "body") or name in state.frame.covered:
            return value
        change = self.change_of(code, name, value)
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
            change = self.change_of(code, name, value)
            if change is not None:
                self._publish(code, group, state)
                reason = f"{name} is changed by a function"
                loose = self.loosened(value, reason, change, code.changes.get(name + INSIDE))
                state.heap.update({ref: self.base[ref] for ref in self.reached(loose, state) if ref in self.loose})
                state.vars[name] = loose
            if self.is_handled(code, name, value, state):
                self._publish(code, group, state)
                self.name_objects(code, name, value)
                state.heap.update({ref: self.base[ref] for ref in self.reached(value, state) if ref in self.base})

    def _run_group(self, code: Code, group: Group, limit: int) -> State:
        state = self.fresh(code.path, "")
        saved = self.budget.left, self.statement, self.frames, self.points.get(code.path), self._open.get(code.path)
        self.frames = [state.frame]
        self.recorder.muted += 1
        self.module_writes += 1
        state.heap.update(self._undisturbed.get((code.path, group), {}))
        history: list[tuple[int, State]] = []
        for name in group.names:
            starred = self.starred_first(code, name)
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
            self.name_objects(code, name, state.vars[name])
        return state
