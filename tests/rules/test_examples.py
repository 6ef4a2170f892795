"""Run the examples of the rule pages: every announced finding comes, and no other."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest

from hwlint.model.finding import Level
from hwlint.model.rule import Rule, RuleStatus
from hwlint.rulebook.rules import load_rules
from hwlint.workflow.settings import Settings, load_settings
from tests.rules.examples import Announced, Example, announced_form, examples_of

RULEBOOK = load_rules()
ALL = [example for rule in RULEBOOK.rules for example in examples_of(rule, RULEBOOK)]
OF_ACTIVE_RULES = [example for rule in RULEBOOK.active for example in examples_of(rule, RULEBOOK)]


@pytest.mark.parametrize("example", OF_ACTIVE_RULES, ids=lambda example: example.label)
def test_an_example_has_the_findings_that_it_announces_and_no_other(example: Example, tmp_path: Path) -> None:
    from hwlint.workflow.check import check

    example.write(tmp_path)
    configured = any(path == "hwlint.toml" for path, _ in example.files)
    settings = load_settings([tmp_path]) if configured else Settings(root=tmp_path, folders=(tmp_path,))
    settings = replace(settings, targets=example.targets, level=Level.NOTE)

    report = check([tmp_path], settings, jobs=1, use_cache=False)

    found = {announced_form(finding) for finding in report.findings if finding.suppressed is None}
    assert _readable(set(example.announced)) == _readable(found)


@pytest.mark.parametrize("example", ALL, ids=lambda example: example.label)
def test_an_example_is_python_unless_it_shows_what_is_not(example: Example) -> None:
    for path, text in example.files:
        if path.endswith(".py") and not any(announced.rule == "HW902" for announced in example.announced):
            ast.parse(text, path)


@pytest.mark.parametrize("rule", RULEBOOK.rules, ids=lambda rule: rule.id)
def test_a_page_flags_mends_and_leaves_alone(rule: Rule) -> None:
    sections = {example.label.split(" / ")[1]: example for example in examples_of(rule, RULEBOOK)}
    assert {"Flagged", "After the fix", "Not flagged"} <= sections.keys()
    for example in examples_of(rule, RULEBOOK):
        announces_itself = any(announced.rule == rule.id for announced in example.announced)
        assert announces_itself == ("/ Flagged /" in example.label), example.label


def test_planned_rules_are_not_announced_by_active_ones() -> None:
    planned = {rule.id for rule in RULEBOOK.rules if rule.status is RuleStatus.PLANNED}
    assert not [e.label for e in OF_ACTIVE_RULES if planned & {announced.rule for announced in e.announced}]


def _readable(announced: Iterable[Announced]) -> list[str]:
    """Return one line a finding, sorted, so that a failure reads as a difference of lines."""
    return sorted(
        f"{item.path}:{item.line} {item.rule} {item.level} {' '.join(sorted(item.targets or ()))}".rstrip()
        for item in announced
    )
