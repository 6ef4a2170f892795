"""Check what a file's skeleton says of its definitions and of the two sides of its tests."""

from __future__ import annotations

import pytest

from hwlint.source.parse import Parsed, parse
from hwlint.source.read import Text, decode
from hwlint.source.skeleton import Fork, Side, Skeleton, skeleton


def outlined(text: str) -> Skeleton:
    """Return the skeleton of a module with this text."""
    content = decode("module.py", text.encode())
    assert isinstance(content, Text)
    parsed = parse(content)
    assert isinstance(parsed, Parsed)
    return skeleton(parsed)


def only_fork(text: str) -> Fork:
    """Return the fork of a module that has one."""
    (fork,) = outlined(text).forks.values()
    return fork


def test_definitions_carry_their_dotted_names_kinds_and_lines() -> None:
    found = outlined("class Pool:\n    class Slot: ...\n    def take(self):\n        def inner(): ...\n")
    told = [(each.symbol, each.kind, each.line) for each in found.definitions.values()]
    assert [
        ("Pool", "class", 1),
        ("Pool.Slot", "class", 2),
        ("Pool.take", "function", 3),
        ("Pool.take.inner", "function", 4),
    ] == told


def test_a_fork_is_found_by_the_column_of_its_test_in_code_points() -> None:
    assert list(outlined("größe = 1; wahl = 'ß' if major == 9 else 'q'\n").forks) == [(1, 26)]


@pytest.mark.parametrize(
    "test", ["major == 9", "major >= 9", "9 <= major", "is_hopper()", "cap in (9, 10)", "not major < 9"]
)
def test_a_test_that_names_architectures_picks_them_out(test: str) -> None:
    assert only_fork(f"if {test}:\n    x = fast()\n").picks


@pytest.mark.parametrize(
    "test", ["major != 9", "major < 9", "9 > major", "not is_hopper()", "cap not in (9, 10)", "major < 9 or major > 10"]
)
def test_a_test_that_turns_away_does_not(test: str) -> None:
    assert not only_fork(f"if {test}:\n    x = slow()\n").picks


@pytest.mark.parametrize("body", ["return None", "return", "return False", "log('no')\n    return False", "return ()"])
def test_a_body_that_returns_nothing_gives_up(body: str) -> None:
    assert only_fork(f"def f():\n  if major == 7:\n    {body}\n").body is Side.GIVES_UP


@pytest.mark.parametrize("body", ["return kernel()", "return True", "x = tile(64)\n    return None"])
def test_a_body_that_does_something_goes_on(body: str) -> None:
    assert only_fork(f"def f():\n  if major == 7:\n    {body}\n").body is Side.GOES_ON


def test_a_body_that_raises_says_so() -> None:
    assert only_fork("if major < 9:\n    raise ValueError\n").body is Side.RAISES


def test_the_branches_of_an_elif_chain_are_alternatives() -> None:
    forks = outlined("if a == 1:\n  x = 1\nelif a == 2:\n  x = 2\nelse:\n  x = 3\n").forks
    assert 1 == len({fork.chain for fork in forks.values()})


def test_ifs_right_after_each_other_are_alternatives_and_with_something_between_they_are_not() -> None:
    together = outlined("def f():\n  if a == 1:\n    return x()\n  if a == 2:\n    return y()\n  return z()\n").forks
    apart = outlined("def f():\n  if a == 1:\n    x()\n  y()\n  if a == 2:\n    z()\n").forks
    assert 1 == len({fork.chain for fork in together.values()})
    assert 2 == len({fork.chain for fork in apart.values()})


def test_a_guard_is_no_alternative_to_what_follows() -> None:
    forks = outlined("def f():\n  if a < 1:\n    return None\n  if a == 2:\n    return y()\n").forks
    assert 2 == len({fork.chain for fork in forks.values()})


def test_conditional_expressions_that_follow_each_other_are_alternatives() -> None:
    forks = outlined("x = 1 if a == 1 else 2 if a == 2 else 3\n").forks
    assert 1 == len({fork.chain for fork in forks.values()})
