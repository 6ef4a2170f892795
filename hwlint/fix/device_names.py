"""Mend tests of device names: tell a product from those with a longer name, and spell it as the name does."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from hwlint.fix.problem import Problem
from hwlint.fix.rewrite import first_rewrite
from hwlint.fix.syntax import Syntax
from hwlint.model.finding import Fix, Safety


def tell_names_apart(problem: Problem) -> tuple[Fix, ...]:
    """Return the fix that makes a test of a device name hold for its own product.

    Needs the fact `piece`, what is looked for, and either `longer`, the pieces of later tests that hold it, or
    `spelled`, how the name has it. Unsafe: devices get another answer than today.
    """
    return first_rewrite(problem, _own_product_only, "Tell the names apart", Safety.UNSAFE)


def _own_product_only(problem: Problem, syntax: Syntax) -> Iterator[tuple[ast.expr, str, str]]:
    piece, longer, spelled = (problem.fact(name) for name in ("piece", "longer", "spelled"))
    for node in syntax.within(problem.finding.span):
        match node:
            case ast.Compare(left=ast.Constant(value=str() as text) as left, ops=[ast.In()], comparators=[name]):
                pass
            case _:
                continue
        if text != piece:
            continue
        written = syntax.source(left)
        if isinstance(spelled, str) and written.count(text) == 1:
            reason = f"The name has it as `{spelled}`, so the test starts to hold for that product."
            yield left, written.replace(text, spelled), reason
        elif isinstance(longer, tuple | list) and longer and written.count(text) == 1:
            absent = [f"{written.replace(text, str(one))} not in {syntax.source(name)}" for one in longer]
            whole = " and ".join([syntax.source(node), *absent])
            parent = syntax.parent(node)
            is_part = isinstance(parent, ast.If | ast.IfExp | ast.While | ast.Assign | ast.Return) or (
                isinstance(parent, ast.BoolOp) and isinstance(parent.op, ast.And)
            )
            reason = "A product with the longer name has a test of its own further down, and now comes to it."
            yield node, whole if is_part else f"({whole})", reason
