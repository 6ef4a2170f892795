"""Find the lists of architectures that code builds for: variables of the build, compiler flags, toolkit chains."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

from hwlint.evaluate.survey_names import definition
from hwlint.evaluate.survey_returned import LISTED, returned_list
from hwlint.evaluate.survey_scope import Scope
from hwlint.evaluate.survey_suffix import suffix_given
from hwlint.evaluate.text_kinds import LIST_VARIABLES
from hwlint.model.finding import TraceStep
from hwlint.model.observation import BuildList
from hwlint.source.nodes import walk

_ENTRY = re.compile(r"\d{1,2}\.\d[af]?(?:\+PTX)?|\d{2,3}(?:-real|-virtual)?")
_CODE = re.compile(r"code=\[?((?:sm_|compute_|lto_)\w+(?:,(?:sm_|compute_|lto_)\w+)*)\]?")
_CAPABILITY = re.compile(r"(?<![\d.])\d{1,2}\.\d(?![\d.])")
_TOOLKIT = re.compile(r"cuda|nvcc|bare_metal|toolkit", re.I)
_NOT_TOOLKIT = re.compile(r"arch|capab|torch_version|torch\.__version__", re.I)
_TOOLKITS = range(9, 20)
_TARGET = re.compile(r"(?:sm_?|compute_)?(\d{2,3}a)", re.IGNORECASE)
_IS_CAPABILITY = re.compile(r"capab|capac|(?:^|_)cc$|compute_cap", re.I)
_OWN_VARIABLE = re.compile(r"\w+_(?:(?:CUDA|NVCC|GPU|SM)_?)?ARCH(?:S|_LIST|ITECTURES)|\w+_CUDA_ARCH")
_LEAST_MEMBERS = 3
_LEAST_CAPABILITY = 50


def survey_builds(scope: Scope) -> Iterator[BuildList]:
    """Yield the build lists of one function, or of the statements of a module."""
    chains: dict[ast.AST, BuildList] = {}
    for node in scope.nodes:
        variable = _variable(node, scope) or _own_variable(node, scope)
        if variable is not None:
            chain = _whole_chain(node, scope)
            other = chains.get(chain)
            if other is None or _newest(other) < _newest(variable):
                chains[chain] = variable
        for found in (_chain(node, scope), suffix_given(node, scope), _members(node, scope), _exact(node, scope)):
            if found is not None:
                yield found
    yield from chains.values()
    returned = returned_list(scope)
    if returned is not None:
        yield returned
    yield from _flags(scope)


def _whole_chain(node: ast.AST, scope: Scope) -> ast.AST:
    """The outermost `if` of a chain that a list stands in: each branch has the list of a toolkit, the newest counts."""
    found = inner = node
    for outer in scope.around(node):
        if isinstance(outer, ast.If) and (found is node or inner in outer.orelse):
            found = outer
        elif isinstance(outer, ast.stmt) and found is not node:
            break
        inner = outer
    return found


def _newest(built: BuildList) -> tuple[int, ...]:
    """The highest capability that a list names."""
    versions = [re.findall(r"\d+", entry) for entry in built.entries]
    return max((tuple(map(int, version)) for version in versions if version), default=())


def _variable(node: ast.AST, scope: Scope) -> BuildList | None:
    """A constant list that becomes, or stands in for, one of the variables that builds read."""
    value: ast.expr | None = None
    match node:
        case ast.Assign(targets=[ast.Subscript(slice=ast.Constant(value=str() as name))]) if name in LIST_VARIABLES:
            value = node.value
        case ast.Call(
            func=ast.Attribute(attr="setdefault" | "putenv" | "get" | "setenv") | ast.Name(id="getenv"),
            args=[ast.Constant(value=str() as name), second],
        ) if name in LIST_VARIABLES:
            value = second
        case ast.Call(func=ast.Attribute(attr="getenv"), args=[ast.Constant(value=str() as name), second]):
            value = second if name in LIST_VARIABLES else None
        case ast.Assign(targets=[ast.Name(id=name)]) if name in LIST_VARIABLES:
            value = node.value
    entries = _entries(value, scope) if value is not None else None
    if entries is None or _adds_ptx(scope):
        return None
    return BuildList(scope.place(node), "variable", tuple(entries))


def _own_variable(node: ast.AST, scope: Scope) -> BuildList | None:
    """What is built where a variable of the project's own, `MYLIB_CUDA_ARCHS`, is not set."""
    match node:
        case ast.Call(
            func=ast.Attribute(attr="getenv" | "get") | ast.Name(id="getenv"),
            args=[ast.Constant(value=str() as name), ast.Constant() as second],
        ) if name not in LIST_VARIABLES and _OWN_VARIABLE.fullmatch(name):
            entries = _entries(second, scope)
            if entries is not None and len(entries) > 1:
                return BuildList(scope.place(node), "own", tuple(entries))
    return None


def _adds_ptx(scope: Scope) -> bool:
    """True where PTX is added to what is listed: the last word on what the build covers is not in the list."""
    return any(
        isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.lstrip(";, ") == "+PTX"
        for node in scope.nodes
    )


def _entries(value: ast.expr, scope: Scope) -> list[str] | None:
    """The entries of a list that is written down; None where a part of it is not."""
    match value:
        case ast.Constant(value=str() as text):
            entries = [entry for entry in re.split(r"[;, ]+", text) if entry]
            return entries if entries and all(_ENTRY.fullmatch(entry) for entry in entries) else None
        case ast.Name(id=name):
            held = definition(name, scope)
            if held is None:
                return _alternatives(name, scope)
            return _entries(held, scope) if not isinstance(held, ast.Name) else None
        case ast.Call(func=ast.Attribute(value=ast.Constant(value=str()), attr="join"), args=[ast.Name(id=name)]):
            return _gathered(name, scope)
        case ast.Call(func=ast.Attribute(value=ast.Constant(value=str()), attr="join"), args=[ast.List() as held]):
            return _constants(held)
    return None


def _alternatives(name: str, scope: Scope) -> list[str] | None:
    """Everything that a name may list, which is bound to one text or another; None where one is not written down."""
    found: list[str] = []
    for node in scope.nodes:
        match node:
            case ast.Assign(targets=[ast.Name(id=target)], value=ast.Constant(value="")) if target == name:
                continue
            case ast.Assign(targets=[ast.Name(id=target)], value=ast.Constant() as value) if target == name:
                entries = _entries(value, scope)
            case ast.Assign(targets=[ast.Name(id=target)]) | ast.AugAssign(target=ast.Name(id=target)):
                if target != name:
                    continue
                entries = None
            case _:
                continue
        if entries is None:
            return None
        found += entries
    return list(dict.fromkeys(found)) or None


def _gathered(name: str, scope: Scope) -> list[str] | None:
    """Everything that one list of a function is given, on whatever path; None where something is not a constant."""
    found: list[str] = []
    for node in scope.nodes:
        match node:
            case ast.Assign(targets=[ast.Name(id=target)]) if target == name:
                items = _constants(node.value)
            case ast.Call(func=ast.Attribute(value=ast.Name(id=target), attr="append"), args=[item]) if target == name:
                items = _constants(ast.List([item]))
            case ast.Call(func=ast.Attribute(value=ast.Name(id=target)), args=[held]) if target == name:
                items = _constants(held)
            case ast.AugAssign(target=ast.Name(id=target)) if target == name:
                items = _constants(node.value)
            case _:
                continue
        if items is None:
            return None
        found += items
    return found or None


def _constants(node: ast.expr) -> list[str] | None:
    if not isinstance(node, (ast.List, ast.Tuple, ast.Set)):
        return None
    texts = [item.value for item in node.elts if isinstance(item, ast.Constant) and isinstance(item.value, str)]
    return texts if len(texts) == len(node.elts) and all(_ENTRY.fullmatch(text) for text in texts) else None


def _flags(scope: Scope) -> Iterator[BuildList]:
    """The `-gencode` flags that one list of a function or module collects: all paths together."""
    groups: dict[object, list[tuple[ast.Constant | ast.JoinedStr, str]]] = {}
    for node in scope.nodes:
        if isinstance(node, ast.JoinedStr) and re.search(r"compute_|code=", scope.text(node)):
            written = _written(node, scope)
            if written is None:
                return
            groups.setdefault(_holder(node, scope), []).extend((node, code) for code in written)
            continue
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            codes = _CODE.findall(node.value)
            if not codes or isinstance(scope.parents.get(node), (ast.Compare, ast.Expr, ast.JoinedStr)):
                continue
            groups.setdefault(_holder(node, scope), []).extend((node, code) for code in codes)
    for flags in groups.values():
        entries = [entry for _, code in flags for entry in code.split(",")]
        added = _in_added_lists(flags[0][0], scope) if len(entries) == 1 else []
        steps = tuple(TraceStep(scope.code.span(node), f"{entry} is added here") for entry, node in added)
        entries += [entry for entry, _ in added]
        yield BuildList(scope.place(flags[-1][0]), "flags", tuple(entries), trace=steps)


def _in_added_lists(flag: ast.AST, scope: Scope) -> list[tuple[str, ast.AST]]:
    """The targets of lists that are added to the one that holds a flag, wherever in the file those are filled."""
    names: set[str] = set()
    for outer in scope.around(flag):
        if isinstance(outer, ast.BinOp):
            names.update(side.id for side in (outer.left, outer.right) if isinstance(side, ast.Name))
        elif isinstance(outer, ast.stmt):
            break
    found: list[tuple[str, ast.AST]] = []
    for node in walk(scope.code.parsed.tree) if names else ():
        match node:
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id=name), attr="append"), args=[ast.Constant(value=str() as text)]
            ) if name in names:
                found += [(entry, node) for code in _CODE.findall(text) for entry in code.split(",")]
    return found


def _written(node: ast.JoinedStr, scope: Scope) -> list[str] | None:
    """The targets of a flag that is made once for each of a written list; None where they are not all written down."""
    names: set[str] = set()
    for part in node.values:
        match part:
            case ast.FormattedValue(value=ast.Name(id=held_name), conversion=-1, format_spec=None):
                names.add(held_name)
            case ast.FormattedValue():
                return None
    if len(names) != 1:
        return None
    name = names.pop()
    for outer in scope.around(node):
        loops = outer.generators if isinstance(outer, (ast.ListComp, ast.GeneratorExp)) else [outer]
        for loop in loops:
            match loop:
                case (
                    ast.For(target=ast.Name(id=target), iter=listed)
                    | ast.comprehension(target=ast.Name(id=target), iter=listed)
                ) if target == name:
                    held = definition(listed.id, scope) if isinstance(listed, ast.Name) else listed
                    if not isinstance(held, ast.List | ast.Tuple):
                        return None
                    members = [item.value for item in held.elts if isinstance(item, ast.Constant)]
                    if len(members) != len(held.elts) or (isinstance(loop, ast.comprehension) and loop.ifs):
                        return None
                    return [code for member in members for code in _CODE.findall(_filled(node, member))]
    return None


def _filled(node: ast.JoinedStr, member: object) -> str:
    return "".join(str(part.value) if isinstance(part, ast.Constant) else str(member) for part in node.values)


def _holder(node: ast.AST, scope: Scope) -> object:
    """What collects a flag: the name of its list, or the statement where it has none."""
    for outer in scope.around(node):
        match outer:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="append" | "extend" | "insert")):
                return name
            case ast.Assign(targets=[ast.Name(id=name)]) | ast.AugAssign(target=ast.Name(id=name)):
                return name
            case ast.stmt():
                return outer
    return node


def _chain(node: ast.AST, scope: Scope) -> BuildList | None:
    """`if toolkit == 11: add 8.0 ... elif toolkit == 12: ...` without an `else`."""
    if not isinstance(node, ast.If) or _is_elif(node, scope):
        return None
    majors: list[int] = []
    entries: list[str] = []
    link = node
    while True:
        major = _toolkit_major(link.test, scope)
        added = _added(link.body)
        if major is None or not added:
            return None
        majors.append(major)
        entries += added
        if not link.orelse:
            break
        if len(link.orelse) != 1 or not isinstance(link.orelse[0], ast.If):
            return None
        link = link.orelse[0]
    named = " and ".join(map(str, majors))
    place = scope.place(node.test)
    return BuildList(place, "toolkit", tuple(dict.fromkeys(entries)), named)


def _is_elif(node: ast.If, scope: Scope) -> bool:
    parent = scope.parents.get(node)
    return isinstance(parent, ast.If) and len(parent.orelse) == 1 and parent.orelse[0] is node


def _toolkit_major(test: ast.expr, scope: Scope) -> int | None:
    match test:
        case ast.Compare(left=left, ops=[ast.Eq()], comparators=[ast.Constant(value=int() as major)]):
            words = scope.text(left)
            told = _TOOLKIT.search(words) and not _NOT_TOOLKIT.search(words)
            return major if told and major in _TOOLKITS else None
    return None


def _added(body: Sequence[ast.stmt]) -> list[str]:
    """The capabilities that statements put into a list or a text."""
    found: list[str] = []
    for statement in body:
        for node in ast.walk(statement):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and LISTED.fullmatch(node.value):
                found += _CAPABILITY.findall(node.value)
    return found


def _members(node: ast.AST, scope: Scope) -> BuildList | None:
    """A list of targets that each mean one architecture alone: `(Arch.sm_100a, Arch.sm_120a)`; or of capabilities
    that a decorator says are supported.
    """
    if not isinstance(node, ast.List | ast.Tuple | ast.Set) or len(node.elts) < _LEAST_MEMBERS:
        return None
    entries: list[str] = []
    for item in node.elts:
        match item:
            case ast.Attribute(attr=name) | ast.Constant(value=str() as name):
                found = _TARGET.fullmatch(name)
                if found is None:
                    return None
                entries.append(found[1].lower())
            case ast.Constant(value=int() as number) if number >= _LEAST_CAPABILITY:
                entries.append(str(number))
            case _:
                return None
    call = scope.parents.get(node)
    if all(entry.isdigit() for entry in entries) and not (isinstance(call, ast.Call) and _declares(call, scope)):
        return None
    holder = next((outer for outer in scope.around(node) if isinstance(outer, ast.Assign)), None)
    name = scope.text(holder.targets[0]) if holder is not None and holder.value is node else "the list"
    return BuildList(scope.place(node), "members", tuple(entries), name)


def _exact(node: ast.AST, scope: Scope) -> BuildList | None:
    """`capability[0] == 8 and (capability[1] == 0 or capability[1] == 6)`: some of a generation, one by one."""
    match node:
        case ast.BoolOp(op=ast.And(), values=[first, ast.BoolOp(op=ast.Or(), values=minors)]):
            one = _equal(first)
            others = [_equal(minor) for minor in minors]
        case ast.BoolOp(op=ast.Or(), values=values):
            return _exact_calls(node, values, scope)
        case _:
            return None
    if one is None or one[1] != 0 or not _IS_CAPABILITY.search(one[0]):
        return None
    found = [other for other in others if other is not None and other[:2] == (one[0], 1)]
    if len(found) != len(others):
        return None
    entries = tuple(f"{one[2]}.{other[2]}" for other in found)
    return BuildList(scope.place(node), "exact", entries, scope.text(node))


def _exact_calls(node: ast.AST, values: Sequence[ast.expr], scope: Scope) -> BuildList | None:
    """`is_device_capability(80) or is_device_capability(89)`: two or more of one generation, each by a call."""
    numbers: list[int] = []
    for value in values:
        match value:
            case ast.Call(
                func=ast.Attribute(attr="is_device_capability") | ast.Name(id="is_device_capability"),
                args=[ast.Constant(value=int() as number)],
            ):
                numbers.append(number)
    majors = [number // 10 for number in numbers]
    kin = [number for number in numbers if majors.count(number // 10) > 1]
    if not kin:
        return None
    entries = tuple(f"{number // 10}.{number % 10}" for number in kin)
    return BuildList(scope.place(node), "exact", entries, scope.text(node))


def _equal(node: ast.expr) -> tuple[str, int, int] | None:
    """(of what, which part, the number) of `capability[0] == 8`."""
    match node:
        case ast.Compare(
            left=ast.Subscript(value=held, slice=ast.Constant(value=int() as part)),
            ops=[ast.Eq()],
            comparators=[ast.Constant(value=int() as number)],
        ):
            return ast.unparse(held), part, number
    return None


def _declares(call: ast.Call, scope: Scope) -> bool:
    """True for a decorator that lists capabilities."""
    return "capab" in scope.text(call.func).lower() and isinstance(
        scope.parents.get(call), ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
    )
