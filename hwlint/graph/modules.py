"""Map dotted module names to files and back, from the list of paths alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

# A folder of this name holds packages and is no package itself (the "src layout" and its kin).
SOURCE_FOLDERS = frozenset({"src", "python", "lib", "py", "source"})


@dataclass(frozen=True, slots=True)
class ModuleTable:
    """Every module of one tree, found by any name that an import statement may use for it.

    `package` is the dotted name of the root folder where that is known: `pkg` when the root is the
    package `pkg` itself, `""` when modules are named from the root downwards.
    """

    paths: tuple[str, ...]
    package: str
    _files: frozenset[str]
    _packages: frozenset[str]
    _children: dict[str, dict[str, str]]
    _roots: dict[str, tuple[str, ...]]
    _root_parts: tuple[str, ...]
    _links: Mapping[str, str]
    """The files behind names that only symbolic links give them."""
    _found: dict[tuple[str, str | None], tuple[str, ...]] = field(default_factory=dict)

    @classmethod
    def build(cls, paths: Sequence[str], root: str = "", links: Sequence[tuple[str, str]] = ()) -> ModuleTable:
        """Build from POSIX paths relative to the root; only `.py` files count.

        `links` pairs symbolic links to files or folders with what they lead to: an import may go through one.

        `root` is the absolute path of the root, used as text only: it tells that `import pkg.inner` means
        the folder `inner/` when the root is `.../pkg`. Without it, such an import is matched by its tail,
        provided that two names or more of it agree.
        """
        files = tuple(path for path in paths if path.endswith(".py"))
        linked = _names_by_links(files, links) if links else {}
        names = (*files, *linked)
        packages = {path[: -len("/__init__.py")] for path in names if path.endswith("/__init__.py")}
        if "__init__.py" in files:
            packages.add("")
        children: dict[str, dict[str, str]] = {"": {}}
        for path in names:
            folder, _, leaf = path.rpartition("/")
            siblings = children.get(folder)
            if siblings is None:
                siblings = children[folder] = {}
                _register_folders(folder, children)
            siblings[leaf[:-3]] = path
        root_parts = tuple(part for part in root.split("/") if part)
        package = root_parts[-1] if "" in packages and root_parts else ""
        return cls(
            paths=files,
            package=package,
            _files=frozenset(names),
            _links=linked,
            _packages=frozenset(packages),
            _children=children,
            _roots=_import_roots(children, packages),
            _root_parts=root_parts,
        )

    def find(self, dotted: str, importer: str | None = None) -> tuple[str, ...]:
        """List the files that the absolute import of `dotted` may mean, best first; empty when it is none of ours.

        Files of the importer's own top-level tree come first, then those nearer to the root. A namespace
        package has no file: see `find_folders`.
        """
        anchor = None if importer is None else _folder(importer)
        key = (dotted, anchor)
        known = self._found.get(key)
        if known is None:
            hits = (self._module(folder, parts) for folder, parts in self._starts(dotted, anchor))
            known = self._found[key] = tuple(dict.fromkeys(path for path in hits if path is not None))
        return known

    def find_folders(self, dotted: str, importer: str | None = None) -> tuple[str, ...]:
        """List the folders, packages or namespace packages, that the absolute name may mean, best first."""
        anchor = None if importer is None else _folder(importer)
        folders = ("/".join((*_split(folder), *parts)) for folder, parts in self._starts(dotted, anchor))
        return tuple(dict.fromkeys(folder for folder in folders if folder in self._children))

    def name_of(self, path: str) -> str:
        """Return the dotted name a file is imported by: `src/pkg/a.py` is `pkg.a`, `pkg/__init__.py` is `pkg`."""
        parts = list(_split(path.removesuffix(".py")))
        if parts and parts[-1] == "__init__":
            parts.pop()
        while len(parts) > 1 and parts[0] in SOURCE_FOLDERS and parts[0] not in self._packages:
            parts.pop(0)
        return ".".join((self.package, *parts) if self.package else parts)

    def relative(self, importer: str, level: int, module: str = "") -> tuple[str, ...]:
        """List the files that `from ..module import x` (level 2) may mean in `importer`; empty when there is none."""
        base = self.relative_folder(importer, level)
        if base is None:
            return ()
        path = self._module(base, tuple(module.split(".")) if module else ())
        return () if path is None else (path,)

    def relative_folder(self, importer: str, level: int) -> str | None:
        """Return the folder that the dots of a relative import name; None when they lead out of the root."""
        parts = _split(_folder(importer))
        up = level - 1
        return None if up > len(parts) else "/".join(parts[: len(parts) - up])

    def is_folder(self, folder: str) -> bool:
        """Tell whether a folder holds Python files, directly or further down."""
        return folder in self._children

    def submodule(self, package: str, name: str) -> str | None:
        """Return what `name` is inside a package, given by its `__init__.py` or folder: a file, a folder or None."""
        folder = _folder(package) if package.endswith(".py") else package
        if package.endswith(".py") and not package.endswith("__init__.py"):
            return None
        path = self._module(folder, (name,))
        if path is not None:
            return path
        inner = f"{folder}/{name}" if folder else name
        return inner if inner in self._children else None

    def _module(self, folder: str, parts: tuple[str, ...]) -> str | None:
        """Return the file of the module `parts` below `folder`; a package wins over a module of the same name."""
        base = "/".join((folder, *parts)) if folder else "/".join(parts)
        package = f"{base}/__init__.py" if base else "__init__.py"
        if package in self._files:
            return self._links.get(package, package)
        module = f"{base}.py"
        return self._links.get(module, module) if parts and module in self._files else None

    def _starts(self, dotted: str, anchor: str | None) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Yield (folder, rest of the name) for every place where the import of `dotted` may start, best first."""
        parts = tuple(dotted.split("."))
        for size in range(len(parts), 0, -1):
            if self._root_parts[-size:] == parts[:size]:
                yield "", parts[size:]
        roots = self._roots.get(parts[0], ())
        if anchor is not None and len(roots) > 1:
            roots = tuple(sorted(roots, key=lambda root: (-_shared(root, anchor), root.count("/"), root)))
        for root in roots:
            if self._may_start(root, parts[0], anchor):
                yield root, parts
        if not self._root_parts and not roots:
            for size in range(1, len(parts) - 1):
                yield "", parts[size:]

    def _may_start(self, root: str, first: str, anchor: str | None) -> bool:
        """Tell whether `root` is on the importer's path.

        The root of the tree and source folders always are. Any other folder is where it holds a regular
        package of that name (several projects in one repository), or where the importer lies below it (a
        script's own folder).
        """
        if root == "" or root.rpartition("/")[2] in SOURCE_FOLDERS:
            return True
        if f"{root}/{first}" in self._packages:
            return True
        return anchor is not None and f"{anchor}/".startswith(f"{root}/")


def _names_by_links(files: Sequence[str], links: Sequence[tuple[str, str]]) -> dict[str, str]:
    """The further names of files that symbolic links to them, or to folders above them, give, with the files."""
    found: dict[str, str] = {}
    own = set(files)
    for link, target in links:
        below = "" if target == "." else f"{target}/"
        for path in files:
            if path == target:
                found[link] = path
            elif path.startswith(below) and not path.startswith(f"{link}/"):
                found[f"{link}/{path[len(below) :]}"] = path
    return {name: path for name, path in found.items() if name not in own}


def _register_folders(folder: str, children: dict[str, dict[str, str]]) -> None:
    """Make every folder above known to its parent, as far up as needed."""
    while folder:
        parent, _, leaf = folder.rpartition("/")
        known = parent in children
        siblings = children.setdefault(parent, {})
        siblings.setdefault(leaf, folder)
        if known:
            return
        folder = parent


def _import_roots(children: dict[str, dict[str, str]], packages: set[str]) -> dict[str, tuple[str, ...]]:
    """Map each first name of an import to the folders that it may lie in: those inside no regular package."""
    inside: dict[str, bool] = {}
    roots: dict[str, list[str]] = {}
    for folder in sorted(children):
        inner = folder in packages or (folder != "" and inside[_folder(folder)])
        inside[folder] = inner
        if not inner:
            for name in children[folder]:
                roots.setdefault(name, []).append(folder)
    return {name: tuple(folders) for name, folders in roots.items()}


def _shared(root: str, anchor: str) -> int:
    """Count the leading folders that two folders share."""
    count = 0
    for one, other in zip(_split(root), _split(anchor), strict=False):
        if one != other:
            break
        count += 1
    return count


def _folder(path: str) -> str:
    return path.rpartition("/")[0]


def _split(folder: str) -> tuple[str, ...]:
    return tuple(folder.split("/")) if folder else ()
