"""Collect the files of the project that a module can import, for a replay of the real module."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from hwlint.confirm.project import Project, parents

MOST_FILES = 3000
MOST_BYTES = 48 * 1024 * 1024
"""What a copy of the real module's tree may hold; beyond that only the slice is replayed."""
_DATA = (".json", ".yaml", ".yml", ".toml", ".txt", ".csv")
_MOST_DATA_FILES = 64
_LARGEST_DATA = 256 * 1024
_IMPORT = re.compile(
    r"^[ \t]*(?:from[ \t]+([.\w]+)[ \t]+import[ \t]*(\([^)]*\)|[^\n#]*)|import[ \t]+([^\n#]+))", re.MULTILINE
)


@dataclass(frozen=True, slots=True)
class TooLarge:
    """The module reaches more than a copy may hold."""

    reason: str


def import_closure(project: Project, paths: Iterable[str]) -> dict[str, bytes] | TooLarge:
    """Return every project file that `paths` import, directly or not, as bytes by project path.

    Imports are found by their text, those inside functions too: a file too many does no harm.
    """
    found: dict[str, bytes] = {}
    total = 0
    start = list(paths)
    queue = list(start)
    while queue:
        path = queue.pop()
        if path in found:
            continue
        raw = _read(project, path)
        if raw is None:
            continue
        found[path] = raw
        total += len(raw)
        if len(found) > MOST_FILES or total > MOST_BYTES:
            return TooLarge(f"the module reaches more than {MOST_FILES} files or {MOST_BYTES >> 20} MiB of the project")
        queue += _reached(project, path, raw.decode("utf-8", "replace"))
    for path in start:
        found.update(_data_beside(project, path))
    return found


def _reached(project: Project, path: str, text: str) -> Iterator[str]:
    package = project.module_of(path).split(".")
    if not path.endswith("__init__.py"):
        package = package[:-1]
    yield from _packages(project, path)
    for source, names, plain in _IMPORT.findall(text):
        if plain:
            modules = [part.split()[0] for part in plain.split(",") if part.split()]
        else:
            dots = len(source) - len(source.lstrip("."))
            base = package[: len(package) - dots + 1] if dots else []
            module = ".".join((*base, *filter(None, source.lstrip(".").split("."))))
            bound = re.findall(r"(\w+)(?:[ \t]+as[ \t]+\w+)?", names)
            modules = [module, *(f"{module}.{name}" for name in bound)]
        for module in modules:
            inner = project.path_of(module)
            if inner:
                yield inner


def _packages(project: Project, path: str) -> Iterator[str]:
    for folder in parents(path):
        if (project.root / folder / "__init__.py").is_file():
            yield f"{folder}/__init__.py"


def _read(project: Project, path: str) -> bytes | None:
    """Return a file of the project as it is, or as it was changed; None where it leads out of the root."""
    full = project.root / path
    try:
        if not full.resolve(strict=True).is_relative_to(project.root.resolve()):
            return None
        raw = full.read_bytes()
    except OSError:
        return None
    if path in project.changed:
        source = project.find_source(path)
        return source.encoded(project.changed[path]) if source else project.changed[path].encode()
    return raw


def _data_beside(project: Project, path: str) -> dict[str, bytes]:
    """Return the small data files in the folder of a module, which may read them at import."""
    folder = (project.root / path).parent
    found: dict[str, bytes] = {}
    try:
        candidates = sorted(child for child in folder.iterdir() if child.suffix in _DATA)
    except OSError:
        return {}
    for child in candidates[:_MOST_DATA_FILES]:
        if child.is_file() and not child.is_symlink() and child.stat().st_size <= _LARGEST_DATA:
            found[Path(child).relative_to(project.root).as_posix()] = child.read_bytes()
    return found
