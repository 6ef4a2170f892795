"""Evaluate methods of texts, tuples and other builtin objects."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from typing import Any

from hwlint.evaluate.answers import Answer, Builtin, DictContent, ListContent, Method, Raised, Ref, Unknown, is_concrete
from hwlint.evaluate.builtin_items import BuiltinItems, is_ordinary
from hwlint.evaluate.sequences import reason_of
from hwlint.evaluate.state import State
from hwlint.evaluate.values import EVERYWHERE, Value, const, join, lift, make, restrict, unknown
from hwlint.model.outcome import Hit, NotKnown, Raises

_TEXT_METHODS = frozenset(
    [
        "format",
        "split",
        "rsplit",
        "strip",
        "lstrip",
        "rstrip",
        "startswith",
        "endswith",
        "replace",
        "lower",
        "upper",
        "title",
        "capitalize",
        "isdigit",
        "isalpha",
        "isnumeric",
        "isalnum",
        "isdecimal",
        "find",
        "rfind",
        "index",
        "count",
        "partition",
        "rpartition",
        "removeprefix",
        "removesuffix",
        "zfill",
        "splitlines",
        "casefold",
        "ljust",
        "rjust",
        "isupper",
        "islower",
    ]
)

_TUPLE_METHODS = frozenset(("index", "count"))


LONGEST_FORMAT = 200
_WIDE = re.compile(r"\{[^}]*(?:[.\[{]|\d{3})")
"""Formats that read attributes or items, or make long texts, are not computed."""


class BuiltinMethods(BuiltinItems):
    """The part of the evaluator that knows methods of builtin objects."""

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
        if isinstance(receiver, Builtin) and method.name == "__setattr__":
            return self.call_builtin("setattr", args, keywords, node, state)
        if isinstance(receiver, Builtin):
            return self._type_method(receiver.name, method.name, args, keywords, node, state)
        found = self.member_call(receiver, method.name, args, keywords, node, state)
        if found is not None:
            return found
        return self._not_known(
            reason_of(receiver, f"the method {method.name} of an object"), args, keywords, node, state
        )

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
            return self._from_keys(args, node, state)
        return unknown(f"{type_name}.{name}()")

    def _from_keys(self, args: Sequence[Value], node: ast.AST, state: State) -> Value:
        """`dict.fromkeys(keys, value)`."""
        value = args[1] if len(args) > 1 else const(None)
        cases: list[tuple[Answer, int]] = []
        for items, rest, mask in self.iterate(args[0], state, ordered=True):
            if rest is not None:
                cases.append((DictContent({}, rest), mask))
                continue
            made = self.dict_of([(item, value) for item in items], None, state)
            cases.extend((content, seen & mask) for content, seen in self.contents(made.only(), state).cases)
        ref = Ref("dict", self.span(node, state), node)
        state.heap[ref] = make(cases)
        return Value(((ref, EVERYWHERE),), args[0].trace)

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
        if not hasattr(receiver, name) and not name.startswith("_"):
            error = Raised("AttributeError", f"'{type(receiver).__name__}' object has no attribute '{name}'")
            self.fault(error, state.alive, node, state)
        if name not in allowed:
            return unknown(f"the method {name} of a constant")
        if isinstance(receiver, tuple) and not is_ordinary(receiver):
            return unknown(f"{name}() of a tuple whose items are not known")

        def operation(*answers: Answer) -> Answer:
            for answer in answers:
                if isinstance(answer, Unknown) or not is_ordinary(answer):
                    return Unknown(reason_of(answer, f"an argument of {name}()"))
            plain, named = answers[: len(args)], dict(zip(names, answers[len(args) :], strict=True))
            if name == "format" and (len(receiver) > LONGEST_FORMAT or _WIDE.search(receiver)):
                return Unknown("a long format")
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
        if name == "index" and isinstance(receiver, tuple) and len(values) == 1 and values[0].trace is not None:
            self._note_index(receiver, values[0], node, state)
        found, raised = lift(operation, values, state.alive)
        found = self._settle(found, raised, node, state)
        if name in ("split", "rsplit", "splitlines"):
            return self._tuples_as_lists(found, node, state)
        return found

    def _note_index(self, receiver: tuple[Answer, ...], key: Value, node: ast.AST, state: State) -> None:
        """Record `[80, 90].index(number)`, which raises for what is not in the list."""
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or len(node.args) != 1:
            return
        happenings: list[tuple[Any, int, Any]] = []
        for answer, mask in key.cases:
            if not is_concrete(answer):
                happenings.append((NotKnown(reason_of(answer, "a position")), mask & state.alive, None))
            elif answer in receiver:
                happenings.append((Hit(repr(answer)), mask & state.alive, answer))
            else:
                error = Raises("ValueError", f"{answer!r} is not in the list")
                happenings.append((error, mask & state.alive, answer))
        ref = Ref("tuple", self.span(node.func.value, state), node.func.value)
        content = ListContent(tuple(map(const, receiver)))
        self.note_lookup(ref, content, "index", key, node.args[0], node, happenings, Value(()), state)

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
