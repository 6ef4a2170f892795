"""Remember what each file was asked while hardware values were followed, so that a changed one can be asked again."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from hwlint.graph.bindings import Outline
from hwlint.graph.relevance import HANDED, Known, Surface, passed_on
from hwlint.graph.spoken import stem

Answer: TypeAlias = tuple[Surface, Known] | None
"""What `passed_on` says of a file; None for one that cannot be read."""


@dataclass(slots=True)
class Trail:
    """The questions to each file and its answers, in order.

    The files that hardware values reach, and by which names, follow from the questions and answers alone: whoever
    answers all of them as before leaves everything as it was.
    """

    steps: dict[str, list[tuple[Known, Answer]]] = field(default_factory=dict)

    def note(self, news: Mapping[str, Known], answers: Mapping[str, Answer]) -> None:
        """Add questions with their answers."""
        for path, active in news.items():
            self.steps.setdefault(path, []).append((dict(active), answers[path]))

    def handing(self) -> frozenset[str]:
        """The files that were asked what they hand on: imports from them are followed, whatever reaches them."""
        return frozenset(
            path for path, steps in self.steps.items() if any(name.endswith(HANDED) for one, _ in steps for name in one)
        )


def questions(steps: Sequence[tuple[Known, Answer]]) -> list[Known]:
    """The questions to one file, without those that are asked twice."""
    found: list[Known] = []
    for active, _ in steps:
        if active not in found:
            found.append(active)
    return found


def asked_again(outline: Outline | None, asked: Sequence[Known]) -> list[tuple[Known, Answer]]:
    """The same questions with the answers of a file that has this outline now; None where it cannot be read."""
    return [(active, passed_on(outline, active) if outline is not None else None) for active in asked]


def digest(steps: Sequence[tuple[Known, Answer]], stems: frozenset[str]) -> str:
    """A short text that is another for other answers; where things stand in the file does not count.

    Of what a file binds and imports only that counts which may be followed: names that carry something there, and
    imports from files that hardware values reach or that hand classes on, whose `stems` are given.
    """
    names = {name for active, answer in steps for name in (*active, *(answer[1] if answer is not None else ()))}
    told = [_told(answer, names, stems) for _, answer in steps]
    return hashlib.blake2b(repr(told).encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()


def stems_of(files: frozenset[str]) -> frozenset[str]:
    """The names that imports call these files by: those that hardware values reach, or that hand classes on."""
    return frozenset(stem(path) for path in files)


def _told(answer: Answer, names: set[str], stems: frozenset[str]) -> object:
    if answer is None:
        return None
    surface, leaving = answer
    imports = dict.fromkeys(
        (one.name, one.module, one.level, one.attribute)
        for one in surface.imports
        if not one.module or one.module.rpartition(".")[2] in stems or one.attribute in stems
    )
    members = {owner: sorted(held & names) for owner, held in sorted(surface.members.items())}
    owners = {owner for owner, held in members.items() if held} | {
        name.removesuffix(HANDED) for name in names if name.endswith(HANDED)
    }
    gives = {name: sorted(held & owners) for name, held in sorted(surface.gives.items()) if held & owners}
    return (
        sorted(surface.bound & (names | gives.keys())),
        list(gives.items()),
        list(imports),
        [(owner, held, surface.bases.get(owner, ())) for owner, held in members.items() if held],
        sorted((name, *carries) for name, carries in leaving.items()),
    )
