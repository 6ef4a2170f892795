"""Choose one fix for each finding and put together those that do not get in each other's way."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass

from hwlint.fix.splice import SpliceFailure, clashes, splice
from hwlint.model.finding import Edit, Finding, Fix, Safety

_NAME = re.compile(r"[\w.]+")

Identity = tuple[str, str, str, str]
"""What stays of a finding when lines shift and architectures drop out: rule, path, symbol, table."""

Ask = Callable[[Finding, Fix], bool]
"""Says whether a fix may be applied to a finding."""


@dataclass(frozen=True, slots=True, eq=False)
class Choice:
    """A fix chosen for a finding; compares by identity, because findings hold mappings."""

    finding: Finding
    fix: Fix


@dataclass(frozen=True, slots=True)
class Refusal:
    """A fix that is not applied, and why in a sentence."""

    finding: Finding
    fix: Fix
    reason: str
    behind: str = ""
    """Rule and place of the finding whose fix changes the same text and goes first."""


@dataclass(frozen=True, slots=True)
class Plan:
    """The fixes of one round; `deferred` clash with chosen ones and wait for the next."""

    chosen: tuple[Choice, ...]
    deferred: tuple[Refusal, ...] = ()

    def edits(self) -> dict[str, tuple[Edit, ...]]:
        """Return the edits by path, each once; sorted by path."""
        found: dict[str, dict[Edit, None]] = {}
        for choice in self.chosen:
            for edit in choice.fix.edits:
                found.setdefault(edit.span.path, {})[edit] = None
        return {path: tuple(found[path]) for path in sorted(found)}

    def without(self, dropped: Collection[Choice]) -> Plan:
        """Return the plan without some of its choices."""
        return Plan(tuple(choice for choice in self.chosen if choice not in dropped), self.deferred)


def identity(finding: Finding) -> Identity:
    """Return what a finding is recognised by in a changed text.

    A table that has no name is called by its source, which an added entry changes: it does not count.
    """
    named = _NAME.fullmatch(finding.table) is not None
    return finding.rule, finding.span.path, finding.symbol, finding.table if named else ""


def make_plan(findings: Iterable[Finding], *, unsafe: bool, ask: Ask | None = None) -> Plan:
    """Choose the first fix of each finding that may be applied: safe ones, and with `unsafe` all but suggestions.

    Findings come first in the order of `findings`; a fix that touches the same text as an earlier one in another way
    is deferred. `ask`, where given, is asked once for each finding that has such a fix, about its fixes in turn until
    it agrees. Suppressed findings are left alone.
    """
    chosen: list[Choice] = []
    deferred: list[Refusal] = []
    for finding in findings:
        fix = None if finding.suppressed is not None else _first_allowed(finding, unsafe=unsafe, ask=ask)
        if fix is None:
            continue
        other = next((choice for choice in chosen if clashes(choice.fix.edits, fix.edits)), None)
        if other is None:
            chosen.append(Choice(finding, fix))
        else:
            where = f"{other.finding.rule} at {other.finding.span.path}:{other.finding.span.line}"
            reason = f"It changes the same text as the fix of {where}; run hwlint fix again."
            deferred.append(Refusal(finding, fix, reason, where))
    return Plan(tuple(chosen), tuple(deferred))


def apply_plan(plan: Plan, text_of: Callable[[str], str | None]) -> tuple[dict[str, str], tuple[Choice, ...]]:
    """Return the new text of each file that the plan changes, and the choices whose edits do not fit their file.

    With choices that do not fit, the texts are those without them.
    """
    misfits: list[Choice] = []
    while True:
        texts: dict[str, str] = {}
        current = plan.without(misfits)
        culprit = None
        for path, edits in current.edits().items():
            old = text_of(path)
            new = SpliceFailure("the file cannot be read", edits[0]) if old is None else splice(old, edits)
            if isinstance(new, SpliceFailure):
                culprit = next(choice for choice in reversed(current.chosen) if new.edit in choice.fix.edits)
                break
            texts[path] = new
        if culprit is None:
            return texts, tuple(misfits)
        misfits.append(culprit)


def changed_only(texts: Mapping[str, str], text_of: Callable[[str], str | None]) -> dict[str, str]:
    """Return the texts that differ from what `text_of` has."""
    return {path: text for path, text in texts.items() if text != text_of(path)}


def _first_allowed(finding: Finding, *, unsafe: bool, ask: Ask | None) -> Fix | None:
    allowed = (Safety.SAFE, Safety.UNSAFE) if unsafe else (Safety.SAFE,)
    for fix in finding.fixes:
        if fix.safety in allowed and fix.edits and (ask is None or ask(finding, fix)):
            return fix
    return None
