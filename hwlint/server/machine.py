"""Evaluate a file for an editor: with what is known of all others, and only for as long as somebody waits."""

from __future__ import annotations

import ast
from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import dataclass, field

from hwlint.evaluate.budget import Budget
from hwlint.evaluate.code import Code
from hwlint.evaluate.engine import Machine, Work
from hwlint.evaluate.project import Project
from hwlint.evaluate.watch import WatchingMachine
from hwlint.hardware.table import load
from hwlint.hardware.targets import parse_targets
from hwlint.model.architecture import Architecture
from hwlint.model.errors import HwlintError
from hwlint.model.observation import Observation
from hwlint.model.origin import Origins
from hwlint.server.edited import Edited
from hwlint.server.facts import Facts, Shape
from hwlint.server.held import MOST_HELD, Held

Stop = Callable[[], bool]
"""Says whether a result is not wanted any more, or whether it is late."""
STEPS_BETWEEN = 128
"""Steps of the evaluator between two questions whether anybody still waits: a few milliseconds."""


class StoppedError(HwlintError):
    """Nobody waits for the result any more."""


class LateError(HwlintError):
    """An answer is due, and what is being evaluated would only make it better."""


@dataclass(slots=True)
class Patience(Budget):
    """A budget that ends the evaluation where nobody waits for it, and one root of it where an answer is due."""

    stop: Stop = lambda: False
    late: Stop = lambda: False
    spent: int = 0

    def spend(self) -> None:
        """Count one step; raises OverBudget, StoppedError or LateError."""
        Budget.spend(self)
        self.spent += 1
        if self.spent % STEPS_BETWEEN == 0:
            self.ask()

    def ask(self) -> None:
        """Go on only where somebody waits and nothing is due; raises StoppedError or LateError."""
        if self.stop():
            raise StoppedError("nobody waits for it")
        if self.late():
            raise LateError("the answer is due")


@dataclass(slots=True)
class Glance:
    """Which roots are evaluated: `wanted` until it is `too_late`, and `more` until it is `late`; `done` are done."""

    wanted: Callable[[Sequence[ast.AST]], Container[ast.AST]]
    more: Callable[[Code, Sequence[ast.AST]], Container[ast.AST]]
    late: Stop
    too_late: Stop
    done: list[ast.AST] = field(default_factory=list)


class Looking(Machine):
    """The evaluator, which gives up where nobody waits for it, and evaluates a part of a file where asked to."""

    def __init__(self, architectures: Sequence[Architecture], project: Project, origins: Origins, stop: Stop) -> None:
        """Prepare to evaluate files of `project` until `stop` says so."""
        super().__init__(architectures, project, origins)
        self.patience = self.budget = Patience(stop=stop)
        self.part: Glance | None = None

    def glance(self, path: str, edited: Edited, late: Stop, too_late: Stop) -> tuple[list[Observation], list[ast.AST]]:
        """Evaluate the roots that an edit touched, and of those that mention what it touched as many as there is time.

        The former are given up where it is `too_late`, the latter where it is `late`. Returns what was seen, sorted,
        and the roots that were evaluated to their end.
        """
        self.part = Glance(edited.first, edited.then, late, too_late)
        seen = self.evaluate(path)
        return seen, self.part.done

    def roots(self, code: Code) -> Iterator[tuple[ast.AST, Work]]:
        """Yield the roots of a file; of those that are not all wanted, the most wanted first."""
        found = list(super().roots(code))
        part = self.part
        if part is None:
            yield from found
            return
        nodes = [node for node, _ in found]
        wanted = part.wanted(nodes)
        self.patience.late = part.too_late
        yield from (one for one in found if one[0] in wanted)
        self.patience.late = part.late
        more = () if part.late() else part.more(code, nodes)
        yield from (one for one in found if one[0] in more and not part.late())
        self.patience.late = _never

    def _root(self, code: Code, node: ast.AST, work: Work) -> None:
        try:
            self.patience.ask()
            super()._root(code, node, work)
        except LateError:
            self.recorder.muted = 0
            self.frames = []
            return
        if self.part is not None:
            self.part.done.append(node)

    def _settled(self, path: str, seen: list[Observation]) -> list[Observation]:
        """Mark the tests that are constant on every architecture, as far as the roots that were evaluated tell."""
        if self._asks_all and not isinstance(self._whole, Looking):
            whole = self._whole = Looking(
                parse_targets("all,next", load()), self.project, self.origins, self.patience.stop
            )
            whole._asks_all = False
        if self._asks_all and isinstance(self._whole, Looking) and self.part is not None:
            done = self.part.done
            self._whole.part = Glance(lambda _: (), lambda _code, _nodes: done, self.part.late, self.part.too_late)
        return super()._settled(path, seen)


class Watching(WatchingMachine):
    """The same, watching one line."""

    def __init__(self, known: Facts, project: Project, path: str, line: int, stop: Stop) -> None:
        """Watch `line` of `path`, on the architectures that the user asked for, until `stop` says so."""
        super().__init__(known.targets, project, known.origins, path, line)
        self.budget = Patience(stop=stop)


class Modules(Project):
    """The modules of the project: the one that is looked at anew, the others with what is known of them."""

    def __init__(self, known: Facts, held: Held, path: str, news: Shape) -> None:
        """Give `path` the names that `news` has beside those that `known` accounts for."""
        names = known.relevance.names_in(path) | news.hits | news.grown
        reached = known.relevance.files | ({path} if news.hits else set())
        super().__init__(
            known.table,
            held.load,
            lambda other: names if other == path else known.relevance.names_in(other),
            reached,
            lambda word: [other for other in known.table.paths if held.has_word(other, word)],
        )
        self.is_reached = path in reached
        self._held, self._kept, self._path = held, known.codes, path

    def code(self, path: str) -> Code | None:
        """Return a module, or None where it cannot be read or parsed."""
        if path in self._codes or path == self._path or not path.endswith(".py"):
            return super().code(path)
        loaded, kept = self._held.load(path), self._kept.get(path)
        if kept is None or loaded is None or kept.parsed is not loaded[0]:
            kept = super().code(path)
        if kept is not None:
            if len(self._kept) >= MOST_HELD:
                self._kept.clear()
            self._kept[path] = kept
        self._codes[path] = kept
        return kept


def _never() -> bool:
    return False
