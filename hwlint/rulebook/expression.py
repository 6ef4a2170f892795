"""Check the small expressions that origins are written in; nothing outside the list below is let in."""

from __future__ import annotations

import ast
from collections.abc import Collection

from hwlint.model.origin import CATALOGUE_NAMES
from hwlint.model.suggest import did_you_mean

_CALLABLE = frozenset({"isinstance", "str", "int", "len"})
_TYPES = frozenset({"tuple", "list", "int", "str"})
_LONGEST = 1000
"""Characters; longer than any fact needs, short enough for the parser's recursion."""
_MOST_NODES = 300
_ALLOWED: tuple[type[ast.AST], ...] = (
    ast.Expression, ast.Name, ast.Load, ast.Constant, ast.Tuple, ast.List, ast.Subscript, ast.JoinedStr,
    ast.FormattedValue, ast.IfExp, ast.Call,
    ast.BinOp, ast.Add, ast.Sub, ast.Mult, ast.FloorDiv, ast.Mod,
    ast.UnaryOp, ast.Not, ast.USub, ast.BoolOp, ast.And, ast.Or,
    ast.Compare, ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.In, ast.NotIn, ast.Is, ast.IsNot,
)  # fmt: skip
_ORDER = "names, constants, tuples, arithmetic, comparisons, and/or/not, a ternary, f-strings and subscripts"


class ExpressionError(ValueError):
    """An expression that the origin language does not have; the message says which part and what is allowed."""


def parse_expression(text: str, parameters: Collection[str] = ()) -> ast.expr:
    """Return `text` parsed and checked; the only names in it are `CATALOGUE_NAMES` and `parameters`.

    Raises ExpressionError for anything that is not in the language of origins: calls other than
    `isinstance`, `str`, `int` and `len`, attributes, lambdas, comprehensions, unknown names.
    """
    if len(text) > _LONGEST:
        raise ExpressionError(f"is longer than {_LONGEST} characters")
    try:
        tree = ast.parse(text, mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise ExpressionError(f"is not a Python expression ({getattr(error, 'msg', error)})") from None
    known = {*CATALOGUE_NAMES, *parameters}
    as_type = {id(name) for node in ast.walk(tree) if isinstance(node, ast.Call) for name in _type_names(node)}
    as_callee = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    for count, node in enumerate(ast.walk(tree)):
        if count > _MOST_NODES:
            raise ExpressionError("has too many parts")
        if not isinstance(node, _ALLOWED):
            raise ExpressionError(f"uses {type(node).__name__}, and origins know only {_ORDER}")
        if isinstance(node, ast.Call):
            _check_call(node)
        elif isinstance(node, ast.FormattedValue) and (node.format_spec is not None or node.conversion != -1):
            raise ExpressionError("formats a value with `!` or `:`, which origins do not have")
        elif isinstance(node, ast.Name) and id(node) not in as_callee | as_type and node.id not in known:
            raise ExpressionError(f"uses the unknown name `{node.id}`{did_you_mean(node.id, known)}")
    return tree.body


def _check_call(node: ast.Call) -> None:
    if not isinstance(node.func, ast.Name) or node.func.id not in _CALLABLE:
        raise ExpressionError(
            f"calls `{ast.unparse(node.func)}`, and origins may call only {', '.join(sorted(_CALLABLE))}"
        )
    arguments = 2 if node.func.id == "isinstance" else 1
    if node.keywords or len(node.args) != arguments:
        raise ExpressionError(f"calls `{node.func.id}` with other than {arguments} plain arguments")
    if node.func.id == "isinstance" and not _type_names(node):
        raise ExpressionError(f"`isinstance` takes one of {', '.join(sorted(_TYPES))} as its second argument")


def _type_names(node: ast.Call) -> list[ast.Name]:
    if not (isinstance(node.func, ast.Name) and node.func.id == "isinstance" and len(node.args) == 2):
        return []
    second = node.args[1]
    return [second] if isinstance(second, ast.Name) and second.id in _TYPES else []
