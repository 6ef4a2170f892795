"""Remember which fixes were applied to a project, so that a later check can ask for their confirmation."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from hwlint.confirm.job import fix_fingerprint
from hwlint.model.errors import UsageError
from hwlint.model.finding import Finding, Fix
from hwlint.source.read import reader

SCHEMA = "hwlint-applied/1"
FILE = Path(".hwlint") / "applied.json"


@dataclass(frozen=True, slots=True, order=True)
class Applied:
    """One fix that was applied; `texts` are (path, text) of its edits."""

    path: str
    line: int
    rule: str
    title: str
    fingerprint: str
    texts: tuple[tuple[str, str], ...]


def note_applied(root: Path, fixes: Iterable[tuple[Finding, Fix]]) -> None:
    """Add fixes to the project's list, replacing the file atomically.

    Raises UsageError where the list cannot be written, or would be written outside the project.
    """
    known = {one.fingerprint: one for one in load_applied(root)}
    for finding, fix in fixes:
        texts = tuple((edit.span.path, edit.text) for edit in fix.edits)
        fingerprint = fix_fingerprint(finding, fix)
        known[fingerprint] = Applied(finding.span.path, finding.span.line, finding.rule, fix.title, fingerprint, texts)
    entries = [
        {
            "path": one.path,
            "line": one.line,
            "rule": one.rule,
            "title": one.title,
            "fingerprint": one.fingerprint,
            "texts": [list(pair) for pair in one.texts],
        }
        for one in sorted(known.values())
    ]
    text = json.dumps({"schema": SCHEMA, "applied": entries}, indent=1) + "\n"
    folder = (root / FILE).parent
    if not folder.resolve().is_relative_to(root.resolve()):
        raise UsageError(f"{folder}: it leads out of the project; remove the link")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        descriptor, part = tempfile.mkstemp(dir=folder, prefix=".applied-")
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
        Path(part).replace(root / FILE)
    except OSError as error:
        raise UsageError(f"{root / FILE}: cannot be written: {error.strerror}") from error


def load_applied(root: Path) -> tuple[Applied, ...]:
    """Return the applied fixes whose text still stands in its file; raises UsageError for a file that is no list."""
    path = root / FILE
    if not path.exists():
        return ()
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        found = [
            Applied(
                str(entry["path"]),
                int(entry["line"]),
                str(entry["rule"]),
                str(entry["title"]),
                str(entry["fingerprint"]),
                tuple((str(where), str(text)) for where, text in entry["texts"]),
            )
            for entry in document["applied"]
        ]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UsageError(f"{path}: it does not hold a list of applied fixes ({error}); delete it") from error
    return tuple(sorted(one for one in found if _stands(root, one)))


def _stands(root: Path, applied: Applied) -> bool:
    """True where every text that the fix put there is still there; what was taken back needs no confirmation."""
    text_of = reader(root)
    contents = ((text_of(path), text.strip()) for path, text in applied.texts)
    return all(content is not None and text in content for content, text in contents)
