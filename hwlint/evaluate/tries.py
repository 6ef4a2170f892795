"""Run `try` and `with`: handlers begin where the code around them raises."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from hwlint.evaluate.loops import Loops
from hwlint.evaluate.state import State, Try, merge
from hwlint.evaluate.values import (
    EVERYWHERE,
    Ref,
    Value,
    unknown,
)


class Tries(Loops):
    """The part of the evaluator that catches."""

    def _try(self, node: ast.Try, state: State) -> None:
        frame = state.frame
        entry = state.copy()
        opened = Try(tuple(_caught_names(handler) for handler in node.handlers), [[] for _ in node.handlers])
        frame.tries.append(opened)
        doubts, imports = self.doubts, self.import_doubts
        snapshots = [entry]
        for statement in node.body:
            self.run([statement], state)
            snapshots.append(state.copy())
        frame.tries.remove(opened)
        doubted, import_doubted = self.doubts != doubts, self.import_doubts != imports
        if state.alive:
            self.run(node.orelse, state)
        ends = [state.copy()] if state.alive else []
        undecided = 0
        for handler, names, reached in zip(node.handlers, opened.catches, opened.caught, strict=True):
            starts = list(reached)
            if (import_doubted and _may_be_import(names)) or (doubted and not _only_import(names)):
                starts.extend(snapshot.narrow(EVERYWHERE, decided=0) for snapshot in snapshots if snapshot.alive)
                undecided = EVERYWHERE
            starts = [start for start in starts if start.alive]
            if not starts:
                continue
            overlap = self._overlap(starts)
            begin = merge(starts, entry, overlap) if len(starts) > 1 else starts[0].copy()
            if handler.name is not None:
                begin.vars[handler.name] = unknown("an exception")
            before = frame.handling
            frame.handling = next(iter(sorted(names)), "Exception") if names else "Exception"
            self.run(handler.body, begin)
            frame.handling = before
            if begin.alive:
                ends.append(begin)
        if not ends:
            state.take(entry.dead())
        else:
            undecided |= self._overlap(ends)
            merged = merge(ends, entry, undecided) if len(ends) > 1 or undecided else ends[0]
            state.take(merged)
        self.run(node.finalbody, state)

    def _overlap(self, states: Sequence[State]) -> int:
        overlap = seen = 0
        for state in states:
            overlap |= seen & state.alive
            seen |= state.alive
        return overlap

    def _with(self, node: ast.With, state: State) -> None:
        quiet: list[frozenset[str]] = []
        for item in node.items:
            value = self.eval(item.context_expr, state)
            if item.optional_vars is not None:
                self.assign(
                    item.optional_vars,
                    unknown("what a context manager gives") if not _is_instance(value) else value,
                    state,
                )
            quiet.extend(_suppressed(item.context_expr))
        if quiet:
            handlers = [ast.ExceptHandler(type=None, name=None, body=[ast.Pass()])]
            self._try(ast.Try(body=list(node.body), handlers=handlers, orelse=[], finalbody=[]), state)
        else:
            self.run(node.body, state)


def _caught_names(handler: ast.ExceptHandler) -> frozenset[str] | None:
    if handler.type is None:
        return None
    parts = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return frozenset(ast.unparse(part).rpartition(".")[2] for part in parts)


def _only_import(names: frozenset[str] | None) -> bool:
    return names is not None and names <= {"ImportError", "ModuleNotFoundError"}


def _may_be_import(names: frozenset[str] | None) -> bool:
    return names is None or bool(names & {"ImportError", "ModuleNotFoundError", "Exception", "BaseException"})


def _suppressed(node: ast.expr) -> list[frozenset[str]]:
    if isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] == "suppress":
        return [frozenset(ast.unparse(argument).rpartition(".")[2] for argument in node.args)]
    return []


def _is_instance(value: Value) -> bool:
    return any(type(answer) is Ref and answer.kind == "instance" for answer, _ in value.cases)
