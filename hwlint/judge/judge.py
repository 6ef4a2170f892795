"""Turn rules and observations into findings."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from string import Formatter

from hwlint.judge.branches import choice_overwritten, constant_where_reached, no_branch_left
from hwlint.judge.builds import stops_short
from hwlint.judge.device_names import name_decides
from hwlint.judge.equality import exact_leaves_family_out
from hwlint.judge.guards import later_than_admitted
from hwlint.judge.limits import exceeds_limit
from hwlint.judge.predicates import contradicts_body
from hwlint.judge.reached import declared_unsupported
from hwlint.judge.rejections import author_rejects
from hwlint.judge.remarks import open_range_admits
from hwlint.judge.tables import default_hides_neighbours, left_out, missed_get_used, raises_where_reached
from hwlint.judge.texts import digit_count_assumed, text_order
from hwlint.judge.units import componentwise, unit_mismatch, unknown_architecture
from hwlint.judge.verdict import Bench, Predicate, Verdict, listed
from hwlint.model.architecture import Architecture
from hwlint.model.finding import Certainty, Finding
from hwlint.model.observation import Observation
from hwlint.model.rule import Rule
from hwlint.rulebook.vocabulary import SHOWN_ONLY

_ONE = {"come": "comes", "are": "is"}
"""Verbs that reasons begin with, as they are said of one architecture."""

PREDICATES: Mapping[str, Predicate] = {
    "raises-where-reached": raises_where_reached,
    "default-hides-neighbours": default_hides_neighbours,
    "left-out": left_out,
    "missed-get-used": missed_get_used,
    "author-rejects": author_rejects,
    "later-than-admitted": later_than_admitted,
    "no-branch-left": no_branch_left,
    "constant-where-reached": constant_where_reached,
    "choice-overwritten": choice_overwritten,
    "unit-mismatch": unit_mismatch,
    "text-order": text_order,
    "digit-count-assumed": digit_count_assumed,
    "componentwise": componentwise,
    "stops-short": stops_short,
    "name-decides": name_decides,
    "unknown-architecture": unknown_architecture,
    "exact-leaves-family-out": exact_leaves_family_out,
    "open-range-admits": open_range_admits,
    "contradicts-body": contradicts_body,
    "declared-unsupported": declared_unsupported,
    "exceeds-limit": exceeds_limit,
}
"""What a rule file's `predicate` means."""


def judge(
    observations: Sequence[Observation],
    rules: Sequence[Rule],
    architectures: Sequence[Architecture],
    *,
    floor: int = 0,
    asked: int = -1,
) -> list[Finding]:
    """Return the findings of `rules`, in the order of places; `floor` holds architectures that are at most a note.

    `asked` are the architectures to report on; the others are there because what happens on them says what these miss.
    """
    by_path: dict[str, list[Observation]] = defaultdict(list)
    for seen in observations:
        by_path[seen.place.path].append(seen)
    bench = Bench(tuple(architectures), by_path, floor, asked)
    found = [
        _finding(rule, verdict, bench)
        for rule in rules
        if rule.predicate in PREDICATES
        for path in sorted(by_path)
        for verdict in PREDICATES[rule.predicate](by_path[path], rule, bench)
        if not verdict.mask or verdict.mask & asked
    ]
    return sorted(found, key=lambda finding: (finding.span, finding.rule, finding.targets))


def _finding(rule: Rule, verdict: Verdict, bench: Bench) -> Finding:
    names = bench.names(verdict.mask)
    mask = verdict.mask & bench.asked
    fields = {"targets": listed(names), "outcome": verdict.outcome, "symbol": verdict.place.symbol, **verdict.fields}
    certain = verdict.certain & mask == mask and mask != 0
    return Finding(
        rule=rule.id,
        name=rule.name,
        level=verdict.level if verdict.level is not None else rule.level,
        certainty=Certainty.CERTAIN if certain else Certainty.POSSIBLE,
        message=_message(rule.message, _agreeing(fields, len(names))),
        span=verdict.span if verdict.span is not None else verdict.place.span,
        symbol=verdict.place.symbol,
        targets=names,
        outcome=verdict.outcome,
        trace=verdict.trace,
        related=verdict.related,
        why=verdict.why,
        table=verdict.table,
        facts=verdict.facts,
        has_recipe=not SHOWN_ONLY.issuperset(rule.fixes),
    )


def _message(template: str, fields: Mapping[str, str]) -> str:
    """Fill a template; a field that the predicate has nothing for is empty."""
    names = {name for _, name, _, _ in Formatter().parse(template) if name}
    return template.format(**{name: fields.get(name, "") for name in names})


def _agreeing(fields: Mapping[str, str], count: int) -> Mapping[str, str]:
    """Let a reason that begins with a verb agree with the number of architectures in front of it."""
    verb, _, rest = fields.get("reason", "").partition(" ")
    return {**fields, "reason": f"{_ONE[verb]} {rest}"} if count == 1 and verb in _ONE else fields
