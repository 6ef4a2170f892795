"""Accept a plan only where the changed texts parse, the findings go and no new ones come."""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from hwlint.fix.plan import Choice, Identity, Plan, Refusal, apply_plan, identity
from hwlint.model.finding import Finding, Level
from hwlint.model.report import Report

Recheck = Callable[[Mapping[str, str]], Report]
"""Checks the project with some files' texts replaced, by path; findings come without suppressed ones being dropped."""

TextOf = Callable[[str], str | None]


@dataclass(frozen=True, slots=True)
class Verified:
    """What of a plan holds: the choices that do, the texts with them, the report on those texts, and what does not."""

    applied: tuple[Choice, ...]
    texts: Mapping[str, str]
    report: Report
    refused: tuple[Refusal, ...]


def verify(plan: Plan, before: Report, text_of: TextOf, recheck: Recheck) -> Verified:
    """Return the largest part of the plan that holds, found by dropping what breaks it.

    `before` is the report that the plan was made from and `text_of` the texts it was made for. A choice is dropped
    where its edits do not fit, where its file no longer parses, where its finding stays, and where a finding at
    warning or above comes that was not there. Each dropping is checked again, so at most one run for each choice is
    made, and one more.
    """
    refused: list[Refusal] = []
    current = plan
    while current.chosen:
        texts, misfits = apply_plan(current, text_of)
        bad = dict.fromkeys(misfits, "Its edit does not fit the file as it is now.") or _unparsable(current, texts)
        report = before
        if not bad:
            report = recheck(texts)
            bad = _faults(current, before, report, set(texts))
        if not bad:
            return Verified(current.chosen, texts, report, tuple(refused))
        refused += [Refusal(choice.finding, choice.fix, reason) for choice, reason in bad.items()]
        current = current.without(set(bad))
    return Verified((), {}, before, tuple(refused))


def is_gone(finding: Finding, before: Sequence[Finding], after: Sequence[Finding]) -> bool:
    """Return whether a finding went, or at least lost one of its architectures; of several alike, whether one did."""
    return _count(finding, after) < max(_count(finding, before), 1)


def new_findings(before: Sequence[Finding], after: Sequence[Finding]) -> tuple[Finding, ...]:
    """Return the findings at warning or above that were not there before, not even for more architectures."""
    known: dict[Identity, set[str]] = {}
    for finding in before:
        known.setdefault(identity(finding), set()).update(finding.targets)
    return tuple(
        finding
        for finding in after
        if finding.suppressed is None and finding.level.rank >= Level.WARNING.rank
        if not set(finding.targets) <= known.get(identity(finding), set()) or identity(finding) not in known
    )


def _unparsable(plan: Plan, texts: Mapping[str, str]) -> dict[Choice, str]:
    broken = {path: reason for path, text in texts.items() if (reason := _syntax_error(text)) is not None}
    return {
        choice: f"{path} would no longer parse: {broken[path]}."
        for choice in plan.chosen
        for path in _paths(choice)
        if path in broken
    }


def _syntax_error(text: str) -> str | None:
    try:
        ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        return str(error)
    return None


def _faults(plan: Plan, before: Report, after: Report, changed: Collection[str]) -> dict[Choice, str]:
    """Return the choices that do not hold, with the reason; where a fault has no clear cause, the last choice."""
    bad: dict[Choice, str] = {}
    for choice in plan.chosen:
        if not _are_gone(_alike(plan, choice), before.findings, after.findings):
            bad[choice] = f"The finding would still be there{_where(choice.finding, after.findings)}."
    failed = {failure.path: failure.message for failure in after.failures if failure not in before.failures}
    for path, message in failed.items():
        for choice in _causes(plan, {path}):
            bad.setdefault(choice, f"{path} could no longer be read: {message}.")
    for finding in new_findings(before.findings, after.findings):
        places = {finding.span.path, *(step.span.path for step in finding.trace)} & set(changed)
        reason = (
            f"A new finding would come: {finding.rule} at {finding.span.path}:{finding.span.line}, {finding.message}"
        )
        for choice in _causes(plan, places):
            bad.setdefault(choice, reason)
    return bad


def _alike(plan: Plan, choice: Choice) -> list[Choice]:
    """Return the choices for findings that look like this one's: the same rule in the same function, say."""
    wanted = identity(choice.finding), choice.finding.targets
    return [one for one in plan.chosen if (identity(one.finding), one.finding.targets) == wanted]


def _are_gone(choices: Sequence[Choice], before: Sequence[Finding], after: Sequence[Finding]) -> bool:
    finding = choices[0].finding
    return _count(finding, after) <= max(_count(finding, before) - len(choices), 0)


def _where(finding: Finding, findings: Sequence[Finding]) -> str:
    """Return the place of what is left, where it is another one than the finding's own."""
    left = next((one for one in findings if identity(one) == identity(finding) and one.suppressed is None), None)
    if left is None or left.span.line == finding.span.line:
        return ""
    return f", at {left.span.path}:{left.span.line}"


def _count(finding: Finding, findings: Sequence[Finding]) -> int:
    """Return how many findings look like this one, for all of its architectures at least."""
    return sum(
        identity(one) == identity(finding) and one.suppressed is None and set(finding.targets) <= set(one.targets)
        for one in findings
    )


def _causes(plan: Plan, paths: Collection[str]) -> tuple[Choice, ...]:
    """Return the choices that change one of the files, or the last choice where none does."""
    return tuple(choice for choice in plan.chosen if set(_paths(choice)) & set(paths)) or plan.chosen[-1:]


def _paths(choice: Choice) -> tuple[str, ...]:
    return tuple(dict.fromkeys(edit.span.path for edit in choice.fix.edits))
