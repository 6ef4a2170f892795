"""Every construct that the evaluator claims is known, and right, on every architecture."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.evaluate.agreement import compare
from tests.evaluate.sandbox import Program

HEAD = """\
import functools, torch
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum, IntEnum
from functools import cache, lru_cache, partial
from typing import NamedTuple
major, minor = cap = torch.cuda.get_device_capability()
props = torch.cuda.get_device_properties(0)
T = {9: "a", 10: "b"}
"""

CONSTRUCTS = dict(
    re.findall(
        r"^## (.+?)\n\n```python\n(.*?)\n```$",
        (Path(__file__).parent / "constructs.md").read_text(encoding="utf-8"),
        re.MULTILINE | re.DOTALL,
    )
)


@pytest.mark.parametrize("name", sorted(CONSTRUCTS))
def test_a_construct_is_known_and_right(name: str) -> None:
    found = compare(Program({"main.py": HEAD + CONSTRUCTS[name] + "\n"}))
    assert [] == found.disagreements
    assert {} == found.reasons


IMPORTS = {
    "from": "from lib import T, f as g\nx = T.get(major)\ny = g(1)",
    "module": "import lib\nx = lib.T.get(major)\ny = lib.f(1)",
    "star": "from lib import *\nx = T.get(major)\ny = f(1)",
    "re-export": "from facade import T, f\nx = T.get(major)\ny = f(1)",
    "star re-export": "from stars import T, f\nx = T.get(major)\ny = f(1)",
    "in a function": "def h():\n    from lib import f, T\n    return f(1), T.get(major)\nx = h()",
}


@pytest.mark.parametrize("name", sorted(IMPORTS))
def test_names_of_other_modules_are_known_and_right(name: str) -> None:
    files = {
        "lib.py": HEAD + "def f(a):\n    return a + major\n",
        "facade.py": "from lib import T, f\n",
        "stars.py": "from lib import *\n",
        "main.py": HEAD.replace('T = {9: "a", 10: "b"}\n', "") + IMPORTS[name] + "\n",
    }
    found = compare(Program(files))
    assert [] == found.disagreements
    assert {} == found.reasons


UNKNOWN = {
    "how many devices there are": "x = torch.cuda.device_count() + major",
    "what a function sets": "def f():\n    global H\n    H = major\n    return H\nx = f()",
    "a loop of unknown length": "x = 0\nwhile x < major:\n    x += 1",
    "a device name": "x = torch.cuda.get_device_name()",
    "an iterator that is used twice": "m = map(str, cap)\nx = list(m)\ny = list(m)",
    "a name that an endless loop changes": (
        "x = (minor, minor)[1]\nc = 0\nwhile True:\n    c += 1\n    if c > 2:\n        break\n    x //= 2"
    ),
    "a dict that a loop changes under another name": (
        "y = T\nc = 0\nwhile c < 2:\n    c += 1\n    y |= {c: major}\nx = T"
    ),
    "a loop that adds to what it began with": "t = {major: 1}\nfor i, k in (t | {}).items():\n    t |= {i + 1: k}",
    "a lookup that may fail in a dict that a loop fills": (
        "c = 0\nwhile c < 3:\n    c += 1\n    T.update({major: 3})\n"
        "def f(a=1):\n    return (a, T[99])\ntry:\n    x = f()\nexcept KeyError:\n    x = major"
    ),
    "a name that the first round of a loop reads too early": (
        "def f():\n    c = 0\n    while c < 3:\n        c += 1\n        if v == v:\n            break\n        v = 1\n"
        "    return major\ntry:\n    x = f()\nexcept NameError:\n    x = 0"
    ),
    "a list of an object to which functions add": (
        "class C:\n    def __init__(self):\n        self.a = [1]\no = C()\n"
        "class D:\n    def g(self):\n        o.a.append(2)\n        return major\nd = D()\nx = d.g()"
    ),
    "a dict of an object in which functions set items": (
        "class C:\n    def __init__(self):\n        self.a = {1: 2}\no = C()\n"
        "class D:\n    def g(self):\n        o.a[major] = 2\n        return major\nd = D()\nx = d.g()"
    ),
    "a list that a function turns round": "L = [1, major]\ndef f():\n    L.reverse()\n    return 1\nx = f()",
}


def test_an_object_of_another_module_may_have_been_changed_by_its_methods() -> None:
    files = {
        "lib.py": "class C:\n    def __init__(self):\n        self.late = 7\n"
        "    def g(self):\n        self.late -= 7\n        return self.late\no = C()\n",
        "main.py": HEAD + "from lib import o\nx = o.g()\ny = o.late\n",
    }
    found = compare(Program(files))
    assert [] == found.disagreements
    assert found.unknown > 0


@pytest.mark.parametrize("name", sorted(UNKNOWN))
def test_what_cannot_be_known_is_unknown_and_not_guessed(name: str) -> None:
    found = compare(Program({"main.py": HEAD + UNKNOWN[name] + "\n"}))
    assert [] == found.disagreements
    assert found.unknown > 0
