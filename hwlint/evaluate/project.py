"""Give the evaluator the modules of the project, parsed when they are first asked for."""

from __future__ import annotations

import ast
import re
from bisect import bisect_left
from collections.abc import Callable, Collection, Container, Sequence
from dataclasses import dataclass, field

from hwlint.evaluate.effects import (
    Change,
    Effects,
    attributes_set_in_functions,
    changes_in_functions,
    changes_of_class_containers,
    changes_through_aliases,
    handled_in_functions,
)
from hwlint.evaluate.rebound import bound_again
from hwlint.graph.bindings import Binding, Outline
from hwlint.graph.expressions import MUTATORS
from hwlint.graph.modules import ModuleTable
from hwlint.model.span import Span
from hwlint.source.locate import span, text_at
from hwlint.source.nodes import walk
from hwlint.source.parse import Parsed

Load = Callable[[str], tuple[Parsed, Outline] | None]


_STORES = re.compile(
    r"^[ \t]*+(?:(\w++)\.)++(\w++)[ \t]*+(?::[^=\n]+)?(?:[-+*/|&^%@]|//|\*\*|<<|>>)?=(?!=)", re.MULTILINE
)
_CHANGED_OUTSIDE = re.compile(
    rf"\b(?!self\b|cls\b)\w++\.(\w++)(?:\.(?:{'|'.join(sorted(MUTATORS))}|get|values|items)\(|\[|\s*[-+*/|&^]=|\s*$)",
    re.MULTILINE,
)
"""An attribute of a name that may be changed there, or be given a name of its own to change it by."""
_SETATTR = re.compile(r"\bsetattr\(\s*(?:\w+\.)*(\w+)\s*,")
MOST_HEIRS = 24
"""A class from which more classes derive says too little of what its methods find on their objects."""
MOST_PLUGINS = 8
"""A name that more modules of a folder bind says too little of which of them is loaded."""


@dataclass(frozen=True, slots=True)
class Code:
    """One parsed module with its outline."""

    path: str
    parsed: Parsed
    outline: Outline
    carriers: frozenset[str] | None = None
    """Names that may carry hardware values in this file; None where every name counts."""
    _spans: dict[ast.AST, Span] = field(default_factory=dict)
    _matters: dict[str, bool] = field(default_factory=dict)
    _effects: list[Effects] = field(default_factory=list)
    _changes: list[dict[str, Change]] = field(default_factory=list)
    _aliased: list[dict[str, Change]] = field(default_factory=list)
    _shown_changed: list[frozenset[str]] = field(default_factory=list)
    _class_changes: list[dict[str, Change]] = field(default_factory=list)
    _stores: list[frozenset[tuple[str, str]]] = field(default_factory=list)
    _stores_by_name: list[dict[tuple[str, str], list[ast.Attribute]]] = field(default_factory=list)
    _handled: list[frozenset[str]] = field(default_factory=list)
    _rebound: list[frozenset[str]] = field(default_factory=list)
    _stored: list[frozenset[str]] = field(default_factory=list)

    def matters(self, qualname: str) -> bool:
        """True where a function, or anything inside it, mentions a name that may carry a hardware value."""
        if self.carriers is None:
            return True
        if not self._matters:
            for unit in self.outline.units:
                if unit.name and not self.carriers.isdisjoint(unit.mentions):
                    self._matters[unit.name] = True
            self._matters.setdefault("", False)
        while qualname and qualname not in self._matters and qualname not in self.outline.functions:
            qualname = qualname.rpartition(".")[0]
        return self._matters.get(qualname, False)

    def statements_that_matter(self) -> Collection[int]:
        """The indices of the top-level statements that mention a name that may carry a hardware value."""
        carriers = self.carriers
        if carriers is None:
            return range(len(self.body))
        return {unit.statement for unit in self.outline.units if not carriers.isdisjoint(unit.mentions)}

    def touches(self, node: ast.ClassDef) -> bool:
        """True where the body of a class, apart from its methods, mentions a name that may carry a hardware value."""
        methods = (ast.FunctionDef, ast.AsyncFunctionDef)
        return any(self.mentions_a_carrier(part) for part in node.body if not isinstance(part, methods))

    def mentions_a_carrier(self, node: ast.AST) -> bool:
        """True where code mentions a name, or an attribute, that may carry a hardware value."""
        carriers = self.carriers
        return carriers is None or any(
            (part.__class__ is ast.Name and part.id in carriers)
            or (part.__class__ is ast.Attribute and f".{part.attr}" in carriers)
            for part in walk(node)
        )

    def carries(self, node: ast.AST) -> bool:
        """True where an expression mentions a name that may carry a hardware value."""
        return self.carriers is None or any(
            isinstance(part, ast.Name) and part.id in self.carriers for part in ast.walk(node)
        )

    def mentions(self, qualname: str, names: frozenset[str]) -> bool:
        """True where a function mentions one of `names`; those with a dot in front are attributes."""
        if not names:
            return False
        while qualname and qualname not in self.outline.functions:
            qualname = qualname.rpartition(".")[0]
        return any(unit.name == qualname and not names.isdisjoint(unit.mentions) for unit in self.outline.units)

    @property
    def body(self) -> list[ast.stmt]:
        """The top-level statements."""
        return self.parsed.tree.body

    def bindings(self, name: str) -> tuple[Binding, ...]:
        """Everything that binds or changes a module-level name, in order."""
        return self.outline.bindings.get(name, ())

    @property
    def effects(self) -> Effects:
        """What the top-level statements do to each other's objects."""
        if not self._effects:
            self._effects.append(Effects(self.body, self.outline))
        return self._effects[0]

    @property
    def changes(self) -> dict[str, Change]:
        """What the functions of the module do to containers that it holds."""
        if not self._changes:
            self._changes.append(changes_in_functions(self.body))
        return self._changes[0]

    def changed_outside(self, attribute: str) -> Change | None:
        """What functions of the module do to a container that an attribute of anything but `self` holds."""
        if not self._shown_changed:
            found = frozenset(match[1] for match in _CHANGED_OUTSIDE.finditer(self.parsed.text.text))
            self._shown_changed.append(found)
        if attribute.removesuffix("[]") not in self._shown_changed[0]:
            return None
        held = [change for name, change in self.changes.items() if _is_of_others(name, attribute)]
        return max(held, key=lambda change: change.value, default=None)

    @property
    def class_changes(self) -> dict[str, Change]:
        """What the statements of the module do to containers that its classes may hold, by attribute."""
        if not self._class_changes:
            self._class_changes.append(changes_of_class_containers(self.body, self.outline.classes))
        return self._class_changes[0]

    @property
    def aliased(self) -> dict[str, Change]:
        """What the functions of the module do to its containers through names of their own."""
        if not self._aliased:
            self._aliased.append(changes_through_aliases(self.body))
        return self._aliased[0]

    @property
    def outside_stores(self) -> frozenset[tuple[str, str]]:
        """What looks like an attribute of a name being set, as (name, attribute); `*` is any attribute."""
        if not self._stores:
            text = self.parsed.text.text
            found = {(match[1], match[2]) for match in _STORES.finditer(text)} if "=" in text else set()
            found |= {(match[1], "*") for match in _SETATTR.finditer(text)} if "setattr" in text else set()
            self._stores.append(frozenset(found))
        return self._stores[0]

    def stores_of(self, name: str, attribute: str) -> list[ast.Attribute]:
        """Where `name.attribute` is set or deleted."""
        if not self._stores_by_name:
            by_name: dict[tuple[str, str], list[ast.Attribute]] = {}
            for part in walk(self.parsed.tree):
                if not isinstance(part, ast.Attribute) or isinstance(part.ctx, ast.Load):
                    continue
                if isinstance(part.value, ast.Name):
                    by_name.setdefault((part.value.id, part.attr), []).append(part)
            self._stores_by_name.append(by_name)
        return self._stores_by_name[0].get((name, attribute), [])

    @property
    def stored(self) -> frozenset[str]:
        """The attributes that functions of the module set on objects which are not their own."""
        if not self._stored:
            self._stored.append(attributes_set_in_functions(self.body))
        return self._stored[0]

    @property
    def handled(self) -> frozenset[str]:
        """The names with whose objects functions of the module do more than read attributes."""
        if not self._handled:
            self._handled.append(handled_in_functions(self.body))
        return self._handled[0]

    @property
    def rebound(self) -> frozenset[str]:
        """The names that functions may find as something else than what the module leaves them as."""
        if not self._rebound:
            self._rebound.append(bound_again(self.body, self.outline))
        return self._rebound[0]

    def statement_at(self, node: ast.AST) -> int:
        """The index of the top-level statement that a node lies in."""
        return bisect_left(self.body, node.lineno, key=lambda top: top.end_lineno or top.lineno)  # type: ignore[attr-defined]

    def runs_with_module(self, qualname: str) -> bool:
        """True for a class or function whose definition is run once, when the module is: it lies in no function."""
        return qualname in self.outline.classes or qualname in self.outline.functions

    def span(self, node: ast.AST) -> Span:
        """Where a node stands."""
        found = self._spans.get(node)
        if found is None:
            found = span(self.parsed, node) if hasattr(node, "lineno") else Span(self.path, 1, 1, 1, 1)
            self._spans[node] = found
        return found

    def segment(self, node: ast.AST) -> str:
        """The source text of a node."""
        return text_at(self.parsed, self.span(node)) if hasattr(node, "lineno") else ""


def _is_of_others(name: str, attribute: str) -> bool:
    """True for `holder.attribute` where the holder is not the object whose method it is."""
    holder, _, held = name.partition(".")
    return held == attribute and holder not in ("self", "cls")


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
