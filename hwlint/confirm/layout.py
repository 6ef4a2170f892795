"""Say how the file paths of a project and its module names correspond."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

_ABSOLUTE_IMPORT = re.compile(r"^[ \t]*(?:from|import)[ \t]+([A-Za-z_][\w.]*)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Layout:
    """How file paths and module names of a project correspond.

    `outer` is what stands above the project root in module names (`pkg` where the root *is* the package), `inner`
    the folder inside it that imports start from (`src`). At most one of them is not empty.
    """

    outer: str = ""
    inner: str = ""

    @classmethod
    def of(cls, path: str, module: str) -> Layout:
        """Work it out from one file and its module name; a name that does not fit the path gives the plain layout."""
        stem = path.removesuffix(".py").removesuffix("/__init__")
        dotted = module.replace(".", "/")
        if stem == dotted or not module:
            return cls()
        if stem.endswith("/" + dotted):
            return cls(inner=stem[: -len(dotted) - 1])
        if dotted.endswith("/" + stem):
            return cls(outer=dotted[: -len(stem) - 1])
        return cls()

    def placed(self, path: str) -> str:
        """Return where a project file goes in the copy."""
        return f"{self.outer}/{path}" if self.outer else path

    def module(self, path: str) -> str:
        """Return the dotted name of a project file."""
        stem = self.placed(path).removesuffix(".py").removesuffix("/__init__")
        if self.inner and stem.startswith(self.inner + "/"):
            stem = stem[len(self.inner) + 1 :]
        return stem.replace("/", ".")

    def stem(self, module: str) -> str | None:
        """Return the path of a module without `.py`, relative to the project root; None where it lies above it."""
        dotted = module.replace(".", "/")
        if self.outer:
            if dotted == self.outer:
                return ""
            return dotted[len(self.outer) + 1 :] if dotted.startswith(self.outer + "/") else None
        return f"{self.inner}/{dotted}" if self.inner else dotted

    @classmethod
    def guess(cls, root: Path, path: str, text: str) -> Layout:
        """Work it out from what a file of the project imports: the layout in which most of that exists.

        Where nothing tells, a root with an `__init__.py` is a package, and the folder above the topmost package
        around the file is what imports start from.
        """
        wanted = set(_ABSOLUTE_IMPORT.findall(text))
        candidates = [cls._by_packages(root, path), cls()]
        candidates += [cls(inner=folder.as_posix()) for folder in PurePosixPath(path).parents if folder.name]
        parts = root.resolve().parts[1:]
        candidates += [cls(outer="/".join(parts[-size:])) for size in range(1, len(parts) + 1)]
        return max(candidates, key=lambda one: sum(one._exists(root, module) for module in wanted))

    @classmethod
    def _by_packages(cls, root: Path, path: str) -> Layout:
        if (root / "__init__.py").is_file():
            return cls(outer=root.resolve().name)
        inner = PurePosixPath(path).parent
        while inner.name and (root / inner / "__init__.py").is_file():
            inner = inner.parent
        top = PurePosixPath(path).parts[0]
        if inner == PurePosixPath(path).parent:
            return cls(inner=top) if top in ("src", "python", "lib") else cls()
        return cls(inner=inner.as_posix() if inner.name else "")

    def _exists(self, root: Path, module: str) -> bool:
        stem = self.stem(module)
        if not stem:
            return False
        return (root / f"{stem}.py").is_file() or (root / stem).is_dir()
