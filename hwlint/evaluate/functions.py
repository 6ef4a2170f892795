"""Run functions of the project in frames of their own."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from hwlint.evaluate.budget import DEEPEST_CALL, DEEPEST_RECURSION, MOST_RUNS
from hwlint.evaluate.changes import Change, after, changes_in, changes_in_functions, given_to_be_changed
from hwlint.evaluate.classes import NOTHING_MADE, Made, enclosed_method
from hwlint.evaluate.code import Code
from hwlint.evaluate.filled import Filled
from hwlint.evaluate.holders import INSIDE
from hwlint.evaluate.machine import restore
from hwlint.evaluate.scopes import binding_of, local_names, shared_names
from hwlint.evaluate.slicing import Slice, passed_over
from hwlint.evaluate.state import Called, Frame, State, merge
from hwlint.evaluate.values import (
    EVERYWHERE,
    Answer,
    AttrContent,
    Class,
    Coroutine,
    Device,
    DictContent,
    Function,
    ListContent,
    Missed,
    MixedTuple,
    Ref,
    SetContent,
    Unbound,
    Unknown,
    Value,
    const,
    is_concrete,
    join,
    make,
    restrict,
    unknown,
)
from hwlint.graph.bindings import Binding, BindingKind
from hwlint.source.nodes import walk

SMALL_FUNCTION = 12
"""Functions of so many lines are evaluated even where they have nothing to do with the hardware: they may be guards."""

_SPEAKS_OF_DEVICES = re.compile(r"arch|device|gpu|platform|target|backend|capab", re.IGNORECASE)
"""Names of classes whose heirs are asked for what the hardware decides; a search for heirs looks into every file."""

_LEAST_NUMBER = 5
"""A smaller number that a call is given names no architecture."""


_ANY = "*"
"""Stands for attributes whose names are not known."""


def _is_of(part: ast.Attribute, name: str) -> bool:
    return part.value.__class__ is ast.Name and part.value.id == name


def _set_by_name(call: ast.Call, parameter: str) -> Iterator[str]:
    """The attribute that `setattr(parameter, name, ...)` sets."""
    called = call.func
    if called.__class__ is ast.Name and called.id in ("setattr", "delattr") and len(call.args) > 1:
        holder, name = call.args[:2]
        if isinstance(holder, ast.Name) and holder.id == parameter:
            yield name.value if isinstance(name, ast.Constant) and isinstance(name.value, str) else _ANY


@dataclass(frozen=True, slots=True)
class _Memo:
    alive: int
    returned: int
    steady: int
    value: Value
    cost: int
    doubts: tuple[int, int]


def _as_called(function: Function, value: Value) -> Value:
    """What a call gives of a function that returns `value`: that, or something to be awaited."""
    if type(function.node) is not ast.AsyncFunctionDef or not value.cases:
        return value
    return Value(((Coroutine(value), EVERYWHERE),), value.trace)


class Functions(Filled):
    """The part of the evaluator that runs functions."""

    def __init__(self, *args: object) -> None:
        """Start with no call remembered."""
        super().__init__(*args)
        self._slices: dict[tuple[ast.AST, frozenset[str]], Slice] = {}
        self._set_by: dict[tuple[ast.AST, str, ast.AST | None], AbstractSet[str]] = {}
        self._inner_changes: dict[ast.AST, dict[str, Change]] = {}
        self._memo: dict[tuple[object, ...], _Memo] = {}
        self._heirs_made: dict[tuple[str, str], tuple[Made, ...]] = {}
        self._defaults: dict[ast.expr, Value] = {}
        """Defaults are made once, when the function is defined; a list among them is shared by all calls."""

    def call_function(
        self, function: Function, args: Sequence[Value], keywords: dict[str, Value], node: ast.AST, state: State
    ) -> Value:
        """Run a function of the project; the caller loses the architectures that do not come back."""
        if (
            len(self.frames) >= DEEPEST_CALL
            or sum(f.function is not None and f.function.node is function.node for f in self.frames) > DEEPEST_RECURSION
        ):
            self.doubts += 1
            return unknown(f"calls nested too deeply at {function.qualname}")
        if self._is_beside_the_point(function, args, keywords, state):
            self.doubts += 1
            self._not_followed(function, args, keywords, state)
            return unknown(f"{function.qualname}() has nothing to do with the hardware and is not followed")
        index = self._memo_index(function, args, keywords, state)
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
                kept = restrict(memo.value, state.alive) if len(memo.value.cases) > 1 else memo.value
                return _as_called(function, kept)
        self.budget.runs[function.node] += 1
        if self.budget.runs[function.node] > MOST_RUNS:
            self.doubts += 1
            return unknown(f"{function.qualname}() is called more often than it is followed")
        if function.closure and function.home not in self.frames:
            self._outlive(function, state)
        before = self.budget.left, self.doubts, self.import_doubts
        entered, known = state.alive, len(state.heap)
        calling = self.calling.get(state.frame.path)
        inner = self._enter(function, args, keywords, state)
        if not self.recorder.muted and any(self._is_written_down(one, state) for one in (*args, *keywords.values())):
            inner.frame.called = Called(node, self.statement, state.frame.path, state.frame.symbol)
        try:
            value, after = self._finish(function, inner, state)
        finally:
            restore(self.calling, state.frame.path, calling)
        if (
            index is not None
            and not inner.frame.blamed
            and not inner.frame.escapes
            and len(after.heap) == known
            and not any(isinstance(answer, (Ref, MixedTuple)) for answer, _ in value.cases)
        ):
            self._memo[index] = _Memo(
                entered, after.alive, after.steady, value, before[0] - self.budget.left,
                (self.doubts - before[1], self.import_doubts - before[2]),
            )  # fmt: skip
        self._leave(inner.frame, after, node, state)
        return value if inner.frame.yields else _as_called(function, value)

    def _outlive(self, function: Function, state: State) -> None:
        """A function is called whose maker has returned: calls before may have changed the containers around it."""
        outer = function.home.function if function.home is not None else None
        if outer is None or isinstance(outer.node, ast.Lambda):
            return
        known = self._inner_changes.get(outer.node)
        if known is None:
            body = outer.node.body
            known = self._inner_changes[outer.node] = changes_in_functions(body, given_to_be_changed(body))
        for name, change in known.items():
            for answer, _ in function.closure[name].cases if name in function.closure else ():
                if type(answer) is Ref and answer.kind != "instance":
                    reason = Unknown(f"{name} is changed by a function inside {outer.qualname}")
                    contents = self.contents(answer, state).cases
                    state.heap[answer] = make([(after(content, reason, change), mask) for content, mask in contents])

    def _is_written_down(self, value: Value, state: State) -> bool:
        """True for an argument that may name architectures: a number, or a list of numbers or texts."""
        if value.trace is not None or len(value.cases) != 1:
            return False
        answer = value.cases[0][0]
        if type(answer) is Ref:
            content = self.contents(answer, state).only() if answer.kind in ("list", "set") else None
            answer = tuple(one.only() for one in content.items) if isinstance(content, ListContent) else answer
            answer = content.items if isinstance(content, SetContent) else answer
        if type(answer) is tuple:
            return bool(answer) and all(type(part) in (int, str, tuple) for part in answer)
        return type(answer) is int and answer >= _LEAST_NUMBER

    def _is_beside_the_point(
        self, function: Function, args: Sequence[Value], keywords: dict[str, Value], state: State
    ) -> bool:
        """True for a large function that neither mentions nor is given anything from the hardware."""
        if any(value.trace is not None for value in (*args, *keywords.values())):
            return False
        if (
            isinstance(function.node, ast.Lambda)
            or (function.node.end_lineno or 0) - function.node.lineno <= SMALL_FUNCTION
        ):
            return False
        code = self.code(function.path)
        return not code.matters(function.qualname) and not any(
            code.mentions(function.qualname, self._from_hardware(value, state)) for value in (*args, *keywords.values())
        )

    def _not_followed(
        self, function: Function, args: Sequence[Value], keywords: dict[str, Value], state: State
    ) -> None:
        """Forget what a function does to the objects that it is given, as far as its own text shows."""
        if isinstance(function.node, ast.Lambda):
            return
        spec = function.node.args
        given = dict(zip((part.arg for part in (*spec.posonlyargs, *spec.args)), args, strict=False))
        given.update((name, value) for name, value in keywords.items() if name != "**")
        reason = f"set or changed in {function.qualname}, which is not followed"
        for parameter, value in given.items():
            objects = [answer for answer, _ in value.cases if type(answer) is Ref]
            if not objects:
                continue
            for ref in objects:
                if ref.kind == "instance":
                    self._may_have_set(ref, self._sets(function.node, parameter, ref.type), reason, state)
            for name, change in changes_in(function.node):
                if name.partition(".")[0].removesuffix(INSIDE) == parameter:
                    self.changed_by_name(name.removeprefix(parameter), value, reason, change, state)

    def _may_have_set(self, ref: Ref, names: AbstractSet[str], reason: str, state: State) -> None:
        """Let attributes of an object that are not the hardware's be what they were, or anything."""
        content = self.contents(ref, state).only()
        if not names or not isinstance(content, AttrContent):
            return
        items = dict(content.items)
        rest = content.rest or (Unknown(f"an attribute that is {reason}") if _ANY in names else None)
        for name in names - {_ANY} if _ANY not in names else {*names, *items} - {_ANY}:
            old = items.get(name) or const(Unbound(name))
            if old.trace is None:
                items[name] = join((old, unknown(f"{name} is {reason}")))
        state.heap[ref] = const(AttrContent(items, rest))

    def _method(self, owner: Class, name: str) -> ast.FunctionDef | None:
        """The method that a class, or the nearest base, defines under a name."""
        for holder in self.lineage(owner):
            for node in self._binders(holder.node).get(name, ()):
                return node if isinstance(node, ast.FunctionDef) else None
        return None

    def _sets(self, function: ast.AST, parameter: str, owner: Answer) -> AbstractSet[str]:
        """The attributes that a function sets on what a parameter gets, also through methods that it calls on it."""
        index = (function, parameter, owner.node if isinstance(owner, Class) else None)
        known = self._set_by.get(index)
        if known is not None:
            return known
        self._set_by[index] = frozenset()
        found: set[str] = set()
        for part in walk(function):
            if part.__class__ is ast.Call:
                found.update(_set_by_name(part, parameter))
            if part.__class__ is not ast.Attribute or not _is_of(part, parameter):
                continue
            assert isinstance(part, ast.Attribute)
            if not isinstance(part.ctx, ast.Load):
                found.add(part.attr)
                continue
            method = self._method(owner, part.attr) if isinstance(owner, Class) else None
            if method is not None and method.args.args:
                found |= self._sets(method, method.args.args[0].arg, owner)
        self._set_by[index] = found
        return found

    def changed_by_name(self, name: str, value: Value, reason: str, change: Change, state: State) -> None:
        """Let a container have been changed: of `value` itself, `.attribute` of it, or `[]` for those inside."""
        inside = name.endswith(INSIDE)
        attribute = name.removesuffix(INSIDE).removeprefix(".")
        for answer, _ in value.cases:
            if type(answer) is not Ref:
                continue
            held = const(answer)
            if attribute:
                content = self.contents(answer, state).only()
                known = content.items.get(attribute) if isinstance(content, AttrContent) else None
                member = self.class_member(answer.type, attribute) if isinstance(answer.type, Class) else None
                held = known if known is not None else member[0] if member is not None else Value(())
            whole = {one for one, _ in held.cases if type(one) is Ref}
            for ref in self.reached(held, state) - whole if inside else whole:
                if ref.kind != "instance":
                    contents = self.contents(ref, state).cases
                    doubt = Unknown(f"a container {reason}")
                    state.heap[ref] = make([(after(content, doubt, change), mask) for content, mask in contents])

    def _from_hardware(self, value: Value, state: State) -> frozenset[str]:
        """The attributes of an instance that hold hardware values."""
        answer = value.only()
        if not isinstance(answer, Ref) or answer.kind != "instance":
            return frozenset()
        content = self.contents(answer, state).only()
        held = content.items if isinstance(content, AttrContent) else {}
        return frozenset(f".{name}" for name, item in held.items() if item.trace is not None)

    def _memo_index(
        self, function: Function, args: Sequence[Value], keywords: dict[str, Value], state: State
    ) -> tuple[object, ...] | None:
        if function.closure or "**" in keywords:
            return None
        parts: list[object] = [
            function.node,
            self.points.get(function.path),
            bool(self.recorder.muted),
            len(self.frames) > DEEPEST_CALL - 4,
            self.module_writes,
        ]
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
        parts.append(
            frozenset((ref, value) for ref, value in state.heap.items() if self.base.get(ref, value) is not value)
        )
        return tuple(parts)

    def _enter(self, function: Function, args: Sequence[Value], keywords: dict[str, Value], state: State) -> State:
        names = self.bind_arguments(function, args, keywords, state)
        if function.closure and function.home is state.frame:
            function = self._at_home(function, state)
        if state.frame.function is None:
            self.at_module_level(state)
        frame = self.frame(function, frozenset(name for name, value in names.items() if value.trace is not None))
        frame.entered = state.alive
        return State(frame, state.alive, state.certain, state.alive, names, dict(state.heap))

    def _at_home(self, function: Function, state: State) -> Function:
        """A function that is called where it was made: the names around it are what they are by now."""
        closure = {
            name: state.vars[name]
            if name in state.vars and name not in state.frame.shared and name not in function.covered
            else value
            for name, value in function.closure.items()
        }
        return Function(
            function.path,
            function.qualname,
            function.node,
            closure,
            function.owner,
            function.binding,
            home=function.home,
            covered=function.covered,
        )

    def frame(self, function: Function, given: frozenset[str] = frozenset()) -> Frame:
        """A frame for a run of `function`, whose parameters in `given` get hardware values."""
        assigned, declared = local_names(function.node)
        frame = Frame(function.path, function.qualname, self.base, function, function.owner, assigned, declared)
        frame.shared = shared_names(function.node)
        carriers = self.code(function.path).carriers
        if carriers is not None and (function.node.end_lineno or 0) - function.node.lineno > SMALL_FUNCTION:
            known = self._slices.get((function.node, given))
            if known is None:
                known = self._slices[function.node, given] = passed_over(function.node, carriers, given)
            frame.skipped = known
        return frame

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
                    frame.returns.append((self._ended(function, inner), inner))
        finally:
            self.frames.pop()
            self.statement = statement
        if not frame.returns:
            return Value(()), entry.dead()
        found = join([restrict(value, left.alive) for value, left in frame.returns])
        after = merge([left for _, left in frame.returns], entry)
        frame.returns.clear()  # the states hold the frame: without this the collector would have to find the ring
        after.steady &= ~frame.raised | ~entry.alive
        if frame.yields:
            return self.new("list", ListContent((), Unknown("what a generator yields")), function.node, after), after
        if frame.trace is not None and found.trace is None and len(found.cases) > 1:
            found = Value(found.cases, frame.trace, found.missed, found.via)
        if len(found.cases) == 1 and found.cases[0][1] & entry.alive == entry.alive:
            found = Value(((found.cases[0][0], EVERYWHERE),), found.trace, found.missed, found.via)
        return found, after

    def _ended(self, function: Function, inner: State) -> Value:
        """The None of a function that ends without a `return`, marked where a hardware test decides that it does."""
        self.note_fall_through(inner)
        frame = inner.frame
        answered = 0
        for value, left in frame.returns:
            answered |= left.alive
            if any(answer is None for answer, _ in value.cases):
                return const(None)
        decided = inner.alive & ~answered
        if frame.trace is None or not answered or not decided or isinstance(function.node, ast.Lambda):
            return const(None)
        span = self.code(frame.path).span(function.node.body[-1])
        return Value(((None, EVERYWHERE),), None, Missed(decided, span, "", function.qualname, ended=True))

    def note_fall_through(self, state: State) -> None:
        """The running function comes to its end without a `return` (defined with the ladders)."""
        raise NotImplementedError

    def hand_on(self, frame: Frame, state: State) -> None:
        """What a called function turned away, the caller has been guarded against too (defined with the ladders)."""
        raise NotImplementedError

    def _leave(self, frame: Frame, after: State, node: ast.AST, state: State) -> None:
        """Go on in the caller: what escaped goes to its handlers, what came back goes on."""
        self.hand_on(frame, state)
        for exception, mask, heap in frame.escapes:
            left = state.narrow(mask, decided=mask & after.steady)
            left.heap = heap if heap is not None else left.heap
            self.throw(exception, mask, left)
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
        if function.closure or (function.home is not None and function.home.function is not None):
            return unknown("a default made inside another function")
        known = self._defaults.get(default)
        if known is None:
            known = self.quietly(default, function.path, function.qualname)
            if any(type(answer) is Ref for answer, _ in known.cases) and not isinstance(function.node, ast.Lambda):
                known = self._default_object(self.code(function.path), function.node, default, known)
            self._defaults[default] = known
        return known

    def _default_object(
        self, code: Code, node: ast.FunctionDef | ast.AsyncFunctionDef, default: ast.expr, value: Value
    ) -> Value:
        """A list or dict that is a default: one that the function changes, earlier calls have changed.

        One that has a name in the module may have been changed by that name.
        """
        for part in ast.walk(default):
            if isinstance(part, ast.Name) and code.effects.group(part.id) is not None:
                return self.loosened(value, f"{part.id} may be changed later on", Change.ANYTHING)
        spec = node.args
        given = [*spec.posonlyargs, *spec.args]
        rows = [*zip(given[len(given) - len(spec.defaults) :], spec.defaults, strict=True)]
        rows += [
            (one, other) for one, other in zip(spec.kwonlyargs, spec.kw_defaults, strict=True) if other is not None
        ]
        name = next((parameter.arg for parameter, written in rows if written is default), "")
        change = next((change for held, change in changes_in(node) if held == name), None)
        if change is None:
            return value
        return self.loosened(value, f"the default of {name} is changed by calls", Change.ANYTHING)

    def _note_answer(self, node: ast.FunctionDef | ast.AsyncFunctionDef, inner: State) -> None:
        """Record what a function answers whose name says for which architecture it is true."""
        answers = [restrict(value, left.alive) for value, left in inner.frame.returns]
        if inner.alive:
            answers.append(Value(((None, inner.alive),)))
        whole = join(answers)
        self.note_answer(node, Value(whole.cases, whole.trace or inner.frame.trace), inner)

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
        return self._from_hardware(const(ref), state)

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
