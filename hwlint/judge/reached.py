"""Judge what is reached: code that says it is for some architectures, where a hardware test lets others in."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from hwlint.hardware.claims import EITHER, Claim, ClaimKind, claims_of, is_for, is_named
from hwlint.judge.amd_ranges import over_lines
from hwlint.judge.guards import quoted
from hwlint.judge.verdict import Bench, Verdict, listed, tidied
from hwlint.model.architecture import Vendor
from hwlint.model.finding import Level, TraceStep
from hwlint.model.observation import Comparison, Observation, Reach, Rejection, Window
from hwlint.model.rule import Rule

_OLDEST_CLAIMED = 9
_NAME_SHOWN = 70
_JUDGED_ELSEWHERE = ("declared", "pick", "pick here", "message", "rung", "remark")
_GUARD_SHOWN = 90
_LISTED = re.compile(r"\bin [\[({]((?:\d+,\s*)+\d+)[\])}]")
"""A list of first numbers, or of whole ones, that a test is written with."""
_DIGITS = re.compile(r"[\"'](\d{2,3})[\"']")
"""Both numbers of a capability in one text."""
_NUMBER = re.compile(r"\d+[afx]?")
_ONLY = re.compile(r"\bonly (?:currently )?(?:be )?(?:support|implement|work|run|available)", re.IGNORECASE)
_WIDER = re.compile(
    r"\+|>|\d-|\b(?:above|later|newer|higher|beyond|upwards?|up|at least|minimum|since|from|exclud\w+)\b"
    r"|ampere|blackwell|\bor (?!sm)",
    re.IGNORECASE,
)
"""What makes more of one architecture than itself: `SM90 and above`, `SM90+`, `Blackwell (SM100)`, `SM80-SM90`."""
_MAJOR_IN_WORDS = re.compile(
    r"\bsm[ _-]?(\d{1,2})(?:\d[af]?|\.?x)\b|\b(?:capability|sm) (\d{1,2})\.[\dx]", re.IGNORECASE
)
_NEEDS = {
    "wgmma": "wgmma, which only sm_90 has",
    "tcgen05": "tcgen05 and tensor memory, which 10.x and 11.0 have",
    "wgmma or tcgen05": "wgmma for 9.0 and tcgen05 for 10.x, unless a later release of it has more",
}


def needed_behind(seen: Sequence[Observation], bench: Bench) -> Iterator[Verdict]:
    """A hardware test lets in architectures that a compiler target or an instruction behind it leaves out."""
    yield from _misled(seen, bench, (ClaimKind.TARGET, ClaimKind.FEATURE))
    yield from over_lines(seen, bench)


def declared_unsupported(seen: Sequence[Observation], rule: Rule, bench: Bench) -> Iterator[Verdict]:
    """A hardware test, or a class's own declaration, lets in architectures that the name or declaration leaves out."""
    yield from _misled(seen, bench, (ClaimKind.SM, ClaimKind.GENERATION))
    yield from _named_for_others(seen, bench)
    yield from _declared(seen, rule, bench)
    yield from _picked_and_rejected(seen, bench)
    yield from _said_to_be_only_for(seen, bench)
    for window in seen:
        if isinstance(window, Window):
            yield from _too_wide(window, bench)


def covered(claim: Claim, bench: Bench) -> int:
    """The architectures of the run that a claim covers."""
    return sum(1 << bit for bit, row in enumerate(bench.architectures) if is_for(claim, row))


def nvidia(bench: Bench) -> int:
    """The architectures of the run that a capability of NVIDIA's tells apart."""
    return sum(1 << bit for bit, row in enumerate(bench.architectures) if row.vendor is Vendor.NVIDIA)


def misled(mask: int, inside: int, bench: Bench) -> int:
    """Those of `mask` outside `inside`, where the oldest that comes is inside.

    So the test was made for the generation of the claim and has no upper end. A test for something older says
    nothing of what is chosen behind it by other means.
    """
    come = mask & nvidia(bench)
    oldest = come & -come
    return come & ~inside if oldest & inside else 0


def invited(guard: str, bench: Bench) -> int:
    """The architectures that a test names itself, by number: the author means them to come."""
    exact = [claim for claim in claims_of(guard) if claim.kind in (ClaimKind.TARGET, ClaimKind.SM)]
    listed_there = _LISTED.search(guard)
    majors = set(re.findall(r"\d+", listed_there[1])) if listed_there is not None else set()
    digits = set(_DIGITS.findall(guard))
    return sum(
        1 << bit
        for bit, row in enumerate(bench.architectures)
        if is_named(row, guard)
        or any(is_for(claim, row) for claim in exact)
        or (
            row.capability is not None
            and row.vendor is Vendor.NVIDIA
            and (str(row.capability[0]) in majors or "".join(map(str, row.capability)) in digits)
        )
    )


def _majors_of(mask: int, bench: Bench) -> int:
    """All that share the first number with one of `mask`."""
    majors = {row.major for row in bench.rows(mask)}
    return sum(1 << bit for bit, row in enumerate(bench.architectures) if row.major in majors)


def is_open(mask: int, bench: Bench) -> bool:
    """True where everything newer than the oldest comes too: no list has named those that come."""
    come = mask & nvidia(bench)
    return come != 0 and nvidia(bench) & ~come & ~((come & -come) - 1) == 0


def sharpest(text: str) -> Claim | None:
    """The claim of a name that says most, or None."""
    found = claims_of(text)
    return found[0] if found else None


def _misled(seen: Sequence[Observation], bench: Bench, kinds: tuple[ClaimKind, ...]) -> Iterator[Verdict]:
    told: dict[tuple[str, str, int], int] = {}
    for reach in seen:
        if not isinstance(reach, Reach) or reach.how in _JUDGED_ELSEWHERE:
            continue
        claim = sharpest(reach.text)
        if claim is None or claim.kind not in kinds:
            continue
        if EITHER in claim.value and any(asked.value == claim.value for asked in claims_of(reach.guard)):
            continue  # the flag that the guard asks says whether it is there; what sets the flag is judged
        wrong = misled(reach.mask, covered(claim, bench), bench)
        wanted = wrong & invited(f"{reach.guard} {reach.asked}", bench)
        wrong &= ~wanted
        if claim.kind is ClaimKind.GENERATION and not is_open(reach.mask, bench):
            continue
        by_name = not wrong and reach.how == "name" and claim.kind is ClaimKind.TARGET
        if by_name:  # the author wants them here, and the name says that it is made for one alone
            wrong = wanted & ~_majors_of(covered(claim, bench), bench)
        index = (reach.place.symbol, claim.value, wrong)
        if not wrong or index in told:
            continue
        told[index] = wrong
        evidence = _evidence(reach, claim)
        yield Verdict(
            reach.place,
            wrong,
            reach.certain & wrong,
            f"{claim.word} is reached",
            {
                "guard": tidied(reach.guard, _GUARD_SHOWN),
                "evidence": evidence,
                "symbol": reach.text,
                "reason": "come here",
            },
            reach.text,
            Level.NOTE if by_name or EITHER in claim.value else None,
            (*reach.trace, TraceStep(reach.place.span, f"`{reach.text}` is used here")),
            why=tuple((name, f"comes to `{reach.text}`") for name in bench.names(wrong)),
            facts={"guard": reach.guard},
        )


def _named_for_others(seen: Sequence[Observation], bench: Bench) -> Iterator[Verdict]:
    """One of several functions that share a name but for the architecture takes in others before its own."""
    reached = [reach for reach in seen if isinstance(reach, Reach) and reach.how in ("name", "rung")]
    for reach in reached:
        claim = sharpest(reach.text)
        if claim is None or claim.kind is not ClaimKind.SM:
            continue
        stem = _NUMBER.sub("", reach.text)
        kin = [each for each in reached if each.place.symbol == reach.place.symbol and each.text != reach.text]
        inside = covered(claim, bench)
        come = reach.mask & nvidia(bench)
        wrong = come & ~inside & ~bench.older_than(_newest_generations(bench))
        told_apart = any(_NUMBER.sub("", each.text) == stem for each in kin)
        if wrong and come & inside and told_apart and not misled(come, inside, bench):
            yield Verdict(
                reach.place,
                wrong,
                reach.certain & wrong,
                f"{claim.word} is reached",
                {"symbol": reach.text, "reason": "come here too", "evidence": f"its name says {claim.word}"},
                reach.text,
                Level.NOTE,
                reach.trace,
            )


def _newest_generations(bench: Bench) -> int:
    """The architectures from 9.0 on: names of older ones are no claims, so their kin cannot be told."""
    return sum(
        1 << bit
        for bit, row in enumerate(bench.architectures)
        if row.vendor is Vendor.NVIDIA and row.major is not None and row.major >= _OLDEST_CLAIMED
    )


def _evidence(reach: Reach, claim: Claim) -> str:
    match claim.kind:
        case ClaimKind.TARGET:
            return f"the target sm_{claim.value} of `{_short(reach.text)}`"
        case ClaimKind.FEATURE:
            return f"`{_short(reach.text)}` is made with {_NEEDS[claim.value]}"
        case ClaimKind.SM | ClaimKind.GENERATION | ClaimKind.PRODUCT:
            return f"its name says {claim.word}"


def _short(text: str) -> str:
    return tidied(text, _NAME_SHOWN)


def _declared(seen: Sequence[Observation], rule: Rule, bench: Bench) -> Iterator[Verdict]:
    """Calls of functions whose decorator lists the capabilities that they support."""
    known = rule.params.get("decorators", [])
    names = {str(name) for name in known} if isinstance(known, list) else set()
    for reach in seen:
        if not isinstance(reach, Reach) or reach.how != "declared" or reach.decorator not in names:
            continue
        inside = 0
        for bit, row in enumerate(bench.architectures):
            if row.capability is not None and row.capability[0] * 10 + row.capability[1] in reach.declared:
                inside |= 1 << bit
        wrong = misled(reach.mask, inside, bench)
        if wrong:
            numbers = listed([str(number) for number in reach.declared])
            yield Verdict(
                reach.place,
                wrong,
                reach.certain & wrong,
                f"{reach.text} is called",
                {
                    "symbol": reach.text,
                    "reason": "come to this call",
                    "evidence": f"`@{reach.decorator}` lists {numbers}",
                },
                reach.text,
                None,
                reach.trace,
                why=tuple((name, f"calls `{reach.text}`") for name in bench.names(wrong)),
            )


def _picked_and_rejected(seen: Sequence[Observation], bench: Bench) -> Iterator[Verdict]:
    """A text is chosen for an architecture, and a check of that choice turns the architecture away."""
    picks = [reach for reach in seen if isinstance(reach, Reach) and reach.how.startswith("pick")]
    if not picks:
        return
    checks: dict[tuple[str, str], list[Rejection]] = {}
    for observations in bench.observations.values():
        for rejection in observations:
            if isinstance(rejection, Rejection):
                for choice in rejection.picks:
                    checks.setdefault(choice, []).append(rejection)
    for pick in picks:
        for check in checks.get((pick.decorator, pick.text), ()):
            here = (check.place.path, check.place.symbol) == (pick.place.path, pick.place.symbol)
            if pick.how == "pick here" and not here:  # a variable of the function
                continue
            wrong = pick.mask & check.decided & ~check.caught
            chosen = nvidia(bench) & ~pick.mask  # what all are given, the hardware does not choose
            if wrong and chosen and pick.mask & ~check.decided:
                place = f"{check.place.path}:{check.place.span.line}"
                them = "it" if len(bench.names(wrong)) == 1 else "them"
                yield Verdict(
                    pick.place,
                    wrong,
                    pick.certain & check.certain & wrong,
                    check.exception,
                    {
                        "symbol": pick.text,
                        "reason": f"are given `{pick.text}` here",
                        "evidence": f"{place} turns {them} away: {quoted(check.message, check.exception)}",
                    },
                    pick.text,
                    None,
                    (*pick.trace, TraceStep(check.place.span, f"`{pick.text}` is turned away here")),
                )
                break


def _said_to_be_only_for(seen: Sequence[Observation], bench: Bench) -> Iterator[Verdict]:
    """A check says "only on SM90", asks for that or more, and so lets in what is newer."""
    checks = [one for one in seen if isinstance(one, Rejection)]
    for check in checks:
        inside = only_for(check.message, bench)
        come = check.reached & ~check.mask
        if not inside or check.conditional or not is_open(come, bench):
            continue
        wrong = misled(come, inside, bench)
        for other in checks:  # another check of the function turns them away
            if other.place.symbol == check.place.symbol:
                wrong &= ~other.mask
        owner, _, name = check.place.symbol.rpartition(".")
        if wrong:
            yield Verdict(
                check.place,
                wrong,
                0,
                "comes past the check",
                {
                    "symbol": owner if name == "__init__" else name,
                    "reason": "come past this check",
                    "evidence": f"the author's words are {quoted(check.message, check.exception)}",
                },
                check.exception,
                Level.NOTE,
                check.trace,
                facts={"statement_line": check.place.statement.line},
            )


def only_for(words: str, bench: Bench) -> int:
    """The architectures that words such as `only supported on SM90` leave; none where they say anything wider."""
    if _ONLY.search(words) is None or _WIDER.search(words):
        return 0
    majors = {int(hit[1] or hit[2]) for hit in _MAJOR_IN_WORDS.finditer(words)}
    if not majors or min(majors) < _OLDEST_CLAIMED:
        return 0
    return sum(
        1 << bit
        for bit, row in enumerate(bench.architectures)
        if row.vendor is Vendor.NVIDIA and row.major is not None and row.major in majors
    )


def _too_wide(window: Window, bench: Bench) -> Iterator[Verdict]:
    """A class that declares a least capability and no greatest one, with a name that says what it is made of."""
    if not window.by_call and not _is_consulted(window, bench):
        return
    for word in window.words:
        claim = sharpest(word)
        if claim is None or claim.kind is ClaimKind.PRODUCT:
            continue
        inside = covered(claim, bench)
        let_in = 0
        for bit, row in enumerate(bench.architectures):
            most = window.greatest if window.greatest is not None else row.capability
            if row.capability is not None and most is not None and window.least <= row.capability <= most:
                let_in |= 1 << bit
        wrong = misled(let_in, inside, bench)
        if not wrong:
            continue
        least = f"{window.least[0]}.{window.least[1]}"
        made = f"is made with {_NEEDS[claim.value]}" if claim.kind is ClaimKind.FEATURE else "says so"
        evidence = f"the words beside it say `{word}`" if window.by_call else f"`{word}` {made}"
        yield Verdict(
            window.place,
            wrong,
            0,
            f"{window.attribute} lets it in",
            {
                "symbol": window.owner,
                "reason": f"are let in by `{window.attribute}` = {least} without an upper end",
                "evidence": evidence,
            },
            window.owner,
            Level.NOTE if window.by_call else None,
            why=tuple((name, f"is at least {least}") for name in bench.names(wrong)),
        )
        return


def _is_consulted(window: Window, bench: Bench) -> bool:
    """True where some comparison with the hardware reads the attribute."""
    ending = f".{window.attribute}"
    return any(
        isinstance(other, Comparison) and (other.left.endswith(ending) or other.right.endswith(ending))
        for observations in bench.observations.values()
        for other in observations
    )
