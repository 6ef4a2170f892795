"""Read attributes: of modules, classes, instances, builtin objects, and of what origins return."""

from __future__ import annotations

import ast

from hwlint.evaluate.answers import (
    Answer,
    AttrContent,
    Bound,
    Builtin,
    Class,
    Device,
    EnumMember,
    External,
    Function,
    Method,
    MixedTuple,
    Module,
    Named,
    Raised,
    Ref,
    Super,
    Unbound,
    Unknown,
)
from hwlint.evaluate.comprehensions import Comprehensions
from hwlint.evaluate.state import State
from hwlint.evaluate.values import EVERYWHERE, Value, const, join, make, restrict


class Attributes(Comprehensions):
    """The part of the evaluator that reads attributes."""

    def attribute(self, value: Value, name: str, node: ast.AST, state: State) -> Value:
        """Read `value.name`; one result for each thing that `value` may be."""
        self.note_none(value, "read an attribute of", node, state)
        if len(value.cases) == 1:
            answer, mask = value.cases[0]
            found = self._of(answer, name, mask, value, node, state)
            return Value(found.cases, found.trace or value.trace, found.missed, found.via)
        parts = [
            restrict(self._of(answer, name, mask, value, node, state), mask)
            for answer, mask in value.cases
            if mask & state.alive
        ]
        if not parts:
            return Value(())
        whole = join(parts)
        return Value(whole.cases, whole.trace or value.trace, whole.missed, whole.via)

    def _of(self, answer: Answer, name: str, mask: int, value: Value, node: ast.AST, state: State) -> Value:
        if answer is None:
            return self._of_none(name, mask, value, node, state)
        match answer:
            case Unknown():
                return self._of_unknown(answer, name, node, state)
            case External():
                return self._of_external(answer, name, node, state)
            case Module():
                return self._of_module(answer, name, node, state)
            case Device():
                return self._of_device(answer, name, node, state)
            case Ref(kind="instance"):
                return self._of_instance(answer, name, mask, node, state)
            case Class():
                return self._of_class(answer, name, node, state)
            case EnumMember():
                return self._of_member(answer, name, node, state)
            case Named():
                return self._of_named(answer, name, mask, node, state)
            case Super():
                return self._of_super(answer, name, node, state)
            case _:
                return self._of_builtin(answer, name)

    def _of_builtin(self, answer: Answer, name: str) -> Value:
        if isinstance(answer, Function | Bound):
            return self.function_attribute(answer, name)
        if isinstance(answer, str | int | float | bytes | tuple | MixedTuple | Ref | Builtin):
            return const(Method(answer, name))
        return Value(((Unknown(f"the attribute {name} of an object"), EVERYWHERE),))

    def _of_none(self, name: str, mask: int, value: Value, node: ast.AST, state: State) -> Value:
        self.doubts += 1
        error = Raised("AttributeError", f"'NoneType' object has no attribute '{name}'")
        others = make([case for case in value.cases if case[0] is not None]).mask
        self.fault(error, mask, node, state, others=others)
        return Value(((Unknown("an attribute of None"), EVERYWHERE),))

    def _of_unknown(self, answer: Unknown, name: str, node: ast.AST, state: State) -> Value:
        """An attribute of an object that cannot be resolved: an origin may know it by its name alone."""
        self.doubts += 1
        found = self.fallback(name, node, state)
        if found is None and name.isupper() and "_" in name and _may_be_a_module(answer):
            found = self._of_plugins(name, state)
        return found if found is not None else Value(((Unknown(answer.reason), EVERYWHERE),))

    def _of_plugins(self, name: str, state: State) -> Value | None:
        """A constant of a module that is chosen at run time: what the modules below this folder make of it."""
        values = [self.global_name(path, name, None) for path in self.project.plugins(state.frame.path, name)]
        known = [value for value in values if value is not None]
        return join(known) if known else None

    def fallback(self, name: str, node: ast.AST, state: State) -> Value | None:
        """An attribute or method that an origin knows by its name alone (defined with the origins)."""
        raise NotImplementedError

    def _of_external(self, answer: External, name: str, node: ast.AST, state: State) -> Value:
        dotted = f"{answer.name}.{name}"
        found = self.origin(dotted, (), {}, node, state, called=False)
        if found is not None:
            return found
        return const(External(dotted))

    def _of_device(self, answer: Device, name: str, node: ast.AST, state: State) -> Value:
        found = self.member(answer.type, name, node, state)
        return found if found is not None else Value(((Unknown(f"{answer.type}.{name}"), EVERYWHERE),))

    def _of_module(self, answer: Module, name: str, node: ast.AST, state: State) -> Value:
        """A name of a module of the project; what an origin knows counts more than what this build says of itself."""
        dotted = f"{self.project.table.name_of(answer.path)}.{name}"
        found = self.origin(dotted, (), {}, node, state, called=False) if self.origins.named(dotted) else None
        return found if found is not None else self.module_attribute(answer.path, name)

    def module_attribute(self, path: str, name: str) -> Value:
        """A name of another module of the project, or a module inside a package."""
        dotted = f"{self.project.table.name_of(path)}.{name}"
        if self.origins.named(dotted):
            return const(External(dotted))
        found = self.global_name(path, name, None)
        if found is not None:
            self.shared(found)
            return found
        inner = self.project.submodule(path, name)
        if inner is not None:
            return const(Module(inner))
        dotted = f"{self.project.table.name_of(path)}.{name}"
        if self.origins.holds(dotted):
            return const(External(dotted))
        return Value(((Unknown(f"{name} is not found in {path}"), EVERYWHERE),))

    def _of_instance(self, ref: Ref, name: str, mask: int, node: ast.AST, state: State) -> Value:
        content = self.contents(ref, state).only()
        if isinstance(ref.type, Class) and self.class_member(ref.type, "__getattribute__") is not None:
            return Value(((Unknown("an attribute that __getattribute__ gives"), EVERYWHERE),))
        found = content.items.get(name) if isinstance(content, AttrContent) else None
        if found is None:
            rest = content.rest if isinstance(content, AttrContent) else content
            usual = self._inherited(ref, name, rest, node, state)
            if isinstance(content, AttrContent) or not self.is_set_on_objects(ref.type, name):
                return usual
            return join((usual, Value(((Unknown(f"{name} of an object made elsewhere"), EVERYWHERE),))))
        self.grown_elsewhere(ref, name, found, state)
        value = self.set_elsewhere(ref, name, found, state)
        unset = 0
        for answer, seen in value.cases:
            if isinstance(answer, Unbound):
                unset |= seen & mask & state.alive
        if not unset:
            return value
        kept = make(
            [case for case in value.cases if not isinstance(case[0], Unbound)], value.trace, value.missed, value.via
        )
        other = self._inherited(ref, name, content.rest, node, state.narrow(unset, decided=0))
        return join((kept, restrict(other, unset))) if kept.cases else other

    def _inherited(self, ref: Ref, name: str, rest: Answer, node: ast.AST, state: State) -> Value:
        if not isinstance(ref.type, Class):
            return Value(
                ((rest if isinstance(rest, Unknown) else Unknown(f"the attribute {name} of an object"), EVERYWHERE),)
            )
        if name == "__class__":
            return const(ref.type)
        found = self.class_member(ref.type, name)
        if found is not None and _is_left_to_others(found[0]):
            known = self.fallback(name, node, state)
            if known is not None:
                return known
        if found is not None:
            usual = self.bind(self.of_subclasses(ref, name, found[0]), const(ref), ref.type, node, state)
            other = self.set_over_class(ref, name, state)
            return usual if other is None else join((usual, other))
        elsewhere = self.set_by_methods(ref, name, state)
        if elsewhere is not None:
            return elsewhere
        getter = self.class_member(ref.type, "__getattr__")
        if getter is not None:
            bound = self.bind(getter[0], const(ref), ref.type, node, state)
            return self.call(bound, [const(name)], {}, node, state)
        fallback = self.fallback(name, node, state)
        if fallback is not None:
            return fallback
        self.doubts += self.catches("AttributeError")
        reason = rest.reason if isinstance(rest, Unknown) else f"no assignment to {ref.type.qualname}.{name} is found"
        return Value(((Unknown(reason), EVERYWHERE),))

    def shared(self, value: Value) -> None:
        """Another module has an object of a module (defined with the names)."""
        raise NotImplementedError

    def is_set_on_objects(self, owner: Answer, name: str) -> bool:
        """Whether objects have an attribute of their own by this name (defined with the instances)."""
        raise NotImplementedError

    def grown_elsewhere(self, ref: Ref, name: str, value: Value, state: State) -> None:
        """Let a container have more in it, where methods put things there (defined with the instances)."""
        raise NotImplementedError

    def set_by_methods(self, ref: Ref, name: str, state: State) -> Value | None:
        """What methods other than the constructor set an attribute to (defined with the classes)."""
        raise NotImplementedError

    def of_subclasses(self, ref: Ref, name: str, usual: Value) -> Value:
        """What the classes that are made put in place of a class attribute (defined with the instances)."""
        raise NotImplementedError

    def of_class_below(self, owner: Class, name: str, usual: Value) -> Value:
        """What the classes below have in place of a class attribute (defined with the instances)."""
        raise NotImplementedError

    def set_over_class(self, ref: Ref, name: str, state: State) -> Value | None:
        """What methods may have put in place of a class attribute (defined with the instances)."""
        raise NotImplementedError

    def class_setters(self, owner: Class, name: str) -> bool:
        """Whether class methods set an attribute of the class (defined with the instances)."""
        raise NotImplementedError

    def bind(self, member: Value, receiver: Value, owner: Class, node: ast.AST, state: State) -> Value:
        """Turn a function found in a class into a bound method, a property into its value."""
        cases: list[tuple[Answer, int]] = []
        for answer, mask in member.cases:
            if not isinstance(answer, Function) or answer.binding == "static":
                cases.append((answer, mask))
            elif answer.binding == "class":
                cases.append((Bound(answer, const(owner)), mask))
            elif answer.binding in ("property", "cached"):
                got = self.call_function(answer, [receiver], {}, node, state)
                if answer.binding == "cached":
                    self._keep_cached(receiver, answer, got, state)
                return Value(got.cases, got.trace, got.missed, got.via)
            else:
                cases.append((Bound(answer, receiver), mask))
        return make(cases, member.trace, member.missed, member.via)

    def _keep_cached(self, receiver: Value, function: Function, value: Value, state: State) -> None:
        """A cached property: the object has its value as an attribute of its own from now on."""
        ref = receiver.only()
        content = self.contents(ref, state).only() if type(ref) is Ref and ref in state.heap else None
        if type(ref) is Ref and isinstance(content, AttrContent) and not isinstance(function.node, ast.Lambda):
            name = function.node.name
            old = content.items.get(name) or const(Unbound(name))
            kept = join((restrict(value, state.alive), restrict(old, ~state.alive)))
            state.heap[ref] = const(AttrContent({**content.items, name: kept}, content.rest))

    def _of_class(self, owner: Class, name: str, node: ast.AST, state: State) -> Value:
        found = self.class_member(owner, name)
        if found is not None and _is_left_to_others(found[0]):
            known = self.fallback(name, node, state)
            if known is not None:
                return known
        if found is not None:
            own = found[0]
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in _OWN:
                own = self.of_class_below(owner, name, own)
            value = _as_a_switch(own, node)
            cases: list[tuple[Answer, int]] = []
            for answer, mask in value.cases:
                if isinstance(answer, Function) and answer.binding == "class":
                    answer = Bound(answer, const(owner))
                elif isinstance(answer, Function) and answer.binding in ("property", "cached"):
                    answer = Unknown(f"the property {name} itself, not what it gives", is_none=False)
                cases.append((answer, mask))
            if self.class_setters(owner, name):
                cases.append((Unknown(f"{name} is set by methods of {owner.qualname}"), EVERYWHERE))
            return make(cases, value.trace, value.missed, value.via)
        if name in ("__name__", "__qualname__"):
            return const(owner.qualname.rpartition(".")[2] if name == "__name__" else owner.qualname)
        fallback = self.fallback(name, node, state)
        if fallback is not None:
            return fallback
        self.doubts += self.catches("AttributeError")
        return Value(((Unknown(f"{owner.qualname} has no {name} that can be found"), EVERYWHERE),))

    def _of_member(self, member: EnumMember, name: str, node: ast.AST, state: State) -> Value:
        if name in ("value", "_value_"):
            return const(member.value)
        if name in ("name", "_name_"):
            return const(member.name)
        found = self.class_member(member.owner, name)
        if found is not None:
            return self.bind(found[0], const(member), member.owner, node, state)
        return Value(((Unknown(f"the attribute {name} of an enum member"), EVERYWHERE),))

    def _of_named(self, answer: Named, name: str, mask: int, node: ast.AST, state: State) -> Value:
        if name in answer.fields:
            return const(answer[answer.fields.index(name)])
        if isinstance(answer.type, Class):
            found = self.class_member(answer.type, name)
            if found is not None:
                return self.bind(found[0], const(answer), answer.type, node, state)
            return const(Method(tuple(answer), name))
        member = self.member(answer.type, name, node, state)
        return member if member is not None else const(Method(tuple(answer), name))

    def _of_super(self, answer: Super, name: str, node: ast.AST, state: State) -> Value:
        for base in self._after_owner(answer):
            found = self.own_member(base, name)
            if found is not None:
                return self.bind(found, answer.receiver, base, node, state)
        if name == "__setattr__":
            return const(Bound(Builtin("setattr"), answer.receiver))
        return Value(((Unknown(f"{name} of a base class outside the project"), EVERYWHERE),))

    def _after_owner(self, answer: Super) -> tuple[Class, ...]:
        """The classes that come after the method's own in the order of the object's class."""
        receiver = answer.receiver.only()
        owner = receiver if isinstance(receiver, Class) else getattr(receiver, "type", getattr(receiver, "owner", None))
        order = self.lineage(owner) if isinstance(owner, Class) else ()
        at = next((index for index, holder in enumerate(order) if holder.node is answer.owner.node), None)
        return order[at + 1 :] if at is not None else self.lineage(answer.owner)[1:]

    def lineage(self, owner: Class) -> tuple[Class, ...]:
        """The class and its bases in the order of lookup (defined with the classes)."""
        raise NotImplementedError

    def own_member(self, owner: Class, name: str) -> Value | None:
        """What the body of a class defines under a name (defined with the classes)."""
        raise NotImplementedError

    def bases(self, owner: Class) -> tuple[Class, ...]:
        """The base classes that the project defines (defined with the classes)."""
        raise NotImplementedError

    def function_attribute(self, answer: Answer, name: str) -> Value:
        """An attribute of a function: what the module sets on it (defined with the modules)."""
        raise NotImplementedError


def _may_be_a_module(answer: Unknown) -> bool:
    """True for what `importlib` loads, and for a name that functions fill in while the program runs."""
    return "importlib.import_module" in answer.reason or answer.reason.endswith("is changed by a function")


def _is_left_to_others(member: Value) -> bool:
    """True for a method that only raises NotImplementedError: a subclass, which is not known here, does the work."""
    function = member.cases[0][0] if len(member.cases) == 1 else None
    if not isinstance(function, Function) or isinstance(function.node, ast.Lambda):
        return False
    last = function.node.body[-1]
    if len(function.node.body) > 2 or not isinstance(last, ast.Raise) or last.exc is None:
        return False
    raised = last.exc.func if isinstance(last.exc, ast.Call) else last.exc
    return isinstance(raised, ast.Name) and raised.id == "NotImplementedError"


def _as_a_switch(member: Value, node: ast.AST) -> Value:
    """`Options.fast` that the class says is False or None: somebody may have set it since."""
    by_name = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id not in _OWN
    if by_name and len(member.cases) == 1 and (member.cases[0][0] is False or member.cases[0][0] is None):
        reason = "an attribute of a class that may be set from outside"
        return make([*member.cases, (Unknown(reason), EVERYWHERE)], member.trace, member.missed, member.via)
    return member


_OWN = frozenset({"cls", "self", "klass"})
