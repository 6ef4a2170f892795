"""Read what the outline needs from expressions: identifiers, dotted names, changes in place, literal imports."""

from __future__ import annotations

import ast

from hwlint.source.nodes import OWN

# Methods that change a container in place.
MUTATORS = frozenset(
    {
        "add",
        "append",
        "clear",
        "discard",
        "extend",
        "insert",
        "pop",
        "popitem",
        "remove",
        "reverse",
        "setdefault",
        "sort",
        "update",
    }
)
# Functions that import the module they are given by name.
IMPORTERS = frozenset({"import_module", "__import__"})

# Longer strings are prose or data, not names that `getattr` could look up.
LONGEST_NAME = 48

# Fields that hold no expression.
_PLAIN_FIELDS = frozenset(
    {"ctx", "op", "ops", "kind", "conversion", "is_async", "simple", "type_comment", "id", "attr", "arg", "n", "s"}
)
_CHILDREN: dict[type[ast.AST], tuple[str, ...]] = {
    kind: tuple(name for name in kind._fields if name not in _PLAIN_FIELDS)
    for kind in vars(ast).values()
    if isinstance(kind, type) and issubclass(kind, ast.AST)
}


def identifiers(node: ast.AST, found: set[str]) -> list[ast.expr]:  # one loop: calls would double its time
    """Add every identifier of an expression to `found`, with the strings that look like one.

    Returns the parts that do more than compute: walruses, calls that may change a container in place or import
    a module, and reads of `sys.modules`.
    """
    special: list[ast.expr] = []
    add = found.add
    # None stands for an absent part, such as the lower bound of a slice.
    stack: list[ast.AST | None] = [node]
    pop, push, extend = stack.pop, stack.append, stack.extend
    while stack:
        item = pop()
        kind = item.__class__
        if kind is ast.Name:
            add(item.id)  # type: ignore[union-attr]  # the class was just compared, here and below
        elif kind is ast.Constant:
            value = item.value  # type: ignore[union-attr]
            if value.__class__ is str and len(value) <= LONGEST_NAME and value.isidentifier():
                add(value)
                add("." + value)
        elif kind is ast.Attribute:
            holder = item.value  # type: ignore[union-attr]
            add("." + item.attr)  # type: ignore[union-attr]
            if holder.__class__ is not ast.Name or holder.id not in OWN:
                add(item.attr)  # type: ignore[union-attr]
            push(holder)
        elif kind is ast.Call:
            function = item.func  # type: ignore[union-attr]
            if function.__class__ is ast.Name:
                add(function.id)
                if function.id in IMPORTERS:
                    special.append(item)  # type: ignore[arg-type]
            elif function.__class__ is ast.Attribute:
                push(function)
                if function.attr in MUTATORS or function.attr in IMPORTERS:
                    special.append(item)  # type: ignore[arg-type]
            else:
                push(function)
            extend(item.args)  # type: ignore[union-attr]
            extend([keyword.value for keyword in item.keywords])  # type: ignore[union-attr]
        elif item is not None:
            if kind is ast.NamedExpr or (kind is ast.Subscript and _reads_modules(item)):
                special.append(item)  # type: ignore[arg-type]
            for name in _CHILDREN[kind]:  # type: ignore[index]  # None was ruled out above
                value = getattr(item, name)
                if value.__class__ is list:
                    extend(value)
                else:
                    push(value)
    return special


def mutated_name(node: ast.expr) -> str | None:
    """Return the plain name on which a call changes a container in place: `x` of `x.append(1)`."""
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=method)) if method in MUTATORS:
            return name
    return None


def literal_import(node: ast.expr) -> str | None:
    """Return the module that `import_module("literal")`, `__import__("literal")` or `sys.modules["literal"]` names."""
    match node:
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name), args=[ast.Constant(value=str(module)), *_]):
            return module if name in IMPORTERS else None
        case ast.Subscript(slice=ast.Constant(value=str(module))):
            return module if _reads_modules(node) else None
    return None


def _reads_modules(node: ast.AST | None) -> bool:
    return isinstance(node, ast.Subscript) and isinstance(node.value, ast.Attribute) and node.value.attr == "modules"


def dotted_text(node: ast.expr) -> str:
    """Return `a.b.c` for a name or a chain of attributes, and `""` for anything else; a subscript is looked through."""
    parts: list[str] = []
    while True:
        match node:
            case ast.Name(id=name):
                return ".".join((name, *reversed(parts)))
            case ast.Attribute(value=inner, attr=name):
                parts.append(name)
                node = inner
            case ast.Subscript(value=inner):  # Generic[T]
                node = inner
            case _:
                return ""


def is_type_checking(test: ast.expr) -> bool | None:
    """Return True for the test `TYPE_CHECKING`, False for its negation, None for any other test."""
    match test:
        case ast.Name(id="TYPE_CHECKING") | ast.Attribute(attr="TYPE_CHECKING"):
            return True
        case ast.UnaryOp(op=ast.Not(), operand=ast.Name(id="TYPE_CHECKING") | ast.Attribute(attr="TYPE_CHECKING")):
            return False
    return None


def string_list(node: ast.expr) -> list[str] | None:
    """Return the strings of a list, tuple, set or sum of them; None where a part is not written as a literal."""
    found: list[str] = []
    stack = [node]
    while stack:
        match stack.pop():
            case ast.List(elts=elements) | ast.Tuple(elts=elements) | ast.Set(elts=elements):
                stack.extend(reversed(elements))
            case ast.BinOp(left=left, op=ast.Add(), right=right):
                stack.extend((right, left))
            case ast.Constant(value=str(text)):
                found.append(text)
            case _:
                return None
    return found
