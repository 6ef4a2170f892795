"""Find functions that put the default list of a build together out of texts, and return it."""

from __future__ import annotations

import ast
import re

from hwlint.evaluate.survey_names import definition
from hwlint.evaluate.survey_scope import Scope
from hwlint.model.observation import BuildList

LISTED = re.compile(r"[;, ]*\d{1,2}\.\d(?:\+PTX)?(?:[;, ]+\d{1,2}\.\d(?:\+PTX)?)*[;, ]*")
"""A text of capabilities, one or more: `8.0;9.0+PTX`."""
_CAPABILITY = re.compile(r"(?<![\d.])\d{1,2}\.\d(?![\d.])(?:\+PTX)?")
_SAYS_SO = re.compile(r"arch|capab|compute_cap|(?:^|_)ccs?(?:_|$)", re.IGNORECASE)
_FEWEST = 3


def returned_list(scope: Scope) -> BuildList | None:
    """The capabilities of a text that grows by `+= ";8.0;9.0"` and is returned: all paths together, or None.

    It is told where the newest of them is added. Nothing is told where a part of it is not written down.
    """
    unit = scope.unit
    if not isinstance(unit, ast.FunctionDef) or not _SAYS_SO.search(unit.name):
        return None
    names = {node.value.id for node in scope.nodes if isinstance(node, ast.Return) and isinstance(node.value, ast.Name)}
    grown = [
        node
        for node in scope.nodes
        if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name) and node.target.id in names
    ]
    if len(names) != 1 or not grown or any(_is_branch_of_toolkits(node, scope) for node in grown):
        return None
    name = names.pop()
    starts = [
        node.value
        for node in scope.nodes
        if isinstance(node, ast.Assign) and any(isinstance(each, ast.Name) and each.id == name for each in node.targets)
    ]
    parts = [(_entries(start, scope), start) for start in starts] + [
        (_entries(node.value, scope), node) for node in grown
    ]
    entries = [entry for found, _ in parts for entry in found or ()]
    if any(found is None for found, _ in parts) or len(set(entries)) < _FEWEST:
        return None
    newest = max(grown, key=lambda node: max(map(_version, _entries(node.value, scope) or ("0.0",))))
    return BuildList(scope.place(newest), "variable", tuple(dict.fromkeys(entries)))


def _entries(value: ast.expr, scope: Scope) -> list[str] | None:
    """The capabilities of one text that is written down, here or as a constant of the module."""
    held = definition(value.id, scope) if isinstance(value, ast.Name) else value
    if isinstance(held, ast.Constant) and isinstance(held.value, str) and LISTED.fullmatch(held.value):
        return _CAPABILITY.findall(held.value)
    return None


def _is_branch_of_toolkits(node: ast.AST, scope: Scope) -> bool:
    """True in an `elif`: what chains of toolkits leave out is told of the chain."""
    return any(
        isinstance(outer, ast.If) and len(outer.orelse) == 1 and isinstance(outer.orelse[0], ast.If)
        for outer in scope.around(node)
    )


def _version(entry: str) -> tuple[int, ...]:
    return tuple(map(int, re.findall(r"\d+", entry)))
