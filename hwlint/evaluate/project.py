"""Give the evaluator the modules of the project, parsed when they are first asked for."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Sequence

from hwlint.evaluate.code import Code
from hwlint.graph.bindings import Outline
from hwlint.graph.modules import ModuleTable
from hwlint.source.parse import Parsed

Load = Callable[[str], tuple[Parsed, Outline] | None]


MOST_HEIRS = 24
"""A class from which more classes derive says too little of what its methods find on their objects."""
MOST_PLUGINS = 8
"""A name that more modules of a folder bind says too little of which of them is loaded."""


class Project:
    """The modules of one run."""

    def __init__(
        self,
        table: ModuleTable,
        load: Load,
        carriers: Callable[[str], frozenset[str]] | None = None,
        reached: Container[str] | None = None,
        holders: Callable[[str], Sequence[str]] | None = None,
    ) -> None:
        """`load` parses one path and outlines it, or returns None where that fails.

        `carriers` gives the names that may carry hardware values in a file; without it every name counts.
        `reached` holds the files that hardware values reach; without it they all do. `holders` lists the
        files that have a word; without it, what is looked for by its name alone is not found.
        """
        self.table = table
        self._load = load
        self._carriers = carriers
        self._reached = reached
        self._holders = holders
        self._plugins: dict[tuple[str, str], tuple[str, ...]] = {}
        self._codes: dict[str, Code | None] = {}
        self._asked: dict[str, Code | None] = {}

    def begin(self) -> None:
        """Forget which modules were asked for."""
        self._asked = {}

    @property
    def asked(self) -> frozenset[str]:
        """The modules that were asked for since the beginning, those that cannot be read among them."""
        return frozenset(self._asked)

    def code(self, path: str) -> Code | None:
        """Return a module, or None where it cannot be read or parsed."""
        known = self._asked.get(path)
        if known is not None or path in self._asked or not path.endswith(".py"):
            return known
        if path not in self._codes:
            loaded = self._load(path)
            names = self._carriers(path) if self._carriers is not None else None
            self._codes[path] = None if loaded is None else Code(path, *loaded, names)
        self._asked[path] = self._codes[path]
        return self._codes[path]

    def find(self, module: str, level: int, importer: str) -> str | None:
        """Return the file, or the folder of a namespace package, that an import means; None outside the project."""
        found = self.table.relative(importer, level, module) if level else self.table.find(module, importer)
        if found:
            return found[0]
        if level:
            base = self.table.relative_folder(importer, level)
            folder = "/".join(part for part in (base, *module.split(".")) if part) if base is not None else None
            return folder if folder is not None and self.table.is_folder(folder) else None
        folders = self.table.find_folders(module, importer)
        return folders[0] if folders else None

    def plugins(self, importer: str, name: str) -> tuple[str, ...]:
        """List the modules below the importer's folder that bind `name`: one of them may be loaded at run time."""
        folder = importer.rpartition("/")[0]
        index = (folder, name)
        if index not in self._plugins:
            held = self._holders(name) if self._holders is not None else ()
            self._plugins[index] = tuple(path for path in held if path.startswith(f"{folder}/"))
        found = [path for path in self._plugins[index] if (c := self.code(path)) is not None and c.bindings(name)]
        return tuple(sorted(found)) if len(found) <= MOST_PLUGINS else ()

    def heirs(self, name: str, owner: str) -> tuple[tuple[str, str], ...]:
        """List the top-level classes, by path and name, that have a base of this name, and their own heirs."""
        found: dict[tuple[str, str], None] = {}
        waiting = [name]
        while waiting and len(found) <= MOST_HEIRS:
            base = waiting.pop()
            for path in self.users(base, owner):
                code = self.code(path)
                for heir, bases in code.outline.classes.items() if code is not None else ():
                    if "." not in heir and (path, heir) not in found and any(_last(text) == base for text in bases):
                        found[path, heir] = None
                        waiting.append(heir)
        return tuple(found) if len(found) <= MOST_HEIRS else ()

    def is_called(self, name: str, owner: str) -> bool:
        """True where some file calls a class of this name, as far as its text shows."""
        call = re.compile(rf"(?<!class ){re.escape(name)}\s*\(")
        codes = (self.code(path) for path in self.users(name, owner))
        return any(code is not None and call.search(code.parsed.text.text) is not None for code in codes)

    def users(self, name: str, owner: str) -> tuple[str, ...]:
        """The files that may name a class, or another name of `owner`: those that hold the word, its own among them."""
        if self._holders is None:
            return tuple(self.table.paths)
        found = self._holders(name)
        return tuple(found if owner in found else sorted((*found, owner)))

    def is_beside(self, path: str) -> bool:
        """True for a module that hardware values do not reach; a package's `__init__` may hand on others' names."""
        return self._reached is not None and path not in self._reached and not path.endswith("__init__.py")

    def submodule(self, path: str, name: str) -> str | None:
        """Return the path of a module inside the package whose `__init__` is `path`."""
        return self.table.submodule(path, name)

    def dotted(self, module: str, level: int, importer: str) -> str:
        """The dotted name of an imported module for messages and origins."""
        if not level:
            return module
        parts = self.table.name_of(importer).split(".")
        if not importer.endswith("__init__.py"):
            parts = parts[:-1]
        kept = parts[: len(parts) - (level - 1)] if level > 1 else parts
        return ".".join([*kept, module] if module else kept)


def _last(text: str) -> str:
    """The last part of a dotted name, without what stands in brackets after it."""
    return text.partition("[")[0].rpartition(".")[2]
