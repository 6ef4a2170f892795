"""Represent what an expression may be, one answer per architecture.

A `Value` is a tuple of cases: an answer and the bit set of architectures for which it may be the answer. Masks of
different cases may overlap: then several answers are possible on one architecture. The mask `EVERYWHERE` stands for
all architectures, so that a constant costs one case whatever the number of targets.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import product

from hwlint.evaluate.answers import (
    Answer,
    AttrContent,
    Coroutine,
    DictContent,
    ListContent,
    Missed,
    Raised,
    SetContent,
    Trace,
    Unknown,
    held,
    same,
    truth_of,
)
from hwlint.model.finding import TraceStep

EVERYWHERE = -1


MOST_CASES = 96
"""More cases than this in one value are given up as Unknown: no table of hardware values needs as many."""


Case = tuple[Answer, int]


@held()
class Value:
    """What an expression may be; `trace` is set where it depends on the hardware, `via` tells how a table got here."""

    cases: tuple[Case, ...]
    trace: Trace | None = None
    missed: Missed | None = None
    via: tuple[TraceStep, ...] = ()

    @property
    def mask(self) -> int:
        """The architectures for which there is an answer at all."""
        found = 0
        for _, mask in self.cases:
            found |= mask
        return found

    def only(self) -> Answer:
        """Return the answer where it is the same everywhere, else an Unknown."""
        if len(self.cases) == 1:
            return self.cases[0][0]
        return Unknown("several answers")


def const(answer: Answer) -> Value:
    """A value that is `answer` everywhere."""
    return Value(((answer, EVERYWHERE),))


def unknown(reason: str, trace: Trace | None = None) -> Value:
    """A value that is unknown everywhere."""
    return Value(((Unknown(reason), EVERYWHERE),), trace)


def awaited(value: Value) -> Value:
    """What `await` gives: the answer of a coroutine; anything else is taken for what it gives itself."""
    if not any(type(answer) is Coroutine for answer, _ in value.cases):
        return value
    parts = [
        restrict(answer.value, mask) if type(answer) is Coroutine else Value(((answer, mask),))
        for answer, mask in value.cases
    ]
    found = join(parts)
    return Value(found.cases, found.trace or value.trace, found.missed, found.via)


def make(
    cases: Iterable[Case],
    trace: Trace | None = None,
    missed: Missed | None = None,
    via: tuple[TraceStep, ...] = (),
) -> Value:
    """Build a value: equal answers are put together, empty cases dropped, and each architecture keeps one Unknown."""
    kept: list[tuple[Answer, int]] = []
    unsure = 0
    coming = iter(cases)
    for answer, mask in coming:
        if type(answer) is Unknown:
            if mask & unsure:
                _weaken(kept, answer, mask)
            mask &= ~unsure
            unsure |= mask
        if not mask:
            continue
        kind = type(answer)
        for index, (known, seen) in enumerate(kept):
            if known is answer or (type(known) is kind and (known == answer or kind is float) and same(known, answer)):
                kept[index] = (known, seen | mask)
                break
        else:
            kept.append((answer, mask))
            if len(kept) > MOST_CASES:
                break
    if len(kept) > MOST_CASES:
        whole = 0
        for _, mask in (*kept, *coming):
            whole |= mask
        kept = [(Unknown("more possibilities than are tracked"), whole)]
    return Value(tuple(kept), trace, missed, via)


def _weaken(kept: list[Case], other: Unknown, mask: int) -> None:
    """Let the Unknowns that are kept say no more than `other` does, where both may be the answer."""
    for index, (answer, seen) in enumerate(kept):
        if type(answer) is not Unknown or not seen & mask:
            continue
        truth = answer.truth if answer.truth == other.truth else None
        is_none = answer.is_none if answer.is_none == other.is_none else None
        if truth is not answer.truth or is_none is not answer.is_none:
            kept[index] = (answer, seen & ~mask)
            kept.append((Unknown(answer.reason, truth, is_none), seen & mask))
    kept[:] = [case for case in kept if case[1]]


def overlay(under: DictContent, over: DictContent) -> DictContent:
    """The entries of `over` put on those of `under`; what `over` may hold besides may replace any of them."""
    items = under.items
    if over.rest is not None:
        unsure = Value(((over.rest, EVERYWHERE),))
        items = {key: join((value, unsure)) for key, value in items.items()}
    return DictContent({**items, **over.items}, under.rest or over.rest)


def restrict(value: Value, mask: int) -> Value:
    """Keep only the cases of the architectures in `mask`."""
    if len(value.cases) == 1:
        answer, seen = value.cases[0]
        if seen & mask == seen:
            return value
        return Value(((answer, seen & mask),) if seen & mask else (), value.trace, value.missed, value.via)
    kept = tuple((answer, seen & mask) for answer, seen in value.cases if seen & mask)
    return Value(kept, value.trace, value.missed, value.via)


def join(values: Iterable[Value]) -> Value:
    """A value that may be any of `values`."""
    found = list(values)
    if len(found) == 1:
        return found[0]
    first = found[0]
    if all(value is first for value in found):
        return first
    trace = next((value.trace for value in found if value.trace), None)
    via = next((value.via for value in found if value.via), ())
    missed = _join_missed(found)
    return make((case for value in found for case in value.cases), trace, missed, via)


def _join_missed(values: list[Value]) -> Missed | None:
    """Keep the first mark of a missed lookup, widened to every architecture that carries one from the same place."""
    marks = [value.missed for value in values if value.missed]
    if not marks:
        return None
    first = marks[0]
    mask = 0
    for mark in marks:
        if mark.span == first.span:
            mask |= mark.mask
    return Missed(mask, first.span, first.table, first.key, first.ended)


def select(left: Value, left_mask: int, right: Value, right_mask: int) -> Value:
    """Take `left` on the architectures of `left_mask` and `right` on those of `right_mask`."""
    if left is right:
        return left
    return join((restrict(left, left_mask), restrict(right, right_mask)))


def lift(
    operation: Callable[..., Answer],
    values: tuple[Value, ...],
    alive: int,
) -> tuple[Value, tuple[tuple[Raised, int], ...]]:
    """Apply `operation` to every combination of answers that occurs on some architecture in `alive`.

    Returns the value and, apart, what was raised and where. `operation` gets answers and returns an answer, an
    Unknown or a Raised.
    """
    trace = next((value.trace for value in values if value.trace), None)
    done: list[Case] = []
    raised: list[tuple[Raised, int]] = []
    count = 0
    combinations = product(*(value.cases for value in values)) if len(values) < _FEW else _combined(values, alive)
    if combinations is None:
        return Value(((Unknown("more combinations than are tracked"), alive),), trace), ()
    for combination in combinations:
        mask = alive
        for _, seen in combination:
            mask &= seen
        if not mask:
            continue
        count += 1
        if count > 4 * MOST_CASES:
            return Value(((Unknown("more combinations than are tracked"), alive),), trace), ()
        answer = operation(*(answer for answer, _ in combination))
        if type(answer) is Raised:
            raised.append((answer, mask))
        else:
            done.append((answer, mask))
    if len(done) == 1 and not raised:
        only, mask = done[0]
        if mask == alive and all(seen == EVERYWHERE for value in values for _, seen in value.cases):
            mask = EVERYWHERE
        return Value(((only, mask),), trace), ()
    return make(done, trace), tuple(raised)


_FEW = 4
"""From so many values on their combinations are too many to go through all of them."""


def _combined(values: tuple[Value, ...], alive: int) -> list[tuple[Case, ...]] | None:
    """The combinations of answers that occur on some architecture; None where they are more than are tracked."""
    found: list[tuple[tuple[Case, ...], int]] = [((), alive)]
    for value in values:
        found = [((*head, case), mask & case[1]) for head, mask in found for case in value.cases if mask & case[1]]
        if len(found) > 4 * MOST_CASES:
            return None
    return [head for head, _ in found]


def opened(content: Answer, rest: Unknown) -> Answer:
    """The content of a container to which something may have been added, as `rest` says."""
    match content:
        case DictContent():
            return DictContent(content.items, content.rest or rest)
        case ListContent():
            return ListContent(content.items, content.rest or rest)
        case SetContent():
            return SetContent(content.items, content.rest or rest)
        case AttrContent():
            return AttrContent(content.items, content.rest or rest)
        case _:
            return content


def truth(value: Value, alive: int) -> tuple[int, int]:
    """Return the architectures on which `value` may be true, and those on which it may be false."""
    yes = no = 0
    for answer, mask in value.cases:
        known = truth_of(answer)
        if known is not False:
            yes |= mask
        if known is not True:
            no |= mask
    return yes & alive, no & alive


def told_by(value: Value, alive: int) -> tuple[int, int]:
    """Return the architectures on which a known answer is true, and on which one is false.

    An argument that may be passed in, and is read from the hardware where it is not, has both kinds of answers: what
    the hardware says is judged by the known ones alone.
    """
    return truth(Value(tuple(case for case in value.cases if type(case[0]) is not Unknown)), alive)
