"""Keep what a confirmation saw: one JSON file for each fix, architecture and device."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Any

from hwlint.confirm.render import definition_hashes
from hwlint.confirm.verdict import Verdict, judge, seen
from hwlint.model.errors import UsageError

SCHEMA = "hwlint-confirmation/1"
FOLDER = Path(".hwlint") / "confirmations"
_ELSEWHERE = "nothing was run; make it writable, or confirm a copy of the project"
_SHOWN_OUTPUT = 4000
"""Characters of a process's output that a record keeps."""
Record = dict[str, Any]


class Freshness(StrEnum):
    """How a record relates to the files as they are now."""

    FRESH = "fresh"
    """The files, or at least the definitions that the lookup depends on, are what was run after the edit."""
    NOT_APPLIED = "not-applied"
    """The files are what was run before the edit."""
    STALE = "stale"
    """Something that the lookup depends on has changed since."""


def records_of(results: Mapping[str, Any]) -> list[Record]:
    """Turn a results file into records, one for each job."""
    environment = {
        name: results.get("environment", {}).get(name) for name in ("python", "torch", "cuda", "driver", "triton")
    }
    environment["system"] = results.get("runner", {}).get("system")
    return [_record(result, environment) for result in results["results"]]


def _record(result: Mapping[str, Any], environment: Mapping[str, Any]) -> Record:
    job = result["job"]
    judged = judge(result)
    device = result.get("device")
    record: Record = {
        "schema": SCHEMA,
        "verdict": str(judged.verdict),
        "reason": judged.reason,
        "not_shown": list(judged.not_shown),
        "architecture": job["architecture"]["name"],
        "how": result["how"],
        "device": None if device is None else {name: device[name] for name in ("name", "capability", "uuid")},
        "environment": dict(environment),
        "finding": job["finding"],
        "fix": job["fix"],
        "mode": result.get("mode"),
        "why_not_real": result.get("why_not_real"),
        "assumed": job.get("assumed", []),
        "hashes": job["hashes"],
        "time": result["time"],
        "seconds": result.get("seconds"),
    }
    for when in ("before", "after", "probe_before", "probe", "compile"):
        record[when] = _outcome(result[when], when) if when in result else None
    return record


def _outcome(run: Mapping[str, Any], when: str) -> dict[str, Any]:
    answer, process = run["answer"] or {}, run["process"]
    if when == "compile":
        outcome = dict(answer) or {"kind": "broken", "text": process["output"][-_SHOWN_OUTPUT:]}
    else:
        outcome = seen(run)
        if when.startswith("probe") and "probe" in answer:
            outcome = dict(answer["probe"])
    outcome["output"] = process["output"][-_SHOWN_OUTPUT:]
    outcome["seconds"] = process["seconds"]
    outcome["left_behind"] = process["left_behind"]
    return outcome


def save(root: Path, records: Iterable[Record]) -> list[Path]:
    """Write records below `root`, each atomically; of the same fix, architecture and device the newest wins."""
    folder = place_for_records(root)
    written: list[Path] = []
    for record in records:
        path = folder / _name(record)
        known = _read(path)
        if known is not None and str(known.get("time")) > str(record["time"]):
            continue
        text = json.dumps(record, indent=1, sort_keys=True, ensure_ascii=False) + "\n"
        descriptor, part = tempfile.mkstemp(dir=folder, prefix=".record-")
        with os.fdopen(descriptor, "w", encoding="utf-8", errors="backslashreplace") as file:
            file.write(text)
        Path(part).replace(path)
        written.append(path)
    return written


def place_for_records(root: Path) -> Path:
    """Make the folder of the records below `root`; raises UsageError where they cannot be kept there.

    Whoever runs jobs asks first: what was seen would be lost.
    """
    folder = root / FOLDER
    if not folder.resolve().is_relative_to(root.resolve()):
        raise UsageError(f"{folder}: it leads out of the project; remove the link")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"{folder}: records cannot be kept there: {error.strerror}; {_ELSEWHERE}") from error
    if not os.access(folder, os.W_OK):
        raise UsageError(f"{folder}: records cannot be kept there: it is not writable; {_ELSEWHERE}")
    return folder


def load(root: Path) -> list[Record]:
    """Return every record below `root`, sorted; a file that is no record is passed over."""
    found = [_read(path) for path in sorted((root / FOLDER).glob("*.json"))]
    records = [record for record in found if record is not None]
    return sorted(records, key=lambda one: (one["finding"]["path"], one["finding"]["line"], _name(one)))


def freshness(root: Path, record: Record) -> Freshness:
    """Compare a record with the files below `root`."""
    files: Mapping[str, Mapping[str, str]] = record["hashes"]["files"]
    now = {path: _hash(root / path) for path in files}
    if all(now[path] == hashes["after"] for path, hashes in files.items()):
        return Freshness.FRESH
    if all(now[path] == hashes["before"] for path, hashes in files.items()):
        return Freshness.NOT_APPLIED
    return Freshness.FRESH if _definitions_stand(root, record["hashes"]["definitions"]) else Freshness.STALE


def confirmation(root: Path, records: Sequence[Record]) -> dict[str, Any] | None:
    """Return what the records of one fix say together, as `fixes[].confirmation`; None where there is none.

    `refuted` anywhere outweighs the rest; otherwise the verdict is the strongest one, and `on` names its architectures.
    Stale records count for nothing.
    """
    fresh = [record for record in records if freshness(root, record) is not Freshness.STALE]
    if not fresh:
        return {"verdict": str(Verdict.NOT_RUN), "reason": "every record is stale", "on": []} if records else None
    best = max((Verdict(record["verdict"]) for record in fresh), key=lambda verdict: verdict.rank)
    chosen = [record for record in fresh if record["verdict"] == best]
    return {
        "verdict": str(best),
        "reason": chosen[0]["reason"],
        "on": sorted({record["architecture"] for record in chosen}),
        "device": chosen[0]["device"],
        "architectures": {record["architecture"]: record["verdict"] for record in _strongest(fresh)},
        "records": fresh,
    }


def by_fix(records: Iterable[Record]) -> dict[str, list[Record]]:
    """Group records by the fingerprint of their fix."""
    groups: dict[str, list[Record]] = {}
    for record in records:
        groups.setdefault(record["fix"]["fingerprint"], []).append(record)
    return groups


def lacking(root: Path, fingerprints: Iterable[str]) -> dict[str, str]:
    """Return the applied fixes (by fingerprint) that no fresh record confirms, each with the reason."""
    known = by_fix(load(root))
    found: dict[str, str] = {}
    for fingerprint in fingerprints:
        fresh = [one for one in known.get(fingerprint, []) if freshness(root, one) is Freshness.FRESH]
        verdicts = {Verdict(one["verdict"]) for one in fresh}
        if Verdict.REFUTED in verdicts:
            found[fingerprint] = "a fresh record refutes it"
        elif not any(verdict.shown_on_device for verdict in verdicts):
            found[fingerprint] = (
                "no fresh record of a device confirms it" if known.get(fingerprint) else "it has no record"
            )
    return found


def _strongest(records: Sequence[Record]) -> list[Record]:
    """Return one record for each architecture, the one whose verdict outweighs."""
    best: dict[str, Record] = {}
    for record in records:
        other = best.get(record["architecture"])
        if other is None or Verdict(record["verdict"]).rank > Verdict(other["verdict"]).rank:
            best[record["architecture"]] = record
    return [best[name] for name in sorted(best)]


def _definitions_stand(root: Path, definitions: Sequence[Sequence[str]]) -> bool:
    present: dict[str, set[tuple[str, str]]] = {}
    for path, name, digest in definitions:
        if path not in present:
            try:
                present[path] = definition_hashes((root / path).read_text(encoding="utf-8"))
            except (OSError, UnicodeDecodeError):
                return False
        if (name, digest) not in present[path]:
            return False
    return bool(definitions)


def _name(record: Record) -> str:
    device = (record["device"] or {}).get("uuid") or ("unnamed" if record["device"] else str(record["how"]))
    raw = f"{record['fix']['fingerprint'][:16]}-{record['architecture']}-{device[:12]}"
    return "".join(letter if letter.isalnum() or letter in "-_" else "_" for letter in raw) + ".json"


def _read(path: Path) -> Record | None:
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    if not isinstance(record, dict) or record.get("schema") != SCHEMA:
        return None
    complete = all(name in record for name in ("verdict", "finding", "fix", "architecture", "hashes", "time", "device"))
    return record if complete and record["verdict"] in set(Verdict) else None


def _hash(path: Path) -> str:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:
        return ""
