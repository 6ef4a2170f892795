"""Read the comment above a hardware test: `# if hopper default to ...`, `# this kernel uses tcgen05`."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence

from hwlint.evaluate.answers import Unknown
from hwlint.evaluate.faults import Faults
from hwlint.evaluate.state import State
from hwlint.evaluate.values import Value
from hwlint.model.observation import Reach

_MOST_LINES = 8
_FOR_ONE = re.compile(
    r"^\W*(?:\w+:\s*)?(?:if|for|on|when|only(?: on| for)?)\b[^.;,]{0,25}?\b(hopper|blackwell)\b"
    r"(?!\s*(?:\+|/|\(|and\b|or\b))",
    re.IGNORECASE,
)
"""A sentence that begins with the one generation that it is about."""
_MADE_WITH = re.compile(
    r"\b(?:uses?|using|requires?|needs?|relies on|made of)\b[^.;]{0,30}?\b(wgmma|tcgen0?5|tmem|umma)\b", re.IGNORECASE
)
_COMMENT = re.compile(r"\s*#+(.*)")


class Remarks(Faults):
    """The part of the evaluator that reads what stands above a test or the keeping of its answer."""

    def note_remark(self, node: ast.AST, value: Value, state: State) -> None:
        """Record where the answer of a hardware test is yes, if the comment above speaks of one generation."""
        if not all(answer is None or isinstance(answer, (bool, Unknown)) for answer, _ in value.cases):
            return
        line = getattr(self.statement, "lineno", 0)
        word = remark(self.code(state.frame.path).parsed.lines, line)
        mask = sum(where for answer, where in value.cases if answer is True) & state.alive if word else 0
        if mask:
            self.recorder.reach(
                Reach(
                    self.place(node, state),
                    word,
                    "remark",
                    mask,
                    state.certain & mask,
                    self.text(node, state),
                    value.trace.steps() if value.trace is not None else (),
                )
            )


def remark(lines: Sequence[str], line: int) -> str:
    """Return the generation, or its instruction, that the comment right above a line names; empty where none does."""
    found: list[str] = []
    for text in reversed(lines[max(0, line - 1 - _MOST_LINES) : max(0, line - 1)]):
        comment = _COMMENT.fullmatch(text.rstrip())
        if comment is None:
            break
        found.insert(0, comment[1].strip())
    if not found:
        return ""
    made = _MADE_WITH.search(" ".join(found))
    if made is not None:
        return made[1]
    meant = next((hit for text in found if (hit := _FOR_ONE.match(text)) is not None), None)
    return meant[1] if meant is not None else ""
