"""Offer the fixes of findings that hold: texts that parse, the finding gone, and no new one, as `hwlint fix` asks."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, replace

from hwlint.fix.attach import attach_fixes
from hwlint.fix.plan import Choice, Plan, identity
from hwlint.fix.verify import new_findings, verify
from hwlint.model.finding import Finding, Fix, Safety
from hwlint.model.report import Report
from hwlint.rulebook.rules import load_rules
from hwlint.server.edited import edited
from hwlint.server.facts import Facts, Shape
from hwlint.server.held import Held
from hwlint.server.look import look_at_all
from hwlint.server.machine import Stop
from hwlint.source.classify import is_test_path

LONGEST = 2.0
"""Seconds for trying the fixes of one request in other files than those that they change or speak of."""

Tried = MutableMapping[tuple[str, str], str | None]
"""The title of a fix that holds, None for one that does not, by the fingerprint of its finding and its own title."""


@dataclass(frozen=True, slots=True)
class Offers:
    """Fixes for findings in one file, tried on the texts as the editor shows them.

    `tried` remembers what holds, and is to be emptied when a text changes.
    """

    held: Held
    known: Facts
    path: str
    news: Shape
    tried: Tried
    stop: Stop

    def for_findings(self, findings: Sequence[Finding]) -> tuple[Finding, ...]:
        """Return the findings with those of their fixes that hold; suggestions that edit nothing are left out.

        A title says so where there was no time to try the fix in every file that names what it changes.
        """
        rules = {rule.id: rule for rule in load_rules(self.known.settings.extend_rules).rules}
        due = time.monotonic() + LONGEST
        offered = attach_fixes(findings, self.held.text, self.known.catalogue, rules)
        return tuple(
            replace(
                one,
                fixes=tuple(
                    replace(fix, title=title)
                    for fix in one.fixes
                    if (title := self._offered(one, fix, due)) is not None
                ),
            )
            for one in offered
        )

    def _offered(self, finding: Finding, fix: Fix, due: float) -> str | None:
        """The title under which a fix is offered, None for one that does not hold."""
        if fix.safety is Safety.DISPLAY or not fix.edits:
            return None
        key = (finding.fingerprint, fix.title)
        if key not in self.tried:
            self.tried[key] = self._try(finding, fix, due)
        return self.tried[key]

    def _try(self, finding: Finding, fix: Fix, due: float) -> str | None:
        changed = {edit.span.path for edit in fix.edits}
        near = sorted({self.path, finding.span.path, *changed, *(step.span.path for step in finding.trace)})
        before = self._report(near, {})
        if identity(finding) not in map(identity, before.findings):  # what only the whole project shows is for `fix`
            return None
        plan = Plan((Choice(finding, fix),))
        verified = verify(plan, before, self.held.text, lambda texts: self._report(near, texts))
        if not verified.applied:
            return None
        readers = self._readers(verified.texts, near)
        for number, path in enumerate(readers):
            if time.monotonic() > due:
                left = f"not tried in {len(readers) - number} of {len(readers)} files that name it"
                return f"{fix.title} ({left}; hwlint fix tries all)"
            if new_findings(self._report([path], {}).findings, self._report([path], verified.texts).findings):
                return None
        return fix.title

    def _report(self, paths: Iterable[str], texts: Mapping[str, str]) -> Report:
        """What a look at files finds, with some texts in place of those that the editor shows."""
        buffers = self.held.buffers
        self.held.buffers = {**buffers, **texts}
        try:
            return look_at_all(self.held, self.known, list(paths), self.path, self.news, self.stop)
        finally:
            self.held.buffers = buffers

    def _readers(self, texts: Mapping[str, str], near: Sequence[str]) -> list[str]:
        """The files that hardware values reach and that name something that was changed, near ones first."""
        names: set[str] = set()
        for path, text in texts.items():
            old, loaded = self.held.text(path), self.held.load(path)
            if old is not None and loaded is not None:
                names |= edited(text, old).names(loaded[0].tree.body)
        folders = {path.rpartition("/")[0] for path in texts}
        found = [
            path
            for path in self.known.relevance.files
            if path not in near and not is_test_path(path) and any(self.held.has_word(path, name) for name in names)
        ]
        return sorted(found, key=lambda path: (path.rpartition("/")[0] not in folders, path))
