"""Compare the matrix of today with the one of an earlier git revision."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from hwlint.model.matrix import Matrix
from hwlint.workflow.history import resolve, write_tree
from hwlint.workflow.matrix import matrix, since
from hwlint.workflow.settings import Settings


def matrix_since(
    paths: Sequence[Path], settings: Settings, revision: str, *, jobs: int | None = None, use_cache: bool = True
) -> Matrix:
    """Return the rows that are not as they were at `revision` (or at the commit where HEAD left it, for `REV...`).

    The sources of then are written to a temporary folder and read with today's settings; the user's tree is only read.
    Raises UsageError where there is no git, no repository or no such commit.
    """
    then = resolve(settings.root, revision)
    new = matrix(paths, settings, jobs=jobs, use_cache=use_cache)
    with tempfile.TemporaryDirectory(prefix="hwlint-since-") as scratch:
        root = write_tree(then, Path(scratch))

        def moved(path: Path) -> Path:
            return root / os.path.relpath(path, settings.root)

        asked = [place for place in map(moved, paths) if place.exists()]
        folders = tuple(folder for folder in map(moved, settings.folders) if folder.exists())
        earlier = replace(settings, root=root, folders=folders or (root,), baseline=None)
        old = matrix(asked, earlier, jobs=jobs, use_cache=False) if asked else replace(new, rows=())
    return since(new, old, then.shown)
