"""Hold what one module binds, imports and mentions: the outline that replaces its syntax tree."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple

from hwlint.graph.flow import Flow

# The target of a flow that stands for "what the function returns or yields".
RETURN = ""
# The target of a flow that stands for "whether the function raises", and the source that stands for its parameters.
RAISES = "!"
GIVEN = "?"


class BindingKind(Enum):
    """How a module-level name comes to its value."""

    IMPORT = "import"  # `import a.b` binds a, `import a.b as c` binds c
    FROM = "from"  # `from m import x as y` binds y
    STAR = "star"  # `from m import *`; listed in `Outline.stars`, as it has no name
    DEF = "def"
    CLASS = "class"
    VALUE = "value"  # assigned, annotated with a value, or bound by for, with, except, walrus, match
    MUTATE = "mutate"  # changed in place: `x[k] = v`, `x += v`, `del x[k]`, `x.update(v)`
    GLOBAL = "global"  # assigned inside a function that declares it global
    DELETE = "delete"  # `del x`
    MODULE = "module"  # a whole module; a kind of definition only, never of a binding


class Binding(NamedTuple):
    """One statement that binds, or changes, a module-level name.

    `statement` is the index in `tree.body` of the top-level statement that it lies in. `conditional` says
    that it lies in a branch, loop, try or match; `type_only` that only a type checker runs it. `module`, `level`
    and `attribute` are those of an import: `from ..m import x as y` has "m", 2 and "x".
    """

    kind: BindingKind
    statement: int
    line: int
    conditional: bool = False
    in_function: bool = False
    type_only: bool = False
    module: str = ""
    level: int = 0
    attribute: str = ""


class Import(NamedTuple):
    """One imported name, wherever in the file it is: also in functions, and by `import_module("literal")`.

    `name` is what it binds ("" where it binds nothing), `attribute` is "" for `import a.b` and "*" for a star.
    """

    name: str
    module: str
    level: int
    attribute: str
    line: int
    statement: int
    in_function: bool
    type_only: bool


@dataclass(frozen=True, slots=True)
class Unit:
    """One function, method, class body or top-level statement: what it mentions and where values flow in it.

    `name` is the qualified name, "" for a statement. `mentions` holds the identifiers of
    the code, its attributes with a dot in front (and without, where a module could be what they are read off), and
    the strings that could be one, both ways (`getattr(x, "name")`). A condition counts as a source of what
    is bound or returned under it where that is a literal: `if is_new(): return "fast"`.
    """

    name: str
    statement: int
    line: int
    mentions: frozenset[str]
    drawn: list[tuple[Flow, ...]] = field(default_factory=list)
    """The flows, once they have been asked for."""
    draw: Callable[[], tuple[Flow, ...]] = field(default=tuple, compare=False, repr=False)

    @property
    def flows(self) -> tuple[Flow, ...]:
        """Where values flow; most units are never asked."""
        if not self.drawn:
            self.drawn.append(self.draw())
        return self.drawn[0]


@dataclass(frozen=True, slots=True)
class Outline:
    """Everything the graph needs to know of one module.

    `classes` gives the base expressions as dotted text ("" where one is not a dotted name), `members` the names
    bound in a class body, `attributes` those that its methods set on `self` or `cls`; `functions` the line
    of every function that is not nested in another. Keys are qualified: `Outer.Inner.method`.
    `dunder_all` is None where the module has no `__all__`, or one that is not written as strings throughout.
    """

    bindings: Mapping[str, tuple[Binding, ...]]
    stars: tuple[Binding, ...]
    imports: tuple[Import, ...]
    classes: Mapping[str, tuple[str, ...]]
    members: Mapping[str, frozenset[str]]
    attributes: Mapping[str, frozenset[str]]
    functions: Mapping[str, int]
    units: tuple[Unit, ...]
    dunder_all: tuple[str, ...] | None
    dynamic_getattr: bool
