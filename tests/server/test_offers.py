"""Check that a fix is offered in the editor only where it holds: it parses, its finding goes, and no new one comes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("pygls", reason="NOT TESTED: no pygls; pip install '.[dev]' brings it")

from hwlint.model.finding import Edit, Finding, Fix, Safety
from hwlint.model.span import Span
from hwlint.server import offers
from hwlint.server.offers import Offers
from tests.server.bench import Bench

TABLES = "SIZES = {8: 1, 9: 2, 10: 3, 11: 3}\n"
USER = """\
import torch

from tables import SIZES


def major():
    return torch.cuda.get_device_capability()[0]


def first():
    if major() < 8:
        return None
    return SIZES[major()]
"""
OTHER = """\
import torch

from tables import SIZES


def third():
    size = SIZES.get(torch.cuda.get_device_capability()[0], 8)
    return {1: "a", 2: "b", 3: "c", 8: "d"}[size]
"""


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    """A project whose table is used in two other files."""
    (tmp_path / "hwlint.toml").write_text("", encoding="utf-8")
    for name, text in {"tables.py": TABLES, "user.py": USER, "other.py": OTHER}.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return Bench(tmp_path)


def entry(text: str) -> Fix:
    """A fix that puts a text at the end of the table."""
    at = len(TABLES) - 1
    span = Span("tables.py", 1, at, 1, at)
    return Fix(f"add {text}", Safety.UNSAFE, "so", (Edit(span, text),))


def held_fixes(bench: Bench, monkeypatch: pytest.MonkeyPatch, *fixes: Fix) -> list[str]:
    """The titles of those of the fixes that are offered for the one finding there is."""
    (finding,) = bench.look("user.py", USER, USER)
    assert "HW101" == finding.rule

    def given(findings: Iterable[Finding], *_: object) -> tuple[Finding, ...]:
        return tuple(replace(one, fixes=fixes) for one in findings)

    monkeypatch.setattr(offers, "attach_fixes", given)
    made = Offers(bench.held, bench.known, "user.py", bench.news("user.py", USER, USER), {}, lambda: False)
    return [fix.title for one in made.for_findings([finding]) for fix in one.fixes]


def test_the_fixes_of_the_rules_that_hold_are_offered_and_those_to_read_are_not(bench: Bench) -> None:
    (finding,) = bench.look("user.py", USER, USER)
    made = Offers(bench.held, bench.known, "user.py", bench.news("user.py", USER, USER), {}, lambda: False)
    (offered,) = made.for_findings([finding])
    assert {Safety.UNSAFE, Safety.SAFE} >= {fix.safety for fix in offered.fixes}
    assert {"tables.py"} <= {edit.span.path for fix in offered.fixes for edit in fix.edits}


@pytest.mark.parametrize(
    ("text", "why_not"),
    [
        (", 12: 3", ""),
        (", 12: (", "it does not parse"),
        (", 13: 3", "the finding stays"),
        (", 12: 9", "another file that uses the table then has a finding"),
    ],
)
def test_a_fix_is_offered_where_it_holds_for_every_file_that_uses_the_table(
    text: str, why_not: str, bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert ([] if why_not else [f"add {text}"]) == held_fixes(bench, monkeypatch, entry(text)), why_not


def test_what_was_tried_for_these_texts_is_not_tried_again(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    (finding,) = bench.look("user.py", USER, USER)
    tried: dict[tuple[str, str], str | None] = {}
    made = Offers(bench.held, bench.known, "user.py", bench.news("user.py", USER, USER), tried, lambda: False)
    first = made.for_findings([finding])
    assert set(tried.values()) == {fix.title for one in first for fix in one.fixes}
    monkeypatch.setattr(offers, "look_at_all", None)
    assert first == made.for_findings([finding])


def test_a_fix_that_could_not_be_tried_everywhere_in_time_says_so(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(offers, "LONGEST", -1.0)
    assert ["add , 12: 3 (not tried in 1 of 1 files that name it; hwlint fix tries all)"] == held_fixes(
        bench, monkeypatch, entry(", 12: 3")
    )


def test_the_files_beside_the_change_are_tried_first(bench: Bench) -> None:
    (finding,) = bench.look("user.py", USER, USER)
    made = Offers(bench.held, bench.known, "user.py", bench.news("user.py", USER, USER), {}, lambda: False)
    changed = {"tables.py": TABLES.replace("11: 3", "11: 3, 12: 3")}
    assert ["other.py"] == made._readers(changed, ["user.py", finding.span.path, "tables.py"])
