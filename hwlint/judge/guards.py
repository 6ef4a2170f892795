"""Judge pairs of tests: what an earlier one lets in by name a later raise or assert turns away; ladders gone stale."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from hwlint.judge.verdict import Bench, Verdict, shortened, tidied
from hwlint.model.observation import Admission, Observation, Rejection
from hwlint.model.rule import Rule

LEAST_BRANCHES = 2
_WORDS_SHOWN = 120
_GUARD_SHOWN = 90
_NAMES = re.compile(
    r"\b(?:sm|compute|cc)[ _-]?\d|\bgfx\d|\b\d{1,2}\.[\dx]\b|turing|ampere|\bada\b|hopper|blackwell"
    r"|\b[ghb]?[abhl]\d{2,3}\b",
    re.IGNORECASE,
)
"""Words that name an architecture: `SM90`, `compute 9`, `10.x`, `Hopper`, `H100`."""

_OPEN_END = re.compile(r"[\s:,;]+\.?$")
"""What is left before a value that only a run knows: the end of `Unsupported capability: .`"""


def later_than_admitted(seen: Sequence[Observation], rule: Rule, bench: Bench) -> Iterator[Verdict]:
    """A raise or assert turns away what an earlier test on the same path lets in by name."""
    for rejection in seen:
        if not isinstance(rejection, Rejection):
            continue
        mask = disagreed(rejection, bench)
        if not mask:
            continue
        first = _widest(rejection, mask)
        yield Verdict(
            rejection.place,
            mask,
            rejection.certain & mask,
            rejection.exception,
            {"guard": tidied(first.text, _GUARD_SHOWN), "words": words_of(rejection)},
            rejection.exception,
            None,
            (*rejection.trace, first.step),
            (first.step,),
            why=tuple((name, f"raises {rejection.exception}") for name in bench.names(mask)),
            facts={"statement_line": rejection.place.statement.line},
        )


def disagreed(rejection: Rejection, bench: Bench) -> int:
    """The architectures that an earlier test lets in by name and this turns away as the rest of its own list.

    Those that are older than all that it admits are left out, and so is a rejection that something other than the
    hardware decides in its own function: it may be about a feature and not about the architecture.
    """
    if not rejection.by_rest or rejection.conditional:
        return 0
    admitted = rejection.reached & ~rejection.mask
    old = bench.older_than(admitted) | bench.floor
    mask = 0
    for admission in rejection.admissions:
        if admission.between == 0:
            mask |= admission.mask
    return mask & rejection.decided & ~rejection.caught & ~old


def stale_ladder(rejection: Rejection, bench: Bench, least: int = LEAST_BRANCHES) -> int:
    """The architectures newer than every branch of a chain where its end turns away all of them; else none.

    An author whose words list what is supported has thought of the others.
    """
    branches = [branch for branch in rejection.branches if branch]
    if len(branches) < least or rejection.conditional or not rejection.by_rest or rejection.kind != "raise":
        return 0
    handled = 0
    for branch in branches:
        handled |= branch
    newer = bench.newer_than(handled) & ~bench.floor
    turned_away = rejection.decided & ~rejection.caught
    if not newer or newer & ~turned_away or _NAMES.search(rejection.message):
        return 0
    return newer & ~disagreed(rejection, bench)


def words_of(rejection: Rejection) -> str:
    """The author's words in quotes, cut to a line; where there are none, what raises."""
    return quoted(rejection.message, rejection.exception)


def quoted(message: str, exception: str) -> str:
    """Return words of the author's for a message: `"runs on 9.0"`, or `AssertionError without a message`."""
    words = _OPEN_END.sub("", message)
    return f'"{shortened(words, _WORDS_SHOWN)}"' if words else f"{exception} without a message"


def _widest(rejection: Rejection, mask: int) -> Admission:
    """The admission that lets in most of `mask`; the nearest of several."""
    fitting = [one for one in rejection.admissions if one.between == 0]
    return max(reversed(fitting), key=lambda one: (one.mask & mask).bit_count())
