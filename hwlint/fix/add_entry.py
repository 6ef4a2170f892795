"""Add the missing entry to a table at its definition, copied from a donor for a stated reason."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from hwlint.fix.context import asks_what_is_in_a_row, comments_above, words_around_use, words_at_use, words_switched_on
from hwlint.fix.donors import (
    Donor,
    NoDonor,
    Subject,
    choose_donor,
    has_less,
    mentions_multicast,
    short,
    subject_of,
)
from hwlint.fix.keys import write_key
from hwlint.fix.layout import Addition
from hwlint.fix.limits import known_value
from hwlint.fix.problem import MissingKey, Problem, TableFacts
from hwlint.fix.promises import enumerated, named_after
from hwlint.fix.read_table import read_table
from hwlint.fix.splice import Lines
from hwlint.fix.style import Added, NotAdded, add_entries
from hwlint.fix.table import Shape, Table, Unreadable
from hwlint.fix.values import Naming, naming_of
from hwlint.fix.wording import listed, names, verb
from hwlint.model.architecture import Architecture
from hwlint.model.finding import Edit, Fix, Safety

_MULTICAST_CAVEAT = (
    "The code that uses the table also speaks of multicast: whether that works depends on the system's NVLink, and the "
    "capability does not decide it."
)

_ADMITTING = ("in", "not in")
"""Forms of lookup that only ask whether an architecture is listed: that a lower one is says nothing."""

_EMPTY = {"[": "[]", "(": "()", "{": "{}"}


@dataclass(frozen=True, slots=True)
class _Entry:
    addition: Addition
    donor: Architecture | None
    sentence: str


@dataclass(frozen=True, slots=True)
class _Without:
    """A key that gets no entry, and why."""

    missing: MissingKey
    reason: str


def add_entry(problem: Problem) -> tuple[Fix, ...]:
    """Return the fix that adds every missing key with a defensible value; unsafe, because it enables what never ran.

    Where no value is defensible the fix is a suggestion without edits that says why.
    """
    facts = TableFacts.of(problem)
    if facts is None:
        return ()
    opened = _open(problem, facts)
    if isinstance(opened, str):
        return (_nothing(facts, opened),)
    table, lines = opened
    chooser = _Chooser(problem, facts, table)
    chosen = _in_places(chooser, facts, table) if facts.positional else [chooser.entry(one) for one in facts.missing]
    entries = [one for one in chosen if isinstance(one, _Entry)]
    without = [one for one in chosen if isinstance(one, _Without)]
    if not entries:
        return (_nothing(facts, "; ".join(reason for _, reason in _together(without))),)
    added = add_entries(table, [entry.addition for entry in entries])
    if isinstance(added, NotAdded):
        return (_nothing(facts, added.reason),)
    edits = [Edit(lines.span(facts.span.path, one.start, one.end), one.text) for one in added.edits]
    edits += _elsewhere(problem, facts, [entry.addition for entry in entries])
    donors = tuple(dict.fromkeys(entry.donor.name for entry in entries if entry.donor is not None))
    sentences = dict.fromkeys(entry.sentence for entry in entries)
    left = [f"No entry for {who}: {reason}." for who, reason in _together(without)]
    promised = _promised(problem, facts, [one.missing for one in without])
    reason = " ".join([*sentences, *left, *chooser.caveats, *added.notes, *([promised] if promised else [])])
    title = _title(facts, entries, donors, problem)
    safety = Safety.DISPLAY if promised else Safety.UNSAFE
    return (Fix(title, safety, reason, tuple(dict.fromkeys(edits)), ", ".join(donors) or None),)


def _promised(problem: Problem, facts: TableFacts, without: Sequence[MissingKey]) -> str:
    """Return, in a sentence, which name or words say who is on the list, and would not be true of a longer one."""
    if problem.fact("lookup_form") not in _ADMITTING:
        return ""
    found = (candidate.architectures for candidate in facts.candidates(facts.missing[0], problem.catalogue))
    members = [arch for architectures in found for arch in architectures]
    added = [arch for missing in facts.missing if missing not in without for arch in missing.architectures]
    words = named_after(problem, members) or enumerated(problem, members, added)
    return f"`{words}` says who is on the list, and would not be true any more, so it is only shown." if words else ""


def _elsewhere(problem: Problem, facts: TableFacts, additions: Sequence[Addition]) -> Iterator[Edit]:
    """Yield the edits that add the entries where the same list is written anew; one finding speaks of all of them."""
    for span in facts.again:
        opened = _open(problem, replace(facts, span=span))
        added = NotAdded(opened) if isinstance(opened, str) else add_entries(opened[0], additions)
        if not isinstance(opened, str) and isinstance(added, Added):
            yield from (Edit(opened[1].span(span.path, one.start, one.end), one.text) for one in added.edits)


def _open(problem: Problem, facts: TableFacts) -> tuple[Table, Lines] | str:
    """Return the table and its lines, or why it cannot be read."""
    text = problem.texts(facts.span.path)
    if text is None:
        return f"{facts.span.path} cannot be read"
    lines = Lines(text)
    where = lines.range(facts.span)
    if where is None:
        return f"{facts.span.path} has changed since it was read"
    table = read_table(text, *where, facts.inner_path)
    if isinstance(table, Unreadable):
        return f"`{facts.name}` cannot be extended where it is written: {table.reason}"
    if facts.positional:
        if table.shape is not Shape.MEMBERS or len(table.entries) != len(facts.key_texts):
            return f"`{facts.name}` cannot be extended where it is written: its members are not all written there"
        return replace(table, shape=Shape.POSITIONS), lines
    return table, lines


def _in_places(chooser: _Chooser, facts: TableFacts, table: Table) -> list[_Entry | _Without]:
    """Return the entries of a list that is subscripted: one behind the other, with no place left out."""
    chosen: list[_Entry | _Without] = []
    free = len(table.entries)
    for missing in sorted(facts.missing, key=lambda one: (str(type(one.key)), one.key)):
        entry = chooser.entry(missing)
        if isinstance(entry, _Entry) and missing.key != free:
            entry = _Without(missing, f"a list has no place {missing.key} before it has {free}")
        free += isinstance(entry, _Entry)
        chosen.append(entry)
    return chosen


def _nothing(facts: TableFacts, reason: str) -> Fix:
    who = ", ".join(_who(missing) for missing in facts.missing)
    return Fix(f"No entry of `{facts.name}` can be defended for {who}", Safety.DISPLAY, _sentence(reason), ())


def _together(without: Sequence[_Without]) -> list[tuple[str, str]]:
    """Return who gets no entry and why, those with the same reason together."""
    grouped: dict[str, list[str]] = {}
    for one in without:
        name = short(one.missing.architectures[0])
        template = one.reason.replace(_who(one.missing), "\0").replace(name, "\0")
        grouped.setdefault(template, []).extend(short(arch) for arch in one.missing.architectures)
    return [(who, template.replace("\0", who)) for template, ones in grouped.items() if (who := listed(ones))]


def _title(facts: TableFacts, entries: Sequence[_Entry], donors: Sequence[str], problem: Problem) -> str:
    keys = ", ".join(entry.addition.key for entry in entries)
    sources = [short(found) for found in map(problem.architecture, donors) if found is not None]
    verb = "copied from" if any(entry.addition.value for entry in entries) else "beside"
    places = f" ({len(facts.again) + 1} places)" if facts.again else ""
    return f"Add {keys} to `{facts.name}`{places}" + (f", {verb} {', '.join(sources)}" if sources else "")


def _who(missing: MissingKey) -> str:
    """Return `12.0`, `12.0 and 12.1`, or `12.x` where more share the key."""
    return names(missing.architectures)


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:] + ("" if text.endswith(".") else ".")


class _Chooser:
    """Choose the value of each missing key."""

    def __init__(self, problem: Problem, facts: TableFacts, table: Table) -> None:
        self._problem = problem
        self._facts = facts
        self._table = table
        near = [
            *words_switched_on(problem),
            facts.name,
            *_comments(table),
            *comments_above(table.text, facts.span.line),
        ]
        self._subject = subject_of(near, facts.words or words_at_use(problem))
        around = facts.words | words_around_use(problem)
        beside_multicast = self._subject is not Subject.MULTICAST and mentions_multicast(around)
        self.caveats = (_MULTICAST_CAVEAT,) if beside_multicast else ()

    def entry(self, missing: MissingKey) -> _Entry | _Without:
        table = self._table
        neighbours = [table.key(entry) for entry in table.entries if not entry.spread]
        key = self._key(missing, neighbours)
        if key is None:
            others = neighbours[-1] if neighbours else "none"
            reason = f"the key {missing.key!r} does not fit the form of the others ({others})"
            return _Without(missing, reason)
        candidates = self._facts.candidates(missing, self._problem.catalogue)
        naming = self._naming(missing)
        family_only = self._family_only()
        families = {arch.family for one in candidates for arch in one.architectures}
        known = self._catalogued(missing)
        if known is not None:
            return self._known(missing, key, *known)
        if family_only and not families & {arch.family for arch in missing.architectures}:
            return _Without(missing, family_only.format(_who(missing)))
        if naming.derive is not None and self._subject is not Subject.INSTRUCTIONS:
            return self._derived(missing, key, naming.derive(missing.architectures[0]))
        if naming.generations:
            generation = missing.architectures[0].generation
            own = (one for one in candidates if any(arch.generation == generation for arch in one.architectures))
            candidates = tuple(own)
        found = choose_donor(
            missing.architectures, candidates, self._subject, same_family=naming.names or family_only != ""
        )
        if isinstance(found, NoDonor) and family_only:
            return _Without(missing, family_only.format(_who(missing)))
        unlike = self._unlike(missing, found.architecture) if isinstance(found, Donor) and family_only else ""
        if unlike:
            return _Without(missing, unlike)
        if isinstance(found, NoDonor):
            row = self._empty_row() if self._subject is Subject.MULTICAST else None
            return _Without(missing, found.reason) if row is None else self._empty(missing, key, row)
        return self._copied(missing, key, found)

    def _family_only(self) -> str:
        """Return why an entry of another family is no reason to have one, or nothing where it may be."""
        if self._problem.fact("lookup_form") in _ADMITTING:
            return "the list lets architectures into code one by one, and it has none of {}'s family"
        if self._problem.fact("falls_back") and self._subject is not Subject.RESOURCES:
            return "the code goes on without an entry today, and the table has none of {}'s family"
        return ""

    def _unlike(self, missing: MissingKey, donor: Architecture) -> str:
        """Return why the nearest of its family is no reason to treat an architecture alike, or nothing where it is."""
        target, name = missing.architectures[0], short(donor)
        if has_less(missing.architectures, donor):
            return f"{name}, the nearest of its family, has more shared memory per block"
        if (donor.capability or ()) > (target.capability or ()):
            return f"{name}, the nearest of its family, is newer, and may have what {short(target)} lacks"
        twins = self._facts.left_out_twins(missing, self._problem.catalogue) if has_less([donor], target) else ()
        if twins:
            have = verb(twins, "has", "have")
            less = f"{name}, the nearest of its family, has less shared memory per block"
            return f"{less}, and {names(twins)}, which {have} as much, {have} no entry either"
        return ""

    def _catalogued(self, missing: MissingKey) -> tuple[str, str] | None:
        """Return the value that follows from a fact of the catalogue, where all entries do, and the fact's name."""
        table = self._table
        if table.shape in (Shape.MEMBERS, Shape.WORDS):
            return None
        values = []
        for candidate in self._facts.candidates(missing, self._problem.catalogue):
            index = table.index(_text_of(candidate.key, self._facts), self._facts.key_texts)
            if index is not None:
                values.append((table.value(table.entries[index]), candidate.architectures))
        return known_value(values, missing.architectures)

    def _known(self, missing: MissingKey, key: str, value: str, what: str) -> _Entry:
        who = _who(missing)
        sentence = f"{key}: {value}, as all other entries are a limit of their architectures: {what}."
        return _Entry(Addition(key, value, f"{what} on {who}", "by the limits of the hardware"), None, sentence)

    def _key(self, missing: MissingKey, neighbours: Sequence[str]) -> str | None:
        match self._table.shape:
            case Shape.WORDS:
                return missing.key if isinstance(missing.key, str) else None
            case Shape.KEYWORDS:
                return missing.key if isinstance(missing.key, str) and missing.key.isidentifier() else None
            case _:
                return write_key(missing.key, neighbours)

    def _naming(self, missing: MissingKey) -> Naming:
        table = self._table
        if table.shape in (Shape.MEMBERS, Shape.WORDS):
            return Naming(names=False)
        owned = {}
        for candidate in self._facts.candidates(missing, self._problem.catalogue):
            index = table.index(_text_of(candidate.key, self._facts), self._facts.key_texts)
            if index is not None:
                owned[table.value(table.entries[index])] = candidate.architectures[0]
        every = [table.value(entry) for entry in table.entries if not entry.spread]
        known = frozenset(
            one.capability[0] * 10 + one.capability[1]
            for one in self._problem.catalogue.architectures
            if one.capability is not None
        )
        return naming_of(owned, every, known)

    def _derived(self, missing: MissingKey, key: str, value: str) -> _Entry:
        who = _who(missing)
        sentence = f"{key} follows the pattern of the other entries; it has not run on {who}."
        brief = "by the pattern of the others"
        addition = Addition(key, value, f"{brief}; not confirmed on {who}", f"{brief} (not confirmed)")
        return _Entry(addition, None, sentence)

    def _empty(self, missing: MissingKey, key: str, row: str) -> _Entry:
        who = _who(missing)
        sentence = (
            f"{key} gets an empty row, which keeps multicast off: whether multimem (NVLS) works depends on the "
            f"system's NVLink, and the capability of {who} does not decide it."
        )
        comment = "off: multicast depends on the system, not on the capability"
        return _Entry(Addition(key, row, comment), None, sentence)

    def _copied(self, missing: MissingKey, key: str, donor: Donor) -> _Entry | _Without:
        table, facts = self._table, self._facts
        who, source = _who(missing), short(donor.architecture)
        value = ""
        if table.shape not in (Shape.MEMBERS, Shape.WORDS):
            index = table.index(_text_of(donor.candidate.key, facts), facts.key_texts)
            if index is None:
                return _Without(missing, f"the entry of {source} is not written in the table itself")
            value = table.value(table.entries[index])
        short_reason = f" ({donor.reason_short})" if donor.reason_short.endswith("memory") else ""
        verb = "copied from" if value else "added as"
        sentence = f"{key}: {verb} {source}, because {donor.reason}. It has not run on {who}."
        brief = f"{verb if value else 'like'} {source}{short_reason}"
        addition = Addition(key, value, f"{brief}; not confirmed on {who}", f"{brief} (not confirmed)")
        return _Entry(addition, donor.architecture, sentence)

    def _empty_row(self) -> str | None:
        """Return an empty collection where every row is one and the lookup only asks what is in it."""
        values = [self._table.value(entry) for entry in self._table.entries if not entry.spread]
        kinds = {value[:1] for value in values}
        if len(kinds) != 1 or not kinds <= set(_EMPTY) or self._table.shape is not Shape.DICT:
            return None
        if values[0][0] == "{" and not all(isinstance(_display(value), ast.Dict) for value in values):
            return None
        return _EMPTY[kinds.pop()] if asks_what_is_in_a_row(self._problem) else None


def _display(value: str) -> ast.expr | None:
    try:
        return ast.parse(value, mode="eval").body
    except SyntaxError:
        return None


def _text_of(key: object, facts: TableFacts) -> str:
    return key if isinstance(key, str) and key in facts.key_texts else repr(key)


def _comments(table: Table) -> list[str]:
    return re.findall(r"#([^\r\n]*)", table.text[table.opening : table.closing])
