"""Evaluate origins: the expressions of the checked code that read the hardware, over the rows of the catalogue."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from hwlint.evaluate.answers import ELSEWHERE, Answer, Device, Method, Named, Unknown
from hwlint.evaluate.calls import Calls
from hwlint.evaluate.state import State
from hwlint.evaluate.values import Value, const, make, restrict, unknown
from hwlint.model.architecture import Architecture, Vendor
from hwlint.model.origin import Origin, OriginKind

_KIB = 1024


class OriginValues(Calls):
    """The part of the evaluator that knows what origins yield."""

    def __init__(self, *args: object) -> None:
        """Prepare the names that an origin's expression may use."""
        super().__init__(*args)
        self._row_values = {name: self._by_row(name) for name in _ROW}
        self._origin_values: dict[Origin, Value] = {}

    def _by_row(self, name: str) -> Value:
        return make((_ROW[name](row), 1 << bit) for bit, row in enumerate(self.architectures))

    def origin(
        self, name: str, args: Sequence[Value], keywords: dict[str, Value], node: ast.AST, state: State, *, called: bool
    ) -> Value | None:
        """Return the value of the origin with this qualified name, or None where there is none."""
        return self._among(self.origins.named(name), args, keywords, node, state, called=called)

    def member(self, type_name: str, name: str, node: ast.AST, state: State, *, item: bool = False) -> Value | None:
        """An attribute, method or item of an object that an origin returned."""
        found = self.origins.member(type_name, name)
        if not found:
            return None
        if any(origin.kind is OriginKind.CALL for origin in found) and not item:
            return const(Method(Device(type_name), name))
        return self._among(found, (), {}, node, state, called=False)

    def fallback(self, name: str, node: ast.AST, state: State) -> Value | None:
        """An attribute or method of an object that cannot be resolved, by its name alone."""
        found = self.origins.fallback(name)
        if any(origin.kind is OriginKind.CALL for origin in found):
            return const(Method(Unknown(f"{name} of an object that is not resolved"), name))
        return self._among(found, (), {}, node, state, called=False)

    def item_by_name(self, key: Answer, node: ast.AST, state: State) -> Value | None:
        """An item of a dict that is not known, by a key that says what it is."""
        if not isinstance(key, str):
            return None
        found = tuple(origin for origin in self.origins.fallback(key) if origin.kind is OriginKind.ITEM)
        return self._among(found, (), {}, node, state, called=False)

    def fallback_call(
        self, name: str, args: Sequence[Value], keywords: dict[str, Value], node: ast.AST, state: State
    ) -> Value | None:
        """A call that an origin knows by its last name alone."""
        return self._among(self.origins.fallback(name), args, keywords, node, state, called=True)

    def member_call(
        self,
        receiver: Answer,
        name: str,
        args: Sequence[Value],
        keywords: dict[str, Value],
        node: ast.AST,
        state: State,
    ) -> Value | None:
        """A method call on an object that an origin returned, or that is not resolved."""
        if isinstance(receiver, Device):
            return self._among(self.origins.member(receiver.type, name), args, keywords, node, state, called=True)
        return self.fallback_call(name, args, keywords, node, state)

    def _among(
        self,
        origins: tuple[Origin, ...],
        args: Sequence[Value],
        keywords: dict[str, Value],
        node: ast.AST,
        state: State,
        *,
        called: bool,
    ) -> Value | None:
        fitting = [origin for origin in origins if (origin.kind is OriginKind.CALL) == called]
        if not fitting:
            return None
        cases: list[tuple[Answer, int]] = []
        left = self.everyone
        for origin in fitting:
            rows = self._rows_of(origin) & left
            left &= ~rows
            value = self._value(origin, args, keywords, node, state)
            cases.extend((answer, mask & rows) for answer, mask in value.cases if mask & rows)
        if left:
            cases.append((Unknown(f"{fitting[0].name}{ELSEWHERE}"), left))
        tells = any(origin.tells_apart for origin in fitting)
        whole = make(cases)
        if called and args and tells and not self.recorder.muted:
            self.note_question(whole, node, state)
        if len(whole.cases) == 1 and not tells:
            return const(whole.cases[0][0])
        if not tells or not hasattr(node, "lineno"):
            return whole
        doc = next((origin.doc for origin in fitting if origin.doc), "") or "reads the hardware"
        text = self.text(node, state)
        shown = text if len(text) <= 70 else text[:67] + "..."
        trace = self.step(f"{shown} {_told(doc)}", node, state)
        if any((origin.value or "").startswith("shared_mem_per_block") for origin in fitting):
            self.block_limits.add(trace.step)
        return Value(whole.cases, trace)

    def _rows_of(self, origin: Origin) -> int:
        if not origin.vendors:
            return self.everyone
        return sum(1 << bit for bit, row in enumerate(self.architectures) if row.vendor.value in origin.vendors)

    def _value(
        self, origin: Origin, args: Sequence[Value], keywords: dict[str, Value], node: ast.AST, state: State
    ) -> Value:
        if origin.expression is None:
            return const(Device(origin.returns)) if origin.returns else unknown(f"{origin.name} is not known")
        if not origin.parameters and origin in self._origin_values:
            return self._origin_values[origin]
        inner = self.fresh(state.frame.path, state.frame.symbol)
        inner.vars = dict(self._row_values)
        if origin.returns is not None:
            inner.vars["returned"] = const(Device(origin.returns))
        inner.frame.locals = frozenset(inner.vars)
        for position, parameter in enumerate(origin.parameters):
            if position < len(args):
                inner.vars[parameter.name] = args[position]
            elif parameter.name in keywords:
                inner.vars[parameter.name] = keywords[parameter.name]
            else:
                inner.vars[parameter.name] = (
                    unknown(f"the argument {parameter.name} of {origin.last}")
                    if parameter.required
                    else const(parameter.default)
                )
        inner.heap = state.heap
        statement = self.statement
        self.recorder.muted += 1
        try:
            value = self.eval(origin.expression, inner)
        finally:
            self.recorder.muted -= 1
            self.statement = statement
        value = restrict(self.expand(value, inner), self.everyone)
        if origin.returns is not None and "returned" not in (origin.value or ""):
            value = self._with_members(value, origin.returns)
        if not origin.parameters:
            self._origin_values[origin] = value
        return value

    def _with_members(self, value: Value, type_name: str) -> Value:
        """A value that has attributes besides: a named tuple."""
        cases = [
            (Named.of(type_name, (), answer) if isinstance(answer, tuple) else answer, mask)
            for answer, mask in value.cases
        ]
        return make(cases, value.trace)


def _told(doc: str) -> str:
    first = doc.partition(";")[0].strip().rstrip(".")
    return (
        f"is the {first[0].lower()}{first[1:]}" if first and not first.startswith(("reads", "is ", "asks")) else first
    )


def _fact(row: Architecture, name: str, scale: int = 1) -> Answer:
    value = row.fact(name)
    if not isinstance(value, int):
        return Unknown(f"the catalogue does not know {name} of {row.name}")
    return value * scale


def _capability(row: Architecture, position: int) -> Answer:
    if row.capability is None:
        return Unknown(f"the catalogue does not know what get_device_capability() answers on {row.name}")
    return row.capability[position]


def _sm(row: Architecture) -> Answer:
    if row.vendor is not Vendor.NVIDIA or row.capability is None:
        return Unknown(f"{row.name} has no SM version")
    return row.capability[0] * 10 + row.capability[1]


_ROW: dict[str, Any] = {
    "major": lambda row: _capability(row, 0),
    "minor": lambda row: _capability(row, 1),
    "sm": _sm,
    "name": lambda row: row.name,
    "gfx": lambda row: row.name if row.vendor is Vendor.AMD else None,
    "vendor": lambda row: row.vendor.value,
    "generation": lambda row: row.generation,
    "family": lambda row: row.family,
    "shared_mem_per_block_optin": lambda row: _fact(row, "limits.shared_mem_per_block_optin_kib", _KIB),
    "shared_mem_per_block": lambda row: _fact(row, "limits.static_shared_mem_per_block_kib", _KIB),
    "shared_mem_per_multiprocessor": lambda row: _fact(row, "limits.shared_mem_per_sm_kib", _KIB),
    "warp_size": lambda row: _fact(row, "limits.warp_size"),
    "max_threads_per_multi_processor": lambda row: _fact(row, "limits.max_threads_per_sm"),
    "regs_per_multiprocessor": lambda row: _fact(row, "limits.registers_per_sm"),
    "products": lambda row: tuple(row.products),
    "product_name": lambda _: Unknown("a device name, which differs between products", truth=True, is_none=False),
    "unknown_text": lambda _: Unknown("a text that is not known", truth=True, is_none=False),
    "returned": lambda _: Unknown("an object whose type the origin does not name"),
    "unknown": lambda _: Unknown("a value that the catalogue does not know"),
}
"""What each name of an origin's expression stands for on one row."""
