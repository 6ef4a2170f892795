"""Missing entries are added with a defensible value, or not at all."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from hwlint.fix.add_entry import add_entry
from hwlint.fix.problem import Problem
from hwlint.fix.splice import Lines
from hwlint.hardware.table import load
from hwlint.model.finding import Safety
from hwlint.model.observation import Thing
from tests.fix.samples import CONSUMER, PATH, applied, finding, table_problem

SIZES = """MiB = 1 << 20
T = {
    9: {
        2: 64 * MiB,  # 64 MB
    },
    10: {
        2: 32 * MiB,  # 32 MB
    },
}
"""


def test_the_entry_is_copied_with_a_comment_that_names_the_donor() -> None:
    (fix,) = add_entry(table_problem(SIZES, CONSUMER))
    added = """    12: {  # copied from 10.0; not confirmed on 12.0 and 12.1
        2: 32 * MiB,  # 32 MB
    },
}
"""
    assert applied(SIZES, fix) == SIZES.removesuffix("}\n") + added
    assert fix.safety is Safety.UNSAFE
    assert fix.donor == "sm_100"
    assert "nearest lower architecture of its generation" in fix.reason


def test_each_missing_key_gets_its_own_donor() -> None:
    text = 'SMEM = {"sm_80": 160, "sm_89": 96, "sm_100": 224}\n'
    (fix,) = add_entry(table_problem(text, {"sm_87": "sm_87", "sm_120": "sm_120"}, "SMEM"))
    assert applied(text, fix) == (
        '# "sm_87" copied from 8.0 (same shared memory) (not confirmed)\n'
        '# "sm_120" copied from 8.9 (same shared memory) (not confirmed)\n'
        'SMEM = {"sm_80": 160, "sm_87": 160, "sm_89": 96, "sm_100": 224, "sm_120": 96}\n'
    )
    assert fix.donor == "sm_80, sm_89"


@pytest.mark.parametrize(
    ("table", "new"),
    [
        ("{(8, 0): 64, (8, 6): 48, (10, 0): 64}", "{(8, 0): 64, (8, 6): 48, (10, 0): 64, (10, 7): 32, (12, 0): 48}"),
        (
            "{(8, 0): 163 * 1024, (8, 9): 99 * 1024, (10, 0): 227 * 1024}",
            "{(8, 0): 163 * 1024, (8, 9): 99 * 1024, (10, 0): 227 * 1024, (10, 7): 327 * 1024, (12, 0): 99 * 1024}",
        ),
        ("{(8, 6): 16, (8, 9): 24, (9, 0): 32}", "{(8, 6): 16, (8, 9): 24, (9, 0): 32, (10, 7): 16, (12, 0): 24}"),
    ],
)
def test_where_all_entries_are_a_limit_of_the_hardware_the_next_one_is_too(table: str, new: str) -> None:
    text = f"T = {table}\n"
    (fix,) = add_entry(table_problem(text, {"sm_107": (10, 7), "sm_120": (12, 0)}))
    assert applied(text, fix) == f"T = {new}  # (10, 7), (12, 0) by the limits of the hardware\n" or applied(
        text, fix
    ) == (f"# (10, 7), (12, 0) by the limits of the hardware\nT = {new}\n")
    assert fix.donor is None
    assert "a limit of their architectures" in fix.reason


@pytest.mark.parametrize(
    "table",
    [
        "{(8, 0): 64, (8, 6): 48, (10, 0): 60}",
        "{(8, 0): 64, (8, 6): 48}",
        "{(8, 0): 64, (9, 0): 64, (10, 0): 64}",
        "{(8, 0): 64, (8, 6): 48, (10, 0): n}",
        "{(8, 0): '64', (8, 6): '48', (10, 0): '64'}",
    ],
)
def test_one_entry_that_is_no_limit_or_too_few_of_them_make_no_table_of_limits(table: str) -> None:
    for fix in add_entry(table_problem(f"T = {table}\n", {"sm_120": (12, 0)})):
        assert "limit of their" not in fix.reason


def test_a_list_takes_no_member_of_a_family_on_the_strength_of_a_newer_one() -> None:
    text = "T = ((9, 0), (10, 3))\n"
    problem = table_problem(text, {"sm_100": (10, 0), "sm_107": (10, 7)}, lookup_form="in")
    (fix,) = add_entry(problem)
    assert applied(text, fix).endswith("T = ((9, 0), (10, 3), (10, 7))\n") or "(10, 7))  #" in applied(text, fix)
    assert "No entry for 10.0: 10.3, the nearest of its family, is newer, and may have what 10.0 lacks." in fix.reason


def test_a_list_of_those_with_little_memory_takes_none_with_as_much_as_one_that_it_leaves_out() -> None:
    text = "T = [6, 9]\n"
    problem = table_problem(text, {"sm_87": 7}, lookup_form="in", present={"sm_86": 6, "sm_89": 9})
    (fix,) = add_entry(problem)
    assert (fix.safety, fix.edits) == (Safety.DISPLAY, ())
    (fix,) = add_entry(table_problem("T = [0, 6, 9]\n", {"sm_87": 7}, lookup_form="in", present={"sm_80": 0}))
    assert fix.edits


def test_the_made_up_next_architecture_gets_no_entry() -> None:
    assert add_entry(table_problem(SIZES, {"sm_130": 13})) == ()


def test_a_multicast_table_gets_an_empty_row_where_the_lookup_asks_what_is_in_it() -> None:
    text = "MULTIMEM = {\n    9: [4, 8],\n    10: [8],\n}\n\n\ndef f(self, n):\n    return n in MULTIMEM[self.major]\n"
    problem = table_problem(text, CONSUMER, "MULTIMEM", "MULTIMEM[self.major]")
    (fix,) = add_entry(problem)
    assert "    12: [],  # off: multicast depends on the system, not on the capability\n" in applied(text, fix)
    assert "the capability of 12.0 and 12.1 does not decide it" in fix.reason
    assert fix.donor is None


def test_a_multicast_table_gets_no_entry_where_an_empty_row_would_not_mean_off() -> None:
    text = "MULTIMEM = {9: 4, 10: 8}\n\n\ndef f(self, n):\n    return MULTIMEM[self.major]\n"
    (fix,) = add_entry(table_problem(text, CONSUMER, "MULTIMEM", "MULTIMEM[self.major]"))
    assert (fix.safety, fix.edits) == (Safety.DISPLAY, ())
    assert "does not decide it" in fix.reason


def test_code_that_speaks_of_multicast_puts_a_caveat_into_the_reason() -> None:
    (fix,) = add_entry(table_problem(SIZES, CONSUMER, table_words=frozenset({"multicast"})))
    assert "the capability does not decide it" in fix.reason
    assert fix.edits


def test_values_that_follow_a_pattern_are_written_and_not_copied() -> None:
    text = 'T = {(9, 0): "sm_90a", (10, 0): "sm_100a"}\n'
    (fix,) = add_entry(table_problem(text, {"sm_120": (12, 0)}))
    assert '(12, 0): "sm_120a"}' in applied(text, fix)
    assert fix.donor is None


def test_values_that_name_other_architectures_are_not_copied() -> None:
    for values in ("GemmSm90, 10: GemmSm100", '"hopper", 10: "blackwell"', "Kernel90, 10: cutlass.gemm_sm100"):
        text = f"T = {{9: {values}}}\n"
        (fix,) = add_entry(table_problem(text, CONSUMER))
        assert fix.safety is Safety.DISPLAY, text
    text = "T = {80: 80, 86: 80, 90: 90, 100: 100}\n"
    (fix,) = add_entry(table_problem(text, {"sm_120": 120}))
    assert fix.safety is Safety.DISPLAY
    (fix,) = add_entry(table_problem(text, {"sm_103": 103}))
    assert "103: 100}" in applied(text, fix)


def test_a_key_of_another_form_is_not_added() -> None:
    (fix,) = add_entry(table_problem('T = {"9": 1, "10": 2}\n', CONSUMER))
    assert (fix.safety, fix.edits) == (Safety.DISPLAY, ())


def test_members_are_added_with_the_architecture_they_are_like() -> None:
    text = "T = (9, 10)\n"
    (fix,) = add_entry(table_problem(text, {"sm_110": 11}))
    assert applied(text, fix) == "T = (9, 10, 11)  # 11 like 10.0; not confirmed on 11.0\n"


def test_a_table_in_a_text_that_changed_gets_no_edit() -> None:
    problem = table_problem(SIZES, CONSUMER)
    (fix,) = add_entry(type(problem)(problem.finding, lambda _: "T = 1\n", problem.catalogue))
    assert fix.edits == ()


def test_every_line_ending_and_a_missing_last_one_stay() -> None:
    for newline in ("\n", "\r\n", "\r"):
        text = "T = {\n\t9: 1,\n\t10: 2,\n}".replace("\n", newline)
        (fix,) = add_entry(table_problem(text, CONSUMER))
        new = "\t12: 2,  # copied from 10.0; not confirmed on 12.0 and 12.1\n".replace("\n", newline)
        assert applied(text, fix) == text.removesuffix("}") + new + "}"


def test_what_a_row_switches_on_says_what_the_table_is_about() -> None:
    text = (
        "SIZES = {\n    9: (4, 8),\n    10: (8,),\n}\n\n\ndef f(self, n, x):\n"
        "    if n in SIZES[self.major]:\n        multimem_sum(x)\n    else:\n        two_shot(x)\n"
    )
    (fix,) = add_entry(table_problem(text, CONSUMER, "SIZES", "SIZES[self.major]"))
    assert "    12: (),  # off: multicast depends on the system" in applied(text, fix)
    other = text.replace(
        "multimem_sum(x)\n    else:\n        two_shot(x)", "one(x)\n    else:\n        multimem_sum(x)"
    )
    (fix,) = add_entry(table_problem(other, CONSUMER, "SIZES", "SIZES[self.major]"))
    assert fix.donor == "sm_100"


def test_entries_of_one_line_share_a_comment() -> None:
    text = "T = {(9, 0): 2, (10, 0): 4, (12, 0): 1}\n"
    missing = {"sm_103": (10, 3), "sm_110": (11, 0), "sm_121": (12, 1)}
    (fix,) = add_entry(table_problem(text, missing))
    assert applied(text, fix) == (
        "# (10, 3), (11, 0) copied from 10.0 (not confirmed); (12, 1) copied from 12.0 (not confirmed)\n"
        "T = {(9, 0): 2, (10, 0): 4, (10, 3): 4, (11, 0): 4, (12, 0): 1, (12, 1): 1}\n"
    )


def test_a_comment_stands_above_where_its_line_would_get_longer_than_the_file_has_them() -> None:
    table = "    return cc in [90, 100] and version >= wanted\n"
    text = "def f(cc, version, wanted):\n" + table
    missing = {"sm_103": 103}
    (fix,) = add_entry(_listed(text, missing))
    assert applied(text, fix).splitlines()[1].endswith("wanted  # 103 like 10.0; not confirmed on 10.3")
    long = text + "\n".join(f"x{number} = '{'=' * 60}'" for number in range(50))
    (fix,) = add_entry(_listed(long, missing))
    assert applied(long, fix).splitlines()[1:3] == [
        "    # 103 like 10.0; not confirmed on 10.3",
        "    return cc in [90, 100, 103] and version >= wanted",
    ]


@pytest.mark.parametrize(
    ("line", "above"),
    [
        ("x = cc in [90, 100]  # type: bool", True),
        ("x = cc in [90, 100]  # what is tested", True),
        ("x = 'a' if cc in [90, 100] else 'b'", True),
        ("x = f([90, 100]) + \\\n    'b'", True),
        ("y = \\\n    cc in [90, 100]  # tested", False),
        ('x = """a\nb""" if cc in [90, 100] else "c"', False),
    ],
)
def test_where_the_line_has_no_room_the_comment_stands_above_but_never_in_a_text(line: str, *, above: bool) -> None:
    (fix,) = add_entry(_listed(line + "\n", {"sm_103": 103}))
    new = applied(line + "\n", fix)
    said = "# 103 like 10.0; not confirmed on 10.3\n"
    assert new == (said if above else "") + line.replace("100]", "100, 103]") + "\n"
    assert above != ("has no room for a comment" in fix.reason)


def test_one_long_line_among_many_is_no_reason_to_write_another() -> None:
    line = "    return cc in [90, 100] and version >= wanted and cc >= least"
    text = f"def f(cc, version, wanted, least):\n{line}\n" + "x = 1\n" * 150
    for tail, above in (("x = '" + "=" * 110 + "'\n", True), (("x = '" + "=" * 110 + "'\n") * 9, False)):
        (fix,) = add_entry(_listed(text + tail, {"sm_103": 103}))
        rows = applied(text + tail, fix).splitlines()
        assert (rows[1] == "    # 103 like 10.0; not confirmed on 10.3") == above
        assert rows[1].endswith("least  # 103 like 10.0; not confirmed on 10.3") != above


@pytest.mark.parametrize(("length", "above"), [(120, False), (121, True)])
def test_a_comment_with_its_blanks_stays_within_the_limit(length: int, *, above: bool) -> None:
    line = "return cc in [90, 100]"
    rest = length - len("return cc in [90, 100, 103]  # 103 like 10.0; not confirmed on 10.3") - len(" + x")
    text = f"{line} + x{'x' * rest}\n"
    (fix,) = add_entry(_listed(text, {"sm_103": 103}))
    rows = applied(text, fix).splitlines()
    assert (len(rows) == 2) == above
    assert max(map(len, rows)) <= 120


def test_a_mate_of_another_generation_is_not_called_by_this_one_s_name() -> None:
    text = 'T = {\n    (10, 0): "blackwell",\n    (10, 3): "blackwell_ultra",\n}\n'
    (fix,) = add_entry(table_problem(text, {"sm_107": (10, 7)}))
    assert (fix.safety, fix.edits) == (Safety.DISPLAY, ())
    plain = text.replace("blackwell", "fast")
    (fix,) = add_entry(table_problem(plain, {"sm_107": (10, 7)}))
    assert '(10, 7): "fast_ultra",' in applied(plain, fix)


def test_a_list_that_lets_in_is_extended_to_the_family_only() -> None:
    text = "T = (90, 100, 120)\nif cc in T:\n    pass\n"
    found = add_entry(table_problem(text, {"sm_103": 103, "sm_110": 110}, lookup="cc in T", lookup_form="in"))
    (fix,) = found
    assert applied(text, fix).startswith("T = (90, 100, 103, 120)")
    assert "No entry for 11.0: the list lets architectures into code one by one" in fix.reason


def test_a_pattern_of_values_lets_nobody_in_either() -> None:
    text = 'T = {(9, 0): "sm_90a", (10, 0): "sm_100a"}\nif cc in T:\n    pass\n'
    missing = {"sm_103": (10, 3), "sm_120": (12, 0)}
    (fix,) = add_entry(table_problem(text, missing, lookup="cc in T", lookup_form="in"))
    assert 'T = {(9, 0): "sm_90a", (10, 0): "sm_100a", (10, 3): "sm_103a"}\n' in applied(text, fix)
    assert "No entry for 12.0: the list lets architectures into code one by one" in fix.reason


def test_a_mate_with_less_shared_memory_is_not_let_in_on_the_strength_of_the_family() -> None:
    text = "T = ((8, 0), (9, 0), (12, 0))\nif cc not in T:\n    pass\n"
    missing = {"sm_86": (8, 6), "sm_87": (8, 7), "sm_121": (12, 1)}
    (fix,) = add_entry(table_problem(text, missing, lookup="cc not in T", lookup_form="not in"))
    assert applied(text, fix).startswith("T = ((8, 0), (8, 7), (9, 0), (12, 0), (12, 1))")
    assert "No entry for 8.6: 8.0, the nearest of its family, has more shared memory per block." in fix.reason


def test_that_a_lower_architecture_is_listed_lets_nobody_in() -> None:
    text = "T = (8, 9)\nif cc not in T:\n    pass\n"
    (fix,) = add_entry(table_problem(text, {"sm_120": 12}, lookup="cc not in T", lookup_form="not in"))
    assert (fix.safety, fix.edits) == (Safety.DISPLAY, ())


def test_where_the_code_goes_on_without_an_entry_only_the_family_gets_one() -> None:
    text = "T = {\n    90: 1,\n    100: 2,\n}\n"
    missing = {"sm_103": 103, "sm_120": 120}
    (fix,) = add_entry(table_problem(text, missing, falls_back=True))
    assert "    103: 2," in applied(text, fix)
    assert "No entry for 12.0: the code goes on without an entry today" in fix.reason
    (fix,) = add_entry(table_problem(text, missing))
    assert "    120: 2," in applied(text, fix)
    (fix,) = add_entry(table_problem(text.replace("T =", "TILE_ROWS ="), {"sm_87": 87}, "TILE_ROWS", falls_back=True))
    assert fix.edits == (), "no entry fits into less shared memory"


def test_the_statement_that_uses_a_table_tells_what_it_is_about() -> None:
    text = "T = {\n    8: (128, 64),\n    10: (256, 128),\n}\n\n\ndef run(m):\n    BLOCK_M, BLOCK_N = T[m]\n"
    (fix,) = add_entry(table_problem(text, CONSUMER, lookup="T[m]"))
    assert "shared memory" in fix.reason
    (fix,) = add_entry(table_problem(text.replace("BLOCK_M, BLOCK_N", "ROWS, COLUMNS"), CONSUMER, lookup="T[m]"))
    assert "shared memory" not in fix.reason


def test_code_around_that_speaks_of_multicast_is_said_and_does_not_decide() -> None:
    text = (
        "T = {\n    9: 1,\n    10: 2,\n}\n\n\nclass Reducer:\n    def size(self):\n        return T[self.major]\n\n"
        "    def run(self, x):\n        return multimem_all_reduce(x)\n"
    )
    (fix,) = add_entry(table_problem(text, CONSUMER, lookup="T[self.major]"))
    assert fix.donor == "sm_100"
    assert "speaks of multicast: whether that works depends on the system's NVLink" in fix.reason
    (fix,) = add_entry(table_problem(text.replace("multimem_all", "all"), CONSUMER, lookup="T[self.major]"))
    assert "multicast" not in fix.reason


def _listed(text: str, missing: Mapping[str, object]) -> Problem:
    """Return the problem that the one list in `text` lacks members."""
    start, end = text.index("["), text.index("]") + 1
    span = Lines(text).span(PATH, start, end)
    facts = {
        "table_span": span,
        "table_name": "the list",
        "key_texts": ("90", "100"),
        "missing": missing,
        "present": {"sm_90": 90, "sm_100": 100},
        "lookup_form": "in",
    }
    return Problem(finding(text, text[start:end], targets=tuple(missing), facts=facts), {PATH: text}.get, load())


def test_those_without_an_entry_for_the_same_reason_are_named_together() -> None:
    text = "T = {\n    90: 1,\n    100: 2,\n}\n"
    (fix,) = add_entry(table_problem(text, {"sm_75": 75, "sm_80": 80, "sm_86": 86}))
    assert fix.reason == "No entry is of 7.5, 8.0 and 8.6's family or generation, and none is of a lower architecture."


def _places(text: str, missing: Mapping[str, object]) -> Problem:
    known = {"sm_80": 8, "sm_86": 8, "sm_89": 8}
    members = ("0", "0", "0", "0", "0", "2", "2", "4", "5")
    return table_problem(text, missing, lookup="T[m]", lookup_form="index", present=known, key_texts=members)


LADDER = {"sm_90": 9, "sm_100": 10, "sm_110": 11, "sm_120": 12}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("T = [0] * 0 or [0, 0, 0, 0, 0, 2, 2, 4, 5]\nT[m]\n", None),
        (
            "T = [0, 0, 0, 0, 0, 2, 2, 4, 5]\nT[m]\n",
            "T = [0, 0, 0, 0, 0, 2, 2, 4, 5, 5, 5, 5, 5]  # 9, 10, 11, 12 copied from 8.0 (not confirmed)\nT[m]\n",
        ),
        (
            "T = (0,0,0,0,0,2,2,4,5)\nT[m]\n",
            "T = (0,0,0,0,0,2,2,4,5,5,5,5,5)  # 9, 10, 11, 12 copied from 8.0 (not confirmed)\nT[m]\n",
        ),
        (
            "T = [\n\t0, 0, 0, 0, 0,  # never\n\t2, 2, 4, 5,\n]\nT[m]\n",
            "T = [\n\t0, 0, 0, 0, 0,  # never\n\t2, 2, 4, 5, 5, 5, 5, 5,\n"
            "]  # 9, 10, 11, 12 copied from 8.0 (not confirmed)\nT[m]\n",
        ),
        (
            "T = [\n" + "    None,\n" * 8 + "    'x',  # Ampere\n]\nT[m]\n",
            "T = [\n" + "    None,\n" * 8 + "    'x',  # Ampere\n"
            "    'x',  # copied from 8.0; not confirmed on 9.0\n"
            "    'x',  # copied from 8.0; not confirmed on 10.0\n"
            "    'x',  # copied from 8.0; not confirmed on 11.0\n"
            "    'x',  # copied from 8.0; not confirmed on 12.0\n]\nT[m]\n",
        ),
    ],
)
def test_a_list_that_is_subscripted_gets_values_for_the_next_places(text: str, expected: str | None) -> None:
    (fix,) = add_entry(_places(text, LADDER))
    if expected is None:
        assert (fix.safety, fix.edits) == (Safety.DISPLAY, ())
    else:
        assert expected == applied(text, fix)
        assert fix.title == "Add 9, 10, 11, 12 to `T`, copied from 8.0"


def test_a_list_gets_no_value_for_a_place_that_would_leave_one_before_it_empty() -> None:
    text = "T = [0, 0, 0, 0, 0, 2, 2, 4, 5]\nT[m]\n"
    (fix,) = add_entry(_places(text, {"sm_90": 9, "sm_120": 12}))
    assert "4, 5, 5]" in applied(text, fix)
    assert "No entry for 12.0: a list has no place 12 before it has 10" in fix.reason
    (fix,) = add_entry(_places(text, {"sm_120": 12}))
    assert (fix.safety, fix.edits) == (Safety.DISPLAY, ())


def test_members_of_an_enum_are_added_as_the_table_names_them() -> None:
    text = "T = {\n    chips.A.H: 1,\n    chips.A.B: 2,\n}\n"
    present = {"sm_90": Thing("A.H", "m.A"), "sm_100": Thing("A.B", "m.A")}
    facts: dict[str, Any] = {"present": present, "key_texts": ("A.H", "A.B")}
    (fix,) = add_entry(table_problem(text, {"sm_103": Thing("A.U", "m.A")}, **facts))
    assert "    chips.A.B: 2,\n    chips.A.U: 2,  # copied from 10.0; not confirmed on 10.3\n" in applied(text, fix)
    (fix,) = add_entry(table_problem(text, {"sm_103": Thing("an object")}, **facts))
    assert fix.edits == ()
