"""Give findings their fixes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from hwlint.fix.losses import only_shown
from hwlint.fix.problem import Problem, Texts
from hwlint.fix.recipes import RECIPES
from hwlint.hardware.table import Catalogue
from hwlint.model.finding import Finding, Fix
from hwlint.model.rule import Rule

_TAKES_COMMENTS = "remove-comment"
"""The recipe whose very purpose is to take a comment out."""


def attach_fixes(
    findings: Iterable[Finding], texts: Texts, catalogue: Catalogue, rules: Mapping[str, Rule]
) -> tuple[Finding, ...]:
    """Return the findings with the fixes that their rules' recipes offer, best first, in the same order.

    `texts` returns the text of a file by the path that spans use. Suppressed findings, and those of rules without
    recipes, come back as they are.
    """
    return tuple(
        replace(finding, fixes=_fixes(Problem(finding, texts, catalogue), rules[finding.rule].fixes))
        if finding.suppressed is None and finding.rule in rules and rules[finding.rule].fixes
        else finding
        for finding in findings
    )


def _fixes(problem: Problem, recipes: Iterable[str]) -> tuple[Fix, ...]:
    found = (
        fix if name == _TAKES_COMMENTS else only_shown(fix, problem.texts)
        for name in recipes
        if name in RECIPES
        for fix in RECIPES[name](problem)
    )
    return tuple(dict.fromkeys(found))
