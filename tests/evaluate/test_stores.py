"""Which assignments are set again before anybody can read them."""

from __future__ import annotations

import ast
from textwrap import dedent, indent

import pytest

from hwlint.evaluate.stores import dead_stores, ways_on


def _dead(body: str) -> list[tuple[int, tuple[str, ...]]]:
    function = ast.parse("def f(a, b):\n" + indent(dedent(body).strip(), "    ")).body[0]
    assert isinstance(function, ast.FunctionDef)
    return [
        (store.assignment.lineno - 1, store.names)
        for node, following in ways_on(function).items()
        for store in dead_stores(function, node, following)
    ]


def test_an_if_where_an_elif_was_meant_undoes_the_first() -> None:
    assert _dead("if a:\n    x = 1\nif b:\n    x = 2\nelse:\n    x = 3\nreturn x") == [(2, ("x",))]


def test_all_names_of_an_unpacking_have_to_be_set_again() -> None:
    assert _dead("if a:\n    x, y = a\nx, y = b\nreturn x, y") == [(2, ("x", "y"))]
    assert _dead("if a:\n    x, y = a\nx = b\nreturn x, y") == []


@pytest.mark.parametrize(
    "body",
    [
        "if a:\n    x = 1\nif b:\n    x = 2\nreturn x",
        "if a:\n    x = 1\nx = x + 1\nreturn x",
        "if a:\n    x = 1\nif x:\n    x = 2\nelse:\n    x = 3\nreturn x",
        "if a:\n    x = 1\n    return x\nx = 2\nreturn x",
        "for b in a:\n    if b:\n        x = 1\nx = 2\nreturn x",
        "try:\n    if a:\n        x = 1\n    x = b()\nexcept ValueError:\n    return x",
        "if a:\n    x = 1\ndef g():\n    return x\ng()\nx = 2\nreturn x",
        "global x\nif a:\n    x = 1\nb()\nx = 2",
    ],
    ids=[
        "an if without else",
        "read by what sets it",
        "read by a test",
        "returned before",
        "read in the next round",
        "read by a handler",
        "read by a function inside",
        "a global",
    ],
)
def test_what_may_be_read_or_is_not_always_set_again_is_left_alone(body: str) -> None:
    assert _dead(body) == []


def test_a_path_that_leaves_without_reading_does_not_save_it() -> None:
    assert _dead("if a:\n    x = 1\nif b:\n    return 0\nx = 2\nreturn x") == [(2, ("x",))]
