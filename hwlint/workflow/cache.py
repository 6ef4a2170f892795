"""Keep the reports of earlier runs, by the content of everything they depend on."""

from __future__ import annotations

import contextlib
import hashlib
import os
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from hwlint import __version__
from hwlint.model.codec import CodecError, dumps, loads
from hwlint.model.matrix import Matrix
from hwlint.model.report import Report
from hwlint.workflow.reads import IN_COMMENTS, basis_of
from hwlint.workflow.scope import Scope
from hwlint.workflow.settings import Settings

if TYPE_CHECKING:
    from hwlint.workflow.facts import Facts

MOST_RESULTS = 32
"""Results kept; the least recently written go first."""
MOST_FACTS = 4
"""Documents of facts kept: one for each choice of targets, and of files."""

SERVER_FILE = "server.json"
"""What the language server remembers lies here, in the cache's folder."""

_ABOUT = (
    "Signature: 8a477f597d28d172789f06886806bc55\n# This folder is a cache of hwlint; it can be deleted at any time.\n"
)
"""The content of CACHEDIR.TAG as https://bford.info/cachedir/ asks for."""

T = TypeVar("T", Report, Matrix)

_NOT_IN_KEY = frozenset({"cache_dir", "file"})
_SEEN_BY = ("root", "targets", "origins", "architectures", "include_tests")
"""The settings that decide what is seen; all others only decide what is made of it."""


class Cache:
    """A folder of JSON files, for one run. A file that is missing, broken, or cannot be written only costs time.

    A folder that is a symbolic link out of where it lies is not used: a project that was only downloaded must not
    choose where hwlint writes.
    """

    def __init__(self, folder: Path) -> None:
        """Use `folder`, which need not exist."""
        self.folder = folder
        self._usable = not any(_leads_out(each) for each in (folder, folder / "results", folder / "facts"))
        self._framed: str | None = None
        self._set: str | None = None
        self._told: dict[str, str] | None = None

    def key(self, scope: Scope, settings: Settings) -> str:
        """Return a digest of all that a report depends on: the sources, the settings, hwlint and its data."""
        return self._key(scope, settings, self.contents(scope))

    def _key(self, scope: Scope, settings: Settings, contents: Mapping[str, str]) -> str:
        digest = hashlib.blake2b(self._frame(scope, settings).encode(), digest_size=20)
        for told in contents.values():
            digest.update(told.encode())
        return digest.hexdigest()

    def _frame(self, scope: Scope, settings: Settings) -> str:
        """A digest of all that a report depends on but what is in the files."""
        if self._framed is not None:
            return self._framed
        digest = hashlib.blake2b(self._setting(scope, settings).encode(), digest_size=20)
        for field in fields(settings):
            if field.name not in _NOT_IN_KEY:
                digest.update(f"{field.name}={getattr(settings, field.name)!r}\0".encode())
        for path in (settings.baseline, settings.file, *settings.extend_rules):
            for file in _files_of(path):
                digest.update(str(file).encode("utf-8", "surrogateescape") + b"\0" + _content(file))
        for name in sorted(scope.reported):
            digest.update(name.encode("utf-8", "surrogateescape") + b"\0")
        self._framed = digest.hexdigest()
        return self._framed

    def _setting(self, scope: Scope, settings: Settings) -> str:
        """A digest of all that the facts of a run depend on but what is in the files."""
        if self._set is not None:
            return self._set
        digest = hashlib.blake2b(digest_size=20)
        for part in (__version__, sys.version, *own_files()):
            digest.update(part.encode() + b"\0")
        for name in _SEEN_BY:
            digest.update(f"{name}={getattr(settings, name)!r}\0".encode())
        for name in scope.files:
            digest.update(name.encode("utf-8", "surrogateescape") + b"\0")
        for link, target in scope.links:
            digest.update(f"{link}\0{target}\0".encode("utf-8", "surrogateescape"))
        for failure in scope.failures:
            digest.update(f"{failure}\0".encode("utf-8", "surrogateescape"))
        self._set = digest.hexdigest()
        return self._set

    def contents(self, scope: Scope) -> dict[str, str]:
        """A digest of what is in each file."""
        if self._told is None:
            self._told = {}
            for name in scope.files:
                data = scope.sources.data(name)
                content = data if isinstance(data, bytes) else b"failure " + data.message.encode()
                self._told[name] = hashlib.sha256(content).hexdigest()[:40]  # today's processors have it built in
        return self._told

    def load(self, key: str, kind: type[T]) -> T | None:
        """Return the result of this kind (a report, a matrix) that is stored under `key`, or None."""
        if not self._usable:
            return None
        try:
            found = loads((self.folder / "results" / f"{key}.json").read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError, CodecError):
            return None
        return found if isinstance(found, kind) else None

    def store(self, key: str, result: Report | Matrix) -> None:
        """Keep a result; a full disk or a folder that cannot be written is not the user's problem."""
        if not self._usable:
            return
        with contextlib.suppress(OSError, CodecError):
            text = dumps(result)
            folder = self.folder / "results"
            folder.mkdir(parents=True, exist_ok=True)
            self._tag()
            _write(folder / f"{key}.json", text)
            self._prune(folder)

    def recall(self, scope: Scope, settings: Settings) -> Report | None:
        """Return the last report for the same files if what it rests on is the same, whatever else changed in them.

        Files that hardware values do not reach are only asked for words. It is kept under the new key, too.
        """
        if not self._usable or settings.origins:  # names that no file has are looked for in all of them
            return None
        try:
            with self._facts_file(scope, settings).open(encoding="ascii") as document:
                basis = basis_of(document.readline())
        except (OSError, UnicodeDecodeError):
            return None
        changed = basis.changed(self.contents(scope)) if basis is not None else []
        if (
            basis is None
            or not basis.whole.isdisjoint(changed)
            or any(scope.sources.holds(path, IN_COMMENTS) for path in changed)
            or not basis.is_told_again(scope.sources, changed)
        ):
            return None
        report = self.load(self._key(scope, settings, basis.contents), Report)
        if report is not None:
            self.store(self.key(scope, settings), report)
        return report

    def facts(self, scope: Scope, settings: Settings) -> Facts | None:
        """What an earlier run found out about the same files, other texts of them perhaps; None where there is none."""
        from hwlint.workflow.facts import facts_of  # with all that the analysis needs

        if not self._usable:
            return None
        try:
            head, _, rest = self._facts_file(scope, settings).read_text(encoding="ascii").partition("\n")
        except (OSError, UnicodeDecodeError):
            return None
        basis = basis_of(head)
        return facts_of(basis, rest) if basis is not None else None

    def keep(self, scope: Scope, settings: Settings, facts: Facts) -> None:
        """Keep what a run found out."""
        from hwlint.workflow.facts import written

        if not self._usable:
            return
        with contextlib.suppress(OSError):
            file = self._facts_file(scope, settings)
            file.parent.mkdir(parents=True, exist_ok=True)
            _write(file, written(facts))
            self._prune(file.parent, MOST_FACTS)

    def _facts_file(self, scope: Scope, settings: Settings) -> Path:
        return self.folder / "facts" / f"{self._setting(scope, settings)}.jsonl"

    def clean(self) -> int:
        """Delete everything in the cache; return how many reports that were."""
        count = 0
        if not self._usable:
            return count
        for file in (*self.folder.glob("results/*.json"), *self.folder.glob("results/*.tmp")):
            count += file.suffix == ".json"
            file.unlink(missing_ok=True)
        for file in (*self.folder.glob("facts/*.jsonl"), *self.folder.glob("facts/*.tmp")):
            file.unlink(missing_ok=True)
        for name in ("results", "facts", ""):
            with contextlib.suppress(OSError):
                if not name:
                    for own in (".gitignore", "CACHEDIR.TAG", SERVER_FILE):
                        (self.folder / own).unlink(missing_ok=True)
                (self.folder / name).rmdir()
        return count

    def _tag(self) -> None:
        for name, text in ((".gitignore", "*\n"), ("CACHEDIR.TAG", _ABOUT)):
            if not (self.folder / name).exists():
                _write(self.folder / name, text)

    def _prune(self, folder: Path, most: int = MOST_RESULTS) -> None:
        kept = sorted(folder.glob("*.json*"), key=lambda file: file.stat().st_mtime_ns, reverse=True)
        for old in kept[most:]:
            old.unlink(missing_ok=True)


def _leads_out(folder: Path) -> bool:
    """True for a symbolic link to a place outside the folder that it lies in."""
    try:
        return folder.is_symlink() and not folder.resolve().is_relative_to(folder.parent.resolve())
    except (OSError, RuntimeError):
        return True


def _write(file: Path, text: str) -> None:
    """Write a file so that another process sees either none of it or all."""
    handle, name = tempfile.mkstemp(dir=file.parent, suffix=".tmp")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as out:
            out.write(text)
        Path(name).replace(file)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def own_files() -> Iterator[str]:
    """Name, size and time of hwlint's own files and data: they change only with an installation."""
    package = Path(__file__).resolve().parent.parent
    for folder in (package, package.parent / "rules"):
        for base, folders, names in os.walk(folder):
            folders[:] = sorted(name for name in folders if name != "__pycache__")
            for name in sorted(names):
                if name.endswith((".py", ".toml", ".md")):
                    state = Path(base, name).stat()
                    yield f"{base}/{name}:{state.st_size}:{state.st_mtime_ns}"


def _files_of(path: Path | None) -> list[Path]:
    """The file, or the rule pages of a folder; nothing else is read, for a folder given by mistake may be huge."""
    if path is None:
        return []
    return sorted(path.glob("*.md")) if path.is_dir() else [path]


def _content(file: Path) -> bytes:
    """The digest of a regular file; of anything else, such as a device without an end, only that it is that."""
    if file.exists() and not file.is_file():
        return b"not a regular file"
    try:
        return hashlib.blake2b(file.read_bytes(), digest_size=20).digest()
    except OSError as error:
        return str(error).encode()
