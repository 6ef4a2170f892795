"""Tell the findings that a change introduced from those that were there before it."""

from __future__ import annotations

import os
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from hwlint.judge.fingerprint import with_fingerprints
from hwlint.model.finding import Finding, Level, Suppression
from hwlint.model.report import Report
from hwlint.source.read import Text, read
from hwlint.workflow.check import check
from hwlint.workflow.history import resolve, write_tree
from hwlint.workflow.settings import Settings

_ALIKE = 0.5
"""A file that is new and one that is gone are taken for the same, renamed, from this share of common lines."""


def only_introduced(
    report: Report, paths: Sequence[Path], settings: Settings, rev: str, *, jobs: int | None = None
) -> Report:
    """Mark the findings of `report` that were there at `rev` already as suppressed; what is left the change introduced.

    `rev` is any name of a commit, or `REV...` for the commit where the current branch left REV. The sources as of then
    are written to a temporary folder, from git's own store, and checked with today's settings and rules; the user's
    tree is only read. A finding was there if one of the same rule, file, symbol and table covered its architectures;
    a renamed file counts as the same. Raises UsageError where there is no git, no repository or no such commit.
    """
    revision = resolve(settings.root, rev)
    if not any(finding.suppressed is None for finding in report.findings):
        return report
    with tempfile.TemporaryDirectory(prefix="hwlint-since-") as scratch:
        old_root = write_tree(revision, Path(scratch))
        old = _check_old(paths, settings, old_root, jobs)
        earlier = _renamed(
            old.findings, _renames(report, settings.root, old_root, {one.span.path for one in old.findings})
        )
    return _marked(report, earlier, f"there already at {revision.shown}")


def _check_old(paths: Sequence[Path], settings: Settings, old_root: Path, jobs: int | None) -> Report:
    """Check what the paths were at the revision; those that were not there are left out."""

    def moved(path: Path) -> Path:
        return old_root / os.path.relpath(path, settings.root)

    folders = tuple(folder for folder in map(moved, settings.folders) if folder.exists())
    asked = [path for path in map(moved, paths) if path.exists()]
    then = replace(settings, root=old_root, folders=folders or (old_root,), baseline=None, per_file_ignores={})
    if not asked:
        asked, then = [old_root], replace(then, exclude=("*",), force_exclude=True)
    return check(asked, then, jobs=jobs, use_cache=False)


def _marked(report: Report, earlier: Sequence[Finding], reason: str) -> Report:
    """Mark each finding that one of `earlier` accounts for: the same fingerprint first, then wider architectures."""
    known = Counter(finding.fingerprint for finding in earlier)
    wider: dict[tuple[str, ...], list[set[str]]] = {}
    seen = Counter(finding.fingerprint for finding in report.findings)
    for finding in earlier:
        if seen[finding.fingerprint] > 0:
            seen[finding.fingerprint] -= 1
        else:
            wider.setdefault(_what(finding), []).append(set(finding.targets))
    found = []
    for finding in report.findings:
        if known[finding.fingerprint] > 0:
            known[finding.fingerprint] -= 1
            there = True
        else:
            there = any(set(finding.targets) <= targets for targets in wider.get(_what(finding), ()))
        if there and finding.suppressed is None:
            finding = replace(finding, suppressed=Suppression("since", reason))
        found.append(finding)
    counts = {level: sum(one.level is level and one.suppressed is None for one in found) for level in Level}
    summary = replace(report.summary, error=counts[Level.ERROR], warning=counts[Level.WARNING], note=counts[Level.NOTE])
    return replace(report, findings=tuple(found), summary=summary)


def _what(finding: Finding) -> tuple[str, ...]:
    return finding.rule, finding.span.path, finding.symbol, finding.table


def _renames(report: Report, root: Path, old_root: Path, old_paths: set[str]) -> dict[str, str]:
    """Map the files that are gone and had findings to the new files that hold most of their lines."""
    gone = sorted(path for path in old_paths if not (root / path).exists())
    fresh = sorted({one.span.path for one in report.findings if not (old_root / one.span.path).exists()})
    before = {path: _lines(old_root, path) for path in gone}
    found: dict[str, str] = {}
    for path in fresh:
        now = _lines(root, path)
        alike = max(((_share(now, lines), old) for old, lines in before.items() if old not in found), default=(0.0, ""))
        if alike[0] >= _ALIKE:
            found[alike[1]] = path
    return found


def _lines(root: Path, path: str) -> Counter[str]:
    content = read(root, path)
    text = content.text if isinstance(content, Text) else ""
    return Counter(line.strip() for line in text.splitlines() if line.strip())


def _share(one: Counter[str], other: Counter[str]) -> float:
    return 2 * (one & other).total() / ((one.total() + other.total()) or 1)


def _renamed(findings: Sequence[Finding], renames: Mapping[str, str]) -> list[Finding]:
    """The findings as if their files had today's names."""
    if not renames:
        return list(findings)
    return with_fingerprints(
        replace(one, span=replace(one.span, path=renames.get(one.span.path, one.span.path))) for one in findings
    )
