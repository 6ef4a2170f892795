"""Make objects of the project's classes: instances, named tuples, dataclasses."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from hwlint.evaluate.answers import AttrContent, Class, Function, Named, Ref, Unknown
from hwlint.evaluate.members import Members
from hwlint.evaluate.state import State
from hwlint.evaluate.values import EVERYWHERE, Value, const, make


class Records(Members):
    """The part of the evaluator that calls classes."""

    def instantiate(
        self, owner: Class, args: list[Value], keywords: dict[str, Value], node: ast.AST, state: State
    ) -> Value:
        """Call a class."""
        if self.is_enum(owner):
            return self.enum_call(owner, args, node, state)
        if "TypedDict" in self.external_bases(owner):
            return self.call_builtin("dict", args, keywords, node, state)
        given = self._new_object(owner, args, keywords, node, state)
        if given is not None and not any(isinstance(answer, Unknown) for answer, _ in given.cases):
            return given
        rest = Unknown("attributes set in __new__") if given is not None else None
        fields = self.fields(owner)
        is_tuple = "NamedTuple" in self.external_bases(owner)
        if fields is not None and (is_tuple or self.class_member(owner, "__init__") is None):
            values = self._field_values(fields, args, keywords)
            if is_tuple:
                return self._named(owner, values, state)
            made = self.new("instance", AttrContent(values, rest), node, state, owner)
            after = self.class_member(owner, "__post_init__")
            if after is not None:
                self.call(self.bind(after[0], made, owner, node, state), [], {}, node, state)
            return made
        made = self.new("instance", AttrContent({}, rest), node, state, owner)
        init = self.class_member(owner, "__init__")
        if init is not None:
            self.call(self.bind(init[0], made, owner, node, state), args, keywords, node, state)
        elif self.external_bases(owner) - {"object", "ABC", "Protocol", "Generic"}:
            ref = made.only()
            self.store(
                ref, const(AttrContent({}, Unknown("attributes set by a base class outside the project"))), state
            )
        return made

    def call_builtin(
        self, name: str, args: Sequence[Value], keywords: dict[str, Value], node: ast.AST, state: State
    ) -> Value:
        """Call a builtin (defined with the builtins)."""
        raise NotImplementedError

    def _new_object(
        self, owner: Class, args: list[Value], keywords: dict[str, Value], node: ast.AST, state: State
    ) -> Value | None:
        """What `__new__` gives, where the class defines it; Unknown for an object, None where it defines none."""
        found = self.class_member(owner, "__new__")
        function = found[0].only() if found is not None else None
        if not isinstance(function, Function):
            return None if found is None else Value(((Unknown("what __new__ gives"), EVERYWHERE),))
        value = self.call_function(function, [const(owner), *args], keywords, node, state)
        for answer, _ in value.cases:
            if isinstance(answer, Ref) and answer.type is not None:
                return Value(((Unknown("an object that __new__ gives"), EVERYWHERE),))
        return value

    def call_function(
        self, function: Function, args: Sequence[Value], keywords: dict[str, Value], node: ast.AST, state: State
    ) -> Value:
        """Run a function of the project (defined with the functions)."""
        raise NotImplementedError

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

    def _field_values(
        self, fields: list[tuple[str, ast.expr | None, Class]], args: list[Value], keywords: dict[str, Value]
    ) -> dict[str, Value]:
        values: dict[str, Value] = {}
        for position, (name, default, holder) in enumerate(fields):
            if position < len(args):
                values[name] = args[position]
            elif name in keywords:
                values[name] = keywords[name]
            else:
                made = self.field_default(default, holder)
                values[name] = made if made is not None else Value(((Unknown(f"the field {name}"), EVERYWHERE),))
        return values

    def field_default(self, default: ast.expr | None, holder: Class) -> Value | None:
        """What a field is where nothing is given: the default, or what `field(...)` names as one."""
        if isinstance(default, ast.Call):
            if ast.unparse(default.func).rpartition(".")[2] != "field":
                return None
            given = {keyword.arg: keyword.value for keyword in default.keywords}
            factory = given.get("default_factory")
            made = ast.copy_location(ast.Call(factory, [], []), factory) if factory is not None else None
            default = given.get("default", made)
        return self.quietly(default, holder.path, holder.qualname) if default is not None else None

    def _named(self, owner: Class, values: dict[str, Value], state: State) -> Value:
        whole = self.expand(self.tuple_of(list(values.values())), state)
        fields = tuple(values)
        cases = [
            (Named.of(owner, fields, answer) if isinstance(answer, tuple) else answer, mask)
            for answer, mask in whole.cases
        ]
        return make(cases, whole.trace)


def _is_dataclass(node: ast.ClassDef) -> bool:
    return any("dataclass" in ast.unparse(decorator) for decorator in node.decorator_list)
