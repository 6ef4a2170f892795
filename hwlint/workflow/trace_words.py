"""Say what an exception's own words tell of the architecture, where nothing in the tree explains it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from hwlint.hardware.targets import is_made_up
from hwlint.judge.rejections import promised_by
from hwlint.judge.verdict import Bench
from hwlint.model.architecture import Architecture, Vendor
from hwlint.model.crash import Crash
from hwlint.workflow.trace_calls import SPEAKS_OF_HARDWARE
from hwlint.workflow.trace_clues import Clue
from hwlint.workflow.trace_evidence import Evidence

_BUILT_WITHOUT = re.compile(
    r"\bbuild does not (?:support|include|have)|(?:not|wasn't) (?:compiled|built) with|(?:compiled|built) without"
    r"|disabled at (?:build|compile) time",
    re.IGNORECASE,
)
"""Words about what was left out of a build, whatever it runs on."""
_EXPECTED = re.compile(r"Expected (?P<tests>is_sm\w+(?: \|\| is_sm\w+)*) to be true")
_TEST = re.compile(r"is_sm(?P<number>\d{2,3}|\d{1,2}x)")
_MOST_NAMED = 8


def told(crash: Crash, known: Evidence, said: Clue | None) -> tuple[str, tuple[str, ...]]:
    """What the words of a refusal say, and the architectures that it can have been; nothing where they say nothing."""
    words = " ".join((crash.message, *crash.details))
    if _BUILT_WITHOUT.search(words):
        return "its words are about what was left out when that package was built, and not about an architecture", ()
    if SPEAKS_OF_HARDWARE.search(words) is None:
        return "", ()
    rows = [row for row in known.rows if row.vendor is Vendor.NVIDIA and row.products and not is_made_up(row)]
    wanted = set(_wanted(words, rows))
    clues = known.clues if wanted else [clue for clue in (said, *known.clues) if clue is not None]
    named, because = known.named(clues)
    if not wanted or len(wanted) == len(rows):
        return (f"{because} ({' or '.join(known.in_order(named))})", known.in_order(named)) if named else ("", ())
    others = {row.name for row in rows} - wanted
    if not named:
        return f"by its words it was {_some(known.in_order(others), rows)}", known.in_order(others)
    if named & wanted:
        asks = "which its words admit: the test that says so is older than that architecture, or was built without it"
        return f"{because} ({' or '.join(known.in_order(named))}), {asks}", known.in_order(named)
    return f"{because} ({' or '.join(known.in_order(named))}), which is not what its words ask for", known.in_order(
        named
    )


def _wanted(words: str, rows: Sequence[Architecture]) -> Iterator[str]:
    """The architectures that the words say are supported."""
    expected = _EXPECTED.search(words)
    numbers = _TEST.findall(expected["tests"]) if expected is not None else ()
    mask = promised_by(words, Bench(tuple(rows), {}))
    for bit, row in enumerate(rows):
        assert row.capability is not None
        digits = f"{row.capability[0]}{row.capability[1]}"
        if mask >> bit & 1 or any(digits == each or (each[-1] == "x" and digits[:-1] == each[:-1]) for each in numbers):
            yield row.name


def _some(names: Sequence[str], rows: Sequence[Architecture]) -> str:
    known = [row.name for row in rows]
    first, last = known.index(names[0]), known.index(names[-1])
    if len(names) > _MOST_NAMED and len(names) == last - first + 1:
        return f"one of {names[0]} to {names[-1]} ({len(names)} architectures)"
    return f"{', '.join(names[:-1])} or {names[-1]}" if len(names) > 1 else "".join(names)
