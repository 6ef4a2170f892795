"""Read the capabilities that classes declare: a least one, a greatest one, and what they say they are made of."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Any

from hwlint.evaluate.answers import Class
from hwlint.evaluate.code import Code
from hwlint.evaluate.machine import Core
from hwlint.hardware.claims import claims_of
from hwlint.model.observation import Place, Window

_LEAST = re.compile(
    r"min(?:imum)?_.*(?:capability|compute|cc)|.*(?:capability|compute_?cap).*_min(?:imum)?|.*min(?:imum)?_(?:compute_)?capability",
    re.IGNORECASE,
)
WINDOW_WORDS = (
    *("CUDA_MINIMUM_COMPUTE_CAPABILITY", "MINIMUM_COMPUTE_CAPABILITY", "MIN_COMPUTE_CAPABILITY", "MIN_CAPABILITY"),
    *("minimum_compute_capability", "min_compute_capability", "minimum_capability", "min_capability"),
)
"""Usual names of the attribute with the least capability; a file with one is read for its classes."""
_NAMING = re.compile(r"name|operator|version|backend|kernel", re.IGNORECASE)


def windows(machine: Core, code: Code) -> Iterator[Window]:
    """Yield what the classes of a module declare, where their names say more than the declaration does."""
    for node in code.body:
        if isinstance(node, ast.ClassDef):
            yield from _of_class(machine, code, node)


def _of_class(machine: Core, code: Code, node: ast.ClassDef) -> Iterator[Window]:
    for statement in node.body:
        name, value = _binding(statement)
        if name is None or value is None or _LEAST.fullmatch(name) is None:
            continue
        words = _words(code, node)
        if not any(claims_of(word) for word in words):
            continue
        owner = Class(code.path, node.name, node)
        least = _version(machine, owner, name)
        if least is None:
            continue
        greatest = _version(machine, owner, _greatest_name(name))
        span = code.span(statement)
        yield Window(Place(span, span, node.name), node.name, name, least, greatest, words)


def _binding(statement: ast.stmt) -> tuple[str | None, ast.expr | None]:
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)], value=value):
            return name, value
        case ast.AnnAssign(target=ast.Name(id=name), value=value):
            return name, value
        case _:
            return None, None


def _words(code: Code, node: ast.ClassDef) -> tuple[str, ...]:
    """The module's name, the class's, and the texts in the attributes by which it names itself."""
    found = [PurePosixPath(code.path).stem, node.name]
    for statement in node.body:
        name, value = _binding(statement)
        if name is not None and value is not None and _NAMING.search(name):
            found.extend(
                part.value
                for part in ast.walk(value)
                if isinstance(part, ast.Constant) and isinstance(part.value, str) and len(part.value) < 60
            )
    return tuple(dict.fromkeys(found))


def _greatest_name(name: str) -> str:
    for small, large in (("MINIMUM", "MAXIMUM"), ("minimum", "maximum"), ("MIN", "MAX"), ("min", "max")):
        if small in name:
            return name.replace(small, large)
    return ""


def _version(machine: Core, owner: Class, name: str) -> tuple[int, int] | None:
    """A capability as (major, minor), from a pair or from a number such as 90; None where it is not one."""
    found = machine.class_member(owner, name) if name else None
    answer: Any = found[0].only() if found is not None else None
    if isinstance(answer, tuple) and len(answer) == 2 and all(type(part) is int for part in answer):
        return (int(answer[0]), int(answer[1]))
    if type(answer) is int and 50 <= answer < 200:
        return divmod(answer, 10)
    return None
