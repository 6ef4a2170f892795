"""Cut a project down to the definitions that a lookup depends on, each at its own line of its own file."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from hwlint.confirm.names import bound, changed, used
from hwlint.confirm.project import Project, Source, import_names
from hwlint.confirm.render import Definition, Kept, definitions, render

_MOST_DEFINITIONS = 4000
"""A slice larger than this is no slice; the replay says so."""


@dataclass(frozen=True, slots=True)
class Slice:
    """The files of a slice (project paths, text with everything else blanked out) and what is in them."""

    files: dict[str, str]
    definitions: tuple[Definition, ...]
    missing: tuple[str, ...]
    """Names that neither the project nor Python defines, as `path: name`."""


def cut(
    project: Project, path: str, wanted: Iterable[str], *, also: Mapping[str, Iterable[str]] | None = None
) -> Slice:
    """Return the slice that defines `wanted` in `path`: names, `Class.member`, `Class.` for the bare class.

    `also` holds the same for further files.
    """
    slicer = _Slicer(project)
    for file, names in ((path, wanted), *sorted((also or {}).items())):
        slicer.take_file(file)
        for name in sorted(names):
            slicer.want(file, name)
    slicer.run()
    return slicer.result()


@dataclass(slots=True)
class _Module:
    """One module of the project and what of it is kept."""

    source: Source
    binders: dict[str, list[int]]
    imports: dict[str, tuple[str, str]]
    stars: list[tuple[int, str]]
    lazy_annotations: bool
    kept: set[int] = field(default_factory=set)
    aliases: dict[int, set[str]] = field(default_factory=dict)
    members: dict[int, set[int]] = field(default_factory=dict)

    @property
    def body(self) -> list[ast.stmt]:
        return self.source.tree.body


class _Slicer:
    """Follows needs to a fixpoint."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self.modules: dict[str, _Module] = {}
        self.done: set[tuple[str, str]] = set()
        self.queue: list[tuple[str, str]] = []
        self.missing: set[str] = set()

    def run(self) -> None:
        while self.queue and len(self.done) < _MOST_DEFINITIONS:
            self._satisfy(*self.queue.pop())
        if self.queue:
            self.missing.add(f"more than {_MOST_DEFINITIONS} definitions are needed")

    def want(self, path: str, name: str) -> None:
        if (path, name) not in self.done:
            self.done.add((path, name))
            self.queue.append((path, name))

    def take_file(self, path: str) -> _Module | None:
        """Have the file in the slice, even if nothing of it is kept."""
        if path not in self.modules:
            source = self.project.find_source(path)
            if source is None:
                return None
            self.modules[path] = self._index(source)
        return self.modules[path]

    def _index(self, source: Source) -> _Module:
        binders: dict[str, list[int]] = {}
        imports: dict[str, tuple[str, str]] = {}
        stars: list[tuple[int, str]] = []
        lazy = False
        for index, statement in enumerate(source.tree.body):
            for name in bound(statement) | changed(statement):
                binders.setdefault(name, []).append(index)
            if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                continue
            for name, module, inner in import_names(source.path, statement, self.project):
                imports.setdefault(name, (module, inner))
                if inner == "*":
                    stars.append((index, module))
                lazy = lazy or (module == "__future__" and inner == "annotations")
        return _Module(source, binders, imports, stars, lazy)

    def _satisfy(self, path: str, name: str) -> None:
        module = self.take_file(path)
        if module is None:
            self.missing.add(f"{path}: cannot be read")
            return
        owner, dot, member = name.partition(".")
        if dot and self._keep_member(path, module, owner, member):
            return
        if dot and not member:
            name = owner
        indices = module.binders.get(name)
        if indices is None:
            self._from_star(path, module, name)
            return
        for index in indices:
            self._keep(path, module, index, name)

    def _from_star(self, path: str, module: _Module, name: str) -> None:
        """Look for a name behind the module's star imports; names of Python itself need nothing."""
        external = False
        for index, target in module.stars:
            inner = self.project.path_of(target)
            if inner is None:
                external = True
            elif self._offers(inner, name, {path}):
                module.kept.add(index)
                self.want(inner, name)
                return
        if external:
            module.kept.update(index for index, target in module.stars if self.project.path_of(target) is None)
        elif not hasattr(builtins, name) and not (name.startswith("__") and name.endswith("__")):
            self.missing.add(f"{path}: {name}")

    def _offers(self, path: str, name: str, seen: set[str]) -> bool:
        """True where a module binds a name itself or through star imports."""
        module = self.take_file(path)
        if module is None or path in seen:
            return False
        if name in module.binders:
            return True
        inner = (self.project.path_of(target) for _, target in module.stars)
        return any(self._offers(other, name, seen | {path}) for other in inner if other)

    def _keep(self, path: str, module: _Module, index: int, name: str) -> None:
        """Keep a top-level statement for the sake of one name, and want what it needs."""
        statement = module.body[index]
        if isinstance(statement, ast.Import | ast.ImportFrom):
            module.kept.add(index)
            module.aliases.setdefault(index, set()).add(name)
            target, inner = module.imports[name]
            if inner:
                self._want_from(target, inner)
            else:
                self._take_packages(target)
            return
        if index in module.kept and index not in module.members:
            return
        module.kept.add(index)
        module.members.pop(index, None)
        self._want_uses(path, module, statement)
        for name_bound in bound(statement):
            self.want(path, name_bound)

    def _keep_member(self, path: str, module: _Module, owner: str, member: str) -> bool:
        """Keep one member of a class; False where `owner` is no class of this module."""
        classes = [
            (index, statement)
            for index in module.binders.get(owner, ())
            if isinstance(statement := module.body[index], ast.ClassDef)
        ]
        for index, statement in classes:
            if index in module.kept and index not in module.members:
                continue
            module.kept.add(index)
            members = module.members.setdefault(index, set())
            found = [place for place, part in enumerate(statement.body) if member in bound(part)] if member else []
            for place in found:
                members.add(place)
                self._want_uses(path, module, statement.body[place], owner)
            for decorator in statement.decorator_list:
                self._want_uses(path, module, decorator)
            for base in statement.bases:
                self._want_base(path, module, base, "" if found else member)
        return bool(classes)

    def _want_base(self, path: str, module: _Module, base: ast.expr, member: str) -> None:
        """Want the base class, bare or with the member that the class itself does not define."""
        name = base.id if isinstance(base, ast.Name) else ""
        if name and any(isinstance(module.body[index], ast.ClassDef) for index in module.binders.get(name, ())):
            self.want(path, f"{name}.{member}")
            return
        self._want_uses(path, module, base)
        if name in module.imports:
            target, inner = module.imports[name]
            other = self.project.path_of(target)
            if other and inner:
                self.want(other, f"{inner}.{member}")

    def _want_uses(self, path: str, module: _Module, node: ast.AST, owner: str = "") -> None:
        """Want every module-level name and project module that a node uses; inside a class also `self.x`."""
        local = {name: (target, inner) for name, target, inner in import_names(path, node, self.project)}
        for target, inner in local.values():
            if inner not in ("", "*"):
                self._want_from(target, inner)
        for name in used(node, with_bodies=True, skip_annotations=module.lazy_annotations):
            root, _, rest = name.partition(".")
            if owner and root in ("self", "cls") and rest:
                self.want(path, f"{owner}.{rest.split('.')[0]}")
            if root in module.binders or (module.stars and not hasattr(builtins, root)):
                self.want(path, root)
            origin = local.get(root) or module.imports.get(root)
            if origin:
                self._follow_chain(origin, rest)

    def _follow_chain(self, origin: tuple[str, str], rest: str) -> None:
        """Want what `module.name` reaches, where the first part is a module of the project."""
        module = ".".join(part for part in origin if part)
        if not self._is_module(module):
            return
        for part in rest.split(".") if rest else ():
            path = self.project.path_of(module)
            if path and self._offers(path, part, set()):
                self.want(path, part)
                return
            if not self._is_module(f"{module}.{part}"):
                return
            module = f"{module}.{part}"
            self._take_packages(module)
        path = self.project.path_of(module)
        if path and not rest and (taken := self.take_file(path)):
            for name in taken.binders:
                self.want(path, name)

    def _want_from(self, target: str, name: str) -> None:
        path = self.project.path_of(target)
        if path and (self._offers(path, name, set()) or not self._is_module(f"{target}.{name}")):
            self.want(path, name)
        elif self._is_module(f"{target}.{name}"):
            self._take_packages(f"{target}.{name}")

    def _is_module(self, module: str) -> bool:
        return self.project.path_of(module) is not None or self.project.is_package(module)

    def _take_packages(self, module: str) -> None:
        path = self.project.path_of(module)
        if path:
            self.take_file(path)

    def result(self) -> Slice:
        files: dict[str, str] = {}
        found: list[Definition] = []
        for path, module in sorted(self.modules.items()):
            kept = Kept(module.kept, module.aliases, module.members)
            files[path] = render(module.source.text, module.source.tree, kept)
            found += definitions(path, module.source.text, module.source.tree, kept)
        return Slice(files, tuple(sorted(found)), tuple(sorted(self.missing)))
