"""Find tables and lists of architectures that are asked for something of which nothing is known but their own keys."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

from hwlint.evaluate.survey_scope import Scope
from hwlint.model.observation import OpenTable

_GFX = re.compile(r"gfx[0-9a-f]{3,4}")
_TARGET = re.compile(r"(?:sm_?|compute_)(\d{2,3})[af]?", re.IGNORECASE)
_DIGITS = re.compile(r"(\d{2,3})[af]?")
_DECIMAL = re.compile(r"(\d{1,2})\.(\d)")
_ABOUT = re.compile(r"arch|capab|(?:^|_)(?:cc|sm|gfx)s?(?:_|$|\d)|gpu|compute_cap|compute_ver", re.IGNORECASE)
_NOT_ABOUT = re.compile(r"torch_ver|cuda_ver|toolkit|driver|python|version_info|search|hierarch|archive", re.IGNORECASE)
_GROWS = r"\s*\[[^\]\n]*\]\s*=[^=]|\.(?:append|add|update|extend|setdefault|insert)\(|\s*[+|]="
TABLE_HINT = re.compile(
    r"""["'](?:gfx[19]|sm_?\d\d|compute_\d|\d{2,3}[af]?["']\s*[:,\]]|\d{1,2}\.\d["']\s*[:,\]])"""
    r"""|\(\d{1,2},\s*\d\)\s*:|\{\s*\d{2,3}\s*:"""
)
"""What a file holds that writes down such a table."""
_LEAST = {"gfx": 2, "target": 3, "number": 3}
_MOST = 200


def survey_tables(scope: Scope) -> Iterator[OpenTable]:
    """Yield one use of each such table in one function, or in the statements of a module."""
    yield from open_chains(scope)
    tables = _written_tables(scope)
    told: set[ast.AST] = set()
    for node in scope.nodes if tables else ():
        asked = _asked(node) if type(node) in _ASKING else None
        if asked is None:
            continue
        form, holder, key = asked
        for name, table in _held(holder, tables):
            if table in told or _walks_over(key, holder, scope):
                continue
            found = _open(form, name, table, key, node, scope)
            if found is not None:
                told.add(table)
                yield found


def _written_tables(scope: Scope) -> dict[str, list[tuple[str, ast.expr]]]:
    """The displays that names may stand for, each with the name that it was given; a name for another one counts."""
    found: dict[str, list[tuple[str, ast.expr]]] = {}
    bound: set[str] = set()
    aliases: list[tuple[str, str]] = []
    for nodes in (scope.nodes, scope.code.parsed.tree.body):
        outer = nodes is not scope.nodes
        for node in nodes:
            if type(node) is ast.Assign:
                target, value = node.targets[0], node.value
            elif type(node) is ast.AnnAssign and node.value is not None:
                target, value = node.target, node.value
            else:
                continue
            if type(target) is not ast.Name or (outer and target.id in bound):
                continue
            if not outer:
                bound.add(target.id)
            if type(value) is ast.Name:
                aliases.append((target.id, value.id))
            elif type(value) in _DISPLAYS and _may_name_architectures(value):
                found.setdefault(target.id, []).append((target.id, value))
    for name, other in aliases:
        if other in found and name != other:
            found[name] = [*found.get(name, ()), *found[other]]
    return found


def _may_name_architectures(display: ast.expr) -> bool:
    """A first look at one member of a display, or of one inside it."""
    members = display.keys if isinstance(display, ast.Dict) else getattr(display, "elts", ())
    first = next(iter(members), None)
    if isinstance(display, ast.Dict) and isinstance(display.values[:1] and display.values[0], ast.Dict):
        return True
    if isinstance(first, ast.Tuple):
        return len(first.elts) == 2
    return isinstance(first, ast.Constant) and isinstance(first.value, (str, int)) and not isinstance(first.value, bool)


def _held(holder: ast.expr, tables: dict[str, list[tuple[str, ast.expr]]]) -> Iterator[tuple[str, ast.expr]]:
    """The displays that an expression may stand for: a table, or one inside a table."""
    if isinstance(holder, ast.Name):
        yield from tables.get(holder.id, ())
    elif isinstance(holder, ast.Dict):
        yield "the table", holder
    elif isinstance(holder, ast.Subscript) and isinstance(holder.value, ast.Name):
        for name, table in tables.get(holder.value.id, ()):
            if isinstance(table, ast.Dict):
                yield from ((name, inner) for inner in table.values)


_DISPLAYS = frozenset({ast.Dict, ast.List, ast.Tuple, ast.Set})
_ASKING = frozenset({ast.Subscript, ast.Call, ast.Compare})
_HOLDERS = frozenset({ast.Name, ast.Subscript, ast.Dict})
_KEYS = frozenset({ast.Name, ast.Attribute, ast.Tuple, ast.Call, ast.JoinedStr, ast.BinOp, ast.Subscript})


def _asked(node: ast.AST) -> tuple[str, ast.expr, ast.expr] | None:
    """The form of a lookup or membership test, what is asked, and the key."""
    if isinstance(node, ast.Subscript):
        if type(node.value) in _HOLDERS and type(node.slice) in _KEYS and isinstance(node.ctx, ast.Load):
            return "subscript", node.value, node.slice
    elif isinstance(node, ast.Call):
        func = node.func
        if not isinstance(func, ast.Attribute) or func.attr not in ("get", "index") or not node.args:
            return None
        if type(func.value) in _HOLDERS and type(node.args[0]) in _KEYS:
            return func.attr, func.value, node.args[0]
    elif isinstance(node, ast.Compare) and type(node.ops[0]) in (ast.In, ast.NotIn):
        asked = node.comparators[0]
        if isinstance(asked, ast.BinOp):
            asked = asked.left
        if type(asked) in _HOLDERS and type(node.left) in _KEYS:
            return "in", asked, node.left
    return None


def _walks_over(key: ast.expr, holder: ast.expr, scope: Scope) -> bool:
    """True where the key is a key of the table, as a loop over it gives them."""
    names = {part.id for part in ast.walk(key) if isinstance(part, ast.Name)}
    over = scope.text(holder)
    for node in scope.nodes:
        loops = node.generators if isinstance(node, (ast.ListComp, ast.GeneratorExp, ast.DictComp, ast.SetComp)) else []
        for loop in [node] if isinstance(node, ast.For) else loops:
            targets = {part.id for part in ast.walk(loop.target) if isinstance(part, ast.Name)}
            if targets & names and over in scope.text(loop.iter):
                return True
    return False


def _open(form: str, name: str, table: ast.expr, key: ast.expr, node: ast.AST, scope: Scope) -> OpenTable | None:
    keys = _keys(table)
    if keys is None or not _untouched(name, scope):
        return None
    words = f"{name} {scope.text(key)}"
    about = bool(_ABOUT.search(words)) and not _NOT_ABOUT.search(words)
    kind, numbers = _kind(keys, about=about)
    if kind is None or len(keys) < _LEAST[kind]:
        return None
    turns_away = form in ("subscript", "index") or _turns_away(node, scope)
    shown = tuple(keys)
    return OpenTable(
        scope.place(node), form, name, scope.code.span(table), scope.text(key), shown, kind, numbers, turns_away
    )


def open_chains(scope: Scope) -> Iterator[OpenTable]:
    """`if arch == "80": ... elif arch == "89": ...` without an `else`, or with one that raises: a list of its own."""
    for node in scope.nodes:
        if type(node) is not ast.If or _is_elif(node, scope):
            continue
        subject, keys, link = "", list[str | int | tuple[int, ...]](), node
        while True:
            asked = _equals(link.test)
            if asked is None or (subject and asked[0] != subject):
                break
            subject, more = asked
            keys += more
            if len(link.orelse) != 1 or not isinstance(link.orelse[0], ast.If):
                break
            link = link.orelse[0]
        raises = bool(link.orelse) and isinstance(link.orelse[-1], ast.Raise)
        if link is node or asked is None or asked[0] != subject or (link.orelse and not raises):
            continue
        about = bool(_ABOUT.search(subject)) and not _NOT_ABOUT.search(subject)
        kind, numbers = _kind(keys, about=about)
        if kind is None or len(keys) < _LEAST[kind] or len(set(keys)) != len(keys):
            continue
        span = scope.code.span(node.test)
        yield OpenTable(
            scope.place(node.test), "in", "the chain of branches", span, subject, tuple(keys), kind, numbers, raises
        )


def _is_elif(node: ast.If, scope: Scope) -> bool:
    parent = scope.parents.get(node)
    return isinstance(parent, ast.If) and parent.orelse == [node]


def _equals(test: ast.expr) -> tuple[str, list[str | int | tuple[int, ...]]] | None:
    """What is asked for, and the constants that it may be: `x == "80"`, `x == "gfx941" or x == "gfx942"`."""
    subject, keys = "", list[str | int | tuple[int, ...]]()
    for part in test.values if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.Or) else [test]:
        match part:
            case ast.Compare(
                left=ast.Name() | ast.Attribute() as left,
                ops=[ast.Eq()],
                comparators=[ast.Constant(value=str() | int() as value)],
            ) if not isinstance(value, bool):
                text = ast.unparse(left)
                if subject and text != subject:
                    return None
                subject = text
                keys.append(value)
            case _:
                return None
    return subject, keys


def _keys(table: ast.expr) -> list[str | int | tuple[int, ...]] | None:
    """The keys of a display, all of them constants; None for anything else."""
    match table:
        case ast.Dict(keys=held):
            nodes: Sequence[ast.expr | None] = held
        case ast.List(elts=elements) | ast.Tuple(elts=elements) | ast.Set(elts=elements):
            nodes = elements
        case _:
            return None
    if not nodes or len(nodes) > _MOST:
        return None
    keys: list[str | int | tuple[int, ...]] = []
    for node in nodes:
        match node:
            case ast.Constant(value=str() | int() as value) if not isinstance(value, bool):
                keys.append(value)
            case ast.Tuple(elts=[ast.Constant(value=int() as major), ast.Constant(value=int() as minor)]):
                keys.append((major, minor))
            case _:
                return None
    return keys


def _kind(keys: Sequence[str | int | tuple[int, ...]], *, about: bool) -> tuple[str | None, tuple[int, ...]]:
    """What all keys name: `gfx` names, or NVIDIA's targets and capabilities, as numbers."""
    texts = [key for key in keys if isinstance(key, str)]
    if len(texts) == len(keys):
        named = [text for text in texts if text != "native"]
        if all(_GFX.fullmatch(text) for text in named):
            return ("gfx", ()) if named else (None, ())
        for kind, form in (("target", _TARGET), ("number", _DIGITS)):
            found = [form.fullmatch(text) for text in named]
            if all(found) and (kind == "target" or about):
                return kind, tuple(int(match.group(1)) for match in found if match)
        decimals = [_DECIMAL.fullmatch(text) for text in named]
        if about and all(decimals):
            return "number", tuple(int(match.group(1)) * 10 + int(match.group(2)) for match in decimals if match)
        return None, ()
    if not about:
        return None, ()
    pairs = [key for key in keys if isinstance(key, tuple)]
    if len(pairs) == len(keys):
        return "number", tuple(major * 10 + minor for major, minor in pairs)
    whole = [key for key in keys if isinstance(key, int)]
    return ("number", tuple(whole)) if len(whole) == len(keys) else (None, ())


def _untouched(name: str, scope: Scope) -> bool:
    """True where nothing in the file adds to a table."""
    plain = re.escape(name)  # a pattern that begins with letters is found faster than one that begins with `\b`
    return re.search(rf"{plain}(?<!\w{plain})(?:{_GROWS})", scope.code.parsed.text.text) is None


def _turns_away(node: ast.AST, scope: Scope) -> bool:
    """True where an `assert` or a `raise` stands behind a membership test."""
    statement = scope.statement(node)
    if isinstance(statement, ast.Assert):
        return True
    return isinstance(statement, ast.If) and any(isinstance(each, ast.Raise) for each in statement.body)
