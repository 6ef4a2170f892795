"""Hold what a run found out file by file, in a form that can be kept: an edit leaves most of it as it is.

A document has one line of JSON with what everything rests on, and then a line for each file that hardware values reach,
for each that was asked while they were followed, and for each that was evaluated. These lines are only read where they
are needed.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from hwlint.graph.carriers import Carries
from hwlint.graph.relevance import HANDED, Known, Relevance
from hwlint.model import codec, observed
from hwlint.model.codec import CodecError
from hwlint.model.observation import Observation
from hwlint.model.report import Failure
from hwlint.workflow.reads import BROKEN, Basis, head_of

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Evaluated:
    """What was seen from one file, and the modules that were asked for on the way, itself among them."""

    seen: tuple[Observation, ...]
    asked: frozenset[str]


@dataclass(frozen=True, slots=True)
class Facts:
    """What one run found out; lines of JSON stand for what is only read where it is needed."""

    basis: Basis
    files: frozenset[str]
    names: frozenset[str]
    """The files that hardware values reach, and the names that carry them everywhere."""
    failures: tuple[Failure, ...]
    asked: Mapping[str, frozenset[str]]
    """By evaluated file, the modules that were asked for."""
    held_by: Mapping[str, tuple[str, ...]]
    """By word, the files that have it, where all were looked through for it."""
    local: Mapping[str, str]
    steps: Mapping[str, str]
    seen: Mapping[str, str]

    def relevance(self) -> Relevance:
        """Which files hardware values reach, and by which names."""
        return Relevance(self.files, self.names, Opened(self.local, _names))

    def asked_on_the_way(self, path: str) -> tuple[list[Known], str]:
        """What a file was asked while hardware values were followed, and the digest of its answers."""
        told, *asked = json.loads(self.steps[path])
        return [{name: Carries(*carries) for name, carries in active.items()} for active in asked], told

    def handing(self) -> frozenset[str]:
        """The files that were asked what they hand on."""
        return frozenset(path for path, line in self.steps.items() if f'{HANDED}"' in line)

    def seen_from(self, path: str) -> tuple[Observation, ...]:
        """What was seen from an evaluated file; raises CodecError."""
        found: tuple[Observation, ...] = observed.loads(self.seen[path])
        return found


class Opened(Mapping[str, T]):
    """Lines by file that are read when they are asked for."""

    def __init__(self, lines: Mapping[str, str], read: Callable[[str], T]) -> None:
        """Let `read` make a value of each of the lines."""
        self._lines, self._read = lines, read

    def __getitem__(self, path: str) -> T:
        """The value of one file."""
        return self._read(self._lines[path])

    def __iter__(self) -> Iterator[str]:
        """The files."""
        return iter(self._lines)

    def __len__(self) -> int:
        """How many files there are."""
        return len(self._lines)


def line_of_names(names: frozenset[str]) -> str:
    """A line for the names that carry hardware values in one file alone."""
    return _line(sorted(names))


def line_of_steps(asked: Sequence[Known], told: str) -> str:
    """A line for what a file was asked while hardware values were followed, and the digest of its answers."""
    return _line([told, *asked])


def line_of_seen(seen: tuple[Observation, ...]) -> str:
    """A line for what was seen from a file; raises CodecError."""
    return observed.dumps(seen)


def written(facts: Facts) -> str:
    """The document."""
    numbers = {path: number for number, path in enumerate(facts.basis.contents)}
    more = {
        "files": sorted(facts.files),
        "names": sorted(facts.names),
        "failures": codec.dumps(facts.failures),
        "asked": {root: sorted(numbers[path] for path in asked) for root, asked in facts.asked.items()},
        "held_by": {word: sorted(numbers[path] for path in held) for word, held in facts.held_by.items()},
        "lines": [list(part) for part in (facts.local, facts.steps, facts.seen)],
    }
    lines = [line for part in (facts.local, facts.steps, facts.seen) for line in part.values()]
    return "\n".join((head_of(facts.basis), _line(more), *lines, ""))


def facts_of(basis: Basis, rest: str) -> Facts | None:
    """What the lines after the first say, or None where they are none of ours."""
    try:
        second, *lines = rest.split("\n")
        more = json.loads(second)
        paths = list(basis.contents)
        parts: list[dict[str, str]] = []
        for part in more["lines"]:
            parts.append(dict(zip(part, lines, strict=False)))
            if len(parts[-1]) != len(part):
                return None
            lines = lines[len(part) :]
        local, steps, seen = parts
        if lines != [""]:
            return None
        asked = {root: frozenset(paths[number] for number in numbers) for root, numbers in more["asked"].items()}
        held_by = {word: tuple(paths[number] for number in numbers) for word, numbers in more["held_by"].items()}
        failures = codec.loads(more["failures"])
        return Facts(
            basis, frozenset(more["files"]), frozenset(more["names"]), failures, asked, held_by, local, steps, seen
        )
    except (*BROKEN, CodecError):
        return None


def _names(line: str) -> frozenset[str]:
    return frozenset(json.loads(line))


def _line(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=True)
