"""Judge lists of exact targets: one member of a family is missing where other families are complete."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from hwlint.judge.verdict import Bench, Verdict
from hwlint.model.architecture import Architecture, Vendor
from hwlint.model.observation import BuildList, Observation

_MATES = 2
_EARLIEST = 10
_ADMITS = {"admits": True}
"""The list says who is let in; nothing is built from it."""


def gaps(seen: Sequence[Observation], bench: Bench) -> Iterator[Verdict]:
    """A list names the members of one family one by one, and leaves out a member of another that it names, too.

    Only what could be built for when the newest entry could is missed.
    """
    for built in seen:
        if isinstance(built, BuildList) and built.what == "exact":
            yield from _kin(built, bench)
        if not isinstance(built, BuildList) or built.what != "members":
            continue
        numbers = {int(entry.rstrip("a")) for entry in built.entries}
        suffix = "a" if any(entry.endswith("a") for entry in built.entries) else ""
        families = Counter(number // 10 for number in numbers if number // 10 >= _EARLIEST)
        listed = [row for row in bench.architectures if _number(row) in numbers]
        newest = max((_first_toolkit(row, suffix) for row in listed), default=())
        out = 0
        for bit, row in enumerate(bench.architectures):
            number = _number(row)
            if number is None or number in numbers or not row.products or not families[number // 10]:
                continue
            complete = any(size >= _MATES for family, size in families.items() if family != number // 10)
            if complete and () < _first_toolkit(row, suffix) <= newest:
                out |= 1 << bit
        if out:
            missing = [f"{_number(row)}{suffix}" for row in bench.rows(out)]
            yield Verdict(
                built.place,
                out,
                0,
                "not a member",
                {"table": built.words, "keys": ", ".join(built.entries), "missing": ", ".join(missing)},
                built.words,
                facts=_ADMITS,
            )


def _kin(built: BuildList, bench: Bench) -> Iterator[Verdict]:
    """Some of a generation are named one by one, and others that ship, newer than the first of them, are not."""
    numbers = {int(entry.replace(".", "")) for entry in built.entries}
    out = 0
    for bit, row in enumerate(bench.architectures):
        number = _number(row)
        if number is None or number in numbers or not row.products:
            continue
        if number // 10 in {each // 10 for each in numbers} and number > min(numbers):
            out |= 1 << bit
    if out:
        missing = [f"{number // 10}.{number % 10}" for row in bench.rows(out) if (number := _number(row))]
        fields = {"table": built.words, "keys": ", ".join(built.entries), "missing": ", ".join(missing)}
        yield Verdict(built.place, out, 0, "not a member", fields, built.words, facts=_ADMITS)


def _number(row: Architecture) -> int | None:
    if row.vendor is not Vendor.NVIDIA or row.capability is None:
        return None
    return row.capability[0] * 10 + row.capability[1]


def _first_toolkit(row: Architecture, suffix: str) -> tuple[int, ...]:
    """The first toolkit that builds for it; empty where that is not known."""
    found = row.fact("compiler_targets.a_first_toolkit" if suffix else "cuda.first_toolkit")
    return tuple(map(int, found.split("."))) if isinstance(found, str) and found[:1].isdigit() else ()
