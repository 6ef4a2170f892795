"""Replace files so that each is always either the old one or the new one, whatever kills the run."""

from __future__ import annotations

import contextlib
import os
import re
import stat
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

from hwlint.model.report import Failure
from hwlint.source.read import Text, read

_PREFIX = ".hwlint-"
_SUFFIX = ".tmp"
_LEFTOVER = re.compile(rf"{re.escape(_PREFIX)}(\d+)-\w+{re.escape(_SUFFIX)}")
"""What a new file is called until it is renamed, with the process that writes it."""


@dataclass(frozen=True, slots=True)
class Replaced:
    """A file that now holds the new text."""

    path: str


@dataclass(frozen=True, slots=True)
class NotReplaced:
    """A file that was left as it was, and why."""

    path: str
    reason: str


def replace_text(root: Path, original: Text, new: str) -> Replaced | NotReplaced:
    """Put `new` into the file that `original` was read from, in the same encoding and with the same mode.

    `original.path` is relative to `root`. The file is left alone where `obstacle` names a reason. A link to a file
    within `root` stays a link, and its target is replaced. The new bytes are written to a file beside it, flushed to
    the disk and renamed over it.
    """
    place = _place(root, original, new)
    if isinstance(place, NotReplaced):
        return place
    try:
        _write(*place)
    except OSError as error:
        return NotReplaced(original.path, f"it cannot be replaced: {error.strerror or error}")
    return Replaced(original.path)


def obstacle(root: Path, original: Text, new: str) -> NotReplaced | None:
    """Return why `new` cannot be put into the file, as far as can be told without trying, or None.

    It has changed since it was read, it or a folder above it is a link that leads out of `root`, it or its folder is
    not writable, or its encoding has no bytes for `new`.
    """
    place = _place(root, original, new)
    return place if isinstance(place, NotReplaced) else None


def encoded(original: Text, new: str) -> bytes | NotReplaced:
    """Return `new` in the encoding of the file, with its byte order mark where it has one.

    Some encodings read different bytes as one character (cp932, ISO-2022-JP): a file that would not come back as it
    was is left alone, since bytes outside the edits would change.
    """
    try:
        data, again = original.to_bytes(new), original.to_bytes()
    except UnicodeEncodeError as error:
        character = error.object[error.start : error.start + 1]
        return NotReplaced(original.path, f"its encoding ({original.encoding}) has no bytes for {character!r}")
    if blake2b(again, digest_size=16).hexdigest() != original.digest:
        way = f"its encoding ({original.encoding}) writes some of its characters in other bytes than it has them"
        return NotReplaced(original.path, f"{way}; save it as UTF-8 first")
    return data


def _place(root: Path, original: Text, new: str) -> tuple[Path, bytes] | NotReplaced:
    """Return the real file to replace and its new bytes."""
    data = encoded(original, new)
    if isinstance(data, NotReplaced):
        return data
    target = _inside(root, original.path)
    if target is None:
        return NotReplaced(original.path, "it is, or lies behind, a symbolic link that leads out of the project")
    current = read(target.parent, target.name)
    if isinstance(current, Failure):
        return NotReplaced(original.path, current.message)
    if current.digest != original.digest:
        return NotReplaced(original.path, "it was changed by something else during the run; run hwlint fix again")
    if not os.access(target, os.W_OK):
        return NotReplaced(original.path, "it is not writable")
    if not os.access(target.parent, os.W_OK):
        return NotReplaced(original.path, "its folder is not writable, and a new file is made there first")
    return target, data


def clear_leftovers(root: Path, paths: Iterable[str]) -> None:
    """Remove the new files that killed runs left beside `paths` before they could rename them."""
    for folder in {target.parent for path in paths if (target := _inside(root, path)) is not None}:
        with contextlib.suppress(OSError):
            for file in folder.iterdir():
                found = _LEFTOVER.fullmatch(file.name)
                if found is not None and not _is_running(int(found.group(1))) and not file.is_symlink():
                    file.unlink()


def _is_running(process: int) -> bool:
    """Return whether a process is there, or may be: on Windows asking would send it a signal."""
    if os.name == "nt":
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True


def _inside(root: Path, path: str) -> Path | None:
    """Return the real file behind `path`, or None where it lies outside `root`."""
    try:
        base = root.resolve(strict=True)
        target = (root / path).resolve(strict=True)
    except (OSError, RuntimeError):
        return None
    return target if target.is_relative_to(base) else None


def _write(target: Path, data: bytes) -> None:
    status = target.stat()
    descriptor, name = tempfile.mkstemp(prefix=f"{_PREFIX}{os.getpid()}-", suffix=_SUFFIX, dir=target.parent)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(data)
            stream.flush()
            _copy_owner(descriptor, status)
            os.fchmod(descriptor, stat.S_IMODE(status.st_mode))
            os.fsync(descriptor)
        Path(name).replace(target)
    except BaseException:
        with contextlib.suppress(OSError):
            Path(name).unlink()
        raise
    _flush_folder(target.parent)


def _copy_owner(descriptor: int, status: os.stat_result) -> None:
    """Keep owner and group where the user may set them; elsewhere the new file is the user's, as with any editor."""
    mine = os.fstat(descriptor)
    if (mine.st_uid, mine.st_gid) != (status.st_uid, status.st_gid):
        with contextlib.suppress(OSError):
            os.fchown(descriptor, status.st_uid, status.st_gid)


def _flush_folder(folder: Path) -> None:
    """Make the renaming itself survive a power cut, where the file system can."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
