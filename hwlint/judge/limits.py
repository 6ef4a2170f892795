"""Judge sizes against what the architectures have: shared memory of a block, warps of a multiprocessor."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from hwlint.hardware.claims import ClaimKind, claims_of, shared_kib
from hwlint.judge.amd_ranges import is_for_amd
from hwlint.judge.reached import covered, misled, nvidia
from hwlint.judge.spared import spared
from hwlint.judge.verdict import Bench, Verdict, listed
from hwlint.model.architecture import Architecture, Vendor
from hwlint.model.observation import Choice, Observation, Reach
from hwlint.model.rule import Rule

_KIB = 1024
_LEAST_BYTES = 16 * _KIB
"""A smaller number under such a name is no size in bytes, or fits everywhere."""
_MUCH_LESS = 0.65
"""A limit below this share of another makes a tile that fills the larger one too large for the smaller."""
_WARPS = re.compile(r"(?:max_)?(warps|threads)_per_(?:mp|sm|multiprocessor)", re.IGNORECASE)


def exceeds_limit(seen: Sequence[Observation], rule: Rule, bench: Bench) -> Iterator[Verdict]:
    """A size is more than an architecture has, or is taken over from architectures that have far more."""
    known = rule.params.get("shared_memory_words", [])
    words = [str(word) for word in known] if isinstance(known, list) else []
    choices = [choice for choice in seen if isinstance(choice, Choice)]
    told: set[tuple[str, str]] = set()
    for choice in choices:
        for verdict in (*_too_many_bytes(choice, words, bench), *_too_many_threads(choice, bench)):
            if (choice.place.symbol, choice.name) not in told or not choice.place.symbol:
                told.add((choice.place.symbol, choice.name))
                yield verdict
    yield from _put_with_larger(choices, bench)
    yield from _tuned_for_larger(seen, bench)
    yield from spared(seen, bench)


def _too_many_bytes(choice: Choice, words: Sequence[str], bench: Bench) -> Iterator[Verdict]:
    if not any(word in choice.name.lower() for word in words) or _is_read_off(choice, bench):
        return
    for_amd = is_for_amd(choice.place)
    for size, mask in choice.sizes:
        wrong, limits = 0, set()
        for bit, row in enumerate(bench.architectures):
            limit = shared_kib(row) if row.vendor is Vendor.AMD or not for_amd else None
            if mask >> bit & 1 and limit is not None and size > limit * _KIB and size >= _LEAST_BYTES:
                wrong |= 1 << bit
                limits.add(limit)
        if wrong:
            most = listed([f"{limit} KiB" for limit in sorted(limits)])
            reason = f"one block may have {most} of shared memory there"
            yield _verdict(choice, wrong, size, reason, bench, limit=max(limits))


def _is_read_off(choice: Choice, bench: Bench) -> bool:
    """True where the numbers are the multiprocessor's own: they were asked for and not chosen."""
    return all(
        size == (row.fact("limits.shared_mem_per_sm_kib") or 0) * _KIB
        for size, mask in choice.sizes
        for row in bench.rows(mask)
    )


def _too_many_threads(choice: Choice, bench: Bench) -> Iterator[Verdict]:
    found = _WARPS.fullmatch(choice.name)
    if found is None:
        return
    for size, mask in choice.sizes:
        wrong, limits = 0, set()
        for bit, row in enumerate(bench.architectures):
            threads = row.fact("limits.max_threads_per_sm")
            warp = row.fact("limits.warp_size") or 32
            if not mask >> bit & 1 or not isinstance(threads, int):
                continue
            most = threads // warp if found[1].lower() == "warps" else threads
            if size > most:
                wrong |= 1 << bit
                limits.add(most)
        if wrong:
            numbers = listed([str(limit) for limit in sorted(limits)])
            yield _verdict(choice, wrong, size, f"a multiprocessor holds {numbers} {found[1].lower()} there", bench)


def _verdict(choice: Choice, wrong: int, size: int, reason: str, bench: Bench, *, limit: int | None = None) -> Verdict:
    """Say what is too large; `limit` is how many KiB of shared memory a block may have, where that is the question."""
    return Verdict(
        choice.place,
        wrong,
        choice.certain & wrong,
        f"{choice.name} is {size}",
        {"evidence": f"`{choice.name}` is {size}", "reason": reason},
        choice.name,
        None,
        choice.trace,
        why=tuple((name, f"`{choice.name}` is {size}") for name in bench.names(wrong)),
        facts={} if limit is None else {"limit": limit},
    )


def _put_with_larger(choices: Sequence[Choice], bench: Bench) -> Iterator[Verdict]:
    """A tile is larger than on an older architecture with the same limit, and the same as where there is far more."""
    by_function: dict[str, dict[str, list[Choice]]] = {}
    for choice in choices:
        if choice.tiled:
            by_function.setdefault(choice.place.symbol, {}).setdefault(choice.name, []).append(choice)
    for names in by_function.values():
        sizes = {name: _by_architecture(group, bench) for name, group in names.items()}
        told = 0
        for name, group in sorted(names.items(), key=lambda item: item[1][0].place.span):
            wrong, like, than = _misplaced(name, sizes, bench)
            first = next((choice for choice in group if any(mask & wrong for _, mask in choice.sizes)), None)
            if first is None or not wrong & ~told:
                continue
            told |= wrong
            own = sizes[name]
            have = shared_kib(bench.rows(wrong)[0])
            reason = (
                f"as on {_described(like)}, but a block has {have} KiB of shared memory there, no more than on "
                f"{_described(than)}, where it is {own[bench.architectures.index(than)]}"
            )
            yield _verdict(first, wrong, own[wrong.bit_length() - 1], reason, bench)


def _by_architecture(group: Sequence[Choice], bench: Bench) -> dict[int, int]:
    """The one size on each architecture; those with several are left out."""
    found: dict[int, set[int]] = {}
    for choice in group:
        for size, mask in choice.sizes:
            for bit in range(len(bench.architectures)):
                if mask >> bit & 1 and nvidia(bench) >> bit & 1:
                    found.setdefault(bit, set()).add(size)
    return {bit: next(iter(sizes)) for bit, sizes in found.items() if len(sizes) == 1}


def _misplaced(name: str, sizes: dict[str, dict[int, int]], bench: Bench) -> tuple[int, Architecture, Architecture]:
    """The architectures that have a larger size than their limit's older holders, with one that has it rightly."""
    own = sizes[name]
    wrong = 0
    like = than = bench.architectures[0]
    for bit, size in own.items():
        limit = shared_kib(bench.architectures[bit])
        if limit is None:
            continue
        larger = [b for b, other in own.items() if other == size and _ratio(limit, b, bench) < _MUCH_LESS]
        equal = [b for b, other in own.items() if b < bit and other < size and 0.9 < _ratio(limit, b, bench) <= 1.1]
        if not larger or not equal:
            continue
        kin = equal[-1]
        if any(others.get(bit, 0) < others.get(kin, 0) for label, others in sizes.items() if label != name):
            continue
        wrong |= 1 << bit
        like, than = bench.architectures[larger[0]], bench.architectures[kin]
    return wrong, like, than


def _ratio(limit: int, bit: int, bench: Bench) -> float:
    other = shared_kib(bench.architectures[bit])
    return limit / other if other else float("inf")


def _described(row: Architecture) -> str:
    return f"{row.name} ({shared_kib(row)} KiB)"


def _tuned_for_larger(seen: Sequence[Observation], bench: Bench) -> Iterator[Verdict]:
    """A table or function named after a product is used where a block has far less shared memory."""
    told: set[tuple[str, str]] = set()
    for reach in seen:
        if not isinstance(reach, Reach) or reach.how != "name":
            continue
        claim = next((claim for claim in claims_of(reach.text) if claim.kind is ClaimKind.PRODUCT), None)
        if claim is None or (reach.place.symbol, reach.text) in told:
            continue
        inside = covered(claim, bench)
        homes = [shared_kib(row) or 0 for row in bench.rows(inside)]
        home = min(homes, default=0)
        wrong = 0
        for bit, row in enumerate(bench.architectures):
            limit = shared_kib(row)
            if misled(reach.mask, inside, bench) >> bit & 1 and limit is not None and limit < home * _MUCH_LESS:
                wrong |= 1 << bit
        if wrong:
            told.add((reach.place.symbol, reach.text))
            least = listed([f"{limit} KiB" for limit in sorted({shared_kib(row) or 0 for row in bench.rows(wrong)})])
            yield Verdict(
                reach.place,
                wrong,
                reach.certain & wrong,
                f"{reach.text} is used",
                {
                    "evidence": f"`{reach.text}` is used",
                    "reason": f"a block has {least} of shared memory there, and {home} KiB on {claim.word}",
                },
                reach.text,
                None,
                reach.trace,
            )
