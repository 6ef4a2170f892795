"""No fix takes a comment out, or away from what it speaks of, without saying so; none that does is applied."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from hwlint.fix.attach import attach_fixes
from hwlint.fix.branches import add_branch
from hwlint.fix.guard import guard_lookup
from hwlint.fix.losses import lost_comments
from hwlint.fix.rewrite import compare_tuples
from hwlint.hardware.table import load
from hwlint.model.finding import Edit, Safety
from hwlint.rulebook.rules import load_rules
from hwlint.workflow.fix import fix
from hwlint.workflow.settings import load_settings
from tests.fix.samples import CONSUMER, PATH, applied, expression_problem, span_of, table_problem

PAIR = "if (a >= 8  # Ampere\n    and b >= 9):\n    go()\n"
PART = "a >= 8  # Ampere\n    and b >= 9"
RULES = {rule.id: rule for rule in load_rules(()).rules}


def test_a_rewrite_that_takes_a_comment_out_is_only_shown_and_says_so() -> None:
    problem = expression_problem(PAIR, PART)
    (bare,) = compare_tuples(problem)
    assert bare.safety is Safety.UNSAFE
    finding = replace(problem.finding, rule="HW304")
    (shown,) = attach_fixes([finding], {PATH: PAIR}.get, load(), RULES)[0].fixes
    assert (shown.safety, shown.edits) == (Safety.DISPLAY, bare.edits)
    assert "It would take out the comment `# Ampere`, so it is only shown." in shown.reason


def test_such_a_fix_is_not_applied_even_where_unsafe_fixes_are(tmp_path: Path) -> None:
    text = (
        "import torch\n\nmajor, minor = torch.cuda.get_device_capability()\n"
        "OK = (major >= 8  # Ampere\n      and minor >= 9)\n"
    )
    for name, content in (("with.py", text), ("without.py", text.replace("  # Ampere", ""))):
        (tmp_path / name).write_text(content)
    result = fix([tmp_path], load_settings([tmp_path], isolated=True), unsafe=True, jobs=1, use_cache=False)
    assert result.changed == ("without.py",)
    assert (tmp_path / "with.py").read_text() == text


@pytest.mark.parametrize(
    ("part", "new", "lost"),
    [
        ("x = 1  # one", "x = 2  # one", ()),
        ("x = 1  # one", "x = 2", ("# one",)),
        ("x = 1", "x = 2", ()),
        ("'# no'", "'#'", ()),
    ],
)
def test_a_comment_is_lost_where_the_new_text_does_not_hold_it(part: str, new: str, lost: tuple[str, ...]) -> None:
    text = "a = 'é'\r\nx = 1  # one\r\ny = '# no'\r\n"
    assert lost_comments(text, [Edit(span_of(text, part), new)]) == lost


def test_a_comment_that_is_part_of_another_or_stands_twice_is_lost_all_the_same() -> None:
    text = "x = [\n    1,  # a\n    2,  # a\n]\n"
    whole = span_of(text, text.strip())
    assert lost_comments(text, [Edit(whole, "x = [1, 2]  # ab")]) == ("# a", "# a")
    assert lost_comments(text, [Edit(whole, "x = [1, 2]  # a")]) == ("# a",)
    assert lost_comments(text, [Edit(whole, "x = [  # a\n1, 2]  # a")]) == ()


def test_of_a_text_that_is_no_python_whatever_follows_a_hash_counts() -> None:
    text = "x = (1  # one\n"
    assert lost_comments(text, [Edit(span_of(text, "1  # one"), "2")]) == ("# one",)


def test_a_guard_goes_above_the_comment_of_the_statement_that_it_guards() -> None:
    text = (
        "T = {9: 1}\n\n\ndef f(major):\n    if major < 9:\n        return None\n"
        "    # measured by hand\n    # on two machines\n    return T[major]\n"
    )
    (guard,) = guard_lookup(table_problem(text, CONSUMER, lookup="T[major]", table_kind="dict"))
    new = "    if major not in T:\n        return None\n    # measured by hand"
    assert applied(text, guard) == text.replace("    # measured by hand", new)


def test_a_last_branch_goes_below_the_comments_of_the_branch_before_it() -> None:
    branches = "if m == 9:\n    x = 1\nelif m == 10:\n    x = 2  # B200\n    # and what follows\n"
    text = f"{branches}# the rest\ny = x\n"
    (last,) = add_branch(expression_problem(text, text.strip()))
    raising = 'else:\n    raise NotImplementedError(f"no branch for {m}, only for 9.x and 10.x")\n'
    assert applied(text, last) == f"{branches}{raising}# the rest\ny = x\n"
