"""Evaluate one file: every function with unknown arguments, every method on an instance, and the module itself."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from hwlint.evaluate.budget import OverBudget
from hwlint.evaluate.origin import OriginValues
from hwlint.evaluate.project import Code, Project
from hwlint.evaluate.recorder import Recorder
from hwlint.evaluate.statements import Statements
from hwlint.evaluate.values import Class, Function, Ref, const
from hwlint.evaluate.windows import windows
from hwlint.model.architecture import Architecture
from hwlint.model.observation import Observation, Place
from hwlint.model.origin import Origins

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef


class Machine(OriginValues, Statements):
    """The whole evaluator."""

    def __init__(self, architectures: Sequence[Architecture], project: Project, origins: Origins) -> None:
        """Prepare to evaluate files of `project` on `architectures`; results are kept from file to file."""
        super().__init__(architectures, project, origins)

    def evaluate(self, path: str) -> list[Observation]:
        """Evaluate every root of a file and return what was seen from there, sorted.

        Observations may lie in other files that this one calls into. A root that exceeds its budget is recorded
        as unknown and the others go on.
        """
        code = self.project.code(path)
        self.recorder = Recorder()
        self._memo.clear()
        if code is None:
            return []
        for index, node in enumerate(code.body):
            if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)):
                self._root(code, node, lambda at=index, top=node: self._module_statement(code, top, at))
        for function, owner in functions(code):
            if code.matters(function.qualname):
                self._root(code, function.node, lambda f=function, o=owner: self._function(f, o))
        for window in windows(self, code):
            self.recorder.surveyed(window)
        return self.recorder.observations()

    def _root(self, code: Code, node: ast.AST, work: object) -> None:
        self.budget.start()
        self.frames = []
        self.statement = node
        try:
            work()  # type: ignore[operator]
        except OverBudget:
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
        state.frame.before = index
        self.frames = [state.frame]
        self.run([node], state)

    def _function(self, function: Function, owner: Class | None) -> None:
        state = self.fresh(function.path, function.qualname)
        ref: Ref | None = None
        if owner is not None and function.binding not in ("static", "class"):
            made = self.made(owner)
            name = function.qualname.rpartition(".")[2]
            if name == "__init__" or made is None:
                ref = Ref("instance", None, owner.node, owner)
                state.heap[ref] = const(_empty())
            else:
                ref = made.ref
                state.heap[ref] = made.content
                state.alive &= made.complete
                state.certain = state.steady = state.alive
        self.run_standalone(function, ref, state)


def _empty() -> object:
    from hwlint.evaluate.values import AttrContent

    return AttrContent({})


def functions(code: Code) -> Iterator[tuple[Function, Class | None]]:
    """Yield the functions of a module and the methods of its classes; functions inside functions run with those."""
    yield from _functions(code.path, code.body, "", None)


def _functions(
    path: str, body: Sequence[ast.stmt], prefix: str, owner: Class | None
) -> Iterator[tuple[Function, Class | None]]:
    for node in body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield Function(path, f"{prefix}{node.name}", node, {}, owner, _binding(node)), owner
        elif isinstance(node, ast.ClassDef):
            yield from _functions(path, node.body, f"{prefix}{node.name}.", Class(path, f"{prefix}{node.name}", node))
        elif isinstance(node, (ast.If, ast.Try, ast.With)):
            for block in (node.body, getattr(node, "orelse", []), getattr(node, "finalbody", [])):
                yield from _functions(path, block, prefix, owner)
            for handler in getattr(node, "handlers", []):
                yield from _functions(path, handler.body, prefix, owner)


def _binding(node: FunctionNode) -> str:
    for decorator in node.decorator_list:
        text = ast.unparse(decorator)
        if text == "staticmethod":
            return "static"
        if text == "classmethod":
            return "class"
        if text.endswith("property"):
            return "property"
    return ""
