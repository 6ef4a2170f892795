"""Match an exception with what the evaluator saw at the place where it was raised."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from hwlint.model.crash import Crash
from hwlint.model.finding import TraceStep
from hwlint.model.observation import (
    Blank,
    Lookup,
    NoneUse,
    Observation,
    Place,
    Rejection,
    TextUse,
    Unset,
)
from hwlint.model.outcome import Default, Hit, NotKnown, Raises
from hwlint.workflow.trace_frames import Spot

_LOCAL = re.compile(r"(?:local variable|name) '(?P<name>\w+)'")
_WORDS_SHOWN = 160
_OF_A_TABLE = frozenset({"__getitem__", "__missing__", "__contains__", "get", "index"})
"""Methods in which the lookup of a table that is no plain dict ends."""


@dataclass(frozen=True, slots=True)
class Cause:
    """What raised, on which architectures (a bit set), and the way there: origin first, definition last."""

    place: Place
    by: str
    """The operation, for `raised by ...`."""
    what: str
    mask: int
    key: tuple[TraceStep, ...] = ()
    """How the hardware value came here, the origin first."""
    via: tuple[TraceStep, ...] = ()
    """How the table came here, its definition last."""
    tests: tuple[TraceStep, ...] = ()
    """The hardware tests on the way, the nearest first."""
    outcomes: tuple[tuple[str, int], ...] = ()
    """What happens there, with the architectures."""


@dataclass(frozen=True, slots=True)
class Doubt:
    """Why the place of a frame does not explain its exception."""

    reason: str


def cause_at(crash: Crash, spot: Spot, seen: Sequence[Observation]) -> Cause | Doubt | None:
    """What of `seen` raises this exception at `spot`; why it cannot be told; None where the hardware has no say.

    Only the innermost frame raises by an operation of its own, unless all within it belongs to the table's class; a
    frame whose line is not known is searched for the same exception in its function.
    """
    if not _raises_itself(crash, spot):
        return None
    here = [one for one in seen if one.place.path == spot.path]
    on_line = [one for one in here if spot.line and _is_on(one.place, spot.line)]
    inside = [one for one in here if not spot.line and spot.function and one.place.symbol == spot.function]
    for some, exact in ((on_line, True), (inside, False)):
        for one in some:
            cause = _cause(crash, one, exact=exact)
            if cause is not None:
                return cause
    return next(_doubts(crash, on_line), None)


def _raises_itself(crash: Crash, spot: Spot) -> bool:
    within = crash.frames[crash.frames.index(spot.frame) + 1 :]
    return all(frame.function in _OF_A_TABLE for frame in within)


def _is_on(place: Place, line: int) -> bool:
    if place.span.line <= line <= place.span.end_line:
        return True
    return place.statement.line == line or (
        place.statement.line <= line <= place.statement.end_line and line < place.span.line
    )


def _cause(crash: Crash, one: Observation, *, exact: bool) -> Cause | None:
    match one:
        case Lookup():
            return _lookup(crash, one)
        case Unset():
            hit = _LOCAL.search(crash.message)
            if crash.type in ("UnboundLocalError", "NameError") and hit is not None and hit["name"] == one.name:
                rest = (("it is set", one.set_on), ("no branch sets it", one.mask))
                return Cause(
                    one.place,
                    f"the first use of `{one.name}`",
                    f"no branch sets `{one.name}` there",
                    one.mask,
                    one.trace,
                    outcomes=rest,
                )
        case NoneUse():
            if crash.type in ("TypeError", "AttributeError") and "NoneType" in crash.message:
                what = f"`{one.key}` ends without a value" if one.ended else f"`{one.key}` gives None"
                step = TraceStep(one.lookup, f"{what} there")
                return Cause(
                    one.place, f"None that is {one.use}", f"{what}, and that is {one.use}", one.mask, one.trace, (step,)
                )
        case TextUse():
            if one.raising and crash.type in ("ValueError", "IndexError"):
                texts = tuple((f"it is {text!r}", mask) for text, mask in one.texts)
                return Cause(
                    one.place,
                    f"the use of `{one.subject}`",
                    f"`{one.subject}` is no number there",
                    one.raising,
                    one.trace,
                    outcomes=texts,
                )
        case Rejection():
            return _rejection(crash, one, exact=exact)
        case _:
            pass
    return None


def _lookup(crash: Crash, one: Lookup) -> Cause | None:
    mask = 0
    for happening in one.happenings:
        outcome = happening.outcome
        if (
            isinstance(outcome, Raises)
            and outcome.exception == crash.type
            and (crash.type != "KeyError" or outcome.message == crash.message)
        ):
            mask |= happening.mask
    if not mask:
        return None
    keys = ", ".join(map(repr, one.table.keys[:12])) + (", ..." if len(one.table.keys) > 12 else "")
    return Cause(
        one.place,
        f"the lookup in `{one.table.name}` with `{one.key}`",
        f"`{one.table.name}` has no entry for `{one.key}` there; its keys are {keys or 'not known'}",
        mask,
        one.trace,
        one.via,
        (),
        tuple((told(happening.outcome), happening.mask) for happening in one.happenings),
    )


def _rejection(crash: Crash, one: Rejection, *, exact: bool) -> Cause | None:
    if one.exception.rpartition(".")[2] != crash.type:
        return None
    if not exact and not says(one.message, crash.message):
        return None
    words = one.message if len(one.message) <= _WORDS_SHOWN else one.message[: _WORDS_SHOWN - 3] + "..."
    verb = "an assert" if one.kind == "assert" else f"the author's own {one.exception}"
    return Cause(
        one.place,
        "the assert" if one.kind == "assert" else "this raise",
        f"{verb} turns it away" + (f": {words}" if words else ""),
        one.mask,
        one.trace,
        (),
        tuple(TraceStep(gate.place.span, f"`{gate.text}` leads there") for gate in reversed(one.gates)),
        (("goes on", one.reached & ~one.mask), (f"raises {one.exception}", one.mask)),
    )


def says(words: str, message: str) -> bool:
    """Tell whether a message may come from the author's words, in which the parts that a run fills in are missing.

    >>> says("unsupported compute capability", "unsupported compute capability (12, 0)")
    True
    """
    at = 0
    for word in words.split():
        found = message.find(word, at)
        if found < 0:
            return False
        at = found + len(word)
    return len(words.split()) > 1


def _doubts(crash: Crash, some: Iterable[Observation]) -> Iterator[Doubt]:
    for one in some:
        if isinstance(one, Lookup) and crash.type in ("KeyError", "IndexError"):
            for happening in one.happenings:
                outcome = happening.outcome
                if isinstance(outcome, (Hit, Default)) and outcome.key == crash.message:
                    yield Doubt(
                        f"in this tree `{one.table.name}` answers for {outcome.key}: what crashed is another version"
                    )
        if isinstance(one, Lookup):
            for happening in one.happenings:
                if isinstance(happening.outcome, NotKnown):
                    yield Doubt(f"the lookup in `{one.table.name}` could not be worked out: {happening.outcome.reason}")
        elif isinstance(one, Blank):
            yield Doubt(f"what happens there could not be worked out: {one.what}: {one.reason}")


def told(outcome: Hit | Default | Raises | NotKnown) -> str:
    """What one outcome is, for a row of a table."""
    match outcome:
        case Hit():
            return f"has the entry {outcome.key}"
        case Default():
            return f"has no entry {outcome.key}; goes on with {outcome.default}"
        case Raises():
            return str(outcome)
        case NotKnown():
            return f"not known: {outcome.reason}"
