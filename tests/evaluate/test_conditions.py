"""Who gets where: path conditions, what is certain and what only possible, constructors that leave early."""

from __future__ import annotations

from hwlint.evaluate.answers import Unknown
from hwlint.model.observation import Lookup
from hwlint.model.outcome import Hit, NotKnown, Raises
from tests.evaluate.agreement import architectures, machine, outcome_of_call
from tests.evaluate.sandbox import Program

HEAD = "import torch\nT = {9: 1, 10: 2}\nmajor = torch.cuda.get_device_capability()[0]\n"
ROWS = "sm_80,sm_90,sm_100,sm_120"


def lookups(text: str) -> list[Lookup]:
    """The lookups that are seen in a module, by line."""
    found = machine({"main.py": HEAD + text}, architectures(ROWS)).evaluate("main.py")
    return [seen for seen in found if isinstance(seen, Lookup) and seen.form in ("subscript", "index")]


def named(mask: int) -> set[str]:
    return {row.name for bit, row in enumerate(architectures(ROWS)) if mask >> bit & 1}


def raising(text: str) -> tuple[set[str], set[str]]:
    """Where the last lookup raises, and where that is certain."""
    last = lookups(text)[-1]
    mask = certain = 0
    for happening in last.happenings:
        if isinstance(happening.outcome, Raises):
            mask |= happening.mask
            certain |= happening.certain
    return named(mask), named(certain)


def test_a_guard_that_returns_takes_its_architectures_out() -> None:
    assert ({"sm_120"}, {"sm_120"}) == raising("def f():\n    if major < 9:\n        return 0\n    return T[major]\n")


def test_without_the_guard_they_are_there() -> None:
    assert ({"sm_80", "sm_120"}, {"sm_80", "sm_120"}) == raising("def f():\n    return T[major]\n")


def test_an_else_has_the_others() -> None:
    text = "def f():\n    if major < 12:\n        return 0\n    else:\n        return T[major]\n"
    assert ({"sm_120"}, {"sm_120"}) == raising(text)


def test_a_flag_makes_it_possible_and_not_certain() -> None:
    text = "def f(flag):\n    if flag:\n        return 0\n    return T[major]\n"
    assert ({"sm_80", "sm_120"}, set()) == raising(text)


def test_a_flag_before_a_guard_leaves_what_comes_after_certain() -> None:
    text = "def f(flag):\n    if flag:\n        x = 1\n    return T[major]\n"
    assert ({"sm_80", "sm_120"}, {"sm_80", "sm_120"}) == raising(text)


def test_both_a_flag_and_the_hardware_have_a_say() -> None:
    text = "def f(flag):\n    if flag and major >= 12:\n        return T[major]\n    return 0\n"
    assert ({"sm_120"}, set()) == raising(text)


def test_a_raise_of_the_author_ends_the_path() -> None:
    text = "def f():\n    if major == 12:\n        raise ValueError('no')\n    return T[major]\n"
    assert ({"sm_80"}, {"sm_80"}) == raising(text)


def test_a_fault_does_not_hide_the_next_one() -> None:
    found = lookups("U = {9: 1}\ndef f():\n    a = T[major]\n    return a + U[major]\n")
    assert [{"sm_80", "sm_120"}, {"sm_80", "sm_100", "sm_120"}] == [
        named(sum(h.mask for h in seen.happenings if isinstance(h.outcome, Raises))) for seen in found
    ]


def test_a_caught_lookup_is_marked() -> None:
    last = lookups("def f():\n    try:\n        return T[major]\n    except KeyError:\n        return 0\n")[-1]
    assert {"sm_80", "sm_120"} == named(last.caught)


CLASS = """
class C:
    def __init__(self, flag=None):
        self.ready = False
        {guard}
            return
        self.ready = True

    def use(self):
        {test}return T[major]
"""


def test_a_constructor_that_leaves_early_takes_its_architectures_out_of_the_methods() -> None:
    text = CLASS.format(guard="if major not in T:", test="")
    assert (set(), set()) == raising(text)


def test_a_constructor_that_a_flag_ends_early_takes_none_out() -> None:
    text = CLASS.format(guard="if flag:", test="")
    assert {"sm_80", "sm_120"} == raising(text)[0]


def test_an_attribute_that_says_so_takes_them_out_too() -> None:
    text = CLASS.format(guard="if major not in T:", test="if not self.ready:\n            return 0\n        ")
    assert (set(), set()) == raising(text)


def test_a_key_from_an_argument_is_not_guessed() -> None:
    found = lookups("def f(key=None):\n    if key is None:\n        key = major\n    return T[key]\n")[-1]
    assert (
        any(isinstance(happening.outcome, NotKnown) for happening in found.happenings)
        or not found.happenings[0].certain
    )


def test_narrowing_by_is_none_leaves_the_other_answer() -> None:
    text = "def f():\n    k = major if major >= 9 else None\n    if k is None:\n        return 0\n    return T[k]\n"
    assert ({"sm_120"}, {"sm_120"}) == raising(text)


INSIDE = (
    "def f(n):\n    if n <= 256 and major >= 9:\n        return 0\n    else:\n"
    "        {between}\n        if n == {number}:\n            return T[major]\n"
)


def test_a_number_that_is_asked_for_settles_the_test_around_it() -> None:
    assert {"sm_80"} == raising(INSIDE.format(between="pass", number=128))[0]


def test_a_number_that_the_test_around_it_turns_away_settles_nothing() -> None:
    assert {"sm_80", "sm_120"} == raising(INSIDE.format(between="pass", number=512))[0]


def test_a_number_that_was_bound_again_settles_nothing() -> None:
    assert {"sm_80", "sm_120"} == raising(INSIDE.format(between="n = n // 2", number=128))[0]


def test_who_returns_is_alive_and_who_raises_is_not() -> None:
    program = Program(
        {"main.py": HEAD + "def f():\n    if major > 10:\n        raise RuntimeError('no')\n    return major\n"}
    )
    value, state = outcome_of_call(program, "f", architectures(ROWS))
    assert {"sm_80", "sm_90", "sm_100"} == named(state.alive)
    assert {8, 9, 10} == {answer for answer, mask in value.cases if mask & state.alive}


def test_an_exception_that_a_flag_decides_leaves_everyone_alive() -> None:
    program = Program(
        {
            "main.py": "import os\n"
            + HEAD
            + "def f():\n    if os.environ.get('A'):\n        raise RuntimeError('no')\n    return 1\n"
        }
    )
    _, state = outcome_of_call(program, "f", architectures(ROWS))
    assert {"sm_80", "sm_90", "sm_100", "sm_120"} == named(state.alive)
    assert set() == named(state.certain)


def test_the_key_of_a_hit_is_that_of_the_architecture() -> None:
    last = lookups("def f():\n    return T[major]\n")[-1]
    assert {"9": {"sm_90"}, "10": {"sm_100"}} == {
        happening.outcome.key: named(happening.mask)
        for happening in last.happenings
        if isinstance(happening.outcome, Hit)
    }


def test_an_unknown_has_a_reason() -> None:
    value = machine({"main.py": "import os\nx = os.getpid()\n"}, architectures(ROWS)).global_name("main.py", "x", None)
    assert value is not None
    answer = value.only()
    assert isinstance(answer, Unknown)
    assert "os.getpid" in answer.reason
