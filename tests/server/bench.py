"""Look at files of a project as the server does, without an editor, beside a check of the whole project."""

from __future__ import annotations

from pathlib import Path

from hwlint.graph.relevance import Relevance
from hwlint.model.finding import Finding
from hwlint.rulebook.origins import load_origins
from hwlint.server.facts import Facts, Shape, facts, shape
from hwlint.server.held import Held
from hwlint.server.look import look
from hwlint.server.settle import Shown
from hwlint.source.discover import discover
from hwlint.workflow.analyse import choose
from hwlint.workflow.check import check
from hwlint.workflow.scope import survey
from hwlint.workflow.settings import load_settings
from hwlint.workflow.workers import Workers


class Bench:
    """One project, and what a server would know of it after a check."""

    def __init__(self, root: Path) -> None:
        self.settings = load_settings([root])
        self.files = discover(self.settings.root, self.settings.folders, exclude=self.settings.exclude).files
        self.known: Facts = facts(self.settings, self.files, self._relevance())
        self.held = Held(self.settings.root)

    def _relevance(self) -> Relevance:
        scope = survey([self.settings.root], self.settings, {})
        with Workers(scope.sources, scope.files, 1) as workers:
            return choose(workers, scope.files, load_origins(declared=self.settings.origins))

    def checked(self, path: str, text: str) -> tuple[Finding, ...]:
        """What a check of everything reports in a file that has this text."""
        report = check([self.settings.root], self.settings, jobs=1, use_cache=False, overlay={path: text})
        return tuple(one for one in report.findings if one.span.path == path)

    def news(self, path: str, text: str, old: str) -> Shape:
        """What a text has of the hardware that the old one has not; the text is the file's from now on."""
        self.held.buffers = {path: old}
        before = shape(self.held, self.known, path)
        self.held.buffers = {path: text}
        return shape(self.held, self.known, path).without(before)

    def look(self, path: str, text: str, old: str) -> tuple[Finding, ...]:
        """What a look at a file finds."""
        found = look(self.held, self.known, path, self.news(path, text, old), lambda: False)
        assert found is not None
        return found


def told(findings: tuple[Finding, ...] | tuple[Shown, ...]) -> list[tuple[object, ...]]:
    """What an editor shows of findings."""
    found = [one.finding if isinstance(one, Shown) else one for one in findings]
    return sorted((one.rule, one.span, one.targets, one.message, one.level, one.suppressed) for one in found)
