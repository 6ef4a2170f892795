"""Record which architectures come to code that says it is for one, and the sizes that are chosen by architecture."""

from __future__ import annotations

import ast
import re

from hwlint.evaluate.answers import ELSEWHERE, Bound, Class, DictContent, Function, Ref, Trace, Unknown
from hwlint.evaluate.forms import is_turned_away
from hwlint.evaluate.mentions import Mention, mentions, picked, registered
from hwlint.evaluate.remarks import Remarks
from hwlint.evaluate.state import Frame, State
from hwlint.evaluate.values import Value, restrict, truth
from hwlint.hardware.claims import amd_lines, claims_of, is_named, is_size
from hwlint.model.observation import Choice, Comparison, Place, Predicate, Reach
from hwlint.model.span import Span
from hwlint.source.nodes import walk

_TILED = re.compile(
    r"block_?(?:size_?)?[mnqk]\b|num_stages|smem|shared_?mem|tl\.dot|tile_?[mnk]\b|qo_tile|\bb[mnk]\b.*\bstages\b",
    re.IGNORECASE,
)
_OPPOSITE = re.compile(r"#[^\n]*\bno[tn][- ](blackwell|hopper)\b", re.IGNORECASE)
_MOST_SIZES = 8
_TELLING = 2
"""A name with so many gaps between its words is no word of the trade that every module has."""
_SHOWN = 90

_TILE = re.compile(r"(?:block|tile)(?:_|$|[mnk]$)", re.IGNORECASE)
"""Names of the sizes of a tile: `BLOCK_M`, `tile_k`."""


class Reaches(Remarks):
    """The part of the evaluator that records what is reached under a hardware test."""

    def __init__(self, *args: object) -> None:
        """Start with no statement looked at."""
        super().__init__(*args)  # type: ignore[arg-type]
        self._mentions: dict[ast.AST, tuple[Mention, ...]] = {}
        self._tiled: dict[tuple[str, str], bool] = {}
        self._near: dict[tuple[str, object], tuple[str, ...]] = {}

    def note_reach(self, node: ast.AST, state: State) -> None:
        """Record the names with a claim that a statement or expression uses; only behind a hardware test."""
        frame = state.frame
        if frame.trace is None or frame.hinted or self.recorder.muted or not state.alive:
            return
        found = self._mentions.get(node)
        if found is None:
            found = self._mentions[node] = mentions(node)
        mask = state.alive & ~self._told_off(state) if found else 0
        for mention in found if mask else ():
            how = mention.how
            if how == "name" and mention.text.isidentifier():
                if self._hands_on(mention.text, state):
                    continue
                how = "rung" if self._is_rung(mention.text, state) else how
            test = frame.gates[-1][0] if frame.gates else frame.test
            self.recorder.reach(
                Reach(
                    self.place(mention.node, state),
                    mention.text,
                    how,
                    mask,
                    state.certain & mask,
                    self._short(test, state) if test is not None else "",
                    frame.trace.steps(),
                    asked=self._assigned_to(test, state) if isinstance(test, ast.Name) else "",
                )
            )

    def _assigned_to(self, test: ast.Name, state: State) -> str:
        """The source of the one value that the running function gives a name."""
        function = state.frame.function
        if function is None or isinstance(function.node, ast.Lambda):
            return ""
        values = [
            node.value
            for node in walk(function.node)
            if isinstance(node, ast.Assign)
            and any(isinstance(target, ast.Name) and target.id == test.id for target in node.targets)
        ]
        return self.text(values[0], state) if len(values) == 1 else ""

    def _told_off(self, state: State) -> int:
        """The architectures that come here only if the capability, which is known for them, is passed in otherwise."""
        found = state.frame.asserted_off
        for opened in state.frame.open:
            yes, no = opened.told
            off = no & ~yes if opened.truth else yes & ~no
            if off and self.asks_for_capability(opened.test, state):
                found |= off
        return found

    def asks_for_capability(self, test: ast.expr, state: State) -> bool:
        """True for `capability == 9` and `arch // 10 in (9, 10)`, where the left side is known to be the capability."""
        if not isinstance(test, ast.Compare):
            return False
        self.recorder.muted += 1
        try:
            value = self.eval(test.left, state.copy())
        finally:
            self.recorder.muted -= 1
        known = [(answer, mask) for answer, mask in value.cases if type(answer) is not Unknown]
        return bool(known) and all(
            row.capability is not None and answer in (row.capability[0], row.capability[0] * 10 + row.capability[1])
            for answer, mask in known
            for bit, row in enumerate(self.architectures)
            if mask >> bit & 1
        )

    def _hands_on(self, name: str, state: State) -> bool:
        """True for a function that only calls another one, whose name makes no claim: its own name binds nobody."""
        function = self._function_called(name, state)
        if function is None:
            return False
        body = [node for node in function.body if not isinstance(getattr(node, "value", None), ast.Constant)]
        called = body[0].value if len(body) == 1 and isinstance(body[0], ast.Return) else None
        return isinstance(called, ast.Call) and isinstance(called.func, ast.Name) and not claims_of(called.func.id)

    def _is_rung(self, name: str, state: State) -> bool:
        """True for a rung of a ladder (`sm9x` after `sm8x`) that gives back numbers which it works out itself."""
        if not any(claim.value.endswith("x") for claim in claims_of(name)):
            return False
        function = self._function_called(name, state)
        return function is not None and _only_counts(function)

    def _function_called(self, name: str, state: State) -> ast.FunctionDef | None:
        """The one function that a name of the running module stands for."""
        if not self.code(state.frame.path).bindings(name):
            return None
        value = self.global_name(state.frame.path, name, None)
        function = value.only() if value is not None else None
        node = function.node if type(function) is Function else None
        return node if isinstance(node, ast.FunctionDef) else None

    def note_declared(self, function: Value, node: ast.Call, state: State) -> None:
        """Record the call of a function whose decorator lists the capabilities that it supports."""
        answer = function.only()
        target = answer.of if isinstance(answer, Unknown) else answer.function if isinstance(answer, Bound) else answer
        if not isinstance(target, Function) or isinstance(target.node, ast.Lambda) or state.frame.trace is None:
            return
        for decorator in target.node.decorator_list:
            if not isinstance(decorator, ast.Call) or not decorator.args:
                continue
            name = ast.unparse(decorator.func).rpartition(".")[2]
            if "capab" not in name.lower():
                continue
            numbers = self._numbers(decorator.args[0], target.path)
            if numbers:
                test = state.frame.gates[-1][0] if state.frame.gates else state.frame.test
                self.recorder.reach(
                    Reach(
                        self.place(node, state),
                        target.qualname,
                        "declared",
                        state.alive,
                        state.certain,
                        self._short(test, state) if test is not None else "",
                        state.frame.trace.steps(),
                        numbers,
                        name,
                    )
                )

    def _numbers(self, node: ast.expr, path: str) -> tuple[int, ...]:
        value = self.quietly(node, path)
        found: list[int] = []
        for items, rest, _ in self.iterate(value, self.fresh(path, "")):
            answers = [item.only() for item in items]
            if rest is not None or not all(type(answer) is int for answer in answers):
                return ()
            found.extend(answers)
        return tuple(found)

    def quietly(self, node: ast.expr, path: str, definition: str = "") -> Value:
        """Evaluate an expression at the end of a module without recording anything (defined with the classes)."""
        raise NotImplementedError

    def fresh(self, path: str, symbol: str, *, owner: Class | None = None, alive: int | None = None) -> State:
        """A state at the start of a root (defined with the classes)."""
        raise NotImplementedError

    def named_near(self, state: State) -> tuple[str, ...]:
        """The architectures from 10.0 on that the running function, or module statement, names in code or comments."""
        index = self.running(state)
        known = self._near.get(index)
        if known is None:
            text = self.text_around(state)
            known = self._near[index] = tuple(row.name for row in self.architectures if is_named(row, text))
        return known

    def opposite(self, state: State) -> str:
        """The generation that a comment in the running `if` says the other branch is not, in lower case."""
        node = self.statement
        if not isinstance(node, ast.If):
            return ""
        found = _OPPOSITE.search(self.code(state.frame.path).segment(node))
        return found[1].lower() if found is not None else ""

    def running(self, state: State) -> tuple[str, object]:
        """What tells the running function, or module statement, from all others."""
        return state.frame.path, state.frame.symbol if state.frame.function is not None else self.statement

    def text_around(self, state: State) -> str:
        """The function's text and the lines just above it; of module-level code a few lines around."""
        code = self.code(state.frame.path)
        node = state.frame.function.node if state.frame.function is not None else self.statement
        if node is None or not hasattr(node, "lineno"):
            return ""
        place = code.span(node)
        margin = 3 if state.frame.function is not None else 12
        after = 0 if state.frame.function is not None else 6
        return "".join(code.parsed.lines[max(0, place.line - 1 - margin) : place.end_line + after])

    def _short(self, node: ast.expr, state: State) -> str:
        text = self.text(node, state)
        return text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "..."

    def note_hint(self, test: ast.expr, state: State) -> None:
        """A test that no architecture decides names one all the same: what comes behind it may be well guarded."""
        if state.frame.trace is not None and not self.recorder.muted and claims_of(self.text(test, state)):
            state.frame.hinted = True

    def note_binding(self, name: str, value: Value, node: ast.AST, state: State) -> None:
        """Record what a name is given, where it is a size or says which architecture it stands for."""
        if value.trace is not None:
            self.note_remark(node, value, state)
            if claims_of(name) or amd_lines(name):
                self._note_predicate(name, "variable", value, node, state)
            elif state.frame.function is None and name.strip("_").count("_") >= _TELLING:
                self._note_predicate(name, "flag", value, node, state)
        if state.frame.gates and len(value.cases) == 1 and type(value.cases[0][0]) is str:
            self._note_pick(name, value.cases[0][0], node, state)
        elif value.trace is not None and 1 < len(value.cases) <= _MOST_SIZES and state.frame.function is not None:
            for answer, mask in value.cases:
                if type(answer) is str and mask & state.alive and isinstance(node, ast.Name):
                    self._note_pick(name, answer, node, state, mask)
        if is_size(name):
            self.note_choice(name, value, node, state)

    def note_size_answer(self, value: Value, node: ast.expr, state: State) -> None:
        """Record the number that a function named after a size gives back behind a hardware test."""
        frame = state.frame
        if frame.function is None or isinstance(frame.function.node, ast.Lambda):
            return
        if not frame.gates and state.alive == frame.entered:
            return
        name = frame.function.node.name.strip("_").removeprefix("get_")
        if is_size(name):
            self.note_choice(name, value, node, state, whole_file=True)

    def _note_pick(self, name: str, text: str, node: ast.AST, state: State, mask: int | None = None) -> None:
        """Record a text that is chosen behind a hardware test, or by it (`mask`); a check may turn it away later."""
        frame = state.frame
        if not text.isascii() or not text.replace("_", "").replace("-", "").isalnum() or len(text) > 40:
            return
        self.recorder.reach(
            Reach(
                self.place(node, state),
                text,
                "pick" if mask is None else "pick here",
                state.alive if mask is None else mask & state.alive,
                state.certain,
                self._short(frame.gates[-1][0], state) if frame.gates else "",
                frame.trace.steps() if frame.trace else (),
                (),
                name,
            )
        )

    def picks(self, frame: Frame) -> tuple[tuple[str, str], ...]:
        """The choices that the running statement is for, where nothing but them and the hardware leads to it."""
        found: list[tuple[str, str]] = []
        for opened in frame.open:
            chosen = picked(opened.test) if opened.truth else ()
            if not chosen and not opened.hardware:
                return ()
            found.extend(chosen)
        if not found and frame.function is not None and not isinstance(frame.function.node, ast.Lambda):
            found.extend(registered(frame.function.node))
        return tuple(found)

    def _note_predicate(self, name: str, kind: str, value: Value, node: ast.AST, state: State) -> None:
        value = restrict(value, state.alive)
        if not all(answer is None or isinstance(answer, (bool, Unknown)) for answer, _ in value.cases):
            return
        yes, no = self.truth(value, state)
        if state.alive == self.everyone and value.trace is not None:
            self.recorder.predicate(
                Predicate(self.place(node, state), name, kind, yes, no, _proven(value), value.trace.steps())
            )

    def note_question(self, value: Value, node: ast.AST, state: State) -> None:
        """Record a predicate that was given what to ask for: it compares with that like `==` or `>=`."""
        answers = [answer for answer, _ in value.cases]
        if not all(isinstance(answer, (bool, Unknown)) for answer in answers) or not hasattr(node, "lineno"):
            return
        if not any(isinstance(answer, bool) for answer in answers):
            return
        yes, no = self.truth(restrict(value, state.alive), state)
        text = self.text(node, state)
        step = self.step(f"{text} is asked", node, state).steps()
        self.recorder.comparison(
            Comparison(
                self.place(node, state),
                "call",
                text,
                "",
                (),
                (),
                yes,
                no,
                state.alive,
                step,
                self.named_near(state),
                self.opposite(state),
                is_turned_away(node, self.statement),
            )
        )

    def note_choice(self, name: str, value: Value, node: ast.AST, state: State, *, whole_file: bool = False) -> None:
        """Record the numbers that a size may be, with their architectures.

        What a function named after a size gives back is a tile where the file speaks of tiles (`whole_file`).
        Where it is one of several, and on the same architecture something unknown too, which one is anybody's guess.
        An architecture whose platform lacks the device that is asked does not come here.
        """
        if value.trace is not None and self.block_limits and value.trace.steps()[0] in self.block_limits:
            return  # what is made of the device's own limit is not chosen for an architecture
        guessed = 0
        for answer, mask in value.cases:
            of_another = isinstance(answer, Unknown) and answer.reason.endswith(ELSEWHERE)
            if of_another or (len(value.cases) > 2 and type(answer) is not int):
                guessed |= mask
        alive = state.alive & ~guessed
        sizes = tuple((answer, mask & alive) for answer, mask in value.cases if type(answer) is int and mask & alive)
        if not sizes or len(sizes) > _MOST_SIZES:
            return
        trace = value.trace or state.frame.trace
        self.recorder.choice(
            Choice(
                self.place(node, state),
                name,
                sizes,
                state.certain,
                self._is_tiled(state, whole_file=whole_file),
                trace.steps() if trace is not None else (),
            )
        )

    def note_entries(
        self, ref: Ref, content: DictContent, hits: list[tuple[object, int]], trace: Trace | None, state: State
    ) -> None:
        """Record the sizes that a table named after one holds, each at its entry."""
        known = self.names.get(ref)
        node = ref.node
        if known is None or ref.span is None or not isinstance(node, ast.Dict) or not is_size(known[0]):
            return
        code = self.code(ref.span.path)
        for (key, value), place in zip(content.items.items(), node.values, strict=False):
            size = value.only()
            mask = 0
            for answer, where in hits:
                if answer == key:
                    mask |= where & state.alive
            if type(size) is int and mask:
                span = code.span(place)
                self.recorder.choice(
                    Choice(
                        Place(span, span, ""),
                        known[0],
                        ((size, mask),),
                        mask & state.certain,
                        tiled=False,
                        trace=trace.steps() if trace is not None else (),
                    )
                )

    def _is_tiled(self, state: State, *, whole_file: bool) -> bool:
        """True where the function, or the file, speaks of tiles that are held in shared memory."""
        index = (state.frame.path, "*" if whole_file else state.frame.symbol)
        known = self._tiled.get(index)
        if known is None:
            function = state.frame.function
            code = self.code(state.frame.path)
            text = "".join(code.parsed.lines) if whole_file else code.segment(function.node) if function else ""
            known = self._tiled[index] = _TILED.search(text) is not None
        return known

    def note_answer(self, node: ast.FunctionDef | ast.AsyncFunctionDef, value: Value, state: State) -> None:
        """Record what a function whose name makes a claim answers when nothing is known of its arguments."""
        if value.trace is None or not (claims_of(node.name) or amd_lines(node.name)):
            return
        if not all(isinstance(answer, (bool, Unknown)) for answer, _ in value.cases):
            return
        code = self.code(state.frame.path)
        whole = code.span(node)
        keyword = "async def " if isinstance(node, ast.AsyncFunctionDef) else "def "
        start = whole.column + len(keyword)
        name = Span(whole.path, whole.line, start, whole.line, start + len(node.name))
        yes, no = truth(value, self.everyone)
        self.recorder.predicate(
            Predicate(
                Place(name, name, state.frame.symbol),
                node.name,
                "function",
                yes,
                no,
                _proven(value),
                value.trace.steps(),
            )
        )


def _only_counts(node: ast.FunctionDef) -> bool:
    """True for a function that works out numbers from its parameters, and calls nothing for it but `min` and `max`.

    Sizes of tiles are more than numbers: what is newer may have less memory for them.
    """
    parts = walk(node)
    if any(isinstance(part, ast.Raise | ast.Assert | ast.Attribute) for part in parts):
        return False
    called = [part.func for part in parts if isinstance(part, ast.Call)]
    if not all(isinstance(function, ast.Name) and function.id in ("min", "max") for function in called):
        return False
    stored = (part.id for part in parts if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store))
    return not any(_TILE.match(name) for name in stored)


def _proven(value: Value) -> int:
    """The architectures on which True itself is among the answers."""
    found = 0
    for answer, mask in value.cases:
        if answer is True:
            found |= mask
    return found
