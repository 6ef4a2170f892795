"""Read the project's modules for a replay: which file a dotted name means, what it imports, what it binds."""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from hwlint.confirm.layout import Layout
from hwlint.model.errors import UsageError

_LARGEST_FILE = 4 * 1024 * 1024
"""Bytes; a larger source file is data, and no replay needs it."""


@dataclass(frozen=True, slots=True)
class Source:
    """One parsed file: its path, bytes as read, text, encoding and tree."""

    path: str
    raw: bytes
    text: str
    encoding: str
    tree: ast.Module

    def encoded(self, text: str) -> bytes:
        """Return a changed text in the file's own encoding."""
        return text.encode(self.encoding)


class Project:
    """The files below one root, with some of them replaced in memory; reads each file once."""

    def __init__(self, root: Path, layout: Layout, changed: Mapping[str, str] | None = None) -> None:
        self.root = root
        self.layout = layout
        self.changed = dict(changed or {})
        self._sources: dict[str, Source | None] = {}

    def source(self, path: str) -> Source:
        """Return a file that has to be there; raises UsageError where it is missing, too large or does not parse."""
        found = self.find_source(path)
        if found is None:
            raise UsageError(f"{self.root / path}: cannot be read as Python; check the file, then confirm again")
        return found

    def find_source(self, path: str) -> Source | None:
        """Return a file of the project, or None where it is missing, leads out of the root or does not parse."""
        if path not in self._sources:
            self._sources[path] = self._read(path)
        return self._sources[path]

    def path_of(self, module: str) -> str | None:
        """Return the file that a dotted module name means, or None where the project has no such file."""
        stem = self.layout.stem(module)
        if stem is None:
            return None
        for path in (f"{stem}/__init__.py".lstrip("/"), f"{stem}.py"):
            if path != ".py" and (self.root / path).is_file():
                return path
        return None

    def is_package(self, module: str) -> bool:
        """True where a folder of the project has that module name."""
        stem = self.layout.stem(module)
        return stem is not None and (self.root / stem).is_dir()

    def module_of(self, path: str) -> str:
        """Return the dotted name of a file."""
        return self.layout.module(path)

    def absolute(self, path: str, node: ast.ImportFrom) -> str:
        """Return the absolute module name that a `from ... import` in `path` names."""
        if not node.level:
            return node.module or ""
        parts = self.module_of(path).split(".")
        up = node.level - 1 if path.endswith("__init__.py") else node.level
        parts = parts[: len(parts) - up] if up else parts
        return ".".join((*parts, *([node.module] if node.module else ())))

    def _read(self, path: str) -> Source | None:
        full = self.root / path
        try:
            real = full.resolve(strict=True)
            if not real.is_relative_to(self.root.resolve()) or real.stat().st_size > _LARGEST_FILE:
                return None
            raw = full.read_bytes()
            encoding, _ = tokenize.detect_encoding(io.BytesIO(raw).readline)
            text = self.changed.get(path)
            if text is None:
                text = raw.decode(encoding)
            return Source(path, raw, text, encoding, ast.parse(text, path))
        except (OSError, SyntaxError, ValueError, RecursionError):
            return None


def import_names(path: str, tree: ast.AST, project: Project) -> Iterator[tuple[str, str, str]]:
    """Yield (bound name, module, name in it) for each import below a node; name `` means the module itself."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.asname:
                    yield alias.asname, alias.name, ""
                else:
                    yield alias.name.split(".")[0], alias.name.split(".")[0], ""
        elif isinstance(node, ast.ImportFrom):
            module = project.absolute(path, node)
            for alias in node.names:
                yield alias.asname or alias.name, module, alias.name


def parents(path: str) -> Iterator[str]:
    """Yield the folders above a POSIX path, nearest first."""
    for folder in PurePosixPath(path).parents:
        if folder.name:
            yield folder.as_posix()
