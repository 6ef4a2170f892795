"""Tell which names are local to a function, and whether a decorator leaves a function as it is."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator, Sequence

from hwlint.graph.expressions import MUTATORS
from hwlint.source.nodes import children, kept, walk

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


def local_names(node: FunctionNode) -> tuple[frozenset[str], frozenset[str]]:
    """Return the names that are local to a function, and those it declares global or nonlocal."""
    known: tuple[frozenset[str], frozenset[str]] | None = kept(node).get("locals")
    if known is not None:
        return known
    arguments = node.args
    names = {argument.arg for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)}
    names.update(argument.arg for argument in (arguments.vararg, arguments.kwarg) if argument is not None)
    declared: set[str] = set()
    for part in own_nodes(node):
        kind = part.__class__
        if kind is ast.Name:
            if part.ctx.__class__ is not ast.Load:  # type: ignore[attr-defined]
                names.add(part.id)  # type: ignore[attr-defined]
        elif kind in _BINDERS:
            _bind(part, names, declared)
    found = kept(node)["locals"] = frozenset(names - declared), frozenset(declared)
    return found


def _bind(part: ast.AST, names: set[str], declared: set[str]) -> None:
    match part:
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            names.add(part.name)
        case ast.Import() | ast.ImportFrom():
            names.update((alias.asname or alias.name).partition(".")[0] for alias in part.names)
        case ast.ExceptHandler(name=str(name)):
            names.add(name)
        case ast.Global() | ast.Nonlocal():
            declared.update(part.names)
        case ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
            names.add(name)
        case ast.MatchMapping(rest=str(name)):
            names.add(name)
        case _:
            pass


def own_nodes(node: FunctionNode) -> list[ast.AST]:
    """Return the nodes of a function's body that belong to it and not to a function, class or comprehension inside."""
    known: list[ast.AST] | None = kept(node).get("own")
    if known is None:
        known = kept(node)["own"] = _own_nodes(node)
    return known


def _own_nodes(node: FunctionNode) -> list[ast.AST]:
    found: list[ast.AST] = []
    waiting: list[ast.AST] = [node.body] if isinstance(node, ast.Lambda) else list(node.body)
    while waiting:
        part = waiting.pop()
        found.append(part)
        kind = part.__class__
        if kind in _LEAVES or kind in _SCOPES:
            continue
        if kind in _COMPREHENSIONS:
            waiting += [walrus for walrus in walk(part) if walrus.__class__ is ast.NamedExpr]
            continue
        waiting += children(part)
    return found


_LEAVES = frozenset({ast.Name, ast.Constant})
_SCOPES = frozenset({ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda})
_COMPREHENSIONS = frozenset({ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp})
_BINDERS = frozenset(
    {
        *(_SCOPES - {ast.Lambda}),
        ast.Import,
        ast.ImportFrom,
        ast.ExceptHandler,
        ast.Global,
        ast.Nonlocal,
        ast.MatchAs,
        ast.MatchStar,
        ast.MatchMapping,
    }
)


def fills_once(node: FunctionNode, name: str) -> bool:
    """True where a function asks what a global name is before it does anything else with it.

    So do `if X is None: X = ...` and `X = X or ...`: every call finds what the first one has found, or put there.
    """
    uses = [part for part in own_nodes(node) if isinstance(part, ast.Name) and part.id == name]
    if not any(isinstance(part.ctx, ast.Store) for part in uses) or _is_filled_from_outside(node, name):
        return False
    if sum(isinstance(part, ast.Name) and part.id == name for part in walk(node)) > len(uses):
        return False  # a comprehension, or a function inside, reads it
    first = min((part for part in uses if isinstance(part.ctx, ast.Load)), key=_position, default=None)
    if first is None:
        return True
    for part in own_nodes(node):
        asked = part.test if isinstance(part, (ast.If, ast.IfExp)) else part if isinstance(part, ast.BoolOp) else None
        if asked is not None and any(inner is first for inner in walk(asked)):
            return not _answers_without(part, name)
    return False


def _is_filled_from_outside(node: FunctionNode, name: str) -> bool:
    """True where what a function puts into a global name depends on what it is called with: calls may find others.

    What is given to a function of something else does not count: `cap = torch.cuda.get_device_capability(device)`.
    """
    given = {part.arg for part in walk(node.args) if isinstance(part, ast.arg)}
    stores = [part for part in own_nodes(node) if isinstance(part, (ast.Assign, ast.AnnAssign, ast.AugAssign))]
    for _ in range(2):  # a local name may stand between
        for store in stores:
            if store.value is not None and not given.isdisjoint(_mentioned_openly(store.value)):
                targets = store.targets if isinstance(store, ast.Assign) else [store.target]
                given.update(target.id for target in targets if isinstance(target, ast.Name))
    return name in given


def _mentioned_openly(node: ast.expr) -> Iterator[str]:
    """The names in an expression, those apart that are given to methods and to functions of other modules."""
    waiting: list[ast.AST] = [node]
    while waiting:
        part = waiting.pop()
        if isinstance(part, ast.Name):
            yield part.id
        elif isinstance(part, ast.Call) and isinstance(part.func, ast.Attribute):
            waiting.append(part.func)
        else:
            waiting.extend(children(part))


def _answers_without(node: ast.AST, name: str) -> bool:
    """True where a branch returns something else than what the name stands for: the first call is not like others."""
    answers = [part.value for part in walk(node) if isinstance(part, ast.Return) and part.value is not None]
    return any(
        not any(isinstance(part, ast.Name) and part.id == name for part in walk(answer))
        and not (isinstance(answer, ast.Constant) and answer.value is None)
        for answer in answers
    )


def late_names(outer: FunctionNode, inner: ast.AST) -> frozenset[str]:
    """The local names of `outer` that it may bind, or bind again, after it has made the function `inner`."""
    late: dict[ast.AST, frozenset[str]] = kept(outer).setdefault("late", {})
    known = late.get(inner)
    if known is None:
        known = late[inner] = frozenset(_bound_after(outer, inner))
    return known


def _bound_after(outer: FunctionNode, inner: ast.AST) -> Iterator[str]:
    if isinstance(outer, ast.Lambda):
        return
    place = _position(inner)
    around = [
        part
        for part in own_nodes(outer)
        if isinstance(part, (ast.For, ast.AsyncFor, ast.While))
        and part.lineno <= place[0] <= (part.end_lineno or part.lineno)
    ]
    for part in own_nodes(outer):
        names: set[str] = set()
        if part.__class__ is ast.Name:
            if part.ctx.__class__ is not ast.Load:
                names.add(part.id)
        elif part.__class__ in _BINDERS:
            _bind(part, names, set())
        if names and (part is inner or _position(part) > place or any(_encloses(loop, part) for loop in around)):
            yield from names


def _position(node: ast.AST) -> tuple[int, int]:
    return getattr(node, "lineno", 0), getattr(node, "col_offset", 0)


def _encloses(loop: ast.stmt, node: ast.AST) -> bool:
    line = getattr(node, "lineno", 0)
    return loop.lineno <= line <= (loop.end_lineno or loop.lineno)


def mentioned_names(node: ast.AST) -> frozenset[str]:
    """Every name that stands anywhere in a node."""
    known: frozenset[str] | None = kept(node).get("mentioned")
    if known is None:
        known = kept(node)["mentioned"] = frozenset(part.id for part in walk(node) if isinstance(part, ast.Name))
    return known


def shared_names(node: FunctionNode) -> frozenset[str]:
    """The names of a function that functions inside it bind, as `nonlocal` says."""
    known: frozenset[str] | None = kept(node).get("shared")
    if known is None:
        inside = [
            part for part in own_nodes(node) if isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))
        ]
        known = kept(node)["shared"] = frozenset(
            name for part in inside for inner in walk(part) if isinstance(inner, ast.Nonlocal) for name in inner.names
        )
    return known


Attribute = tuple[str, str]
"""A name, and an attribute of it."""
Changes = tuple[tuple[str, ...], tuple[str, ...], tuple[Attribute, ...], tuple[Attribute, ...]]
"""Names assigned, names whose container is changed, attributes assigned, and attributes whose container is changed."""


def changed_in(body: Sequence[ast.AST]) -> Changes:
    """Return what statements assign or change, each in sorted order."""
    changes: dict[int, Changes] = kept(body[0]).setdefault("changed", {})
    known = changes.get(len(body))
    if known is not None:
        return known
    names: set[str] = set()
    attributes: set[Attribute] = set()
    given: set[str] = set()
    changed: list[ast.expr] = []
    for part in (inner for statement in body for inner in walk(statement)):
        kind = part.__class__
        if kind is ast.Name:
            if part.ctx.__class__ is not ast.Load:  # type: ignore[attr-defined]
                names.add(part.id)  # type: ignore[attr-defined]
        elif kind is ast.Constant:
            continue
        elif isinstance(part, ast.Attribute):
            if not isinstance(part.ctx, ast.Load) and isinstance(part.value, ast.Name):
                attributes.add((part.value.id, part.attr))
        elif isinstance(part, ast.Subscript):
            if not isinstance(part.ctx, ast.Load):
                changed.append(part.value)
        elif isinstance(part, ast.AugAssign):
            changed.append(part.target)
        elif isinstance(part, ast.Call):
            method = part.func
            if isinstance(method, ast.Attribute) and method.attr in MUTATORS:
                changed.append(method.value)
            if not isinstance(method, ast.Name) or not hasattr(builtins, method.id):
                given.update(argument.id for argument in part.args if isinstance(argument, ast.Name))
        elif kind in _BINDERS:
            _bind(part, names, set())
    containers = {one.id for one in changed if isinstance(one, ast.Name)} | (given & names)
    held = {
        (one.value.id, one.attr)
        for one in changed
        if isinstance(one, ast.Attribute) and isinstance(one.value, ast.Name)
    }
    found = tuple(sorted(names)), tuple(sorted(containers)), tuple(sorted(attributes)), tuple(sorted(held))
    changes[len(body)] = found
    return found


def changing_names(node: ast.AST) -> tuple[frozenset[str], frozenset[str]]:
    """Return the names and attributes by which a function or module changes containers, and those it hands to calls.

    `x.y[0].append(1)` changes by `x` and by `y`.
    """
    known: tuple[frozenset[str], frozenset[str]] | None = kept(node).get("changing")
    if known is None:
        changed: set[str] = set()
        handed: set[str] = set()
        for part in walk(node):
            match part:
                case _ if part.__class__ not in _CHANGING:
                    pass
                case ast.Subscript(value=value, ctx=ast.Store() | ast.Del()):
                    changed.update(_led_through(value))
                case ast.AugAssign(target=target):
                    changed.update(_led_through(target))
                case ast.Call(func=method):
                    if isinstance(method, ast.Attribute) and method.attr in MUTATORS:
                        changed.update(_led_through(method.value))
                    if not isinstance(method, ast.Name) or not hasattr(builtins, method.id):
                        for argument in (*part.args, *(keyword.value for keyword in part.keywords)):
                            handed.update(_led_through(argument))
                case _:
                    pass
        known = kept(node)["changing"] = frozenset(changed), frozenset(handed)
    return known


_CHANGING = frozenset({ast.Subscript, ast.AugAssign, ast.Call})


def _led_through(node: ast.expr) -> Iterator[str]:
    """The names and attributes through which an expression leads to an object."""
    while True:
        if isinstance(node, ast.Attribute):
            yield node.attr
            node = node.value
        elif isinstance(node, ast.Subscript | ast.Starred):
            node = node.value
        elif isinstance(node, ast.Call):
            node = node.func
        else:
            break
    if isinstance(node, ast.Name):
        yield node.id


def decorator_passes_through(node: FunctionNode, *, called: bool) -> bool:
    """True for a decorator whose result calls the decorated function with what it is given and returns that.

    `called`: it is used as `@decorator(...)`, so the inner function is the decorator.
    """
    if isinstance(node, ast.Lambda):
        return False
    if called:
        inner = [part for part in node.body if isinstance(part, ast.FunctionDef)]
        return any(decorator_passes_through(part, called=False) for part in inner)
    if not node.args.args:
        return False
    decorated = node.args.args[0].arg
    wrappers = {part.name: part for part in walk(node) if isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef))}
    answers = [part.value for part in own_nodes(node) if isinstance(part, ast.Return) and part.value is not None]
    return bool(answers) and all(_hands_on(answer, decorated, wrappers) for answer in answers)


def _hands_on(answer: ast.expr, decorated: str, inner: dict[str, ast.FunctionDef | ast.AsyncFunctionDef]) -> bool:
    """True for the decorated function itself, and for a wrapper that returns what that returns."""
    while isinstance(answer, ast.Call) and answer.args:  # `return functools.wraps(function)(wrapper)`
        answer = answer.args[0]
    if not isinstance(answer, ast.Name):
        return False
    if answer.id == decorated:
        return True
    wrapper = inner.get(answer.id)
    return wrapper is not None and _returns_the_call(wrapper, decorated)


def _returns_the_call(wrapper: ast.FunctionDef | ast.AsyncFunctionDef, decorated: str) -> bool:
    """True where everything that a wrapper returns comes from calls of the decorated function as they are."""
    kept: set[str] = set()
    for part in own_nodes(wrapper):
        if isinstance(part, (ast.Assign, ast.AnnAssign)) and part.value is not None and _calls(part.value, decorated):
            for target in part.targets if isinstance(part, ast.Assign) else [part.target]:
                kept.add(ast.unparse(target))
                if isinstance(target, ast.Subscript):
                    kept.add(ast.unparse(target.value))
    answers = [part.value for part in own_nodes(wrapper) if isinstance(part, ast.Return)]
    return bool(answers) and all(
        answer is not None and (_calls(answer, decorated) or _kept(answer) in kept or ast.unparse(answer) in kept)
        for answer in answers
    )


def _kept(answer: ast.expr) -> str:
    """Where a value that is returned was kept: `cache[key]`, `cache.get(key)`."""
    if isinstance(answer, ast.Subscript):
        return ast.unparse(answer.value)
    if isinstance(answer, ast.Call) and isinstance(answer.func, ast.Attribute) and answer.func.attr == "get":
        return ast.unparse(answer.func.value)
    return ""


def _calls(answer: ast.expr, decorated: str) -> bool:
    """True for `decorated(*args)`, perhaps awaited."""
    if isinstance(answer, ast.Await):
        answer = answer.value
    return (
        isinstance(answer, ast.Call)
        and isinstance(answer.func, ast.Name)
        and answer.func.id == decorated
        and any(isinstance(argument, ast.Starred) for argument in answer.args)
    )


def binding_of(node: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    """What its decorators make of a method: `static`, `class` or `property`; empty for a plain one."""
    for decorator in node.decorator_list:
        text = ast.unparse(decorator)
        if text == "staticmethod":
            return "static"
        if text == "classmethod":
            return "class"
        if text.endswith("property"):
            return "property"
    return ""
