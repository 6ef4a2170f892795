"""Tell where a test singles out the architectures of 8.x that have little shared memory, and whether words say why."""

from __future__ import annotations

import re

from hwlint.evaluate.reaches import Reaches
from hwlint.evaluate.state import State

_MEMORY = re.compile(r"\bsmem|shared[ _-]?mem", re.IGNORECASE)
_LITTLE = ((8, 6), (8, 9))
"""What every such test has. 8.7 and 8.8 are often forgotten, or counted with them."""


class Spared(Reaches):
    """The part of the evaluator that knows tests for little shared memory."""

    _memory: dict[tuple[str, object], bool]

    def __init__(self, *args: object) -> None:
        """Find the bits of 8.x among the architectures of the run."""
        super().__init__(*args)
        bits = {row.capability: 1 << bit for bit, row in enumerate(self.architectures) if row.name.startswith("sm_")}
        self._little = sum(bits.get(capability, 0) for capability in _LITTLE) if (8, 0) in bits else 0
        self._may_be_little = sum(
            bit for capability, bit in bits.items() if capability is not None and (8, 0) < capability < (9, 0)
        )
        self._others = sum(bits.values()) & ~self._may_be_little
        self._memory = {}

    def spares_little(self, yes: int, no: int) -> bool:
        """True where only 8.6 and 8.9 come to one side of a test, perhaps with 8.7 and 8.8."""
        return self._little != 0 and any(
            side & self._little == self._little and not side & self._others for side in (yes, no)
        )

    def speaks_of_memory(self, state: State) -> bool:
        """True where the running function, or a comment just above it, speaks of shared memory."""
        index = self.running(state)
        known = self._memory.get(index)
        if known is None:
            known = self._memory[index] = _MEMORY.search(self.text_around(state)) is not None
        return known
