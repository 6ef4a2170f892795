"""Turn what was seen and found into sites: what each place that depends on the hardware does on each architecture."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from hwlint.model.finding import Certainty, Finding, Level
from hwlint.model.matrix import Effect, Site, Status
from hwlint.model.observation import (
    Blank,
    Choice,
    Comparison,
    FallThrough,
    Gate,
    Lookup,
    NoneUse,
    Observation,
    Rejection,
    Unset,
)
from hwlint.model.outcome import Default, Hit, NotKnown, Raises
from hwlint.model.span import Span
from hwlint.source.skeleton import Fork, Side

_BAD_TAGS = frozenset({"crash", "call", "range"})
"""Tags of rules whose warnings say that an architecture is led where it cannot run."""
_LONGEST_TEXT = 160


@dataclass(frozen=True, slots=True)
class Desk:
    """What the sites of one file are made from: its forks, the architectures in order, and the tags of each rule."""

    forks: Mapping[tuple[int, int], Fork]
    names: tuple[str, ...]
    tags: Mapping[str, frozenset[str]]

    @property
    def everyone(self) -> int:
        """The bit set of all architectures."""
        return (1 << len(self.names)) - 1


def sites_of(seen: Sequence[Observation], found: Sequence[Finding], desk: Desk) -> tuple[Site, ...]:
    """Return the sites of one function (or of a module's or class's own statements), in order of place.

    Tests that the hardware does not split are left out where anything else is known of the function, since they say
    only that something else decides; where nothing else is known they make it unknown.
    """
    gates = [each for each in seen if isinstance(each, Gate) and each.kind != "assert"]
    rejections = [each for each in seen if isinstance(each, Rejection)]
    split = [gate for gate in gates if gate.true != gate.false]
    covered = {gate.place.span for gate in gates}
    sites: list[Site] = [*_tests(split, rejections, desk)]
    for each in seen:
        site = _site(each, covered, desk)
        if site is not None:
            sites.append(site)
    turned_away = 0
    for site in sites:
        for effect in site.effects:
            turned_away |= effect.mask if effect.status is Status.REJECTED else 0
    sites += [_of_finding(finding, desk, turned_away) for finding in found]
    if not any(site.effects for site in sites):
        sites += [_open(gate) for gate in gates]
    return tuple(sorted((site for site in sites if site.effects or site.rule), key=_order))


def _site(seen: Observation, covered: set[Span], desk: Desk) -> Site | None:
    match seen:
        case Lookup() if seen.form in ("in", "not in") and _is_inside(seen.place.span, covered):
            return None
        case Lookup():
            return _lookup(seen)
        case Rejection():
            return _rejection(seen)
        case NoneUse():
            text = f"the None of `{seen.key}` is {seen.use}"
            effect = Effect(Status.FAILS, seen.mask, seen.certain & ~seen.answered, text)
            return Site(seen.place.span, "none", seen.key, (effect,), seen.trace)
        case Unset():
            effect = Effect(Status.FAILS, seen.mask, seen.certain, f"`{seen.name}` is read and no branch has set it")
            return Site(seen.place.span, "unset", seen.name, (effect,), seen.trace)
        case FallThrough():
            effect = Effect(Status.FALLS_BACK, seen.mask, seen.certain, "passes every branch by and gives None")
            return Site(seen.place.span, "none", "no return", (effect,), seen.trace)
        case Choice() if len({mask for _, mask in seen.sizes}) > 1:
            effects = tuple(Effect(Status.WORKS, mask, mask, f"`{seen.name}` is {size}") for size, mask in seen.sizes)
            return Site(seen.place.span, "size", seen.name, effects, seen.trace)
        case Comparison() if seen.true != seen.false and not _is_inside(seen.place.span, covered):
            return _comparison(seen)
        case Blank():
            effect = Effect(Status.UNKNOWN, desk.everyone, 0, f"{seen.what}: {seen.reason}")
            return Site(seen.place.span, "unknown", seen.what, (effect,))
        case _:
            return None


def _lookup(seen: Lookup) -> Site:
    effects: list[Effect] = []
    for happening in seen.happenings:
        for mask, caught in ((happening.mask & ~seen.caught, False), (happening.mask & seen.caught, True)):
            if mask:
                status, text = _outcome(seen, happening.outcome, caught=caught)
                effects.append(Effect(status, mask, happening.certain & mask, text))
    text = f"{seen.table.name}[{seen.key}]" if seen.form in ("subscript", "index") else _use(seen)
    return Site(seen.place.span, "lookup", text, tuple(effects), (*seen.trace, *seen.via))


def _use(seen: Lookup) -> str:
    return f"{seen.table.name}.get({seen.key})" if seen.form == "get" else f"{seen.key} {seen.form} {seen.table.name}"


def _outcome(seen: Lookup, outcome: Hit | Default | Raises | NotKnown, *, caught: bool) -> tuple[Status, str]:
    table = f"`{_cut(seen.table.name)}`"
    match outcome:
        case Hit():
            return Status.WORKS, f"{table} has {outcome.key}"
        case Default() if seen.form in ("in", "not in"):
            return Status.FALLS_BACK, f"{outcome.key} is not in {table}"
        case Default():
            return Status.FALLS_BACK, f"{table} has no {outcome.key}: goes on with {_cut(outcome.default)}"
        case Raises() if caught:
            return Status.FALLS_BACK, f"{outcome} from {table} is caught"
        case Raises() if not seen.table.keys:  # as check does: somebody fills it before it is asked
            return Status.UNKNOWN, f"{table} starts empty, and who fills it is not seen ({outcome} where nobody does)"
        case Raises():
            return Status.FAILS, f"{outcome} from {table}"
        case NotKnown():
            return Status.UNKNOWN, f"a lookup in {table}: {outcome.reason}"


def _rejection(seen: Rejection) -> Site:
    said = f"{seen.exception}: {_cut(seen.message)}" if seen.message else f"raises {seen.exception}"
    caught = seen.mask & seen.caught
    sure = 0 if seen.conditional else seen.certain | seen.decided
    effects = []
    if seen.mask & ~caught:
        effects.append(Effect(Status.REJECTED, seen.mask & ~caught, sure & seen.mask & ~caught, said))
    if caught:
        effects.append(Effect(Status.FALLS_BACK, caught, sure & caught, f"{seen.exception} is caught"))
    passing = seen.reached & ~seen.mask
    if passing:
        effects.append(Effect(Status.WORKS, passing, passing, f"passes the {seen.kind}"))
    return Site(seen.place.span, "rejection", seen.exception, tuple(effects), seen.trace)


def _comparison(seen: Comparison) -> Site:
    text = _cut(f"{seen.left} {seen.operator} {seen.right}")
    parts = (
        (seen.true & ~seen.false, f"`{text}` is true"),
        (seen.false & ~seen.true, f"`{text}` is false"),
        (seen.true & seen.false, f"`{text}` may be true or false"),
    )
    effects = tuple(Effect(Status.WORKS, mask, mask, said) for mask, said in parts if mask)
    return Site(seen.place.span, "comparison", text, effects, seen.trace)


def _tests(gates: Sequence[Gate], rejections: Sequence[Rejection], desk: Desk) -> Iterator[Site]:
    """One site for each chain of tests: those that a branch takes, and those that are left to the rest."""
    chains: dict[object, list[tuple[Gate, Fork]]] = defaultdict(list)
    for gate in sorted(gates, key=lambda gate: gate.place.span):
        span = gate.place.span
        fork = desk.forks.get((span.line, span.column))
        if fork is None:
            fork = Fork(
                0, picks=True, body=Side.GOES_ON, otherwise=Side.GOES_ON, line=span.line, end_line=span.end_line
            )
        chains[fork.chain or span].append((gate, fork))
    raising = [rejection.place.span.line for rejection in rejections]
    for chain in chains.values():
        yield _chain(chain, raising)


def _chain(chain: Sequence[tuple[Gate, Fork]], raising: Sequence[int]) -> Site:
    effects: list[Effect] = []
    taken = alive = 0
    texts = [_cut(gate.text) for gate, _ in chain]
    for (gate, fork), text in zip(chain, texts, strict=True):
        alive |= gate.alive
        only_true, only_false, both = gate.true & ~gate.false, gate.false & ~gate.true, gate.true & gate.false
        raises = Side.RAISES in (fork.body, fork.otherwise)
        told = raises and any(fork.line <= line <= fork.end_line for line in raising)
        good, bad = (only_true, only_false) if _is_for_those_it_takes(fork) else (only_false, only_true)
        if raises:
            if bad and not told:
                effects.append(Effect(Status.REJECTED, bad, bad, f"`{text}` leads to a raise"))
            if good | both:
                effects.append(Effect(Status.WORKS, good | both, good, f"passes `{text}`"))
            taken |= alive
        elif Side.GIVES_UP in (fork.body, fork.otherwise):
            effects.append(Effect(Status.FALLS_BACK, bad, bad, f"`{text}` leaves it out"))
            effects.append(Effect(Status.WORKS, good | both, good, f"passes `{text}`"))
            taken |= alive
        else:
            word = "takes" if good == only_true else "passes"
            if good:
                effects.append(Effect(Status.WORKS, good, good, f"{word} `{text}`"))
            if both:
                effects.append(Effect(Status.WORKS, both, 0, f"may take `{text}`: more than the hardware decides"))
            taken |= good | both
    rest = alive & ~taken
    if rest:
        effects.append(Effect(Status.FALLS_BACK, rest, rest, _left(texts, picks=chain[0][1].picks)))
    first = chain[0][0]
    return Site(first.place.span, "test", texts[0], tuple(effect for effect in effects if effect.mask), first.trace)


def _left(texts: Sequence[str], *, picks: bool) -> str:
    if len(texts) > 1:
        return f"takes none of {', '.join(f'`{text}`' for text in texts)}"
    return f"is left out of `{texts[0]}`" if picks else f"`{texts[0]}` leaves it out"


def _is_for_those_it_takes(fork: Fork) -> bool:
    """True where the true side of a test is the one it is written for; a side that gives up or raises is not."""
    if fork.body is not Side.GOES_ON and fork.otherwise is Side.GOES_ON:
        return False
    if fork.otherwise is not Side.GOES_ON and fork.body is Side.GOES_ON:
        return True
    return fork.picks


def _open(gate: Gate) -> Site:
    both = gate.true & gate.false
    effects = [Effect(Status.UNKNOWN, both, 0, f"more than the hardware decides `{_cut(gate.text)}`")]
    settled = (gate.true | gate.false) & ~both
    effects.append(Effect(Status.WORKS, settled, settled, f"`{_cut(gate.text)}` is the same everywhere"))
    return Site(
        gate.place.span, "test", _cut(gate.text), tuple(effect for effect in effects if effect.mask), gate.trace
    )


def _of_finding(finding: Finding, desk: Desk, turned_away: int) -> Site:
    """A warning about architectures that the function turns away says nothing worse of them than that."""
    bits = sum(1 << bit for bit, name in enumerate(desk.names) if name in finding.targets)
    bad = finding.level is Level.ERROR
    if finding.level is Level.WARNING:
        bad = bool(desk.tags.get(finding.rule, frozenset()) & _BAD_TAGS)
        bits &= ~turned_away
    sure = bits if finding.level is Level.ERROR and finding.certainty is Certainty.CERTAIN else 0
    text = finding.message if finding.suppressed is None else f"{finding.message} (suppressed)"
    effects = (Effect(Status.FAILS, bits, sure, text),) if bad and bits else ()
    return Site(finding.span, "finding", text, effects, finding.trace, finding.rule)


def _is_inside(span: Span, others: set[Span]) -> bool:
    start, end = (span.line, span.column), (span.end_line, span.end_column)
    return any(
        (other.line, other.column) <= start and end <= (other.end_line, other.end_column)
        for other in others
        if other.path == span.path
    )


def _cut(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _LONGEST_TEXT else f"{text[: _LONGEST_TEXT - 3]}..."


def _order(site: Site) -> tuple[object, ...]:
    return (site.span, site.kind, site.rule, site.text)
