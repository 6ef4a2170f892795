"""Comparisons are rewritten to what they were meant to say."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import pytest

from hwlint.fix.branches import add_branch
from hwlint.fix.build_list import extend_list
from hwlint.fix.comment import remove_comment
from hwlint.fix.digits import parse_digits
from hwlint.fix.recipes import RECIPES
from hwlint.fix.rewrite import compare_tuples, match_units, widen_to_family
from hwlint.model.finding import Safety, TraceStep
from hwlint.rulebook import vocabulary
from tests.fix.samples import applied, expression_problem, span_of


def test_every_recipe_that_rules_may_name_exists() -> None:
    assert set(RECIPES) == set(vocabulary.RECIPES)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("a >= 8 and b >= 9", "(a, b) >= (8, 9)"),
        ("(major <= 7) and (minor < 5)", "(major, minor) < (7, 5)"),
        ("p.major >= 8 and p.minor > 0", "(p.major, p.minor) > (8, 0)"),
        ('version < "10.0"', 'tuple(map(int, version.split("."))) < (10, 0)'),
        ('"9.0" <= version', '(9, 0) <= tuple(map(int, version.split(".")))'),
        ('cc >= "90"', "int(cc) >= 90"),
        ('arch > "sm_90"', 'int(arch.removeprefix("sm_")) > 90'),
        ("sorted(ccs)", 'sorted(ccs, key=lambda text: tuple(map(int, text.split("."))))'),
    ],
)
def test_versions_are_compared_as_tuples(before: str, after: str) -> None:
    text = f"x = 'é' if {before} else 2\n"
    (fix,) = compare_tuples(expression_problem(text, before))
    assert applied(text, fix) == f"x = 'é' if {after} else 2\n"
    assert fix.safety is Safety.UNSAFE


@pytest.mark.parametrize("text", ["a == 8 and b >= 9", "a > 8 and b >= 9", 'x == "9.0"', "f(a, b)", "a < b"])
def test_comparisons_that_are_right_or_unclear_are_left_alone(text: str) -> None:
    assert compare_tuples(expression_problem(text, text)) == ()


@pytest.mark.parametrize(
    ("before", "value", "after"),
    [
        ("major >= 90", 9, "major >= 9"),
        ("sm == 9", 90, "sm == 90"),
        ("cap >= 9", (9, 0), "cap[0] >= 9"),
        ("cap >= 90", (9, 0), "cap >= (9, 0)"),
        ('cc == "sm_80"', "80", 'cc == "80"'),
        ('arch == "80"', "sm_80", 'arch == "sm_80"'),
        ("f(x)['arch'] != 'sm_80'", "80", "f(x)['arch'] != '80'"),
        ("self.arch == '80'", "sm_80", "self.arch == 'sm_80'"),
    ],
)
def test_both_sides_get_one_unit(before: str, value: object, after: str) -> None:
    (fix,) = match_units(expression_problem(before, before, subject_values={"sm_90": value}))
    assert applied(before, fix) == after


@pytest.mark.parametrize(
    ("before", "part", "text", "after"),
    [
        ("int(cc[0]) > 8", "cc[0]", "10.0", 'int(cc.split(".")[0]) > 8'),
        ("f(x).cc[:1]", "f(x).cc[:1]", "10.0", 'f(x).cc.split(".")[0]'),
        ("cc[2]", "cc[2]", "10.0", 'cc.split(".")[1]'),
        ("cc[:3]", "cc[:3]", "10.0", "cc"),
        ("cc[0] + cc[2]", "cc[0]", "10.0", '"".join(cc.split("+")[0].split("."))'),
        ("cc[0] + cc[2:]", "cc[0]", "10.0", '"".join(cc.split("."))'),
        ('cc[0] + cc[2:].split("+")[0]', "cc[0]", "10.0", '"".join(cc.split("+")[0].split("."))'),
        ("str(cc[0]) + str(cc[1])", "cc[0]", "100", '"".join(map(str, cc))'),
        ("cc[0] + cc[1]", "cc[0]", "100", "cc"),
        ("cc[0]", "cc[0]", "100", "cc[:-1]"),
        ("cc[1]", "cc[1]", "100", "cc[-1]"),
        ("'sm_' + cc[:2]", "cc[:2]", "100", "'sm_' + cc"),
        ("int(arch[3:5])", "arch[3:5]", "sm_100", "int(arch[3:])"),
        ("arch[3]", "arch[3]", "sm_100", "arch[3:-1]"),
    ],
)
def test_all_digits_are_read(before: str, part: str, text: str, after: str) -> None:
    (fix,) = parse_digits(expression_problem(before, part, sample=text))
    assert applied(before, fix) == after
    names = {"10.0": ("9.0", "12.1"), "100": ("90", "121"), "sm_100": ("sm_90", "sm_121")}[text]
    old, new = map(_names, names)
    assert eval(before, dict(old)) == eval(after, dict(old))  # noqa: S307 - the samples above
    assert eval(before, dict(new)) != eval(after, dict(new))  # noqa: S307


def _names(text: str) -> dict[str, object]:
    return {"cc": text, "arch": text, "f": lambda _: SimpleNamespace(cc=text), "x": 1}


@pytest.mark.parametrize(
    ("part", "text"), [("cc[1:]", "10.0"), ("cc[0]", "sm_100a"), ("cc[1:3]", "10.0"), ("cc[n]", "100")]
)
def test_parts_that_are_not_clear_are_left_alone(part: str, text: str) -> None:
    assert parse_digits(expression_problem(part, part, sample=text)) == ()


def test_all_cuts_of_a_statement_are_mended_together() -> None:
    text = "number = cc[0] + '/' + cc[2] + other[2]\n"
    (fix,) = parse_digits(expression_problem(text, "cc[0]", sample="10.0"))
    assert applied(text, fix) == 'number = cc.split(".")[0] + \'/\' + cc.split(".")[1] + other[2]\n'
    assert fix.safety is Safety.UNSAFE


def test_where_one_of_several_cuts_is_not_clear_they_are_only_shown() -> None:
    text = "number = cc[0] + '/' + cc[3]\n"
    (shown,) = parse_digits(expression_problem(text, "cc[0]", sample="10.0"))
    assert shown.safety is Safety.DISPLAY
    assert "The statement also takes `cc[3]`, a fixed place of the same text." in shown.reason


@pytest.mark.parametrize("test", ["len(cc) == 3", "cc and len(cc) > 2"])
def test_a_cut_under_a_test_of_the_length_is_only_shown(test: str) -> None:
    text = f"if {test}:\n    major = cc[0]\n"
    (shown,) = parse_digits(expression_problem(text, "cc[0]", sample="100"))
    assert shown.safety is Safety.DISPLAY
    assert "how many characters there are" in shown.reason
    (fix,) = parse_digits(expression_problem(text.replace("len(cc)", "len(names)"), "cc[0]", sample="100"))
    assert fix.safety is Safety.UNSAFE


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (r"re.match(r'sm_(\d\d)', x)", r"re.match(r'sm_(\d+)', x)"),
        (r"re.match(r'sm_\d{2}a', x)", r"re.match(r'sm_\d+a', x)"),
    ],
)
def test_patterns_take_any_number_of_digits(before: str, after: str) -> None:
    (fix,) = parse_digits(expression_problem(before, before))
    assert applied(before, fix) == after


def test_the_rest_of_a_name_may_end_in_a_letter() -> None:
    before = "max(int(name[3:]) for name in names)"
    (fix,) = parse_digits(expression_problem(before, "int(name[3:])", kind="tail"))
    assert applied(before, fix) == 'max(int(name[3:].rstrip("af")) for name in names)'


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("cap == (10, 0)", "cap in ((10, 0), (10, 3), (10, 7))"),
        ("cc != 100", "cc not in (100, 103, 107)"),
        ('cc == "10.0"', 'cc in ("10.0", "10.3", "10.7")'),
        ("f(cc)==(10,0)", "f(cc) in ((10,0), (10,3), (10,7))"),
        ("self.arch != 'sm_100'", "self.arch not in ('sm_100', 'sm_103', 'sm_107')"),
        ("ok = dev.cc == (10, 0) and fast", "ok = dev.cc in ((10, 0), (10, 3), (10, 7)) and fast"),
    ],
)
def test_an_exact_test_is_widened_to_the_mates_and_no_further(before: str, after: str) -> None:
    (fix,) = widen_to_family(expression_problem(before, before, ("sm_103", "sm_107")))
    assert applied(before, fix) == after
    assert fix.safety is Safety.UNSAFE


def test_a_test_for_a_later_member_is_widened_to_no_earlier_one() -> None:
    for mates in (("sm_100", "sm_107"), ("sm_100",)):
        (shown,) = widen_to_family(expression_problem("ok = cc == (10, 3)\n", "cc == (10, 3)", mates))
        assert shown.safety is Safety.DISPLAY
        assert "sm_100 is older than the architecture of the test" in shown.reason
    (fix,) = widen_to_family(expression_problem("ok = cc == (10, 3)\n", "cc == (10, 3)", ("sm_107",)))
    assert fix.safety is Safety.UNSAFE
    (shown,) = widen_to_family(expression_problem("ok = cc == 121\n", "cc == 121", ("sm_120",)))
    assert shown.safety is Safety.DISPLAY


def test_a_literal_over_several_lines_becomes_one_of_several_on_one_line() -> None:
    before = "ok = cc() == (\n    10,\n    0,\n)\n"
    (fix,) = widen_to_family(expression_problem(before, before[5:-1], ("sm_103",)))
    assert applied(before, fix) == "ok = cc() in ((10, 0), (10, 3))\n"


CHAIN = "def f(m):\n    if m == 9:\n        x = 1\n    elif m == 10:\n        x = 2  # B200\n"


@pytest.mark.parametrize(
    ("rest", "safety"),
    [
        ("    return x\n", Safety.SAFE),
        ("    y = 2\n    return x\n", Safety.SAFE),
        ("    if m < 9:\n        return 0\n    return x\n", Safety.UNSAFE),
        ("    if m >= 9:\n        return x\n    return 0\n", Safety.UNSAFE),
    ],
)
def test_a_chain_gets_a_last_branch_that_raises_safely_where_what_fits_none_fails_anyway(
    rest: str, safety: Safety
) -> None:
    text = CHAIN + rest
    place = span_of(text, "return x")
    problem = expression_problem(text, "return x")
    used = replace(problem.finding, span=replace(place, column=place.column + len("return ")))
    (fix,) = add_branch(replace(problem, finding=used))
    said = 'f"no branch for {m}, only for 9.x and 10.x"'
    new = f"        x = 2  # B200\n    else:\n        raise NotImplementedError({said})\n"
    assert applied(text, fix) == text.replace("        x = 2  # B200\n", new)
    assert fix.safety is safety


@pytest.mark.parametrize(
    ("first", "second", "said"),
    [
        ("m <= 8", "m == 9", 'f"no branch for {m}, only for up to 8.x and 9.x"'),
        ("m in (8, 9)", "m == 10", 'f"no branch for {m}, only for 8.x, 9.x and 10.x"'),
        ("sm == 90", "sm == 100", 'f"no branch for {sm}, only for sm_90 and sm_100"'),
        ("cap[:] == (8, 0)", "cap[:] == (9, 0)", 'f"no branch for {cap[:]}, only for 8.0 and 9.0"'),
        ("self.arch == 'sm_90'", "self.arch == 'sm_100'", 'f"no branch for {self.arch}, only for sm_90 and sm_100"'),
        ("is_hopper()", "m == 10", '"no branch for this architecture (12.0 fits none)"'),
        ("m == 9 and fast", "m == 10", '"no branch for this architecture (12.0 fits none)"'),
    ],
)
def test_the_last_branch_says_what_the_others_take(first: str, second: str, said: str) -> None:
    text = f"if {first}:\n\tx = 1\nelif {second}:\n\tx = 2\ny = x\n"
    (fix,) = add_branch(expression_problem(text, text.strip()))
    assert applied(text, fix) == text.replace("y = x", f"else:\n\traise NotImplementedError({said})\ny = x")


@pytest.mark.parametrize("part", ["x", "x + 1"])
def test_the_chain_that_sets_a_name_is_found_from_where_the_name_is_used(part: str) -> None:
    text = "def f(m):\n    if m == 9:\n        x = 1\n    elif m == 10:\n        x = 2\n    return x + 1\n"
    span = span_of(text, f"return {part}")
    used = replace(span, column=span.column + len("return "))
    problem = expression_problem(text, text.strip())
    found = add_branch(replace(problem, finding=replace(problem.finding, span=used)))
    assert len(found) == (part == "x")


def test_the_chain_at_the_end_of_the_trace_is_found() -> None:
    chain = "    if m == 9:\n        return 1\n    elif m == 10:\n        return 2\n"
    text = f"def g(m):\n{chain}\n\nx = g(m) + 1\n"
    problem = expression_problem(text, "g(m) + 1")
    step = TraceStep(span_of(text, chain.strip()), "it ends here without a value")
    (fix,) = add_branch(replace(problem, finding=replace(problem.finding, trace=(step,))))
    assert "    else:\n        raise NotImplementedError" in applied(text, fix)
    assert fix.safety is Safety.UNSAFE, "another caller may ask whether it is None"


def test_an_if_inside_an_else_is_no_branch_of_the_chain() -> None:
    text = "def f(m):\n    if m == 9:\n        x = 1\n    else:\n        if m == 10:\n            x = 2\n    return x\n"
    assert add_branch(expression_problem(text, text.strip())) == ()


def test_a_chain_with_other_conditions_is_not_ended_safely_and_one_with_an_else_not_at_all() -> None:
    text = "def f(m, n):\n    if m == 9 and n:\n        x = 1\n    elif m == 10:\n        x = 2\n"
    (fix,) = add_branch(expression_problem(text, text.strip()))
    assert fix.safety is Safety.UNSAFE
    ended = text + "    else:\n        x = 3\n"
    assert add_branch(expression_problem(ended, ended.strip())) == ()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('A = "8.0;9.0+PTX"\n', 'A = "8.0;9.0+PTX;12.0"\n'),
        ("A = ['8.0', '9.0a']\n", "A = ['8.0', '9.0a', '12.0']\n"),
        ("A = [80, 90]\n", "A = [80, 90, 120]\n"),
        (
            'A = [\n    "-gencode=arch=compute_90,code=sm_90",\n]\n',
            'A = [\n    "-gencode=arch=compute_90,code=sm_90",\n    "-gencode=arch=compute_120,code=sm_120",\n]\n',
        ),
        (
            'A = ["-gencode", "arch=compute_90,code=sm_90"]\n',
            'A = ["-gencode", "arch=compute_90,code=sm_90", "-gencode", "arch=compute_120,code=sm_120"]\n',
        ),
    ],
)
def test_a_build_list_grows_in_its_own_form(before: str, after: str) -> None:
    (fix,) = extend_list(expression_problem(before, before.strip()))
    assert applied(before, fix) == after
    assert "12.0 from CUDA 12.8" in fix.reason


@pytest.mark.parametrize("text", ["x = [9, 10, 11]\n", "assert cc in ['8.0', '9.0'], cc\n"])
def test_majors_and_tests_are_no_build_lists(text: str) -> None:
    part = text[text.index("[") : text.index("]") + 1]
    assert extend_list(expression_problem(text, part)) == ()


@pytest.mark.parametrize(
    ("before", "comment", "after"),
    [
        ("x = 1  # hwlint: ignore[HW101]\n", "# hwlint: ignore[HW101]", "x = 1\n"),
        ("a = 1\n  # hwlint: ignore\r\nb\n", "# hwlint: ignore", "a = 1\nb\n"),
        ("x = 1  # hwlint: ignore[HW101]  # why\n", "# hwlint: ignore[HW101]", "x = 1  # why\n"),
        ("x = 1\t# hwlint: ignore", "# hwlint: ignore", "x = 1"),
        ("\t# hwlint: ignore-file\r\nx = 1\r\n", "# hwlint: ignore-file", "x = 1\r\n"),
    ],
)
def test_an_idle_comment_goes_and_other_words_stay(before: str, comment: str, after: str) -> None:
    (fix,) = remove_comment(expression_problem(before, comment))
    assert applied(before, fix) == after


def test_only_the_idle_rule_goes_from_a_list() -> None:
    text = "x = 1  # hwlint: ignore[HW101, HW301]\n"
    (fix,) = remove_comment(expression_problem(text, "# hwlint: ignore[HW101, HW301]", idle=("HW301",)))
    assert applied(text, fix) == "x = 1  # hwlint: ignore[HW101]\n"
    assert remove_comment(expression_problem(text, "# hwlint: ignore[HW101, HW301]")) == ()
