"""Find tests of a device name by pieces of it, and tables that are subscripted with the whole name."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from hwlint.evaluate.survey_scope import Scope
from hwlint.evaluate.text_kinds import NAME, name_case
from hwlint.model.observation import NamePiece, NameTests

_LONG = 3
"""So many links make a chain of names a list of what was on the market."""
_GENERATION = re.compile(r"(?<![a-z])(turing|ampere|ada|hopper|blackwell)(?![a-z])", re.IGNORECASE)
_LEAVES = (ast.Return, ast.Raise, ast.Continue, ast.Break)


def survey_names(scope: Scope) -> Iterator[NameTests]:
    """Yield the tests that one function makes of each device name, and its subscripts with one."""
    tests: dict[str, list[NamePiece]] = {}
    first: dict[str, ast.expr] = {}
    taken: set[ast.AST] = set()
    for node in scope.nodes:
        found = _test(node, scope)
        if found is None or _is_inside(node, taken, scope):
            continue
        subject, pieces = found
        taken.add(node)
        text = scope.text(subject)
        first.setdefault(text, subject)
        tests.setdefault(text, []).extend(pieces)
    for text, pieces in tests.items():
        case = name_case(first[text], scope.nodes)
        yield NameTests(scope.place(first[text]), text, case, tuple(pieces), falls_back=_falls_back(taken, scope))
    for node in scope.nodes:
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
            keyed = _keyed(node, scope)
            if keyed is not None:
                yield keyed
        elif isinstance(node, (ast.If, ast.IfExp)):
            generations = _generations(node.test, scope)
            if generations is not None:
                yield generations
            patterns = _patterns(node, scope) if isinstance(node, ast.If) else None
            if patterns is not None:
                yield patterns
            words = _said(node, scope) if isinstance(node, ast.If) else None
            if words is not None:
                yield words


def _falls_back(tests: set[ast.AST], scope: Scope) -> bool:
    """Whether a name that no test knows gets a value all the same: one that is written down, or a `False`."""
    return any(not isinstance(node, ast.If) or _goes_on_with_value(node, scope) for node in tests)


def _goes_on_with_value(node: ast.If, scope: Scope) -> bool:
    """Whether the last `else`, or what follows the tests in their block, returns or assigns a constant.

    A long chain of names that ends in a `raise` is out of date all the same.
    """
    chain = node
    links = 1
    while len(chain.orelse) == 1 and isinstance(chain.orelse[0], ast.If):
        chain = chain.orelse[0]
        links += 1
    if links >= _LONG and chain.orelse and isinstance(chain.orelse[-1], ast.Raise):
        return True
    ends = list(chain.orelse[-1:])
    inner: ast.AST = node
    for outer in scope.around(node):
        for block in ("body", "orelse", "finalbody"):
            statements = getattr(outer, block, None)
            if isinstance(statements, list) and inner in statements:
                ends += statements[statements.index(inner) + 1 :]
        if not isinstance(outer, (ast.For, ast.If)):
            break
        inner = outer
    return any(
        isinstance(end, (ast.Return, ast.Assign))
        and (
            (isinstance(end.value, ast.Constant) and end.value.value is not None)
            or _is_calculated(end.value)
            or _holds_numbers(end.value)
            or (isinstance(end.value, ast.Attribute) and end.value.attr.isupper())  # a member of an enum
        )
        for end in ends
    )


def _is_calculated(value: ast.expr | None) -> bool:
    """True for a number that is written down, and what is worked out of one: `int(312e12 * factor)`."""
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id in ("int", "float", "round"):
        return len(value.args) > 0 and _is_calculated(value.args[0])
    if isinstance(value, ast.BinOp):
        return _is_calculated(value.left) or _is_calculated(value.right)
    return isinstance(value, ast.Constant) and type(value.value) in (int, float)


def _holds_numbers(value: ast.expr | None) -> bool:
    """True for several numbers that are written down: a dict, tuple or list of nothing else."""
    items = value.values if isinstance(value, ast.Dict) else getattr(value, "elts", [])
    return bool(items) and all(_is_calculated(item) for item in items)


def _is_inside(node: ast.AST, taken: set[ast.AST], scope: Scope) -> bool:
    """True in the body of an `if` that tests a name already, and in a condition that was taken as a whole."""
    inner = node
    for outer in scope.around(node):
        if outer in taken and not (isinstance(outer, ast.If) and inner in outer.orelse):
            return True
        inner = outer
    return False


def _test(node: ast.AST, scope: Scope) -> tuple[ast.expr, list[NamePiece]] | None:
    match node:
        case ast.If():
            looped = _looped(node, scope)
            return looped if looped is not None else _condition(node.test, node, scope)
        case ast.IfExp():
            return _condition(node.test, node, scope)
        case ast.Call(func=ast.Name(id="any"), args=[ast.GeneratorExp() | ast.ListComp() as inner]):
            return _over(inner, scope)
        case ast.Compare(
            left=ast.Constant(value=True), ops=[ast.In()], comparators=[ast.ListComp() | ast.GeneratorExp() as inner]
        ):
            return _over(inner, scope)
        case ast.Compare(left=ast.Constant(), ops=[ast.In()]) if isinstance(
            scope.parents.get(node), (ast.Return, ast.Assign)
        ):
            return _condition(node, node, scope)
    return None


def _condition(
    test: ast.expr, node: ast.If | ast.IfExp | ast.Compare, scope: Scope
) -> tuple[ast.expr, list[NamePiece]] | None:
    """Take a condition apart: the pieces of one device name that it asks for."""
    present: list[str] = []
    absent: list[str] = []
    subjects: list[ast.expr] = []
    form = "any"
    parts = test.values if isinstance(test, ast.BoolOp) else [test]
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
        form = "all"
    for part in parts:
        piece = _piece(part, scope)
        if piece is None:
            form = "other"
        else:
            subjects.append(piece[0])
            (absent if piece[2] else present).append(piece[1])
    if not subjects or not present or len({scope.text(subject) for subject in subjects}) > 1:
        return None
    if form == "any" and absent:
        form = "other"
    ends = isinstance(node, ast.If) and (_is_chain(node) or isinstance(node.body[-1], _LEAVES))
    return subjects[0], [NamePiece(scope.code.span(test), tuple(present), form, tuple(absent), ends)]


def _is_chain(node: ast.If) -> bool:
    """True where another test follows by `elif`."""
    return len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If)


def _piece(part: ast.expr, scope: Scope) -> tuple[ast.expr, str, bool] | None:
    """(the name, the piece, whether it must be absent) of `"H20" in name`."""
    match part:
        case ast.Compare(
            left=ast.Constant(value=str() as text), ops=[ast.In() | ast.NotIn() as op], comparators=[held]
        ):
            if text and scope.kinds.of(held) == NAME:
                return held, text, isinstance(op, ast.NotIn)
        case ast.Call(
            func=ast.Attribute(attr="__contains__" | "startswith" | "endswith", value=held),
            args=[ast.Constant(value=str() as text)],
        ):
            if text and scope.kinds.of(held) == NAME:
                return held, text, False
    return None


def _gone_over(name: str, node: ast.If, scope: Scope) -> list[str] | None:
    """The texts that a name stands for one after another in the loop around a test."""
    loop = next((outer for outer in scope.around(node) if isinstance(outer, ast.For)), None)
    if loop is None or not any(isinstance(part, ast.Name) and part.id == name for part in ast.walk(loop.target)):
        return None
    return _pieces(loop.iter, scope)


def _looped(node: ast.If, scope: Scope) -> tuple[ast.expr, list[NamePiece]] | None:
    """`for piece in TABLE: if piece in name: ...`: one test for each entry, in the order of the loop."""
    match node.test:
        case ast.Compare(left=ast.Name(id=piece), ops=[ast.In()], comparators=[held]) if scope.kinds.of(held) == NAME:
            pass
        case _:
            return None
    pieces = _gone_over(piece, node, scope)
    if pieces is None:
        return None
    ends = isinstance(node.body[-1], (ast.Return, ast.Raise, ast.Break))
    span = scope.code.span(node.test)
    return held, [NamePiece(span, (text,), "any", (), ends) for text in pieces]


def _patterns(node: ast.If, scope: Scope) -> NameTests | None:
    """`for pattern in TABLE: if re.match(pattern, name): ...`: the products that a table of patterns knows."""
    match node.test:
        case ast.Call(
            func=ast.Attribute(value=ast.Name(id="re"), attr="match" | "search" | "fullmatch"),
            args=[ast.Name(id=pattern), held],
        ) if scope.kinds.of(held) == NAME:
            pass
        case _:
            return None
    pieces = _gone_over(pattern, node, scope)
    if pieces is None:
        return None
    tests = (NamePiece(scope.code.span(node.test), tuple(pieces), "any", (), ends=False),)
    return NameTests(scope.place(node.test), scope.text(held), "as it is", tests, "patterns")


def _said(node: ast.If, scope: Scope) -> NameTests | None:
    """`if "H100" not in name: warn("slow on non-Hopper GPUs")`: one product, where the words mean its generation."""
    test = node.test
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        test = test.operand
    found = _piece(test, scope)
    if found is None or node.orelse:
        return None
    texts = [part.value for each in node.body for part in ast.walk(each) if isinstance(part, ast.Constant)]
    words = {hit.lower() for text in texts if isinstance(text, str) for hit in _GENERATION.findall(text)}
    if len(words) != 1:
        return None
    tests = (NamePiece(scope.code.span(node.test), (found[1],), "any", (), ends=False),)
    case = name_case(found[0], scope.nodes)
    return NameTests(scope.place(node.test), scope.text(found[0]), case, tests, "words", words.pop())


def _over(inner: ast.GeneratorExp | ast.ListComp, scope: Scope) -> tuple[ast.expr, list[NamePiece]] | None:
    """`any(piece in name for piece in PIECES)`, and `any(part.startswith("H20") for part in name.split("_"))`."""
    match inner.elt:
        case (
            ast.Call(
                func=ast.Attribute(attr="startswith", value=ast.Name(id=part)), args=[ast.Constant(value=str(text))]
            )
            | ast.Compare(left=ast.Constant(value=str(text)), ops=[ast.In()], comparators=[ast.Name(id=part)])
        ) if text:
            whole = _cut_in_parts(part, inner, scope)
            return (
                None if whole is None else (whole, [NamePiece(scope.code.span(inner), (text,), "any", (), ends=False)])
            )
        case ast.Compare(left=ast.Name(id=piece), ops=[ast.In()], comparators=[held]) if scope.kinds.of(held) == NAME:
            pass
        case _:
            return None
    for generator in inner.generators:
        if isinstance(generator.target, ast.Name) and generator.target.id == piece:
            pieces = _pieces(generator.iter, scope)
            if pieces:
                return held, [NamePiece(scope.code.span(inner), tuple(pieces), "any", (), ends=False)]
    return None


def _cut_in_parts(part: str, inner: ast.GeneratorExp | ast.ListComp, scope: Scope) -> ast.expr | None:
    """The device name of whose words a loop variable is one after another, or None."""
    for generator in inner.generators:
        if not isinstance(generator.target, ast.Name) or generator.target.id != part:
            continue
        found = generator.iter
        if isinstance(found, ast.Name):
            found = definition(found.id, scope) or found
        match found:
            case ast.Call(func=ast.Attribute(attr="split", value=held)) if scope.kinds.of(held) == NAME:
                return held
    return None


def _generations(test: ast.expr, scope: Scope) -> NameTests | None:
    """`"gfx10" in arch or "gfx11" in arch`: whole generations of AMD devices by the beginning of their names."""
    found: list[tuple[str, str]] = []
    for part in test.values if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.Or) else [test]:
        match part:
            case ast.Compare(left=ast.Constant(value=str() as piece), ops=[ast.In()], comparators=[held]):
                found.append((scope.text(held), piece))
            case ast.Call(func=ast.Attribute(value=held, attr="startswith"), args=[ast.Constant(value=str() as piece)]):
                found.append((scope.text(held), piece))
            case ast.Call(func=ast.Attribute(value=held, attr="startswith"), args=[ast.Tuple() as listed]):
                found += [(scope.text(held), piece) for piece in _texts(listed.elts) or ()]
            case _:
                return None
    subjects = {subject for subject, _ in found}
    pieces = tuple(piece for _, piece in found)
    if len(subjects) != 1 or len(pieces) < 2 or not all(re.fullmatch(r"gfx1\d", piece) for piece in pieces):
        return None
    tests = (NamePiece(scope.code.span(test), pieces, "any"),)
    return NameTests(scope.place(test), subjects.pop(), "lower", tests, "generations")


def _pieces(node: ast.expr, scope: Scope) -> list[str] | None:
    """The texts that a loop runs over, in its order; None where they or their order are not known."""
    match node:
        case ast.Call(func=ast.Attribute(attr="items" | "keys", value=value), args=[]):
            return _pieces(value, scope)
        case ast.Call(func=ast.Name(id="list" | "tuple" | "set" | "frozenset"), args=[value]):
            return _pieces(value, scope)
        case ast.Call(func=ast.Name(id="reversed"), args=[value]):
            found = _pieces(value, scope)
            return None if found is None else found[::-1]
        case ast.Call(func=ast.Name(id="sorted"), args=[value]):
            return _sorted(_pieces(value, scope), node)
        case ast.Name(id=name):
            held = definition(name, scope)
            return scope.elsewhere(name) if held is None else _pieces(held, scope)
        case ast.Dict(keys=keys):
            return _texts([key for key in keys if key is not None]) if None not in keys else None
        case ast.List(elts=items) | ast.Tuple(elts=items) | ast.Set(elts=items):
            return _texts(items)
    return None


def _sorted(pieces: list[str] | None, node: ast.Call) -> list[str] | None:
    settings = {keyword.arg: ast.unparse(keyword.value) for keyword in node.keywords}
    if pieces is None or settings.get("reverse", "False") not in ("True", "False"):
        return None
    backwards = settings.get("reverse") == "True"
    match settings.get("key"):
        case None:
            return sorted(pieces, reverse=backwards)
        case "len" | "lambda x: len(x)" | "lambda k: len(k)":
            return sorted(pieces, key=len, reverse=backwards)
        case "lambda x: -len(x)" | "lambda k: -len(k)":
            return sorted(pieces, key=lambda text: -len(text), reverse=backwards)
    return None


def _texts(items: list[ast.expr]) -> list[str] | None:
    texts = [item.value for item in items if isinstance(item, ast.Constant) and isinstance(item.value, str)]
    return texts if texts and len(texts) == len(items) else None


def definition(name: str, scope: Scope) -> ast.expr | None:
    """The one expression that a name is bound to: in the function, as a default, or at module level."""
    for unit in (scope.unit, scope.code.parsed.tree):
        values = []
        for node in scope.nodes if unit is scope.unit else unit.body:
            if isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id == name for t in node.targets):
                values.append(node.value)
            elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.target.id == name:
                values.extend([node.value] if node.value is not None else [])
        if isinstance(unit, (ast.FunctionDef, ast.AsyncFunctionDef)):
            values.extend(_default(name, unit))
        if values:
            return values[0] if len(values) == 1 else None
    return None


def _default(name: str, unit: ast.FunctionDef | ast.AsyncFunctionDef) -> list[ast.expr]:
    plain = [*unit.args.posonlyargs, *unit.args.args]
    pairs = list(zip(reversed(plain), reversed(unit.args.defaults), strict=False))
    pairs += [(each, value) for each, value in zip(unit.args.kwonlyargs, unit.args.kw_defaults, strict=True) if value]
    return [value for argument, value in pairs if argument.arg == name]


def _keyed(node: ast.Subscript, scope: Scope) -> NameTests | None:
    """`TABLE[name]` with the whole name, where nothing around asks whether it is there."""
    if scope.kinds.of(node.slice) != NAME or not isinstance(node.value, ast.Name):
        return None
    if isinstance(node.slice, ast.Name) and not _is_the_name(node.slice.id, scope):
        return None
    table = definition(node.value.id, scope)
    keys = _pieces(table, scope) if isinstance(table, ast.Dict) else None
    if keys is None or not any(any(character.isdigit() for character in key) for key in keys):
        return None
    subject = scope.text(node.slice)
    for each in scope.nodes:
        if (
            isinstance(each, ast.Compare)
            and scope.text(each.left) == subject
            and isinstance(each.ops[0], (ast.In, ast.NotIn))
        ):
            return None
    if any(isinstance(outer, ast.Try) and outer.handlers for outer in scope.around(node)):
        return None
    pieces = tuple(NamePiece(scope.code.span(node), (key,), "any") for key in keys)
    case = name_case(node.slice, scope.nodes)
    return NameTests(scope.place(node), subject, case, pieces, "key", node.value.id, falls_back=False)


def _is_the_name(name: str, scope: Scope) -> bool:
    """Whether a variable holds a device name as the driver gives it, and nothing that was made of it."""
    values = [
        node.value
        for node in scope.nodes
        if isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id == name for t in node.targets)
    ]
    return bool(values) and all(scope.kinds.of(value) == NAME for value in values)
