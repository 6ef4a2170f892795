"""Judge raises and asserts by which the author turns architectures away."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from hwlint.judge.guards import disagreed, quoted, stale_ladder, words_of
from hwlint.judge.verdict import Bench, Verdict
from hwlint.model.architecture import Vendor
from hwlint.model.finding import Level
from hwlint.model.observation import CallRejection, Observation, Rejection
from hwlint.model.rule import Rule

_FROM_ONE_UP = re.compile(
    r"(?:\bsm[ _-]?(?P<sm>\d{2,3})[a-z]?|\b(?:capability|cc)(?: of| is)?[ :=>(]{1,4}(?P<capability>\d{1,2}\.\d)"
    r"|\b(?P<generation>turing|ampere|hopper|blackwell))"
    r"\)?(?: gpus?| architectures?| devices?)?(?:\+| (?:and|or) (?:above|later|newer|higher|up)\b)",
    re.IGNORECASE,
)
"""Words that promise support from one architecture up: `SM90 and above`, `Blackwell or newer`, `capability 8.0+`."""


_EXCEPT = re.compile(r"\b(?:exclud\w+|except\w*|other than|without|but not)\b", re.IGNORECASE)
"""Words that take something back from such a promise."""


_DENIED = re.compile(r"(?:\bnot\b|n't\b|\bun(?=supported|available)|\bno\b)[^.;:]*$", re.IGNORECASE)
"""Words before such a promise that make it the contrary: `not yet supported on SM100+`."""


def author_rejects(seen: Sequence[Observation], rule: Rule, bench: Bench) -> Iterator[Verdict]:
    """A raise or assert turns away an architecture newer than the oldest one that it admits.

    What the author's own words promise is support from one architecture up: to turn newer ones away is a warning.
    """
    yield from _called(seen, bench)
    for rejection in seen:
        if not isinstance(rejection, Rejection):
            continue
        admitted = rejection.reached & ~rejection.mask
        if not admitted:
            continue
        told = disagreed(rejection, bench) | stale_ladder(rejection, bench)
        mask = rejection.mask & ~rejection.caught & ~(bench.older_than(admitted) | bench.floor | told)
        promised = mask & promised_by(rejection.message, bench)
        for part, level in ((promised, Level.WARNING), (mask & ~promised, None)):
            if part:
                yield _verdict(rejection, part, level, bench)


def _called(seen: Sequence[Observation], bench: Bench) -> Iterator[Verdict]:
    """A call whose arguments make the called function turn architectures away, where other calls turn others away."""
    for call in seen:
        if not isinstance(call, CallRejection):
            continue
        admitted = call.reached & ~call.mask
        mask = call.mask & ~call.caught & ~(bench.older_than(admitted) | bench.floor) if admitted else 0
        if mask & ~_told_at(call, bench):
            words = quoted(call.message, call.exception)
            yield Verdict(
                call.place, mask, 0, call.exception, {"words": words}, call.exception, None, call.trace,
                why=tuple((name, f"raises {call.exception}") for name in bench.names(mask)),
                facts={"statement_line": call.place.statement.line},
            )  # fmt: skip


def _told_at(call: CallRejection, bench: Bench) -> int:
    """The architectures of which the `raise` itself is reported."""
    for one in bench.observations.get(call.at.path, ()):
        if isinstance(one, Rejection) and one.place.span == call.at and one.reached & ~one.mask:
            return one.mask
    return 0


def promised_by(words: str, bench: Bench) -> int:
    """The architectures that words such as `SM90 and above` promise to support; none where they promise nothing."""
    found = _FROM_ONE_UP.search(words)
    if found is None or _EXCEPT.search(words) or _DENIED.search(words[: found.start()]):
        return 0
    promised = 0
    for bit, row in enumerate(bench.architectures):
        if row.vendor is not Vendor.NVIDIA or row.capability is None:
            continue
        major, minor = row.capability
        if found["sm"] is not None:
            meant = major * 10 + minor >= int(found["sm"])
        elif found["capability"] is not None:
            meant = row.capability >= tuple(map(int, found["capability"].split(".")))
        else:
            meant = (promised & (1 << bit) - 1) != 0 or row.generation.casefold() == found["generation"].casefold()
        if meant:
            promised |= 1 << bit
    return promised


def _verdict(rejection: Rejection, mask: int, level: Level | None, bench: Bench) -> Verdict:
    words = words_of(rejection)
    return Verdict(
        rejection.place,
        mask,
        rejection.certain & mask,
        rejection.exception,
        {"words": f"{words}, which promises to take them" if level is not None else words},
        rejection.exception,
        level,
        rejection.trace,
        why=tuple((name, f"raises {rejection.exception}") for name in bench.names(mask)),
        facts={"statement_line": rejection.place.statement.line},
    )
