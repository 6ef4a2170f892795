"""Evaluate calls of builtins, of methods of builtin objects, and of a few functions of the standard library."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Sequence
from typing import Any

from hwlint.evaluate import operators
from hwlint.evaluate.container_methods import ContainerMethods
from hwlint.evaluate.state import State
from hwlint.evaluate.values import (
    EVERYWHERE,
    Answer,
    Builtin,
    Class,
    DictContent,
    EnumMember,
    External,
    Function,
    ListContent,
    Method,
    MixedTuple,
    Module,
    Named,
    Partial,
    Raised,
    Ref,
    Unknown,
    Value,
    const,
    is_concrete,
    join,
    lift,
    make,
    restrict,
    unknown,
)

_PURE = frozenset("int float bool str repr abs round divmod chr ord hex bin oct hash complex bytes ascii".split())
_TYPES: dict[str, type] = {
    "int": int,
    "str": str,
    "float": float,
    "bool": bool,
    "tuple": tuple,
    "bytes": bytes,
    "complex": complex,
}
_CONTAINERS = {"list": "list", "dict": "dict", "set": "set"}
LONGEST_PATTERN = 200
LONGEST_SUBJECT = 200
"""Regular expressions are run only on short texts and only where they are simple, so that none can run away."""


class BuiltinCalls(ContainerMethods):
    """The part of the evaluator that knows builtins."""

    def call_builtin(
        self, name: str, args: Sequence[Value], keywords: dict[str, Value], node: ast.AST, state: State
    ) -> Value:
        """Call a builtin by name; one that is not modelled is unknown."""
        if name == "super" and not args:
            return self.super_value(state)
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
            for answer in answers:
                if isinstance(answer, Unknown):
                    kept = answer.truth if name == "bool" else None
                    return Unknown(answer.reason, kept, is_none=False) if kept is None else kept
                if not _ordinary(answer):
                    return Unknown(f"{name}() of an object", is_none=False)
            try:
                return function(*answers)
            except (TypeError, ValueError, OverflowError) as error:
                return Raised(type(error).__name__, str(error))

        if name == "bool" and len(args) == 1:
            return self._negated(self._negated(args[0], state), state)
        found, raised = lift(operation, values, state.alive)
        return self._settle(found, raised, node, state)

    def _do_len(self, args: Sequence[Value], keywords: dict[str, Value], node: ast.AST, state: State) -> Value | None:
        if len(args) != 1:
            return None
        cases: list[tuple[Answer, int]] = []
        for answer, mask in args[0].cases:
            if isinstance(answer, Ref):
                for content, seen in self.contents(answer, state).cases:
                    known = isinstance(content, (ListContent, DictContent)) or type(content).__name__ == "SetContent"
                    if known and content.rest is None:
                        cases.append((len(content.items), mask & seen))
                    else:
                        cases.append(
                            (Unknown(_reason(content, "a length that is not known"), is_none=False), mask & seen)
                        )
            elif isinstance(answer, MixedTuple):
                cases.append((len(answer.items), mask))
            elif isinstance(answer, (str, tuple, bytes, range)):
                cases.append((len(answer), mask))
            else:
                cases.append((Unknown(_reason(answer, "a length that is not known"), is_none=False), mask))
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
                and kinds.name in ("list", "dict", "set", "int", "str", "tuple", "float")
            ):
                return answer.kind == kinds.name
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
        if len(args) < 2 or not all(isinstance(name, str) for name, _ in args[1].cases):
            return None
        parts = []
        for name, mask in args[1].cases:
            where = mask & state.alive
            if where:
                branch = state.narrow(where, decided=EVERYWHERE) if len(args[1].cases) > 1 else state
                parts.append(restrict(self.attribute(args[0], str(name), node, branch), where))
        if not parts:
            return None
        found = join(parts)
        if len(args) > 2 and any(isinstance(answer, Unknown) for answer, _ in found.cases):
            unsure = [(answer, mask) for answer, mask in found.cases if isinstance(answer, Unknown)]
            extra = [(answer, mask & seen) for answer, mask in args[2].cases for _, seen in unsure]
            found = make([*found.cases, *extra], found.trace)
        return Value(found.cases, found.trace or args[1].trace, found.missed, found.via)

    def _do_hasattr(
        self, args: Sequence[Value], keywords: dict[str, Value], node: ast.AST, state: State
    ) -> Value | None:
        if len(args) != 2 or not isinstance(args[1].only(), str):
            return None
        answer = args[0].only()
        if isinstance(answer, Class) and not self.external_bases(answer) - {"object"}:
            return const(self.class_member(answer, args[1].only()) is not None)
        return unknown("hasattr()")

    def _do_range(self, args: Sequence[Value], keywords: dict[str, Value], node: ast.AST, state: State) -> Value | None:
        def operation(*answers: Answer) -> Answer:
            if not all(isinstance(answer, int) for answer in answers):
                return Unknown(next((_reason(a, "a range") for a in answers if not isinstance(a, int)), "a range"))
            try:
                return range(*answers)
            except (TypeError, ValueError) as error:
                return Raised(type(error).__name__, str(error))

        found, raised = lift(operation, tuple(args), state.alive)
        return self._settle(found, raised, node, state)

    def _do_any(self, args: Sequence[Value], keywords: dict[str, Value], node: ast.AST, state: State) -> Value | None:
        return self._quantified(args, state, stop_on=True)

    def _do_all(self, args: Sequence[Value], keywords: dict[str, Value], node: ast.AST, state: State) -> Value | None:
        return self._quantified(args, state, stop_on=False)

    def _quantified(self, args: Sequence[Value], state: State, *, stop_on: bool) -> Value | None:
        if len(args) != 1:
            return None
        cases: list[tuple[Answer, int]] = []
        trace = args[0].trace
        for items, rest, mask in self.iterate(args[0], state):
            left = mask & state.alive
            doubt, reason = (left, rest.reason) if rest is not None else (0, "a part that is not known")
            sure = 0
            for item in items:
                trace = trace or item.trace
                yes, no = self.truth(item, state)
                hit, miss = (yes, no) if stop_on else (no, yes)
                here = hit & ~miss & left
                sure |= here
                doubt |= hit & miss & left
                reason = next((a.reason for a, m in item.cases if isinstance(a, Unknown) and m & doubt), reason)
            cases.append((stop_on, sure))
            cases.append((Unknown(reason), doubt & ~sure))
            cases.append((not stop_on, left & ~sure & ~doubt))
        return make(cases, trace)

    def _do_tuple(self, args: Sequence[Value], keywords: dict[str, Value], node: ast.AST, state: State) -> Value | None:
        if not args:
            return const(())
        cases: list[Value] = []
        for items, rest, mask in self.iterate(args[0], state, ordered=True):
            made = self.tuple_of(list(items)) if rest is None else Value(((rest, EVERYWHERE),))
            cases.append(restrict(made, mask))
        found = join(cases) if cases else Value(())
        return Value(found.cases, args[0].trace or found.trace, None, args[0].via)

    def _do_list(self, args: Sequence[Value], keywords: dict[str, Value], node: ast.AST, state: State) -> Value | None:
        return self._collection("list", args, node, state)

    def _do_set(self, args: Sequence[Value], keywords: dict[str, Value], node: ast.AST, state: State) -> Value | None:
        return self._collection("set", args, node, state)

    def _do_frozenset(
        self, args: Sequence[Value], keywords: dict[str, Value], node: ast.AST, state: State
    ) -> Value | None:
        return self._collection("set", args, node, state)

    def _collection(self, kind: str, args: Sequence[Value], node: ast.AST, state: State) -> Value | None:
        if not args:
            return self.new("list", ListContent(()), node, state) if kind == "list" else self.set_of([], node, state)
        ref = Ref(kind, self.span(node, state), node)
        cases: list[tuple[Answer, int]] = []
        for items, rest, mask in self.iterate(args[0], state, ordered=kind == "list"):
            if kind == "list":
                cases.append((ListContent(items, rest), mask))
            else:
                content = self.contents(self.set_of(list(items), None, state).only(), state).only()
                cases.append((type(content)(content.items, content.rest or rest), mask))
        state.heap[ref] = make(cases) if cases else const(ListContent((), Unknown("items that are not known")))
        source = args[0].only()
        if isinstance(source, Ref) and source in self.names:
            self.names.setdefault(ref, self.names[source])
        return Value(((ref, EVERYWHERE),), args[0].trace)

    def _do_dict(self, args: Sequence[Value], keywords: dict[str, Value], node: ast.AST, state: State) -> Value | None:
        pairs: list[tuple[Value | None, Value]] = []
        if args:
            source = args[0].only()
            if isinstance(source, Ref) and source.kind == "dict":
                pairs.append((None, args[0]))
            else:
                for items, rest, _ in self.iterate(args[0], state, ordered=True):
                    if rest is not None:
                        return None
                    for item in items:
                        inner = self.iterate(item, state, ordered=True)
                        if len(inner) != 1 or inner[0][1] is not None or len(inner[0][0]) != 2:
                            return None
                        pairs.append((inner[0][0][0], inner[0][0][1]))
        if "**" in keywords:
            return None
        pairs.extend((const(name), value) for name, value in keywords.items())
        return self.dict_of(pairs, node, state)

    def _do_sorted(
        self, args: Sequence[Value], keywords: dict[str, Value], node: ast.AST, state: State
    ) -> Value | None:
        return self._ranked(
            args, keywords, node, state, lambda items, reverse: sorted(items, reverse=reverse), whole=True
        )

    def _do_reversed(
        self, args: Sequence[Value], keywords: dict[str, Value], node: ast.AST, state: State
    ) -> Value | None:
        found = self.iterate(args[0], state, ordered=True) if args else []
        if len(found) != 1 or found[0][1] is not None:
            return None
        return self.new("list", ListContent(tuple(reversed(found[0][0]))), node, state)

    def _do_max(self, args: Sequence[Value], keywords: dict[str, Value], node: ast.AST, state: State) -> Value | None:
        return self._extreme(max, args, keywords, node, state)

    def _do_min(self, args: Sequence[Value], keywords: dict[str, Value], node: ast.AST, state: State) -> Value | None:
        return self._extreme(min, args, keywords, node, state)

    def _extreme(
        self, choose: Callable[..., Any], args: Sequence[Value], keywords: dict[str, Value], node: ast.AST, state: State
    ) -> Value | None:
        if len(args) > 1 and not keywords:
            return self._over_items(lambda *items: choose(items), tuple(args), node, state)
        return self._ranked(args, keywords, node, state, lambda items, reverse: choose(items), whole=False)

    def _do_sum(self, args: Sequence[Value], keywords: dict[str, Value], node: ast.AST, state: State) -> Value | None:
        return (
            self._ranked(args[:1], keywords, node, state, lambda items, reverse: sum(items), whole=False)
            if len(args) == 1
            else None
        )

    def _ranked(
        self,
        args: Sequence[Value],
        keywords: dict[str, Value],
        node: ast.AST,
        state: State,
        operation: Callable[[Sequence[Any], bool], Any],
        *,
        whole: bool,
    ) -> Value | None:
        """`sorted`, `min`, `max` and `sum` over the items of one iterable."""
        if len(args) != 1 or set(keywords) - {"reverse"}:
            return None
        reverse = keywords.get("reverse", const(False)).only()
        if not isinstance(reverse, bool):
            return None
        parts: list[Value] = []
        for items, rest, mask in self.iterate(args[0], state):
            if rest is not None:
                parts.append(restrict(Value(((rest, EVERYWHERE),), args[0].trace), mask))
                continue
            branch = state.narrow(mask, decided=EVERYWHERE)
            found = self._over_items(lambda *given: _as_tuple(operation(given, reverse), whole), items, node, branch)
            state.alive &= branch.alive | ~mask
            if whole:
                found = self._tuples_as_lists(found, node, state)
            parts.append(restrict(found, mask))
        found = join(parts) if parts else Value(())
        return Value(found.cases, found.trace or args[0].trace)

    def _tuples_as_lists(self, value: Value, node: ast.AST, state: State) -> Value:
        ref = Ref("list", self.span(node, state), node)
        state.heap[ref] = make(
            (
                ListContent(tuple(map(const, answer)))
                if isinstance(answer, tuple)
                else Unknown(_reason(answer, "sorted items")),
                mask,
            )
            for answer, mask in value.cases
        )
        return Value(((ref, EVERYWHERE),), value.trace)

    def _over_items(self, function: Callable[..., Any], items: tuple[Value, ...], node: ast.AST, state: State) -> Value:
        def operation(*answers: Answer) -> Answer:
            for answer in answers:
                if isinstance(answer, Unknown) or not _ordinary(answer):
                    return Unknown(_reason(answer, "an object among the items"))
            try:
                return function(*answers)
            except (TypeError, ValueError) as error:
                return Raised(type(error).__name__, str(error))

        values = tuple(self.expand(item, state) for item in items)
        found, raised = lift(operation, values, state.alive)
        return self._settle(found, raised, node, state)

    def _do_map(self, args: Sequence[Value], keywords: dict[str, Value], node: ast.AST, state: State) -> Value | None:
        if len(args) != 2:
            return None
        ref = Ref("list", self.span(node, state), node)
        cases: list[tuple[Answer, int]] = []
        trace = args[1].trace
        for items, rest, mask in self.iterate(args[1], state, ordered=True):
            branch = state.narrow(mask, decided=EVERYWHERE)
            made = tuple(self.call(args[0], [item], {}, node, branch) for item in items)
            state.alive &= branch.alive | ~mask
            state.heap.update(branch.heap)
            trace = trace or next((item.trace for item in made if item.trace), None)
            cases.append((ListContent(made, rest), mask))
        state.heap[ref] = make(cases)
        return Value(((ref, EVERYWHERE),), trace)

    def _do_zip(self, args: Sequence[Value], keywords: dict[str, Value], node: ast.AST, state: State) -> Value | None:
        columns = [self.iterate(arg, state, ordered=True) for arg in args]
        if any(len(column) != 1 or column[0][1] is not None for column in columns) or not columns:
            return None
        rows = zip(*(column[0][0] for column in columns), strict=False)
        return self.new("list", ListContent(tuple(self.tuple_of(list(row)) for row in rows)), node, state)

    def _do_enumerate(
        self, args: Sequence[Value], keywords: dict[str, Value], node: ast.AST, state: State
    ) -> Value | None:
        found = self.iterate(args[0], state, ordered=True) if args else []
        start = (args[1] if len(args) > 1 else keywords.get("start", const(0))).only()
        if len(found) != 1 or found[0][1] is not None or not isinstance(start, int):
            return None
        rows = tuple(self.tuple_of([const(start + index), item]) for index, item in enumerate(found[0][0]))
        return self.new("list", ListContent(rows), node, state)

    def _do_next(self, args: Sequence[Value], keywords: dict[str, Value], node: ast.AST, state: State) -> Value | None:
        """`next(...)` over a generator expression: its first item, or the default."""
        if (
            not args
            or not isinstance(node, ast.Call)
            or not node.args
            or not isinstance(node.args[0], (ast.GeneratorExp, ast.Call))
        ):
            return None
        parts = []
        for items, rest, mask in self.iterate(args[0], state, ordered=True):
            if items and rest is None:
                parts.append(restrict(items[0], mask))
            elif rest is None and len(args) > 1:
                parts.append(restrict(args[1], mask))
            else:
                parts.append(restrict(unknown("the first of unknown items"), mask))
        found = join(parts) if parts else Value(())
        return Value(found.cases, found.trace or args[0].trace)

    def _do_iter(self, args: Sequence[Value], keywords: dict[str, Value], node: ast.AST, state: State) -> Value | None:
        return None

    # Methods.

    def call_method(
        self, method: Method, args: Sequence[Value], keywords: dict[str, Value], node: ast.AST, state: State
    ) -> Value:
        """Call a method of a builtin object, of an origin's object, or of something unresolved."""
        receiver = method.receiver
        if isinstance(receiver, Ref):
            return self.container_method(receiver, method.name, args, keywords, node, state)
        if isinstance(receiver, str) or (
            isinstance(receiver, (tuple, bytes, int, float)) and not isinstance(receiver, bool)
        ):
            return self._plain_method(receiver, method.name, args, keywords, node, state)
        if isinstance(receiver, Builtin):
            return self._type_method(receiver.name, method.name, args, keywords, node, state)
        found = self.member_call(receiver, method.name, args, keywords, node, state)
        if found is not None:
            return found
        return self._not_known(_reason(receiver, f"the method {method.name} of an object"), args, keywords, node, state)

    def member_call(
        self,
        receiver: Answer,
        name: str,
        args: Sequence[Value],
        keywords: dict[str, Value],
        node: ast.AST,
        state: State,
    ) -> Value | None:
        """A method call on an object that an origin returned (defined with the origins)."""
        raise NotImplementedError

    def _type_method(
        self, type_name: str, name: str, args: Sequence[Value], keywords: dict[str, Value], node: ast.AST, state: State
    ) -> Value:
        if type_name == "dict" and name == "fromkeys" and args:
            found = self.iterate(args[0], state, ordered=True)
            if len(found) == 1 and found[0][1] is None:
                value = args[1] if len(args) > 1 else const(None)
                return self.dict_of([(item, value) for item in found[0][0]], node, state)
        return unknown(f"{type_name}.{name}()")

    def _plain_method(
        self, receiver: Any, name: str, args: Sequence[Value], keywords: dict[str, Value], node: ast.AST, state: State
    ) -> Value:
        if isinstance(receiver, str) and name == "join" and len(args) == 1:
            return self._join(receiver, args[0], node, state)
        allowed = (
            _TEXT_METHODS
            if isinstance(receiver, str)
            else _TUPLE_METHODS
            if isinstance(receiver, tuple)
            else frozenset()
        )
        names = tuple(keywords)
        if name not in allowed:
            return unknown(f"the method {name} of a constant")

        def operation(*answers: Answer) -> Answer:
            for answer in answers:
                if isinstance(answer, Unknown) or not _ordinary(answer):
                    return Unknown(_reason(answer, f"an argument of {name}()"))
            plain, named = answers[: len(args)], dict(zip(names, answers[len(args) :], strict=True))
            if (
                name in ("zfill", "ljust", "rjust", "center")
                and isinstance(plain[0] if plain else 0, int)
                and plain[0] > 200
            ):
                return Unknown("a long text")
            try:
                found = getattr(receiver, name)(*plain, **named)
            except (TypeError, ValueError, IndexError, KeyError) as error:
                return Raised(type(error).__name__, str(error))
            return tuple(found) if isinstance(found, list) else found

        values = tuple(self.expand(value, state) for value in (*args, *keywords.values()))
        found, raised = lift(operation, values, state.alive)
        found = self._settle(found, raised, node, state)
        if name in ("split", "rsplit", "splitlines"):
            return self._tuples_as_lists(found, node, state)
        return found

    def _join(self, separator: str, items: Value, node: ast.AST, state: State) -> Value:
        parts = []
        for found, rest, mask in self.iterate(items, state, ordered=True):
            if rest is not None:
                parts.append(restrict(Value(((Unknown(rest.reason, is_none=False), EVERYWHERE),), items.trace), mask))
            else:
                branch = state.narrow(mask, decided=EVERYWHERE)
                parts.append(
                    restrict(self._over_items(lambda *texts: separator.join(texts), found, node, branch), mask)
                )
        whole = join(parts) if parts else Value(())
        return Value(whole.cases, whole.trace or items.trace)

    # The standard library.

    def call_library(
        self, name: str, args: Sequence[Value], keywords: dict[str, Value], node: ast.AST, state: State
    ) -> Value | None:
        """Call a function of the standard library that is modelled; None for all others."""
        match name:
            case "functools.partial" if args:
                return const(Partial(args[0], tuple(args[1:]), dict(keywords)))
            case "functools.lru_cache" | "functools.cache":
                function = args[0].only() if args else None
                if isinstance(function, (Function, Partial)):
                    return args[0]
                return const(External("functools.lru_cache()"))
            case "functools.lru_cache()" if len(args) == 1:
                return args[0]
            case "functools.wraps":
                return const(External("functools.lru_cache()"))
            case "re.match" | "re.search" | "re.fullmatch" | "re.findall" | "re.sub" | "re.compile":
                return self._regex(name, args, keywords, node, state)
            case "types.MappingProxyType" | "copy.copy" if len(args) == 1:
                return args[0]
            case "collections.OrderedDict":
                return self._do_dict(args, keywords, node, state)
            case "collections.defaultdict":
                ref = Ref("defaultdict", self.span(node, state), node)
                state.heap[ref] = const(DictContent({}))
                if len(args) > 1:
                    state.heap[ref] = (
                        self.contents(args[1].only(), state)
                        if isinstance(args[1].only(), Ref)
                        else unknown("a defaultdict")
                    )
                return const(ref)
            case "collections.namedtuple":
                return None
            case "packaging.version.parse" | "packaging.version.Version" | "pkg_resources.parse_version":
                return unknown("a package version")
            case "operator.eq" | "operator.ge" | "operator.gt" | "operator.le" | "operator.lt" | "operator.ne" if (
                len(args) == 2
            ):
                kind = {"eq": ast.Eq, "ge": ast.GtE, "gt": ast.Gt, "le": ast.LtE, "lt": ast.Lt, "ne": ast.NotEq}[
                    name[9:]
                ]
                values = (self.expand(args[0], state), self.expand(args[1], state))
                found, raised = lift(lambda a, b: operators.compare(kind, a, b), values, state.alive)
                return self._settle(found, raised, node, state)
            case "math.ceil" | "math.floor" | "math.log2" | "math.sqrt" | "math.gcd" | "math.prod":
                import math

                return self._over_items(getattr(math, name[5:]), tuple(args), node, state)
            case _:
                return None

    def _regex(
        self, name: str, args: Sequence[Value], keywords: dict[str, Value], node: ast.AST, state: State
    ) -> Value | None:
        """Regular expressions with a simple constant pattern on short constant texts."""
        if name not in ("re.findall", "re.sub") or keywords or not args:
            return None
        values = tuple(self.expand(arg, state) for arg in args)

        def operation(*answers: Answer) -> Answer:
            if not all(isinstance(answer, str) and len(answer) <= LONGEST_SUBJECT for answer in answers):
                return Unknown(
                    next(
                        (_reason(a, "a regular expression") for a in answers if not isinstance(a, str)),
                        "a regular expression",
                    )
                )
            if not _is_simple(answers[0]):
                return Unknown("a regular expression that is not simple")
            try:
                found = re.findall(*answers) if name == "re.findall" else re.sub(*answers)
            except re.error:
                return Unknown("a regular expression that does not compile")
            return tuple(found) if isinstance(found, list) else found

        found, raised = lift(operation, values, state.alive)
        found = self._settle(found, raised, node, state)
        return self._tuples_as_lists(found, node, state) if name == "re.findall" else found


_TEXT_METHODS = frozenset(
    "split rsplit strip lstrip rstrip startswith endswith replace lower upper title capitalize isdigit isalpha isnumeric "
    "isalnum isdecimal find rfind index count partition rpartition removeprefix removesuffix zfill splitlines casefold "
    "ljust rjust isupper islower".split()
)
_TUPLE_METHODS = frozenset(("index", "count"))


def _is_simple(pattern: str) -> bool:
    """True for a pattern without nested repetition, which cannot take exponential time."""
    return len(pattern) <= LONGEST_PATTERN and not re.search(r"[*+}]\)?[*+{]|\)[*+{]", pattern)


def _ordinary(answer: Answer) -> bool:
    return isinstance(answer, (int, float, str, bytes, tuple, type(None), complex)) and is_concrete(answer)


def _reason(answer: Answer, otherwise: str) -> str:
    return answer.reason if isinstance(answer, Unknown) else otherwise


def _as_tuple(found: Any, whole: bool) -> Any:
    return tuple(found) if whole else found
