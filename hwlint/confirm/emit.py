"""Write out the statements of one function that lead to a lookup, with the guards on the way and the lookups behind."""

from __future__ import annotations

import ast
import re
import textwrap

from hwlint.confirm.bindings import Bindings
from hwlint.confirm.locate import Function, Level, blocks
from hwlint.confirm.names import bound, changed

_LEAVING = (ast.Return, ast.Raise, ast.Continue, ast.Break)
_ASKS_HARDWARE = re.compile(r"sm_?\d+|capab|arch|hopper|blackwell|ampere|compute_cap", re.IGNORECASE)
_HARMLESS = frozenset(("int", "str", "float", "bool", "min", "max", "len", "tuple", "abs", "sorted", "get"))
_ROUNDS = 20


class Emitter:
    """Turns the way to one place into source text; `settle` first, then `lines`."""

    def __init__(self, values: Bindings, target: ast.expr | None, *, follow: bool) -> None:
        self.values = values
        self.target = target
        self.follow = follow
        self.needed: set[str] = set()
        self.uses: set[str] = set()
        self.late: set[str] = set()
        self.assumed: list[str] = []
        self._notes: dict[int, str] = {}
        self._ended = False

    def settle(self) -> set[str]:
        """Return every name that the text needs, by writing it until nothing new is wanted."""
        goal: ast.AST = self.target if self.target is not None else self.values.place.statement
        self.needed = set(self.values.uses(goal))
        if self.target is None:
            statement = self.values.place.statement
            self.needed |= {self.values.canonical(name) for name in bound(statement) if "." in name}
        for _ in range(_ROUNDS):
            self._write()
            local = {name for name in self.uses if self.values.is_local(name)} - self.late
            if local <= self.needed:
                break
            self.needed |= local
        self.assumed = [self._notes[line] for line in sorted(self._notes)]
        return set(self.needed)

    def lines(self) -> list[str]:
        """Return the body of the part."""
        return self._write() or ["    pass"]

    def _write(self) -> list[str]:
        self.uses = set()
        self.late = set()
        self._notes = {}
        self._ended = False
        return self._level(0, "    ")

    def _level(self, number: int, indent: str) -> list[str]:
        levels = self.values.place.inside
        level = levels[number]
        out: list[str] = []
        for statement in level.block[: level.index]:
            out += self._pruned(statement, indent)
        if number == len(levels) - 1:
            out += self._goal(level.statement, indent)
        else:
            out += self._enter(level.statement, levels[number + 1], number + 1, indent)
        if self.follow:
            own = number == len(levels) - 1
            out += self._behind(level.block[level.index + (0 if own else 1) :], indent)
        return out

    def _goal(self, statement: ast.stmt, indent: str) -> list[str]:
        if self.target is None:
            return self._pruned(statement, indent)
        self._use(self.target)
        text = ast.unparse(self.target)
        if not self.follow:
            return [f"{indent}return {text}"]
        return [f"{indent}__hw_at__({statement.lineno})", f"{indent}__hw_hit__({text})"]

    def _enter(self, statement: ast.stmt, level: Level, number: int, indent: str) -> list[str]:
        """Go into the block of a compound statement that leads on."""
        match statement:
            case ast.If(test=test):
                wanted = level.block is statement.body
                if not self._asks(test):
                    self._note(statement, f"`{ast.unparse(test)}` is taken to be {wanted}")
                    return self._level(number, indent)
                leave = (
                    f"if __hw_t__ is {not wanted}: raise __hw_left__({statement.lineno}, 'the other branch is taken')"
                )
                return [*self._soft(test, indent), indent + leave, *self._level(number, indent)]
            case ast.For(target=target, iter=source) if level.block is statement.body and self._known(source):
                names = {node.id for node in ast.walk(target) if isinstance(node, ast.Name)}
                if names & self.needed:
                    self._use(source)
                    head = f"{indent}for {ast.unparse(target)} in {ast.unparse(source)}:"
                    return [head, *self._level(number, indent + "    ")]
            case ast.With(items=items) if self._binds(statement) and all(
                self._known(part.context_expr) for part in items
            ):
                self._use(*(part.context_expr for part in items))
                head = f"{indent}with {', '.join(map(ast.unparse, items))}:"
                return [head, *self._level(number, indent + "    ")]
            case ast.Match(subject=subject) if self._asks(subject):
                return self._match(statement, level, number, indent)
            case ast.Try() if level.block is not statement.body:
                self._note(statement, "the exception handler is taken to be reached")
        return self._level(number, indent)

    def _match(self, statement: ast.Match, level: Level, number: int, indent: str) -> list[str]:
        self._use(statement.subject)
        out = [f"{indent}match {ast.unparse(statement.subject)}:"]
        for case in statement.cases:
            guard = f" if {ast.unparse(case.guard)}" if case.guard else ""
            out.append(f"{indent}    case {ast.unparse(case.pattern)}{guard}:")
            if case.body is level.block:
                return [*out, *self._level(number, indent + " " * 8)]
            out.append(f"{indent}        raise __hw_left__({statement.lineno}, 'another case matches')")
        return out

    def _pruned(self, statement: ast.stmt, indent: str) -> list[str]:
        """Return what of a statement matters: bindings of needed names, and guards that leave."""
        deeper = indent + "    "
        match statement:
            case ast.If(test=test, body=body, orelse=orelse):
                return self._pruned_if(statement, test, body, orelse, indent)
            case ast.For(target=target, iter=source, body=body) if self._binds(statement):
                if not self._known(source):
                    return self._dropped(statement)
                self._use(source)
                inner = [line for part in body for line in self._whole(part, deeper)]
                return [f"{indent}for {ast.unparse(target)} in {ast.unparse(source)}:", *(inner or [f"{deeper}pass"])]
            case ast.With(body=body) | ast.Try(body=body) if self._binds(statement) and not self._known(statement):
                return [line for part in body for line in self._pruned(part, indent)]
            case ast.Assert(test=test) if self._asks(test):
                leave = f"if __hw_t__ is False: raise __hw_left__({statement.lineno}, 'assert')"
                return [*self._soft(test, indent), indent + leave]
        return self._whole(statement, indent) if self._binds(statement) else []

    def _pruned_if(
        self, statement: ast.If, test: ast.expr, body: list[ast.stmt], orelse: list[ast.stmt], indent: str
    ) -> list[str]:
        binds = self._binds(statement)
        if not binds and not (_leaves(body) or _leaves(orelse)):
            return []
        if not (self._known(test) if binds else self._asks(test)):
            return self._dropped(statement, f"`{ast.unparse(test)}` is taken not to hold")
        deeper = indent + "    "
        inner = [self._branch(part, deeper) for part in (body, orelse)]
        if not any(inner):
            return []
        if not binds:
            out = [*self._soft(test, indent), f"{indent}if __hw_t__ is True:", *(inner[0] or [f"{deeper}pass"])]
            return out + ([f"{indent}elif __hw_t__ is False:", *inner[1]] if inner[1] else [])
        self._use(test)
        out = [f"{indent}__hw_at__({statement.lineno})", f"{indent}if {ast.unparse(test)}:"]
        out += inner[0] or [f"{deeper}pass"]
        return out + ([f"{indent}else:", *inner[1]] if inner[1] else [])

    def _branch(self, block: list[ast.stmt], indent: str) -> list[str]:
        out: list[str] = []
        for statement in block:
            if isinstance(statement, _LEAVING):
                how = ast.unparse(statement).splitlines()[0][:60]
                return [*out, f"{indent}raise __hw_left__({statement.lineno}, {how!r})"]
            out += self._pruned(statement, indent)
        return out

    def _whole(self, statement: ast.stmt, indent: str) -> list[str]:
        if not self._known(statement) or _waits(statement):
            return self._dropped(statement)
        self._use(statement)
        return [f"{indent}__hw_at__({statement.lineno})", textwrap.indent(ast.unparse(statement), indent)]

    def _dropped(self, statement: ast.stmt, what: str = "") -> list[str]:
        first = ast.unparse(statement).splitlines()[0]
        self._note(statement, what or f"`{first[:80]}` is left out: it needs a value that is not known")
        return []

    def _behind(self, block: list[ast.stmt], indent: str) -> list[str]:
        """Evaluate the further lookups with the same key, as long as they are surely reached."""
        out: list[str] = []
        for statement in block:
            if self._ended:
                break
            if isinstance(statement, ast.If):
                out += self._behind_if(statement, indent)
            elif isinstance(statement, Function | ast.ClassDef) or any(blocks(statement)):
                self._ended = any(isinstance(node, _LEAVING) for node in ast.walk(statement))
            else:
                out += self._kept_going(statement, indent)
                self._ended = isinstance(statement, _LEAVING)
        return out

    def _behind_if(self, statement: ast.If, indent: str) -> list[str]:
        """Follow the branch that is taken; a test that cannot be decided and may leave ends what is sure."""
        if not (self._asks(statement.test) and self._ready(statement.test)):
            self._ended = any(isinstance(node, _LEAVING) for node in ast.walk(statement))
            return []
        deeper = indent + "    "
        inner: list[list[str]] = []
        for block in (statement.body, statement.orelse):
            lines = self._behind(block, deeper)
            inner.append([*lines, f"{deeper}return"] if _leaves(block) else lines)
            self._ended = False
        if not any(inner):
            return []
        out = [*self._soft(statement.test, indent), f"{indent}if __hw_t__ is True:", *(inner[0] or [f"{deeper}pass"])]
        return [*out, f"{indent}elif __hw_t__ is False:", *(inner[1] or [f"{deeper}pass"])]

    def _kept_going(self, statement: ast.stmt, indent: str) -> list[str]:
        """Evaluate the further lookups of one simple statement, and bind its names where that is harmless."""
        if any(blocks(statement)) or isinstance(statement, Function | ast.ClassDef):
            return []
        out: list[str] = []
        for node in ast.walk(statement):
            if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load) and self._is_further(node):
                self._use(node)
                out.append(f"{indent}__hw_later__({statement.lineno}, lambda: {ast.unparse(node)})")
        names = bound(statement)
        binds = isinstance(statement, ast.Assign | ast.AnnAssign) and not any("." in name for name in names)
        if binds and names and self._ready(statement) and _harmless(statement):
            self._use(statement)
            self.late |= names
            out += [f"{indent}try: {ast.unparse(statement)}", f"{indent}except Exception: pass"]
        return out

    def _is_further(self, node: ast.Subscript) -> bool:
        if node is self.target or isinstance(node.slice, ast.Slice) or not self._ready(node) or not _harmless(node):
            return False
        if self.target is not None and ast.unparse(node) == ast.unparse(self.target):
            return False
        return any(self.values.is_local(name) for name in self.values.uses(node.slice) & (self.needed | self.late))

    def _ready(self, node: ast.AST) -> bool:
        """True where the text so far gives every name of the function that a node uses."""
        names = self.values.uses(node)
        return all(name in self.late or name in self.needed or not self.values.is_local(name) for name in names)

    def _binds(self, statement: ast.stmt) -> bool:
        names = {self.values.canonical(name) for name in bound(statement) | changed(statement)}
        return bool(names & self.needed)

    def _known(self, node: ast.AST) -> bool:
        return all(name in self.values.known or self.values.resolvable(name) for name in self.values.uses(node))

    def _asks(self, test: ast.AST) -> bool:
        """True for a test about the hardware values at hand, all of whose names can be supplied."""
        names = self.values.uses(test)
        about = any(self.values.is_local(name) for name in names & (self.needed | self.late))
        calls = (
            {ast.unparse(node) for node in ast.walk(self.target) if isinstance(node, ast.Call)}
            if self.target
            else set()
        )
        text = ast.unparse(test)
        about = about or any(call in text for call in calls) or bool(_ASKS_HARDWARE.search(text))
        return about and (self._known(test) or self._ready(test)) and not _waits(test)

    def _soft(self, test: ast.expr, indent: str) -> list[str]:
        """Evaluate a test; one that raises decides nothing."""
        self._use(test)
        text = ast.unparse(test)
        return [
            f"{indent}try: __hw_t__ = bool({text})",
            f"{indent}except Exception as __hw_e__: __hw_t__ = __hw_assume__({test.lineno}, {text!r}, __hw_e__)",
        ]

    def _use(self, *nodes: ast.AST) -> None:
        for node in nodes:
            self.uses |= self.values.uses(node)

    def _note(self, statement: ast.stmt, text: str) -> None:
        self._notes[statement.lineno] = f"{self.values.source.path}:{statement.lineno}: {text}"


def _leaves(block: list[ast.stmt]) -> bool:
    return any(isinstance(statement, _LEAVING) for statement in block)


def _waits(node: ast.AST) -> bool:
    return any(isinstance(part, ast.Await | ast.Yield | ast.YieldFrom) for part in ast.walk(node))


def _harmless(node: ast.AST) -> bool:
    """True where evaluating a node calls nothing but conversions."""
    for part in ast.walk(node):
        if isinstance(part, ast.Call):
            name = part.func.attr if isinstance(part.func, ast.Attribute) else getattr(part.func, "id", "")
            if name not in _HARMLESS:
                return False
    return True
