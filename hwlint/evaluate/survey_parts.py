"""Find tests that do not ask what they seem to: versions part by part (`major >= 7 and minor >= 5`), a bare literal."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

from hwlint.evaluate.survey_scope import Scope
from hwlint.model.observation import Partwise, TextUse

_ORDERS: dict[type[ast.cmpop], str] = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="}
_TOOLKIT = re.compile(r"cuda|nvcc|toolkit|bare_metal|hip|rocm", re.I)
_NOT_TOOLKIT = re.compile(r"arch|capab|\bcc|sm_|propert|torch_m|torch\.__version__|driver", re.I)


_HARDWARE = re.compile(
    r"(?<![a-z])(?:gfx|sm_?)\d|major|capab|compute_cap|arch|sm_version|(?:device|gpu|card)_?name", re.I
)
"""What one side of a comparison is called that asks for the hardware."""


def survey_parts(scope: Scope) -> Iterator[Partwise | TextUse]:
    """Yield the tests of one function whose parts are ordered each against its own bound, or are always true."""
    for node in scope.nodes:
        if isinstance(node, (ast.If, ast.IfExp, ast.While, ast.Assert)):
            always = _always(node.test, scope)
            if always is not None:
                yield always
        if not isinstance(node, ast.BoolOp):
            continue
        settled = _settled(node, scope)
        if settled is not None:
            yield settled
        for first, second in zip(node.values, node.values[1:], strict=False):
            if isinstance(first, ast.Compare) and isinstance(second, ast.Compare):
                found = _partwise(node, first, second, scope)
                if found is not None:
                    yield found
                    break


def _always(test: ast.expr, scope: Scope) -> TextUse | None:
    """`"gfx1200" or "gfx1201" in name` and `major == 9 or 10`: a literal that stands alone is true."""
    if not isinstance(test, ast.BoolOp) or not isinstance(test.op, ast.Or):
        return None
    literals = [each.value for each in test.values if isinstance(each, ast.Constant)]
    bare = [value for value in literals if value and type(value) in (str, int)]
    asked = [each for each in test.values if isinstance(each, ast.Compare) and _HARDWARE.search(scope.text(each))]
    if not bare or not asked:
        return None
    kind = "name" if "gfx" in scope.text(test) else "capability"
    return TextUse(scope.place(test), "always", scope.text(test), kind, other=repr(bare[0]))


def _settled(node: ast.BoolOp, scope: Scope) -> TextUse | None:
    """`arch < 50 and arch > 90`, which no number is, and `arch != 90 or arch != 100`, which every number is."""
    joined = isinstance(node.op, ast.And)
    asked: dict[str, list[tuple[type[ast.cmpop], int]]] = {}
    for value in node.values:
        match value:
            case ast.Compare(left=left, ops=[op], comparators=[ast.Constant(value=int() as bound)]):
                if type(bound) is int and not isinstance(left, ast.Constant):
                    asked.setdefault(scope.text(left), []).append((type(op), bound))
    for subject, bounds in asked.items():
        why = _none_is(bounds) if joined else _every_is(bounds)
        if why and _HARDWARE.search(f"{subject} {_source(node, scope)}"):
            use = "never" if joined else "always"
            return TextUse(scope.place(node), use, scope.text(node), "capability", other=why)
    return None


def _none_is(bounds: Sequence[tuple[type[ast.cmpop], int]]) -> str:
    """Why no number is all of this at once; empty where one may be."""
    above = [bound + (op is ast.Gt) for op, bound in bounds if op in (ast.Gt, ast.GtE)]
    below = [bound - (op is ast.Lt) for op, bound in bounds if op in (ast.Lt, ast.LtE)]
    equal = {bound for op, bound in bounds if op is ast.Eq}
    if above and below and max(above) > min(below):
        return f"no number is at least {max(above)} and at most {min(below)}"
    if len(equal) > 1:
        return f"no number is {' and '.join(str(number) for number in sorted(equal))} at once"
    return ""


def _every_is(bounds: Sequence[tuple[type[ast.cmpop], int]]) -> str:
    """Why every number is one of this; empty where one may not be."""
    other = {bound for op, bound in bounds if op is ast.NotEq}
    if len(other) > 1:
        return f"every number is another than one of {' and '.join(str(number) for number in sorted(other))}"
    return ""


def _partwise(node: ast.BoolOp, first: ast.Compare, second: ast.Compare, scope: Scope) -> Partwise | None:
    one, other = _held(first, scope), _held(second, scope)
    if (one is None or other is None) and isinstance(node.op, ast.And):
        return _by_names(node, first, second, scope)
    if one is None or other is None or one[0] != other[0] or one[1] != 0 or other[1] != 1:
        return None
    up = one[2].startswith(">")
    negated = isinstance(node.op, ast.Or)
    if up != other[2].startswith(">") or (negated and up):
        return None
    words = f"{scope.text(first.left)} {_source(first.left, scope)}"
    toolkit = bool(_TOOLKIT.search(words)) and not _NOT_TOOLKIT.search(words)
    return Partwise(
        scope.place(node),
        scope.text(node),
        (one[2], other[2]),
        (one[3], other[3]),
        (scope.code.span(first), scope.code.span(second)),
        negated,
        toolkit,
    )


def _by_names(node: ast.BoolOp, first: ast.Compare, second: ast.Compare, scope: Scope) -> Partwise | None:
    """`properties.major >= major and properties.minor >= minor`: the bounds are the parts of a version, too."""
    sides = [(each.left, each.comparators[0], type(each.ops[0])) for each in (first, second) if len(each.ops) == 1]
    if len(sides) != 2 or not all(operator in (ast.Gt, ast.GtE) for _, _, operator in sides):
        return None
    held = [_part(left) for left, _, _ in sides]
    bounds = [_part(right) for _, right, _ in sides]
    for pair in (held, bounds):
        if pair[0] is None or pair[1] is None or (pair[0][0], pair[0][1], pair[1][1]) != (pair[1][0], 0, 1):
            return None
    operators = (_ORDERS[sides[0][2]], _ORDERS[sides[1][2]])
    spans = (scope.code.span(first), scope.code.span(second))
    return Partwise(scope.place(node), scope.text(node), operators, None, spans, negated=False, toolkit=False)


def _held(node: ast.Compare, scope: Scope) -> tuple[str, int, str, int] | None:
    """(what the version is called, which part, operator, bound) of a comparison of one part with a constant."""
    if len(node.ops) != 1 or type(node.ops[0]) not in _ORDERS:
        return None
    bound = node.comparators[0]
    named = _part(node.left) or _unpacked(node.left, scope)
    if named is None or not isinstance(bound, ast.Constant) or type(bound.value) is not int:
        return None
    return (*named, _ORDERS[type(node.ops[0])], bound.value)


def _part(node: ast.expr) -> tuple[str, int] | None:
    """The version that a name, attribute or item is a part of, and which part it is."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "int" and len(node.args) == 1:
        return _part(node.args[0])
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant) and node.slice.value in (0, 1):
        return ast.unparse(node.value), 1 if node.slice.value else 0
    text = ast.unparse(node) if isinstance(node, (ast.Name, ast.Attribute)) else ""
    for position, word in enumerate(("major", "minor")):
        if word in text.lower():
            return re.sub(word, "", text, flags=re.I), position
    return None


def _unpacked(node: ast.expr, scope: Scope) -> tuple[str, int] | None:
    """The version of which a name is one of two parts, and which: `a, b = torch.cuda.get_device_capability()`."""
    if not isinstance(node, ast.Name):
        return None
    for each in scope.nodes:
        match each:
            case ast.Assign(targets=[ast.Tuple(elts=[ast.Name(id=first), ast.Name(id=second)])]) if node.id in (
                first,
                second,
            ):
                return scope.text(each.value), int(node.id == second)
    return None


def _source(node: ast.expr, scope: Scope) -> str:
    """The source of what a name is assigned from in this function."""
    names = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
    return " ".join(
        scope.text(each.value)
        for each in scope.nodes
        if isinstance(each, ast.Assign)
        and any(isinstance(t, ast.Name) and t.id in names for target in each.targets for t in ast.walk(target))
    )
