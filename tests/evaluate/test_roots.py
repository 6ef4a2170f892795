"""What is run by itself: bodies of classes, functions that others return, and what lies under a test of a module."""

from __future__ import annotations

from pathlib import Path

import pytest

from hwlint.model.finding import Level
from hwlint.workflow.settings import Settings

_HEAD = "import torch\n\nmajor = torch.cuda.get_device_capability()[0]\nTABLE = {7: 1, 8: 1, 9: 2, 10: 3}\n"


def _errors(root: Path, text: str) -> list[tuple[str, str]]:
    """The rules and the texts of the lines of the errors found in a file that begins with the table above."""
    from hwlint.workflow.check import check

    source = _HEAD + text
    (root / "a.py").write_text(source)
    settings = Settings(root=root, folders=(root,), targets=("sm_75", "current"), level=Level.WARNING)
    found = check([root], settings, jobs=1, use_cache=False).findings
    return [
        (one.rule, source.splitlines()[one.span.line - 1].strip())
        for one in found
        if one.level is Level.ERROR and "sm_120" in one.targets
    ]


@pytest.mark.parametrize(
    "text",
    [
        "class K:\n    size = TABLE[major]\n",
        "class K:\n    rows = {8: 1, 9: 1}\n    size = rows[major]\n",
        "class K:\n    class Inner:\n        size = TABLE[major]\n",
        "if major > 8:\n    class K:\n        size = TABLE[major]\n",
        "def build():\n    class K:\n        size = TABLE[major]\n    return K\n",
        "def build():\n    def depth():\n        return TABLE[major]\n    return depth\n",
        "def build():\n    mine = major\n    def depth():\n        return {8: 1}[mine]\n    return depth\n",
        "def wrap(f):\n    def go(*args):\n        return f(TABLE[major])\n    return go\n",
        "def build():\n    mine = major\n    class K:\n        size = TABLE[mine]\n    return K\n",
        "def build():\n    mine = major\n    class K:\n        def size(self):\n"
        "            return TABLE[mine]\n    return K\n",
        "def build():\n    rows = {8: 1, 9: 1}\n    class K:\n        def size(self):\n            return rows[major]\n"
        "    return K()\n",
        "def build():\n    rows = {8: 1, 9: 1}\n    class K:\n        def __init__(self):\n"
        "            self.gen = rows[major]\n    return K\n",
        "def build():\n    class K:\n        rows = {8: 1, 9: 1}\n        def __init__(self):\n"
        "            self.gen = major\n        def size(self):\n            return self.rows[self.gen]\n"
        "    return K()\n",
        "def build():\n    rows = {8: 1, 9: 1}\n    class Base:\n        def size(self):\n"
        "            return rows[self.gen()]\n"
        "    class K(Base):\n        def gen(self):\n            return major\n    return K().size()\n",
        "def size(of=TABLE[major]):\n    return of\n",
        "def size(*, of=TABLE[major]):\n    return of\n",
        "class K:\n    def size(self, of=TABLE[major]):\n        return of\n",
    ],
)
def test_a_lookup_that_nobody_calls_is_found_where_it_is_written(tmp_path: Path, text: str) -> None:
    assert [rule for rule, _ in _errors(tmp_path, text)] == ["HW101"]


@pytest.mark.parametrize(
    "text",
    [
        "class K:\n    size = TABLE.get(major, 1)\n",
        "if major in TABLE:\n    class K:\n        size = TABLE[major]\n",
        "try:\n    class K:\n        size = TABLE[major]\nexcept KeyError:\n    K = None\n",
        "def build():\n    def depth():\n        return TABLE[major]\n    return depth if major in TABLE else None\n",
        "def build():\n    def f():\n        return TABLE[major]\n    if major > 10:\n        return 0\n    return f\n",
        "def w(f):\n    if major > 10:\n        return f\n    def g():\n        return f(TABLE[major])\n    return g\n",
        "def build():\n    mine = min(major, 10)\n    class K:\n        def size(self):\n"
        "            return TABLE[mine]\n"
        "    return K\n",
        "def build():\n    mine = major\n    class K:\n        size = TABLE.get(mine, 1)\n        def again(self):\n"
        "            return TABLE[mine] if mine in TABLE else 0\n    return K()\n",
        "def build():\n    class K:\n        def size(self):\n            return TABLE[major]\n"
        "    return K() if major in TABLE else None\n",
        "def build():\n    class K:\n        def size(self):\n            return TABLE[major]\n    if major > 10:\n"
        "        raise ValueError('no')\n    return K\n",
        "TABLE_2 = TABLE\ndef build():\n    TABLE_2 = {n: n for n in range(20)}\n    class K:\n"
        "        def size(self):\n"
        "            return TABLE_2[major]\n    return K\n",
        "def build(mine):\n    class K:\n        def size(self):\n            return TABLE[mine]\n    return K\n"
        "A = build(10)\nB = build(12)\nif major == 12:\n    x = A().size()\n",
        "def size(of=TABLE.get(major, 1)):\n    return of\n",
        "def size(of=TABLE[major] if major in TABLE else 0):\n    return of\n",
        "class K:\n    def size(self, of=TABLE[min(major, 10)]):\n        return of\n",
    ],
)
def test_a_guard_around_or_before_the_place_where_it_is_made_counts(tmp_path: Path, text: str) -> None:
    assert _errors(tmp_path, text) == []


@pytest.mark.parametrize(
    "text",
    [
        "if major in TABLE:\n    def size():\n        return TABLE[major]\nelse:\n    def size():\n        return 0\n",
        "if major in TABLE:\n    class K:\n        def size(self):\n            return TABLE[major]\n",
        "if major not in TABLE:\n    raise ImportError('no')\ndef size():\n    return TABLE[major]\n",
        "def size():\n    return TABLE[major]\nassert major in TABLE, 'no'\n",
    ],
)
def test_a_function_is_asked_about_only_where_its_module_defines_it_and_ends(tmp_path: Path, text: str) -> None:
    assert _errors(tmp_path, text) == []


def test_a_test_that_lets_an_architecture_in_does_not_clear_the_function_under_it(tmp_path: Path) -> None:
    text = "if major >= 9:\n    def size():\n        return TABLE[major]\nif major < 8:\n    raise ImportError('old')\n"
    assert _errors(tmp_path, text) == [("HW101", "return TABLE[major]")]


def test_a_fault_of_the_module_does_not_hide_that_of_a_function(tmp_path: Path) -> None:
    text = "size = TABLE[major]\ndef other():\n    return {8: 1, 9: 1}[major]\n"
    assert [line for _, line in _errors(tmp_path, text)] == ["size = TABLE[major]", "return {8: 1, 9: 1}[major]"]


@pytest.mark.parametrize(
    "text",
    [
        "import sys\nif major > 10:\n    sys.exit('no')\ndef f():\n    return TABLE[major]\n",
        "from sys import exit as leave\ndef f():\n    if major > 10:\n        leave(1)\n    return TABLE[major]\n",
        "import os\ndef f():\n    if major > 10:\n        os._exit(1)\n    return TABLE[major]\n",
    ],
)
def test_who_leaves_the_program_does_not_come_to_what_follows(tmp_path: Path, text: str) -> None:
    assert _errors(tmp_path, text) == []


def test_who_catches_the_end_of_the_program_goes_on(tmp_path: Path) -> None:
    text = (
        "import sys\ndef f():\n    try:\n        if major > 10:\n            sys.exit('no')\n"
        "    except SystemExit:\n        pass\n    return TABLE[major]\n"
    )
    assert [rule for rule, _ in _errors(tmp_path, text)] == ["HW101"]


_BASE = """
class Base:
    ROWS = {}

    def __init__(self, gen=None):
        self.gen = gen

    def row(self):
        return self.ROWS[self.gen]

    def checked(self):
        return self.ROWS[self.gen] if self.gen in self.ROWS else 0

    def row_of(self, gen):
        return self.ROWS[gen]

    def asked(self):
        return self.ROWS[self.current()]

    def current(self):
        raise NotImplementedError
"""
_ALL = "{n: n for n in range(20)}"
_SOME = "{7: 1, 8: 1, 9: 1, 10: 1}"


def _below(root: Path, rows: str, body: str, more: str = "") -> list[tuple[str, int]]:
    """The files and lines of the errors where a class below, in another file, has these rows and this body."""
    from hwlint.workflow.check import check

    (root / "base.py").write_text(_BASE)
    head = "import torch\nfrom base import Base\n\n\ndef gen():\n    return torch.cuda.get_device_capability()[0]\n\n\n"
    (root / "child.py").write_text(f"{head}class Child(Base):\n    ROWS = {rows}\n{body}{more}")
    settings = Settings(root=root, folders=(root,), targets=("sm_75", "current"), level=Level.WARNING)
    found = check([root], settings, jobs=1, use_cache=False).findings
    return [(one.span.path, one.span.line) for one in found if one.level is Level.ERROR and "sm_120" in one.targets]


_MADE = "    def __init__(self):\n        super().__init__(gen())\n"
_SET = "    def __init__(self):\n        self.gen = gen()\n"
_LINE = {name: number for number, line in enumerate(_BASE.splitlines(), 1) for name in [line.strip()]}
_ROW, _OF, _ASKED = (_LINE[f"return self.ROWS[{key}]"] for key in ("self.gen", "gen", "self.current()"))


@pytest.mark.parametrize(
    ("body", "line"),
    [
        (_MADE, _ROW),
        (_SET, _ROW),
        ("    def __init__(self):\n        made = gen()\n        Base.__init__(self, gen=made)\n", _ROW),
        ("    def current(self):\n        return gen()\n", _ASKED),
        ("    def go(self):\n        return self.row_of(gen())\n", _OF),
        ("    def go(self):\n        return super().row_of(gen())\n", _OF),
    ],
)
def test_a_table_of_a_class_below_is_asked_by_the_methods_of_its_base(tmp_path: Path, body: str, line: int) -> None:
    assert _below(tmp_path, _SOME, body) == [("base.py", line)]
    assert _below(tmp_path, _ALL, body) == []


def test_a_method_that_a_class_below_replaces_is_not_asked_for_it(tmp_path: Path) -> None:
    own = "    def row(self):\n        return self.ROWS.get(self.gen, 0)\n"
    assert _below(tmp_path, _SOME, _MADE + own) == []


def test_a_table_that_all_classes_further_below_replace_is_not_asked_for(tmp_path: Path) -> None:
    last = f"\n\nclass Last(Child):\n    ROWS = {_ALL}\n"
    assert _below(tmp_path, "{}", _MADE, last) == []
    assert _below(tmp_path, "{}", _MADE, last.replace(_ALL, _SOME)) == [("base.py", _ROW)]


def test_of_several_classes_below_each_is_asked_about(tmp_path: Path) -> None:
    other = f"\n\nclass Other(Base):\n    ROWS = {_ALL}\n{_MADE}"
    assert _below(tmp_path, _SOME, _MADE, other) == [("base.py", _ROW)]
    assert _below(tmp_path, _ALL, _MADE, other.replace(_ALL, _SOME)) == [("base.py", _ROW)]
    assert _below(tmp_path, _ALL, _MADE, other) == []


def test_what_a_class_below_turns_away_is_not_said_of_its_base(tmp_path: Path) -> None:
    from hwlint.workflow.check import check

    base = (
        "class Base:\n    def load(self):\n        if not self.current():\n"
        "            raise ValueError('not supported')\n"
    )
    child = "import torch\nfrom base import Base\nclass Child(Base):\n    def current(self):\n"
    (tmp_path / "base.py").write_text(base)
    (tmp_path / "child.py").write_text(f"{child}        return torch.cuda.get_device_capability()[0] < 8\n")
    settings = Settings(root=tmp_path, folders=(tmp_path,), targets=("current",), level=Level.NOTE)
    found = check([tmp_path], settings, jobs=1, use_cache=False).findings
    assert [one.rule for one in found if one.span.path == "base.py"] == []
