"""`f(*capability)` gives a function, a named tuple and a dataclass one argument for each item, per architecture."""

from __future__ import annotations

import pytest

from hwlint.model.observation import Lookup
from hwlint.model.outcome import Raises
from tests.evaluate.agreement import architectures, machine

PROGRAM = """
import torch
from dataclasses import dataclass
from typing import NamedTuple

class Named(NamedTuple):
    major: int
    minor: int

@dataclass
class Data:
    major: int
    minor: int = 0

def number(major, minor=0, *rest):
    return major * 10 + minor

TABLE = {9: 1, 90: 2}

def use():
    capability = torch.cuda.get_device_capability()
    return TABLE[KEY]
"""


@pytest.mark.parametrize(
    "key",
    [
        "Named(*torch.cuda.get_device_capability()).major",
        "Data(*capability).major",
        "Data(*capability[:1]).major",
        "number(*capability)",
        "number(*capability, 1)",
        "max(*capability)",
    ],
)
@pytest.mark.parametrize("targets", [("sm_120",), ("sm_90", "sm_120")])
def test_a_capability_that_is_spread_over_arguments_stays_a_hardware_value(key: str, targets: tuple[str, ...]) -> None:
    rows = [row for row in architectures() if row.name in targets]
    assert len(rows) == len(targets)
    seen = machine({"main.py": PROGRAM.replace("KEY", key)}, rows).evaluate("main.py")
    outcomes = [happening.outcome for one in seen if isinstance(one, Lookup) for happening in one.happenings]
    assert any(isinstance(outcome, Raises) for outcome in outcomes)


def test_a_capability_of_which_an_unknown_part_is_spread_is_not_guessed() -> None:
    program = PROGRAM.replace("KEY", "number(*capability[:unknown])")
    seen = machine({"main.py": program}, architectures()).evaluate("main.py")
    outcomes = [happening.outcome for one in seen if isinstance(one, Lookup) for happening in one.happenings]
    assert not any(isinstance(outcome, Raises) for outcome in outcomes)
