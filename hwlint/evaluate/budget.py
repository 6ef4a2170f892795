"""Bound the work of one evaluation, so that no input makes it hang."""

from __future__ import annotations

import ast
from collections import Counter
from dataclasses import dataclass, field

STEPS_PER_ROOT = 20_000
"""Expressions and statements evaluated from one function or module statement; of 12,000 real ones, 19 need more."""
STEPS_PER_NAME = 60_000
"""The same for what is worked out once and kept, such as a name of a module: a table may have thousands of rows."""
OVERDRAWN_BEFORE_HALVING = 2
"""Roots of one file that may use up all their steps before the rest of the file gets half; real files have none."""
LEAST_STEPS = 250
"""Steps that a root gets however many were overdrawn before it."""
DEEPEST_CALL = 14
"""Calls within calls; real chains from a table back to the hardware are at most six deep."""
DEEPEST_RECURSION = 2
"""Runs of one function within each other."""
MOST_RUNS = 64
"""Runs of one function from one root; a function that walks over something is run hundreds of times, a test is not."""
MOST_ITERATIONS = 128
"""Rounds of a loop over constants that are run one by one; longer loops are treated as loops of unknown length."""


class OverBudget(Exception):  # noqa: N818 - it is no error, it ends a root
    """The root being evaluated has used up its steps."""


@dataclass(slots=True)
class Budget:
    """The steps left for the root being evaluated; roots that overdraw make it smaller for the rest of their file."""

    left: int = STEPS_PER_ROOT
    overdrawn: int = 0
    """Roots of the file that used up their steps."""
    runs: Counter[ast.AST] = field(default_factory=Counter)
    """How often each function has been run from the root."""

    def open(self) -> None:
        """Begin a new file."""
        self.overdrawn = 0

    def start(self) -> None:
        """Begin something that is worked out once and kept, such as a name."""
        self.left = STEPS_PER_NAME

    def start_root(self) -> None:
        """Begin a new root of the file."""
        self.runs.clear()
        self.left = max(STEPS_PER_ROOT >> self.overdrawn // OVERDRAWN_BEFORE_HALVING, LEAST_STEPS)

    def spend(self) -> None:
        """Count one step; raises OverBudget when none is left."""
        self.left -= 1
        if self.left < 0:
            raise OverBudget
