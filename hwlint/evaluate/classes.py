"""Evaluate classes: members along the bases, Enums, named tuples, dataclasses, and what constructors leave behind."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, replace

from hwlint.evaluate.answers import (
    Answer,
    Around,
    AttrContent,
    Class,
    EnumMember,
    External,
    Function,
    Ref,
    Unbound,
    Unknown,
    is_concrete,
)
from hwlint.evaluate.attributes import Attributes
from hwlint.evaluate.changes import Change
from hwlint.evaluate.code import Code
from hwlint.evaluate.holders import INSIDE
from hwlint.evaluate.machine import restore
from hwlint.evaluate.scopes import mentioned_names
from hwlint.evaluate.state import Frame, State
from hwlint.evaluate.values import EVERYWHERE, Value, const, make
from hwlint.source.nodes import OWN, walk

_PLAIN = frozenset({"IntEnum", "StrEnum", "IntFlag", "int", "str", "float"})
_ENUMS = frozenset({"Enum", "IntEnum", "StrEnum", "Flag", "IntFlag"})


@dataclass(frozen=True, slots=True)
class Made:
    """An instance as its constructor leaves it: the attributes, and the architectures on which it ends normally."""

    ref: Ref
    content: Value
    complete: int


NOTHING_MADE: Mapping[str, Made] = {}
"""No parameter is taken for an object of a class in particular."""


class Classes(Attributes):
    """The part of the evaluator that knows classes."""

    def __init__(self, *args: object) -> None:
        """Start with nothing known of any class."""
        super().__init__(*args)
        self._class_binders: dict[ast.ClassDef, dict[str, list[ast.stmt]]] = {}
        self._member_values: dict[tuple[ast.ClassDef, str], Value | None] = {}
        self._bases: dict[ast.ClassDef, tuple[Class, ...]] = {}
        self._made: dict[ast.ClassDef, Made | None] = {}
        self._lineages: dict[ast.ClassDef, tuple[Class, ...]] = {}
        self._enums: dict[ast.ClassDef, tuple[Value, ...] | None] = {}
        self._by_methods: dict[tuple[ast.ClassDef, str], Value | None] = {}
        self._after: dict[tuple[ast.ClassDef, ast.AST], AttrContent | None] = {}
        """What methods leave on an instance; None while one is being worked out."""
        self._changed: dict[ast.ClassDef, dict[str, Change]] = {}
        self._setters: dict[ast.ClassDef, dict[str, list[ast.FunctionDef]]] = {}
        self._roots: dict[Ref, Class] = {}

    # Members.

    def class_member(self, owner: Class, name: str) -> tuple[Value, Class] | None:
        """Return what a class or its bases define under `name`, and which of them does; nearest first."""
        for holder in self.lineage(owner):
            found = self.own_member(holder, name)
            if found is not None:
                return self._as_left(holder, name, found), holder
        return None

    def _as_left(self, owner: Class, name: str, value: Value) -> Value:
        """A member that its module sets again, as `Class.name = ...`: it may be either."""
        stores, own = self.code(owner.path).outside_stores, owner.qualname.rpartition(".")[2]
        if not stores or ((own, name) not in stores and (own, "*") not in stores):
            return value
        doubt = Unknown(f"{owner.qualname}.{name} is set again")
        return make([*value.cases, (doubt, EVERYWHERE)], value.trace, value.missed, value.via)

    def lineage(self, owner: Class) -> tuple[Class, ...]:
        """The class and its bases in the project, in the order in which CPython looks members up."""
        known = self._lineages.get(owner.node)
        if known is None:
            known = self._linearized(owner, ()) or self._depth_first(owner)
            self._lineages[owner.node] = known
        return known

    def _linearized(self, owner: Class, below: tuple[ast.ClassDef, ...]) -> tuple[Class, ...] | None:
        """The C3 order of a class; None where its bases have none."""
        if owner.node in below:
            return None
        bases = self.bases(owner)
        rows: list[list[Class]] = []
        for base in bases:
            row = self._linearized(base, (*below, owner.node))
            if row is None:
                return None
            rows.append(list(row))
        rows.append(list(bases))
        found = [owner]
        while any(rows):
            tails = {holder.node for row in rows for holder in row[1:]}
            head = next((row[0] for row in rows if row and row[0].node not in tails), None)
            if head is None:
                return None
            found.append(head)
            rows = [[holder for holder in row if holder.node is not head.node] for row in rows]
        return tuple(found)

    def _depth_first(self, owner: Class) -> tuple[Class, ...]:
        seen: list[Class] = []
        waiting = [owner]
        while waiting:
            holder = waiting.pop(0)
            if all(holder.node is not other.node for other in seen):
                seen.append(holder)
                waiting = [*self.bases(holder), *waiting]
        return tuple(seen)

    def bases(self, owner: Class) -> tuple[Class, ...]:
        """The base classes that the project defines."""
        known = self._bases.get(owner.node)
        if known is not None:
            return known
        self._bases[owner.node] = ()
        found: list[Class] = []
        top = self.fresh(owner.path, "")
        for base in owner.node.bases:
            if self.is_beside(base, top) and not gives_its_bases(owner, self.code(owner.path)):
                continue
            value = self.quietly(base, owner.path, owner.qualname, owner.around)
            found.extend(answer for answer, _ in value.cases if isinstance(answer, Class))
        self._bases[owner.node] = tuple(found)
        return self._bases[owner.node]

    def external_bases(self, owner: Class) -> frozenset[str]:
        """The last names of bases that are outside the project, along the whole lineage."""
        names: set[str] = set()
        for holder in self.lineage(owner):
            for base in holder.node.bases:
                text = ast.unparse(base)
                names.add(text.rpartition(".")[2])
        return frozenset(names)

    def own_member(self, owner: Class, name: str) -> Value | None:
        """Return what the body of a class itself defines under `name`."""
        index = (owner.node, name)
        if index in self._member_values:
            return self._member_values[index]
        self._member_values[index] = None
        found = self._evaluate_member(owner, name)
        self._member_values[index] = found
        if found is not None and any(type(answer) is Ref and answer.kind != "instance" for answer, _ in found.cases):
            change, inside = self._change_of_member(owner, name), self._change_of_member(owner, name + INSIDE)
            if change is not None or inside is not None:
                reason = f"{name} is changed by functions"
                found = self.loosened(found, reason, change or Change.NOTHING, inside)
                self._member_values[index] = found
        return found

    def _change_of_member(self, owner: Class, name: str) -> Change | None:
        """What methods, functions that name the class, and its module do at worst to a container of the class."""
        by_name = self.code(owner.path).changes.get(f"{owner.qualname}.{name}")
        by_methods = self.changers(owner).get(name)
        by_making = self.making_changes(owner).get(name)
        by_module = self.code(owner.path).class_changes.get(name)
        found = [change for change in (by_name, by_methods, by_making, by_module) if change is not None]
        return max(found, key=lambda change: change.value) if found else None

    def changers(self, owner: Answer) -> dict[str, Change]:
        """The attributes whose containers methods change (defined with the instances)."""
        raise NotImplementedError

    def making_changes(self, owner: Class) -> dict[str, Change]:
        """The containers of the class that constructors change (defined with the instances)."""
        raise NotImplementedError

    def loosened(self, value: Value, reason: str, change: Change, inside: Change | None = None) -> Value:
        """A value whose object functions change (defined with the names)."""
        raise NotImplementedError

    def _binders(self, node: ast.ClassDef) -> dict[str, list[ast.stmt]]:
        """The statements of a class body by the names that they bind."""
        known = self._class_binders.get(node)
        if known is None:
            known = self._class_binders[node] = {}
            for statement in node.body:
                for name in bound_names(statement):
                    known.setdefault(name, []).append(statement)
        return known

    def _evaluate_member(self, owner: Class, name: str) -> Value | None:
        binders = self._binders(owner.node).get(name, ())
        if not binders:
            return None
        state = self.fresh(owner.path, owner.qualname, owner=owner)
        if owner.around is not None:
            state.vars.update(owner.around.now)
            state.heap.update(owner.around.heap)
        before = state.vars.get(name)
        found: Value | None = None
        saved, statement = self.budget.left, self.statement
        point = self.points.get(owner.path)
        state.frame.before = self.stand(owner.path, owner.qualname, owner.node)
        self.recorder.muted += 1
        self.budget.start()
        try:
            for node in binders:
                if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                    if _is_setter(node):
                        continue
                    state.vars[name] = self.method_value(node, owner, state)
                else:
                    self._class_names(owner, node, name, state)
                    self.run([node], state)
            found = state.vars.get(name)
            found = None if found is before else found
        finally:
            self.recorder.muted -= 1
            self.budget.left, self.statement = saved, statement
            restore(self.points, owner.path, point)
        self.keep_new(state.heap)
        if found is None or all(isinstance(answer, Unbound) for answer, _ in found.cases):
            return None
        if self.is_enum(owner):
            return self._as_member(owner, name, found)
        return Value(found.cases, found.trace, found.missed, found.via)

    def method_value(self, node: ast.FunctionDef | ast.AsyncFunctionDef, owner: Class, state: State) -> Value:
        """The value of a `def` in the body of a class; in a class inside a function it reads the names around that."""
        value = self.function_value(node, owner.path, f"{owner.qualname}.{node.name}", state, owner)
        function = value.only()
        if owner.around is None or not isinstance(function, Function):
            return value
        return const(enclosed_method(function, owner.around))

    def _class_names(self, owner: Class, node: ast.stmt, name: str, state: State) -> None:
        """Let a class-level statement read the class's other names."""
        for part in walk(node):
            if (
                isinstance(part, ast.Name)
                and isinstance(part.ctx, ast.Load)
                and part.id != name
                and part.id not in state.vars
            ):
                value = self.own_member(owner, part.id) if part.id in self._binders(owner.node) else None
                if value is not None:
                    state.vars[part.id] = value

    def setter_of(self, owner: Class, name: str) -> Function | None:
        """The function that sets a property, where the class or a base defines one."""
        for holder in self.lineage(owner):
            for node in self._binders(holder.node).get(name, ()):
                if isinstance(node, ast.FunctionDef) and _is_setter(node) and len(node.args.args) == 2:
                    return Function(holder.path, f"{holder.qualname}.{name}", node, {}, holder)
        return None

    def function_value(
        self,
        node: ast.FunctionDef | ast.AsyncFunctionDef,
        path: str,
        qualname: str,
        state: State,
        owner: Class | None = None,
    ) -> Value:
        """The value of a `def` (defined with the calls)."""
        raise NotImplementedError

    def stand(self, path: str, qualname: str, node: ast.AST) -> int | None:
        """Stand at the top-level statement that a definition lies in, where it is run with the module."""
        code = self.code(path)
        if not code.runs_with_module(qualname):
            return None
        self.points[path] = code.statement_at(node)
        return self.points[path]

    def quietly(self, node: ast.expr, path: str, definition: str = "", around: Around | None = None) -> Value:
        """Evaluate an expression without recording anything.

        It is evaluated at the end of the module, or where the class or function `definition` is defined: inside
        another function with the names that are `around` it there.
        """
        state = self.fresh(path, "")
        if around is not None:
            state.vars.update(around.now)
            state.heap.update(around.heap)
        saved, point = self.budget.left, self.points.get(path)
        if definition:
            state.frame.before = self.stand(path, definition, node)
        self.recorder.muted += 1
        self.budget.start()
        try:
            return self.eval(node, state)
        finally:
            self.recorder.muted -= 1
            self.budget.left = saved
            restore(self.points, path, point)
            self.keep_new(state.heap)

    def fresh(self, path: str, symbol: str, *, owner: Class | None = None, alive: int | None = None) -> State:
        """A state at the start of a root: everyone is there."""
        everyone = self.everyone if alive is None else alive
        frame = Frame(path, symbol, self.base, owner=owner)
        return State(frame, everyone, everyone, everyone)

    # Enums and named tuples.

    def is_enum(self, owner: Class) -> bool:
        """True for a class that derives from one of the Enum classes."""
        return bool(self.external_bases(owner) & _ENUMS)

    def is_plain(self, owner: Class) -> bool:
        """True for an Enum whose members are ints or texts besides: `IntEnum`, `(str, Enum)`."""
        return bool(self.external_bases(owner) & _PLAIN)

    def _as_member(self, owner: Class, name: str, value: Value) -> Value:
        answer = value.only()
        if (
            isinstance(answer, Function)
            or name.startswith("_")
            or (not is_concrete(answer) and not isinstance(answer, tuple))
        ):
            return value
        if isinstance(answer, External):
            return Value(((Unknown("an automatic enum value"), EVERYWHERE),))
        return const(EnumMember(owner, name, answer, self.is_plain(owner)))

    # Instances seen from their methods.


def gives_its_bases(owner: Class, code: Code) -> bool:
    """True for a class that gives methods which it does not define itself something from the hardware."""
    methods = [part for part in owner.node.body if isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef))]
    own = {method.name for method in methods}
    bases = {base.id for base in owner.node.bases if isinstance(base, ast.Name)}
    return any(
        code.matters(f"{owner.qualname}.{method.name}") and _gives_others(method, own, bases, code)
        for method in methods
    )


def _gives_others(method: ast.FunctionDef | ast.AsyncFunctionDef, own: set[str], bases: set[str], code: Code) -> bool:
    """True where a method hands a hardware value, or a name made of one, to a method of a base."""
    given: list[ast.expr] = []
    for part in walk(method):
        if part.__class__ is ast.Call and part.func.__class__ is ast.Attribute:
            assert isinstance(part, ast.Call)
            assert isinstance(part.func, ast.Attribute)
            holder = part.func.value
            name = holder.id if isinstance(holder, ast.Name) else ""
            above = isinstance(holder, ast.Call) and isinstance(holder.func, ast.Name) and holder.func.id == "super"
            if above or name in bases or (name in OWN and part.func.attr not in own):
                given += [*part.args, *(keyword.value for keyword in part.keywords)]
    made: set[str] = set()
    for part in walk(method) if given else ():
        if isinstance(part, ast.Assign) and code.mentions_a_carrier(part.value):
            made |= {inner.id for target in part.targets for inner in walk(target) if isinstance(inner, ast.Name)}
    return any(code.mentions_a_carrier(one) or not made.isdisjoint(mentioned_names(one)) for one in given)


def enclosed_method(function: Function, around: Around) -> Function:
    """A method of a class that is made inside a function."""
    names = {name: around.later[name] for name in sorted(mentioned_names(function.node) & around.later.keys())}
    return replace(function, closure=names, home=around.frame)


def bound_names(node: ast.stmt) -> tuple[str, ...]:
    """The names that one statement of a class body binds."""
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return (node.name,)
    if isinstance(node, ast.Assign):
        return tuple(
            part.id
            for target in node.targets
            for part in ast.walk(target)
            if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
        )
    if isinstance(node, ast.AugAssign | ast.Delete):
        changed = node.targets if isinstance(node, ast.Delete) else [node.target]
        return tuple(target.id for target in changed if isinstance(target, ast.Name))
    if isinstance(node, ast.AnnAssign) and node.value is not None and isinstance(node.target, ast.Name):
        return (node.target.id,)
    if isinstance(node, (ast.If, ast.Try, ast.With, ast.For)):
        inner = tuple(
            name
            for child in walk(node)
            if isinstance(child, ast.stmt) and child is not node
            for name in bound_names(child)
        )
        targets = walk(node.target) if isinstance(node, ast.For) else []
        return (*inner, *(part.id for part in targets if isinstance(part, ast.Name)))
    return ()


def _is_setter(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return any(isinstance(deco, ast.Attribute) and deco.attr in ("setter", "deleter") for deco in node.decorator_list)
