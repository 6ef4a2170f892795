"""Follow exceptions: those that the code raises, and those that operations would."""

from __future__ import annotations

import ast
import builtins
from typing import Any

from hwlint.evaluate.answers import Raised, Unbound, Unknown
from hwlint.evaluate.machine import Core
from hwlint.evaluate.state import State
from hwlint.evaluate.values import Value, make
from hwlint.model.observation import NoneUse, Unset

AN_EXCEPTION = Unknown("an exception")
"""What the name of a handler stands for."""


class Faults(Core):
    """The part of the evaluator that knows who catches what."""

    def catches(self, exception: str) -> bool:
        """True where some open `try` of this frame or of a caller would catch `exception`."""
        return any(
            self.caught_by(names, exception)
            for frame in self.frames
            for opened in frame.tries
            for names in opened.catches
        )

    def caught_by(self, names: frozenset[str] | None, exception: str) -> bool:
        """True where a handler for `names` catches `exception`: by its own name, or as what it derives from."""
        return handler_catches(names, exception) or any(
            handler_catches(names, base) for base in self.ancestors.get(exception, ())
        )

    def throw(self, exception: str, mask: int, state: State) -> bool:
        """Let `mask` leave by an exception; True where a `try` of this frame or of a caller catches it."""
        mask &= state.alive
        if not mask:
            return False
        frame = state.frame
        for opened in reversed(frame.tries):
            for index, names in enumerate(opened.catches):
                if self.caught_by(names, exception):
                    opened.caught[index].append(state.narrow(mask, decided=mask))
                    opened.thrown.add(exception)
                    state.alive &= ~mask
                    state.certain &= ~mask
                    return True
        caught = self.catches(exception)
        frame.escapes.append((exception, mask, dict(state.heap) if caught else None))
        frame.raised |= mask
        state.alive &= ~mask
        state.certain &= ~mask
        return caught

    def fault(self, raised: Raised, mask: int, node: ast.AST, state: State, *, others: int = 0) -> bool:
        """Handle an exception that is not the author's.

        Where code around catches it, the architectures go there and True is returned; those of `others`, which have
        another outcome besides, go on as well. Else the path goes on, as if the entry were there: a fault does not
        hide the next one.
        """
        if not self.catches(raised.exception):
            self.faulted |= mask
            return False
        both = mask & others & state.alive
        if both:
            self.throw(raised.exception, both, state.narrow(both, decided=0))
            state.certain &= ~both
            state.steady &= ~both
        self.throw(raised.exception, mask & ~others, state)
        return True

    def unbound(self, node: ast.Name, mask: int, whole: Value, state: State) -> None:
        """A local name is read where it may not be assigned, on `mask`; `whole` is all that it may be."""
        set_on = 0
        for answer, seen in whole.cases:
            if type(answer) is not Unbound:
                set_on |= seen
        unset = mask & ~set_on
        if mask & set_on:
            self.doubts += self.catches("UnboundLocalError")
        if unset and set_on and whole.trace is not None and not self.catches("UnboundLocalError"):
            place, steps = self.place(node, state), whole.trace.steps()
            self.recorder.left_behind(Unset(place, node.id, unset, unset & state.certain, set_on, steps))
        self.fault(Raised("UnboundLocalError", node.id), unset, node, state)

    def _settle(self, value: Value, raised: tuple[tuple[Raised, int], ...], node: ast.AST, state: State) -> Value:
        """Handle what an operation raised; where nothing catches it the answer is unknown from there on."""
        for error, mask in raised:
            if not self.fault(error, mask, node, state, others=value.mask):
                value = make(
                    [*value.cases, (Unknown(f"it raises {error.exception}: {error.message}"), mask)], value.trace
                )
        return value

    def note_none(self, value: Value, use: str, node: ast.AST, state: State) -> None:
        """Record that the None of a missed lookup is used as a value."""
        missed = value.missed
        if missed is None or self.recorder.muted:
            return
        mask = 0
        for answer, seen in value.cases:
            if answer is None:
                mask |= seen
        mask &= missed.mask & state.alive
        if not mask or self.catches("TypeError" if use != "read an attribute of" else "AttributeError"):
            return
        other = 0
        for answer, seen in value.cases:
            if answer is not None:
                other |= seen
        steps = value.trace.steps() if value.trace else ()
        self.recorder.none_use(
            NoneUse(
                self.place(node, state),
                use,
                mask,
                mask & state.certain & ~other,
                missed.span,
                missed.table,
                missed.key,
                steps,
                missed.ended,
                other & ~mask,
            )
        )


def handler_catches(names: frozenset[str] | None, exception: str) -> bool:
    """True where a handler for `names` (None: everything) catches `exception`, by the builtin hierarchy."""
    if names is None or exception in names:
        return True
    raised = _builtin_exception(exception)
    for name in names:
        if name in ("Exception", "BaseException"):
            return True
        handled = _builtin_exception(name)
        if raised is not None and handled is not None and issubclass(raised, handled):
            return True
    return False


def _builtin_exception(name: str) -> type[BaseException] | None:
    found: Any = getattr(builtins, name, None)
    return found if isinstance(found, type) and issubclass(found, BaseException) else None
