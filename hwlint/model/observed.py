"""Write what the evaluator saw as JSON and read it back."""

from __future__ import annotations

from typing import get_args

from hwlint.model.codec import Codec
from hwlint.model.finding import TraceStep
from hwlint.model.observation import Admission, Happening, NamePiece, Observation, Place, Table, Thing
from hwlint.model.outcome import Outcome
from hwlint.model.span import Span

_OBSERVED = Codec(
    (
        *(Span, TraceStep, Place, Table, Happening, Admission, NamePiece, Thing),
        *get_args(Observation),
        *get_args(Outcome),
    )
)
dumps = _OBSERVED.dumps
"""Write observations."""
loads = _OBSERVED.loads
"""Read what `dumps` wrote."""
