"""Judge predicates by their names: what they claim, what they answer, and whether one name has two meanings."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from hwlint.hardware.claims import Claim, ClaimKind, amd_lines, claims_of
from hwlint.judge.reached import covered, nvidia
from hwlint.judge.verdict import Bench, Verdict, listed
from hwlint.model.architecture import Vendor
from hwlint.model.finding import Level
from hwlint.model.observation import Observation, Predicate
from hwlint.model.rule import Rule

_OR_NEWER = re.compile(
    r"plus|or_?(?:newer|later|more|above|higher|greater|up)|at_?least|and_?(?:above|later|up)|_ge_|_gte_|(?:^|_)min|newer|since",
    re.I,
)
_OTHERWISE = re.compile(
    r"(?:^|_)(?:not|no|non|pre|before|below|older|less|lt|lte|le|under|without|disable|skip|than|except|max|up_to)(?:_|$)",
    re.I,
)
_QUESTION = re.compile(
    r"^_{0,2}(?:is|has|on|supports?|check|can|have)_|_(?:supported|available|capable)$|^(?:is|IS)[A-Z_]", re.I
)
_FEATURE_ONLY = re.compile(
    r"_*(?:is_?|has_?|have_?|supports?_?|can_?|use_?|enable_?)*(?:wgmma|warpgroup_mma|mma_?v[35]|tcgen0?5|tmem|umma)(?:_(?:supported|available|capable|enabled|support))*",
    re.I,
)
_NAME_ONLY = re.compile(
    r"_*(?:is_?|on_?|has_?)?(?:nvidia_?|cuda_?|device_?|gpu_?|arch_?)*(?:sm_?\d+[afx]?|\d+[af]|hopper|blackwell)(?:_?(?:or_?(?:newer|later|more|above|higher)|plus|supported|available|arch|gpu|device|capable))*",
    re.I,
)

_AMD_ONLY = re.compile(
    r"_*(?:is_?|on_?|has_?)?(?:hip_?|amd_?|rocm_?|device_?|gpu_?|arch_?|target_?)*(?:[cr]dna|navi)\d?(?:_?(?:or_?|and_?)?[cr]dna\d?)*(?:_?(?:arch|gpu|device))?",
    re.I,
)


def contradicts_body(seen: Sequence[Observation], rule: Rule, bench: Bench) -> Iterator[Verdict]:
    """A predicate is true where its name says it is not, never true where its name says it is, or means two things."""
    if not any(isinstance(one, Predicate) for one in seen):  # most files have none, and there may be many files
        return
    functions = [one for one in _everything(bench) if isinstance(one, Predicate) and one.kind == "function"]
    for predicate in seen:
        if isinstance(predicate, Predicate) and not _is_answer_of(predicate, functions):
            yield from _against_name(predicate, bench)
            yield from _without_feature(predicate, bench)
            yield from _of_other_lines(predicate, bench)
    twofold = list(_two_meanings(seen, bench))
    yield from twofold
    yield from _two_conditions(seen, bench)
    told = {verdict.place for verdict in twofold}
    for predicate in seen:
        if isinstance(predicate, Predicate) and predicate.place not in told and _is_plain(predicate):
            yield from _not_all_of_it(predicate, bench)


def _everything(bench: Bench) -> Iterator[Observation]:
    for _, observations in sorted(bench.observations.items()):
        yield from observations


def _is_answer_of(predicate: Predicate, functions: Sequence[Predicate]) -> bool:
    """True for a name that keeps what a function of the same claim answers: the function is told of already."""
    claim = _claim(predicate.name)
    if predicate.kind == "function" or claim is None or not predicate.trace:
        return False
    return any(
        (one.true, one.false) == (predicate.true, predicate.false)
        and one.trace[:1] == predicate.trace[:1]
        and (said := _claim(one.name)) is not None
        and said.value == claim.value
        and _NAME_ONLY.fullmatch(one.name) is not None
        for one in functions
    )


def _claim(name: str) -> Claim | None:
    found = [claim for claim in claims_of(name) if claim.kind not in (ClaimKind.PRODUCT, ClaimKind.FEATURE)]
    if len({claim.value.rstrip("af") for claim in found}) != 1 or _OTHERWISE.search(name):
        return None
    return found[0]


def _against_name(predicate: Predicate, bench: Bench) -> Iterator[Verdict]:
    name = predicate.name
    claim = _claim(name)
    if claim is None or _NAME_ONLY.fullmatch(name) is None:
        return
    meant = covered(claim, bench)
    yes = _true(predicate, bench)
    if not meant or not yes:
        return
    if _OR_NEWER.search(name):
        expected = meant | _newer(meant, bench)
        wrong, reason = expected & ~yes, "is not true on newer ones"
        if not yes & ~expected and wrong:
            yield _verdict(predicate, wrong, f"{claim.word} or newer", reason)
        return
    if not yes & meant:
        yield _verdict(predicate, yes, claim.word, "is true on others alone")
        return
    wrong = yes & ~meant & _newer(meant, bench)
    if wrong:
        yield _verdict(predicate, wrong, claim.word, "is true on newer ones too")
        return
    older = yes & ~meant & nvidia(bench)
    if older and claim.kind is ClaimKind.TARGET:
        yield replace(_verdict(predicate, older, claim.word, "is true on older ones too"), level=Level.NOTE)


def _not_all_of_it(predicate: Predicate, bench: Bench) -> Iterator[Verdict]:
    """`is_blackwell` is false on the newer members of that generation, to which its callers may send what is not it."""
    claim = _claim(predicate.name)
    if claim is None or claim.kind is not ClaimKind.GENERATION or _OR_NEWER.search(predicate.name):
        return
    meant, yes = covered(claim, bench), _true(predicate, bench)
    missing = meant & predicate.false & ~predicate.true & _newer(yes & meant, bench)
    if yes & meant and missing and not yes & ~meant:
        verdict = _verdict(predicate, missing, claim.word, "is not true on all of that generation")
        yield replace(verdict, level=Level.NOTE)


def _true(predicate: Predicate, bench: Bench) -> int:
    """Where the predicate is true; where it may be either counts only if the hardware makes it false somewhere."""
    everywhere = nvidia(bench)
    proven = predicate.proven & everywhere
    if proven and proven != everywhere:
        return proven
    told = predicate.false & ~predicate.true & everywhere
    return predicate.true & everywhere & (bench.everyone if told else ~predicate.false)


def _newer(mask: int, bench: Bench) -> int:
    """The architectures of NVIDIA's that come after all of `mask`."""
    return nvidia(bench) & ~((1 << mask.bit_length()) - 1)


def _verdict(predicate: Predicate, wrong: int, value: str, reason: str) -> Verdict:
    return Verdict(
        predicate.place,
        wrong,
        wrong & ~(predicate.true & predicate.false),
        "the name says otherwise",
        {"symbol": predicate.name, "value": value, "reason": reason},
        predicate.name,
        None,
        predicate.trace,
    )


def _without_feature(predicate: Predicate, bench: Bench) -> Iterator[Verdict]:
    """`has_wgmma` is true on architectures that do not have it."""
    claim = next((one for one in claims_of(predicate.name) if one.kind is ClaimKind.FEATURE), None)
    if claim is None or _FEATURE_ONLY.fullmatch(predicate.name) is None:
        return
    yes, meant = _true(predicate, bench), covered(claim, bench) & nvidia(bench)
    wrong = yes & ~meant & _newer(yes & meant, bench) if yes & meant else 0
    if wrong:
        yield _verdict(predicate, wrong, claim.word, "is true on newer ones, too, which do not have it")


def _of_other_lines(predicate: Predicate, bench: Bench) -> Iterator[Verdict]:
    """`is_cdna3` is true on what AMD sells in another line: on that alone, or besides."""
    lines = amd_lines(predicate.name)
    if not lines or _AMD_ONLY.fullmatch(predicate.name) is None or _OR_NEWER.search(predicate.name):
        return
    meant = others = 0
    for bit, row in enumerate(bench.architectures):
        if row.vendor is Vendor.AMD:
            inside = row.generation.upper().startswith(lines)
            meant, others = meant | (inside << bit), others | ((not inside) << bit)
    yes = predicate.proven & (meant | others)
    wrong = yes & others
    if not wrong and yes & meant:
        missing = sum(
            1 << bit
            for bit, row in enumerate(bench.architectures)
            if (meant & predicate.false & ~predicate.true & bench.older_than(yes)) >> bit & 1 and row.products
        )
        if missing:
            verdict = _verdict(predicate, missing, listed(lines), "is not true on the older ones of that line")
            yield replace(verdict, level=Level.NOTE)
    if not wrong or yes == meant | others:
        return
    alone = not yes & meant
    wrong |= meant & predicate.false & ~predicate.true if alone else 0
    reason = "is true on others alone" if alone else "is true on others too"
    verdict = _verdict(predicate, wrong, listed(lines), reason)
    yield verdict if alone else replace(verdict, level=Level.NOTE)


def _two_meanings(seen: Sequence[Observation], bench: Bench) -> Iterator[Verdict]:
    """A function of this file that has the name of one in another file, and a narrower or other meaning."""
    for predicate in seen:
        if not isinstance(predicate, Predicate) or not _is_plain(predicate):
            continue
        others = [
            other
            for _, observations in sorted(bench.observations.items())
            for other in observations
            if isinstance(other, Predicate) and other.name == predicate.name and _is_plain(other)
        ]
        other = max(others, key=lambda each: _true(each, bench).bit_count())
        differ = _true(predicate, bench) ^ _true(other, bench)
        if differ and _true(predicate, bench) and _true(other, bench):
            here = listed(bench.all_names(_true(predicate, bench)))
            there = listed(bench.all_names(_true(other, bench)))
            yield _verdict(predicate, differ, f"one thing in {other.place.path} ({there})", f"another here ({here})")


def _two_conditions(seen: Sequence[Observation], bench: Bench) -> Iterator[Verdict]:
    """A module's flag is true on architectures on which another module's flag of the same name is not."""
    for flag in seen:
        if not isinstance(flag, Predicate) or flag.kind != "flag":
            continue
        here = _true(flag, bench)
        for path, observations in sorted(bench.observations.items()):
            other = next((one for one in observations if _is_namesake(one, flag)), None)
            there = _true(other, bench) if isinstance(other, Predicate) else 0
            if other is not None and path != flag.place.path and there and here & ~there and not there & ~here:
                said, elsewhere = listed(bench.all_names(here)), listed(bench.all_names(there))
                verdict = _verdict(flag, here & ~there, f"one thing in {path} ({elsewhere})", f"is more here ({said})")
                yield replace(verdict, level=Level.NOTE)
                break


def _is_namesake(other: Observation, flag: Predicate) -> bool:
    return isinstance(other, Predicate) and other.kind == "flag" and other.name == flag.name


def _is_plain(predicate: Predicate) -> bool:
    """True for a module's function that answers a question about one generation."""
    return (
        predicate.kind == "function"
        and "." not in predicate.place.symbol
        and _claim(predicate.name) is not None
        and _NAME_ONLY.fullmatch(predicate.name) is not None
    )
