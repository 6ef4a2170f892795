"""Hold what one predicate says of one observation, before a rule turns it into a finding."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from hwlint.model.architecture import Architecture
from hwlint.model.finding import Level, TraceStep
from hwlint.model.observation import Observation, Place
from hwlint.model.rule import Rule
from hwlint.model.span import Span


@dataclass(frozen=True, slots=True)
class Bench:
    """What every predicate may ask: the run's architectures, and all observations by file."""

    architectures: tuple[Architecture, ...]
    observations: Mapping[str, Sequence[Observation]]
    floor: int = 0
    """Bit set of the architectures that the project is known not to support any more."""
    asked: int = -1
    """Bit set of the architectures to report on; what happens on the others only helps to judge these."""

    def names(self, mask: int) -> tuple[str, ...]:
        """The names of the architectures in `mask` that the run was asked about, in catalogue order."""
        return self.all_names(mask & self.asked)

    def all_names(self, mask: int) -> tuple[str, ...]:
        """The names of the architectures in `mask`, in catalogue order, whether the run was asked about them or not."""
        return tuple(row.name for bit, row in enumerate(self.architectures) if mask >> bit & 1)

    def rows(self, mask: int) -> tuple[Architecture, ...]:
        """The architectures in `mask`."""
        return tuple(row for bit, row in enumerate(self.architectures) if mask >> bit & 1)

    @property
    def everyone(self) -> int:
        """The bit set of all architectures of the run."""
        return (1 << len(self.architectures)) - 1

    def older_than(self, mask: int) -> int:
        """The architectures that come before every one of `mask` of the same vendor; none where `mask` is empty."""
        found = 0
        for bit, row in enumerate(self.architectures):
            same = [
                other for other, kin in enumerate(self.architectures) if mask >> other & 1 and kin.vendor is row.vendor
            ]
            if same and bit < min(same):
                found |= 1 << bit
        return found

    def in_line_with(self, mask: int) -> int:
        """The architectures of the lines of products that `mask` has members of."""
        lines = {row.line for row in self.rows(mask)}
        return sum(1 << bit for bit, row in enumerate(self.architectures) if row.line in lines)

    def newer_than(self, mask: int) -> int:
        """The architectures that come after every one of `mask` of the same line; none where `mask` is empty.

        All of NVIDIA's are one line; AMD has one for datacenters and one for graphics (CDNA, RDNA).
        """
        found = 0
        for bit, row in enumerate(self.architectures):
            same = [other for other, kin in enumerate(self.architectures) if mask >> other & 1 and kin.line == row.line]
            if same and bit > max(same):
                found |= 1 << bit
        return found


@dataclass(frozen=True, slots=True)
class Verdict:
    """One finding in the making.

    `fields` fills the rule's message template; `targets` and `missing` are filled in from `mask`. `certain` is the
    part of `mask` on which the hardware alone decides. `level` overrides the rule's.
    """

    place: Place
    mask: int
    certain: int
    outcome: str
    fields: Mapping[str, str] = field(default_factory=dict)
    table: str = ""
    level: Level | None = None
    trace: tuple[TraceStep, ...] = ()
    related: tuple[TraceStep, ...] = ()
    why: tuple[tuple[str, str], ...] = ()
    facts: Mapping[str, object] = field(default_factory=dict)
    span: Span | None = None
    """Where the finding stands, if not at the place's expression."""


_MORE = " ..."
_INNER_SPACE = re.compile(r"(?<=[(\[{]) (?=\S)|(?<=\S) (?=[)\]}])")
"""What is left of a line's end inside brackets."""
_SENTENCES = re.compile(r".*\w[\w)\"'`]*[.!?](?= [A-Z`\"'])", re.DOTALL)
"""Whole sentences from the start: a full stop before a capital."""

Predicate = Callable[[Sequence[Observation], Rule, Bench], Iterator[Verdict]]
"""Looks at the observations of one file and says what its rule should report there."""


def shortened(words: str, most: int) -> str:
    """Return a sentence in one line of at most `most` characters, cut behind a sentence, or else behind a word.

    >>> shortened("Needs SM80 to SM90. Use another backend there.", 40)
    'Needs SM80 to SM90.'
    """
    line = " ".join(words.split())
    if len(line) <= most:
        return line
    kept = line[: most - len(_MORE)]
    sentences = _SENTENCES.match(kept)
    if sentences is not None and len(sentences.group()) > most // 3:
        return sentences.group()
    return _cut(kept)


def tidied(code: str, most: int) -> str:
    """Return source text in one line of at most `most` characters; what the evaluator has cut in a word ends before it.

    >>> tidied("is_new() and batch is not Non...", 90)
    'is_new() and batch is not ...'
    """
    line = _INNER_SPACE.sub("", " ".join(code.split()))
    if len(line) <= most and not line.endswith("..."):
        return line
    return _cut(line.removesuffix("...")[: most - len(_MORE)])


def _cut(text: str) -> str:
    whole = text.rpartition(" ")[0]
    return f"{(whole or text).rstrip(' ,;:')}{_MORE}"


def listed(words: Sequence[str]) -> str:
    """Join words for a sentence: `a`, `a and b`, `a, b and c`."""
    if len(words) <= 1:
        return "".join(words)
    return f"{', '.join(words[:-1])} and {words[-1]}"
