"""Evaluate f-strings."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from hwlint.evaluate.answers import Answer, Builtin, External, Raised, Unknown, is_concrete
from hwlint.evaluate.comparisons import Comparisons
from hwlint.evaluate.state import State
from hwlint.evaluate.values import Value, const, lift

_REPR = 114
_CONVERSIONS: dict[int, Callable[[Any], str]] = {115: str, 114: repr, 97: ascii}


class Texts(Comparisons):
    """The part of the evaluator that puts texts together."""

    def _joinedstr(self, node: ast.JoinedStr, state: State) -> Value:
        parts = [self.eval(part, state) for part in node.values]
        if not parts:
            return const("")
        value, raised = lift(lambda *answers: _concatenate(answers), tuple(parts), state.alive)
        return self._settle(value, raised, node, state)

    def _formattedvalue(self, node: ast.FormattedValue, state: State) -> Value:
        value = self.expand(self.eval(node.value, state), state)
        asked = self.converted("repr" if node.conversion == _REPR else "str", value, node, state)
        value = value if asked is None else asked
        spec = self.eval(node.format_spec, state) if node.format_spec is not None else const("")
        found, raised = lift(lambda answer, how: _formatted(answer, how, node.conversion), (value, spec), state.alive)
        return self._settle(found, raised, node, state)

    def converted(self, name: str, value: Value, node: ast.AST, state: State) -> Value | None:
        """The text of an object whose class says what it is (defined with the protocols)."""
        raise NotImplementedError


def _concatenate(answers: tuple[Answer, ...]) -> Answer:
    doubt = next((answer for answer in answers if not isinstance(answer, str)), None)
    if doubt is None:
        return "".join(answers)
    reason = doubt.reason if isinstance(doubt, Unknown) else "a text with an unknown part"
    certain = any(isinstance(answer, str) and answer for answer in answers)
    return Unknown(reason, truth=True if certain else None, is_none=False)


def _formatted(answer: Answer, spec: Answer, conversion: int) -> Answer:
    if (
        isinstance(answer, Unknown)
        or not is_concrete(answer)
        or not isinstance(spec, str)
        or isinstance(answer, (Builtin, External))
    ):
        return Unknown(answer.reason if isinstance(answer, Unknown) else "the text of an object", is_none=False)
    if type(answer).__name__ in ("EnumMember", "Class", "Function", "Module"):
        return Unknown("the text of an object", is_none=False)
    converted = _CONVERSIONS[conversion](answer) if conversion in _CONVERSIONS else answer
    if len(spec) > 8:
        return Unknown("a long format", is_none=False)
    try:
        return format(converted, spec)
    except (ValueError, TypeError) as error:
        return Raised(type(error).__name__, str(error))
