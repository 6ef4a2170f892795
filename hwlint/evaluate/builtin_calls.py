"""Evaluate calls of builtins, of methods of builtin objects, and of a few functions of the standard library."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from hwlint.evaluate.answers import (
    FROZEN,
    Answer,
    AttrContent,
    Builtin,
    Class,
    DictContent,
    EnumMember,
    External,
    Function,
    ListContent,
    MixedTuple,
    Module,
    Named,
    Raised,
    Ref,
    Unbound,
    Unknown,
    is_concrete,
)
from hwlint.evaluate.builtin_items import is_ordinary
from hwlint.evaluate.library import Library
from hwlint.evaluate.operators import LONGEST_TEXT, bare
from hwlint.evaluate.protocols import CONVERSIONS
from hwlint.evaluate.sequences import reason_of
from hwlint.evaluate.state import State, Try, merge
from hwlint.evaluate.values import EVERYWHERE, Value, const, join, lift, make, restrict, unknown

_PURE = frozenset(
    "int float bool str repr abs round divmod chr ord hex bin oct hash complex bytes ascii".split()  # noqa: SIM905 - shorter to read
)
_NUMERIC = frozenset({"int", "float", "abs", "round", "divmod", "chr", "hex", "bin", "oct", "complex"})
_TYPES: dict[str, type] = {
    "int": int,
    "str": str,
    "float": float,
    "bool": bool,
    "tuple": tuple,
    "bytes": bytes,
    "complex": complex,
}
_CONTAINERS = frozenset({"list", "dict", "set"})


class BuiltinCalls(Library):
    """The part of the evaluator that knows builtins."""

    def call_builtin(
        self, name: str, args: Sequence[Value], keywords: dict[str, Value], node: ast.AST, state: State
    ) -> Value:
        """Call a builtin by name; one that is not modelled is unknown."""
        if name == "super" and not args:
            return self.super_value(state)
        if name in CONVERSIONS and len(args) == 1 and not keywords:
            asked = self.converted(name, args[0], node, state)
            if asked is not None:
                return asked
        handler: Callable[..., Value | None] | None = getattr(self, f"_do_{name}", None)
        found = handler(args, keywords, node, state) if handler is not None else None
        if found is None and name in _PURE and not keywords:
            found = self._pure(name, args, node, state)
        if found is not None:
            return found
        if name not in ("print", "id", "vars", "dir", "format", "open", "input", "callable"):
            self.doubts += 1
        return unknown(f"a call of {name}()", next((arg.trace for arg in args if arg.trace), None))

    def _pure(self, name: str, args: Sequence[Value], node: ast.AST, state: State) -> Value:
        for arg in args:
            if name in ("int", "float", "abs", "round"):
                self.note_none(arg, "computed with", node, state)
        values = tuple(self.expand(arg, state) for arg in args)
        function = getattr(__import__("builtins"), name)

        def operation(*answers: Answer) -> Answer:
            if name in _NUMERIC:
                answers = tuple(map(bare, answers))
            for answer in answers:
                if isinstance(answer, Unknown):
                    kept = answer.truth if name == "bool" else None
                    return Unknown(answer.reason, kept, is_none=False) if kept is None else kept
                if not is_ordinary(answer):
                    return Unknown(f"{name}() of an object", is_none=False)
                if name == "bytes" and isinstance(answer, int) and answer > LONGEST_TEXT:
                    return Unknown("bytes too long to be tracked", is_none=False)
            try:
                return function(*answers)
            except (TypeError, ValueError, OverflowError) as error:
                return Raised(type(error).__name__, str(error))

        if name == "bool" and len(args) == 1:
            return self._negated(self._negated(args[0], state), state)
        found, raised = lift(operation, values, state.alive)
        if name == "int" and raised:
            self.note_number(args[0], raised, node, state)
        return self._settle(found, raised, node, state)

    def _do_len(self, args: Sequence[Value], keywords: dict[str, Value], node: ast.AST, state: State) -> Value | None:
        if len(args) != 1:
            return None
        cases: list[tuple[Answer, int]] = []
        for answer, mask in args[0].cases:
            if isinstance(answer, Ref):
                for content, seen in self.contents(answer, state).cases if answer.kind != "iterator" else ():
                    known = isinstance(content, (ListContent, DictContent)) or type(content).__name__ == "SetContent"
                    if known and content.rest is None:
                        cases.append((len(content.items), mask & seen))
                    else:
                        cases.append(
                            (Unknown(reason_of(content, "a length that is not known"), is_none=False), mask & seen)
                        )
                if answer.kind == "iterator":
                    cases.append((Unknown("the length of an iterator"), mask))
            elif isinstance(answer, MixedTuple):
                cases.append((len(answer.items), mask))
            elif isinstance(answer, (str, tuple, bytes, range)):
                cases.append((len(answer), mask))
            else:
                cases.append((Unknown(reason_of(answer, "a length that is not known"), is_none=False), mask))
        return make(cases, args[0].trace)

    def _do_isinstance(
        self, args: Sequence[Value], keywords: dict[str, Value], node: ast.AST, state: State
    ) -> Value | None:
        if len(args) != 2:
            return None
        kinds = self.expand(args[1], state)
        found, _ = lift(self._is_a, (args[0], kinds), state.alive)
        return found

    def _is_a(self, answer: Answer, kinds: Answer) -> Answer:
        if isinstance(kinds, tuple):
            doubt = None
            for kind in kinds:
                one = self._is_a(answer, kind)
                if one is True:
                    return True
                doubt = doubt or (one if isinstance(one, Unknown) else None)
            return doubt if doubt is not None else False
        if isinstance(answer, Unknown):
            return Unknown(answer.reason)
        if isinstance(kinds, Builtin):
            if (
                kinds.name in _TYPES
                and (is_concrete(answer) or isinstance(answer, MixedTuple))
                and not isinstance(answer, (External, Builtin, Class, Function, Module, EnumMember))
            ):
                return isinstance(answer, _TYPES[kinds.name]) or (
                    kinds.name == "tuple" and isinstance(answer, MixedTuple)
                )
            if (
                isinstance(answer, Ref)
                and answer.kind != "instance"
                and kinds.name in ("list", "dict", "set", "frozenset", "int", "str", "tuple", "float")
            ):
                kind = "frozenset" if answer.type is FROZEN else answer.kind.removeprefix("default")
                return kind == kinds.name
            if kinds.name in _CONTAINERS and (is_concrete(answer) or isinstance(answer, MixedTuple)):
                return False
        if isinstance(kinds, Class):
            if isinstance(answer, Ref) and isinstance(answer.type, Class):
                return self._derives(answer.type, kinds)
            if isinstance(answer, (int, str, float, type(None))) or (
                isinstance(answer, tuple) and not isinstance(answer, Named)
            ):
                return False
            if isinstance(answer, Named) and isinstance(answer.type, Class):
                return self._derives(answer.type, kinds)
            if isinstance(answer, EnumMember):
                return self._derives(answer.owner, kinds)
        if (
            isinstance(kinds, External)
            and isinstance(answer, (int, str, float, type(None)))
            and kinds.name.startswith("torch.")
        ):
            return False
        return Unknown("a type that is not known")

    def _derives(self, owner: Class, kind: Class) -> Answer:
        """True or False where the bases tell; a base outside the project could derive from anything."""
        if any(holder.node is kind.node for holder in self.lineage(owner)):
            return True
        outside = (
            self.external_bases(owner)
            - {holder.qualname.rpartition(".")[2] for holder in self.lineage(owner)}
            - {"object"}
        )
        return Unknown("a base class outside the project") if outside else False

    def _do_getattr(
        self, args: Sequence[Value], keywords: dict[str, Value], node: ast.AST, state: State
    ) -> Value | None:
        if len(args) < 2 or not any(isinstance(name, str) for name, _ in args[1].cases):
            return None
        holder = args[0].only()
        if len(args) == 2 and args[1].trace is not None and isinstance(node, ast.Call) and len(node.args) == 2:
            if isinstance(holder, Class) and self.enum_members(holder):
                everywhere = state.alive
                return self.member_by_name(holder, args[1], node.args[1], node, everywhere, "AttributeError", state)
            self.note_named(holder, args[1], (node.args[0], node.args[1]), node, state)
        missed = None
        if len(args) > 2 and args[2].only() is None and args[1].trace is not None and isinstance(node, ast.Call):
            missed = self.note_named(holder, args[1], (node.args[0], node.args[1]), node, state, default="None")
        parts = []
        for name, mask in args[1].cases:
            where = mask & state.alive
            if where and not isinstance(name, str):
                parts.append(Value(((Unknown(reason_of(name, "an attribute")), where),)))
            elif where:
                if len(args) > 2:
                    parts.append(self._or_raises(args[0], str(name), node, where, state))
                    continue
                branch = state.narrow(where, decided=EVERYWHERE) if len(args[1].cases) > 1 else state
                parts.append(restrict(self.attribute(args[0], str(name), node, branch), where))
        if not parts:
            return None
        found = join(parts)
        if len(args) > 2 and any(isinstance(answer, Unknown) for answer, _ in found.cases):
            unsure = [(answer, mask) for answer, mask in found.cases if isinstance(answer, Unknown)]
            extra = [(answer, mask & seen) for answer, mask in args[2].cases for _, seen in unsure]
            found = make([*found.cases, *extra], found.trace)
        return Value(found.cases, found.trace or args[1].trace, missed or found.missed, found.via)

    def _or_raises(self, holder: Value, name: str, node: ast.AST, where: int, state: State) -> Value:
        """An attribute; Unknown where working it out raises, which `getattr()` with a default swallows."""
        entry, branch = state.copy(), state.narrow(where, decided=EVERYWHERE)
        opened = Try((frozenset({"AttributeError"}),), [[]])
        state.frame.tries.append(opened)
        found = restrict(self.attribute(holder, name, node, branch), where)
        state.frame.tries.remove(opened)
        raised = 0
        for left in opened.caught[0]:
            raised |= left.alive
        state.take(merge([branch, *opened.caught[0], state.narrow(~where, decided=EVERYWHERE)], entry, 0))
        if not raised:
            return found
        return make([*restrict(found, branch.alive).cases, (Unknown(f"{name} may raise"), raised)], found.trace)

    def _do_delattr(
        self, args: Sequence[Value], keywords: dict[str, Value], node: ast.AST, state: State
    ) -> Value | None:
        if len(args) != 2:
            return None
        name = args[1].only()
        if not isinstance(name, str):
            return self._do_setattr([*args, unknown("an attribute that delattr() deletes")], keywords, node, state)
        return self._do_setattr([*args, const(Unbound(name))], keywords, node, state)

    def sets_itself(self, ref: Ref, target: ast.Attribute, value: Value, mask: int, state: State) -> bool:
        """Let a property's setter do what is to be done with an attribute (defined with the assignments)."""
        raise NotImplementedError

    def _do_setattr(
        self, args: Sequence[Value], keywords: dict[str, Value], node: ast.AST, state: State
    ) -> Value | None:
        """`setattr(object, name, value)`: the attribute may be that, and any of them where the name is not known."""
        if len(args) != 3:
            return None
        name = args[1].only()
        for answer, _ in args[0].cases:
            content = self.contents(answer, state).only() if type(answer) is Ref else None
            if not isinstance(content, AttrContent):
                continue
            doubt = Value(((Unknown("an attribute that setattr() sets"), EVERYWHERE),))
            if isinstance(name, str) and isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                target = ast.copy_location(ast.Attribute(node.args[0], name, ast.Store()), node)
                if self.sets_itself(answer, target, args[2], EVERYWHERE, state):
                    continue
            if isinstance(name, str):
                sure = len(args[0].cases) == 1 and answer in state.heap
                old = content.items.get(name) or const(Unbound(name))
                items = {**content.items, name: args[2] if sure else join((old, args[2]))}
                state.heap[answer] = const(AttrContent(items, content.rest))
            else:
                items = {known: join((value, doubt)) for known, value in content.items.items()}
                rest = content.rest or Unknown("an attribute that setattr() sets")
                state.heap[answer] = const(AttrContent(items, rest))
        return const(None)

    def _do_hasattr(
        self, args: Sequence[Value], keywords: dict[str, Value], node: ast.AST, state: State
    ) -> Value | None:
        if len(args) != 2 or not isinstance(args[1].only(), str):
            return None
        answer = args[0].only()
        if isinstance(answer, Class) and not self.external_bases(answer) - {"object"}:
            return const(self.class_member(answer, args[1].only()) is not None)
        return unknown("hasattr()")

    # Methods.

    # The standard library.
