"""A guarded lookup keeps the feature off, in the author's way where there is one."""

from __future__ import annotations

from hwlint.fix.guard import guard_lookup
from hwlint.model.finding import Fix, Safety
from tests.fix.samples import CONSUMER, applied, table_problem

HEAD = "T = {\n    9: (4, 8),\n    10: (8,),\n}\n\n\n"


def guards(text: str, lookup: str) -> tuple[Fix, ...]:
    return guard_lookup(table_problem(text, CONSUMER, lookup=lookup, table_kind="dict"))


def test_the_words_of_an_earlier_guard_turn_the_architecture_away_safely() -> None:
    text = HEAD + (
        "def f(self):\n    if self.major < 9:\n        log.warning('%s not supported', self.major)\n        return\n"
        "    self.sizes = T[self.major]\n"
    )
    (fix,) = guards(text, "T[self.major]")
    new = "    if self.major not in T:\n        log.warning('%s not supported', self.major)\n        return\n"
    assert applied(text, fix) == text.replace("    self.sizes", new + "    self.sizes")
    assert fix.safety is Safety.SAFE


def test_a_guard_further_up_or_one_that_returns_a_value_is_copied_but_not_safe() -> None:
    for between, value in (("    self.x = 1\n", ""), ("", " 32")):
        text = (
            HEAD + f"def f(self):\n    if self.major < 9:\n        return{value}\n{between}    return T[self.major]\n"
        )
        (fix,) = guards(text, "T[self.major]")
        assert fix.safety is Safety.UNSAFE
        assert f"    if self.major not in T:\n        return{value}\n    return T[self.major]\n" in applied(text, fix)


def test_a_guard_of_another_value_is_not_copied() -> None:
    text = HEAD + "def f(self):\n    if self.world < 9:\n        return\n    self.sizes = T[self.major]\n"
    (fix,) = guards(text, "T[self.major]")
    assert fix.safety is Safety.DISPLAY


def test_a_membership_test_that_leaves_asks_an_empty_row_safely() -> None:
    text = HEAD + "def f(self, n):\n    if n not in T[self.major]:\n        return\n    go(n)\n"
    (fix,) = guards(text, "T[self.major]")
    assert "if n not in T.get(self.major, ()):" in applied(text, fix)
    assert fix.safety is Safety.SAFE


def test_a_membership_test_that_leads_into_other_code_asks_an_empty_row_unsafely() -> None:
    text = HEAD + "def f(self, n):\n    if n in T[self.major]:\n        fast(n)\n    else:\n        slow(n)\n"
    (fix,) = guards(text, "T[self.major]")
    assert "if n in T.get(self.major, ()):" in applied(text, fix)
    assert fix.safety is Safety.UNSAFE


def test_elsewhere_the_guard_is_only_shown() -> None:
    text = HEAD + "def f(major):\n    return T[major]\n"
    (fix,) = guards(text, "T[major]")
    assert fix.safety is Safety.DISPLAY
    assert (
        '    if major not in T:\n        raise NotImplementedError(f"T has no entry for compute capability {major}")\n'
        "    return T[major]\n"
    ) in applied(text, fix)


def test_a_key_that_is_a_call_is_not_evaluated_twice() -> None:
    text = HEAD + "def f():\n    return T[major()]\n"
    assert guards(text, "T[major()]") == ()


def test_line_endings_of_the_file_are_used() -> None:
    text = (HEAD + "def f(major):\n\treturn T[major]\n").replace("\n", "\r\n")
    (fix,) = guards(text, "T[major]")
    changed = applied(text, fix)
    assert changed.count("\n") == changed.count("\r\n")
    assert "\tif major not in T:\r\n\t\traise" in changed


def test_no_guard_goes_where_its_names_are_not_bound_or_the_grammar_has_no_place() -> None:
    for line in (
        "return [T[major] for major in (9, 10)]",
        "return (lambda major: T[major])(10)",
        "return (major := 10) and T[major]",
        "while T[major]:\n        pass",
        "x = 1; y = T[major]",
    ):
        assert guards(HEAD + f"def f(major):\n    {line}\n", "T[major]") == (), line
    text = HEAD + "def f(major, n):\n    if n:\n        pass\n    elif T[major]:\n        pass\n"
    assert guards(text, "T[major]") == ()


def test_a_tuple_key_without_brackets_gets_them() -> None:
    text = HEAD + "def f(major, minor):\n    return T[major, minor]\n"
    (fix,) = guards(text, "T[major, minor]")
    assert "    if (major, minor) not in T:\n" in applied(text, fix)


def test_a_message_that_speaks_of_the_old_bound_is_written_anew() -> None:
    text = HEAD + (
        "def f(self):\n    if self.major < 9:\n        log.warning('not before Hopper (%s)', self.major)\n"
        "        return\n"
        "    self.sizes = T[self.major]\n"
    )
    (fix,) = guards(text, "T[self.major]")
    assert (
        "    if self.major not in T:\n"
        '        log.warning("T has no entry for compute capability %s", self.major)\n'
        "        return\n    self.sizes"
    ) in applied(text, fix)
    other = text.replace("log.warning(", "tell(")
    assert [fix.safety for fix in guards(other, "T[self.major]")] == [Safety.DISPLAY]


def test_a_key_that_names_no_architecture_is_not_guarded() -> None:
    text = HEAD + "def f(method, n):\n    return n in T[method]\n"
    assert guard_lookup(table_problem(text, {"sm_120": "fp8"}, lookup="T[method]", table_kind="dict")) == ()
