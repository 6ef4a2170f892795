"""Find texts of a known kind that are cut at fixed places, converted with their suffix, or put in order."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from hwlint.evaluate.survey_scope import Scope
from hwlint.evaluate.text_kinds import CAPABILITY, DIGITS, REST, TAIL, TARGET, TEXTS, TOOLKIT, item_kind
from hwlint.model.observation import TextUse
from hwlint.source.nodes import walk

_NUMBERS = re.compile(r"\d+(?:\.\d+)*[a-z]?")
_CAPABILITY_NAME = re.compile(r"compute_cap\w*|cuda_arch\w*|(?:device_)?capability|sm_version|gpu_arch", re.I)
_NUMBER_NAME = re.compile(
    r"_*(?:(?:device|target|kernel|compute|cuda|gpu)_?)*(?:cc|sm|arch|capability|compute_cap|sm_version)", re.I
)
_TARGET = re.compile(r"(?:sm_|compute_)\d{2,3}[af]?")
_TOOLKIT_NAME = re.compile(r"cuda_version|cuda_ver|nvcc_version|toolkit_version", re.I)
_OTHER_VENDORS = re.compile(r"musa|npu|xpu|hpu|mlu|maca|ascend", re.IGNORECASE)
_OF_TEXTS = frozenset({"split", "rsplit", "partition", "endswith", "startswith", "strip", "rstrip", "removesuffix"})
"""Methods that nobody calls on one character."""
_WITH_SUFFIX = 3
"""The characters of `90a`."""
_ORDERS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)


def survey_texts(scope: Scope) -> Iterator[TextUse]:
    """Yield the uses of one function."""
    for node in scope.nodes:
        found = None
        match node:
            case ast.Subscript(ctx=ast.Load()):
                found = _cut(node, scope)
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id="re"), attr="match" | "fullmatch" | "search" | "findall" as way),
                args=[ast.Constant(value=str() as pattern), value],
            ) if scope.kinds.text(value) in TEXTS:
                kind = scope.kinds.text(value) or ""
                found = TextUse(scope.place(node), "pattern", scope.text(value), kind, other=f"{way} {pattern}")
            case ast.Call(func=ast.Name(id="int"), args=[value], keywords=[]):
                found = _number(node, value, scope)
            case ast.Call(func=ast.Name(id="map"), args=[ast.Name(id="int"), value], keywords=[]):
                found = _one_by_one(node, value, scope)
            case ast.ListComp(elt=ast.Call(func=ast.Name(id="int"), args=[ast.Name(id=digit)])) if (
                len(node.generators) == 1
                and isinstance(node.generators[0].target, ast.Name)
                and node.generators[0].target.id == digit
                and not node.generators[0].ifs
            ):
                found = _one_by_one(node, node.generators[0].iter, scope)
            case ast.Assign(targets=[ast.Tuple(elts=parts)], value=value):
                found = _letters(node, parts, value, scope)
            case ast.Call(func=ast.Name(id="sorted" | "min" | "max"), args=[value]):
                found = _ranked(node, value, scope)
            case ast.Call(func=ast.Attribute(attr="sort", value=value), args=[]):
                found = _ranked(node, value, scope)
            case ast.Compare(ops=[op], comparators=[right]) if isinstance(op, _ORDERS):
                found = _compared(node, node.left, right, scope)
            case ast.Call(func=ast.Attribute(value=ast.Constant(value="."), attr="join"), args=[digits], keywords=[]):
                found = _dotted(node, digits, scope)
            case ast.Compare(ops=[ast.In() | ast.NotIn() | ast.Eq() | ast.NotEq()], comparators=[right]):
                found = _asked_for(node, right, scope)
        if found is not None:
            yield found


def _asked_for(node: ast.Compare, right: ast.expr, scope: Scope) -> TextUse | None:
    """`device.compute_capability in {"sm_80"}`: the attribute is a tuple or digits in every library, never a target."""
    if not isinstance(node.left, ast.Attribute) or node.left.attr != "compute_capability":
        return None
    parts = right.elts if isinstance(right, (ast.Tuple, ast.List, ast.Set)) else [right]
    texts = [part.value for part in parts if isinstance(part, ast.Constant) and isinstance(part.value, str)]
    if not texts or len(texts) != len(parts) or not all(re.fullmatch(r"sm_?\d+[af]?", text) for text in texts):
        return None
    if any(re.search(r"compute_capability(?::\s*\w+)?\s*=(?!=).*sm_", line) for line in scope.code.parsed.lines):
        return None
    return TextUse(scope.place(node), "member", scope.text(node), TARGET, other=texts[0])


def _dotted(node: ast.Call, digits: ast.expr, scope: Scope) -> TextUse | None:
    """`".".join(str(cc))`: a dot between all digits of a number that is named like a capability."""
    if isinstance(digits, ast.Call) and isinstance(digits.func, ast.Name) and digits.func.id in ("list", "tuple"):
        digits = digits.args[0] if len(digits.args) == 1 else digits
    match digits:
        case ast.Call(func=ast.Name(id="str"), args=[ast.Name() | ast.Attribute() as number]):
            last = number.attr if isinstance(number, ast.Attribute) else number.id
            if _NUMBER_NAME.fullmatch(last):
                return TextUse(scope.place(node), "dots", scope.text(node), DIGITS)
    return None


def _cut(node: ast.Subscript, scope: Scope) -> TextUse | None:
    kind = scope.kinds.text(node.value)
    if kind not in TEXTS or kind is None:
        return None
    if _holds_texts(node.value, scope):
        return None
    begin: int | None
    end: int | None
    if isinstance(node.slice, ast.Slice):
        if node.slice.step is not None:
            return None
        parts = (node.slice.lower, node.slice.upper)
        if any(part is not None and _int(part) is None for part in parts):
            return None
        use, (begin, end) = "slice", (_int(parts[0]), _int(parts[1]))
    else:
        begin = _int(node.slice)
        if begin is None:
            return None
        use, end = "index", begin + 1 if begin != -1 else None
    if _measured(node, f"len({scope.text(node.value)})", scope):
        return None
    return TextUse(scope.place(node), use, scope.text(node.value), kind, bounds=(begin, end))


def _holds_texts(subject: ast.expr, scope: Scope) -> bool:
    """True where an item of the same subject is split or asked for its end: it is a list of parts, and no text."""
    name = scope.text(subject)
    return any(
        isinstance(each, ast.Attribute)
        and each.attr in _OF_TEXTS
        and isinstance(each.value, ast.Subscript)
        and _int(each.value.slice) is not None
        and scope.text(each.value.value) == name
        for each in scope.nodes
    )


def _number(node: ast.Call, value: ast.expr, scope: Scope) -> TextUse | None:
    """`int(...)` of what follows `sm_`, unless the code shows that it knows the suffix."""
    kind = scope.kinds.of(value)
    if kind not in (TAIL, REST):
        return None
    for outer in scope.around(node):
        if isinstance(outer, ast.Try) and any(_catches_value_error(handler) for handler in outer.handlers):
            return None
        tests: list[ast.expr] = []
        if isinstance(outer, ast.IfExp) and outer.body is node and _answers_itself(outer):
            return TextUse(scope.place(outer), "suffixless", scope.text(outer), TAIL, other=scope.text(outer.orelse))
        if isinstance(outer, (ast.If, ast.IfExp)):
            tests = [outer.test]
        elif isinstance(outer, (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)):
            tests = [test for generator in outer.generators for test in generator.ifs]
        if any(
            re.search(r"is(?:digit|numeric|decimal)|match|search|endswith|\[-1\]", scope.text(test)) for test in tests
        ):
            return None
    return TextUse(scope.place(node), "number", scope.text(value), TAIL) if kind == TAIL else None


def _answers_itself(choice: ast.IfExp) -> bool:
    """`int(text) if text.isdigit() else -1`: a number of its own for what has a suffix."""
    match choice.test:
        case ast.Call(func=ast.Attribute(attr="isdigit" | "isnumeric" | "isdecimal")):
            other = choice.orelse.operand if isinstance(choice.orelse, ast.UnaryOp) else choice.orelse
            return isinstance(other, ast.Constant) and type(other.value) is int
        case _:
            return False


def _one_by_one(node: ast.expr, value: ast.expr, scope: Scope) -> TextUse | None:
    """`tuple(map(int, "90"))`: each character is a number."""
    while isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id in ("tuple", "list"):
        if len(value.args) != 1:
            return None
        value = value.args[0]
    if scope.kinds.text(value) not in (DIGITS, TAIL) or _measured(node, "len(", scope):
        return None
    return TextUse(scope.place(node), "characters", scope.text(node), DIGITS)


def _letters(node: ast.Assign, parts: list[ast.expr], value: ast.expr, scope: Scope) -> TextUse | None:
    """`major, minor = "90"`: one name for a character; three of them take the last for a suffix."""
    if scope.kinds.text(value) not in (DIGITS, TAIL) or any(isinstance(part, ast.Starred) for part in parts):
        return None
    if len(parts) == _WITH_SUFFIX or (len(parts) == _WITH_SUFFIX - 1 and not _measured(node, "len(", scope)):
        return TextUse(scope.place(value), "letters", scope.text(value), DIGITS, bounds=(0, len(parts)))
    return None


def _measured(node: ast.AST, length: str, scope: Scope) -> bool:
    """Return whether a test around asks how long the text is, so that the count of characters is known there."""
    tests = (outer.test for outer in scope.around(node) if isinstance(outer, (ast.If, ast.IfExp)))
    return any(length in scope.text(test) for test in tests)


def _catches_value_error(handler: ast.ExceptHandler) -> bool:
    text = ast.unparse(handler.type) if handler.type is not None else "Exception"
    return bool(re.search(r"ValueError|\bException|BaseException", text))


def _ranked(node: ast.Call, value: ast.expr, scope: Scope) -> TextUse | None:
    if any(keyword.arg == "key" for keyword in node.keywords):
        return None
    kind = item_kind(scope.kinds.of(value))
    if kind not in TEXTS or kind is None:
        return None
    if _is_in_order_anyway(value, scope):
        return None
    return TextUse(scope.place(node), "end" if _takes_an_end(node, value, scope) else "sorted", scope.text(node), kind)


def _is_in_order_anyway(value: ast.expr, scope: Scope) -> bool:
    """True for a list that is written out, and whose texts stand in the same order as their numbers."""
    written = _written(value.id, scope) if isinstance(value, ast.Name) else [value]
    parts = getattr(written[0], "elts", []) if len(written) == 1 else []
    texts = [part.value for part in parts if isinstance(part, ast.Constant) and isinstance(part.value, str)]
    by_number = sorted(texts, key=lambda text: [int(digits) for digits in re.findall(r"\d+", text)])
    return bool(texts) and len(texts) == len(parts) and sorted(texts) == by_number


def _written(name: str, scope: Scope) -> list[ast.expr]:
    """Everything that a name is set to in a function and in its module."""
    found: dict[ast.expr, None] = {}
    for part in (*scope.nodes, *scope.code.body):
        if isinstance(part, ast.Assign | ast.AnnAssign) and part.value is not None:
            targets = part.targets if isinstance(part, ast.Assign) else [part.target]
            if any(isinstance(target, ast.Name) and target.id == name for target in targets):
                found[part.value] = None
    return list(found)


def _takes_an_end(node: ast.Call, value: ast.expr, scope: Scope) -> bool:
    """Whether the order matters: `min`, `max`, or the first or last of what was sorted."""
    if isinstance(node.func, ast.Name) and node.func.id in ("min", "max"):
        return True
    parent = scope.parents.get(node)
    if isinstance(parent, ast.Subscript):
        return True
    names = {value.id} if isinstance(node.func, ast.Attribute) and isinstance(value, ast.Name) else set()
    if isinstance(parent, ast.Assign):
        names |= {target.id for target in parent.targets if isinstance(target, ast.Name)}
    return any(
        isinstance(each, ast.Subscript)
        and isinstance(each.value, ast.Name)
        and each.value.id in names
        and _int(each.slice) in (0, -1)
        for each in scope.nodes
    )


def _is_of_another_vendor(node: ast.AST, scope: Scope) -> bool:
    """True behind a test that names a vendor whose devices are numbered in another way."""
    tests = [outer.test for outer in scope.around(node) if isinstance(outer, ast.If)]
    return any(_OTHER_VENDORS.search(scope.text(test)) for test in tests if node not in walk(test))


def _compared(node: ast.Compare, left: ast.expr, right: ast.expr, scope: Scope) -> TextUse | None:
    if _is_of_another_vendor(node, scope):
        return None
    for side, other in ((left, right), (right, left)):
        constant = other.value if isinstance(other, ast.Constant) and isinstance(other.value, str) else None
        if constant is not None and _TARGET.fullmatch(constant) is not None:
            return TextUse(scope.place(node), "order", scope.text(node), TARGET, other=constant)
        version = constant is not None and _NUMBERS.fullmatch(constant) is not None
        kind = scope.kinds.text(side)
        if kind is not None and kind.startswith("array "):
            kind = item_kind(kind)
        elif constant is not None and version and kind not in (*TEXTS, TOOLKIT):
            kind = _by_name(side, constant)
        elif not version and not (kind in TEXTS and scope.kinds.of(other) in TEXTS):
            kind = None
        if kind in (*TEXTS, TOOLKIT) and kind is not None:
            return TextUse(scope.place(node), "order", scope.text(node), kind, other=constant or "")
    return None


def _by_name(side: ast.expr, constant: str) -> str | None:
    """What a name says that is compared with a version as text: a list or a number cannot be."""
    name = side.attr if isinstance(side, ast.Attribute) else side.id if isinstance(side, ast.Name) else ""
    if _CAPABILITY_NAME.fullmatch(name):
        return CAPABILITY if "." in constant else DIGITS
    return TOOLKIT if _TOOLKIT_NAME.fullmatch(name) and "." in constant else None


def _int(node: ast.AST | None) -> int | None:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = _int(node.operand)
        return -inner if inner is not None else None
    return node.value if isinstance(node, ast.Constant) and type(node.value) is int else None
