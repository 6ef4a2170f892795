"""Run `try` and `with`: handlers begin where the code around them raises."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from hwlint.evaluate.answers import Class, Function, Ref
from hwlint.evaluate.faults import AN_EXCEPTION
from hwlint.evaluate.loops import Loops
from hwlint.evaluate.scopes import own_nodes
from hwlint.evaluate.state import Loop, State, Try, merge
from hwlint.evaluate.values import EVERYWHERE, Value, const, join, restrict, unknown
from hwlint.source.nodes import walk


class Tries(Loops):
    """The part of the evaluator that catches."""

    def _try(self, node: ast.Try, state: State) -> None:
        if not node.finalbody:
            self._handled(node, state)
            return
        self._finally(
            lambda: self._handled(node, state),
            lambda left: self.run(node.finalbody, left),
            state,
            [*node.body, *node.handlers, *node.orelse],
            swallows=_leaves(node.finalbody),
        )

    def _finally(
        self,
        body: Callable[[], None],
        last: Callable[[State], None],
        state: State,
        inside: Sequence[ast.AST],
        *,
        swallows: bool,
    ) -> None:
        """Run `body`, which is what stands `inside`, and `last` on every path that leaves it.

        `swallows`: exceptions may end there.
        """
        frame = state.frame
        entry, escaped = state.copy(), len(frame.escapes)
        loop = frame.loops[-1] if frame.loops else Loop()
        returned, broken, continued = len(frame.returns), len(loop.breaks), len(loop.continues)
        thrown = [(caught, len(caught)) for opened in frame.tries for caught in opened.caught]
        everything = Try((None,), [[]])
        if swallows:
            frame.tries.append(everything)
        body()
        if swallows:
            frame.tries.remove(everything)
        returns, frame.returns[returned:] = frame.returns[returned:], []
        breaks, loop.breaks[broken:] = loop.breaks[broken:], []
        continues, loop.continues[continued:] = loop.continues[continued:], []
        for caught, before in thrown:
            for left in caught[before:]:
                last(left)
        for index, (exception, mask, heap) in enumerate(frame.escapes[escaped:], escaped):
            if heap is not None:  # a caller catches it, and finds the objects as `last` leaves them
                left = entry.narrow(mask, decided=0)
                self.forget(inside, left, "assigned before an exception")
                left.heap = heap
                last(left)
                frame.escapes[index] = (exception, mask, left.heap)
        thrown_here = sorted(everything.thrown)
        for left in everything.caught[0]:
            last(left)
            left.certain &= EVERYWHERE if len(thrown_here) == 1 else 0  # which of them it was is not known
            for exception in thrown_here:
                self.throw(exception, left.alive, left.copy())
        for value, left in returns:
            last(left)
            if left.alive:
                frame.returns.append((restrict(value, left.alive), left))
        for lefts, kept in ((breaks, loop.breaks), (continues, loop.continues)):
            for left in lefts:
                last(left)
                if left.alive:
                    kept.append(left)
        last(state)

    def _handled(self, node: ast.Try, state: State) -> None:
        """Run the body of a `try` and its handlers."""
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
            if doubted:
                starts = [self._midway(start, node.body) for start in starts]
            begin = merge(starts, entry, overlap) if len(starts) > 1 else starts[0].copy()
            if doubted:  # where nothing is known to raise, the handler may not be run at all
                begin.certain &= _certain(reached)
            if handler.name is not None:
                begin.vars[handler.name] = const(AN_EXCEPTION)
            before = frame.handling
            frame.handling = next(iter(sorted(names)), "Exception") if names else "Exception"
            came = [exception for exception in sorted(opened.thrown) if self.caught_by(names, exception)]
            if len(came) == 1 and not doubted:
                frame.handling = came[0]
            elif came:
                self.doubts += 1  # a bare `raise` raises one of them
            self.run(handler.body, begin)
            frame.handling = before
            if begin.alive:
                ends.append(begin)
        if not ends:
            state.take(entry.dead())
        else:
            undecided |= self._overlap(ends)
            if undecided and not state.alive:
                ends.append(state)  # the body has left the function or a loop, or a handler has begun: not decided
            merged = merge(ends, entry, undecided) if len(ends) > 1 or undecided else ends[0]
            state.take(merged)

    def _midway(self, start: State, body: Sequence[ast.stmt]) -> State:
        """Where a handler may begin inside a compound statement: names that it binds twice have had either value."""
        compound = [statement for statement in body if hasattr(statement, "body")]
        seen: set[str] = set()
        twice: set[str] = set()
        for statement in compound:
            for part in walk(statement):
                if isinstance(part, ast.Name) and not isinstance(part.ctx, ast.Load):
                    (twice if part.id in seen else seen).add(part.id)
        if not twice:
            return start
        made = start.copy()
        for name in twice:
            reason = unknown(f"{name} is bound more than once before an exception")
            made.vars[name] = join((made.vars[name], reason)) if name in made.vars else reason
        return made

    def _overlap(self, states: Sequence[State]) -> int:
        overlap = seen = 0
        for state in states:
            overlap |= seen & state.alive
            seen |= state.alive
        return overlap

    def _with(self, node: ast.With, state: State) -> None:
        self._managed(list(node.items), node, state)

    def _managed(self, items: list[ast.withitem], node: ast.With, state: State) -> None:
        """Enter the first of `items`, run the rest inside it, and leave it again."""
        item, rest = items[0], items[1:]
        value = self.eval(item.context_expr, state)
        entered = self._entered(value, item.context_expr, state)
        if item.optional_vars is not None:
            self.assign(item.optional_vars, entered, state)
        inner: list[ast.stmt] = [ast.copy_location(ast.With(rest, node.body), node)] if rest else node.body
        quiet = _suppressed(item.context_expr)
        if quiet is not None:
            self._handled(_swallowing(inner, quiet), state)
            return
        leave = self._exit(value)
        if leave is None:
            self.run(inner, state)
            return
        swallows = _may_swallow(leave)

        def body() -> None:
            if swallows:
                self.doubts += 1
                self._handled(_swallowing(inner, None), state)
            else:
                self.run(inner, state)

        def last(left: State) -> None:
            if left.alive:
                method = self.attribute(value, "__exit__", item.context_expr, left)
                self.call(method, [unknown("an exception, or None")] * 3, {}, item.context_expr, left)

        self._finally(body, last, state, node.body, swallows=False)

    def _entered(self, value: Value, node: ast.expr, state: State) -> Value:
        """What `with ... as` binds."""
        known = [answer for answer, _ in value.cases if type(answer) is Ref and answer.kind == "instance"]
        if not known or len(known) != len(value.cases):
            return unknown("what a context manager gives")
        if not all(isinstance(ref.type, Class) and self.class_member(ref.type, "__enter__") for ref in known):
            return unknown("what a context manager gives")
        return self.call(self.attribute(value, "__enter__", node, state), [], {}, node, state)

    def _exit(self, value: Value) -> Function | None:
        """The `__exit__` of an object of the project."""
        answer = value.only()
        if type(answer) is not Ref or not isinstance(answer.type, Class):
            return None
        found = self.class_member(answer.type, "__exit__")
        function = found[0].only() if found is not None else None
        return function if isinstance(function, Function) else None


def _caught_names(handler: ast.ExceptHandler) -> frozenset[str] | None:
    if handler.type is None:
        return None
    parts = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return frozenset(ast.unparse(part).rpartition(".")[2] for part in parts)


def _certain(states: Sequence[State]) -> int:
    """The architectures that certainly come to one of the states."""
    found = 0
    for state in states:
        found |= state.certain
    return found


def _only_import(names: frozenset[str] | None) -> bool:
    return names is not None and names <= {"ImportError", "ModuleNotFoundError"}


def _may_be_import(names: frozenset[str] | None) -> bool:
    return names is None or bool(names & {"ImportError", "ModuleNotFoundError", "Exception", "BaseException"})


def _suppressed(node: ast.expr) -> list[ast.expr] | None:
    """The exceptions that `suppress(...)` swallows; None for any other context manager."""
    if isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] == "suppress":
        return node.args
    return None


def _swallowing(body: list[ast.stmt], names: list[ast.expr] | None) -> ast.Try:
    """A `try` around `body` that swallows the exceptions in `names`; None: all of them."""
    caught = ast.Tuple(names, ast.Load()) if names is not None else None
    return ast.Try(body=body, handlers=[ast.ExceptHandler(caught, None, [ast.Pass()])], orelse=[], finalbody=[])


def _may_swallow(leave: Function) -> bool:
    """True for an `__exit__` that returns anything but None or False."""
    return any(
        isinstance(part, ast.Return)
        and part.value is not None
        and not (isinstance(part.value, ast.Constant) and not part.value.value)
        for part in own_nodes(leave.node)
    )


def _leaves(body: Sequence[ast.stmt]) -> bool:
    """True where statements may end with `return`, `break` or `continue`, which drops an exception on its way."""
    waiting: list[tuple[ast.AST, bool]] = [(statement, False) for statement in body]
    while waiting:
        part, inside = waiting.pop()
        if isinstance(part, ast.Return) or (isinstance(part, (ast.Break, ast.Continue)) and not inside):
            return True
        if not isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.expr)):
            inside = inside or isinstance(part, (ast.For, ast.AsyncFor, ast.While))
            waiting.extend((child, inside) for child in ast.iter_child_nodes(part))
    return False
