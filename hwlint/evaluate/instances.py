"""See an object from its methods: what the constructor and the other methods leave on it."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence

from hwlint.evaluate.answers import Answer, AttrContent, Class, Function, Ref, Unbound, Unknown
from hwlint.evaluate.changes import Change, after, changes_in
from hwlint.evaluate.classes import NOTHING_MADE, Made
from hwlint.evaluate.holders import INSIDE
from hwlint.evaluate.records import Records
from hwlint.evaluate.scopes import local_names
from hwlint.evaluate.state import State
from hwlint.evaluate.values import EVERYWHERE, Value, const, join, make
from hwlint.source.nodes import walk


class Instances(Records):
    """The part of the evaluator that knows instances whose making is not seen."""

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
            result = self._construct(ref, function, owner)
        elif fields is not None:
            values = {name: self._field(name, default, holder) for name, default, holder in fields}
            result = Made(ref, const(AttrContent(values)), self.everyone)
        self._made[owner.node] = result
        return result

    def _field(self, name: str, default: ast.expr | None, holder: Class) -> Value:
        """A field of an object whose making is not seen: a default table is most likely left as it is."""
        given = Value(((Unknown(f"the field {name}, set by whoever makes the object"), EVERYWHERE),))
        usual = self.field_default(default, holder)
        kept = usual is not None and isinstance(usual.only(), Ref | tuple) and usual.only() != ()
        return join((usual, given)) if usual is not None and kept else given

    def _construct(self, ref: Ref, init: Function, owner: Class) -> Made:
        state = self.fresh(init.path, init.qualname)
        if owner.around is not None:
            state.heap.update(owner.around.heap)
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
        self.keep_new({made: value for made, value in state.heap.items() if made is not ref})
        complete = state.alive & ~early
        return Made(ref, state.heap.get(ref, const(AttrContent({}))), complete or state.alive or self.everyone)

    def run_standalone(
        self, function: Function, ref: Ref | None, state: State, chosen: Mapping[str, Made] = NOTHING_MADE
    ) -> int:
        """Run a function with unknown arguments (defined with the calls)."""
        raise NotImplementedError

    def set_elsewhere(self, ref: Ref, name: str, value: Value, state: State) -> Value:
        """What an attribute that the constructor set may be once other methods have run."""
        owner = self._roots.get(ref)
        if owner is None:
            return value
        made = self._made.get(owner.node)
        if made is None or not any(
            isinstance(content, AttrContent) and content.items.get(name) is value for content, _ in made.content.cases
        ):
            return value
        value = self._set_from_outside(owner, name, value)
        if not self._is_set_by_methods(owner, name):
            return value
        other = self._from_methods(owner, name)
        return value if other is None else join((value, other))

    def _set_from_outside(self, owner: Class, name: str, value: Value) -> Value:
        """An attribute that the class's module sets on something else than `self`: perhaps on one of its objects."""
        stores = self.code(owner.path).outside_stores
        if not any(attribute == name and holder not in ("self", "cls") for holder, attribute in stores):
            return value
        return join((value, Value(((Unknown(f"{name} is set from outside of {owner.qualname}"), EVERYWHERE),))))

    def grown_elsewhere(self, ref: Ref, name: str, value: Value, state: State) -> None:
        """Let the container that an attribute holds have more in it, where methods of its class put things there.

        Only for an object that was not made on this path: what happened to it in between is not seen.
        """
        if ref not in self.base and ref not in self._roots:
            return
        for answer, _ in value.cases:
            if isinstance(answer, Ref) and answer.kind != "instance":
                rest = Unknown(f"{name} is changed by other methods")
                whole, inside = self._change_of_attribute(ref, name), self._change_of_attribute(ref, name + INSIDE)
                held = self.reached(const(answer), state) - {answer} if inside is not None else ()
                for one, change in ((answer, whole), *((one, inside) for one in held)):
                    if change is not None and one.kind != "instance":
                        contents = self.contents(one, state).cases
                        state.heap[one] = make([(after(content, rest, change), mask) for content, mask in contents])

    def _change_of_attribute(self, ref: Ref, name: str) -> Change | None:
        """What methods, and for an object whose making is not seen functions of its module, do at worst to a container.

        An object that the module holds has been doubted for its functions already.
        """
        change = self.changers(ref.type).get(name)
        owner = self._roots.get(ref)
        other = self.code(owner.path).changed_outside(name) if owner is not None else None
        return other if change is None or (other is not None and other.value > change.value) else change

    def changers(self, owner: Answer) -> dict[str, Change]:
        """The attributes whose containers methods other than the constructor change, and what they do at worst."""
        if not isinstance(owner, Class):
            return {}
        known = self._changed.get(owner.node)
        if known is None:
            methods = [
                node
                for holder in self.lineage(owner)
                for node in holder.node.body
                if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name != "__init__"
            ]
            known = self._changed[owner.node] = _worst(methods)
        return known

    def making_changes(self, owner: Class) -> dict[str, Change]:
        """The containers of the class that constructors change: those of attributes that they do not set themselves."""
        made = [
            node
            for holder in self.lineage(owner)
            for node in holder.node.body
            if isinstance(node, ast.FunctionDef) and node.name == "__init__" and node.args.args
        ]
        own = {name for node in made for name in _assigned_attributes(node, node.args.args[0].arg)}
        return {name: change for name, change in _worst(made).items() if name.removesuffix(INSIDE) not in own}

    def reached(self, value: Value, state: State) -> set[Ref]:
        """The objects that a value may be, and those that they hold (defined with the names)."""
        raise NotImplementedError

    def set_by_methods(self, ref: Ref, name: str, state: State) -> Value | None:
        """What methods other than the constructor set an attribute to."""
        owner = ref.type
        if not isinstance(owner, Class) or not self._is_set_by_methods(owner, name):
            return None
        return self._from_methods(owner, name)

    def set_over_class(self, ref: Ref, name: str, state: State) -> Value | None:
        """What methods may have put in place of a class attribute; None for an object that was made on this path."""
        owner = ref.type
        if not isinstance(owner, Class) or name not in self.setters(owner):
            return None
        if self.class_setters(owner, name):
            return Value(((Unknown(f"{name} is set by methods of {owner.qualname}"), EVERYWHERE),))
        if ref not in self.base and ref not in self._roots:
            return None
        return self._from_methods(owner, name)

    def class_setters(self, owner: Class, name: str) -> bool:
        """True where class methods, or `__new__`, set an attribute of the class."""
        return any(
            node.name == "__new__" or any(ast.unparse(deco) == "classmethod" for deco in node.decorator_list)
            for node in self.setters(owner).get(name, ())
        )

    def _is_set_by_methods(self, owner: Class, name: str) -> bool:
        outlined = (
            self.code(holder.path).outline.attributes.get(holder.qualname, ()) for holder in self.lineage(owner)
        )
        return any(name in attributes for attributes in outlined) and name in self.setters(owner)

    def is_set_on_objects(self, owner: Answer, name: str) -> bool:
        """True for a field, and for an attribute that methods set, the constructor included."""
        if not isinstance(owner, Class):
            return False
        return any(name == field for field, _, _ in self.fields(owner) or ()) or any(
            name in self.code(holder.path).outline.attributes.get(holder.qualname, ()) for holder in self.lineage(owner)
        )

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
        complete = True
        for node in self.setters(owner)[name][:4]:
            member = self.class_member(owner, node.name)
            function = member[0].only() if member is not None else None
            if not isinstance(function, Function) or function.node is not node or function.binding == "class":
                found.append(Value(((Unknown(f"{name} is set in {node.name}"), EVERYWHERE),)))
                continue
            if self.code(function.path).matters(function.qualname):
                left = self._after_method(owner, function, name)
            else:
                left = self._assigned(function, name)
            if left is None:
                complete = False
            else:
                found.append(left)
        result = join(found) if found else None
        if complete:
            self._by_methods[index] = result
        else:
            del self._by_methods[index]
        return result

    def _assigned(self, function: Function, name: str) -> Value:
        """What a method that has nothing to do with the hardware may set an attribute to, whatever decides which."""
        reason = Unknown(f"{name} is set in {function.qualname}")
        if isinstance(function.node, ast.Lambda):
            return Value(((reason, EVERYWHERE),))
        receiver = function.node.args.args[0].arg
        assigned, _ = local_names(function.node)
        found: list[Value] = []
        plain = 0
        for part in walk(function.node):
            match part:
                case ast.Assign(targets=targets, value=value):
                    pass
                case ast.AnnAssign(target=target, value=ast.expr() as value):
                    targets = [target]
                case _:
                    continue
            if any(_is_attribute(target, receiver, name) for target in targets):
                plain += 1
                if any(isinstance(inner, ast.Name) and inner.id in assigned for inner in walk(value)):
                    found.append(Value(((reason, EVERYWHERE),)))
                else:
                    found.append(self.quietly(value, function.path, function.qualname))
        stored = sum(_is_attribute(part, receiver, name) for part in walk(function.node) if _is_stored(part))
        if plain < stored or not found:
            found.append(Value(((reason, EVERYWHERE),)))
        return join(found)

    def _after_method(self, owner: Class, function: Function, name: str) -> Value | None:
        """What a method leaves in an attribute; None while the method is being worked out."""
        index = (owner.node, function.node)
        if index not in self._after:
            self._after[index] = None
            self._after[index] = self._left_by(owner, function)
        content = self._after[index]
        if content is None:
            return None
        found = content.items.get(name)
        if found is None:
            return Value(((Unknown(f"{name} is set in {function.qualname}"), EVERYWHERE),))
        cases = [case for case in found.cases if not isinstance(case[0], Unbound)]
        return make(cases, found.trace, found.missed, found.via)

    def _left_by(self, owner: Class, function: Function) -> AttrContent:
        """The attributes of an instance, as far as they are known, after a method with unknown arguments."""
        made = self.made(owner)
        ref = made.ref if made is not None else Ref("instance", None, owner.node, owner)
        state = self.fresh(function.path, function.qualname)
        if owner.around is not None:
            state.heap.update(owner.around.heap)
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
        self.keep_new({other: value for other, value in state.heap.items() if other is not ref})
        content = state.heap[ref].only()
        return content if isinstance(content, AttrContent) else AttrContent({})


def _is_stored(part: ast.AST) -> bool:
    return isinstance(part, ast.Attribute) and not isinstance(part.ctx, ast.Load)


def _is_attribute(target: ast.AST, receiver: str, name: str) -> bool:
    return (
        isinstance(target, ast.Attribute)
        and target.attr == name
        and isinstance(target.value, ast.Name)
        and target.value.id == receiver
    )


def _worst(methods: Sequence[ast.FunctionDef | ast.AsyncFunctionDef]) -> dict[str, Change]:
    """What methods do at worst to the containers that attributes of their receiver hold."""
    found: dict[str, Change] = {}
    for node in methods:
        for name, change in _changed_attributes(node):
            if name not in found or change.value > found[name].value:
                found[name] = change
    return found


def _changed_attributes(node: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[tuple[str, Change]]:
    """The attributes of the receiver whose items a method sets, or on which it calls a method that changes them."""
    receiver = node.args.args[0].arg if node.args.args else ""
    for name, change in changes_in(node):
        holder, _, attribute = name.partition(".")
        if attribute and holder == receiver:
            yield attribute, change


def _assigned_attributes(node: ast.FunctionDef, receiver: str) -> set[str]:
    return _named_in_calls(node) | {
        part.attr
        for part in walk(node)
        if isinstance(part, ast.Attribute)
        and isinstance(part.ctx, ast.Store)
        and isinstance(part.value, ast.Name)
        and part.value.id == receiver
    }


def _named_in_calls(node: ast.FunctionDef) -> set[str]:
    """The attributes that `setattr(self, "name", value)` and `__setattr__` set in a method."""
    found: set[str] = set()
    for part in walk(node):
        match part:
            case ast.Call(func=ast.Name(id="setattr") | ast.Attribute(attr="__setattr__"), args=args):
                found.update(one.value for one in args[:2] if isinstance(one, ast.Constant) and type(one.value) is str)
            case _:
                pass
    return found
