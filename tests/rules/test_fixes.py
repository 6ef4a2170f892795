"""Apply the fixes of the examples on the rule pages: what is applied holds, and a second run changes nothing."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from hwlint.model.finding import Level, Safety
from hwlint.model.rule import Rule
from hwlint.rulebook.rules import load_rules
from hwlint.workflow.fix import FixResult, fix
from hwlint.workflow.settings import load_settings
from tests.rules.examples import Example, examples_of

RULEBOOK = load_rules()
MENDED = [
    *("HW101", "HW102", "HW103", "HW105", "HW201", "HW203", "HW204", "HW207"),
    *("HW301", "HW302", "HW303", "HW304", "HW401", "HW501", "HW901"),
]
"""Rules of which some example is mended; of every other rule with recipes, fixes are shown at most."""

FLAGGED = [
    (rule, example)
    for rule in RULEBOOK.active
    if rule.fixes
    for example in examples_of(rule, RULEBOOK)
    if any(announced.rule == rule.id for announced in example.announced)
]


def fixed(folder: Path, rule: Rule, example: Example) -> FixResult:
    settings = replace(load_settings([folder], isolated=True), targets=example.targets, level=Level.NOTE)
    return fix([folder], settings, unsafe=True, select=[rule.id], jobs=1, use_cache=False)


@pytest.mark.parametrize(("rule", "example"), FLAGGED, ids=[example.label for _, example in FLAGGED])
def test_what_is_offered_for_an_example_holds_or_is_only_shown(rule: Rule, example: Example, tmp_path: Path) -> None:
    example.write(tmp_path)
    result = fixed(tmp_path, rule, example)
    assert [] == [one.reason for one in result.refused]
    for path in result.changed:
        compile((tmp_path / path).read_text(encoding="utf-8"), path, "exec", dont_inherit=True)
    for finding in result.report.findings:
        can_be_applied = any(one.safety is not Safety.DISPLAY for one in finding.fixes)
        assert can_be_applied == any(one.applied for one in finding.fixes)
    assert fixed(tmp_path, rule, example).changed == ()


@pytest.mark.parametrize("rule", [rule for rule in RULEBOOK.active if rule.fixes], ids=lambda rule: rule.id)
def test_a_rule_with_recipes_mends_some_example_or_shows_fixes_only(rule: Rule, tmp_path: Path) -> None:
    examples = [example for owner, example in FLAGGED if owner is rule]
    for number, example in enumerate(examples):
        folder = tmp_path / str(number)
        folder.mkdir()
        example.write(folder)
        if fixed(folder, rule, example).applied:
            assert rule.id in MENDED
            return
    assert rule.id not in MENDED
