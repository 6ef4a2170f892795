"""Bound the work of one evaluation, so that no input makes it hang."""

from __future__ import annotations

from dataclasses import dataclass

STEPS_PER_ROOT = 60_000
"""Expressions and statements evaluated from one function or module statement; real ones need at most a tenth."""
DEEPEST_CALL = 14
"""Calls within calls; real chains from a table back to the hardware are at most six deep."""
MOST_ITERATIONS = 128
"""Rounds of a loop over constants that are run one by one; longer loops are treated as loops of unknown length."""


class OverBudget(Exception):  # noqa: N818 - it is no error, it ends a root
    """The root being evaluated has used up its steps."""


@dataclass(slots=True)
class Budget:
    """The steps left for the root being evaluated."""

    left: int = STEPS_PER_ROOT

    def start(self) -> None:
        """Begin a new root."""
        self.left = STEPS_PER_ROOT

    def spend(self) -> None:
        """Count one step; raises OverBudget when none is left."""
        self.left -= 1
        if self.left < 0:
            raise OverBudget
