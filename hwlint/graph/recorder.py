"""Keep the books while a module is walked: scopes, bindings, flows and units."""

from __future__ import annotations

from collections.abc import Callable

from hwlint.graph.bindings import Binding, BindingKind, Import, Outline, Unit
from hwlint.graph.flow import Flow, Sources, merged


class Scope:
    """The names of one function, class body or module while it is being walked."""

    __slots__ = ("declared", "function", "in_function", "local", "mutated", "parent", "qualified")

    def __init__(self, parent: Scope | None, *, function: bool, qualified: str) -> None:
        self.parent = parent
        self.function = function
        self.in_function: bool = function or (parent is not None and parent.in_function)
        self.qualified = qualified
        self.local: set[str] = set()
        self.declared: set[str] = set()
        self.mutated: list[tuple[str, int, bool]] = []

    def inner_name(self, name: str) -> str:
        """Return the qualified name of something called `name` in this scope."""
        return f"{self.qualified}.{name}" if self.qualified else name


class Recorder:
    """Where the walk stands, and everything it has found so far."""

    def __init__(self) -> None:
        self.bindings: dict[str, list[Binding]] = {}
        self.stars: list[Binding] = []
        self.imports: list[Import] = []
        self.classes: dict[str, tuple[str, ...]] = {}
        self.members: dict[str, frozenset[str]] = {}
        self.attributes: dict[str, set[str]] = {}
        self.functions: dict[str, int] = {}
        self.units: list[Unit] = []
        self.dunder_all: list[str] | None = None
        self.open_all = False  # some part of `__all__` is not written as strings
        self.scope = Scope(None, function=False, qualified="")
        self.statement = 0
        self.conditional = False
        self.type_only = False
        self.mentions: set[str] = set()
        self.flows: dict[str, list[Sources]] = {}

    def open_unit(self) -> None:
        """Start collecting the mentions and flows of one unit."""
        self.mentions = set()
        self.flows = {}

    def close_unit(self, name: str, line: int, draw: Callable[[], tuple[Flow, ...]] | None = None) -> None:
        """Keep the unit, unless it mentions nothing; `draw` gives its flows where they have not been noted."""
        if self.mentions:
            mentions = frozenset(self.mentions)
            if draw is None:
                self.units.append(Unit(name, self.statement, line, mentions, [self.drawn()]))
            else:
                self.units.append(Unit(name, self.statement, line, mentions, [], draw))

    def drawn(self) -> tuple[Flow, ...]:
        """The flows of the unit so far."""
        flows: list[Flow] = []
        for target, parts in self.flows.items():
            sources = parts[0] if len(parts) == 1 else merged(parts)
            flows.extend([Flow(target, way, called, frozenset(found)) for (way, called), found in sources.items()])
        return tuple(flows)

    def flow(self, target: str, sources: Sources) -> None:
        """Note that the value of `target` may come from `sources`, which are not changed any more."""
        if sources:
            known = self.flows.get(target)
            if known is None:
                self.flows[target] = [sources]
            else:
                known.append(sources)

    def bind(
        self, name: str, kind: BindingKind, line: int, module: str = "", level: int = 0, attribute: str = ""
    ) -> None:
        """Note a binding in the scope that it lands in; only the module's own are kept one by one."""
        scope = self.scope
        if name in scope.declared:
            self._keep(name, BindingKind.GLOBAL, line, in_function=True)
        elif scope.parent is None:
            self._keep(name, kind, line, module=module, level=level, attribute=attribute)
        else:
            scope.local.add(name)

    def mutate(self, name: str, line: int, *, in_function: bool = False) -> None:
        """Note a change in place; a scope that turns out to bind the name itself drops it when it ends."""
        scope = self.scope
        while in_function and scope.parent is not None and not scope.function:
            scope = scope.parent  # a class body's names are not visible in its methods
        if scope.parent is not None:
            scope.mutated.append((name, line, in_function or scope.in_function))
        else:
            self._keep(name, BindingKind.MUTATE, line, in_function=in_function)

    def leave(self, outer: Scope) -> Scope:
        """End the current scope, hand its changes of outer names on, and return it."""
        inner, self.scope = self.scope, outer
        for name, line, in_function in inner.mutated:
            if name not in inner.local:
                self.mutate(name, line, in_function=in_function)
        return inner

    def star(self, line: int, module: str, level: int) -> None:
        """Note a star import of the module."""
        self.stars.append(self._binding(BindingKind.STAR, line, module=module, level=level, attribute="*"))

    def set_on_self(self, name: str) -> None:
        """Note that the method which encloses the current scope sets this attribute on its instance or class."""
        scope = self.scope
        while scope.parent is not None and scope.parent.function:
            scope = scope.parent
        if scope.function and scope.parent is not None and scope.parent.qualified:
            self.attributes.setdefault(scope.parent.qualified, set()).add(name)

    def outline(self) -> Outline:
        """Return everything found; a change in place counts only for names that the module binds."""
        bound = {
            name: tuple(found)
            for name, found in self.bindings.items()
            if any(binding.kind is not BindingKind.MUTATE for binding in found)
        }
        return Outline(
            bindings=bound,
            stars=tuple(self.stars),
            imports=tuple(self.imports),
            classes=self.classes,
            members=self.members,
            attributes={name: frozenset(found) for name, found in self.attributes.items()},
            functions=self.functions,
            units=tuple(self.units),
            dunder_all=None if self.dunder_all is None or self.open_all else tuple(self.dunder_all),
            dynamic_getattr="__getattr__" in bound,
        )

    def _keep(
        self,
        name: str,
        kind: BindingKind,
        line: int,
        *,
        in_function: bool = False,
        module: str = "",
        level: int = 0,
        attribute: str = "",
    ) -> None:
        binding = self._binding(kind, line, in_function=in_function, module=module, level=level, attribute=attribute)
        self.bindings.setdefault(name, []).append(binding)

    def _binding(
        self,
        kind: BindingKind,
        line: int,
        *,
        in_function: bool = False,
        module: str = "",
        level: int = 0,
        attribute: str = "",
    ) -> Binding:
        return Binding(
            kind, self.statement, line, self.conditional, in_function, self.type_only, module, level, attribute
        )
