"""No program makes the evaluator hang, crash or guess: what is too much is Unknown for that reason."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from hwlint.evaluate.answers import Unknown
from hwlint.evaluate.budget import LEAST_STEPS, MOST_RUNS, STEPS_PER_ROOT, Budget
from hwlint.model.observation import Blank, Lookup
from tests.evaluate.agreement import architectures, machine

SECONDS = 300
"""Far more than any of these needs; a hang is what must not be."""


@pytest.fixture(autouse=True)
def _in_time() -> Iterator[None]:
    began = time.monotonic()
    yield
    assert time.monotonic() - began < SECONDS


def answers(text: str, name: str) -> list[object]:
    """What a module-level name may be."""
    value = machine({"main.py": text}, architectures()).global_name("main.py", name, None)
    assert value is not None
    return [answer for answer, _ in value.cases]


def is_unknown(found: list[object]) -> bool:
    return any(isinstance(answer, Unknown) for answer in found)


def test_a_chain_of_five_thousand_branches_ends() -> None:
    lines = ["import torch", "major = torch.cuda.get_device_capability()[0]", "def f(k):"]
    lines += [f"    {'el' if index else ''}if k == {index}:\n        return {index}" for index in range(800)]
    chain = "\n".join([*lines, "    return -1", "x = f(major)"])
    assert answers(chain, "x")
    flat = "\n".join(
        ["def g(k):", *(f"    if k == {index}:\n        return {index}" for index in range(5000)), "x = g(7)"]
    )
    assert 7 in answers(flat, "x") or is_unknown(answers(flat, "x"))


def test_deep_nesting_is_a_failure_or_unknown_and_no_crash() -> None:
    deep = "x = " + "(" * 80 + "1" + " + 1)" * 80
    assert [81] == answers(deep, "x")
    deeper = "x = " + "-" * 400 + "1"
    found = machine({"main.py": deeper}, architectures())
    found.evaluate("main.py")


def test_deeply_nested_statements_end() -> None:
    lines = ["def f(a):"]
    lines += ["    " * (depth + 1) + "if a:" for depth in range(60)]
    lines.append("    " * 61 + "return 1")
    found = machine({"main.py": "\n".join(lines)}, architectures())
    assert [] == found.evaluate("main.py")


def test_recursion_is_unknown() -> None:
    assert is_unknown(answers("def f(n):\n    return f(n + 1)\nx = f(0)", "x"))
    assert is_unknown(answers("def f(n):\n    return g(n)\ndef g(n):\n    return f(n)\nx = f(0)", "x"))
    assert is_unknown(answers("x = [x for x in y]\ny = [y for y in x]", "x")) or answers("x = 1", "x") == [1]


def test_recursion_that_ends_is_right_or_unknown() -> None:
    found = answers("def f(n):\n    return 1 if n < 1 else n * f(n - 1)\nx = f(2)", "x")
    assert found == [2] or is_unknown(found)


def test_a_huge_dict_is_read() -> None:
    table = ", ".join(f"{key}: {key * 2}" for key in range(20000))
    assert [24] == answers(f"T = {{{table}}}\nx = T[12]", "x")


def test_a_cycle_of_three_hundred_modules_ends() -> None:
    files = {f"m{index}.py": f"from m{(index + 1) % 300} import *\nv{index} = {index}\n" for index in range(300)}
    files["main.py"] = "from m0 import *\nx = v299\ny = nowhere\n"
    found = machine(files, architectures())
    value = found.global_name("main.py", "x", None)
    assert value is not None
    assert [299] == [answer for answer, _ in value.cases] or is_unknown([answer for answer, _ in value.cases])
    missing = found.global_name("main.py", "y", None)
    assert missing is not None
    assert is_unknown([answer for answer, _ in missing.cases])


def test_names_that_import_each_other_in_a_circle_are_unknown() -> None:
    files = {"a.py": "from b import x\n", "b.py": "from a import x\n"}
    value = machine(files, architectures()).global_name("a.py", "x", None)
    assert value is not None
    assert is_unknown([answer for answer, _ in value.cases])


def test_an_endless_loop_ends() -> None:
    assert is_unknown(answers("x = 0\nwhile True:\n    x += 1\n    if x > 5:\n        break", "x"))
    assert answers("x = 1\nwhile True:\n    pass", "x") is not None
    assert is_unknown(answers("x = 0\nfor i in range(10 ** 9):\n    x += i", "x"))


@pytest.mark.parametrize(
    "text",
    [
        "x = 10 ** 10 ** 10",
        "x = 'a' * 10 ** 12",
        "x = [0] * 10 ** 12",
        "x = 1 << 10 ** 9",
        "x = '%1000000000d' % 1",
        "x = '{:1000000000d}'.format(1)",
        "x = f'{1:1000000000d}'",
        "x = '1'.zfill(10 ** 10)",
        "x = list(range(10 ** 12))",
        "x = sum(range(10 ** 12))",
        "x = 'a'.replace('', 'b' * 60000) * 60000",
        "import re\nx = re.sub('(a+)+$', '', 'a' * 60 + 'b')",
        "import math\nx = math.factorial(10 ** 8)",
        "x = tuple(range(100)) * 10 ** 9",
        "x = (1,) * 10 ** 12",
        "x = int('9' * 100000)",
        "x = bytes(10 ** 12)",
        "x = 'x'.join(['y' * 60000] * 4000)",
        "x = [[[[i for i in range(100)] for j in range(100)] for k in range(100)] for l in range(100)]",
    ],
)
def test_what_would_take_all_memory_or_time_is_unknown(text: str) -> None:
    found = machine({"main.py": text}, architectures())
    value = found.global_name("main.py", "x", None)
    assert value is not None
    assert len(repr([answer for answer, _ in value.cases])) < 10_000_000


def test_a_root_that_exceeds_the_budget_is_recorded_and_the_others_go_on() -> None:
    heavy = "def heavy(a):\n" + "\n".join(
        f"    for i{index} in range(100):\n        for j in range(100):\n            a = a + i{index} * j"
        for index in range(30)
    )
    light = "def light():\n    T = {9: 1}\n    return T[torch.cuda.get_device_capability()[0]]\n"
    found = machine({"main.py": f"import torch\n{heavy}\n{light}"}, architectures()).evaluate("main.py")
    assert any(isinstance(seen, Blank) and "budget" in seen.reason for seen in found)
    assert any(seen.place.symbol == "light" for seen in found)


def test_many_functions_that_exceed_the_budget_do_not_each_get_all_of_it() -> None:
    count = 60
    calls = "".join(
        f"def f{at}(x=9):\n    for i in range(100):\n        for j in range(100):\n            x = x + i * j + {at}\n"
        "    return T[x]\n"
        for at in range(count)
    )
    light = "def light():\n    return T[torch.cuda.get_device_capability()[0]]\n"
    found = machine({"main.py": f"import torch\nT = {{9: 1}}\n{calls}{light}"}, architectures())
    seen = found.evaluate("main.py")
    assert found.budget.overdrawn >= count // 2
    assert sum(isinstance(one, Blank) and "budget" in one.reason for one in seen) >= count // 2
    assert any(one.place.symbol == "light" for one in seen)


def test_a_function_that_calls_itself_over_and_over_is_not_followed_every_time() -> None:
    count = 20
    calls = "".join(
        f"def f{at}(x=9): return f{(at * 7 + 1) % count}(x) + f{(at * 3 + 2) % count}(T[x])\n" for at in range(count)
    )
    found = machine(
        {"main.py": f"import torch\nT = {{9: torch.cuda.get_device_capability()}}\n{calls}"}, architectures()
    )
    found.evaluate("main.py")
    assert max(found.budget.runs.values()) > MOST_RUNS
    assert not found.budget.overdrawn


def test_the_next_file_gets_the_whole_budget_again() -> None:
    budget = Budget(overdrawn=40)
    budget.start_root()
    assert budget.left == LEAST_STEPS
    budget.open()
    budget.start_root()
    assert budget.left == STEPS_PER_ROOT


def test_a_special_method_that_takes_too_long_costs_its_answer_and_not_the_function() -> None:
    text = (
        "import torch\n\n\nclass Cache:\n    def __init__(self):\n        self.seen = []\n\n"
        "    def __contains__(self, key):\n        for a in range(100):\n            for b in range(100):\n"
        "                self.seen.append(a + b + key)\n        return True\n\n\n"
        "T = {9: 1}\n\n\ndef f(cache=Cache()):\n    major = torch.cuda.get_device_capability()[0]\n"
        "    for _ in range(30):\n        if major in cache:\n            pass\n    return T[major]\n"
    )
    evaluator = machine({"main.py": text}, architectures())
    seen = evaluator.evaluate("main.py")
    assert [] == [one for one in seen if isinstance(one, Blank) and one.place.symbol == "f"]
    assert ["subscript"] == [one.form for one in seen if isinstance(one, Lookup) and one.form == "subscript"]
