"""Evaluate classes: members along the bases, Enums, named tuples, dataclasses, and what constructors leave behind."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from hwlint.evaluate.attributes import Attributes
from hwlint.evaluate.state import Frame, State
from hwlint.evaluate.values import (
    EVERYWHERE,
    AttrContent,
    Class,
    EnumMember,
    External,
    Function,
    Named,
    Raised,
    Ref,
    Unbound,
    Unknown,
    Value,
    const,
    is_concrete,
    join,
    make,
)

_ENUMS = frozenset({"Enum", "IntEnum", "StrEnum", "Flag", "IntFlag"})


@dataclass(frozen=True, slots=True)
class Made:
    """An instance as its constructor leaves it: the attributes, and the architectures on which it ends normally."""

    ref: Ref
    content: Value
    complete: int


class Classes(Attributes):
    """The part of the evaluator that knows classes."""

    def __init__(self, *args: object) -> None:
        """Start with nothing known of any class."""
        super().__init__(*args)  # type: ignore[arg-type]
        self._member_values: dict[tuple[ast.ClassDef, str], Value | None] = {}
        self._bases: dict[ast.ClassDef, tuple[Class, ...]] = {}
        self._made: dict[ast.ClassDef, Made | None] = {}
        self._enums: dict[ast.ClassDef, tuple[Value, ...] | None] = {}
        self._by_methods: dict[tuple[ast.ClassDef, str], Value | None] = {}
        self._setters: dict[ast.ClassDef, dict[str, list[ast.FunctionDef]]] = {}
        self._roots: dict[Ref, Class] = {}

    # Members.

    def class_member(self, owner: Class, name: str) -> tuple[Value, Class] | None:
        """Return what a class or its bases define under `name`, and which of them does; nearest first."""
        for holder in self.lineage(owner):
            found = self._own_member(holder, name)
            if found is not None:
                return found, holder
        return None

    def lineage(self, owner: Class) -> tuple[Class, ...]:
        """The class and its bases in the project, nearest first; a simple depth-first order."""
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
        for base in owner.node.bases:
            value = self.quietly(base, owner.path)
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

    def _own_member(self, owner: Class, name: str) -> Value | None:
        index = (owner.node, name)
        if index in self._member_values:
            return self._member_values[index]
        self._member_values[index] = None
        found = self._evaluate_member(owner, name)
        self._member_values[index] = found
        return found

    def _evaluate_member(self, owner: Class, name: str) -> Value | None:
        binders = [node for node in owner.node.body if name in _bound_names(node)]
        if not binders:
            return None
        state = self.fresh(owner.path, owner.qualname, owner=owner)
        state.frame.before = None
        found: Value | None = None
        saved = self.budget.left
        self.recorder.muted += 1
        self.budget.start()
        try:
            for node in binders:
                if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                    if _is_setter(node):
                        continue
                    state.vars[name] = self.function_value(node, owner.path, f"{owner.qualname}.{name}", state, owner)
                else:
                    self._class_names(owner, node, name, state)
                    self.run([node], state)
            found = state.vars.get(name)
        finally:
            self.recorder.muted -= 1
            self.budget.left = saved
        self.base.update(state.heap)
        if found is None:
            return None
        if self.is_enum(owner):
            return self._as_member(owner, name, found)
        return Value(found.cases, found.trace, found.missed, found.via)

    def _class_names(self, owner: Class, node: ast.stmt, name: str, state: State) -> None:
        """Let a class-level statement read the class's other names."""
        for part in ast.walk(node):
            if (
                isinstance(part, ast.Name)
                and isinstance(part.ctx, ast.Load)
                and part.id != name
                and part.id not in state.vars
            ):
                value = (
                    self._own_member(owner, part.id)
                    if any(part.id in _bound_names(n) for n in owner.node.body)
                    else None
                )
                if value is not None:
                    state.vars[part.id] = value

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

    def quietly(self, node: ast.expr, path: str) -> Value:
        """Evaluate an expression at the end of a module, without recording anything."""
        state = self.fresh(path, "")
        saved = self.budget.left
        self.recorder.muted += 1
        self.budget.start()
        try:
            return self.eval(node, state)
        finally:
            self.recorder.muted -= 1
            self.budget.left = saved
            self.base.update(state.heap)

    def fresh(self, path: str, symbol: str, *, owner: Class | None = None, alive: int | None = None) -> State:
        """A state at the start of a root: everyone is there."""
        everyone = self.everyone if alive is None else alive
        frame = Frame(path, symbol, self.base, owner=owner)
        return State(frame, everyone, everyone, everyone)

    # Enums and named tuples.

    def is_enum(self, owner: Class) -> bool:
        """True for a class that derives from one of the Enum classes."""
        return bool(self.external_bases(owner) & _ENUMS)

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
        return const(EnumMember(owner, name, answer))

    def enum_members(self, owner: Class) -> tuple[Value, ...] | None:
        """The members of an Enum class in order; None for any other class."""
        if owner.node in self._enums:
            return self._enums[owner.node]
        self._enums[owner.node] = None
        if self.is_enum(owner):
            found = []
            for node in owner.node.body:
                for name in _bound_names(node) if isinstance(node, ast.Assign) else ():
                    value = self._own_member(owner, name)
                    if value is not None and isinstance(value.only(), EnumMember):
                        found.append(value)
            self._enums[owner.node] = tuple(found)
        return self._enums[owner.node]

    def fields(self, owner: Class) -> list[tuple[str, ast.expr | None, Class]] | None:
        """The fields of a dataclass or NamedTuple with their defaults; None for any other class."""
        if "NamedTuple" not in self.external_bases(owner) and not any(
            _is_dataclass(h.node) for h in self.lineage(owner)
        ):
            return None
        found: dict[str, tuple[str, ast.expr | None, Class]] = {}
        for holder in reversed(self.lineage(owner)):
            for node in holder.node.body:
                if (
                    isinstance(node, ast.AnnAssign)
                    and isinstance(node.target, ast.Name)
                    and "ClassVar" not in ast.unparse(node.annotation)
                ):
                    found[node.target.id] = (node.target.id, node.value, holder)
        return list(found.values())

    def instantiate(
        self, owner: Class, args: list[Value], keywords: dict[str, Value], node: ast.AST, state: State
    ) -> Value:
        """Call a class."""
        if self.is_enum(owner):
            return self._enum_call(owner, args, node, state)
        fields = self.fields(owner)
        is_tuple = "NamedTuple" in self.external_bases(owner)
        if fields is not None and (is_tuple or self.class_member(owner, "__init__") is None):
            values = self._field_values(fields, args, keywords)
            if is_tuple:
                return self._named(owner, values, state)
            made = self.new("instance", AttrContent(values), node, state, owner)
            after = self.class_member(owner, "__post_init__")
            if after is not None:
                self.call(self.bind(after[0], made, owner, node, state), [], {}, node, state)
            return made
        made = self.new("instance", AttrContent({}), node, state, owner)
        init = self.class_member(owner, "__init__")
        if init is not None:
            self.call(self.bind(init[0], made, owner, node, state), args, keywords, node, state)
        elif self.external_bases(owner) - {"object", "ABC", "Protocol", "Generic"}:
            ref = made.only()
            self.store(
                ref, const(AttrContent({}, Unknown("attributes set by a base class outside the project"))), state
            )
        return made

    def _enum_call(self, owner: Class, args: list[Value], node: ast.AST, state: State) -> Value:
        members = self.enum_members(owner) or ()
        wanted = args[0] if args else Value(())
        cases = []
        for answer, mask in wanted.cases:
            hit = next((m.only() for m in members if is_concrete(answer) and m.only().value == answer), None)
            if hit is not None:
                cases.append((hit, mask))
            elif is_concrete(answer):
                if not self.fault(
                    Raised("ValueError", f"{answer!r} is not a valid {owner.qualname}"), mask, node, state
                ):
                    cases.append((Unknown("a value that no enum member has"), mask))
            else:
                cases.append((Unknown(answer.reason if isinstance(answer, Unknown) else "an enum member"), mask))
        return make(cases, wanted.trace)

    def _field_values(
        self, fields: list[tuple[str, ast.expr | None, Class]], args: list[Value], keywords: dict[str, Value]
    ) -> dict[str, Value]:
        values: dict[str, Value] = {}
        for position, (name, default, holder) in enumerate(fields):
            if position < len(args):
                values[name] = args[position]
            elif name in keywords:
                values[name] = keywords[name]
            elif default is not None and not isinstance(default, ast.Call):
                values[name] = self.quietly(default, holder.path)
            else:
                values[name] = Value(((Unknown(f"the field {name}"), EVERYWHERE),))
        return values

    def _named(self, owner: Class, values: dict[str, Value], state: State) -> Value:
        whole = self.expand(self.tuple_of(list(values.values())), state)
        fields = tuple(values)
        cases = [
            (Named.of(owner, fields, answer) if isinstance(answer, tuple) else answer, mask)
            for answer, mask in whole.cases
        ]
        return make(cases, whole.trace)

    # Instances seen from their methods.

    def made(self, owner: Class) -> Made | None:
        """An instance as `__init__` leaves it when its arguments are not known; None while that is being worked out."""
        if owner.node in self._made:
            return self._made[owner.node]
        self._made[owner.node] = None
        ref = Ref("instance", None, owner.node, owner)
        self._roots[ref] = owner
        result = Made(ref, const(AttrContent({}, Unknown("attributes set outside the constructor"))), self.everyone)
        init = self.class_member(owner, "__init__")
        fields = self.fields(owner)
        function = init[0].only() if init is not None else None
        if isinstance(function, Function):
            result = self._construct(ref, function)
        elif fields is not None:
            values = {
                name: Value(((Unknown(f"the field {name}, set by whoever makes the object"), EVERYWHERE),))
                for name, _, _ in fields
            }
            result = Made(ref, const(AttrContent(values)), self.everyone)
        self._made[owner.node] = result
        return result

    def _construct(self, ref: Ref, init: Function) -> Made:
        state = self.fresh(init.path, init.qualname)
        state.heap[ref] = const(AttrContent({}))
        saved, frames = self.budget.left, list(self.frames)
        self.recorder.muted += 1
        self.budget.start()
        try:
            early = self.run_standalone(init, ref, state)
        finally:
            self.recorder.muted -= 1
            self.budget.left = saved
            self.frames = frames
        self.base.update({made: value for made, value in state.heap.items() if made is not ref})
        complete = state.alive & ~early
        return Made(ref, state.heap.get(ref, const(AttrContent({}))), complete or state.alive or self.everyone)

    def run_standalone(self, function: Function, ref: Ref | None, state: State) -> int:
        """Run a function with unknown arguments (defined with the calls)."""
        raise NotImplementedError

    def set_elsewhere(self, ref: Ref, name: str, value: Value, state: State) -> Value:
        """What an attribute that the constructor set may be once other methods have run."""
        owner = self._roots.get(ref)
        if owner is None or name not in self.setters(owner):
            return value
        made = self._made.get(owner.node)
        if made is None or not any(
            isinstance(content, AttrContent) and content.items.get(name) is value for content, _ in made.content.cases
        ):
            return value
        other = self._from_methods(owner, name)
        return value if other is None else join((value, other))

    def set_by_methods(self, ref: Ref, name: str, state: State) -> Value | None:
        """What methods other than the constructor set an attribute to."""
        owner = ref.type
        if not isinstance(owner, Class) or name not in self.setters(owner):
            return None
        return self._from_methods(owner, name)

    def setters(self, owner: Class) -> dict[str, list[ast.FunctionDef]]:
        """For each attribute the methods other than the constructor that assign `self.<attribute>`."""
        known = self._setters.get(owner.node)
        if known is None:
            known = {}
            for holder in self.lineage(owner):
                for node in holder.node.body:
                    if isinstance(node, ast.FunctionDef) and node.name != "__init__" and node.args.args:
                        for attribute in _assigned_attributes(node, node.args.args[0].arg):
                            known.setdefault(attribute, []).append(node)
            self._setters[owner.node] = known
        return known

    def _from_methods(self, owner: Class, name: str) -> Value | None:
        index = (owner.node, name)
        if index in self._by_methods:
            return self._by_methods[index]
        self._by_methods[index] = None
        found: list[Value] = []
        for node in self.setters(owner)[name][:4]:
            member = self.class_member(owner, node.name)
            function = member[0].only() if member is not None else None
            if not isinstance(function, Function) or function.node is not node or function.binding == "class":
                found.append(Value(((Unknown(f"{name} is set in {node.name}"), EVERYWHERE),)))
                continue
            found.append(self._after_method(owner, function, name))
        result = join(found) if found else None
        self._by_methods[index] = result
        return result

    def _after_method(self, owner: Class, function: Function, name: str) -> Value:
        made = self.made(owner)
        ref = made.ref if made is not None else Ref("instance", None, owner.node, owner)
        state = self.fresh(function.path, function.qualname)
        state.heap[ref] = (
            made.content if made is not None else const(AttrContent({}, Unknown("the constructor is still running")))
        )
        saved, frames = self.budget.left, list(self.frames)
        self.recorder.muted += 1
        self.budget.start()
        try:
            self.run_standalone(function, ref, state)
        finally:
            self.recorder.muted -= 1
            self.budget.left = saved
            self.frames = frames
        self.base.update({other: value for other, value in state.heap.items() if other is not ref})
        content = state.heap[ref].only()
        found = content.items.get(name) if isinstance(content, AttrContent) else None
        if found is None:
            return Value(((Unknown(f"{name} is set in {function.qualname}"), EVERYWHERE),))
        cases = [case for case in found.cases if not isinstance(case[0], Unbound)]
        return make(cases, found.trace, found.missed, found.via)


def _bound_names(node: ast.stmt) -> tuple[str, ...]:
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
    if isinstance(node, ast.AnnAssign) and node.value is not None and isinstance(node.target, ast.Name):
        return (node.target.id,)
    if isinstance(node, (ast.If, ast.Try, ast.With, ast.For)):
        return tuple(
            name
            for child in ast.walk(node)
            if isinstance(child, ast.stmt) and child is not node
            for name in _bound_names(child)
        )
    return ()


def _is_setter(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return any(isinstance(deco, ast.Attribute) and deco.attr in ("setter", "deleter") for deco in node.decorator_list)


def _is_dataclass(node: ast.ClassDef) -> bool:
    return any("dataclass" in ast.unparse(decorator) for decorator in node.decorator_list)


def _assigned_attributes(node: ast.FunctionDef, receiver: str) -> set[str]:
    return {
        part.attr
        for part in ast.walk(node)
        if isinstance(part, ast.Attribute)
        and isinstance(part.ctx, ast.Store)
        and isinstance(part.value, ast.Name)
        and part.value.id == receiver
    }
