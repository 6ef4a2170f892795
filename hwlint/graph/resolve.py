"""Turn a name, as one module sees it, into the places that define it."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from hwlint.graph.answers import Definition, External, Hops, Resolution, Unresolved, distinct
from hwlint.graph.bindings import Binding, BindingKind, Outline
from hwlint.graph.modules import ModuleTable

__all__ = ["Definition", "External", "Resolution", "Resolver", "Unresolved"]

_IMPORTS = frozenset({BindingKind.IMPORT, BindingKind.FROM})
# Kinds that leave what the name was bound to before in force.
_ADDITIVE = frozenset({BindingKind.MUTATE, BindingKind.GLOBAL, BindingKind.DELETE})
_BUILTINS = frozenset(dir(builtins))


class _Goal(NamedTuple):
    """A name still to be looked up in a file, and how the search came there."""

    path: str
    name: str
    via: Hops
    before: int | None = None
    by_star: bool = False
    changed: bool = False


class _Guess(NamedTuple):
    """An answer that counts only where there is no better one."""

    answer: Resolution


class Resolver:
    """Follow names through imports. Answers are memoised; `outlines` is asked for a file only when it is needed.

    Several definitions for one name is a normal answer: both sides of `try: ... except ImportError: ...` count,
    the likelier first.
    """

    def __init__(self, table: ModuleTable, outlines: Callable[[str], Outline | None]) -> None:
        self.table = table
        self.outlines = outlines
        self._known: dict[tuple[str, str, int | None], tuple[Resolution, ...]] = {}

    def resolve(self, path: str, name: str, before: int | None = None) -> tuple[Resolution, ...]:
        """Resolve a module-level name of `path`, or a built-in; never empty.

        With `before`, only the statements ahead of that index count, which is what the statement itself sees.
        """
        key = (path, name, before)
        known = self._known.get(key)
        if known is None:
            found, vague = self._search([_Goal(path, name, (), before)])
            if not found and name in _BUILTINS:
                found = [External(f"builtins.{name}")]
            known = distinct(found or vague or [Unresolved(f"{name} is not bound in {path}")])
            self._known[key] = known
        return known

    def resolve_attribute(self, path: str, dotted: str, before: int | None = None) -> tuple[Resolution, ...]:
        """Resolve `name.attribute.attribute` as `path` sees it: through modules, packages and class bodies."""
        first, *rest = dotted.split(".")
        found = self.resolve(path, first, before)
        for attribute in rest:
            found = distinct(part for one in found for part in self.attribute(one, attribute))
        return found

    def resolve_import(
        self, path: str, module: str, level: int = 0, attribute: str = "", line: int = 1
    ) -> tuple[Resolution, ...]:
        """Resolve what an import statement in `path` binds: `from ..module import attribute`, or the module itself."""
        via = ((path, line),)
        if not attribute:
            return self._modules(path, module, level, via)
        found, vague = self._search(self._from(path, module, level, attribute, via))
        return distinct(found or vague or [Unresolved(f"{'.' * level}{module} does not bind {attribute}", via)])

    def attribute(self, owner: Resolution, name: str) -> tuple[Resolution, ...]:
        """Resolve an attribute of something already resolved; never empty."""
        match owner:
            case External(dotted, via):
                return (External(f"{dotted}.{name}", via),)
            case Unresolved():
                return (owner,)
            case Definition(kind=BindingKind.MODULE):
                return self._module_attribute(owner, name)
            case Definition(kind=BindingKind.CLASS):
                return self._class_attribute(owner, name)
        return (Unresolved(f"{owner.name} in {owner.path} is a value, no module or class", owner.via),)

    # the search

    def _search(self, start: Iterable[Resolution | _Goal | _Guess]) -> tuple[list[Resolution], list[Resolution]]:
        """Follow every goal to its ends, depth first; each file and name is looked at once, so cycles end.

        Returns what was found, and what counts only where nothing was: reasons, and names that a star import
        of another package may or may not bring.
        """
        found: list[Resolution] = []
        vague: list[Resolution] = []
        seen: set[tuple[str, str, int | None]] = set()
        stack = [*start]
        stack.reverse()
        while stack:
            item = stack.pop()
            if isinstance(item, _Guess):
                vague.append(item.answer)
            elif isinstance(item, Unresolved):
                vague.append(item)
            elif not isinstance(item, _Goal):
                found.append(item)
            elif (key := (item.path, item.name, item.before)) not in seen:
                seen.add(key)
                stack.extend(reversed([*self._steps(item)]))
        return found, vague

    def _steps(self, goal: _Goal) -> Iterator[Resolution | _Goal | _Guess]:
        """Yield what the file says of the name: definitions, places to look further, and reasons for not knowing."""
        outline = self.outlines(goal.path)
        live = () if outline is None else live_bindings(outline.bindings.get(goal.name, ()), goal.before)
        if not live:
            inner = self.table.submodule(goal.path, goal.name)
            if inner is not None and (not goal.by_star or _lists(outline, goal.name)):
                yield Definition(inner, "", BindingKind.MODULE, via=goal.via)
        if outline is None:
            yield Unresolved(f"{goal.path} could not be read", goal.via)
            return
        changed = goal.changed or any(binding.in_function for binding in live)
        altered = changed or any(binding.kind is BindingKind.MUTATE for binding in live)
        own = _definitions(goal, live, changed=changed)
        for binding in live:
            via = (*goal.via, (goal.path, binding.line))
            if binding.kind is BindingKind.IMPORT:
                yield from self._modules(goal.path, binding.module, 0, via)
            elif binding.kind is BindingKind.FROM:
                yield from self._from(goal.path, binding.module, binding.level, binding.attribute, via, changed=altered)
            elif binding.kind in own:
                yield own.pop(binding.kind)
        if all(binding.conditional or binding.kind in _ADDITIVE for binding in live):
            yield from self._stars(goal, outline)
        if not live and outline.dynamic_getattr and goal.via:
            yield Unresolved(f"{goal.path} computes {goal.name} in __getattr__", goal.via, goal.path)

    def _stars(self, goal: _Goal, outline: Outline) -> Iterator[_Goal | _Guess]:
        """Look behind the star imports, the last first, as it wins."""
        for star in reversed(outline.stars):
            if goal.before is not None and star.statement >= goal.before:
                continue
            via = (*goal.via, (goal.path, star.line))
            for target in self._modules(goal.path, star.module, star.level, via):
                if isinstance(target, External):
                    if not goal.name.startswith("_"):
                        yield _Guess(External(f"{target.dotted}.{goal.name}", via))
                elif target.path.endswith(".py") and self._exports(target.path, goal.name):
                    yield _Goal(target.path, goal.name, via, by_star=True, changed=goal.changed)

    def _exports(self, path: str, name: str) -> bool:
        outline = self.outlines(path)
        if outline is None or outline.dunder_all is None:
            return not name.startswith("_")
        return name in outline.dunder_all

    def _from(
        self, path: str, module: str, level: int, attribute: str, via: Hops, *, changed: bool = False
    ) -> Iterator[Resolution | _Goal]:
        """Yield the places to look in for `from module import attribute`, or the answer where it is known at once."""
        for target in self._modules(path, module, level, via):
            if isinstance(target, Definition) and target.path.endswith(".py"):
                yield _Goal(target.path, attribute, via, changed=changed)
            else:
                yield from self.attribute(target, attribute)

    def _modules(self, path: str, module: str, level: int, via: Hops) -> tuple[Definition | External, ...]:
        """List what a module name means: our files, our namespace packages, or somebody else's package."""
        table = self.table
        if level:
            base = table.relative_folder(path, level)
            inner = "/".join(part for part in (base, *module.split(".")) if part)
            places = table.relative(path, level, module)
            if not places and base is not None and table.is_folder(inner):
                places = (inner,)
            dotted = ".".join(part for part in (table.name_of(base or ""), module) if part)
        else:
            places = table.find(module, path) or table.find_folders(module, path)
            dotted = module
        if not places:
            return (External(dotted, via),)
        return tuple(Definition(place, "", BindingKind.MODULE, via=via) for place in places)

    # attributes

    def _module_attribute(self, owner: Definition, name: str) -> tuple[Resolution, ...]:
        if owner.path.endswith(".py"):
            found, vague = self._search([_Goal(owner.path, name, owner.via)])
            return distinct(found or vague or [Unresolved(f"{owner.path} does not bind {name}", owner.via)])
        inner = self.table.submodule(owner.path, name)
        if inner is None:
            return (External(f"{self.table.name_of(owner.path)}.{name}", owner.via),)
        return (Definition(inner, "", BindingKind.MODULE, via=owner.via),)

    def _class_attribute(self, owner: Definition, name: str) -> tuple[Resolution, ...]:
        """Look a member up in the class and then in its bases, in the order in which they are written."""
        seen: set[tuple[str, str]] = set()
        strangers: list[Resolution] = []
        queue: list[Resolution] = [owner]
        while queue:
            current = queue.pop(0)
            if isinstance(current, External):
                strangers.append(External(f"{current.dotted}.{name}", current.via))
            if not isinstance(current, Definition) or (current.path, current.name) in seen:
                continue
            seen.add((current.path, current.name))
            outline = self.outlines(current.path)
            if outline is None:
                continue
            if name in outline.members.get(current.name, ()):
                return (_member(current, outline, name),)
            bases = outline.classes.get(current.name, ())
            queue.extend(part for base in bases if base for part in self.resolve_attribute(current.path, base))
        return tuple(strangers) or (
            Unresolved(f"neither class {owner.name} in {owner.path} nor its bases define {name}", owner.via),
        )


def live_bindings(bindings: tuple[Binding, ...], before: int | None = None) -> tuple[Binding, ...]:
    """Return the bindings that the value may still come from: those since the last one that always runs.

    Imports for type checkers only count where nothing else binds the name.
    """
    if before is not None:
        bindings = tuple(binding for binding in bindings if binding.statement < before)
    running = tuple(binding for binding in bindings if not binding.type_only)
    bindings = running or bindings
    start = 0
    for index, binding in enumerate(bindings):
        if not binding.conditional and binding.kind not in _ADDITIVE:
            start = index
    functions = (binding for binding in bindings[:start] if binding.in_function)
    return (*functions, *bindings[start:])


def _definitions(goal: _Goal, live: tuple[Binding, ...], *, changed: bool) -> dict[BindingKind, Definition]:
    """Return one definition for each kind of local binding; changes in place go with the plain value."""
    found: dict[BindingKind, Definition] = {}
    additions = {binding.statement for binding in live if binding.kind in _ADDITIVE and not binding.in_function}
    for kind in {binding.kind for binding in live} - _IMPORTS - _ADDITIVE:
        statements = {binding.statement for binding in live if binding.kind is kind}
        if kind is BindingKind.VALUE:
            statements |= additions
        found[kind] = Definition(goal.path, goal.name, kind, tuple(sorted(statements)), changed, goal.via)
    if not found and any(binding.kind is BindingKind.GLOBAL for binding in live):
        found[BindingKind.GLOBAL] = Definition(
            goal.path, goal.name, BindingKind.GLOBAL, changed_elsewhere=True, via=goal.via
        )
    return found


def _lists(outline: Outline | None, name: str) -> bool:
    return outline is not None and outline.dunder_all is not None and name in outline.dunder_all


def _member(owner: Definition, outline: Outline, name: str) -> Definition:
    qualified = f"{owner.name}.{name}"
    if qualified in outline.functions:
        kind = BindingKind.DEF
    elif qualified in outline.classes:
        kind = BindingKind.CLASS
    else:
        kind = BindingKind.VALUE
    return Definition(owner.path, qualified, kind, owner.statements, owner.changed_elsewhere, owner.via)
