"""Record what is done with texts that come from the hardware: cutting, converting to a number, putting in order."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Sequence

from hwlint.evaluate.answers import Raised, Unknown
from hwlint.evaluate.searches import Searches
from hwlint.evaluate.state import State
from hwlint.evaluate.values import Value
from hwlint.model.observation import TextUse


class TextUses(Searches):
    """The part of the evaluator that notes uses of texts; each method costs nothing where no hardware is involved."""

    def note_cut(self, text: str, base: Value, key: Value, node: ast.Subscript, where: int, state: State) -> None:
        """`text[2]` or `text[:2]` with constant places, where the text comes from the hardware."""
        if base.trace is None or self.recorder.muted:
            return
        index = key.only()
        if isinstance(index, slice) and index.step is None:
            use, bounds = "slice", (index.start, index.stop)
        elif isinstance(index, int):
            use, bounds = "index", (index, index + 1 if index != -1 else None)
        else:
            return
        subject = self.text(node.value, state)
        self.recorder.text_use(
            TextUse(self.place(node, state), use, subject, "known", ((text, where),), bounds, trace=base.trace.steps())
        )

    def note_search(self, text: str, base: Value, key: Value, node: ast.Subscript, where: int, state: State) -> None:
        """`text[:place]` where `place` is the -1 of a search that found nothing: the last character is cut off."""
        if base.trace is None or self.recorder.muted or not isinstance(node.slice, ast.Slice):
            return
        end = node.slice.upper
        if end is None or isinstance(end, ast.Constant | ast.UnaryOp):
            return
        mask = 0
        for index, seen in key.cases:
            if isinstance(index, slice) and index.stop == -1 and index.start in (None, 0) and index.step is None:
                mask |= seen & where & state.alive
        if mask:
            place, subject = self.place(node, state), self.text(node.value, state)
            texts, steps = ((text, mask),), base.trace.steps()
            self.recorder.text_use(
                TextUse(place, "found", subject, "known", texts, (0, -1), other=ast.unparse(end), trace=steps)
            )

    def note_number(
        self,
        value: Value,
        raised: Sequence[tuple[Raised, int]],
        node: ast.AST,
        state: State,
    ) -> None:
        """`int(text)` of a text that comes from the hardware, where it raises on some architecture."""
        if value.trace is None or self.recorder.muted or not raised or not isinstance(node, ast.Call) or not node.args:
            return
        texts = tuple((answer, mask & state.alive) for answer, mask in value.cases if isinstance(answer, str))
        failing = 0
        for error, mask in raised:
            if error.exception == "ValueError":
                failing |= mask
        for answer, mask in texts:
            if answer.strip().isdecimal():  # another path gives digits there: a test of the text may tell the two apart
                failing &= ~mask
        if texts and failing:
            place, subject = self.place(node, state), self.text(node.args[0], state)
            caught = self.catches("ValueError")
            self.recorder.text_use(
                TextUse(
                    place, "number", subject, "known", texts, raising=failing, caught=caught, trace=value.trace.steps()
                )
            )

    def note_order(self, use: str, items: Sequence[Value], mask: int, node: ast.AST, state: State) -> None:
        """`sorted`, `min` or `max` over texts of which one at least comes from the hardware."""
        trace = next((item.trace for item in items if item.trace is not None), None)
        if trace is None or self.recorder.muted or not isinstance(node, ast.Call) or not node.args:
            return
        texts = tuple(
            (answer, seen & mask & state.alive)
            for item in items
            for answer, seen in item.cases
            if isinstance(answer, str) and seen & mask & state.alive
        )
        if len(texts) > 1:
            place, subject = self.place(node, state), self.text(node, state)
            beside = use == "end" and any(isinstance(answer, Unknown) for item in items for answer, _ in item.cases)
            kind = _kind_of(texts) if beside else "known"
            if kind is not None:
                self.recorder.text_use(TextUse(place, use, subject, kind, texts, trace=trace.steps()))

    def note_pattern(self, name: str, args: Sequence[Value], node: ast.AST, state: State) -> None:
        """`re.match(pattern, text)` with a constant pattern, where the text comes from the hardware."""
        if len(args) != 2 or args[1].trace is None or self.recorder.muted or not isinstance(node, ast.Call):
            return
        pattern = args[0].only()
        texts = tuple(
            (answer, mask & state.alive)
            for answer, mask in args[1].cases
            if isinstance(answer, str) and mask & state.alive
        )
        if isinstance(pattern, str) and texts and len(node.args) == len(args):
            place, subject, asked = self.place(node, state), self.text(node.args[1], state), f"{name[3:]} {pattern}"
            steps = args[1].trace.steps()
            self.recorder.text_use(TextUse(place, "pattern", subject, "known", texts, other=asked, trace=steps))


def _kind_of(texts: Iterable[tuple[str, int]]) -> str | None:
    """What texts of the hardware that are held against one that is not known are; None where no version."""
    for kind, form in (("digits", r"\d{2,3}"), ("capability", r"\d{1,2}\.\d"), ("target", r"sm_\d{2,3}[af]?")):
        if all(re.fullmatch(form, text) for text, _ in texts):
            return kind
    return None
