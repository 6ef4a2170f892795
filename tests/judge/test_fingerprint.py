"""What a fingerprint stands for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace

import pytest

from hwlint.judge.fingerprint import fingerprint, with_fingerprints
from hwlint.model.finding import Certainty, Finding, Level
from hwlint.model.span import Span

PARTS = {"rule": "HW101", "path": "a.py", "symbol": "f", "table": "T"}
TARGETS = ("sm_120", "sm_121")


def _fingerprint(targets: Iterable[str] = TARGETS, occurrence: int = 0, changed: Mapping[str, str] = {}) -> str:
    parts = {**PARTS, **changed}
    return fingerprint(parts["rule"], parts["path"], parts["symbol"], parts["table"], targets, occurrence=occurrence)


USUAL = _fingerprint()


def _finding(line: int) -> Finding:
    place = Span("a.py", line, 1, line, 5)
    return Finding(
        "HW101", "missing-key", Level.ERROR, Certainty.CERTAIN, "m", place, "f", ("sm_120",), "KeyError: 12", table="T"
    )


def test_it_is_sixteen_hex_digits_and_stays_the_same() -> None:
    assert _fingerprint() == USUAL
    assert re.fullmatch("[0-9a-f]{16}", USUAL)


def test_it_is_pinned_for_baselines_that_were_written_before() -> None:
    assert USUAL == "0c4ff2da0ec35164"


@pytest.mark.parametrize("part", sorted(PARTS))
def test_each_text_counts(part: str) -> None:
    assert _fingerprint(changed={part: "other"}) != USUAL


def test_targets_and_occurrences_count() -> None:
    assert _fingerprint(["sm_120"]) != USUAL
    assert _fingerprint(occurrence=1) != USUAL


def test_the_order_of_targets_does_not_count_and_parts_do_not_run_together() -> None:
    assert _fingerprint(reversed(TARGETS)) == USUAL
    assert fingerprint("a", "b", "c", "de", ()) != fingerprint("a", "b", "cd", "e", ())


def test_lines_do_not_count_and_twins_are_numbered_by_place() -> None:
    first, second = with_fingerprints([_finding(20), _finding(10)])
    assert (first.span.line, second.span.line) == (10, 20)
    assert first.fingerprint != second.fingerprint
    shifted = with_fingerprints([_finding(11), _finding(99)])
    assert [each.fingerprint for each in shifted] == [first.fingerprint, second.fingerprint]


def test_other_fields_stay() -> None:
    assert replace(with_fingerprints([_finding(1)])[0], fingerprint="") == _finding(1)
