"""Write the small program that leads to one lookup: the statements its value depends on, and nothing else."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass, field

from hwlint.confirm.bindings import Bindings
from hwlint.confirm.emit import Emitter
from hwlint.confirm.locate import Function, Place, place_of, widened
from hwlint.confirm.names import arguments, bound
from hwlint.confirm.project import Project, Source

_DEEPEST = 6
"""How many callers and constructors a value is followed through."""


@dataclass(frozen=True, slots=True)
class Part:
    """One function of the program, to run among the names of one module."""

    name: str
    module: str
    source: str


@dataclass(slots=True)
class Driver:
    """The program: its parts (`__hw_main__` is the last), the definitions it needs, and what it takes for granted."""

    parts: list[Part] = field(default_factory=list)
    roots: dict[str, set[str]] = field(default_factory=dict)
    """For each file, the names (`T`, `Class.member`) that the program uses."""
    assumed: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    """Why a value that the lookup needs could not be traced; empty where the program is complete."""
    line: int = 0
    end_line: int = 0
    at_import: bool = False
    """True where importing the module is what evaluates the lookup."""


def write_driver(
    project: Project, path: str, lookup: ast.expr, *, near: Sequence[str] = (), given: dict[str, str] | None = None
) -> Driver:
    """Return the program that evaluates `lookup` of the file `path`.

    `near` are further files in which callers are looked for (those of the finding's trace); `given` maps a name of
    the lookup's function to the source of its value.
    """
    driver = Driver()
    source = project.source(path)
    place = place_of(source.tree, lookup)
    if place is None:
        driver.problems.append("the lookup is not inside a statement")
        return driver
    statement = place.statement
    driver.line, driver.end_line = statement.lineno, statement.end_lineno or statement.lineno
    if not place.functions:
        _at_import(driver, project, source, place, lookup)
        return driver
    writer = _Writer(project, driver, [path, *(other for other in near if other != path)], given or {})
    writer.part("__hw_main__", source, place, widened(statement, lookup), 0)
    return driver


def _at_import(driver: Driver, project: Project, source: Source, place: Place, lookup: ast.expr) -> None:
    """Importing the module runs the lookup; evaluate it once more for its value where its names outlive the import."""
    driver.at_import = True
    top = place.top
    names = {name.partition(".")[0] for name in bound(top)} or {""}
    driver.roots[source.path] = names - {""}
    line = place.statement.lineno
    body = [f"    __hw_at__({line})"]
    if place.classes or not isinstance(top, ast.Assign | ast.AnnAssign | ast.Expr | ast.If):
        body.append("    __hw_hit__('evaluated at import')")
    else:
        body.append(f"    __hw_hit__({ast.unparse(widened(place.statement, lookup))})")
    text = "\n".join(("def __hw_main__():", *body))
    driver.parts.append(Part("__hw_main__", project.module_of(source.path), text))
    if not driver.roots[source.path]:
        driver.problems.append("the statement runs at import and binds no name, so no slice holds it")


class _Writer:
    """Writes parts, each for one function, following values into constructors and callers."""

    def __init__(self, project: Project, driver: Driver, near: list[str], given: dict[str, str]) -> None:
        self.project = project
        self.driver = driver
        self.near = near
        self.given = given
        self.written: dict[tuple[str, int, str], str] = {}

    def part(self, name: str, source: Source, place: Place, target: ast.expr | None, depth: int) -> None:
        """Write the part that runs to `place` and evaluates `target` (or just ends there, where it is None)."""
        values = Bindings(self.project, source, place, self.driver.roots.setdefault(source.path, set()))
        if depth == 0:
            values.given.update(self.given)
        emitter = Emitter(values, target, follow=depth == 0)
        needed = emitter.settle()
        head: list[str] = []
        for wanted in sorted(needed):
            head += self._supplied(wanted, values, source, place, depth)
        signature = "self=None" if depth and values.owner else ""
        receiver = [f"    {values.receiver or 'self'} = {values.receiver_source()}"] if values.owner else []
        if depth and receiver:
            receiver[0] += " if self is None else self"
        lines = [f"def {name}({signature}):", *receiver, *head, *emitter.lines()]
        self.driver.assumed += emitter.assumed
        own = {values.canonical(one) for one in bound(place.statement)} if target is None else set()
        for unknown in sorted(values.unresolved(needed - own)):
            self.driver.problems.append(
                f"the value of `{unknown}` is not known ({source.path}:{place.statement.lineno})"
            )
        values.claim(needed, emitter.uses)
        module = self.project.module_of(source.path)
        self.driver.parts.append(Part(name, module, "\n".join(lines)))

    def _supplied(self, wanted: str, values: Bindings, source: Source, place: Place, depth: int) -> list[str]:
        """Return the lines that give a parameter or an attribute its value; none where the part itself does."""
        if values.is_set_before(wanted) and "." in wanted:
            return []
        if "." in wanted:
            return self._attribute(wanted, values, source, depth)
        if not values.is_parameter(wanted):
            return []
        if wanted in values.given:
            return [f"    {wanted} = {values.given[wanted]}"]
        passed = self._from_caller(wanted, place.functions[0], values, depth)
        if passed:
            values.known.add(wanted)
            return [f"    {wanted} = {passed}"]
        value = values.parameter_source(wanted)
        return [f"    {wanted} = {value}"] if value else []

    def _attribute(self, wanted: str, values: Bindings, source: Source, depth: int) -> list[str]:
        """Run the method that sets `self.x`, where another method than this one does."""
        found = values.setter(wanted)
        if found is None or depth >= _DEEPEST:
            return []
        other, statement = found
        place = place_of(other.tree, statement)
        if place is None:
            return []
        method = place.functions[-1].name if place.functions else ""
        name = self._once(other, place, None, f"{method}:{wanted}", depth)
        values.known.add(wanted)
        return [f"    __hw_parts__[{name!r}]({values.receiver or 'self'})"]

    def _from_caller(self, wanted: str, function: Function, values: Bindings, depth: int) -> str:
        """Return an expression for what a caller passes for a parameter; `` where no caller is found."""
        if depth >= _DEEPEST or values.device_kind(wanted):
            return ""
        for path in self.near:
            other = self.project.find_source(path)
            if other is None:
                continue
            for call in _calls(other.tree, function, values.owner):
                argument = _argument(call, function, wanted, is_method=bool(values.owner))
                place = place_of(other.tree, call)
                if argument is None or place is None or function in place.functions:
                    continue
                if not place.functions:
                    return self._module_level(other, argument)
                name = self._once(other, place, argument, ast.unparse(argument), depth)
                shares = other.path == values.source.path and place.classes == values.place.classes
                receiver = values.receiver if shares else ""
                return f"__hw_parts__[{name!r}]({receiver})"
        return ""

    def _module_level(self, other: Source, argument: ast.expr) -> str:
        roots = self.driver.roots.setdefault(other.path, set())
        roots.update(node.id for node in ast.walk(argument) if isinstance(node, ast.Name))
        name = f"__hw_part_{len(self.written) + 1}__"
        self.written[other.path, argument.lineno, ast.unparse(argument)] = name
        text = f"def {name}():\n    return {ast.unparse(argument)}"
        self.driver.parts.append(Part(name, self.project.module_of(other.path), text))
        return f"__hw_parts__[{name!r}]()"

    def _once(self, source: Source, place: Place, target: ast.expr | None, label: str, depth: int) -> str:
        key = (source.path, place.statement.lineno, label)
        if key not in self.written:
            self.written[key] = f"__hw_part_{len(self.written) + 1}__"
            self.part(self.written[key], source, place, target, depth + 1)
        return self.written[key]


def _calls(tree: ast.Module, function: Function, owner: str) -> list[ast.Call]:
    """Return the calls that may mean this function: by its name, or by its class's for a constructor."""
    name = owner.rpartition(".")[2] if function.name == "__init__" else function.name
    found: list[ast.Call] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if called == name:
                found.append(node)
    return found


def _argument(call: ast.Call, function: Function, wanted: str, *, is_method: bool) -> ast.expr | None:
    """Return what a call passes for a parameter, or None where it leaves it out or spreads it."""
    for keyword in call.keywords:
        if keyword.arg == wanted:
            return keyword.value
    static = any(isinstance(node, ast.Name) and node.id == "staticmethod" for node in function.decorator_list)
    names = [argument.arg for argument in arguments(function.args)]
    position = names.index(wanted) - (1 if is_method and not static else 0)
    if any(isinstance(argument, ast.Starred) for argument in call.args) or not 0 <= position < len(call.args):
        return None
    return call.args[position]
