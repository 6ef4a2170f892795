"""Judge comparisons of an architecture with another form of one, part by part, or with one that does not exist."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from hwlint.hardware.names import names_architecture
from hwlint.hardware.table import Catalogue, load
from hwlint.judge.second_numbers import second_alone
from hwlint.judge.spelling import (
    GFX,
    GFX_FEATURES,
    HUNDREDS,
    MAJOR,
    NUMBER,
    PREFIXED,
    TUPLE,
    Form,
    form_of_literal,
    form_on,
)
from hwlint.judge.verdict import Bench, Verdict
from hwlint.model.architecture import Vendor
from hwlint.model.observation import Comparison, Lookup, Observation, Partwise, TextUse
from hwlint.model.outcome import Default, Hit, NotKnown
from hwlint.model.rule import Rule
from hwlint.model.span import Span

_ORDERS: Mapping[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_Cases = Sequence[tuple[Any, int]]
_TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}
_OLDEST = (5, 0)

_USUAL_BOUNDS = ((7, 5), (8, 6), (8, 9))
"""What is asked for by its second number, too."""
_PARTWISE = "compares the parts one by one and is wrong"


def unit_mismatch(seen: Sequence[Observation], rule: Rule, bench: Bench) -> Iterator[Verdict]:
    """A comparison or membership test has one answer everywhere because its sides are written in different forms."""
    told = {item.place.span for item in seen if isinstance(item, Comparison) and item.true & ~item.false}
    told |= {item.place.span for item in seen if isinstance(item, Lookup)}
    for item in seen:
        if isinstance(item, Comparison) and item.operator not in ("in", "not in"):
            for verdict in _compared(_of_one_vendor(item, bench), bench):
                told.add(item.place.span)
                yield verdict
        elif isinstance(item, Lookup) and item.form in ("in", "not in", "get"):
            yield from _looked_up(_lookup_of_one_vendor(item, bench), bench)
    for item in seen:
        if isinstance(item, TextUse) and item.use == "member" and item.place.span not in told:
            mask = sum(1 << bit for bit, row in enumerate(bench.architectures) if row.vendor is Vendor.NVIDIA)
            words = f"a capability (a tuple, or digits as text) with {PREFIXED.text}"
            fields = {"expression": item.subject, "evidence": words, "outcome": "never a member"}
            facts = {"literal_form": PREFIXED.name, "statement_line": item.place.statement.line}
            yield Verdict(item.place, mask & ~bench.floor, 0, "never a member", fields, facts=facts)


def _of_one_vendor(item: Comparison, bench: Bench) -> Comparison:
    """The comparison as NVIDIA's devices make it, where any do: AMD's answer in forms of their own."""
    mask = _vendor_of(item.alive, bench)
    if mask == item.alive & bench.everyone:
        return item
    left, right = (
        tuple((value, where & mask) for value, where in values if where & mask)
        for values in (item.left_values, item.right_values)
    )
    return replace(
        item, alive=mask, true=item.true & mask, false=item.false & mask, left_values=left, right_values=right
    )


def _lookup_of_one_vendor(item: Lookup, bench: Bench) -> Lookup:
    mask = _vendor_of(_union(happening.mask for happening in item.happenings), bench)
    kept = tuple(
        replace(happening, mask=happening.mask & mask) for happening in item.happenings if happening.mask & mask
    )
    return replace(item, happenings=kept)


def _vendor_of(mask: int, bench: Bench) -> int:
    """Those of `mask` asked about that are NVIDIA's; all of these where none is."""
    mask &= bench.asked
    nvidia = sum(1 << bit for bit, row in enumerate(bench.architectures) if row.vendor is Vendor.NVIDIA)
    return mask & nvidia or mask & bench.everyone


def _union(masks: Iterable[int]) -> int:
    """The union of bit sets."""
    whole = 0
    for mask in masks:
        whole |= mask
    return whole


def _compared(item: Comparison, bench: Bench) -> Iterator[Verdict]:
    if item.true & item.false:
        yield from _unordered(item, bench)
        return
    for hardware, literal, symbol in (
        (item.left_values, item.right_values, item.operator),
        (item.right_values, item.left_values, _TURNED.get(item.operator, "")),
    ):
        given = {value for value, _ in literal}
        if len(given) != 1:
            continue
        value = given.pop()
        theirs = form_of_literal(value)
        if theirs is GFX:
            item = _with_features(item, hardware, value, bench)
        ours = form_of_values([(known, mask & item.alive) for known, mask in hardware], item.alive, bench)
        if ours is None or theirs is None or ours == theirs or not _cannot_be_meant(ours, theirs, symbol):
            continue
        if (item.true and item.false) or not _same_vendor(theirs, item.alive, bench):
            continue
        answer = "always true" if item.true else "always false"
        text = f"{item.left} {item.operator} {item.right}"
        fields = {"expression": text, "evidence": f"{ours.text} with {theirs.text}", "outcome": answer}
        facts = {
            "form": ours.name,
            "literal_form": theirs.name,
            "statement_line": item.place.statement.line,
            "subject_values": {name: known for known, mask in hardware for name in bench.all_names(mask & item.alive)},
        }
        yield Verdict(item.place, item.alive, 0, answer, fields, trace=item.trace, facts=facts)
        return


def _with_features(item: Comparison, hardware: _Cases, value: object, bench: Bench) -> Comparison:
    """The comparison on those whose own name has features, where the name that it asks for is one of theirs.

    Others have no features, and their names differ from it in any case.
    """
    mask = _union(
        1 << bit
        for bit, row in enumerate(bench.architectures)
        for known, where in hardware
        if where >> bit & 1 and form_on(known, row) is GFX_FEATURES
    )
    mask &= item.alive
    if value not in {row.name for row in bench.rows(mask)}:
        return item
    return replace(item, alive=mask, true=item.true & mask, false=item.false & mask)


def _unordered(item: Comparison, bench: Bench) -> Iterator[Verdict]:
    """An order between a tuple, a text and a number: Python raises TypeError."""
    if item.operator not in ("<", "<=", ">", ">="):
        return
    for hardware, literal in ((item.left_values, item.right_values), (item.right_values, item.left_values)):
        ours, given = form_of_values(hardware, item.alive, bench), {value for value, _ in literal}
        if ours is None or len(given) != 1 or _union(mask for _, mask in literal) != item.alive:
            continue
        value = given.pop()
        sorts = {_sort(each) for each, _ in hardware}
        if len(sorts) == 1 and None not in sorts and _sort(value) not in (None, *sorts):
            text = f"{item.left} {item.operator} {item.right}"
            fields = {"expression": text, "evidence": f"{ours.text} with {value!r}", "outcome": "a TypeError"}
            yield Verdict(item.place, item.alive, 0, "TypeError", fields, trace=item.trace)
            return


def _sort(value: object) -> type | None:
    """What a value can be put in order with: numbers, texts, or tuples."""
    return next((kind for kind in (int, str, tuple) if type(value) is kind), None)


def _same_vendor(form: Form, alive: int, bench: Bench) -> bool:
    """False for a gfx name on NVIDIA devices: the same expression answers in another form on AMD's."""
    vendor = Vendor.AMD if form in (GFX, GFX_FEATURES) else Vendor.NVIDIA
    rows = bench.rows(alive & bench.everyone)
    return all(row.vendor is vendor for row in rows) or (vendor is Vendor.NVIDIA and form in (MAJOR, NUMBER, TUPLE))


def _cannot_be_meant(ours: Form, theirs: Form, symbol: str) -> bool:
    """Whether no author can have meant the comparison: numbers of one unit may be held against a bound of another."""
    numeric = {MAJOR, NUMBER, HUNDREDS}
    if ours in numeric and theirs in numeric:
        return symbol != ""
    return symbol in ("==", "!=")


def form_of_values(values: Sequence[tuple[Any, int]], alive: int, bench: Bench) -> Form | None:
    """The one form in which these values name the architectures that they are for; None where there is no such form."""
    found: set[Form] = set()
    covered = 0
    for value, mask in values:
        for row in bench.rows(mask & bench.everyone):
            form = form_on(value, row)
            if form is None:
                return None
            found.add(form)
        covered |= mask
    several = len({value for value, _ in values}) > 1 or bin(alive & bench.everyone).count("1") == 1
    return found.pop() if len(found) == 1 and several and covered & alive == alive else None


def _looked_up(item: Lookup, bench: Bench) -> Iterator[Verdict]:
    values: list[tuple[Any, int]] = []
    alive = 0
    for happening in item.happenings:
        if isinstance(happening.outcome, (Hit, NotKnown)) or not isinstance(happening.outcome, Default):
            return
        values.append((happening.key, happening.mask))
        alive |= happening.mask
    keys = item.table.keys
    if not item.table.complete or not keys:
        return
    ours = form_of_values(values, alive, bench)
    forms = {form_of_literal(key) for key in keys}
    if ours is None or None in forms or ours in forms or len(forms) != 1:
        return
    theirs = next(form for form in forms if form is not None)
    if not _same_vendor(theirs, alive, bench):
        return
    if ours == MAJOR and theirs not in (NUMBER, HUNDREDS) and not isinstance(keys[0], (str, tuple)):
        return
    answer = {"in": "never a member", "not in": "never a member"}.get(item.form, "never found")
    text = f"{item.key} {item.form} {item.table.name}" if item.form != "get" else f"{item.table.name}.get({item.key})"
    fields = {"expression": text, "evidence": f"{ours.text} with {theirs.text}", "outcome": answer}
    facts = {"form": ours.name, "literal_form": theirs.name, "statement_line": item.place.statement.line}
    yield Verdict(item.place, alive, 0, answer, fields, trace=(*item.trace, *item.via), facts=facts)


def componentwise(seen: Sequence[Observation], rule: Rule, bench: Bench) -> Iterator[Verdict]:
    """`major >= 7 and minor >= 5`: the architectures on which that differs from comparing both parts together."""
    yield from second_alone(seen, bench)
    comparisons = {item.place.span: item for item in seen if isinstance(item, Comparison)}
    for test in seen:
        if not isinstance(test, Partwise):
            continue
        if test.toolkit:
            yield from _toolkit(test)
            continue
        first = comparisons.get(test.parts[0])
        second = comparisons.get(test.parts[1])
        if first is None or second is None or not _are_parts(first, second, bench):
            continue
        mask = 0
        for bit, row in enumerate(bench.architectures):
            if row.capability is not None and row.vendor is Vendor.NVIDIA and first.alive >> bit & 1:
                mask |= (_is_wrong(test, row.capability)) << bit
        mask &= ~bench.floor
        if mask:
            facts: dict[str, object] = {"statement_line": test.place.statement.line}
            if test.bounds is not None:
                facts |= {"bounds": test.bounds, "operators": test.operators}
            fields = {"expression": test.text, "evidence": _PARTWISE}
            outcome = "false" if test.operators[0].startswith(">") != test.negated else "true"
            yield Verdict(test.place, mask, 0, f"{outcome} there", fields, trace=first.trace, facts=facts)


def _are_parts(first: Comparison, second: Comparison, bench: Bench) -> bool:
    """True where one comparison is about the first number of the capability and the other about the second."""
    pairs = ((first.left_values, 0), (second.left_values, 1))
    for values, position in pairs:
        if not values:
            return False
        for value, mask in values:
            if any(row.capability is not None and row.capability[position] != value for row in bench.rows(mask)):
                return False
    return True


def _is_wrong(test: Partwise, version: tuple[int, int]) -> bool:
    """Whether the parts, each on its own, give another answer than both together; for named bounds, with some."""
    for bounds in _USUAL_BOUNDS if test.bounds is None else (test.bounds,):
        one, other = (
            _ORDERS[symbol](part, bound) for symbol, part, bound in zip(test.operators, version, bounds, strict=True)
        )
        apart = (one or other) if test.negated else (one and other)
        if apart != _ORDERS[test.operators[1]](version, bounds):
            return True
    return False


def _toolkit(test: Partwise) -> Iterator[Verdict]:
    releases = [tuple(map(int, name.split("."))) for name in load().toolkits]
    wrong = [f"{major}.{minor}" for major, minor in releases if _is_wrong(test, (major, minor))]
    if not wrong:
        return
    named = f"toolkit {', '.join(wrong[-3:])}" if len(wrong) <= 3 else f"toolkits such as {wrong[0]} and {wrong[-1]}"
    fields = {"expression": test.text, "evidence": _PARTWISE, "targets": named}
    yield Verdict(test.place, 0, 0, "wrong there", fields, facts={"bounds": test.bounds})


def unknown_architecture(seen: Sequence[Observation], rule: Rule, bench: Bench) -> Iterator[Verdict]:
    """A literal that is compared for equality with a hardware value names an architecture that does not exist."""
    told: set[tuple[Span, str]] = set()
    for item in seen:
        for literal, values, alive in _literals(item):
            form = form_of_values(values, alive, bench)
            if form is None or form_of_literal(literal) != form or form == MAJOR:
                continue
            if not _is_unknown(literal, form, load()) or (item.place.span, repr(literal)) in told:
                continue
            told.add((item.place.span, repr(literal)))
            fields = {"value": repr(literal), "reason": ", so this never holds"}
            trace = item.trace if isinstance(item, (Comparison, Lookup)) else ()
            facts = {"statement_line": item.place.statement.line}
            yield Verdict(item.place, 0, 0, "no architecture", fields, trace=trace, facts=facts)


def _literals(item: Observation) -> Iterator[tuple[object, Sequence[tuple[Any, int]], int]]:
    """The literals that a hardware value is asked to equal, with the values that it has."""
    if isinstance(item, Comparison) and item.operator in ("==", "!="):
        for ours, theirs in ((item.left_values, item.right_values), (item.right_values, item.left_values)):
            if len(theirs) == 1:
                yield theirs[0][0], ours, item.alive
    elif isinstance(item, Lookup) and item.form in ("in", "not in", "get", "subscript"):
        values = [(happening.key, happening.mask) for happening in item.happenings if happening.key is not None]
        alive = 0
        for happening in item.happenings:
            alive |= happening.mask
        if len(item.table.keys) <= 64:
            for key in item.table.keys:
                yield key, values, alive


def _is_unknown(literal: object, form: Form, catalogue: Catalogue) -> bool:
    """Whether a literal lies among the architectures and is none of them; older and newer ones are left alone."""
    rows = {row.capability for row in catalogue.architectures}
    match literal:
        case bool():
            return False
        case int() if form == NUMBER:
            capability: tuple[int, int] | None = divmod(literal, 10)
        case tuple() if form == TUPLE:
            capability = literal if len(literal) == 2 else None
        case str():
            return not literal.startswith("gfx") and names_architecture(literal, catalogue) is False
        case _:
            return False
    if capability is None or capability in rows or capability < _OLDEST:
        return False
    return names_architecture(capability, catalogue) is False
