"""Tell which names of a module its functions may be called with before the module binds them anew."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from hwlint.graph.bindings import BindingKind, Outline
from hwlint.source.nodes import walk

_APART = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)


def bound_again(body: Sequence[ast.stmt], outline: Outline) -> frozenset[str]:
    """Return the names that statements of a module bind more than once, with a call of its own functions in between."""
    spans: dict[str, tuple[int, int]] = {}
    for name, found in outline.bindings.items():
        at = [one.statement for one in found if not one.in_function and _binds(one.kind, body[one.statement])]
        if len(at) > 1 and at[-1] - at[0] > 1:
            spans[name] = at[0], at[-1]
    if not spans:
        return frozenset()
    calling = [index for index, node in enumerate(body) if not isinstance(node, _APART) and _calls_own(node, outline)]
    return frozenset(name for name, (first, last) in spans.items() if any(first < index < last for index in calling))


def _binds(kind: BindingKind, node: ast.stmt) -> bool:
    """True for an assignment, `+=` and its like included; a container that is changed is the same as before."""
    return kind is BindingKind.VALUE or (kind is BindingKind.MUTATE and isinstance(node, ast.AugAssign))


def _calls_own(node: ast.stmt, outline: Outline) -> bool:
    """True where a statement calls a function, class or object of its module by its name."""
    for part in walk(node):
        if isinstance(part, ast.Call):
            called = part.func
            while isinstance(called, ast.Attribute):
                called = called.value
            if isinstance(called, ast.Name) and any(
                binding.kind not in (BindingKind.IMPORT, BindingKind.FROM)
                for binding in outline.bindings.get(called.id, ())
            ):
                return True
    return False
