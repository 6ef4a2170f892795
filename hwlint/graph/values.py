"""Note what expressions do while a module is walked, and bind what is assigned."""

from __future__ import annotations

import ast

from hwlint.graph.bindings import BindingKind, Import
from hwlint.graph.expressions import identifiers, literal_import, mutated_name, string_list
from hwlint.graph.flow import Sources, decided, entries_of, handed_sources, inside, is_literal, sources_of
from hwlint.graph.recorder import Recorder
from hwlint.source.nodes import OWN


class ValueNotes:
    """The part of the walk that reads expressions and binds assignment targets."""

    def __init__(self) -> None:
        self.book = Recorder()
        self.control: tuple[ast.expr, ...] = ()  # the conditions of the branches around

    def expression(self, node: ast.expr) -> None:
        """Note the identifiers of an expression, and its walruses, changes in place and imports."""
        book = self.book
        for part in identifiers(node, book.mentions):
            if isinstance(part, ast.NamedExpr):
                book.bind(part.target.id, BindingKind.VALUE, part.lineno)
                book.flow(part.target.id, sources_of(part.value))
                continue
            name = mutated_name(part)
            if name is not None:
                book.mutate(name, part.lineno)
            module = literal_import(part)
            if module is not None:
                plain = module.lstrip(".")
                self.note_import("", plain, len(module) - len(plain), "", part.lineno)

    def value(self, node: ast.expr) -> Sources:
        """Note an expression whose value is kept, and return where it comes from, or what decides on a literal."""
        self.expression(node)
        if is_literal(node):
            return decided(self.control, node) if self.control else {}
        if node.__class__ is ast.Call:
            for name, sources in handed_sources(node):
                self.book.flow(f".{name}", inside(sources))
        return sources_of(node)

    def condition(self, test: ast.expr) -> tuple[ast.expr, ...]:
        """Note a condition, and return it with those around."""
        self.expression(test)
        return (*self.control, test)

    def named(self, target: ast.expr, value: ast.expr) -> None:
        """Note what the module's own constants are for: `__all__`, or a table of functions by name."""
        if self.book.scope.parent is None and isinstance(target, ast.Name):
            self.exported(target, value, replace=True)
            for entry, sources in entries_of(target.id, value):
                self.book.flow(entry, sources)

    def exported(self, target: ast.expr, value: ast.expr, *, replace: bool) -> None:
        """Follow what is put into `__all__` as far as it is written as strings."""
        book = self.book
        if book.scope.parent is not None or not isinstance(target, ast.Name) or target.id != "__all__":
            return
        names = string_list(value)
        if names is None:
            book.open_all = True
        elif replace:
            book.dunder_all = names
        else:
            book.dunder_all = (book.dunder_all or []) + names

    def target(self, target: ast.expr, sources: Sources) -> None:
        """Bind one assignment target; what is stored in it comes from `sources`."""
        book = self.book
        if isinstance(target, ast.Name):
            book.mentions.add(target.id)
            book.bind(target.id, BindingKind.VALUE, target.lineno)
            book.flow(target.id, sources)
        elif isinstance(target, ast.Attribute):
            identifiers(target, book.mentions)
            book.flow(f".{target.attr}", sources)
            if isinstance(target.value, ast.Name) and target.value.id in OWN:
                book.set_on_self(target.attr)
        elif isinstance(target, ast.Subscript):
            self.item(target.value, target.slice, sources)
        elif isinstance(target, (ast.Tuple, ast.List)):
            for element in target.elts:
                self.target(element, sources)
        elif isinstance(target, ast.Starred):
            self.target(target.value, sources)
        else:
            message = f"{target.__class__.__name__} cannot be assigned to"
            raise TypeError(message)

    def item(self, owner: ast.expr, key: ast.expr, sources: Sources) -> None:
        """Note that an item of `owner` is set or deleted."""
        book = self.book
        identifiers(owner, book.mentions)
        self.expression(key)
        if isinstance(owner, ast.Name):
            book.mutate(owner.id, owner.lineno)
            book.flow(owner.id, inside(sources))
        elif isinstance(owner, ast.Attribute):
            book.flow(f".{owner.attr}", inside(sources))

    def note_import(self, name: str, module: str, level: int, attribute: str, line: int) -> None:
        """Note an import for the list of all imports, whatever scope it is in."""
        book = self.book
        in_function = book.scope.in_function
        book.imports.append(Import(name, module, level, attribute, line, book.statement, in_function, book.type_only))
