"""Collect what the evaluator sees, one entry a place, joined over every context it is reached from."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, assert_never

from hwlint.model.finding import TraceStep
from hwlint.model.observation import (
    Admission,
    Blank,
    BuildList,
    CallRejection,
    Choice,
    Comparison,
    DeadChoice,
    FallThrough,
    Gate,
    Happening,
    Limit,
    Lookup,
    NameTests,
    NoneUse,
    Observation,
    OpenTable,
    Partwise,
    Place,
    Predicate,
    Reach,
    Rejection,
    Table,
    TextUse,
    Unset,
    Window,
)
from hwlint.model.outcome import NotKnown

_MOST_SOUGHT = 32
"""So many values that one `in` looks for are kept."""


@dataclass(slots=True)
class Recorder:
    """Observations by place; seeing the same place again joins the architectures."""

    found: dict[tuple[Any, ...], Observation] = field(default_factory=dict)
    muted: int = 0
    """Above zero while code is evaluated only for its value."""

    def lookup(
        self,
        place: Place,
        form: str,
        table: Table,
        key: str,
        happenings: list[Happening],
        caught: int,
        trace: tuple[TraceStep, ...],
        via: tuple[TraceStep, ...],
    ) -> None:
        """Note a use of a table."""
        if self.muted or not happenings:
            return
        index = ("lookup", place.span, form, table.span)
        old = self.found.get(index)
        known = list(old.happenings) if isinstance(old, Lookup) else []
        for happening in happenings:
            for position, seen in enumerate(known):
                if seen.outcome == happening.outcome and seen.key == happening.key:
                    known[position] = replace(
                        seen, mask=seen.mask | happening.mask, certain=seen.certain | happening.certain
                    )
                    break
            else:
                known.append(happening)
        if isinstance(old, Lookup):
            caught |= old.caught
            trace, via = old.trace or trace, old.via or via
        self.found[index] = Lookup(place, form, table, key, tuple(known), caught, trace, via)

    def none_use(self, seen: NoneUse) -> None:
        """Note that a missed None is used."""
        if self.muted:
            return
        index = ("none", seen.place.span, seen.use)
        old = self.found.get(index)
        if isinstance(old, NoneUse):
            answered = old.answered | seen.answered
            seen = replace(old, mask=old.mask | seen.mask, certain=old.certain | seen.certain, answered=answered)
        self.found[index] = seen

    def rejection(self, seen: Rejection) -> None:
        """Note that the author turns architectures away."""
        if self.muted:
            return
        index = ("rejection", seen.place.span)
        old = self.found.get(index)
        if isinstance(old, Rejection):
            seen = replace(
                old,
                mask=old.mask | seen.mask,
                certain=old.certain | seen.certain,
                reached=old.reached | seen.reached,
                caught=old.caught | seen.caught,
                by_rest=old.by_rest and seen.by_rest,
                conditional=old.conditional and seen.conditional,
                decided=old.decided | seen.decided,
                branches=old.branches if len(old.branches) >= len(seen.branches) else seen.branches,
                admissions=_together((*old.admissions, *seen.admissions)),
            )
        self.found[index] = seen

    def call_rejection(self, seen: CallRejection) -> None:
        """Note that a call leads to where architectures are turned away."""
        if self.muted:
            return
        index = ("call", seen.place.span, seen.at)
        old = self.found.get(index)
        if isinstance(old, CallRejection):
            seen = replace(old, mask=old.mask | seen.mask, reached=old.reached | seen.reached)
        self.found[index] = seen

    def gate(self, seen: Gate) -> None:
        """Note a branch that the hardware decides."""
        if self.muted:
            return
        index = ("gate", seen.place.span, seen.kind)
        old = self.found.get(index)
        if isinstance(old, Gate):
            seen = replace(
                old,
                true=old.true | seen.true,
                false=old.false | seen.false,
                alive=old.alive | seen.alive,
                certain=old.certain | seen.certain,
                entered=old.entered | seen.entered,
                sides=old.sides if old.alive != old.entered else seen.sides,
                after=old.after or seen.after,
                for_anyone=old.for_anyone or seen.for_anyone,
            )
        self.found[index] = seen

    def left_behind(self, seen: Unset | FallThrough | DeadChoice) -> None:
        """Note what a chain of branches leaves unset, unanswered or unread."""
        if self.muted:
            return
        index = (type(seen).__name__, seen.place.span, getattr(seen, "name", ""))
        old = self.found.get(index)
        if isinstance(old, (Unset, FallThrough, DeadChoice)):
            seen = replace(old, mask=old.mask | seen.mask, certain=old.certain | seen.certain)
        self.found[index] = seen

    def comparison(self, seen: Comparison) -> None:
        """Note a comparison with a hardware value."""
        if self.muted:
            return
        index = ("comparison", seen.place.span, seen.operator, seen.left)
        old = self.found.get(index)
        if isinstance(old, Comparison):
            left = old.left_values
            same_question = seen.operator in ("in", "not in") or (
                len(seen.right_values) == len(old.right_values) == 1
                and seen.right_values[0][0] == old.right_values[0][0]
            )
            if same_question and seen.left_values != left and len(left) < _MOST_SOUGHT:
                left = tuple(dict.fromkeys((*left, *seen.left_values)))  # from another caller, or of another round
            true, false, alive = old.true | seen.true, old.false | seen.false, old.alive | seen.alive
            seen = replace(old, left_values=left, true=true, false=false, alive=alive)
        self.found[index] = seen

    def blank(self, place: Place, what: str, reason: str) -> None:
        """Note that an outcome which depends on the hardware is not known."""
        if not self.muted:
            self.found.setdefault(("blank", place.span, what), Blank(place, what, reason))

    def text_use(self, seen: TextUse) -> None:
        """Note that a text is cut, converted or ordered."""
        if self.muted:
            return
        index = ("text", seen.place.span, seen.use)
        old = self.found.get(index)
        if isinstance(old, TextUse):
            texts = tuple(dict.fromkeys((*old.texts, *seen.texts)))
            kind = old.kind if old.kind == "known" else seen.kind
            seen = replace(old, texts=texts, kind=kind, raising=old.raising | seen.raising)
        self.found[index] = seen

    def reach(self, seen: Reach) -> None:
        """Note a name with a claim behind a hardware test."""
        if self.muted:
            return
        index = ("reach", seen.place.span, seen.text)
        old = self.found.get(index)
        if isinstance(old, Reach):
            seen = replace(old, mask=old.mask | seen.mask, certain=old.certain | seen.certain)
        self.found[index] = seen

    def choice(self, seen: Choice) -> None:
        """Note a size that is chosen by architecture."""
        if self.muted:
            return
        index = ("choice", seen.place.span, seen.name)
        old = self.found.get(index)
        if isinstance(old, Choice):
            sizes = _joined(old.sizes, seen.sizes)
            seen = replace(old, sizes=sizes, certain=old.certain | seen.certain)
        self.found[index] = seen

    def limit(self, seen: Limit) -> None:
        """Note a limit that is chosen by architecture and enforced."""
        if self.muted:
            return
        index = ("limit", seen.place.span, seen.name)
        old = self.found.get(index)
        if isinstance(old, Limit):
            seen = replace(old, sizes=_joined(old.sizes, seen.sizes))
        self.found[index] = seen

    def predicate(self, seen: Predicate) -> None:
        """Note what a predicate answers; joined where it is seen again."""
        if self.muted:
            return
        index = ("predicate", seen.place.span)
        old = self.found.get(index)
        if isinstance(old, Predicate):
            seen = replace(
                old,
                true=old.true | seen.true,
                false=old.false | seen.false,
                proven=old.proven | seen.proven,
            )
        self.found[index] = seen

    def surveyed(self, seen: TextUse | NameTests | BuildList | Partwise | Window | OpenTable) -> None:
        """Note what was read off the source without evaluating it."""
        if isinstance(seen, TextUse):
            self.text_use(seen)
            return
        self.found.setdefault((type(seen).__name__, seen.place.span), seen)

    def absorb(self, seen: Observation) -> None:
        """Take in an observation that another recorder made."""
        match seen:
            case Lookup():
                self.lookup(
                    seen.place,
                    seen.form,
                    seen.table,
                    seen.key,
                    list(seen.happenings),
                    seen.caught,
                    seen.trace,
                    seen.via,
                )
            case NoneUse():
                self.none_use(seen)
            case Rejection():
                self.rejection(seen)
            case CallRejection():
                self.call_rejection(seen)
            case Gate():
                self.gate(seen)
            case Comparison():
                self.comparison(seen)
            case Blank():
                self.blank(seen.place, seen.what, seen.reason)
            case TextUse():
                self.text_use(seen)
            case Unset() | FallThrough() | DeadChoice():
                self.left_behind(seen)
            case Reach():
                self.reach(seen)
            case Choice():
                self.choice(seen)
            case Limit():
                self.limit(seen)
            case Predicate():
                self.predicate(seen)
            case NameTests() | BuildList() | Partwise() | Window() | OpenTable():
                self.surveyed(seen)
            case _:
                assert_never(seen)

    def observations(self) -> list[Observation]:
        """Everything seen, sorted by place; a lookup known in one context is not unknown for being so in another."""
        return sorted((_without_doubt(seen) for seen in self.found.values()), key=_order)


def _together(admissions: tuple[Admission, ...]) -> tuple[Admission, ...]:
    """One admission for each test, with the fewest tests in between."""
    found: dict[tuple[Any, ...], Admission] = {}
    for admission in admissions:
        index = (admission.step.span, admission.text)
        old = found.get(index)
        if old is not None:
            admission = replace(old, mask=old.mask | admission.mask, between=min(old.between, admission.between))
        found[index] = admission
    return tuple(found.values())


def _joined(one: tuple[tuple[int, int], ...], other: tuple[tuple[int, int], ...]) -> tuple[tuple[int, int], ...]:
    """Sizes with the architectures of both."""
    sizes = dict(one)
    for size, mask in other:
        sizes[size] = sizes.get(size, 0) | mask
    return tuple(sizes.items())


def _without_doubt(seen: Observation) -> Observation:
    if not isinstance(seen, Lookup):
        return seen
    known = 0
    for happening in seen.happenings:
        if not isinstance(happening.outcome, NotKnown):
            known |= happening.mask
    kept = tuple(
        replace(happening, mask=happening.mask & ~known) if isinstance(happening.outcome, NotKnown) else happening
        for happening in seen.happenings
    )
    return replace(seen, happenings=tuple(happening for happening in kept if happening.mask))


def _order(seen: Observation) -> tuple[Any, ...]:
    return (seen.place.span, type(seen).__name__)
