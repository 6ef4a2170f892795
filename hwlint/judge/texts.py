"""Judge what is done with version texts: put in order as text, cut at fixed places, converted with their suffix."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from hwlint.judge.spelling import version_key
from hwlint.judge.verdict import Bench, Verdict
from hwlint.model.architecture import Architecture, Vendor
from hwlint.model.finding import Level
from hwlint.model.observation import Comparison, Observation, TextUse
from hwlint.model.rule import Rule
from hwlint.model.span import Span

_ORDERS: Mapping[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_PARTS = re.compile(r"(\D*)(\d+)(\.?)(\d?)([af]?)((?:\+PTX)?)")
_LONGEST_PATTERN = 80
_NESTED = re.compile(r"[*+}]\)?[*+{]|\)[*+{]")
_SHORT = range(5, 10)
"""First numbers of one digit; a pattern that is for some of them alone asks for those."""
_NO_TARGET = (None, "none")
_SAMPLES: Mapping[str, str] = {"capability": "{0}.{1}", "digits": "{0}{1}", "target": "sm_{0}{1}", "tail": "{0}{1}"}
"""How a text of each kind is written for a capability."""


def text_order(seen: Sequence[Observation], rule: Rule, bench: Bench) -> Iterator[Verdict]:
    """Version texts are compared, sorted or reduced, and the order of texts is not the order of versions."""
    told: set[Span] = set()
    for item in seen:
        if isinstance(item, Comparison) and item.operator in _ORDERS:
            found = list(_compared(item, bench))
        elif isinstance(item, TextUse) and item.use in ("sorted", "end", "order") and item.place.span not in told:
            found = list(_ordered(item, bench))
        else:
            continue
        told.update(verdict.place.span for verdict in found)
        yield from found


def _compared(item: Comparison, bench: Bench) -> Iterator[Verdict]:
    """Two texts that are known on both sides, or on one that comes from the hardware."""
    compare = _ORDERS[item.operator]
    mask = 0
    shown = ""
    for left, one in item.left_values:
        for right, other in item.right_values:
            both = one & other & item.alive
            if not both or not isinstance(left, str) or not isinstance(right, str):
                continue
            first, second = version_key(left), version_key(right)
            if first is None or second is None or compare(left, right) == compare(first, second):
                continue
            mask |= both
            shown = shown or f"`{left!r} {item.operator} {right!r}` is {compare(left, right)}"
    if not mask:
        mask, shown = _half_known(item, bench)
    mask &= ~bench.floor
    if mask:
        text = f"{item.left} {item.operator} {item.right}"
        fields = {"expression": text, "outcome": shown}
        facts = {"statement_line": item.place.statement.line}
        yield Verdict(item.place, mask, 0, shown, fields, trace=item.trace, facts=facts)


def _half_known(item: Comparison, bench: Bench) -> tuple[int, str]:
    """One side is the capability as text, the other a text that is not known: newer ones sort before older ones."""
    for values, others in ((item.left_values, item.right_values), (item.right_values, item.left_values)):
        if others or not values or not all(isinstance(value, str) for value, _ in values):
            continue
        named = all(_names(value, row) for value, seen in values for row in bench.rows(seen & bench.everyone))
        long = [(value, seen & _long_ones(bench)) for value, seen in values if seen & _long_ones(bench)]
        if named and len(values) > 1 and long:
            mask = 0
            for _, seen in long:
                mask |= seen
            return mask, f"{long[0][0]!r} sorts before '9'"
    return 0, ""


def _names(text: str, row: Architecture) -> bool:
    return row.capability is not None and "".join(re.findall(r"\d", text)) == f"{row.capability[0]}{row.capability[1]}"


def _is_long(row: Architecture) -> bool:
    """True for an NVIDIA architecture whose first number has two digits."""
    return row.vendor is Vendor.NVIDIA and row.capability is not None and row.capability[0] >= 10


def _long_ones(bench: Bench) -> int:
    return sum(1 << bit for bit, row in enumerate(bench.architectures) if _is_long(row))


def _nvidia(bench: Bench) -> int:
    return sum(1 << bit for bit, row in enumerate(bench.architectures) if row.vendor is Vendor.NVIDIA)


def _ordered(item: TextUse, bench: Bench) -> Iterator[Verdict]:
    level: Level | None = None
    if item.kind == "known":
        mask, shown = _misplaced(item, bench)
    elif item.kind == "toolkit":
        mask, shown = _nvidia(bench), "'12.10' comes before '12.8'"
        major = (version_key(item.other) or (0,))[0]
        level = Level.NOTE if major >= 10 else None
    else:
        mask = _long_ones(bench)
        older, newer = (_SAMPLES[item.kind].format(*numbers) for numbers in ((9, 0), (10, 0)))
        shown = f"{newer!r} comes before {older!r}"
        level = Level.NOTE if item.use == "sorted" else None
    mask &= ~bench.floor
    if mask:
        fields = {"expression": item.subject, "outcome": shown}
        facts = {"statement_line": item.place.statement.line}
        yield Verdict(item.place, mask, 0, shown, fields, level=level, trace=item.trace, facts=facts)


def _misplaced(item: TextUse, bench: Bench) -> tuple[int, str]:
    """The architectures on which sorting by text and by version differ, and two texts that trade places."""
    mask = 0
    shown = ""
    for bit in range(len(bench.architectures)):
        texts = [text for text, seen in item.texts if seen >> bit & 1]
        keys = [version_key(text) for text in texts]
        if len(texts) < 2 or None in keys:
            continue
        by_version = sorted(texts, key=lambda text: version_key(text) or ())
        if sorted(texts) != by_version:
            mask |= 1 << bit
            low, high = next((a, b) for a, b in zip(sorted(texts), by_version, strict=True) if a != b)
            shown = shown or f"{low!r} comes before {high!r}"
    return mask, shown


def digit_count_assumed(seen: Sequence[Observation], rule: Rule, bench: Bench) -> Iterator[Verdict]:
    """A text is cut where one digit, two digits or no suffix were taken for granted."""
    told: set[tuple[Span, str]] = set()
    for item in seen:
        if not isinstance(item, TextUse) or (item.place.statement, item.subject) in told:
            continue
        found = None
        if item.use in ("index", "slice"):
            found = None if _knows_three(item, seen, bench) else _cut(item, bench)
        elif item.use == "number" and not item.caught:
            found = _converted(item, bench)
        elif item.use == "pattern":
            found = _matched(item, bench)
        elif item.use == "letters":
            found = _spelt(item, bench)
        elif item.use == "found":
            found = _searched(item, bench)
        elif item.use == "dots":
            found = _dotted(item, bench)
        elif item.use == "characters":
            found = _counted(item, bench)
        elif item.use == "suffixless":
            found = _passed_over(item, bench)
        if found is not None:
            told.add((item.place.statement, item.subject))
            yield found


def _knows_three(item: TextUse, seen: Sequence[Observation], bench: Bench) -> bool:
    """True for the first digit of three where the function cuts the same text after the second as well.

    Nothing shorter comes there: the digit is looked at to tell `120` from `90a`.
    """
    short = _nvidia(bench) & ~_long_ones(bench)
    if item.kind != "known" or item.bounds != (0, 1) or any(cut & short and len(text) < 3 for text, cut in item.texts):
        return False
    return any(
        isinstance(other, TextUse)
        and other.bounds in ((0, 2), (None, 2), (0, -1), (None, -1))
        and (other.place.symbol, other.subject) == (item.place.symbol, item.subject)
        for other in seen
    )


def _cut(item: TextUse, bench: Bench) -> Verdict | None:
    short = _nvidia(bench) & ~_long_ones(bench)
    for_long_only = item.kind == "known" and not any(seen & short for _, seen in item.texts)
    mask = 0
    shown: dict[str, str] = {}
    for text, row, bit in _texts(item, bench):
        found = _wrong_part(text, row, item.bounds)
        if found is not None and not (for_long_only and found in map(str, row.capability or ())):
            mask |= bit
            shown.setdefault(text, found)
    mask &= ~bench.floor
    if not mask:
        return None
    begin, end = item.bounds
    place = f"{begin}" if item.use == "index" else f"{'' if begin is None else begin}:{'' if end is None else end}"
    text, part = next(iter(shown.items()))
    fields = {
        "expression": f"{item.subject}[{place}]",
        "evidence": "a first number of one digit",
        "outcome": f"it makes {part!r} of {text!r}",
    }
    facts = {"kind": item.kind, "sample": text, "statement_line": item.place.statement.line}
    return Verdict(item.place, mask, 0, f"{part!r} of {text!r}", fields, trace=item.trace, facts=facts)


def _spelt(item: TextUse, bench: Bench) -> Verdict | None:
    """The characters of a number have a name each: two are too few for three, and three make a suffix of a digit."""
    names = item.bounds[1] or 0
    shown = {text: bit for text, _, bit in _texts(item, bench)}
    mask = sum(shown.values()) & ~bench.floor
    if not mask:
        return None
    text = next(iter(shown))
    outcome = f"{text!r} has {len(text)} characters, a ValueError" if names < len(text) else f"{text!r} has no suffix"
    evidence = "two digits" if names < len(text) else "two digits and a suffix"
    fields = {"expression": item.subject, "evidence": evidence, "outcome": outcome}
    facts = {"kind": "letters", "statement_line": item.place.statement.line}
    return Verdict(item.place, mask, 0, outcome, fields, trace=item.trace, facts=facts)


def _searched(item: TextUse, bench: Bench) -> Verdict | None:
    """A name without what is searched for loses its last character."""
    texts = [(text, seen) for text, seen in item.texts if text[-1:].isalnum()]
    mask = 0
    for _, seen in texts:
        mask |= seen
    mask &= ~bench.floor
    if not mask:
        return None
    text = texts[0][0]
    outcome = f"it makes {text[:-1]!r} of {text!r}"
    fields = {
        "expression": f"{item.subject}[:{item.other}]",
        "evidence": "that the search finds something",
        "outcome": outcome,
    }
    facts = {"kind": "found", "sample": text, "statement_line": item.place.statement.line}
    return Verdict(item.place, mask, 0, outcome, fields, trace=item.trace, facts=facts)


def _dotted(item: TextUse, bench: Bench) -> Verdict | None:
    """A dot between all digits of a capability, for the dot before the last one."""
    mask = 0
    sample = ""
    for text, _, bit in _texts(item, bench):
        mask |= bit
        sample = sample or text
    mask &= ~bench.floor
    if not mask:
        return None
    outcome = f"it makes {'.'.join(sample)!r} of {sample!r}"
    fields = {"expression": item.subject, "evidence": "two digits", "outcome": outcome}
    facts = {"kind": "dots", "sample": sample, "statement_line": item.place.statement.line}
    return Verdict(item.place, mask, 0, outcome, fields, trace=item.trace, facts=facts)


def _counted(item: TextUse, bench: Bench) -> Verdict | None:
    """Each character is made a number: `120` is (1, 2, 0), which comes before (9, 0)."""
    texts = list(_texts(item, bench))
    mask = sum({bit for _, _, bit in texts}) & ~bench.floor
    if not mask:
        return None
    outcome = f"it makes {', '.join(texts[0][0])} of {texts[0][0]!r}"
    fields = {"expression": item.subject, "evidence": "a first number of one digit", "outcome": outcome}
    facts = {"kind": "characters", "statement_line": item.place.statement.line}
    return Verdict(item.place, mask, 0, outcome, fields, trace=item.trace, facts=facts)


def _passed_over(item: TextUse, bench: Bench) -> Verdict | None:
    """What has a suffix is no number, and gets one that no architecture has."""
    mask = _with_suffix(bench)
    if not mask:
        return None
    outcome = f"it makes {item.other} of '90a'"
    fields = {
        "expression": item.subject,
        "evidence": "no suffix",
        "outcome": outcome,
        "targets": "builds for `sm_90a` or `sm_100a`",
    }
    facts = {"kind": "suffixless", "statement_line": item.place.statement.line}
    return Verdict(item.place, mask, 0, outcome, fields, trace=item.trace, facts=facts)


def _with_suffix(bench: Bench) -> int:
    """The architectures that have a compiler target `90a`."""
    return sum(
        1 << bit for bit, row in enumerate(bench.architectures) if row.fact("compiler_targets.a") not in _NO_TARGET
    )


def _texts(item: TextUse, bench: Bench) -> Iterator[tuple[str, Architecture, int]]:
    """What the subject is on each architecture whose first number has two digits."""
    for bit, row in enumerate(bench.architectures):
        if not _is_long(row) or row.capability is None:
            continue
        if item.kind == "known":
            for text, seen in item.texts:
                if seen >> bit & 1:
                    yield text, row, 1 << bit
        elif item.kind in _SAMPLES:
            yield _SAMPLES[item.kind].format(*row.capability), row, 1 << bit


def _wrong_part(text: str, row: Architecture, bounds: tuple[int | None, int | None]) -> str | None:
    """What the cut gives where it does not give the parts that it gives for a first number of one digit."""
    match = _PARTS.fullmatch(text)
    if match is None or row.capability is None:
        return None
    major, minor = map(str, row.capability)
    prefix, digits, dot, after, suffix, ptx = match.groups()
    if dot:
        if (digits, after) != (major, minor):
            return None
        tail = minor
    elif digits == major + minor and not after:
        tail = minor
    elif digits == major and not after:
        tail = ""
    else:
        return None
    roles = "p" * len(prefix) + "M" + "d" * len(dot) + "m" * len(tail) + "s" * len(suffix) + "x" * len(ptx)
    begin, end = bounds
    wanted = set(roles[begin:end])
    whole = prefix + major + dot + tail + suffix + ptx
    named = roles.replace("M", "M" * len(major))
    expected = "".join(character for character, role in zip(whole, named, strict=True) if role in wanted)
    got = text[begin:end]
    return got if got != expected and wanted & {"M", "m"} else None


def _matched(item: TextUse, bench: Bench) -> Verdict | None:
    """A pattern finds both digits of `sm_90`, and not the three of `sm_120`: it misses the text, or a part of it."""
    way, _, pattern = item.other.partition(" ")
    if len(pattern) > _LONGEST_PATTERN or _NESTED.search(pattern):
        return None
    mask = 0
    shown: dict[str, str] = {}
    for text, row, bit in _texts(item, bench):
        parts = _PARTS.fullmatch(text)
        if parts is None or row.capability is None or parts[2] + parts[4] != "".join(map(str, row.capability)):
            continue
        dot = parts[3]
        found = _found(way, pattern, text)
        if (
            all(_found(way, pattern, f"{parts[1]}{major}{dot}0{parts[5]}{parts[6]}") == f"{major}0" for major in _SHORT)
            and found != parts[2] + parts[4]
        ):
            mask |= bit
            shown.setdefault(text, found)
    mask &= ~bench.floor
    if not mask:
        return None
    text, part = next(iter(shown.items()))
    outcome = f"it finds {part!r} in {text!r}" if part else f"it finds nothing in {text!r}"
    fields = {"expression": f"{way}({pattern!r}, {item.subject})", "evidence": "two digits", "outcome": outcome}
    facts = {"kind": "pattern", "sample": text, "statement_line": item.place.statement.line}
    return Verdict(item.place, mask, 0, outcome, fields, trace=item.trace, facts=facts)


def _found(way: str, pattern: str, text: str) -> str:
    """The digits in the groups that a pattern finds; in all that it finds where it has no groups."""
    try:
        if way == "findall":
            found: Any = re.findall(pattern, text)
            parts = [part for one in found for part in (one if isinstance(one, tuple) else (one,))]
        else:
            match = {"match": re.match, "fullmatch": re.fullmatch, "search": re.search}[way](pattern, text)
            parts = [] if match is None else [part for part in match.groups() if part is not None] or [match[0]]
    except (re.error, RecursionError):
        return ""
    return "".join(character for part in parts for character in part if character.isdigit())


def _converted(item: TextUse, bench: Bench) -> Verdict | None:
    facts = {"kind": item.kind, "statement_line": item.place.statement.line}
    if item.kind == "known":
        bad = [
            (text, mask & item.raising)
            for text, mask in item.texts
            if mask & item.raising and _PARTS.fullmatch(text) and not text.startswith("gfx")  # meant for NVIDIA's alone
        ]
        if not bad:
            return None
        text = bad[0][0]
        raising = 0
        for _, mask in bad:
            raising |= mask
        fields = {
            "expression": f"int({item.subject})",
            "evidence": "digits only",
            "outcome": f"{text!r} raises ValueError",
        }
        return Verdict(item.place, raising & ~bench.floor, 0, "ValueError", fields, trace=item.trace, facts=facts)
    if item.kind != "tail":
        return None
    fields = {
        "expression": f"int({item.subject})",
        "evidence": "no suffix",
        "outcome": "`int('90a')` raises ValueError",
        "targets": "builds that list `sm_90a` or `sm_100a`",
    }
    mask = _with_suffix(bench)
    return Verdict(item.place, mask, 0, "ValueError", fields, trace=item.trace, facts=facts)
