"""Accept the findings a project has today by a file, so that only new ones count."""

from __future__ import annotations

import json
import os
import tempfile
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType

from hwlint.model.errors import SettingsError
from hwlint.model.finding import Finding, Suppression

SCHEMA = "hwlint-baseline/1"
_HOW = "write it again with `hwlint check --baseline FILE --write-baseline`"


@dataclass(frozen=True, slots=True)
class Entry:
    """One accepted finding; only `fingerprint` and `count` decide, the rest is for readers."""

    fingerprint: str
    count: int
    rule: str
    path: str
    symbol: str
    message: str


@dataclass(frozen=True, slots=True)
class Baseline:
    """The accepted findings by fingerprint; `path` is the file they came from, for messages."""

    path: Path
    entries: Mapping[str, Entry] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True, slots=True)
class Stale:
    """An accepted finding that occurs `missing` times fewer than the baseline says: it was mended, or it changed."""

    entry: Entry
    missing: int


def write(path: Path, findings: Iterable[Finding]) -> None:
    """Write the baseline of `findings` in one step; what a comment or the configuration silences is left out.

    The same findings give the same bytes. Raises SettingsError where the file cannot be written.
    """
    content = to_json(findings).encode("utf-8")
    try:
        descriptor, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    except OSError as error:
        raise _not_writable(path, error) from error
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(content)
        Path(temporary).chmod(_usual_mode(path))
        Path(temporary).replace(path)
    except OSError as error:
        Path(temporary).unlink(missing_ok=True)
        raise _not_writable(path, error) from error


def to_json(findings: Iterable[Finding]) -> str:
    """Return the baseline of `findings` as JSON text, one entry for each fingerprint, sorted by path and rule."""
    kept = [each for each in findings if each.suppressed is None or each.suppressed.kind == "baseline"]
    counts = Counter(each.fingerprint for each in kept)
    by_name = {each.fingerprint: each for each in sorted(kept, key=lambda each: each.span, reverse=True)}
    rows = [
        {
            "fingerprint": name,
            "count": counts[name],
            "rule": each.rule,
            "path": each.span.path,
            "symbol": each.symbol,
            "message": each.message,
        }
        for name, each in by_name.items()
    ]
    rows.sort(key=lambda row: (row["path"], row["rule"], row["symbol"], row["fingerprint"]))
    return json.dumps({"schema": SCHEMA, "findings": rows}, indent=2, ensure_ascii=False) + "\n"


def load(path: Path) -> Baseline:
    """Read a baseline; raises SettingsError where it is missing or broken, for one that hides nothing would mislead."""
    if path.exists() and not path.is_file():
        raise SettingsError(f"{path}: the baseline cannot be read: it is not a regular file")
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise SettingsError(f"{path}: there is no such baseline; {_HOW}") from None
    except (OSError, ValueError) as error:
        raise SettingsError(f"{path}: the baseline cannot be read: {error}") from error
    try:
        document = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise SettingsError(f"{path}: the baseline is not JSON ({error}); {_HOW}") from error
    if not isinstance(document, dict) or document.get("schema") != SCHEMA:
        raise SettingsError(f"{path}: not a baseline of this hwlint (its schema is not {SCHEMA!r}); {_HOW}")
    rows = document.get("findings")
    if not isinstance(rows, list):
        raise SettingsError(f"{path}: the baseline has no list `findings`; {_HOW}")
    entries = [_entry(path, number, row) for number, row in enumerate(rows)]
    return Baseline(path, MappingProxyType({entry.fingerprint: entry for entry in entries}))


def apply(
    findings: Iterable[Finding], baseline: Baseline, *, paths: Collection[str] | None = None
) -> tuple[list[Finding], list[Stale]]:
    """Mark the findings that the baseline accepts, in their order, and return what it accepts in vain.

    Of findings with the same fingerprint the first `count` are accepted. `paths` are the files that were judged (all
    where None): only in those can an entry be stale.
    """
    left = {name: entry.count for name, entry in baseline.entries.items()}
    marked = []
    for finding in findings:
        if left.get(finding.fingerprint, 0) > 0:
            left[finding.fingerprint] -= 1
            if finding.suppressed is None:
                finding = replace(finding, suppressed=Suppression("baseline", f"accepted in {baseline.path.name}"))
        marked.append(finding)
    stale = [
        Stale(entry, left[name])
        for name, entry in baseline.entries.items()
        if left[name] > 0 and (paths is None or entry.path in paths)
    ]
    return marked, sorted(stale, key=lambda each: (each.entry.path, each.entry.rule, each.entry.fingerprint))


def _entry(path: Path, number: int, row: object) -> Entry:
    """Check one row; a count that is missing is 1, other words for the reader may be missing."""
    if not isinstance(row, dict) or not isinstance(row.get("fingerprint"), str):
        raise SettingsError(f"{path}: findings[{number}] has no fingerprint; {_HOW}")
    count = row.get("count", 1)
    if not isinstance(count, int) or isinstance(count, bool) or count < 1:
        raise SettingsError(f"{path}: findings[{number}]: count is {count!r}, not a number from 1; {_HOW}")
    texts = [str(row.get(key, "")) for key in ("rule", "path", "symbol", "message")]
    return Entry(row["fingerprint"], count, *texts)


def _not_writable(path: Path, error: OSError) -> SettingsError:
    return SettingsError(f"{path}: the baseline cannot be written: {error.strerror or error}")


def _usual_mode(path: Path) -> int:
    """Return the mode the file has, or that a new file would get."""
    try:
        return path.stat().st_mode & 0o777
    except OSError:
        mask = os.umask(0)
        os.umask(mask)
        return 0o666 & ~mask
