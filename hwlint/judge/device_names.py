"""Judge code that decides by the device name: pieces that stand in other names too, or in none; missing products."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from hwlint.hardware.chips import device_names
from hwlint.hardware.table import load
from hwlint.judge.verdict import Bench, Verdict, listed
from hwlint.model.architecture import Vendor
from hwlint.model.finding import Level
from hwlint.model.observation import NamePiece, NameTests, Observation
from hwlint.model.rule import Rule

_SERIES = re.compile(r"rtx ?(\d)0(?:\d\d)?")
_WORD = "[a-z0-9]"
_BRAND = "tesla"
_NAMES_SHOWN = 3
_LONGEST_PATTERN = 80
_NESTED = re.compile(r"[*+}]\)?[*+{]|\)[*+{]")
"""Patterns that may take exponential time."""


def name_decides(seen: Sequence[Observation], rule: Rule, bench: Bench) -> Iterator[Verdict]:
    """A piece of a device name catches other products too, catches none, or the products that it asks for ran out."""
    for item in seen:
        if not isinstance(item, NameTests):
            continue
        if item.form != "pieces":
            yield from _FORMS[item.form](item, bench)
            continue
        found = [
            *_cannot_occur(item, bench),
            *_brands(item, bench),
            *_ambiguous(item, bench),
            *_collisions(item, bench),
        ]
        yield from found
        if not found:
            yield from _left_out(item, bench)


def _products(bench: Bench) -> list[tuple[str, int]]:
    """Every device name of an NVIDIA architecture of the catalogue, with its architecture in this run (or none)."""
    bits = {row.name: 1 << bit for bit, row in enumerate(bench.architectures)}
    return [
        (name, bits.get(row.name, 0))
        for row in load().architectures
        if row.vendor is Vendor.NVIDIA
        for name in device_names(row)
    ]


def _verdict(
    item: NameTests,
    test: NamePiece,
    mask: int,
    value: str,
    reason: str,
    level: Level | None = None,
    *,
    spelled: str | None = None,
    longer: tuple[str, ...] = (),
) -> Verdict:
    facts = {"statement_line": test.span.line, "piece": value, "spelled": spelled, "longer": longer}
    whole = f"the device name is a key of `{item.table}`"
    asked = whole if item.form == "key" else f"`{value}` is looked for in the device name"
    fields = {"value": value, "evidence": asked, "reason": reason}
    return Verdict(item.place, mask, 0, reason, fields, item.table, level, item.trace, facts=facts, span=test.span)


def _cannot_occur(item: NameTests, bench: Bench) -> Iterator[Verdict]:
    """A piece in small letters that is looked for in a name as it is, or the other way round."""
    pieces = [piece for test in item.tests for piece in test.pieces]
    mixed = any(piece != piece.lower() for piece in pieces)
    for test in item.tests:
        for piece in test.pieces:
            if not re.search("[A-Za-z]", piece) or not re.search(r"\d", piece):
                continue
            wrong = (
                (item.case == "lower" and piece != piece.lower())
                or (item.case == "upper" and piece != piece.upper())
                or (piece != piece.upper() and piece == piece.lower() and _is_as_it_is(item, mixed=mixed))
            )
            named = [(name, bit) for name, bit in _products(bench) if _stands_in(piece, name)]
            if wrong and named and not any(piece in _folded(name, item.case) for name, _ in named):
                mask = _union(named)
                shown = f"the name is {_SAID[item.case]}, so it is never there ({named[0][0]})"
                spelled = {found for name, _ in named if (found := _spelled(piece, _folded(name, item.case)))}
                own = spelled.pop() if len(spelled) == 1 else None
                yield _verdict(item, test, mask, piece, shown, spelled=own)


def _spelled(piece: str, name: str) -> str:
    """How a name has a piece: `L40S` for `l40s`; empty where it has none."""
    at = name.lower().find(piece.lower())
    return name[at : at + len(piece)] if at >= 0 else ""


_SAID = {
    "lower": "in small letters",
    "upper": "in capitals",
    "as it is": "as the driver gives it",
    "": "as the driver gives it",
}


def _is_as_it_is(item: NameTests, *, mixed: bool) -> bool:
    """Whether the name is not folded: it is seen, or the other pieces have capitals."""
    return item.case == "as it is" or (item.case == "" and mixed)


def _folded(name: str, case: str) -> str:
    return {"lower": name.lower(), "upper": name.upper()}.get(case, name)


def _stands_in(piece: str, name: str) -> bool:
    """Whether a piece is a whole word, or several, of a name."""
    return bool(re.search(rf"(?<!{_WORD}){re.escape(piece.lower())}(?!{_WORD})", name.lower()))


def _begins_in(piece: str, name: str) -> bool:
    """Whether a kindred word of a name begins with a piece: `L4` in `NVIDIA L40S`, but not `A40` in `RTX A4000`."""
    return bool(re.search(rf"(?<!{_WORD}){re.escape(piece.lower())}(?:\d|\d?[a-z]+)(?!{_WORD})", name.lower()))


def _brands(item: NameTests, bench: Bench) -> Iterator[Verdict]:
    """A generation that is looked for in a device name, which has it not; a brand that several generations had."""
    for test in item.tests:
        for piece in test.pieces:
            word = piece.strip().lower()
            named = [(name, bit) for name, bit in _products(bench) if word and word in name.lower()]
            of = [
                1 << bit
                for bit, row in enumerate(bench.architectures)
                if row.vendor is Vendor.NVIDIA and row.generation.lower() == word
            ]
            if of and not named:
                shown = "a generation is no part of a device name, so it is never there"
                yield _verdict(item, test, sum(of), piece, shown)
            elif word == _BRAND and _union(named):
                shown = f"several generations were sold under it, and what is newer is not ({_list(named)})"
                yield _verdict(item, test, _union(named), piece, shown, Level.NOTE)


def _ambiguous(item: NameTests, bench: Bench) -> Iterator[Verdict]:
    """A bare number that cards of several generations have in their names."""
    for test in item.tests:
        for piece in test.pieces:
            if not re.fullmatch(r"\d{3,4}", piece):
                continue
            named = [(name, bit) for name, bit in _products(bench) if piece in name]
            if bin(_union(named)).count("1") > 1:
                shown = f"cards of several generations have it in their names ({_list(named)})"
                yield _verdict(item, test, _union(named), piece, shown)


def _collisions(item: NameTests, bench: Bench) -> Iterator[Verdict]:
    """A piece that catches the products of a longer name before their own test does, or because they have none."""
    caught: dict[tuple[int, str], list[tuple[str, int]]] = {}
    for name, bit in _products(bench):
        text = name.lower()
        settled: tuple[int, str] | None = None
        for position, test in enumerate(item.tests):
            piece = _catches(test, text)
            if piece is None:
                continue
            settled = (position, piece)
            if test.ends:
                break
        if settled is not None and _begins_in(settled[1], name) and not _stands_in(settled[1], name):
            caught.setdefault(settled, []).append((name, bit))
    for (position, piece), names in sorted(caught.items()):
        owner = next((name for name, _ in _products(bench) if _stands_in(piece, name)), None)
        if owner is None or not re.search(r"[A-Za-z]\d|\d", piece) or not _union(names):
            continue
        own = _union([(name, bit) for name, bit in _products(bench) if _stands_in(piece, name)])
        if len(item.tests) == 1 and len(item.tests[0].pieces) > 1 and not _union(names) & ~own:
            continue  # one list of names with one answer for all: cards with the same chip are meant, too
        later = [one for test in item.tests[position + 1 :] if test.form != "other" for one in test.pieces]
        longer = tuple(dict.fromkeys(one for one in later if piece.lower() in one.lower() and one != piece))
        if not all(any(_stands_in(one, name) for one in longer) for name, _ in names):
            longer = ()
        shown = f"it is part of {_list(names)} too"
        yield _verdict(item, item.tests[position], _union(names), piece, shown, longer=longer)


def _catches(test: NamePiece, name: str) -> str | None:
    """The piece by which a test certainly holds for a name (in small letters); None where it does not, or may not."""
    if test.form == "other" or any(piece.lower() in name for piece in test.absent):
        return None
    there = [piece for piece in test.pieces if piece.lower() in name]
    if test.form == "all":
        return max(there, key=len) if len(there) == len(test.pieces) else None
    return max(there, key=len) if there else None


def _left_out(item: NameTests, bench: Bench) -> Iterator[Verdict]:
    """The products after the newest that has a piece: they get what is left for names that nobody knows."""
    if not item.falls_back:
        return
    pieces = [piece for test in item.tests for piece in test.pieces]
    series = [int(match[1]) for piece in pieces if (match := _SERIES.fullmatch(piece.lower()))]
    products = _products(bench)
    if series:
        newest = max(int(match[1]) for name, _ in products if (match := re.search(r"rtx (\d)0\d\d", name.lower())))
        newer = [(name, bit) for name, bit in products if re.search(rf"GeForce RTX [{max(series) + 1}-9]0\d\d", name)]
        if max(series) < newest and _union(newer):
            piece = next(piece for piece in pieces if f"{max(series)}0" in piece)
            reason = f"the cards that came after it are not ({_list(newer)})"
            yield _verdict(item, item.tests[-1], _union(newer), piece, reason, Level.NOTE)
        return
    known = [(name, bit) for name, bit in products if any(piece.lower() in name.lower() for piece in pieces)]
    families = {piece for piece in pieces if any(_stands_in(piece, name) for name, _ in products)}
    if len(families) < 2:
        return
    hit = _union(known)
    missing = [(name, bit) for name, bit in products if bit > hit]
    mask = _union(missing) & ~bench.floor
    if mask:
        last = item.tests[-1]
        reason = f"of the newer products none is ({_list(missing)})"
        yield _verdict(item, last, mask, last.pieces[-1], reason, Level.NOTE)


def _keyed(item: NameTests, bench: Bench) -> Iterator[Verdict]:
    """A table that is subscripted with the whole name."""
    keys = {test.pieces[0] for test in item.tests}
    known = _union([(name, bit) for name, bit in _products(bench) if name in keys])
    missing = [(name, bit) for name, bit in _products(bench) if bit and not bit & known]
    if not missing:
        return
    reason = f"every name that is not there raises KeyError ({_list(missing)})"
    yield _verdict(item, item.tests[0], _union(missing) & ~bench.floor, f"{item.tests[0].pieces[0]}", reason)


def _of_one_generation(item: NameTests, bench: Bench) -> Iterator[Verdict]:
    """The other products of the generation that the author's words speak of, where one product is asked for."""
    test = item.tests[0]
    piece = test.pieces[0].lower()
    bits = {row.name: 1 << bit for bit, row in enumerate(bench.architectures)}
    kin = [
        (name, bits.get(row.name, 0))
        for row in load().architectures
        if row.vendor is Vendor.NVIDIA and row.generation.lower() == item.table
        for name in device_names(row)
    ]
    missing = [(name, bit) for name, bit in kin if piece not in name.lower()]
    mask = _union(missing) & ~bench.floor
    if mask and len(missing) < len(kin):
        word = item.table.capitalize()
        reason = f"the words beside it speak of {word}, and {_list(missing)} are {word}, too"
        yield _verdict(item, test, mask, test.pieces[0], reason, Level.NOTE)


def _generations(item: NameTests, bench: Bench) -> Iterator[Verdict]:
    """Generations of AMD devices one after another, up to the last but one: what is newest goes the other way."""
    named = sorted({int(piece.removeprefix("gfx")) for test in item.tests for piece in test.pieces})
    amd = [row.name for row in load().architectures if row.vendor is Vendor.AMD]
    known = {int(name[3:5]) for name in amd if re.fullmatch(r"gfx1\d\w\w", name)}
    newer = {generation for generation in known if generation > named[-1]}
    if not newer or named != sorted(generation for generation in known if named[0] <= generation <= named[-1]):
        return
    starts = tuple(f"gfx{generation}" for generation in sorted(newer))
    mask = sum(1 << bit for bit, row in enumerate(bench.architectures) if row.name.startswith(starts))
    if mask & ~bench.floor:
        reason = f"{listed(starts)} came after it and goes the other way"
        yield _verdict(item, item.tests[0], mask & ~bench.floor, f"gfx{named[-1]}", reason)


def _union(names: Sequence[tuple[str, int]]) -> int:
    mask = 0
    for _, bit in names:
        mask |= bit
    return mask


def _list(names: Sequence[tuple[str, int]]) -> str:
    """A few of the names, the newest first."""
    shown = [name for name, _ in reversed(names)]
    return listed(shown) if len(shown) <= _NAMES_SHOWN else f"{', '.join(shown[:_NAMES_SHOWN])} and others"


def _patterns(item: NameTests, bench: Bench) -> Iterator[Verdict]:
    """The products after the newest that a pattern knows."""
    found = [piece for piece in item.tests[0].pieces if len(piece) <= _LONGEST_PATTERN and not _NESTED.search(piece)]
    products = _products(bench)
    known = [(name, bit) for name, bit in products if any(_fits(piece, name) for piece in found)]
    if not known or len(found) < len(item.tests[0].pieces):
        return
    missing = [(name, bit) for name, bit in products if bit > _union(known)]
    mask = _union(missing) & ~bench.floor
    if mask:
        reason = f"of the newer products none is ({_list(missing)})"
        yield _verdict(item, item.tests[0], mask, found[0], reason, Level.NOTE)


def _fits(pattern: str, name: str) -> bool:
    try:
        return re.search(pattern, name) is not None
    except re.error:
        return False


_FORMS = {"key": _keyed, "generations": _generations, "patterns": _patterns, "words": _of_one_generation}
