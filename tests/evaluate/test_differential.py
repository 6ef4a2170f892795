"""What the evaluator computes equals what CPython computes on every architecture, or it is Unknown."""

from __future__ import annotations

import os
import warnings
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import seed as seeded

from hwlint.evaluate import unfollowed
from tests.evaluate.agreement import Tally, compare
from tests.evaluate.programs import programs, write
from tests.evaluate.sandbox import Program

EXAMPLES = int(os.environ.get("HWLINT_EXAMPLES", "300"))
"""HWLINT_EXAMPLES=20000 is the long run."""
FIRST = int(os.environ.get("HWLINT_FIRST_SEED", "0"))
KNOWN = 0.60
"""The least part of all values that must be known: to say Unknown to everything would agree with everything."""
SHRUNK = 40
"""Programs that hypothesis writes, and shrinks where one fails; the others are written from seeds, which is faster."""


def checked(program: Program, *, sliced: bool = False) -> Tally:
    """Compare one program; a disagreement fails with the program's text."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)
        found = compare(program, sliced=sliced)
    if found.disagreements:
        pytest.fail("\n".join([program.shown(), *found.disagreements[:5]]), pytrace=False)
    return found


@pytest.mark.parametrize("part", range(4))
def test_programs_from_seeds_do_what_cpython_does_or_are_unknown(part: int) -> None:
    whole = Tally()
    for number in range(FIRST + part, FIRST + EXAMPLES - SHRUNK, 4):
        found = checked(write(Random(number)))  # noqa: S311 - no secret
        whole.known += found.known
        whole.unknown += found.unknown
    assert whole.known / max(1, whole.known + whole.unknown) >= KNOWN


def test_what_a_run_passes_over_is_right_or_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unfollowed, "SMALL_FUNCTION", 2)  # those of generated programs are small
    for number in range(FIRST, FIRST + EXAMPLES // 5):
        checked(write(Random(number)), sliced=True)  # noqa: S311 - no secret


@seeded(7)
@settings(
    max_examples=SHRUNK,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(programs())
def test_programs_that_can_be_shrunk_do_what_cpython_does_or_are_unknown(program: Program) -> None:
    checked(program)
