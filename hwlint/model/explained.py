"""Describe what the evaluator computed on one line of code."""

from __future__ import annotations

from dataclasses import dataclass

from hwlint.model.finding import Finding

Rows = tuple[tuple[str, str], ...]
"""(architecture, what holds there), in catalogue order."""

ABSENT = "does not come here"
"""How the row of an architecture begins that does not come to the line."""


@dataclass(frozen=True, slots=True)
class Item:
    """One expression, lookup or test: its source or name, and what it is or does on each architecture."""

    title: str
    rows: Rows


@dataclass(frozen=True, slots=True)
class ExplainedLine:
    """One line: who comes there, what its expressions are, what is looked up and tested, and what check reports.

    `path` is relative to the project's root. `remark` says why nothing is known, where nothing is.
    """

    path: str
    line: int
    symbol: str
    targets: tuple[str, ...]
    reach: Rows
    values: tuple[Item, ...]
    events: tuple[Item, ...]
    findings: tuple[Finding, ...]
    remark: str = ""
