"""Run a small program of several modules in this process, with a stand-in `torch`, and keep what it left behind."""

from __future__ import annotations

import ast
import builtins
import contextlib
import copy
import enum
import functools
import importlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import CodeType, ModuleType
from typing import Any, TypeVar

from hwlint.model.architecture import Architecture
from tests.evaluate.stand_in import stand_in

ALLOWED = frozenset(
    {
        *("functools", "enum", "dataclasses", "typing", "contextlib", "operator", "math", "collections", "re"),
        *("abc", "copy", "itertools", "__future__"),
    }
)
"""Modules of the standard library that generated programs may import."""

Place = tuple[str, int, int, str]
"""A path, a line and a column, both from 1, and what is done there: `item`, `in`, `if` or `compare`."""


@dataclass(frozen=True, slots=True)
class Looked:
    """One lookup that CPython made: the repr of the key, and the exception where there was one."""

    key: str
    raised: str | None


@dataclass(slots=True)
class Run:
    """What one module left behind on one architecture."""

    names: dict[str, Any] = field(default_factory=dict)
    halted: int | None = None
    """The top-level statement that raised."""
    exception: BaseException | None = None
    lookups: dict[Place, list[Looked]] = field(default_factory=dict)
    truths: dict[Place, set[bool]] = field(default_factory=dict)
    """What the tests of branches, and comparisons, were."""


@dataclass(slots=True)
class Program:
    """The modules of a program by path; the last is the one that runs first, and imports the others."""

    files: Mapping[str, str]
    _compiled: dict[str, list[CodeType]] = field(default_factory=dict)

    @property
    def main(self) -> str:
        """The path of the module that is run."""
        return list(self.files)[-1]

    def statements(self, path: str) -> list[CodeType]:
        """The top-level statements, each compiled by itself, with lookups instrumented."""
        if path not in self._compiled:
            tree = ast.fix_missing_locations(_Instrument(path).visit(ast.parse(self.files[path])))
            self._compiled[path] = [
                compile(ast.Module([node], type_ignores=[]), path, "exec", dont_inherit=True) for node in tree.body
            ]
        return self._compiled[path]

    def shown(self) -> str:
        """The text of all modules, for a failure message."""
        return "\n".join(f"# file: {path}\n{text}" for path, text in self.files.items())


def run(program: Program, architecture: Architecture) -> dict[str, Run]:
    """Run the program on one architecture; returns what each module that was imported left behind, by path."""
    return _Machine(program, architecture).run()


class _Machine:
    def __init__(self, program: Program, architecture: Architecture) -> None:
        self.program = program
        self.modules: dict[str, ModuleType] = stand_in(architecture)
        self.paths = {_dotted(path): path for path in program.files}
        self.runs: dict[str, Run] = {}
        self.lookups: dict[Place, list[Looked]] = {}
        self.truths: dict[Place, set[bool]] = {}

    def run(self) -> dict[str, Run]:
        with contextlib.suppress(Exception):
            self._load(_dotted(self.program.main))
        for found in self.runs.values():
            found.lookups, found.truths = self.lookups, self.truths
        return self.runs

    def _load(self, name: str) -> ModuleType:
        path = self.paths[name]
        parent, _, last = name.rpartition(".")
        if parent and parent not in self.modules:
            self._load(parent)
        module = ModuleType(name)
        self.modules[name] = module
        module.__dict__.update(
            __builtins__={**vars(builtins), "__import__": self._import, "print": lambda *_: None},
            __hw_item__=functools.partial(self._item, path),
            __hw_in__=functools.partial(self._member, path),
            __hw_if__=functools.partial(self._tested, path),
            __hw_compare__=functools.partial(self._compared, path),
            __file__=path,
            __package__=name if path.endswith("__init__.py") else parent,
        )
        result = self.runs[path] = Run(names=module.__dict__)
        for index, code in enumerate(self.program.statements(path)):
            try:
                exec(code, module.__dict__)  # noqa: S102 - a program that this test wrote
            except Exception as error:
                result.halted, result.exception = index, error
                self.modules.pop(name, None)
                raise
        if parent:
            setattr(self.modules[parent], last, module)
        if path != self.program.main:
            result.names = copy.deepcopy(
                {n: v for n, v in module.__dict__.items() if not isinstance(v, ModuleType) and not n.startswith("__")}
            )
        return module

    def _import(
        self,
        name: str,
        namespace: Mapping[str, Any] | None = None,
        local: object = None,
        wanted: tuple[str, ...] | None = (),
        level: int = 0,
    ) -> ModuleType:
        if level:
            parts = (namespace or {})["__package__"].split(".")
            name = ".".join([*parts[: len(parts) - level + 1], *([name] if name else [])])
        if name.partition(".")[0] in ALLOWED:
            return importlib.import_module(name if wanted else name.partition(".")[0])
        if name not in self.modules:
            if name not in self.paths:
                raise ModuleNotFoundError(name)
            self._load(name)
        for part in wanted or ():
            if not hasattr(self.modules[name], part) and f"{name}.{part}" in self.paths:
                self._import(f"{name}.{part}")
        return self.modules[name] if wanted else self.modules[name.partition(".")[0]]

    def _item(self, path: str, line: int, column: int, base: Any, key: Any) -> Any:
        try:
            found = base[key]
        except (KeyError, IndexError) as error:
            self.lookups.setdefault((path, line, column, "item"), []).append(Looked(_shown(key), type(error).__name__))
            raise
        self.lookups.setdefault((path, line, column, "item"), []).append(Looked(_shown(key), None))
        return found

    def _member(self, path: str, line: int, column: int, item: Any, container: Any) -> bool:
        found = item in container
        self.lookups.setdefault((path, line, column, "in"), []).append(
            Looked(_shown(item), None if found else "absent")
        )
        return bool(found)

    def _tested(self, path: str, line: int, column: int, test: Any) -> bool:
        found = bool(test)
        self.truths.setdefault((path, line, column, "if"), set()).add(found)
        return found

    def _compared(self, path: str, line: int, column: int, found: Any) -> Any:
        if isinstance(found, bool):
            self.truths.setdefault((path, line, column, "compare"), set()).add(found)
        return found


def _dotted(path: str) -> str:
    """The name of the module at a path."""
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def _shown(key: Any) -> str:
    return f"{type(key).__name__}.{key.name}" if isinstance(key, enum.Enum) else repr(key)


Branch = TypeVar("Branch", ast.If, ast.While, ast.IfExp)


class _Instrument(ast.NodeTransformer):
    """Let every lookup pass through a function that writes it down."""

    def __init__(self, path: str) -> None:
        self.path = path

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        self.generic_visit(node)
        if not isinstance(node.ctx, ast.Load) or isinstance(node.slice, ast.Slice):
            return node
        return self._call("__hw_item__", node, node.value, node.slice)

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        self.generic_visit(node)
        if len(node.ops) != 1:
            return node
        if not isinstance(node.ops[0], ast.In):
            return self._call("__hw_compare__", node, node)
        return self._call("__hw_in__", node, node.left, node.comparators[0])

    def visit_If(self, node: ast.If) -> ast.stmt:
        return self._tested(node)

    def visit_While(self, node: ast.While) -> ast.stmt:
        return self._tested(node)

    def visit_IfExp(self, node: ast.IfExp) -> ast.expr:
        return self._tested(node)

    def _tested(self, node: Branch) -> Branch:
        test = node.test
        self.generic_visit(node)
        node.test = self._call("__hw_if__", test, node.test)
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.stmt:
        if node.value is not None:
            node.value = self.visit(node.value)
        return node

    def visit_arg(self, node: ast.arg) -> ast.arg:
        return node

    def _call(self, function: str, node: ast.expr, *args: ast.expr) -> ast.expr:
        place = [ast.Constant(node.lineno), ast.Constant(node.col_offset + 1)]
        return ast.copy_location(ast.Call(ast.Name(function, ast.Load()), [*place, *args], []), node)
