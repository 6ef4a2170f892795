"""Tell what was looked up, tested and turned away on one line, by architecture."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hwlint.judge.verdict import Bench
from hwlint.model.explained import Item, Rows
from hwlint.model.observation import (
    Blank,
    Comparison,
    FallThrough,
    Gate,
    Lookup,
    NoneUse,
    Observation,
    Reach,
    Rejection,
    TextUse,
    Unset,
)
from hwlint.model.outcome import NotKnown, Raises
from hwlint.workflow.trace_causes import told


def events_on(here: Sequence[Observation], line: int, bench: Bench) -> Iterator[Item]:
    """Yield what happens on a line, in the order of places; what several observations say alike is told once."""
    gates = {one.place.span for one in here if isinstance(one, Gate)}
    said: set[Item] = set()
    for one in here:
        if not one.place.span.line <= line <= one.place.span.end_line:
            continue
        if isinstance(one, Comparison) and one.place.span in gates:
            continue
        item = _item(one, bench)
        if item is not None and item not in said:
            said.add(item)
            yield item


def why_absent(here: Sequence[Observation], symbol: str, line: int, bit: int) -> str:
    """Which test before the line keeps an architecture away, as the end of a sentence; empty where none is known."""
    best: Gate | None = None
    for one in here:
        if isinstance(one, Gate) and one.place.symbol == symbol and one.place.span.line <= line and one.alive & bit:
            best = one
    if best is None:
        return ""
    where = f"`{best.text}` in line {best.place.span.line}"
    if best.true & bit and best.false & bit:
        return f": the last test that it meets is {where}"
    return f": {where} is {'true' if best.true & bit else 'false'}"


def _item(one: Observation, bench: Bench) -> Item | None:
    match one:
        case Lookup():
            return _lookup(one, bench)
        case Gate():
            return Item(f"test `{one.text}`", _either(one.true & one.alive, one.false & one.alive, bench))
        case Comparison():
            text = f"{one.left} {one.operator} {one.right}"
            return Item(f"comparison `{text}`", _either(one.true & one.alive, one.false & one.alive, bench))
        case Rejection():
            words = f"raises {one.exception}" + (f": {one.message}" if one.message else "")
            return Item(f"{one.kind} of the author's", _all(((words, one.mask),), bench))
        case NoneUse():
            return Item(f"the None of `{one.key}`", _all(((f"is {one.use}", one.mask),), bench))
        case Unset():
            rows = (("is set", one.set_on), ("no branch has set it", one.mask))
            return Item(f"the name `{one.name}`", _all(rows, bench))
        case FallThrough():
            return Item("the chain of branches", _all((("no branch takes it", one.mask),), bench))
        case TextUse():
            texts = [(f"is {text!r}", mask) for text, mask in one.texts]
            return Item(f"`{one.subject}`, used as {one.use}", _all((*texts, ("raises", one.raising)), bench))
        case Reach():
            return Item(f"`{one.text}`, which says what it is for", _all((("comes to it", one.mask),), bench))
        case Blank():
            return Item(f"{one.what}: unknown, because {one.reason}", ())
        case _:
            return None


def _lookup(one: Lookup, bench: Bench) -> Item:
    rows = []
    for happening in one.happenings:
        sure = "" if isinstance(happening.outcome, NotKnown) or happening.certain else " (if it is reached)"
        caught = " and is caught" if isinstance(happening.outcome, Raises) and happening.mask & one.caught else ""
        rows.append((f"{told(happening.outcome)}{caught}{sure}", happening.mask))
    keys = ", ".join(map(repr, one.table.keys[:12])) + (", ..." if len(one.table.keys) > 12 else "")
    where = f"{one.table.span.path}:{one.table.span.line}"
    return Item(
        f"lookup in `{one.table.name}` ({where}; keys {keys or 'not known'}) with `{one.key}`", _all(rows, bench)
    )


def _either(true: int, false: int, bench: Bench) -> Rows:
    return _all((("true", true & ~false), ("false", false & ~true), ("true or false", true & false)), bench)


def _all(told_of: Sequence[tuple[str, int]], bench: Bench) -> Rows:
    found: dict[str, list[str]] = {}
    for text, mask in told_of:
        for name in bench.names(mask):
            found.setdefault(name, []).append(text)
    return tuple((name, " or ".join(found[name])) for name in bench.names(bench.everyone) if name in found)
