"""Remember from one start of the server to the next which files and names hardware values reach.

What is remembered may be out of date: it only serves looks at single files, which the next check of the whole project
corrects. It is JSON and holds nothing but texts.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
from collections.abc import Sequence
from pathlib import Path

from hwlint import __version__
from hwlint.graph.relevance import Relevance
from hwlint.model.codec import CodecError, dumps, loads
from hwlint.workflow.cache import SERVER_FILE, own_files
from hwlint.workflow.settings import Settings


def encoded(relevance: Relevance) -> str:
    """The relevance as JSON text."""
    return dumps({"files": relevance.files, "names": relevance.names, "local": dict(relevance.local)})


def decoded(text: str) -> Relevance | None:
    """What `encoded` wrote, or None for anything else."""
    try:
        found = loads(text)
    except CodecError:
        return None
    if not isinstance(found, dict):
        return None
    local = found.get("local")
    if not isinstance(local, dict):
        return None
    texts = [found.get("files"), found.get("names"), *local.values()]
    if not all(isinstance(each, frozenset) and all(isinstance(one, str) for one in each) for each in texts):
        return None
    return Relevance(found["files"], found["names"], local)


def mark(settings: Settings, files: Sequence[str]) -> str:
    """A text that is another when the project's files, their sizes or times, or hwlint itself are others."""
    digest = hashlib.blake2b(f"{__version__} {settings.root} {settings.origins!r}".encode(), digest_size=20)
    for part in own_files():
        digest.update(part.encode() + b"\0")
    for path in files:
        with contextlib.suppress(OSError):
            state = (settings.root / path).lstat()
            digest.update(f"{path}\0{state.st_size}\0{state.st_mtime_ns}\0".encode("utf-8", "surrogateescape"))
    return digest.hexdigest()


def load(settings: Settings, now: str) -> tuple[Relevance | None, bool]:
    """What an earlier run remembered of a project, and whether its mark was `now`; None where there is nothing."""
    try:
        text = (settings.cache_dir / SERVER_FILE).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return None, False
    then, _, rest = text.partition("\n")
    found = decoded(rest)
    return found, found is not None and then == now


def store(settings: Settings, mark: str, relevance: Relevance) -> None:
    """Remember; a folder that is missing, leads elsewhere or cannot be written only costs time at the next start."""
    folder = settings.cache_dir
    if folder.is_symlink() or not folder.is_dir():
        return
    with contextlib.suppress(OSError, CodecError):
        handle, name = tempfile.mkstemp(dir=folder, suffix=".tmp")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as out:
                out.write(f"{mark}\n{encoded(relevance)}")
            Path(name).replace(folder / SERVER_FILE)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
