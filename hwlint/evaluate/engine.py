"""Evaluate one file: every function with unknown arguments, every method on an instance, and the module itself."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache, partial

from hwlint.evaluate.answers import Class, Function
from hwlint.evaluate.budget import OverBudget
from hwlint.evaluate.code import Code
from hwlint.evaluate.inherited import inherited
from hwlint.evaluate.origin import OriginValues
from hwlint.evaluate.project import Project
from hwlint.evaluate.recorder import Recorder
from hwlint.evaluate.scopes import binding_of
from hwlint.evaluate.state import Called
from hwlint.evaluate.statements import Statements
from hwlint.evaluate.survey import survey
from hwlint.evaluate.values import EVERYWHERE, Value
from hwlint.evaluate.windows import windows
from hwlint.hardware.table import load
from hwlint.hardware.targets import parse_targets
from hwlint.model.architecture import Architecture, Vendor
from hwlint.model.observation import FallThrough, Gate, Lookup, NoneUse, Observation, Place, TextUse, Unset
from hwlint.model.origin import Origins
from hwlint.source.nodes import walk

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef
Work = Callable[[], None]
"""What evaluates one root."""

_WORKED_OUT = (ast.Attribute, ast.BoolOp, ast.Call, ast.Compare, ast.IfExp, ast.Subscript)
"""Defaults in which something can fail or be decided."""


class Machine(OriginValues, Statements):
    """The whole evaluator."""

    def __init__(self, architectures: Sequence[Architecture], project: Project, origins: Origins) -> None:
        """Prepare to evaluate files of `project` on `architectures`; what is known of modules is kept in between."""
        super().__init__(architectures, project, origins)
        self._whole: Machine | None = None
        """The same for every architecture of the catalogue, made when it is first asked."""
        self._asks_all = True
        self._loaded = self.everyone
        """The architectures on which the statements of the running file, as far as they have run, do not raise."""

    def evaluate(self, path: str) -> list[Observation]:
        """Evaluate every root of a file and return what was seen from there, sorted.

        Observations may lie in other files that this one calls into. A root that exceeds its budget is recorded
        as unknown and the others go on.
        """
        code = self.project.code(path)
        self.recorder = Recorder()
        self._memo.clear()
        self.defined.clear()
        self._loaded = self.everyone
        self.budget.open()
        if code is None:
            return []
        for node, work in self.roots(code):
            self._root(code, node, work)
        for window in windows(self, code):
            self.recorder.surveyed(window)
        if self._asks_all:
            survey(code, self.recorder, lambda name: self._imported_texts(name, path))
        return self._settled(path, self.recorder.observations())

    def roots(self, code: Code) -> Iterator[tuple[ast.AST, Work]]:
        """Yield what of a file is evaluated by itself, with what evaluates it, in the order that counts."""
        mattering = code.statements_that_matter()
        for index, node in enumerate(code.body):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                decorators = [each for each in node.decorator_list if isinstance(each, ast.Call) and code.carries(each)]
                for part in (*decorators, *_defaults(code, node)):
                    shown = ast.copy_location(ast.Expr(part), part)
                    yield part, partial(self._module_statement, code, shown, index)
                yield from self._decorated(code, node, index)
                if isinstance(node, ast.ClassDef) and index in mattering and code.touches(node):
                    yield node, partial(self._module_statement, code, node, index)
            elif index in mattering and not isinstance(node, (ast.Import, ast.ImportFrom)):
                yield node, partial(self._module_statement, code, node, index)
        for function, owner in functions(code):
            if code.matters(function.qualname):
                yield function.node, partial(self._function, function, owner)
        for below, function in inherited(self, code):
            yield below.node, partial(self._below, function, below)

    def _imported_texts(self, name: str, path: str) -> list[str] | None:
        """The texts of a list that a module imports, in their order; None where that is not known."""
        value = self.quietly(ast.Name(name, ast.Load()), path)
        found: list[str] = []
        for items, rest, _ in self.iterate(value, self.fresh(path, "")):
            answers = [item.only() for item in items]
            if rest is not None or found or not all(type(answer) is str for answer in answers):
                return None
            found = [str(answer) for answer in answers]
        return found or None

    def _decorated(self, code: Code, node: FunctionNode | ast.ClassDef, index: int) -> Iterator[tuple[ast.AST, Work]]:
        """Yield what decorators put around the functions of a statement: a check may turn architectures away there."""
        for function in _functions_of(node):
            for decorator in function.decorator_list:
                if isinstance(decorator, ast.Call) and code.carries(decorator):
                    symbol = function.name if function is node else f"{node.name}.{function.name}"
                    yield decorator, partial(self._decorate, code, decorator, symbol, index)

    def _decorate(self, code: Code, decorator: ast.Call, symbol: str, index: int) -> None:
        self.decorating = Called(decorator, decorator, code.path, symbol)
        try:
            self._module_statement(code, _applied(decorator), index)
        finally:
            self.decorating = None

    def survey(self, path: str) -> list[Observation]:
        """Return what the source of a file shows without being evaluated, sorted."""
        code = self.project.code(path)
        recorder = Recorder()
        if code is not None:
            survey(code, recorder, lambda name: self._imported_texts(name, path))
            for window in windows(self, code):
                recorder.surveyed(window)
        return recorder.observations()

    def _settled(self, path: str, seen: list[Observation]) -> list[Observation]:
        """Mark the tests that are constant on every architecture of the catalogue, not just on those of the run."""
        if not self._asks_all or not any(isinstance(one, Gate) and constant(one) is not None for one in seen):
            return seen
        if self._whole is None:
            self._whole = Machine(_every_architecture(), self.project, self.origins)
            self._whole._asks_all = False
        rows = self._whole.architectures
        known = sum(1 << bit for bit, row in enumerate(rows) if row.vendor is Vendor.NVIDIA)
        answers = {
            (gate.place.span, gate.kind): constant(gate, known)
            for gate in self._whole.evaluate(path)
            if isinstance(gate, Gate) and gate.entered == self._whole.everyone
        }
        return [
            replace(one, settled=True)
            if isinstance(one, Gate)
            and constant(one) is not None
            and answers.get((one.place.span, one.kind)) is constant(one)
            else one
            for one in seen
        ]

    def _root(self, code: Code, node: ast.AST, work: Work) -> None:
        self.budget.start_root()
        self.frames = []
        self.points.clear()
        self.statement = node
        try:
            work()
        except OverBudget:
            self.budget.overdrawn += 1
            self.recorder.muted = 0
            self.frames = []
            place = Place(code.span(node), code.span(node), getattr(node, "name", ""))
            self.recorder.blank(place, "a function", "it is too large to work out within the budget")
        except RecursionError:
            self.recorder.muted = 0
            self.frames = []
            place = Place(code.span(node), code.span(node), getattr(node, "name", ""))
            self.recorder.blank(place, "a function", "it is nested too deeply")

    def _module_statement(self, code: Code, node: ast.stmt, index: int) -> None:
        state = self.fresh(code.path, "")
        state.frame.before = self.points[code.path] = index
        self.frames = [state.frame]
        if hasattr(node, "body") and not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            state.vars.update(self._bound_before(code, node, index))
        self.run([node], state)
        if node is code.body[index]:
            self._loaded &= state.alive

    def _bound_before(self, code: Code, node: ast.stmt, index: int) -> dict[str, Value]:
        """What the names that a compound statement may bind were before: where it does not bind them they stay so."""
        stored = {part.id for part in walk(node) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)}
        starred = any(star.statement < index for star in code.outline.stars)
        found: dict[str, Value] = {}
        for name in sorted(stored):
            if starred or any(b.statement < index and not b.in_function for b in code.bindings(name)):
                value = self.global_name(code.path, name, index)
                if value is not None:
                    found[name] = value
        return found

    def _defined_on(self, function: Function, owner: Class | None) -> int:
        """The architectures on which a function can be called from outside: its module defines it, and ends."""
        made = owner.node if owner is not None else function.node
        alive = self.defined.get(function.node, self.everyone) & self.defined.get(made, self.everyone) & self._loaded
        return alive or self.everyone

    def _function(self, function: Function, owner: Class | None) -> None:
        state = self.fresh(function.path, function.qualname, alive=self._defined_on(function, owner))
        self.run_member(function, owner, state)

    def _below(self, function: Function, owner: Class) -> None:
        """Run a method of a base for a class below, for what fails there: what its tests decide is for all classes."""
        whole, self.recorder = self.recorder, Recorder()
        try:
            self._function(function, owner)
        finally:
            seen, self.recorder = self.recorder.found.values(), whole
            for one in seen:
                if isinstance(one, Lookup | NoneUse | Unset | FallThrough | TextUse):
                    whole.absorb(one)


def _defaults(code: Code, node: FunctionNode | ast.ClassDef) -> Iterator[ast.expr]:
    """The defaults of a function, or of the methods of a class, that are worked out from the hardware at import."""
    for function in _functions_of(node):
        for default in (*function.args.defaults, *function.args.kw_defaults):
            if isinstance(default, _WORKED_OUT) and code.mentions_a_carrier(default):
                yield default


def _functions_of(node: FunctionNode | ast.ClassDef) -> list[FunctionNode]:
    """A function alone, or the methods of a class."""
    inner = node.body if isinstance(node, ast.ClassDef) else [node]
    return [function for function in inner if isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef))]


@cache
def _every_architecture() -> tuple[Architecture, ...]:
    return tuple(parse_targets("all,next", load()))


def constant(gate: Gate, known: int = EVERYWHERE) -> bool | None:
    """What a test always is whose other side has code and that tests before it have decided; None where there is none.

    On architectures outside `known` an answer that is not known does not count against it.
    """
    if gate.alive == gate.entered:
        return None
    for answer, against, for_it, works in (
        (False, gate.true, gate.false, gate.sides[0]),
        (True, gate.false, gate.true, gate.sides[1]),
    ):
        if works and for_it and not against & known and not against & ~for_it:
            return answer
    return None


def _applied(decorator: ast.Call) -> ast.Expr:
    """The call of what a decorator makes of a function that does nothing."""
    anything = ast.arguments([], [], ast.arg("args"), [], [], ast.arg("named"), [])
    wrapped = ast.Call(decorator, [ast.Lambda(anything, ast.Constant(None))], [])
    statement = ast.copy_location(ast.Expr(ast.Call(wrapped, [], [])), decorator)
    for part in ast.walk(statement):
        if not hasattr(part, "lineno"):
            ast.copy_location(part, decorator)
    return statement


def functions(code: Code) -> Iterator[tuple[Function, Class | None]]:
    """Yield the functions of a module and the methods of its classes; functions inside functions run with those."""
    yield from _functions(code.path, code.body, "", None)


def _functions(
    path: str, body: Sequence[ast.stmt], prefix: str, owner: Class | None
) -> Iterator[tuple[Function, Class | None]]:
    for node in body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield Function(path, f"{prefix}{node.name}", node, {}, owner, binding_of(node)), owner
        elif isinstance(node, ast.ClassDef):
            yield from _functions(path, node.body, f"{prefix}{node.name}.", Class(path, f"{prefix}{node.name}", node))
        elif isinstance(node, (ast.If, ast.Try, ast.With)):
            for block in (node.body, getattr(node, "orelse", []), getattr(node, "finalbody", [])):
                yield from _functions(path, block, prefix, owner)
            for handler in getattr(node, "handlers", []):
                yield from _functions(path, handler.body, prefix, owner)
