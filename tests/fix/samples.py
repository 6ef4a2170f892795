"""Make findings about small tables for the tests of fixes."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from pathlib import Path

from hwlint.fix.problem import Problem
from hwlint.fix.splice import Lines, splice
from hwlint.fix.syntax import parse
from hwlint.hardware.table import load
from hwlint.model.finding import Certainty, Edit, Finding, Fix, Level, Safety
from hwlint.model.report import Report, Summary
from hwlint.model.span import Span

PATH = "pkg/mod.py"
Missing = Mapping[str, object]
CONSUMER = {"sm_120": 12, "sm_121": 12}


def span_of(text: str, part: str, path: str = PATH) -> Span:
    """Return the span of the first place where `part` stands in `text`."""
    start = text.index(part)
    return Lines(text).span(path, start, start + len(part))


def finding(text: str, part: str, rule: str = "HW101", **changes: object) -> Finding:
    """Return a finding about `part` of `text`."""
    values: dict[str, object] = {
        "rule": rule,
        "name": "missing-key",
        "level": Level.ERROR,
        "certainty": Certainty.CERTAIN,
        "message": "m",
        "span": span_of(text, part),
        "symbol": "f",
        "targets": ("sm_120", "sm_121"),
        "outcome": "KeyError: 12",
        "table": "T",
    }
    return Finding(**{**values, **changes})  # type: ignore[arg-type]


def table_problem(text: str, missing: Missing, name: str = "T", lookup: str = "", **facts: object) -> Problem:
    """Return the problem that the table assigned to `name` in `text` lacks keys; `lookup` is the lookup's text."""
    syntax = parse(text)
    assert syntax is not None
    found = [
        node.value
        for node in ast.walk(syntax.tree)
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and node.targets[0].id == name
    ]
    table = found[0]
    keys = table.keys if isinstance(table, ast.Dict) else getattr(table, "elts", [])
    given: dict[str, object] = {
        "table_span": syntax.lines.span(PATH, *syntax.bounds(table)),
        "table_name": name,
        "key_texts": tuple(ast.unparse(key) for key in keys if key is not None),
        "missing": dict(missing),
        "present": {},
        "table_words": frozenset[str](),
    }
    if lookup:
        given["lookup_span"] = span_of(text, lookup)
    about = finding(text, lookup or name, targets=tuple(missing), table=name, facts={**given, **facts})
    return Problem(about, {PATH: text}.get, load())


def expression_problem(text: str, part: str, targets: tuple[str, ...] = ("sm_120",), **facts: object) -> Problem:
    """Return the problem that a rule finds at `part` of `text`."""
    return Problem(finding(text, part, targets=targets, facts=facts), {PATH: text}.get, load())


def applied(text: str, fix: Fix) -> str:
    """Return the text with the fix in it."""
    result = splice(text, fix.edits)
    assert isinstance(result, str), result
    return result


def fix_of(*edits: Edit, safety: Safety = Safety.SAFE, title: str = "fix") -> Fix:
    """Return a fix made of edits."""
    return Fix(title, safety, "", edits)


def report_of(*findings: Finding, root: Path = Path()) -> Report:
    """Return a report that holds the findings and nothing else."""
    return Report("0", ("sm_120",), findings, (), (), Summary(1, 1, 0, 0, 0, 0, 0.0), str(root))
