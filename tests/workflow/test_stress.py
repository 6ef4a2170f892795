"""Extreme trees end in good time, in bounded memory, and what was given up in them is told."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from benchmarks import stress


@pytest.mark.parametrize(
    ("make", "status", "told"),
    [
        (lambda folder: stress.many_modules(folder, 600), 1, "p5/m599.py"),
        (lambda folder: stress.large_table(folder, 1_000_000), 0, "1 place unknown"),
        (stress.long_chain, 3, "chain.py:1: not analysed: nested too deeply"),
        (lambda folder: stress.long_chain(folder, 1_000), 0, "1 place unknown"),
        (stress.long_row, 1, "row.py"),
        (stress.import_cycle, 1, "m299.py"),
    ],
    ids=["modules", "table", "refused chain", "chain", "row", "cycle"],
)
def test_an_extreme_tree_ends_within_its_budget(
    make: Callable[[Path], None], status: int, told: str, tmp_path: Path
) -> None:
    make(tmp_path)
    took = stress.run(tmp_path)
    assert (status, told in took.told) == (took.status, True)
    assert took.cpu < 30
    assert took.memory < 400
