"""Tell what is known of one module: its names, what its functions do to its objects, where its nodes stand."""

from __future__ import annotations

import ast
import re
from bisect import bisect_left
from collections.abc import Collection
from dataclasses import dataclass, field
from functools import cached_property

from hwlint.evaluate.changes import (
    Change,
    attributes_set_in_functions,
    changes_in_functions,
    changes_of_class_containers,
    changes_through_aliases,
    given_to_be_changed,
    handled_in_functions,
)
from hwlint.evaluate.effects import Effects
from hwlint.evaluate.holders import INSIDE
from hwlint.evaluate.rebound import bound_again
from hwlint.graph.bindings import Binding, Outline
from hwlint.graph.expressions import MUTATORS
from hwlint.model.span import Span
from hwlint.source.locate import span, text_at
from hwlint.source.nodes import walk
from hwlint.source.parse import Parsed

_STORES = re.compile(
    r"^[ \t]*+(?:(\w++)\.)++(\w++)[ \t]*+(?::[^=\n]+)?(?:[-+*/|&^%@]|//|\*\*|<<|>>)?=(?!=)", re.MULTILINE
)
_CHANGED_OUTSIDE = re.compile(
    rf"\b(?!self\b|cls\b)\w++\.(\w++)(?:\.(?:{'|'.join(sorted(MUTATORS))}|get|values|items)\(|\[|\s*[-+*/|&^]=|\s*$)",
    re.MULTILINE,
)
"""An attribute of a name that may be changed there, or be given a name of its own to change it by."""
_SETATTR = re.compile(r"\bsetattr\(\s*(?:\w+\.)*(\w+)\s*,")


@dataclass(frozen=True)
class Code:
    """One parsed module with its outline."""

    path: str
    parsed: Parsed
    outline: Outline
    carriers: frozenset[str] | None = None
    """Names that may carry hardware values in this file; None where every name counts."""
    _spans: dict[ast.AST, Span] = field(default_factory=dict)
    _matters: dict[str, bool] = field(default_factory=dict)

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

    @cached_property
    def effects(self) -> Effects:
        """What the top-level statements do to each other's objects."""
        return Effects(self.body, self.outline)

    @cached_property
    def changes(self) -> dict[str, Change]:
        """What the functions of the module do to containers that it holds."""
        return changes_in_functions(self.body, self._handed)

    @cached_property
    def _handed(self) -> set[str]:
        return given_to_be_changed(self.body)

    @cached_property
    def _shown_changed(self) -> frozenset[str]:
        return frozenset(match[1] for match in _CHANGED_OUTSIDE.finditer(self.parsed.text.text))

    def changed_outside(self, attribute: str) -> Change | None:
        """What functions of the module do to a container that an attribute of anything but `self` holds."""
        if attribute.removesuffix(INSIDE) not in self._shown_changed:
            return None
        held = [change for name, change in self.changes.items() if _is_of_others(name, attribute)]
        return max(held, key=lambda change: change.value, default=None)

    @cached_property
    def class_changes(self) -> dict[str, Change]:
        """What the statements of the module do to containers that its classes may hold, by attribute."""
        return changes_of_class_containers(self.body, self.outline.classes)

    @cached_property
    def aliased(self) -> dict[str, Change]:
        """What the functions of the module do to its containers through names of their own."""
        return changes_through_aliases(self.body, self._handed)

    @cached_property
    def outside_stores(self) -> frozenset[tuple[str, str]]:
        """What looks like an attribute of a name being set, as (name, attribute); `*` is any attribute."""
        text = self.parsed.text.text
        found = {(match[1], match[2]) for match in _STORES.finditer(text)} if "=" in text else set()
        found |= {(match[1], "*") for match in _SETATTR.finditer(text)} if "setattr" in text else set()
        return frozenset(found)

    @cached_property
    def stores(self) -> dict[tuple[str, str], list[ast.Attribute]]:
        """Where `name.attribute` is set or deleted, by (name, attribute)."""
        found: dict[tuple[str, str], list[ast.Attribute]] = {}
        for part in walk(self.parsed.tree):
            if not isinstance(part, ast.Attribute) or isinstance(part.ctx, ast.Load):
                continue
            if isinstance(part.value, ast.Name):
                found.setdefault((part.value.id, part.attr), []).append(part)
        return found

    @cached_property
    def stored(self) -> frozenset[str]:
        """The attributes that functions of the module set on objects which are not their own."""
        return attributes_set_in_functions(self.body)

    @cached_property
    def handled(self) -> frozenset[str]:
        """The names with whose objects functions of the module do more than read attributes."""
        return handled_in_functions(self.body)

    @cached_property
    def rebound(self) -> frozenset[str]:
        """The names that functions may find as something else than what the module leaves them as."""
        return bound_again(self.body, self.outline)

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
