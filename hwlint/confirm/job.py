"""Turn a finding, one of its fixes and an architecture into a job that runs anywhere: files and a program, as data."""

from __future__ import annotations

import ast
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hwlint.confirm.closure import TooLarge, import_closure
from hwlint.confirm.driver import Driver, write_driver
from hwlint.confirm.edits import Edited, Text, apply_edits
from hwlint.confirm.expect import expected_failure, span_in
from hwlint.confirm.layout import Layout
from hwlint.confirm.locate import expression_in
from hwlint.confirm.project import Project, parents
from hwlint.confirm.slicing import Slice, cut
from hwlint.model.architecture import Architecture
from hwlint.model.errors import UsageError
from hwlint.model.finding import Edit, Finding, Fix
from hwlint.model.span import Span

_FACTS = ("limits.", "isa.")


@dataclass(slots=True)
class Blobs:
    """What the jobs of one run share: file contents by hash, and what was read of the project on the way."""

    contents: dict[str, bytes] = field(default_factory=dict)
    overlay: Mapping[str, str] = field(default_factory=dict)
    """Texts that stand in for files of the project: fixes that are applied in memory only."""
    _projects: dict[tuple[Path, Layout], Project] = field(default_factory=dict)
    _closures: dict[tuple[Path, Layout, tuple[str, ...]], dict[str, bytes] | TooLarge] = field(default_factory=dict)

    def project(self, root: Path, layout: Layout) -> Project:
        """Return the project as it is before the edits, read once."""
        return self._projects.setdefault((root, layout), Project(root, layout, self.overlay))

    def closure(self, project: Project, paths: Sequence[str]) -> dict[str, bytes] | TooLarge:
        """Return the files that `paths` can import, as they are before the edits."""
        key = (project.root, project.layout, tuple(paths))
        if key not in self._closures:
            self._closures[key] = import_closure(self.project(project.root, project.layout), paths)
        return self._closures[key]

    def add(self, content: bytes) -> str:
        """Store a content and return its hash."""
        digest = hashlib.sha256(content).hexdigest()
        self.contents[digest] = content
        return digest


@dataclass(frozen=True, slots=True)
class JobProbe:
    """A probe as a job carries it; `before` runs it on the unedited tree too, `whole_class` keeps the whole class."""

    name: str
    source: bytes
    options: Mapping[str, str]
    before: bool = False
    whole_class: bool = False


def fix_fingerprint(finding: Finding, fix: Fix) -> str:
    """Return a hash of what the fix does to which finding; it survives line shifts."""
    where = finding.fingerprint or "|".join((finding.rule, finding.span.path, finding.symbol, finding.table))
    edits = sorted((edit.span.path, edit.text) for edit in fix.edits)
    return hashlib.sha256(json.dumps([where, fix.title, edits]).encode()).hexdigest()[:32]


def make_job(
    finding: Finding,
    fix: Fix,
    architecture: Architecture,
    root: Path,
    blobs: Blobs,
    *,
    together: Sequence[Edit] = (),
    probe: JobProbe | None = None,
    origins: Sequence[Mapping[str, object]] = (),
    given: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """Return the job as JSON data (read by `children/runner.py`); its files go into `blobs`.

    `together` are edits of other fixes that are made along with this one. A job that cannot be run says so in
    `why_not_run` and has no versions.
    """
    job = _header(finding, fix, architecture, probe, blobs, origins)
    try:
        _fill(job, finding, [*fix.edits, *together], root, blobs, probe, dict(given or {}))
    except UsageError as error:
        job["why_not_run"] = str(error)
        job["versions"] = {}
    return job


def _header(
    finding: Finding,
    fix: Fix,
    architecture: Architecture,
    probe: JobProbe | None,
    blobs: Blobs,
    origins: Sequence[Mapping[str, object]],
) -> dict[str, Any]:
    fingerprint = fix_fingerprint(finding, fix)
    expected = expected_failure(finding, architecture)
    carried: dict[str, object] | None = None
    if probe is not None:
        carried = {"name": probe.name, "source": blobs.add(probe.source), "options": dict(probe.options)}
        carried["before"] = probe.before
    return {
        "id": f"{fingerprint[:16]}-{architecture.name}",
        "title": f"{finding.span.path}:{finding.span.line} {finding.rule} on {architecture.name}",
        "finding": {
            "rule": finding.rule,
            "path": finding.span.path,
            "line": finding.span.line,
            "symbol": finding.symbol,
            "outcome": finding.outcome,
            "message": finding.message,
            "fingerprint": finding.fingerprint,
        },
        "fix": {"title": fix.title, "donor": fix.donor, "safety": str(fix.safety), "fingerprint": fingerprint},
        "architecture": architecture_row(architecture),
        "expected": {"type": expected.type, "texts": list(expected.texts)},
        "probe": carried,
        "origins": [dict(origin) for origin in origins],
        "lookup_text": str(finding.facts.get("lookup_text", "")),
        "module": "",
        "inner": "",
        "versions": {},
        "assumed": [],
        "hashes": {"files": {}, "definitions": []},
    }


def architecture_row(architecture: Architecture) -> dict[str, Any]:
    """Return the catalogue row as the child scripts read it."""
    facts = {name: fact.value for name, fact in sorted(architecture.facts.items()) if name.startswith(_FACTS)}
    return {
        "name": architecture.name,
        "vendor": str(architecture.vendor),
        "capability": list(architecture.capability) if architecture.capability else None,
        "products": list(architecture.products[:1]),
        "facts": facts,
        "warp_size": facts.get("limits.warp_size") or 32,
    }


def _fill(
    job: dict[str, Any],
    finding: Finding,
    edits: Sequence[Edit],
    root: Path,
    blobs: Blobs,
    probe: JobProbe | None,
    given: dict[str, str],
) -> None:
    span = span_in(finding.facts.get("lookup_span")) or finding.span
    module = str(finding.facts.get("module") or "")
    plain = blobs.project(root, Layout()).source(span.path).text
    layout = Layout.of(span.path, module) if module else Layout.guess(root, span.path, plain)
    before = blobs.project(root, layout)
    changed: dict[str, Edited] = {}
    for path in sorted({edit.span.path for edit in edits}):
        source = before.source(path)
        changed[path] = apply_edits(source.text, [edit for edit in edits if edit.span.path == path])
    edited = {path: one.content for path, one in changed.items()}
    after = Project(root, layout, {**blobs.overlay, **edited})
    near = sorted({step.span.path for step in (*finding.trace, *finding.related)} | set(changed))
    start, end = Text.of(before.source(span.path).text).range_of(span)
    old = _version(before, blobs, span, (start, end), near, given, probe)
    if span.path in changed:
        start, end = changed[span.path].moved(start, end)
    new = _version(after, blobs, span, (start, end), near, given, probe, like=old.lookup)
    problems = sorted({*old.driver.problems, *new.driver.problems})
    job.update(module=before.module_of(span.path), inner=layout.inner, assumed=sorted(set(new.driver.assumed)))
    if problems and not (old.driver.at_import and new.driver.at_import):
        raise UsageError(f"the lookup cannot be replayed by itself: {'; '.join(problems)}")
    _add_versions(job, blobs, old, new, problems)
    job["hashes"] = _hashes(before, after, new, set(changed) | {span.path})


@dataclass(frozen=True, slots=True)
class _Version:
    """One side of the edit, ready to be run."""

    project: Project
    path: str
    lookup: str
    driver: Driver
    slice: Slice
    real: dict[str, bytes] | TooLarge


def _version(
    project: Project,
    blobs: Blobs,
    span: Span,
    where: tuple[int, int],
    near: Sequence[str],
    given: dict[str, str],
    probe: JobProbe | None,
    *,
    like: str = "",
) -> _Version:
    source = project.source(span.path)
    lookup = expression_in(source.tree, Text.of(source.text), *where, like=like)
    if lookup is None:
        raise UsageError(
            f"{span.path}:{span.line}: no expression stands where the finding points; check the file again"
        )
    driver = write_driver(project, span.path, lookup, near=near, given=given)
    roots = {path: set(names) for path, names in driver.roots.items()}
    if probe is not None and probe.whole_class:
        own = roots.setdefault(span.path, set())
        own |= {name.partition(".")[0] for name in own if "." in name}
    sliced = cut(project, span.path, sorted(roots.pop(span.path, set())), also=roots)
    paths = [span.path, *sorted(roots)]
    return _Version(project, span.path, ast.unparse(lookup), driver, sliced, _real(project, blobs, paths))


def _real(project: Project, blobs: Blobs, paths: Sequence[str]) -> dict[str, bytes] | TooLarge:
    """Return the files of the real module's copy, with the edited ones in place of theirs."""
    closure = blobs.closure(project, paths)
    if isinstance(closure, TooLarge):
        return closure
    sources = {path: project.find_source(path) for path in project.changed}
    return {**closure, **{path: one.encoded(one.text) for path, one in sources.items() if one is not None}}


def _add_versions(job: dict[str, Any], blobs: Blobs, old: _Version, new: _Version, problems: Sequence[str]) -> None:
    if isinstance(old.real, TooLarge):
        job["why_not_real"] = old.real.reason
    elif isinstance(new.real, TooLarge):
        job["why_not_real"] = new.real.reason
    else:
        job["versions"]["real"] = {
            "before": _carried(old, old.real, blobs),
            "after": _carried(new, new.real, blobs),
        }
    if not problems:
        job["versions"]["slice"] = {
            when: _carried(version, {path: text.encode() for path, text in version.slice.files.items()}, blobs)
            for when, version in (("before", old), ("after", new))
        }


def _carried(version: _Version, contents: Mapping[str, bytes], blobs: Blobs) -> dict[str, Any]:
    """Return one version as data; every folder becomes a package, so that no installed one comes before the copy."""
    layout = version.project.layout
    files = {layout.placed(path): blobs.add(content) for path, content in sorted(contents.items())}
    for path in list(files):
        for folder in parents(path):
            if folder != layout.inner:
                files.setdefault(f"{folder}/__init__.py", blobs.add(b""))
    return {
        "files": files,
        "driver": [{"name": part.name, "module": part.module, "source": part.source} for part in version.driver.parts],
        "lookup": {
            "path": layout.placed(version.path),
            "line": version.driver.line,
            "end_line": version.driver.end_line,
        },
    }


def _hashes(before: Project, after: Project, new: _Version, paths: set[str]) -> dict[str, Any]:
    """Return the hashes by which a record goes stale: the files concerned, and the definitions that were run."""
    files: dict[str, dict[str, str]] = {}
    for path in sorted(paths | set(new.slice.files)):
        old, edited = before.find_source(path), after.find_source(path)
        if old is None or edited is None:
            continue
        pair = [one.encoded(one.text) for one in (old, edited)]
        files[path] = {
            when: hashlib.sha256(raw).hexdigest() for when, raw in zip(("before", "after"), pair, strict=True)
        }
    definitions = [[found.path, found.name, found.sha256] for found in new.slice.definitions]
    return {"files": files, "definitions": definitions}
