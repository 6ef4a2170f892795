"""Every construct that the evaluator claims is known, and right, on every architecture."""

from __future__ import annotations

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

CONSTRUCTS = {
    "tuple unpacking": "a, (b, c) = 1, cap\nfirst, *rest = (*cap, 7)",
    "a subscript and slices": "x = cap[0]\ny = cap[::-1]\nz = [*cap, 1][1:]\nw = 'sm_90'[3:]",
    "attributes of properties": "x = (props.major, props.minor)\ny = props.shared_memory_per_block_optin >= 200000",
    "arithmetic": "x = major * 10 + minor\ny = -major // 3 % 5\nz = divmod(x, 10)\nw = x & 3 | 8 ^ 1",
    "f-strings": "x = f'sm_{major}{minor}'\ny = f'{major:03d}|{cap!r:>10}'",
    "conversions": "x = str(major)\ny = int(f'{major}{minor}')\nz = float(f'{major}.{minor}')\nw = bool(minor)\nv = int('90', 16)",
    "tuple, map and sorted": "x = tuple(map(int, '9.0'.split('.')))\ny = sorted([major, 9], reverse=major > 9)\nz = list(map(lambda i: i + major, (1, 2)))",
    "min, max, len, sum": "x = min(major, 9)\ny = max([major, 9], default=1)\nz = len(T)\nw = sum([major, 1])\nv = max((), default=major)",
    "any and all": "x = any(major == k for k in T)\ny = all(k > 8 for k in [major, 9])\nz = any([])",
    "comparisons and chains": "x = 8 < major <= 10\ny = cap >= (9, 0)\nz = cap == (12, 0) != 5",
    "and, or, not": "x = major > 9 and 'big' or 'small'\ny = not minor\nz = minor or None",
    "a ternary": "x = 'new' if major >= 10 else 'old'",
    "a walrus": "x = (n := major) + n\nif (k := T.get(major)) is not None:\n    y = k\nelse:\n    y = 0",
    "comprehensions": "x = [i * major for i in range(3) if i != minor]\ny = {k: v for k, v in T.items() if k >= major}\nz = {i for i in cap}\nw = [a + b for a in cap for b in (1, 2)]",
    "in": "x = major in T\ny = major not in (9, 10)\nz = f'{major}' in '9 10'",
    "get": "x = T.get(major)\ny = T.get(major, 'none')\nz = T.get(10)",
    "dict union": "x = T | {12: 'c'}\ny = {**T, major: 'd'}\nT |= {major: 'e'}",
    "update and setdefault": "D = dict(T)\nD.update({major: 'z'})\nD.setdefault(12, 'q')\nD.update(k=1)",
    "item assignment and deletion": "D = {}\nD[major] = 1\nD[9] = 2\nL = [0, 0]\nL[minor > 0] = 3\nif 9 in D:\n    del D[9]",
    "append and extend": "L = []\nL.append(major)\nL.extend(T)\nL += [1]\nL.insert(0, 5)\nL.sort()\nL.reverse()",
    "aliasing": "A = B = []\nB.append(major)\nC = A\nC.append(1)\nx = len(B)",
    "pop and discard": "D = dict(T)\nx = D.pop(major, None)\nS = {9, 10}\nS.discard(major)\nL = [1, 2]\ny = L.pop()",
    "if, elif, else": "if major == 9:\n    x = 'h'\nelif major >= 10:\n    x = 'b'\nelse:\n    x = 'a'",
    "early return": "def f(flag=True):\n    if not flag or major < 9:\n        return None\n    return T.get(major, 'x')\nx = f()\ny = f(False)",
    "raise": "def f():\n    if major > 10:\n        raise ValueError('no')\n    return major\ntry:\n    x = f()\nexcept ValueError:\n    x = -1",
    "continue and break": "x = 0\nfor i in range(6):\n    if i == minor:\n        continue\n    if i == major % 5:\n        break\n    x += i",
    "match": "match major:\n    case 9 | 8:\n        x = 'old'\n    case 10 if minor == 3:\n        x = 'ultra'\n    case _:\n        x = 'other'\nmatch cap:\n    case (12, m):\n        y = m\n    case _:\n        y = -1",
    "assert": "def f():\n    assert major < 12, 'no'\n    return major\ntry:\n    x = f()\nexcept AssertionError:\n    x = 0",
    "try and except KeyError": "try:\n    x = T[major]\nexcept KeyError:\n    x = 'missing'\nelse:\n    y = 1\nfinally:\n    z = 2",
    "suppress": "x = 0\nwith suppress(KeyError):\n    x = T[major]",
    "for over constants": "x = []\nfor k, v in T.items():\n    if k <= major:\n        x.append(v)\nelse:\n    y = 1",
    "defaults, keywords, *args, **kwargs": "def f(a, b=major, *args, c=3, **more):\n    return (a, b, args, c, len(more))\nx = f(1)\ny = f(1, 2, 3, 4, c=5, d=6)",
    "functools.cache": "@functools.lru_cache(maxsize=None)\ndef f(a):\n    return a + major\n@cache\ndef g():\n    return f(1)\nx = g()",
    "functools.partial": "def f(a, majors):\n    return major in majors and a\nx = lru_cache(partial(f, majors=[10]))(1)\ny = partial(f, 2)([9])",
    "staticmethod, classmethod, property": "class C:\n    K = 3\n    @staticmethod\n    def s(a):\n        return a + major\n    @classmethod\n    def c(cls):\n        return cls.K\n    @property\n    def p(self):\n        return self.K + major\nx = (C.s(1), C.c(), C().p, C().s(2))",
    "instance and class attributes": "class C:\n    TABLE = {9: 1}\n    def __init__(self, a):\n        self.a = a\n        self.ok = major in self.TABLE\n    def get(self):\n        return self.TABLE.get(major, self.a)\no = C(5)\nx = o.get()\ny = o.ok",
    "inheritance and super": "class A:\n    K = 1\n    def __init__(self, a):\n        self.a = a\n    def f(self):\n        return self.K\nclass B(A):\n    K = 2\n    def __init__(self):\n        super().__init__(major)\n        self.b = 1\n    def f(self):\n        return super().f() + self.a\nx = B().f()",
    "enums": "class E(Enum):\n    H = 9\n    B = 10\n    def plus(self):\n        return self.value + 1\nx = E(9) is E.H\ny = E.B.name\nz = [e.value for e in E]\nw = E.H.plus()\nv = E['B'].value",
    "named tuples": "class Cap(NamedTuple):\n    major: int\n    minor: int = 0\n    def text(self):\n        return f'{self.major}.{self.minor}'\nc = Cap(major)\nx = c.text()\ny = c >= (9, 0)\nz, w = c",
    "dataclasses": "@dataclass\nclass D:\n    a: int\n    b: int = 2\n    def both(self):\n        return self.a + self.b\nd = D(major)\nx = d.both()\nd.b = 7\ny = d.b",
    "narrowing": "def f(a=None):\n    if a is None:\n        a = major\n    return a + 1\nx = f()\ny = f(3)\nz = T.get(major)\nif not z:\n    z = 'none'",
    "closures and lambdas": "def f(a):\n    def g(b):\n        return a + b + major\n    return g(1)\nx = f(2)\ny = (lambda a, b=minor: a * b)(3)",
    "methods of texts": "s = f'sm_{major}{minor}a'\nx = s.upper().removeprefix('SM_').rstrip('A')\ny = s.startswith(('sm_9', 'sm_10'))\nz = s.replace('sm_', '').split('0')\nw = '.'.join(map(str, cap))\nv = s.partition('_')[2].zfill(5)",
    "a decorator that passes through": "def deco(f):\n    def inner(*args, **kwargs):\n        return f(*args, **kwargs)\n    return inner\n@deco\ndef f(a):\n    return a + major\nx = f(1)",
    "zip and enumerate": "x = [a * b for a, b in zip(cap, (1, 2, 3))]\ny = {i: c for i, c in enumerate(cap, 1)}\nz = dict(zip(T, 'xy'))",
    "filter, reversed, next": "x = list(filter(None, cap))\ny = list(reversed(cap))\nz = next((k for k in T if k >= major), None)\nw = next(iter(T))",
    "dict.fromkeys, count, union": "x = dict.fromkeys(T, major)\ny = [9, major].count(9)\nz = {9}.union([major])\nw = {9, 10} & {major}",
    "getattr with a known name": "class C:\n    sm_9 = 1\n    sm_10 = 2\n    sm_8 = 3\n    sm_12 = 4\nx = getattr(C, f'sm_{major}')",
    "% and format": "x = 'sm_%d%d' % cap\ny = '{}.{}'.format(major, minor)",
    "isinstance": "x = isinstance(cap, tuple)\ny = isinstance(major, (int, str))\nz = isinstance(T, list)",
    "a list of lists by multiplication": "x = [0] * 3\ny = [major] + [1]",
}


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
}


@pytest.mark.parametrize("name", sorted(UNKNOWN))
def test_what_cannot_be_known_is_unknown_and_not_guessed(name: str) -> None:
    found = compare(Program({"main.py": HEAD + UNKNOWN[name] + "\n"}))
    assert [] == found.disagreements
    assert found.unknown > 0
