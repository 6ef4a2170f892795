"""Check what the outline of a module holds."""

from __future__ import annotations

import ast
import gc
import weakref
from textwrap import dedent

import pytest

from hwlint.graph.outline import BindingKind, Outline, let_go, outline
from hwlint.source.nodes import functions


def draw(source: str) -> Outline:
    return outline(ast.parse(dedent(source)))


def kinds(source: str, name: str) -> list[BindingKind]:
    return [binding.kind for binding in draw(source).bindings.get(name, ())]


@pytest.mark.parametrize(
    ("source", "kind"),
    [
        ("import x", BindingKind.IMPORT),
        ("import a.b as x", BindingKind.IMPORT),
        ("from m import x", BindingKind.FROM),
        ("def x(): ...", BindingKind.DEF),
        ("async def x(): ...", BindingKind.DEF),
        ("class x: ...", BindingKind.CLASS),
        ("x = 1", BindingKind.VALUE),
        ("a, (x, *b) = y", BindingKind.VALUE),
        ("x: int = 1", BindingKind.VALUE),
        ("for x in y: ...", BindingKind.VALUE),
        ("with y as x: ...", BindingKind.VALUE),
        ("print(x := 1)", BindingKind.VALUE),
        ("match y:\n    case [x, *_]: ...", BindingKind.VALUE),
        ("del x", BindingKind.DELETE),
        ("def f():\n    global x\n    x = 1", BindingKind.GLOBAL),
    ],
)
def test_each_way_of_binding_has_its_kind(source: str, kind: BindingKind) -> None:
    assert kinds(source, "x") == [kind]


@pytest.mark.parametrize(
    "source", ["x: int", "def f():\n    x = 1", "class C:\n    x = 1", "[x for x in y]", "x.a = 1"]
)
def test_what_binds_no_module_level_name_is_left_out(source: str) -> None:
    assert kinds(source, "x") == []


@pytest.mark.parametrize(
    "change",
    ["T[1] = 2", "T[1] += 2", "T += [1]", "del T[1]", "T.update(a=1)", "T.append(1)", "y = T.setdefault(1, 2)"],
)
def test_a_change_in_place_is_noted_in_modules_and_functions(change: str) -> None:
    at_top = draw(f"T = make()\n{change}").bindings["T"][1]
    assert (at_top.kind, at_top.statement, at_top.in_function) == (BindingKind.MUTATE, 1, False)
    if change != "T += [1]":  # without `global` that one binds a local
        inside = draw(f"T = make()\ndef f():\n    {change}").bindings["T"][1]
        assert (inside.kind, inside.statement, inside.in_function) == (BindingKind.MUTATE, 1, True)


def test_a_change_of_a_local_of_the_same_name_is_none_of_the_modules() -> None:
    assert kinds("T = {}\ndef f(T):\n    T[1] = 2", "T") == [BindingKind.VALUE]
    assert kinds("T = {}\ndef f():\n    T[1] = 2\n    T = {}", "T") == [BindingKind.VALUE]
    assert kinds("T = {}\ndef f():\n    T = {}\n    def g():\n        T[1] = 2", "T") == [BindingKind.VALUE]


def test_a_change_by_a_nested_function_or_method_counts() -> None:
    assert kinds("T = {}\ndef f():\n    def g():\n        T[1] = 2", "T")[1:] == [BindingKind.MUTATE]
    assert kinds("T = {}\nclass C:\n    T = {}\n    def m(self):\n        T[1] = 2", "T")[1:] == [BindingKind.MUTATE]


def test_a_nested_binding_keeps_the_index_of_its_top_level_statement() -> None:
    drawn = draw(
        """
        import os
        if os.name:
            try:
                X = 1
            except ImportError:
                X = 2
        """
    )
    assert [(one.statement, one.conditional) for one in drawn.bindings["X"]] == [(1, True), (1, True)]


def test_imports_are_listed_wherever_they_are() -> None:
    drawn = draw(
        """
        from typing import TYPE_CHECKING
        import importlib, sys
        if TYPE_CHECKING:
            from .types import T
        def f():
            from ..deep import thing as t
            importlib.import_module("lazy.mod")
            return sys.modules["cached.mod"]
        from stars import *
        """
    )
    found = {(one.module, one.level, one.attribute, one.in_function, one.type_only) for one in drawn.imports}
    assert ("types", 1, "T", False, True) in found
    assert ("deep", 2, "thing", True, False) in found
    assert ("lazy.mod", 0, "", True, False) in found
    assert ("cached.mod", 0, "", True, False) in found
    assert ("stars", 0, "*", False, False) in found


def test_classes_functions_and_members_are_known_by_their_qualified_names() -> None:
    drawn = draw(
        """
        class A(base.B, Generic[T], make()):
            table = {}
            def m(self):
                self.cap = 1
                def inner(): ...
            class In(A): ...
        def f(): ...
        """
    )
    assert drawn.classes == {"A": ("base.B", "Generic", ""), "A.In": ("A",)}
    assert drawn.members["A"] == {"table", "m", "In"}
    assert drawn.attributes == {"A": {"cap"}}
    assert drawn.functions == {"A.m": 4, "f": 8}


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("__all__ = ['a', 'b']", ("a", "b")),
        ("__all__ = ['a']\n__all__ += ['b']", ("a", "b")),
        ("__all__ = ['a']\n__all__.append('b')\n__all__.extend(('c',))", ("a", "b", "c")),
        ("__all__ = ['a'] + ['b']", ("a", "b")),
        ("__all__ = ['a'] + other.__all__", None),
        ("x = 1", None),
    ],
)
def test_dunder_all_is_known_only_where_it_is_written_out(source: str, expected: tuple[str, ...] | None) -> None:
    assert draw(source).dunder_all == expected


def test_mentions_keep_names_and_attributes_apart() -> None:
    (unit,) = draw("def f(self, a):\n    return a.b(c=d) + self.e + getattr(a, 'is_new') + len('two words')\n").units
    assert {"a", "b", ".b", "d", ".e", "is_new", ".is_new"} <= unit.mentions
    assert not {"c", ".c", ".d", "e", "two words"} & unit.mentions


def test_a_module_level_getattr_is_noticed() -> None:
    assert draw("def __getattr__(name): ...").dynamic_getattr
    assert not draw("class C:\n    def __getattr__(self, name): ...").dynamic_getattr


def test_a_chain_of_thousands_of_branches_does_not_exhaust_the_stack() -> None:
    # Built by hand: the parser's own limit on nesting is lower than that of a generated tree.
    test = ast.parse("x == 1", mode="eval").body
    chain: list[ast.stmt] = []
    for _ in range(5000):
        chain = [ast.If(test=test, body=[ast.parse("Y = 1").body[0]], orelse=chain, lineno=1, col_offset=0)]
    assert len(outline(ast.Module(body=chain, type_ignores=[])).bindings["Y"]) == 5000


SOURCE = '''
import torch


class Engine:
    @property
    @other(
        "x")
    def is_new(self, limit=(9, 0)):
        text = """
not indented
        """
        if self.cap() >= limit:
            return True
        return False

    async def start(self):
        return await self.is_new


def tabbed(flag):
\tif flag:
\t\treturn torch.cuda.get_device_capability()
\treturn None
'''


def test_flows_are_the_same_whether_they_are_drawn_from_the_tree_or_from_the_text() -> None:
    early, late = outline(ast.parse(SOURCE)), outline(ast.parse(SOURCE))
    drawn = [unit.flows for unit in early.units]
    let_go(late, SOURCE.splitlines(keepends=True))
    assert [unit.flows for unit in late.units] == drawn
    assert [unit.name for unit in early.units if unit.flows] == ["Engine.is_new", "Engine.start", "tabbed"]


def test_an_outline_that_was_let_go_keeps_no_node_of_its_tree() -> None:
    tree = ast.parse(SOURCE)
    seen = [weakref.ref(function) for function in functions(tree.body)]
    found = outline(tree)
    let_go(found, SOURCE.splitlines(keepends=True))
    del tree
    gc.collect()
    assert seen
    assert not any(one() for one in seen)
    assert all(unit.flows is not None for unit in found.units)
