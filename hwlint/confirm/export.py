"""Write jobs as one zip file that runs with nothing but a Python, and read the results that it writes."""

from __future__ import annotations

import json
import os
import tempfile
import zipfile
from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

from hwlint import __version__
from hwlint.confirm.job import Blobs
from hwlint.model.errors import UsageError

JOBS_SCHEMA = "hwlint-jobs/1"
RESULTS_SCHEMA = "hwlint-results/1"
_CHILDREN = ("supervise.py", "devices.py", "replay.py", "standin.py", "compile_kernel.py")
_EPOCH = (1980, 1, 1, 0, 0, 0)
_NEEDED = ("job", "how", "time")


def write_jobs(
    path: Path, jobs: Sequence[Mapping[str, Any]], blobs: Blobs, *, seconds: float, memory: int | None
) -> None:
    """Write the jobs file; the same jobs give the same bytes, and a killed run leaves no half-written file.

    Raises UsageError where it cannot be written, and for a file that is there and is no earlier jobs file.
    """
    if path.is_dir():
        raise UsageError(f"{path}: the jobs cannot be written there: it is a folder")
    if path.is_file() and not zipfile.is_zipfile(path) and path.stat().st_size:
        raise UsageError(f"{path}: is there already and is no file of jobs; give another name, or delete it first")
    head = {"schema": JOBS_SCHEMA, "hwlint": __version__, "seconds": seconds, "memory": memory, "jobs": list(jobs)}
    children = files("hwlint.confirm") / "children"
    members = {"__main__.py": (children / "runner.py").read_bytes()}
    members.update((name, (children / name).read_bytes()) for name in _CHILDREN)
    members["jobs.json"] = json.dumps(head, indent=1, sort_keys=True).encode()
    members.update((f"blobs/{digest}", content) for digest, content in blobs.contents.items())
    try:
        descriptor, part = tempfile.mkstemp(dir=path.parent, prefix=".hwlint-jobs-")
    except OSError as error:
        raise UsageError(f"{path}: the jobs cannot be written there: {error.strerror}") from error
    try:
        with os.fdopen(descriptor, "wb") as file, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            for name in sorted(members):
                archive.writestr(zipfile.ZipInfo(name, _EPOCH), members[name], zipfile.ZIP_DEFLATED)
        Path(part).replace(path)
    except BaseException:
        Path(part).unlink(missing_ok=True)
        raise


def read_results(path: Path) -> dict[str, Any]:
    """Return the results that a jobs file wrote; raises UsageError for anything else."""
    try:
        results = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror or error}; `python jobs.zip` writes it") from error
    except ValueError as error:
        raise UsageError(f"{path}: no results can be read from it ({error}); run `python jobs.zip` first") from error
    if not isinstance(results, dict) or results.get("schema") != RESULTS_SCHEMA:
        raise UsageError(f"{path}: it is not a results file ({RESULTS_SCHEMA}); it comes from `python jobs.zip`")
    entries = results.get("results")
    if not isinstance(entries, list) or not all(_is_entry(entry) for entry in entries):
        raise UsageError(f"{path}: an entry of the results is incomplete; run `python jobs.zip` again")
    return results


def _is_entry(entry: object) -> bool:
    return isinstance(entry, dict) and all(name in entry for name in _NEEDED) and isinstance(entry["job"], dict)
