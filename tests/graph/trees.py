"""Turn small in-memory code bases into module tables, outlines and resolvers for the graph's tests."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field
from textwrap import dedent

from hwlint.graph.carriers import Carries
from hwlint.graph.modules import ModuleTable
from hwlint.graph.outline import Outline, outline
from hwlint.graph.relevance import Known, Surface, passed_on
from hwlint.graph.resolve import Definition, External, Resolution, Resolver
from hwlint.source.needles import ask, words


@dataclass
class Tree:
    """A code base given as path -> source; it counts the outlines drawn, to show what is never looked at."""

    sources: Mapping[str, str]
    root: str = ""
    outlined: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.table = ModuleTable.build(sorted(self.sources), self.root)
        self.resolver = Resolver(self.table, self.outline)
        self._known: dict[str, Outline | None] = {}

    def outline(self, path: str) -> Outline | None:
        """Return the outline of a file, or None where it does not parse."""
        if path not in self._known:
            self.outlined.append(path)
            try:
                self._known[path] = outline(ast.parse(dedent(self.sources[path])))
            except SyntaxError:
                self._known[path] = None
        return self._known[path]

    def work(self, news: Mapping[str, Known]) -> dict[str, tuple[Surface, dict[str, Carries]] | None]:
        """Return what each file passes on, None for one that does not parse."""
        outlines = {path: self.outline(path) for path in news}
        return {path: None if one is None else passed_on(one, news[path]) for path, one in outlines.items()}

    def search(self, names: frozenset[str]) -> dict[str, frozenset[str]]:
        """Return, for each file that has any of the words or attributes, those that it has."""
        asked = ask([name.encode() for name in names])
        held = {path: asked.found(source.encode(), words(source.encode())) for path, source in self.sources.items()}
        return {path: found for path, found in held.items() if found}

    def where(self, path: str, dotted: str) -> list[str]:
        """Resolve a name and say where it leads, in a form that reads well in an assertion."""
        return [place(one) for one in self.resolver.resolve_attribute(path, dotted)]


def place(one: Resolution) -> str:
    match one:
        case Definition(path=path, name=name):
            return f"{path}:{name}" if name else path
        case External(dotted=dotted):
            return dotted
    return f"? {one.reason}"
