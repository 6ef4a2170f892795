"""Draw the outline of a module: what it binds, imports and mentions, in one walk over its tree."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from hwlint.graph.bindings import GIVEN, RAISES, RETURN, Binding, BindingKind, Import, Outline, Unit
from hwlint.graph.expressions import (
    MUTATORS,
    dotted_text,
    identifiers,
    is_type_checking,
)
from hwlint.graph.flow import Flow, Sources, Way, asked, handed_sources, inside, merged, sources_of
from hwlint.graph.plain import plain
from hwlint.graph.recorder import Scope
from hwlint.graph.values import ValueNotes
from hwlint.source.nodes import OWN, FunctionNode
from hwlint.source.syntax import parse_tree

__all__ = ["RETURN", "Binding", "BindingKind", "Flow", "Import", "Outline", "Unit", "outline"]

_NOTHING: Sources = {}


def outline(tree: ast.Module) -> Outline:
    """Return the outline of a parsed module; the tree is not changed and not kept."""
    scan = _Scan()
    for index, node in enumerate(tree.body):
        scan.top_level(index, node)
    return scan.book.outline()


class _Scan(ValueNotes):
    """The walk: statements by kind, expressions by one loop that collects identifiers."""

    def __init__(self) -> None:
        super().__init__()
        self.result = RETURN

    def top_level(self, index: int, node: ast.stmt) -> None:
        """Walk one statement of the module's body."""
        self.book.statement = index
        self.book.open_unit()
        self._block((node,))
        self.book.close_unit("", node.lineno)

    def _block(self, body: Iterable[ast.stmt]) -> None:
        for node in body:
            handler = _HANDLERS.get(node.__class__)
            if handler is not None:
                handler(self, node)

    def _branch(self, body: Iterable[ast.stmt], control: tuple[ast.expr, ...], *, type_only: bool = False) -> None:
        """Walk a block that runs only when the conditions in `control` let it."""
        book = self.book
        before = book.conditional, book.type_only, self.control
        book.conditional = True
        book.type_only = book.type_only or type_only
        self.control = control
        self._block(body)
        book.conditional, book.type_only, self.control = before

    # imports

    def _import(self, node: ast.Import) -> None:
        for alias in node.names:
            first = alias.name.partition(".")[0]
            name = alias.asname or first
            self.note_import(name, alias.name, 0, "", node.lineno)
            self.book.bind(name, BindingKind.IMPORT, node.lineno, alias.name if alias.asname else first)

    def _import_from(self, node: ast.ImportFrom) -> None:
        module, book = node.module or "", self.book
        for alias in node.names:
            if alias.name == "*":
                self.note_import("", module, node.level, "*", node.lineno)
                book.star(node.lineno, module, node.level)
                continue
            name = alias.asname or alias.name
            if name != alias.name:
                book.mentions.add(alias.name)
                book.flow(name, {(Way.WHOLE, False): {alias.name}})
            self.note_import(name, module, node.level, alias.name, node.lineno)
            book.bind(name, BindingKind.FROM, node.lineno, module, node.level, alias.name)

    # definitions

    def _function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        book, outer = self.book, self.book.scope
        book.bind(node.name, BindingKind.DEF, node.lineno)
        if outer.in_function:
            self._body(node, node.name)
            return
        qualified = outer.inner_name(node.name)
        book.functions[qualified] = node.lineno
        saved = book.mentions, book.flows
        book.open_unit()
        read = plain(node)
        if read is None:
            self._body(node, RETURN)
            book.close_unit(qualified, node.lineno)
        else:
            book.scope = Scope(outer, function=True, qualified=qualified)
            for statement in read.imports:
                _HANDLERS[statement.__class__](self, statement)
            for name in read.set_on_self:
                book.set_on_self(name)
            book.mentions |= read.mentions
            book.scope = outer
            book.close_unit(qualified, node.lineno, _Later(node))
        book.mentions, book.flows = saved

    def _body(self, node: ast.FunctionDef | ast.AsyncFunctionDef, result: str) -> None:
        """Walk a function; `result` is the target of what it returns."""
        book, outer = self.book, self.book.scope
        before = self.result, self.control
        self.result, self.control = result, ()
        book.scope = Scope(outer, function=True, qualified=outer.inner_name(node.name))
        for decorator in node.decorator_list:
            self.expression(decorator)
        self._parameters(node.args)
        if node.returns is not None:
            identifiers(node.returns, book.mentions)
        self._block(node.body)
        book.leave(outer)
        if RAISES in book.flows and result == RETURN:
            for argument in _given(node.args):
                book.flow(argument, {(Way.WHOLE, False): {GIVEN}})
        self.result, self.control = before

    def _parameters(self, arguments: ast.arguments) -> None:
        book = self.book
        plain = arguments.posonlyargs + arguments.args
        others = [extra for extra in (arguments.vararg, arguments.kwarg) if extra is not None]
        for argument in (*plain, *arguments.kwonlyargs, *others):
            book.scope.local.add(argument.arg)
            if argument.annotation is not None:
                identifiers(argument.annotation, book.mentions)
        if arguments.defaults:
            for argument, value in zip(plain[-len(arguments.defaults) :], arguments.defaults, strict=True):
                self.expression(value)
                book.flow(argument.arg, sources_of(value))
        for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
            if default is not None:
                self.expression(default)
                book.flow(argument.arg, sources_of(default))

    def _class(self, node: ast.ClassDef) -> None:
        book, outer = self.book, self.book.scope
        book.bind(node.name, BindingKind.CLASS, node.lineno)
        qualified = outer.inner_name(node.name)
        nested = outer.in_function
        saved = book.mentions, book.flows
        if not nested:
            book.open_unit()
            book.classes[qualified] = tuple(dotted_text(base) for base in node.bases)
        for expression in (*node.decorator_list, *node.bases, *(keyword.value for keyword in node.keywords)):
            self.expression(expression)
        book.scope = Scope(outer, function=False, qualified=qualified)
        self._block(node.body)
        inner = book.leave(outer)
        if not nested:
            book.members[qualified] = frozenset(inner.local)
            book.close_unit(qualified, node.lineno)
            book.mentions, book.flows = saved

    # assignments

    def _assign(self, node: ast.Assign) -> None:
        sources = self.value(node.value)
        for target in node.targets:
            self.target(target, sources)
        self.named(node.targets[0], node.value)

    def _annotated(self, node: ast.AnnAssign) -> None:
        identifiers(node.annotation, self.book.mentions)
        if node.value is not None:
            self.target(node.target, self.value(node.value))
            self.named(node.target, node.value)
        elif isinstance(node.target, ast.Name):
            self.book.mentions.add(node.target.id)
            self.book.scope.local.add(node.target.id)

    def _augmented(self, node: ast.AugAssign) -> None:
        sources, book = self.value(node.value), self.book
        if not isinstance(node.target, ast.Name):
            self.target(node.target, sources)
            return
        name = node.target.id
        book.mentions.add(name)
        book.flow(name, sources)
        if book.scope.function:
            book.bind(name, BindingKind.VALUE, node.lineno)
        else:
            book.mutate(name, node.lineno)
        self.exported(node.target, node.value, replace=False)

    def _delete(self, node: ast.Delete) -> None:
        for target in node.targets:
            if isinstance(target, ast.Name):
                self.book.mentions.add(target.id)
                self.book.bind(target.id, BindingKind.DELETE, node.lineno)
            else:
                self.target(target, _NOTHING)

    # branches

    def _return(self, node: ast.Return) -> None:
        if node.value is not None:
            self.book.flow(self.result, self.value(node.value))
            for name, sources in handed_sources(node.value):  # a record of answers
                self.book.flow(f".{name}", asked(sources))

    def _if(self, node: ast.If) -> None:
        control = self.condition(node.test)
        type_only = is_type_checking(node.test)
        self._branch(node.body, control, type_only=type_only is True)
        while len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If) and type_only is None:
            node = node.orelse[0]  # a loop, so that a chain of thousands of `elif` does not exhaust the stack
            control = self.condition(node.test)
            type_only = is_type_checking(node.test)
            self._branch(node.body, control, type_only=type_only is True)
        if node.orelse:
            self._branch(node.orelse, control, type_only=type_only is False)

    def _while(self, node: ast.While) -> None:
        control = self.condition(node.test)
        self._branch(node.body, control)
        self._branch(node.orelse, control)

    def _for(self, node: ast.For | ast.AsyncFor) -> None:
        sources = self.value(node.iter)
        before, self.book.conditional = self.book.conditional, True
        self.target(node.target, sources)
        self.book.conditional = before
        self._branch(node.body, self.control)
        self._branch(node.orelse, self.control)

    def _with(self, node: ast.With | ast.AsyncWith) -> None:
        for item in node.items:
            sources = self.value(item.context_expr)
            if item.optional_vars is not None:
                self.target(item.optional_vars, sources)
        self._block(node.body)

    def _try(self, node: ast.Try) -> None:
        self._branch(node.body, self.control)
        for handler in node.handlers:
            if handler.type is not None:
                self.expression(handler.type)
            self._branch(handler.body, self.control)
        self._branch(node.orelse, self.control)
        self._block(node.finalbody)

    def _match(self, node: ast.Match) -> None:
        book, control = self.book, self.condition(node.subject)
        subject = sources_of(node.subject)
        before, book.conditional = book.conditional, True
        for case in node.cases:
            for part in ast.walk(case.pattern):
                name = part.rest if isinstance(part, ast.MatchMapping) else getattr(part, "name", None)
                if isinstance(name, str):
                    book.bind(name, BindingKind.VALUE, case.pattern.lineno)
                    book.flow(name, subject)
                elif isinstance(part, (ast.MatchValue, ast.MatchClass)):
                    self.expression(part.cls if isinstance(part, ast.MatchClass) else part.value)
            if case.guard is not None:
                self.expression(case.guard)
            self._branch(case.body, control)
        book.conditional = before

    def _global(self, node: ast.Global) -> None:
        if self.book.scope.function:
            self.book.scope.declared.update(node.names)

    def _bare(self, node: ast.Expr) -> None:
        value = node.value
        if isinstance(value, ast.Constant):
            return
        self.value(value)
        if isinstance(value, (ast.Yield, ast.YieldFrom)):
            self.book.flow(self.result, sources_of(value))
        if not (isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute)):
            return
        method, owner = value.func.attr, value.func.value
        if method in MUTATORS and isinstance(owner, (ast.Name, ast.Attribute)):
            target = owner.id if isinstance(owner, ast.Name) else f".{owner.attr}"
            for argument in value.args:
                self.book.flow(target, inside(sources_of(argument)))
                self.exported(owner, argument, replace=False)

    def _raise(self, node: ast.Raise | ast.Assert) -> None:
        tests = (*self.control, node.test) if isinstance(node, ast.Assert) else self.control
        if tests and self.book.scope.in_function:
            self.book.flow(RAISES, merged(sources_of(test, Way.TEST) for test in tests))
        for part in ast.iter_child_nodes(node):
            if isinstance(part, ast.expr):
                self.expression(part)


def let_go(found: Outline, lines: Sequence[str]) -> None:
    """Let an outline keep no node of its tree: flows that nobody has asked for yet are drawn from the text.

    `lines` are the lines of the module that the outline is of, with their ends.
    """
    for unit in found.units:
        if isinstance(unit.draw, _Later):
            unit.draw.let_go(lines)


@dataclass(slots=True)
class _Later:
    """Draws the flows of a function when they are asked for, from its node or, once that is let go, from its text."""

    node: FunctionNode | None
    text: str = ""

    def __call__(self) -> tuple[Flow, ...]:
        if self.node is not None:
            return _flows_in(self.node)
        (block,) = parse_tree(f"if 1:\n{self.text}" if self.text[:1].isspace() else self.text).body
        node = block.body[0] if isinstance(block, ast.If) else block
        assert isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
        return _flows_in(node)

    def let_go(self, lines: Sequence[str]) -> None:
        """Keep the text instead of the node."""
        if self.node is not None:
            first = min(part.lineno for part in (self.node, *self.node.decorator_list))
            self.text, self.node = "".join(lines[first - 1 : self.node.end_lineno]), None


def _flows_in(node: FunctionNode) -> tuple[Flow, ...]:
    """The flows of one function that is not nested in another."""
    scan = _Scan()
    scan.book.open_unit()
    scan._body(node, RETURN)
    return scan.book.drawn()


def _given(arguments: ast.arguments) -> list[str]:
    """The names of the parameters, the object itself left out."""
    extra = [one for one in (arguments.vararg, arguments.kwarg) if one is not None]
    named = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, *extra]
    return [one.arg for one in named if one.arg not in OWN]


_HANDLERS: dict[type[ast.AST], Callable[[Any, Any], None]] = {
    ast.Import: _Scan._import,
    ast.ImportFrom: _Scan._import_from,
    ast.FunctionDef: _Scan._function,
    ast.AsyncFunctionDef: _Scan._function,
    ast.ClassDef: _Scan._class,
    ast.Assign: _Scan._assign,
    ast.AnnAssign: _Scan._annotated,
    ast.AugAssign: _Scan._augmented,
    ast.Delete: _Scan._delete,
    ast.Return: _Scan._return,
    ast.If: _Scan._if,
    ast.While: _Scan._while,
    ast.For: _Scan._for,
    ast.AsyncFor: _Scan._for,
    ast.With: _Scan._with,
    ast.AsyncWith: _Scan._with,
    ast.Try: _Scan._try,
    ast.TryStar: _Scan._try,
    ast.Match: _Scan._match,
    ast.Global: _Scan._global,
    ast.Expr: _Scan._bare,
    ast.Raise: _Scan._raise,
    ast.Assert: _Scan._raise,
}
