"""Extend a list of architectures: one that code asks, or one that a build compiles for."""

from __future__ import annotations

import ast
import re

from hwlint.fix.add_entry import add_entry
from hwlint.fix.donors import short
from hwlint.fix.layout import Addition
from hwlint.fix.problem import Problem
from hwlint.fix.read_table import read_table
from hwlint.fix.splice import Lines
from hwlint.fix.style import NotAdded, add_entries
from hwlint.fix.syntax import Syntax, parse
from hwlint.fix.table import Shape, Table, Unreadable
from hwlint.fix.wording import names
from hwlint.model.architecture import Architecture
from hwlint.model.finding import Edit, Fix, Safety
from hwlint.model.span import Span

_SUFFIX = re.compile(r"\d{1,2}\.?\d([af]?)(?![\d.])")
"""The suffix of a target, empty where it has none: `100a`, `12.0f`."""
_GENCODE = re.compile(r"compute_(\d{2,3})\b")


def extend_list(problem: Problem) -> tuple[Fix, ...]:
    """Return the fix that adds the finding's architectures to a list.

    A list that code asks is a table without values. A build list is told by its finding having no missing keys: it
    knows texts that are split (`"8.0;9.0+PTX"`), lists of versions, and lists of `-gencode` arguments, and is extended
    as an unsafe fix, because older toolkits cannot build for the new architectures. A list that is compared with
    something is no build list.
    """
    if problem.fact("missing"):
        return add_entry(problem)
    span = problem.fact("table_span") or problem.finding.span
    text = problem.texts(span.path) if isinstance(span, Span) else None
    syntax = parse(text) if text is not None else None
    node = _list_node(syntax, span) if syntax is not None else None
    if syntax is None or node is None or not problem.targets or isinstance(syntax.parent(node), ast.Compare):
        return ()
    table = read_table(syntax.text, *syntax.bounds(node))
    if isinstance(table, Unreadable) or not table.entries:
        return ()
    additions = _additions(table, problem.targets)
    added = add_entries(table, additions, at_end=_holds_flags(table)) if additions else NotAdded("")
    if isinstance(added, NotAdded):
        return ()
    lines: Lines = syntax.lines
    edits = tuple(Edit(lines.span(span.path, one.start, one.end), one.text) for one in added.edits)
    who = names(problem.targets)
    if problem.fact("admits"):
        title = f"Add {', '.join(one.key for one in additions)} to `{problem.finding.table}`"
        reason = f"The list names the architectures of {who}'s kind one by one. It has not run on {who}."
        return (Fix(title, Safety.UNSAFE, reason, edits),)
    first = ", ".join(
        f"{short(one)} from CUDA {toolkit}" for one in problem.targets if (toolkit := one.fact("cuda.first_toolkit"))
    )
    reason = f"The build leaves out {who}." + (f" Toolkits that can build it: {first}." if first else "")
    return (Fix(f"Build for {who} too", Safety.UNSAFE, reason, edits),)


def _holds_flags(table: Table) -> bool:
    return any(_GENCODE.search(table.key(entry)) for entry in table.entries)


def _list_node(syntax: Syntax, span: Span) -> ast.expr | None:
    for node in syntax.within(span):
        if isinstance(node, ast.List | ast.Tuple | ast.Set):
            return node
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and _versions(node.value):
            return node
        parent = syntax.parent(node)
        if isinstance(parent, ast.List | ast.Tuple) and isinstance(node, ast.Constant):
            return parent
    return None


def _versions(text: str) -> bool:
    return bool(re.fullmatch(r"\s*\d{1,2}\.?\d[af]?(\+PTX)?(?:[;, ]+\d{1,2}\.?\d[af]?(\+PTX)?)*\s*", text))


def _additions(table: Table, targets: tuple[Architecture, ...]) -> list[Addition]:
    keys = [table.key(entry) for entry in table.entries if not entry.spread]
    if not keys or all(re.fullmatch(r"\d|1\d", key) for key in keys):  # major numbers: no build asks for those
        return []
    gencode = [key for key in keys if _GENCODE.search(key)]
    if gencode:
        model = gencode[-1]
        flag = [keys[-2]] if len(keys) > 1 and keys[-1] == model and keys[-2].strip("\"'") == "-gencode" else []
        return [
            Addition(text, "")
            for target in targets
            for text in (*flag, re.sub(r"((?:compute|sm)_)\d{2,3}[af]?", rf"\g<1>{_digits(target)}", model))
        ]
    suffixes = {found[1] for key in keys for found in [_SUFFIX.search(key)] if found is not None}
    suffix = suffixes.pop() if len(suffixes) == 1 else ""
    found = (_like(keys[-1], target, table.shape, suffix) for target in targets)
    return [Addition(written, "") for written in found if written is not None]


def _digits(target: Architecture) -> str:
    return "".join(map(str, target.capability or ()))


def _like(model: str, target: Architecture, shape: Shape, suffix: str) -> str | None:
    """Return the target written like a neighbour, with the suffix that all have: `12.0`, `120`, `"sm_120a"`."""
    if target.capability is None:
        return None
    found = re.search(r"\d{1,2}\.\d|\d{2,3}", model)
    if found is None or (shape is Shape.WORDS and not _versions(model)):
        return None
    written = short(target) if "." in found.group() else _digits(target)
    tail = model[found.end() :].removeprefix("a").removeprefix("f").replace("+PTX", "")
    return model[: found.start()] + written + suffix + tail
