"""Write records as text for a terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from pathlib import Path

from hwlint.confirm.device import Here
from hwlint.confirm.limits import Difference
from hwlint.confirm.record import Freshness, Record, by_fix, freshness
from hwlint.confirm.verdict import Verdict
from hwlint.hardware.table import load

_NOTHING_TO_RUN = (
    "No fix to confirm: none is offered for what `hwlint check` reports here. A fix that is made already is no longer "
    "offered; `hwlint fix --confirm` runs each before it is made."
)
_HOLES = ("\0before", "\0after", "\0name")
_IN_NUMBER = ((f"no {_HOLES[-1]} here", "none of these is here"), ("patched to it:", "patched to each:"))
"""What a verdict says of one architecture, and how it is said of several."""
_LEAST_WIDTH = 40
_WITHOUT_DEVICE = (Verdict.SIMULATED, Verdict.COMPILED)
_ELSEWHERE = "What no device here could show, `hwlint confirm --export jobs.zip` takes to one that can."


def as_text(
    records: Sequence[Record], root: Path, *, here: Here | None, differences: Sequence[Difference], width: int
) -> str:
    """Return the records by fix, then what devices there are and what could not be shown; ends with a newline.

    Architectures of which a fix's records say the same share a line; lines are broken to `width` columns.
    """
    lines: list[str] = []
    for group in by_fix(records).values():
        first = group[0]
        lines.append(
            f"{first['finding']['path']}:{first['finding']['line']} {first['finding']['rule']} {first['fix']['title']}"
        )
        for alike in _alike(group, root):
            lines += _records(alike, root)
        lines.append("")
    if here is not None:
        lines += _devices(here)
    lines += [f"The catalogue and a device disagree: {found}." for found in differences]
    lines.append(_summary(records, ran=here is not None))
    return "".join(f"{row}\n" for line in lines for row in _broken(_printable(line), max(width, _LEAST_WIDTH)))


def _alike(records: Sequence[Record], root: Path) -> list[list[Record]]:
    """Put the records together that say the same of several architectures, by how far it has been shown."""
    groups: dict[object, list[Record]] = {}
    for record in records:
        device = record["device"]["name"] if record["device"] else ""
        key = (
            record["verdict"],
            device,
            freshness(root, record) is Freshness.STALE,
            _template(record),
            (record["mode"], record["why_not_real"], *record["assumed"], None, *record["not_shown"]),
        )
        groups.setdefault(key, []).append(record)
    places = {arch.name: place for place, arch in enumerate(load().architectures)}
    return [sorted(group, key=lambda one: places.get(one["architecture"], len(places))) for group in groups.values()]


def _template(record: Record) -> str:
    """The reason with a hole for each part that differs from one architecture to the next."""
    reason = str(record["reason"])
    for hole, text in zip(_HOLES, _parts(record), strict=True):
        if text:
            reason = reason.replace(text, hole)
    return reason


def _parts(record: Record) -> tuple[str, str, str]:
    """What fills the holes: what happened before the edit, what after it, and the architecture's name."""
    before, after = ((record[when] or {}).get("text") or "" for when in ("before", "after"))
    return str(before), f"it gives {after}" if after else "", str(record["architecture"])


def _reason(records: Sequence[Record]) -> str:
    """What records that are alike say together; what differs is told with its architectures."""
    if len(records) == 1:
        return str(records[0]["reason"])
    names = [str(record["architecture"]) for record in records]
    reason = _template(records[0])
    for one, several in _IN_NUMBER:
        reason = reason.replace(one, several)
    for number, hole in enumerate(_HOLES[:-1]):
        told: dict[str, list[str]] = {}
        for name, record in zip(names, records, strict=True):
            told.setdefault(_parts(record)[number], []).append(name)
        texts = list(told) if len(told) == 1 else [f"{text} ({', '.join(some)})" for text, some in told.items()]
        reason = reason.replace(hole, ", ".join(texts))
    return reason.replace(_HOLES[-1], f"{', '.join(names[:-1])} or {names[-1]}")


def _records(records: Sequence[Record], root: Path) -> list[str]:
    record = records[0]
    old = " (stale: what it ran has changed)" if freshness(root, record) is Freshness.STALE else ""
    device = f" on {record['device']['name']}" if record["device"] else ""
    names = ", ".join(str(one["architecture"]) for one in records)
    lines = [f"  {names} {record['verdict']}{device}{old}: {_reason(records)}"]
    if record["mode"] == "slice" and record["why_not_real"]:
        lines.append(f"    by the slice of definitions it depends on, since {record['why_not_real']}")
    lines += [f"    taken for granted: {assumed}" for assumed in record["assumed"]]
    lines += [f"    not shown: {what}" for what in record["not_shown"]]
    return lines


def _devices(here: Here) -> list[str]:
    versions = [f"torch {here.torch}" if here.torch else "no torch", f"Python {here.python}"]
    if here.driver:
        versions.append(f"driver {here.driver}")
    if not here.devices:
        asked = "; ".join(here.asked)
        return [f"No GPU here ({asked})."]
    return [
        f"Device {one.index}: {one.name}, "
        + (one.gcn or f"compute capability {'.'.join(map(str, one.capability))}")
        + f" ({', '.join(versions)})"
        for one in here.devices
    ]


def _summary(records: Sequence[Record], *, ran: bool) -> str:
    """Return the counts, and what to do next where there is nothing or where no device took part."""
    if not records:
        return _NOTHING_TO_RUN if ran else "No record is kept here; `hwlint confirm` makes them."
    verdicts = [Verdict(record["verdict"]) for record in records]
    counts = [(verdict, verdicts.count(verdict)) for verdict in reversed(Verdict)]
    counted = ", ".join(f"{count} {verdict}" for verdict, count in counts if count) + "."
    return f"{counted} {_ELSEWHERE}" if ran and any(one in _WITHOUT_DEVICE for one in verdicts) else counted


def _broken(line: str, width: int) -> list[str]:
    indent = line[: len(line) - len(line.lstrip())]
    rest = f"{indent}    "
    return textwrap.wrap(line, width, subsequent_indent=rest, break_long_words=False, break_on_hyphens=False) or [""]


def _printable(line: str) -> str:
    """Escape control characters: a record may hold what hostile code printed."""
    return "".join(letter if letter.isprintable() or letter == "\t" else repr(letter)[1:-1] for letter in line)
