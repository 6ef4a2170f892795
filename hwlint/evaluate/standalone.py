"""Run functions that nobody in sight calls: on objects, and with arguments, of which only the kind is known."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence

from hwlint.evaluate.answers import AttrContent, Class, Device, Function, Ref, Unknown
from hwlint.evaluate.classes import NOTHING_MADE, Made, enclosed_method
from hwlint.evaluate.functions import Functions
from hwlint.evaluate.scopes import binding_of
from hwlint.evaluate.state import Frame, State, merge
from hwlint.evaluate.values import Value, const, join, unknown
from hwlint.graph.bindings import Binding, BindingKind
from hwlint.source.nodes import walk

_SPEAKS_OF_DEVICES = re.compile(r"arch|device|gpu|platform|target|backend|capab", re.IGNORECASE)
"""Names of classes whose heirs are asked for what the hardware decides; a search for heirs looks into every file."""


class Standalone(Functions):
    """The part of the evaluator that runs functions for what they do by themselves."""

    def __init__(self, *args: object) -> None:
        """Start with no heirs made."""
        super().__init__(*args)
        self._heirs_made: dict[tuple[str, str], tuple[Made, ...]] = {}

    def run_member(self, function: Function, owner: Class | None, state: State) -> None:
        """Run a function, or a method on an object of its class, with unknown arguments."""
        ref: Ref | None = None
        if owner is not None and function.binding not in ("static", "class"):
            made = self.made(owner)
            name = function.qualname.rpartition(".")[2]
            if name == "__init__" or made is None:
                ref = Ref("instance", None, owner.node, owner)
                state.heap[ref] = const(AttrContent({}))
            else:
                ref = made.ref
                state.heap[ref] = made.content
                state.alive &= made.complete
                state.certain &= state.alive
                state.steady &= state.alive
        self.run_standalone(function, ref, state)

    def run_standalone(
        self, function: Function, ref: Ref | None, state: State, chosen: Mapping[str, Made] = NOTHING_MADE
    ) -> int:
        """Run a function whose arguments are not known; return the architectures that only leave it early.

        `state` becomes the state after it. The first parameter of a method is `ref`, or the class. Where an annotation
        names a class that others derive from, it is run for an object of each, and `chosen` is the one.
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
        heap = dict(state.heap)
        for parameter in parameters:
            given = names[parameter.arg]
            is_open = given.trace is None and type(given.only()) is Unknown
            if parameter.arg in chosen:
                heap[chosen[parameter.arg].ref] = chosen[parameter.arg].content
                names[parameter.arg] = const(chosen[parameter.arg].ref)
                continue
            device = self._device_annotation(parameter.annotation, function.path) if is_open else None
            if device is not None:
                names[parameter.arg] = const(device)
                state.certain = 0
                continue
            own, heirs = self._annotated(parameter, function.path) if is_open else (None, ())
            if heirs and not chosen:
                return self._run_for_each(function, ref, state, parameter.arg, heirs)
            if own is not None:
                heap[own.ref] = own.content
                names[parameter.arg] = join((const(own.ref), given))
        devices = frozenset(name for name, value in names.items() if type(value.only()) is Device)
        frame = self.frame(function, devices | self._given_below(function, ref, state))
        frame.entered = state.alive
        inner = State(frame, state.alive, state.certain, state.alive, names, heap)
        entry = inner.copy()
        self.frames.append(frame)
        try:
            if isinstance(function.node, ast.Lambda):
                self.eval(function.node.body, inner)
            else:
                self.run(function.node.body, inner)
                if inner.alive:
                    self.note_fall_through(inner)
        finally:
            self.frames.pop()
        ends = inner.alive | frame.final
        states = [left for _, left in frame.returns]
        if inner.alive:
            states.append(inner)
        after = merge(states, entry) if states else entry.dead()
        if not self.recorder.muted and not isinstance(function.node, ast.Lambda) and frame.returns:
            self._note_answer(function.node, inner)
        if not self.recorder.muted and frame.returns:
            self._run_returned(frame)
        frame.returns.clear()
        state.take(State(state.frame, after.alive, after.certain, after.steady, state.vars, after.heap))
        return after.alive & ~ends

    def _given_below(self, function: Function, ref: Ref | None, state: State) -> frozenset[str]:
        """The attributes that hold hardware values for a method of a base, whose module may not know of them."""
        if ref is None or function.owner is None or not isinstance(ref.type, Class):
            return frozenset()
        if ref.type.node is function.owner.node:
            return frozenset()
        return self.hardware_attributes(const(ref), state)

    def _run_returned(self, frame: Frame) -> None:
        """Run the functions that a function makes and returns, for where it returns them: nobody here calls them.

        So are the methods of a class that it makes, where it returns that, or an object of it.
        """
        seen: set[ast.AST] = set()
        for value, left in list(frame.returns):
            for answer, mask in value.cases:
                owner = answer.type if type(answer) is Ref else answer
                if type(owner) is Class and owner.qualname.rpartition(".")[0] == frame.symbol and left.alive & mask:
                    if owner.path == frame.path and owner.node not in seen:
                        seen.add(owner.node)
                        self._run_methods(owner, left, mask)
                elif (
                    type(answer) is Function
                    and answer.home is frame
                    and answer.node not in seen
                    and not isinstance(answer.node, ast.Lambda)
                    and left.alive & mask
                    and self._is_about_hardware(answer)
                ):
                    seen.add(answer.node)
                    apart = left.copy()
                    apart.alive &= mask
                    apart.certain &= mask
                    self._outlive(answer, apart)
                    self.run_standalone(answer, None, apart)

    def _run_methods(self, owner: Class, left: State, mask: int) -> None:
        """Run the methods of a class that a function has made, as it returns."""
        for node in owner.node.body:
            if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                continue
            function = Function(owner.path, f"{owner.qualname}.{node.name}", node, {}, owner, binding_of(node))
            if owner.around is not None:
                function = enclosed_method(function, owner.around)
            if self._is_about_hardware(function):
                apart = left.copy()
                apart.alive &= mask
                apart.certain &= mask
                self._outlive(function, apart)
                self.run_member(function, owner, apart)

    def _is_about_hardware(self, function: Function) -> bool:
        """True for a function that mentions what may carry a hardware value, or has one from around it."""
        if any(value.trace is not None for value in function.closure.values()):
            return True
        return self.code(function.path).mentions_a_carrier(function.node)

    def _run_for_each(self, function: Function, ref: Ref | None, state: State, name: str, heirs: Sequence[Made]) -> int:
        """Run a function once for each object that a parameter may be; none of them is certain."""
        early = 0
        states = []
        for made in heirs:
            branch = state.copy()
            branch.certain = 0
            early |= self.run_standalone(function, ref, branch, {name: made})
            states.append(branch)
        state.take(merge(states, state.copy()))
        return early

    def _annotated(self, parameter: ast.arg, path: str) -> tuple[Made | None, tuple[Made, ...]]:
        """An object of the class that an annotation names, and of its heirs, where the hardware has a say in them."""
        if not isinstance(parameter.annotation, ast.Name):
            return None, ()
        name = parameter.annotation.id
        bindings = self.code(path).bindings(name)
        beside = bool(bindings) and all(self._is_from_beside(binding, path) for binding in bindings)
        own = None
        if not beside:
            value = self.global_name(path, name, None)
            owner = value.only() if value is not None else None
            if type(owner) is not Class:
                return None, ()
            own = self.made(owner) if self.code(owner.path).matters(f"{owner.qualname}.__init__") else None
        if not _SPEAKS_OF_DEVICES.search(name):
            return own, ()
        if (name, path) not in self._heirs_made:
            self._heirs_made[name, path] = tuple(self._made_heirs(name, path))
        return own, self._heirs_made[name, path]

    def _device_annotation(self, annotation: ast.expr | None, path: str) -> Device | None:
        """The object of another package that an annotation names, where an origin says what the hardware puts in it."""
        if annotation is None:
            return None
        for part in walk(annotation):
            name = part.id if isinstance(part, ast.Name) else part.attr if isinstance(part, ast.Attribute) else ""
            if name not in self.origins.type_names or not isinstance(part, ast.expr):
                continue
            found = self.origin_type(self.quietly(part, path, "").only())
            if found is not None:
                return Device(found)
        return None

    def _made_heirs(self, name: str, path: str) -> Iterator[Made]:
        """Objects of the classes below one of a name that the hardware has a say in."""
        for place, heir in self.project.heirs(name, path):
            if self.project.is_beside(place) or not self.code(place).matters(f"{heir}.__init__"):
                continue
            found = self.global_name(place, heir, None)
            owner = found.only() if found is not None else None
            made = self.made(owner) if type(owner) is Class else None
            if made is not None:
                yield made

    def _is_from_beside(self, binding: Binding, path: str) -> bool:
        """True for a name imported from a module that hardware values do not reach, which need not be read for it."""
        if binding.kind is not BindingKind.FROM:
            return False
        module = self.project.find(binding.module, binding.level, path)
        return module is None or self.project.is_beside(module)
