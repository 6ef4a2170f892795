"""Watch one line of one file: what each expression on it is on each architecture, and who comes there."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial

from hwlint.evaluate.answers import (
    Answer,
    AttrContent,
    Bound,
    Builtin,
    Class,
    Device,
    DictContent,
    External,
    Function,
    Imported,
    ListContent,
    Method,
    MixedTuple,
    Module,
    Ref,
    SetContent,
    Unbound,
    Unknown,
    is_concrete,
)
from hwlint.evaluate.engine import Machine, functions
from hwlint.evaluate.project import Project
from hwlint.evaluate.state import State
from hwlint.evaluate.values import Value
from hwlint.model.architecture import Architecture
from hwlint.model.origin import Origins
from hwlint.model.span import Span

MOST_SHOWN = 100
"""Characters of one answer; what is longer is cut."""
_MOST_KEYS = 12
_TELLING = (
    ast.Name, ast.Attribute, ast.Subscript, ast.Call, ast.Compare, ast.BoolOp, ast.BinOp, ast.UnaryOp, ast.IfExp,
    ast.JoinedStr, ast.Tuple, ast.NamedExpr,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Watched:
    """One expression: its source, what it may be with the architectures (bit sets), and who comes to it."""

    span: Span
    text: str
    symbol: str
    answers: tuple[tuple[str, int], ...]
    reached: int
    certain: int


@dataclass(slots=True)
class _Note:
    span: Span
    text: str
    symbol: str
    answers: dict[str, int] = field(default_factory=dict)
    reached: int = 0
    certain: int = 0


class WatchingMachine(Machine):
    """The evaluator, which besides its work writes down what it finds on one line; only for explaining."""

    def __init__(
        self, architectures: Sequence[Architecture], project: Project, origins: Origins, path: str, line: int
    ) -> None:
        """Watch `line` of `path`."""
        super().__init__(architectures, project, origins)
        self._path, self._line = path, line
        self._notes: dict[ast.AST, _Note] = {}
        self._nodes: frozenset[ast.AST] | None = None

    def eval(self, node: ast.expr, state: State) -> Value:
        """Evaluate as ever, and note the value where the expression begins on the line."""
        if node.lineno != self._line or state.frame.path != self._path or not isinstance(node, _TELLING):
            return super().eval(node, state)
        if node not in self._line_nodes():  # what an origin yields is evaluated too, and has lines of its own
            return super().eval(node, state)
        alive, certain = state.alive, state.certain
        value = super().eval(node, state)
        if alive:
            self._note(node, value, alive, certain, state)
        return value

    def look(self) -> None:
        """Run the function around the line although nothing in it seems to depend on the hardware, or calls it."""
        code = self.project.code(self._path)
        if code is None or self._notes:
            return
        for function, owner in functions(code):
            node = function.node
            if node.lineno <= self._line <= (node.end_lineno or node.lineno):
                self._root(code, node, partial(self._function, function, owner))

    def _line_nodes(self) -> frozenset[ast.AST]:
        """The nodes of the file that begin on the line."""
        if self._nodes is None:
            code = self.project.code(self._path)
            nodes = [] if code is None else ast.walk(code.parsed.tree)
            self._nodes = frozenset(node for node in nodes if getattr(node, "lineno", 0) == self._line)
        return self._nodes

    def watched(self) -> tuple[Watched, ...]:
        """What was noted, in the order of places; the longer expression first where two begin together."""
        found = [
            Watched(note.span, note.text, note.symbol, tuple(note.answers.items()), note.reached, note.certain)
            for note in self._notes.values()
        ]
        return tuple(sorted(found, key=lambda one: (one.span.column, -one.span.end_line, -one.span.end_column)))

    def _note(self, node: ast.expr, value: Value, alive: int, certain: int, state: State) -> None:
        note = self._notes.get(node)
        if note is None:
            note = self._notes[node] = _Note(self.span(node, state), self.text(node, state), state.frame.symbol)
        note.reached |= alive & self.everyone
        note.certain |= alive & certain & self.everyone
        for answer, mask in self.settled(value).cases:
            seen = mask & alive & self.everyone
            # What is inside may differ from one architecture to the next.
            for part in _bits(seen) if isinstance(answer, (Ref, MixedTuple)) else [seen] if seen else []:
                shown = self._shown(answer, part, state)
                note.answers[shown] = note.answers.get(shown, 0) | part

    def _shown(self, answer: Answer, mask: int, state: State) -> str:
        text = self._described(answer, mask, state)
        return text if len(text) <= MOST_SHOWN else f"{text[: MOST_SHOWN - 3]}..."

    def _described(self, answer: Answer, mask: int, state: State) -> str:
        match answer:
            case Ref():
                contents = [content for content, seen in self.contents(answer, state).cases if seen & mask]
                return " or ".join(dict.fromkeys(_contents(answer, content) for content in contents)) or "an object"
            case MixedTuple():
                return f"({', '.join(self._either_shown(item, mask, state) for item in answer.items)})"
            case External() if self.origins.named(answer.name):
                return f"{answer.name}, as an origin describes it"
            case Method():
                return f"the method {answer.name} of {self._described(answer.receiver, mask, state)}"
            case _:
                return _named(answer)

    def _either_shown(self, item: Value, mask: int, state: State) -> str:
        return " or ".join(dict.fromkeys(self._described(one, mask, state) for one, seen in item.cases if seen & mask))


def _named(answer: Answer) -> str:
    """What an answer without content of its own is called."""
    match answer:
        case Unknown():
            return f"unknown: {answer.reason}"
        case Unbound():
            return "not assigned"
        case Function() | Class():
            kind = "class" if isinstance(answer, Class) else "function"
            return f"the {kind} {answer.qualname} of {answer.path}"
        case Module():
            return f"the module {answer.path}"
        case External():
            return f"{answer.name}, of another package"
        case Imported():
            return f"{answer.attribute or answer.module}, which hardware values do not reach"
        case Device():
            return f"what an origin returns ({answer.type})"
        case Builtin():
            return f"the builtin {answer.name}"
        case Bound():
            return "a method"
        case _:
            return repr(answer) if is_concrete(answer) else f"a {type(answer).__name__}"


def _bits(mask: int) -> list[int]:
    return [1 << bit for bit in range(mask.bit_length()) if mask >> bit & 1]


def _contents(ref: Ref, content: object) -> str:
    match content:
        case DictContent():
            return f"a dict with the keys {_listed(map(repr, content.items))}" + _rest(content.rest)
        case ListContent():
            known = [item.only() for item in content.items]
            return f"a list of {_listed(repr(one) if is_concrete(one) else '?' for one in known)}" + _rest(content.rest)
        case SetContent():
            return f"a set of {_listed(map(repr, content.items))}" + _rest(content.rest)
        case AttrContent():
            owner = getattr(ref.type, "qualname", "")
            return f"an instance of {owner}" if owner else "an object"
        case Unknown():
            return f"a {ref.kind} whose content is unknown: {content.reason}"
        case _:
            return f"a {ref.kind}"


def _listed(shown: Iterable[str]) -> str:
    items = list(shown)
    return (", ".join(items[:_MOST_KEYS]) + (", ..." if len(items) > _MOST_KEYS else "")) or "nothing"


def _rest(rest: Unknown | None) -> str:
    return "" if rest is None else f", perhaps more: {rest.reason}"
