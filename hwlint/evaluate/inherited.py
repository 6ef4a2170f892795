"""Find methods of bases that get from a class below what the hardware decides, and that nobody else asks about so."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from hwlint.evaluate.answers import AttrContent, Class, Function
from hwlint.evaluate.code import Code
from hwlint.evaluate.functions import Functions
from hwlint.evaluate.scopes import binding_of


def inherited(machine: Functions, code: Code) -> Iterator[tuple[Class, Function]]:
    """Yield the classes of a module that have such methods, with each of these.

    The class sets an attribute to a hardware value, or has a method that returns one, which the base reads off `self`
    and does not have from the hardware itself.
    """
    for node in _classes(code.body):
        seen = {method.name for method in _methods(node)} if node.bases else set()
        about = {name for name in seen if code.matters(f"{node.name}.{name}")}
        told = {f".{name}" for name in about} & (code.carriers or frozenset())
        if told or "__init__" in about:
            owner = Class(code.path, node.name, node)
            if len(machine.lineage(owner)) > 1:
                told |= _held(machine, owner) if "__init__" in about else set()
                yield from ((owner, function) for function in _of_class(machine, owner, told, seen))


def _of_class(machine: Functions, owner: Class, told: set[str], seen: set[str]) -> Iterator[Function]:
    for holder in machine.lineage(owner)[1:] if told else ():
        other = machine.code(holder.path)
        for method in _methods(holder.node):
            qualname = f"{holder.qualname}.{method.name}"
            if method.name in seen or method.name.startswith("__") or binding_of(method) in ("static", "class"):
                continue
            seen.add(method.name)
            if not other.mentions(qualname, frozenset(told)):
                continue
            read = [name for name in sorted(told) if other.mentions(qualname, frozenset({name}))]
            if not all(_has(machine, holder, name) for name in read):
                yield Function(holder.path, qualname, method, {}, holder, binding_of(method))


def _held(machine: Functions, owner: Class) -> set[str]:
    """The attributes that the constructor of a class sets to hardware values."""
    made = machine.made(owner)
    content = made.content.only() if made is not None else None
    held = content.items if isinstance(content, AttrContent) else {}
    return {f".{name}" for name, value in held.items() if value.trace is not None}


def _has(machine: Functions, holder: Class, name: str) -> bool:
    """True where a base has an attribute, or a method, from the hardware by itself: its own methods are asked so."""
    if name in _held(machine, holder):
        return True
    found = machine.class_member(holder, name.removeprefix("."))
    function = found[0].only() if found is not None else None
    return isinstance(function, Function) and machine.code(function.path).matters(function.qualname)


def _classes(body: Sequence[ast.stmt]) -> Iterator[ast.ClassDef]:
    for node in body:
        if isinstance(node, ast.ClassDef):
            yield node
        elif isinstance(node, (ast.If, ast.Try)):
            for block in (node.body, node.orelse):
                yield from _classes(block)


def _methods(node: ast.ClassDef) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
    return [part for part in node.body if isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef))]
