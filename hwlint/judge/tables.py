"""Judge uses of tables: lookups that raise, defaults that hide a miss, lists that leave an architecture out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any, cast

from hwlint.judge.amd_names import names_left_out
from hwlint.judge.gaps import gaps
from hwlint.judge.open_tables import left_out_unseen
from hwlint.judge.told_elsewhere import comes_out_alike, is_turned_away_below
from hwlint.judge.verdict import Bench, Verdict, tidied
from hwlint.model.finding import Level, TraceStep
from hwlint.model.observation import Happening, Lookup, NoneUse, Observation, Rejection
from hwlint.model.outcome import Default, Hit, NotKnown, Raises
from hwlint.model.rule import Rule
from hwlint.model.span import Span

_KEYS_SHOWN = 8
_NAME_SHOWN = 70
_PROSE = frozenset({"another value", "an object", "a container", "a default", "what follows the loop"})
"""Defaults that are said in words, and not in code."""
NO_LIMIT = "taken for no limit"
"""The use of a None that does not crash, but lets through what the table was there to hold back."""


def raises_where_reached(seen: Sequence[Observation], rule: Rule, bench: Bench) -> Iterator[Verdict]:
    """A lookup raises where nothing catches it: one verdict for a table, a key and a function.

    Architectures older than everything that the table has are a verdict of their own, at note level.
    """
    yield from left_out_unseen(seen, bench, ("subscript",))
    for group in _grouped(
        lookup for lookup in seen if isinstance(lookup, Lookup) and lookup.form in ("subscript", "index")
    ):
        first = next((lookup for lookup in group if _raising(lookup) & ~_alike(lookup) & bench.asked), None)
        if first is None or not first.table.keys:  # what starts empty is filled by somebody before it is asked
            continue
        raising = 0
        certain = 0
        for lookup in group:
            raising |= _raising(lookup) & ~_alike(lookup) & bench.asked
            certain |= _certainly_raising(lookup)
        old = (bench.older_than(_hitting(group)) | bench.floor) & raising
        usual = Level.NOTE if _is_made_for_one(first) else None
        for mask, level in ((raising & ~old, usual), (old, Level.NOTE)):
            if mask:
                yield _miss(first, group, mask, certain & mask, level, bench)


def default_hides_neighbours(seen: Sequence[Observation], rule: Rule, bench: Bench) -> Iterator[Verdict]:
    """`.get`, or a caught KeyError, answers for an architecture that the table lacks while it lists an older one."""
    yield from left_out_unseen(seen, bench, ("get",))
    used = {(use.lookup.path, use.lookup) for use in seen if isinstance(use, NoneUse)}
    for lookup in seen:
        if not isinstance(lookup, Lookup) or lookup.form not in ("get", "subscript", "rows", "index"):
            continue
        if (lookup.place.path, lookup.place.span) in used:
            continue
        hidden = _defaulted(lookup) if lookup.form in ("get", "rows") else _raising(lookup, caught=True)
        hits = _hitting([lookup])
        if hidden == hits:  # found or missed, but on all that come here alike: the hardware does not choose
            continue
        hidden &= bench.asked & ~(bench.older_than(hits) | bench.floor)
        if lookup.form == "rows":
            hidden &= ~_turned_away_behind(lookup, seen)
        if not hits or not hidden or is_turned_away_below(lookup.place, hidden, seen, bench):
            continue
        defaults = sorted(
            {h.outcome.default for h in lookup.happenings if isinstance(h.outcome, Default) and h.mask & hidden}
        )
        outcome = defaults[0] if len(defaults) == 1 else "a default" if defaults else "what the handler does"
        prose = not defaults or outcome in _PROSE
        fields = {"outcome": outcome if prose else f"`{outcome}`"}
        verdict = _verdict(lookup, [lookup], hidden, _certain_of(lookup, hidden), outcome, fields, None, bench)
        yield replace(verdict, facts={**verdict.facts, "falls_back": True})


def _is_made_for_one(lookup: Lookup) -> bool:
    """True for a name made of the capability where all that is there is for one: as deliberate as an exact test."""
    numbers = {found[0] for key in lookup.table.keys if (found := re.search(r"\d+", str(key))) is not None}
    return lookup.table.kind == "names" and len(numbers) == 1


_FAMILIES_FROM = 10
"""From this major number on the members of a family run each other's code."""


def _turned_away_behind(lookup: Lookup, seen: Sequence[Observation]) -> int:
    """The architectures that the function turns away further down."""
    found = 0
    for each in seen:
        if isinstance(each, Rejection) and each.place.symbol == lookup.place.symbol:
            found |= each.mask if each.place.span > lookup.place.span else 0
    return found


def left_out(seen: Sequence[Observation], rule: Rule, bench: Bench) -> Iterator[Verdict]:
    """A membership test, or a list of exact targets, leaves out an architecture newer than the oldest member."""
    yield from gaps(seen, bench)
    yield from left_out_unseen(seen, bench, ("in", "index"))
    yield from names_left_out(seen, bench)
    least = int(str(rule.params.get("least_members", 2)))
    rejected = {obs.place.statement for obs in seen if type(obs).__name__ == "Rejection"}
    told: dict[tuple[object, ...], Verdict] = {}
    for lookup in seen:
        if not isinstance(lookup, Lookup) or lookup.form not in ("in", "not in"):
            continue
        hits = _hitting([lookup])
        if hits == _defaulted(lookup):  # the list holds something else than what the hardware chooses
            continue
        out = _defaulted(lookup) & bench.asked & ~(bench.older_than(hits) | bench.floor) & bench.in_line_with(hits)
        if not hits or not out or len(lookup.table.keys) < least or _leads_to(lookup, rejected):
            continue
        if _is_one_family(hits, bench):
            continue
        if is_turned_away_below(lookup.place, out, seen, bench) or comes_out_alike(lookup.place, hits, out, seen):
            continue
        index = (lookup.place.symbol or lookup.place.span, lookup.key, lookup.table.keys, out)
        if index in told:
            again = TraceStep(lookup.place.span, "the same list is asked again with the same key")
            told[index] = _asked_again(told[index], again, lookup.table.span)
        else:
            told[index] = _verdict(lookup, [lookup], out, _certain_of(lookup, out), "not a member", {}, None, bench)
    yield from told.values()


def _asked_again(verdict: Verdict, again: TraceStep, table: Span) -> Verdict:
    """Return the verdict with a further place, and with the list that stands there where it is written anew."""
    facts = verdict.facts
    lists = cast("tuple[Span, ...]", facts.get("table_spans_again", ()))
    if table not in (facts["table_span"], *lists):
        facts = {**facts, "table_spans_again": (*lists, table)}
    return replace(verdict, related=(*verdict.related, again), facts=facts)


def _is_one_family(hits: int, bench: Bench) -> bool:
    """Return whether the members are all of one family, which is as deliberate as a test for its major number."""
    families = {row.family for row in bench.rows(hits)}
    if len(families) != 1 or any((row.capability or (0,))[0] < _FAMILIES_FROM for row in bench.rows(hits)):
        return False
    mates = [bit for bit, row in enumerate(bench.architectures) if row.family in families and row.products]
    return len(mates) > 1 and all(hits >> bit & 1 for bit in mates)


def missed_get_used(seen: Sequence[Observation], rule: Rule, bench: Bench) -> Iterator[Verdict]:
    """The None of a missed `.get` is used as a value."""
    lookups = {lookup.place.span: lookup for lookup in seen if isinstance(lookup, Lookup) and lookup.form == "get"}
    told: set[tuple[Span, str]] = set()
    uses = [use for use in seen if isinstance(use, NoneUse) and not use.ended]
    for use in sorted(uses, key=lambda use: use.use == NO_LIMIT):
        if (use.lookup, use.place.symbol) in told:
            continue
        told.add((use.lookup, use.place.symbol))
        lookup = lookups.get(use.lookup)
        hits = _hitting([lookup]) if lookup is not None else 0
        used_on = use.mask & bench.asked
        old = (bench.older_than(hits) | bench.floor) & used_on
        usual = Level.WARNING if use.use == NO_LIMIT else None
        for mask, level in ((used_on & ~old, usual), (old, Level.NOTE)):
            if not mask:
                continue
            missing = _missing([lookup] if lookup is not None else [], mask, bench)
            trace = (*use.trace, TraceStep(use.lookup, f"`{use.key}` gives None there"))
            if lookup is not None:
                trace = (*trace, *lookup.via)
            yield Verdict(
                use.place,
                mask,
                use.certain & mask,
                f"None is {use.use}",
                {
                    "use": use.use,
                    "table": use.table,
                    "missing": ", ".join(map(repr, dict.fromkeys(missing.values()))) or "it",
                },
                use.table,
                level,
                trace,
                facts=_used_facts(use, lookup, mask, bench) if lookup is not None else {},
            )


def _used_facts(use: NoneUse, lookup: Lookup, mask: int, bench: Bench) -> dict[str, object]:
    """What the recipes need where the None of a `.get` is used; one that is taken for no limit stops nobody."""
    facts = _facts(lookup, mask, bench)
    return {**facts, "falls_back": True} if use.use == NO_LIMIT else facts


def _grouped(lookups: Iterable[Lookup]) -> Iterator[list[Lookup]]:
    """Lookups of one table with one key in one function, in order of place."""

    def index(lookup: Lookup) -> tuple[Any, ...]:
        return (lookup.place.symbol, lookup.table.span, lookup.key)

    ordered = sorted(lookups, key=lambda lookup: (index(lookup), lookup.place.span))
    for _, group in groupby(ordered, key=index):
        yield list(group)


def _raising(lookup: Lookup, *, caught: bool = False) -> int:
    mask = 0
    for happening in lookup.happenings:
        if isinstance(happening.outcome, Raises):
            mask |= happening.mask
    return mask & lookup.caught if caught else mask & ~lookup.caught


def _alike(lookup: Lookup) -> int:
    """Architectures on which nothing raises but what may raise, or may not, on all that come here alike.

    A None that something else than the hardware leaves in a key is such a case: the hardware does not choose it.
    """
    reached = _reached(lookup.happenings)
    for_hardware = 0
    alike = 0
    for happening in lookup.happenings:
        if not isinstance(happening.outcome, Raises):
            continue
        others = _reached(one for one in lookup.happenings if one is not happening)
        if (
            happening.mask == reached
            and not happening.certain
            and others & reached == reached
            and (happening.key is None or reached & (reached - 1))
        ):
            alike |= happening.mask
        else:
            for_hardware |= happening.mask
    return alike & ~for_hardware


def _reached(happenings: Iterable[Happening]) -> int:
    """The architectures of any of `happenings`."""
    mask = 0
    for happening in happenings:
        mask |= happening.mask
    return mask


def _certainly_raising(lookup: Lookup) -> int:
    mask = 0
    for happening in lookup.happenings:
        if isinstance(happening.outcome, Raises):
            mask |= happening.certain
    return mask & ~lookup.caught


def _defaulted(lookup: Lookup) -> int:
    mask = 0
    for happening in lookup.happenings:
        if isinstance(happening.outcome, Default):
            mask |= happening.mask
    return mask


def _hitting(lookups: Iterable[Lookup]) -> int:
    mask = 0
    for lookup in lookups:
        for happening in lookup.happenings:
            if isinstance(happening.outcome, Hit) or _fits_in_part(happening):
                mask |= happening.mask
    return mask


def _fits_in_part(happening: Happening) -> bool:
    """True where a key has the known parts of some entry: the hardware's share of it is there."""
    return isinstance(happening.outcome, NotKnown) and isinstance(happening.key, tuple)


def _certain_of(lookup: Lookup, mask: int) -> int:
    certain = 0
    for happening in lookup.happenings:
        if not isinstance(happening.outcome, (Hit, NotKnown)):
            certain |= happening.certain
    return certain & mask


def _leads_to(lookup: Lookup, statements: set[Span]) -> bool:
    """True where a `raise` or `assert` decided by this test is reported in its place."""
    place = lookup.place.statement
    return any(
        place.path == other.path and place.line <= other.line and other.end_line <= place.end_line
        for other in statements
    )


def _missing(lookups: Iterable[Lookup], mask: int, bench: Bench) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for lookup in lookups:
        for happening in lookup.happenings:
            if not isinstance(happening.outcome, (Hit, NotKnown)):
                for name in bench.names(happening.mask & mask):
                    found.setdefault(name, happening.key)
    return {name: found[name] for name in bench.names(mask) if name in found}


def _miss(first: Lookup, group: list[Lookup], mask: int, certain: int, level: Level | None, bench: Bench) -> Verdict:
    ordered = sorted(first.happenings, key=lambda happening: (happening.mask & mask) & -(happening.mask & mask))
    raised = [h.outcome for h in ordered if isinstance(h.outcome, Raises) and h.mask & mask]
    outcome = " / ".join(dict.fromkeys(str(error) for error in raised)) or "it raises"
    if len(raised) > 3:
        said = ", ".join(dict.fromkeys(error.message for error in raised if error.message))
        outcome = f"{raised[0].exception}: {said}" if said else raised[0].exception
    return _verdict(first, group, mask, certain, outcome, {"outcome": outcome}, level, bench)


def _verdict(
    first: Lookup,
    group: list[Lookup],
    mask: int,
    certain: int,
    outcome: str,
    fields: dict[str, str],
    level: Level | None,
    bench: Bench,
) -> Verdict:
    missing = _missing(group, mask, bench)
    keys = ", ".join(map(_key_text, first.table.keys[:_KEYS_SHOWN])) + (
        ", ..." if len(first.table.keys) > _KEYS_SHOWN else ""
    )
    hit = bench.all_names(_hitting(group))
    whole = {
        "table": tidied(first.table.name, _NAME_SHOWN),
        "key": first.key,
        "keys": keys,
        "missing": ", ".join(dict.fromkeys(map(repr, missing.values()))),
        "neighbour": hit[-1] if hit else "",
        **fields,
    }
    related = tuple(
        TraceStep(lookup.place.span, f"`{first.table.name}` is used again with the same key")
        for lookup in group
        if lookup is not first and lookup.place.span != first.place.span
    )
    return Verdict(
        first.place,
        mask,
        certain,
        outcome,
        whole,
        first.table.name,
        level,
        (*first.trace, *first.via),
        related,
        _why(first, bench),
        _facts(first, mask, bench),
    )


def _why(lookup: Lookup, bench: Bench) -> tuple[tuple[str, str], ...]:
    """What happens on each architecture that reaches the lookup."""
    told: dict[str, list[str]] = {}
    for happening in lookup.happenings:
        for name in bench.names(happening.mask):
            sure = "" if happening.certain or isinstance(happening.outcome, NotKnown) else " (if it is reached)"
            told.setdefault(name, []).append(_said(happening.outcome) + sure)
    return tuple((name, " or ".join(told[name])) for name in bench.names(bench.everyone) if name in told)


def _key_text(key: object) -> str:
    """A key as source has it; the member of an Enum is kept as its dotted name."""
    return key if isinstance(key, str) and "." in key and not key[0].isdigit() else repr(key)


def _said(outcome: Any) -> str:
    match outcome:
        case Hit():
            return f"has the entry {outcome.key}"
        case Default():
            return f"has no entry {outcome.key}; goes on with {outcome.default}"
        case Raises():
            return str(outcome)
        case _:
            return f"not known: {outcome.reason}"


def _facts(lookup: Lookup, mask: int, bench: Bench) -> dict[str, object]:
    """What the fix recipes need; see `hwlint.fix`."""
    present: dict[str, Any] = {}
    for happening in lookup.happenings:
        if isinstance(happening.outcome, Hit):
            for name in bench.all_names(happening.mask):
                present.setdefault(name, happening.key)
    return {
        "table_span": lookup.table.span,
        "table_name": lookup.table.name,
        "table_kind": lookup.table.kind,
        "table_complete": lookup.table.complete,
        "key_texts": tuple(map(_key_text, lookup.table.keys)),
        "missing": _missing([lookup], mask, bench),
        "present": present,
        "lookup_span": lookup.place.span,
        "lookup_form": lookup.form,
        "statement_span": lookup.place.statement,
        "statement_line": lookup.place.statement.line,
        "lookup_text": lookup.key,
    }
