"""Write records as text for a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from hwlint.confirm.device import Here
from hwlint.confirm.limits import Difference
from hwlint.confirm.record import Freshness, Record, by_fix, freshness
from hwlint.confirm.verdict import Verdict

_NOTHING_TO_RUN = (
    "No fix to confirm: none is offered for what `hwlint check` reports here. A fix that is made already is no longer "
    "offered; `hwlint fix --confirm` runs each before it is made."
)
_WITHOUT_DEVICE = (Verdict.SIMULATED, Verdict.COMPILED)
_ELSEWHERE = "What no device here could show, `hwlint confirm --export jobs.zip` takes to one that can."


def as_text(records: Sequence[Record], root: Path, *, here: Here | None, differences: Sequence[Difference]) -> str:
    """Return the records by fix, then what devices there are and what could not be shown; ends with a newline."""
    lines: list[str] = []
    for group in by_fix(records).values():
        first = group[0]
        lines.append(
            f"{first['finding']['path']}:{first['finding']['line']} {first['finding']['rule']} {first['fix']['title']}"
        )
        for record in group:
            lines += _record(record, root)
        lines.append("")
    if here is not None:
        lines += _devices(here)
    lines += [f"The catalogue and a device disagree: {found}." for found in differences]
    lines.append(_summary(records, ran=here is not None))
    return "\n".join(map(_printable, lines)) + "\n"


def _record(record: Record, root: Path) -> list[str]:
    old = " (stale: what it ran has changed)" if freshness(root, record) is Freshness.STALE else ""
    device = f" on {record['device']['name']}" if record["device"] else ""
    lines = [f"  {record['architecture']} {record['verdict']}{device}{old}: {record['reason']}"]
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


def _printable(line: str) -> str:
    """Escape control characters: a record may hold what hostile code printed."""
    return "".join(letter if letter.isprintable() or letter == "\t" else repr(letter)[1:-1] for letter in line)
