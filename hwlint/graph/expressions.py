"""Read what the outline needs from expressions: identifiers, dotted names, changes in place, literal imports."""

from __future__ import annotations

import ast

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
        "setdefault",
        "sort",
        "update",
    }
)
# Names that say that an expression may import a module or read one from the list of loaded ones.
IMPORTERS = frozenset({"import_module", "__import__", "modules"})

# Longer strings are prose or data, not names that `getattr` could look up.
_LONGEST_NAME = 48

# Fields that hold no expression.
_PLAIN_FIELDS = frozenset(
    {"ctx", "op", "ops", "kind", "conversion", "is_async", "simple", "type_comment", "id", "attr", "arg", "n", "s"}
)
_CHILDREN: dict[type[ast.AST], tuple[str, ...]] = {
    kind: tuple(name for name in kind._fields if name not in _PLAIN_FIELDS)
    for kind in vars(ast).values()
    if isinstance(kind, type) and issubclass(kind, ast.AST)
}


def identifiers(node: ast.AST, found: set[str]) -> list[ast.NamedExpr]:
    """Add every identifier of an expression to `found`, with the strings that look like one; return its walruses."""
    walruses: list[ast.NamedExpr] = []
    add = found.add
    # None stands for an absent part, such as the lower bound of a slice.
    stack: list[ast.AST | None] = [node]
    pop, push, extend = stack.pop, stack.append, stack.extend
    name_kind, constant_kind, attribute_kind = ast.Name, ast.Constant, ast.Attribute
    while stack:
        item = pop()
        kind = item.__class__
        if kind is name_kind:
            add(item.id)  # type: ignore[union-attr]  # the class was just compared
        elif kind is constant_kind:
            value = item.value  # type: ignore[union-attr]
            if value.__class__ is str and len(value) <= _LONGEST_NAME and value.isidentifier():
                add(value)
        elif kind is attribute_kind:
            add(item.attr)  # type: ignore[union-attr]
            push(item.value)  # type: ignore[union-attr]
        elif item is not None:
            if kind is ast.keyword and item.arg:  # type: ignore[attr-defined]
                add(item.arg)  # type: ignore[attr-defined]
            elif kind is ast.NamedExpr:
                walruses.append(item)  # type: ignore[arg-type]
            for name in _CHILDREN[kind]:  # type: ignore[index]  # None was ruled out above
                value = getattr(item, name)
                if value.__class__ is list:
                    extend(value)
                else:
                    push(value)
    return walruses


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


def mutated_names(node: ast.expr) -> list[str]:
    """List the plain names on which a method that changes a container in place is called."""
    return [
        call.func.value.id
        for call in ast.walk(node)
        if isinstance(call, ast.Call)
        and isinstance(call.func, ast.Attribute)
        and call.func.attr in MUTATORS
        and isinstance(call.func.value, ast.Name)
    ]


def literal_imports(node: ast.expr) -> list[str]:
    """List the modules that `import_module("literal")`, `__import__("literal")` and `sys.modules["literal"]` name."""
    found: list[str] = []
    for part in ast.walk(node):
        match part:
            case ast.Call(
                func=ast.Name(id="import_module" | "__import__") | ast.Attribute(attr="import_module"),
                args=[ast.Constant(value=str(module)), *_],
            ):
                found.append(module)
            case ast.Subscript(value=ast.Attribute(attr="modules"), slice=ast.Constant(value=str(module))):
                found.append(module)
    return found


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
