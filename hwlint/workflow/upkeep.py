"""Report what is amiss with the project's own files, comments and baseline, and mark what they suppress."""

from __future__ import annotations

from collections.abc import Sequence

from hwlint.judge import baseline, suppressions
from hwlint.judge.fingerprint import with_fingerprints
from hwlint.model.finding import Certainty, Finding
from hwlint.model.report import Failure
from hwlint.model.rule import Rule
from hwlint.model.span import Span
from hwlint.rulebook.rules import Rulebook
from hwlint.source.comments import Comments
from hwlint.source.comments import suppressions as comments_of
from hwlint.source.read import Text
from hwlint.workflow.settings import Settings
from hwlint.workflow.sources import Sources


def unreadable(
    failures: Sequence[Failure], rulebook: Rulebook, chosen: frozenset[str], reported: frozenset[str]
) -> list[Finding]:
    """Return a finding for each reported file that could not be read or parsed."""
    rule = rulebook.find("unreadable-file")
    if rule is None or rule.id not in chosen:
        return []
    return [_upkeep(rule, Span(f.path, f.line, 1, f.line, 1), f.message) for f in failures if f.path in reported]


def _upkeep(rule: Rule, span: Span, reason: str, *, idle: tuple[str, ...] | None = None) -> Finding:
    """Return a finding about the project's own upkeep; only one about a comment (`idle`) can be fixed."""
    message = rule.message.format(reason=reason, symbol="")
    facts = {} if idle is None else {"idle": idle}
    return Finding(
        rule.id,
        rule.name,
        rule.level,
        Certainty.CERTAIN,
        message,
        span,
        "",
        (),
        reason,
        facts=facts,
        has_recipe=idle is not None and bool(rule.fixes),
    )


def marked(
    found: list[Finding],
    sources: Sources,
    settings: Settings,
    rulebook: Rulebook,
    chosen: frozenset[str],
    judged: list[str],
) -> list[Finding]:
    """Mark what comments, per-file ignores and the baseline suppress; report comments that suppress nothing."""
    comments: dict[str, Comments] = {}
    for path in judged:
        if sources.holds(path, b"hwlint:"):
            text = sources.text(path)
            if isinstance(text, Text):
                comments[path] = comments_of(text)
    names = {rule.id: rule.name for rule in rulebook.rules}
    found, upkeep = suppressions.apply(found, comments, rules=names, ran=chosen)
    for note in upkeep:
        rule = rulebook.find(note.rule)
        if rule is not None and rule.id in chosen:
            found.append(_upkeep(rule, note.span, note.message, idle=note.idle))
    found = suppressions.apply_per_file_ignores(found, settings.per_file_ignores)
    found = with_fingerprints(found)
    if settings.baseline is not None:
        found, stale = baseline.apply(found, baseline.load(settings.baseline), paths=judged)
        rule = rulebook.find("unused-suppression")
        if rule is not None and rule.id in chosen:
            for old in stale:
                reason = f"{settings.baseline.name} accepts {old.entry.rule} here, which is no longer found"
                found.append(_upkeep(rule, Span(old.entry.path, 1, 1, 1, 1), reason))
    return found
