"""Record uses of tables whose key comes from the hardware."""

from __future__ import annotations

import ast
from typing import Any

from hwlint.evaluate.answers import (
    DictContent,
    EnumMember,
    External,
    ListContent,
    Ref,
    SetContent,
    Unknown,
    is_concrete,
    shown,
)
from hwlint.evaluate.changes import changes_in
from hwlint.evaluate.expression import Expressions
from hwlint.evaluate.state import State
from hwlint.evaluate.values import Value
from hwlint.model.finding import TraceStep
from hwlint.model.observation import Happening, Table
from hwlint.model.outcome import Hit, NotKnown, Raises


class Lookups(Expressions):
    """The part of the evaluator that turns lookups into observations."""

    def note_lookup(
        self,
        ref: Ref,
        content: Any,
        form: str,
        key: Value,
        key_node: ast.AST,
        node: ast.AST,
        outcomes: list[tuple[Any, int, Any]],
        base: Value,
        state: State,
    ) -> None:
        """Record one use of `ref` with the outcomes for the architectures that are alive."""
        if self.recorder.muted or not outcomes:
            return
        if not any(not isinstance(outcome, NotKnown) for outcome, _, _ in outcomes):
            if _holds_foreign_objects(content) or self.is_kept_here(_held_by(node), content, state):
                return
            reason = next(outcome.reason for outcome, _, _ in outcomes)
            self.recorder.blank(self.place(node, state), f"a lookup in {self.table_name(ref, node, state)}", reason)
            return
        table = self._table(ref, content, node, state)
        overlap = _ambiguous(outcomes)
        happenings = [
            Happening(outcome, mask & state.alive, mask & state.certain & ~overlap, shown(answer))
            for outcome, mask, answer in outcomes
            if mask & state.alive
        ]
        caught = 0
        for outcome, mask, _ in outcomes:
            if isinstance(outcome, Raises) and self.catches(outcome.exception):
                caught |= mask & state.alive
        steps = key.trace.steps() if key.trace is not None else ()
        if isinstance(content, DictContent):
            hits = [(answer, mask) for outcome, mask, answer in outcomes if isinstance(outcome, Hit)]
            self.note_entries(ref, content, hits, key.trace, state)
        self.recorder.lookup(
            self.place(node, state),
            form,
            table,
            self.text(key_node, state),
            happenings,
            caught,
            steps,
            self._way(ref, base, table),
        )

    def is_kept_here(self, holder: ast.expr | None, content: Any, state: State) -> bool:
        """True for a container that begins empty, and into which the running function puts what it does not find.

        That is a cache of what was made for a key before, and no table of what there is.
        """
        if not isinstance(content, Unknown) and (
            not isinstance(content, DictContent | ListContent | SetContent) or len(content.items) > 0
        ):
            return False
        function = state.frame.function
        name = _dotted(holder)
        if function is None or not name or name in state.frame.locals:
            return False
        return any(changed == name for changed, _ in changes_in(function.node))

    def tuple_table(self, container: Any, right: Value, node: ast.AST, state: State) -> Ref | None:
        """A tuple that serves as a table, at its definition where that is known."""
        span = right.via[-1].span if right.via else self.span(node, state)
        return Ref("tuple", span, node)

    def table_name(self, ref: Ref, node: ast.AST, state: State) -> str:
        """The name a table was given, or its text where it has none."""
        known = self.names.get(ref)
        if known is not None:
            return known[0]
        holder = _held_by(node)
        text = self.text(holder, state) if holder is not None else "the table"
        return text if len(text) <= 60 else text[:57] + "..."

    def _table(self, ref: Ref, content: Any, node: ast.AST, state: State) -> Table:
        keys: tuple[Any, ...] = ()
        complete = True
        if isinstance(content, DictContent):
            keys, complete = tuple(content.items), content.rest is None
        elif isinstance(content, SetContent):
            keys, complete = content.items, content.rest is None
        elif isinstance(content, ListContent):
            keys = tuple(answer for item in content.items for answer, _ in item.cases if is_concrete(answer))
            complete = content.rest is None
        span = ref.span if ref.span is not None else self.span(node, state)
        return Table(
            self.table_name(ref, node, state),
            span,
            ref.kind,
            tuple(repr(key) if isinstance(key, EnumMember) else shown(key) for key in keys),
            complete,
        )

    def _way(self, ref: Ref, base: Value, table: Table) -> tuple[TraceStep, ...]:
        """How the table got to the place that uses it, ending at its definition."""
        steps = list(base.via)
        known = self.names.get(ref)
        where = known[1] if known is not None else table.span
        if not steps or steps[-1].span != where:
            what = "keys" if table.kind == "dict" else "members"
            steps.append(TraceStep(where, f"{table.name} is defined here with {what} {_list(table.keys)}"))
        return tuple(steps)


def _list(keys: tuple[Any, ...]) -> str:
    shown = ", ".join(repr(key) for key in keys[:12])
    return shown + (", ..." if len(keys) > 12 else "") if keys else "(none)"


def _ambiguous(outcomes: list[tuple[Any, int, Any]]) -> int:
    """Architectures with more than one possible outcome."""
    seen = twice = 0
    for _, mask, _ in outcomes:
        twice |= seen & mask
        seen |= mask
    return twice


def _holds_foreign_objects(content: Any) -> bool:
    """True for a table of other packages' objects alone, such as `torch.float16`: none is a hardware value."""
    keys: list[Any] = []
    if isinstance(content, DictContent | SetContent):
        keys = list(content.items)
    elif isinstance(content, ListContent):
        keys = [answer for item in content.items for answer, _ in item.cases]
    elif isinstance(content, tuple):
        keys = list(content)
    return bool(keys) and all(isinstance(key, External) for key in keys)


def _held_by(node: ast.AST) -> ast.expr | None:
    """What a lookup looks into, as it is written."""
    match node:
        case ast.Subscript(value=holder) | ast.Call(func=ast.Attribute(value=holder)):
            return holder
        case ast.Compare(comparators=[holder, *_]):
            return holder
        case _:
            return None


def _dotted(node: ast.expr | None) -> str:
    """A name, or an attribute of one, as `changes_in` calls it."""
    match node:
        case ast.Name(id=name):
            return name
        case ast.Attribute(value=ast.Name(id=owner), attr=name):
            return f"{owner}.{name}"
        case _:
            return ""
