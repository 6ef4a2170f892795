"""Say where the names of one function get their values, and which of them a replay can supply."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from hwlint.confirm.locate import Level, Place
from hwlint.confirm.names import arguments, bound, bound_inside, changed, used
from hwlint.confirm.project import Project, Source

_DEVICES = ("device", "dev", "cuda_device")
_INDICES = ("gpu_id", "gpu", "device_id", "device_index", "local_rank", "device_idx", "rank", "index", "idx")


class Bindings:
    """The names of the function around a place, as seen from that place."""

    def __init__(self, project: Project, source: Source, place: Place, roots: set[str]) -> None:
        self.project = project
        self.source = source
        self.place = place
        self.roots = roots
        self.given: dict[str, str] = {}
        self.known: set[str] = set()
        self.owner = ".".join(place.classes)
        first = place.functions[0]
        decorators = {ast.unparse(node) for node in first.decorator_list}
        self.static = "staticmethod" in decorators
        self.of_class = "classmethod" in decorators
        self.parameters = {
            argument.arg: (argument, function) for function in place.functions for argument in arguments(function.args)
        }
        names = [argument.arg for argument in (*first.args.posonlyargs, *first.args.args)]
        self.receiver = names[0] if self.owner and not self.static and names else ""
        self.before = list(_before(place.inside))
        self._setters: dict[str, list[ast.stmt]] = {}
        for statement in self.before:
            for name in bound(statement) | changed(statement):
                self._setters.setdefault(self.canonical(name), []).append(statement)
        self._answers: dict[str, bool] = {}

    def canonical(self, name: str) -> str:
        """Return the name that counts: `self.x` for attributes of the receiver, else the first part."""
        parts = name.split(".")
        return ".".join(parts[:2]) if parts[0] == self.receiver and len(parts) > 1 else parts[0]

    def uses(self, node: ast.AST, *, with_bodies: bool = True) -> set[str]:
        """Return the canonical names that a node needs from outside itself."""
        inner = bound_inside(node)
        names = {self.canonical(name) for name in used(node, with_bodies=with_bodies)} - inner
        if isinstance(node, ast.stmt):
            own = {self.canonical(name) for name in bound(node)}
            names = {name for name in names if name not in own or self.is_set_before(name) or self.is_parameter(name)}
        return names

    def is_local(self, name: str) -> bool:
        """True for names that belong to the function, not to its module."""
        return name in self.parameters or name in self._setters or "." in name or name in self._later

    @property
    def _later(self) -> set[str]:
        return {name for level in self.place.inside for statement in level.block for name in bound(statement)}

    def is_set_before(self, name: str) -> bool:
        """True where a statement before the place binds or changes the name."""
        return name in self._setters

    def is_parameter(self, name: str) -> bool:
        """True for a parameter other than the receiver."""
        return name in self.parameters and name != self.receiver

    def setters(self, name: str) -> list[ast.stmt]:
        """Return the statements before the place that bind or change a name."""
        return self._setters.get(name, [])

    def resolvable(self, name: str) -> bool:
        """True where a replay can give the name the value it has in the real run."""
        if name not in self._answers:
            self._answers[name] = True  # a name that depends on itself is decided by the rest
            self._answers[name] = self._resolve(name)
        return self._answers[name]

    def unresolved(self, names: set[str]) -> set[str]:
        """Return those of `names` that a replay cannot supply."""
        return {name for name in names if name not in self.known and not self.resolvable(name)}

    def _resolve(self, name: str) -> bool:
        if name in self.given or name in self.known or name == self.receiver:
            return True
        setters = self.setters(name)
        usable = [statement for statement in setters if all(map(self.resolvable, self.uses(statement)))]
        if "." in name:
            return bool(usable) or self.setter(name) is not None or self.class_member(name)
        if self.is_parameter(name):
            return bool(usable) or bool(self.parameter_source(name)) or self.may_be_passed
        if setters:
            return bool(usable)
        if any(name in _targets(level) for level in self.place.inside):
            return True
        return not self.is_local(name)

    @property
    def may_be_passed(self) -> bool:
        """True where the outermost function is called somewhere in this file."""
        name = self.place.functions[0].name
        if name == "__init__":
            name = self.place.classes[-1] if self.place.classes else name
        for node in ast.walk(self.source.tree):
            if isinstance(node, ast.Call):
                called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
                if called == name:
                    return True
        return False

    def device_kind(self, name: str) -> str:
        """Return `device` or `index` for a parameter that names a device, else ``."""
        argument, _ = self.parameters[name]
        note = ast.unparse(argument.annotation) if argument.annotation else ""
        if name in _INDICES or (name in _DEVICES and note == "int"):
            return "index"
        return "device" if name in _DEVICES or name.endswith("_device") or "torch.device" in note else ""

    def parameter_source(self, name: str) -> str:
        """Return the source of the value that a replay gives a parameter by itself; `` where it has none."""
        argument, function = self.parameters[name]
        args = function.args
        positional = [*args.posonlyargs, *args.args]
        pairs = list(zip(reversed(positional), reversed(args.defaults), strict=False))
        pairs += [(one, default) for one, default in zip(args.kwonlyargs, args.kw_defaults, strict=True) if default]
        for one, default in pairs:
            if one is argument and default is not None:
                return ast.unparse(default)
        kind = self.device_kind(name)
        return f"__hw_device__({kind!r})" if kind else ""

    def receiver_source(self) -> str:
        """Return the source of the stand-in for `self`, or of the class itself."""
        if self.static or self.of_class or not self.receiver:
            return self.owner
        return f"__hw_instance__({self.owner})"

    def setter(self, name: str) -> tuple[Source, ast.stmt] | None:
        """Return the statement that sets `self.x` in another method of the class or its project bases."""
        attribute = name.partition(".")[2]
        for source, node in self._family():
            methods = [part for part in node.body if isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef)]
            methods.sort(key=lambda method: method.name not in ("__init__", "__post_init__", "__new__"))
            for method in methods:
                args = method.args.args
                if method is self.place.functions[0] or not args:
                    continue
                found = [part for part in method.body if f"{args[0].arg}.{attribute}" in bound(part)]
                if found:
                    return source, found[-1]
        return None

    def class_member(self, name: str) -> bool:
        """True where the class or a project base defines the attribute in its body, or a base is out of sight."""
        attribute = name.partition(".")[2]
        return any(attribute in bound(part) for _, node in self._family() for part in node.body)

    def _family(self) -> Iterator[tuple[Source, ast.ClassDef]]:
        """Yield the class and its bases in the project, nearest first."""
        queue: list[tuple[Source, str]] = [(self.source, self.owner)] if self.owner else []
        seen: set[tuple[str, str]] = set()
        while queue:
            source, name = queue.pop(0)
            if (source.path, name) in seen:
                continue
            seen.add((source.path, name))
            node = _class(source.tree, name)
            if node is None:
                queue += self._imported(source, name)
                continue
            yield source, node
            queue += [(source, base.id) for base in node.bases if isinstance(base, ast.Name)]

    def _imported(self, source: Source, name: str) -> list[tuple[Source, str]]:
        for node in source.tree.body:
            if isinstance(node, ast.ImportFrom):
                for alias in node.names:
                    path = self.project.path_of(self.project.absolute(source.path, node))
                    other = self.project.find_source(path) if path and (alias.asname or alias.name) == name else None
                    if other:
                        return [(other, alias.name)]
        return []

    def claim(self, needed: set[str], uses: set[str]) -> None:
        """Note the module-level definitions and class members that the part uses."""
        if self.owner:
            self.roots.add(f"{self.owner.split('.')[0]}." if "." not in self.owner else self.owner.split(".")[0])
        for name in needed | uses:
            if "." in name and name.partition(".")[0] == self.receiver:
                if self.class_member(name):
                    self.roots.add(f"{self.owner}.{name.partition('.')[2]}")
            elif not self.is_local(name):
                self.roots.add(name)
        for name in needed:
            if self.is_parameter(name):
                source = self.parameter_source(name)
                if source and not source.startswith("__hw_"):
                    tree = ast.parse(source, mode="eval")
                    self.roots.update(node.id for node in ast.walk(tree) if isinstance(node, ast.Name))


def _before(levels: tuple[Level, ...]) -> Iterator[ast.stmt]:
    for level in levels:
        yield from level.block[: level.index]


def _targets(level: Level) -> set[str]:
    """Return the names that the statement around a block binds for it: loop variables and the like."""
    owner = level.owner
    if isinstance(owner, ast.For | ast.AsyncFor):
        return {node.id for node in ast.walk(owner.target) if isinstance(node, ast.Name)}
    return set()


def _class(tree: ast.Module, name: str) -> ast.ClassDef | None:
    body: list[ast.stmt] = tree.body
    found: ast.ClassDef | None = None
    for part in name.split("."):
        nodes = [node for node in body if isinstance(node, ast.ClassDef) and node.name == part]
        if not nodes:
            return None
        found = nodes[-1]
        body = found.body
    return found
