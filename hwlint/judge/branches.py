"""Judge chains of branches: an architecture that none takes, tests that decide nothing, choices that are undone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hwlint.judge.guards import stale_ladder, words_of
from hwlint.judge.verdict import Bench, Verdict, tidied
from hwlint.model.architecture import Vendor
from hwlint.model.finding import Level, TraceStep
from hwlint.model.observation import DeadChoice, FallThrough, Gate, NoneUse, Observation, Rejection, TextUse, Unset
from hwlint.model.rule import Rule

_LINES_SHOWN = 90


def no_branch_left(seen: Sequence[Observation], rule: Rule, bench: Bench) -> Iterator[Verdict]:
    """No branch of a chain takes an architecture: a name stays unset, a None is used, or a stale ladder raises."""
    least = int(str(rule.params.get("least_branches", 2)))
    stale_level = Level(str(rule.params.get("stale_level", Level.WARNING)))
    told: set[tuple[str, object]] = set()
    for one in seen:
        match one:
            case Unset() if not told & {(one.place.symbol, one.name), (one.place.symbol, one.place.statement)}:
                told.update(((one.place.symbol, one.name), (one.place.symbol, one.place.statement)))
                outcome = f"UnboundLocalError: {one.name}"
                fields = {"outcome": f"`{one.name}` is not set there"}
                yield from _by_age(one, one.set_on, outcome, fields, bench)
            case NoneUse(ended=True) if (one.place.symbol, one.key) not in told:
                told.add((one.place.symbol, one.key))
                fields = {"outcome": f"`{one.key}` ends without a value, and its None is {one.use}"}
                end = TraceStep(one.lookup, f"{one.key} ends here without a value")
                yield from _by_age(one, one.answered, f"None is {one.use}", fields, bench, end)
            case FallThrough():
                mask = one.mask & ~bench.floor
                fields = {"outcome": "the function ends without a value there, though its last `else` raises"}
                if mask:
                    yield Verdict(
                        one.place, mask, one.certain & mask, "None", fields, one.place.symbol, stale_level, one.trace
                    )
            case Rejection():
                mask = stale_ladder(one, bench, least)
                if mask:
                    fields = {"outcome": f"the last `else` turns away all that is newer: {words_of(one)}"}
                    yield Verdict(
                        one.place, mask, one.certain & mask, one.exception, fields, one.exception, stale_level,
                        one.trace,
                        why=tuple((name, f"raises {one.exception}") for name in bench.names(mask)),
                        facts={"statement_line": one.place.statement.line},
                    )  # fmt: skip
            case _:
                pass


def _by_age(
    one: Unset | NoneUse, handled: int, outcome: str, fields: dict[str, str], bench: Bench, *steps: TraceStep
) -> Iterator[Verdict]:
    """One verdict for the architectures of today, and one at note level for those older than all that is handled."""
    old = (bench.older_than(handled) | bench.floor) & one.mask
    for mask, level in ((one.mask & ~old, None), (old, Level.NOTE)):
        if mask:
            name = one.name if isinstance(one, Unset) else one.key
            yield Verdict(
                one.place, mask, one.certain & mask, outcome, fields, name, level, (*one.trace, *steps),
                why=tuple((architecture, outcome) for architecture in bench.names(mask)),
            )  # fmt: skip


def constant_where_reached(seen: Sequence[Observation], rule: Rule, bench: Bench) -> Iterator[Verdict]:
    """The tests before have decided this one, and the side that nothing reaches has code; or a bare literal decides."""
    for gate in seen:
        if isinstance(gate, TextUse) and gate.use in ("always", "never"):
            yield _decided_by_literal(gate, bench)
        if isinstance(gate, TextUse) and gate.use == "uncalled":
            yield _never_asked(gate)
        if not isinstance(gate, Gate) or not gate.settled or gate.entered != bench.everyone or not gate.for_anyone:
            continue
        if gate.alive in _vendors(bench):  # a question about the platform, which the one before it has answered
            continue
        value = "true" if gate.true else "false"
        fields = {
            "expression": tidied(gate.text, _LINES_SHOWN),
            "value": value,
            "reason": f"`{gate.after}` has decided it" if gate.after else "the tests before have decided it",
        }
        yield Verdict(
            gate.place, gate.alive, gate.certain & gate.alive, f"always {value}", fields, gate.text, None, gate.trace
        )


def _vendors(bench: Bench) -> tuple[int, ...]:
    """The architectures of each vendor, where the run is about several."""
    masks: dict[Vendor, int] = {}
    for bit, row in enumerate(bench.architectures):
        masks[row.vendor] = masks.get(row.vendor, 0) | 1 << bit
    return tuple(masks.values()) if len(masks) > 1 else ()


def _decided_by_literal(test: TextUse, bench: Bench) -> Verdict:
    """Gfx names are AMD's, all else is NVIDIA's."""
    mask = sum(
        1 << bit for bit, row in enumerate(bench.architectures) if (row.vendor is Vendor.AMD) == (test.kind == "name")
    )
    fields = {
        "expression": tidied(test.subject, _LINES_SHOWN),
        "value": "true" if test.use == "always" else "false",
        "reason": f"{test.other} stands alone in it, and is true" if " " not in test.other else test.other,
    }
    facts = {"statement_line": test.place.statement.line}
    return Verdict(test.place, mask, mask, f"always {fields['value']}", fields, test.subject, facts=facts)


def _never_asked(test: TextUse) -> Verdict:
    """A function stands in the test, and is not called."""
    mask = 0
    for _, seen in test.texts:
        mask |= seen
    fields = {
        "expression": test.subject,
        "value": "true",
        "reason": "the function is not called, and a function is always true",
    }
    facts = {"statement_line": test.place.statement.line}
    return Verdict(test.place, mask, mask, "always true", fields, test.subject, None, test.trace, facts=facts)


def choice_overwritten(seen: Sequence[Observation], rule: Rule, bench: Bench) -> Iterator[Verdict]:
    """What a hardware branch sets is set again on every path before it is read."""
    for choice in seen:
        if not isinstance(choice, DeadChoice):
            continue
        names = ", ".join(choice.names)
        again = TraceStep(choice.again, f"{names} is set again here")
        yield Verdict(
            choice.place, choice.mask, choice.certain & choice.mask, "overwritten", {"symbol": names}, names, None,
            (*choice.trace, again), (again,),
        )  # fmt: skip
