"""List the words that a rule file may use: what it looks at, what it asks, what it says, how it is mended."""

from __future__ import annotations

PREDICATES: dict[str, tuple[str, ...]] = {
    "lookup": ("raises-where-reached", "default-hides-neighbours"),
    "membership": ("left-out",),
    "none-use": ("missed-get-used",),
    "raise": ("author-rejects", "later-than-admitted"),
    "chain": ("no-branch-left",),
    "comparison": ("exact-leaves-family-out", "open-range-admits", "unit-mismatch", "text-order", "componentwise",
                   "unknown-architecture"),
    "branch": ("constant-where-reached", "choice-overwritten"),
    "slice": ("digit-count-assumed",),
    "call": ("declared-unsupported",),
    "build-list": ("stops-short",),
    "device-name": ("name-decides",),
    "limit": ("exceeds-limit",),
    "predicate-name": ("contradicts-body",),
    "upkeep": ("unused-suppression", "unreadable-file", "unresolved-origin", "malformed-suppression"),
}  # fmt: skip
"""Subject (the kind of observation) -> the questions that judge/ can ask of it."""

MESSAGE_FIELDS: dict[str, str] = {
    "table": "the table's or predicate's name as written",
    "expression": "source text of what the finding is about",
    "key": "source text of the key",
    "keys": "the keys or members that the table has",
    "missing": "the values that have no entry: `11, 12`",
    "targets": "the architectures: `sm_110, sm_120 and sm_121`",
    "outcome": "what happens: `KeyError: 12`, or the default that is taken",
    "neighbour": "an architecture that has an entry",
    "guard": "source text of the earlier test",
    "evidence": "what shows it: a limit, a kernel's name, a declaration",
    "value": "the value in question: a size, a literal, a text",
    "limit": "the limit that it is held against",
    "use": "what is done with it: `subscripted`",
    "words": "the author's own words",
    "reason": "why",
    "symbol": "the function, class or name concerned",
}
"""Fields of a message template, each with what it stands for."""

RECIPES: dict[str, str] = {
    "add-entry": "add the missing entry to the table, with a donor's value",
    "guard-lookup": "keep the feature off, with a warning, where the table has no entry",
    "extend-list": "add the architecture to the list",
    "add-branch": "add a branch for the architecture",
    "bound-range": "give an open range its upper end",
    "widen-to-family": "compare with the whole family in place of one member",
    "compare-tuples": "compare versions as tuples of numbers",
    "parse-digits": "take the last digit for the minor number, and all before it for the major",
    "match-units": "write both sides of the comparison in one form",
    "tell-names-apart": "let a test of a device name hold for its own product only, in the letters that the name has",
    "remove-comment": "take the comment out",
    "query-limit": "ask the device for its limit in place of a table or constant",
}
"""Names of the ways to mend a finding, best first in each rule."""

SHOWN_ONLY = frozenset({"query-limit"})
"""Recipes that show what could be done and leave it to the author; nothing of theirs is ever applied."""

PRECISIONS = ("very-high", "high", "medium", "low")
"""How often a finding is right, in the words that code scanning knows."""

HEADINGS = (
    "Why it matters",
    "Flagged",
    "After the fix",
    "Not flagged",
    "What it cannot see",
    "Fix safety",
)
"""The sections of every rule page, in order."""
