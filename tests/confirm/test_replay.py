"""A replay shows the failure before the edit and its end after it, and claims no more than the machine can show."""

from __future__ import annotations

from collections.abc import Callable

from hwlint.confirm.job import Blobs, make_job
from hwlint.confirm.record import Record, records_of
from hwlint.confirm.replay import RunSettings, run_jobs
from hwlint.confirm.verdict import Verdict
from hwlint.model.finding import Edit
from tests.confirm.conftest import Case, architecture, span_of

SETTINGS = RunSettings(seconds=20, memory=1 << 30)
TABLE = "TABLE = {\n    8: 'ampere',\n    10: 'blackwell',\n}\n"
ADD_9 = ("pkg/tables.py", "    10: 'blackwell',\n", "    9: 'hopper',\n    10: 'blackwell',\n")
MODULE = """
    import torch
    from pkg.tables import TABLE

    def pick():
        major = torch.cuda.get_device_capability()[0]
        if major < 8:
            return None
        return TABLE[major]
"""


def confirm(case: Case, on: str = "sm_90") -> Record:
    blobs = Blobs()
    job = make_job(case.finding, case.fix, architecture(on), case.root, blobs)
    return records_of(run_jobs([job], blobs, SETTINGS))[0]


def test_on_a_device_the_failure_before_and_the_value_after_confirm_the_fix(
    make_case: Callable[..., Case], fake_torch: Callable[..., None]
) -> None:
    fake_torch((9, 0))
    record = confirm(make_case({"pkg/tables.py": TABLE, "pkg/mod.py": MODULE}, "TABLE[major]", edit=ADD_9))
    assert Verdict.CONFIRMED == record["verdict"], record["reason"]
    assert record["mode"] == "real"
    assert record["before"]["text"] == "KeyError: 9"
    assert record["after"]["text"] == "'hopper'"


def test_without_a_device_the_same_replay_is_only_simulated(make_case: Callable[..., Case]) -> None:
    record = confirm(make_case({"pkg/tables.py": TABLE, "pkg/mod.py": MODULE}, "TABLE[major]", edit=ADD_9))
    assert Verdict.SIMULATED == record["verdict"], record["reason"]
    assert record["device"] is None


def test_a_device_of_another_capability_confirms_nothing(
    make_case: Callable[..., Case], fake_torch: Callable[..., None]
) -> None:
    fake_torch((9, 0))
    edit = ("pkg/tables.py", "    10: 'blackwell',\n", "    10: 'blackwell',\n    12: 'rtx',\n")
    case = make_case(
        {"pkg/tables.py": TABLE, "pkg/mod.py": MODULE},
        "TABLE[major]",
        edit=edit,
        outcome="KeyError: 12",
        targets=("sm_120",),
    )
    record = confirm(case, on="sm_120")
    assert Verdict.SIMULATED == record["verdict"], record["reason"]
    assert record["after"]["text"] == "'rtx'"


def test_an_edit_that_leaves_the_failure_is_refuted(make_case: Callable[..., Case]) -> None:
    edit = ("pkg/tables.py", "    10: 'blackwell',\n", "    10: 'blackwell',\n    11: 'thor',\n")
    record = confirm(make_case({"pkg/tables.py": TABLE, "pkg/mod.py": MODULE}, "TABLE[major]", edit=edit))
    assert Verdict.REFUTED == record["verdict"]
    assert "still raises KeyError: 9" in record["reason"]


def test_a_failure_that_did_not_happen_before_is_refuted(make_case: Callable[..., Case]) -> None:
    table = TABLE.replace("    10:", "    9: 'hopper',\n    10:")
    edit = ("pkg/tables.py", "    10: 'blackwell',\n", "    10: 'blackwell',\n    11: 'thor',\n")
    record = confirm(make_case({"pkg/tables.py": table, "pkg/mod.py": MODULE}, "TABLE[major]", edit=edit))
    assert Verdict.REFUTED == record["verdict"]
    assert "did not fail before" in record["reason"]


def test_a_guard_that_leaves_before_the_lookup_is_no_failure(make_case: Callable[..., Case]) -> None:
    module = MODULE.replace("if major < 8:", "if major not in TABLE:")
    record = confirm(make_case({"pkg/tables.py": TABLE, "pkg/mod.py": module}, "TABLE[major]", edit=ADD_9))
    assert Verdict.REFUTED == record["verdict"]
    assert "not reached" in record["reason"]


def test_another_failure_before_the_edit_than_the_reported_one_is_refuted(make_case: Callable[..., Case]) -> None:
    module = MODULE.replace("return TABLE[major]", "return TABLE[str(major)]")
    record = confirm(make_case({"pkg/tables.py": TABLE, "pkg/mod.py": module}, "TABLE[str(major)]", edit=ADD_9))
    assert Verdict.REFUTED == record["verdict"]
    assert "KeyError: '9'" in record["reason"]


SECOND_TABLE = """
    import torch
    from pkg.tables import TABLE
    STAGES = {8: 3, 10: 5}

    def pick():
        major = torch.cuda.get_device_capability()[0]
        name = TABLE[major]
        return name, STAGES[major]
"""


def test_a_second_table_behind_the_first_refutes_the_fix(
    make_case: Callable[..., Case], fake_torch: Callable[..., None]
) -> None:
    fake_torch((9, 0))
    record = confirm(make_case({"pkg/tables.py": TABLE, "pkg/mod.py": SECOND_TABLE}, "TABLE[major]", edit=ADD_9))
    assert Verdict.REFUTED == record["verdict"]
    assert "behind it raises KeyError: 9" in record["reason"]


def test_a_second_lookup_behind_a_guard_nobody_can_decide_refutes_nothing(make_case: Callable[..., Case]) -> None:
    module = """
        import torch
        SIZES = {8: {2: 1}}
        def size(world):
            major = torch.cuda.get_device_capability()[0]
            if world not in SIZES[major]:
                return 0
            return SIZES[major][world]
    """
    edit = ("pkg/mod.py", "SIZES[major]:", "SIZES.get(major, ()):")
    record = confirm(make_case({"pkg/mod.py": module}, "SIZES[major]", edit=edit))
    assert (Verdict.SIMULATED, "()") == (record["verdict"], record["after"]["text"]), record["reason"]


def test_the_second_table_is_replayed_although_the_first_one_fails(make_case: Callable[..., Case]) -> None:
    edit = ("pkg/mod.py", "8: 3, ", "8: 3, 9: 4, ")
    files = {"pkg/tables.py": TABLE, "pkg/mod.py": SECOND_TABLE}
    record = confirm(make_case(files, "STAGES[major]", edit=edit))
    assert Verdict.SIMULATED == record["verdict"], record["reason"]


def test_two_fixes_of_one_plan_are_confirmed_together(
    make_case: Callable[..., Case], fake_torch: Callable[..., None]
) -> None:
    fake_torch((9, 0))
    case = make_case({"pkg/tables.py": TABLE, "pkg/mod.py": SECOND_TABLE}, "TABLE[major]", edit=ADD_9)
    other = Edit(span_of((case.root / "pkg/mod.py").read_text(), "8: 3, ", "pkg/mod.py"), "8: 3, 9: 4, ")
    blobs = Blobs()
    job = make_job(case.finding, case.fix, architecture("sm_90"), case.root, blobs, together=[other])
    record = records_of(run_jobs([job], blobs, SETTINGS))[0]
    assert Verdict.CONFIRMED == record["verdict"], record["reason"]


def test_a_guard_that_the_edit_adds_counts_as_gone(make_case: Callable[..., Case]) -> None:
    edit = (
        "pkg/mod.py",
        "    return TABLE[major]",
        "    if major not in TABLE:\n        return None\n    return TABLE[major]",
    )
    record = confirm(make_case({"pkg/tables.py": TABLE, "pkg/mod.py": MODULE}, "TABLE[major]", edit=edit))
    assert Verdict.SIMULATED == record["verdict"], record["reason"]
    assert "not reached" in record["reason"]


def test_a_lookup_that_the_edit_rewrites_is_found_again(make_case: Callable[..., Case]) -> None:
    edit = ("pkg/mod.py", "TABLE[major]", "TABLE.get(major, 'generic')")
    record = confirm(make_case({"pkg/tables.py": TABLE, "pkg/mod.py": MODULE}, "TABLE[major]", edit=edit))
    assert Verdict.SIMULATED == record["verdict"], record["reason"]
    assert record["after"]["text"] == "'generic'"


def test_a_default_that_hides_a_missing_entry_is_gone_when_the_value_is_another(make_case: Callable[..., Case]) -> None:
    module = MODULE.replace("TABLE[major]", "TABLE.get(major)")
    files = {"pkg/tables.py": TABLE, "pkg/mod.py": module}
    record = confirm(make_case(files, "TABLE.get(major)", edit=ADD_9, outcome="None"))
    assert Verdict.SIMULATED == record["verdict"], record["reason"]


def test_a_value_nobody_can_supply_is_not_run_with_the_name_of_it(make_case: Callable[..., Case]) -> None:
    module = """
        from pkg.tables import TABLE
        def pick(server):
            return TABLE[server.args.major]
    """
    case = make_case({"pkg/tables.py": TABLE, "pkg/mod.py": module}, "TABLE[server.args.major]", edit=ADD_9)
    record = confirm(case)
    assert Verdict.NOT_RUN == record["verdict"]
    assert "`server`" in record["reason"]


def test_a_key_from_a_made_up_value_is_not_run(make_case: Callable[..., Case]) -> None:
    module = MODULE.replace("torch.cuda.get_device_capability()[0]", "torch.cuda.some_new_question()")
    record = confirm(make_case({"pkg/tables.py": TABLE, "pkg/mod.py": module}, "TABLE[major]", edit=ADD_9))
    assert Verdict.NOT_RUN == record["verdict"]
    assert "torch.cuda.some_new_question()" in record["reason"]


def test_a_file_that_changed_since_the_check_is_not_run(make_case: Callable[..., Case]) -> None:
    case = make_case({"pkg/tables.py": TABLE, "pkg/mod.py": MODULE}, "TABLE[major]", edit=ADD_9)
    (case.root / "pkg/mod.py").write_text("x = 1\n")
    assert Verdict.NOT_RUN == confirm(case)["verdict"]


def test_what_was_taken_for_granted_is_in_the_record(make_case: Callable[..., Case]) -> None:
    module = MODULE.replace("if major < 8:", "if ENABLED is False:").replace(
        "def pick", "ENABLED = True\n\n    def pick"
    )
    record = confirm(make_case({"pkg/tables.py": TABLE, "pkg/mod.py": module}, "TABLE[major]", edit=ADD_9))
    assert Verdict.SIMULATED == record["verdict"], record["reason"]
    assert any("ENABLED is False" in line for line in record["assumed"])


def test_a_root_that_is_the_package_itself_and_a_src_folder_both_import(
    make_case: Callable[..., Case],
) -> None:
    module = MODULE.replace("from pkg.tables", "from top.pkg.tables")
    files = {"pkg/tables.py": TABLE, "pkg/mod.py": module}
    record = confirm(make_case(files, "TABLE[major]", edit=ADD_9, module="top.pkg.mod"))
    assert (Verdict.SIMULATED, "real") == (record["verdict"], record["mode"]), record["reason"]
    files = {"src/pkg/tables.py": TABLE, "src/pkg/mod.py": MODULE}
    edit = ("src/" + ADD_9[0], *ADD_9[1:])
    case = make_case(files, "TABLE[major]", where="src/pkg/mod.py", edit=edit, module="pkg.mod")
    record = confirm(case)
    assert (Verdict.SIMULATED, "real") == (record["verdict"], record["mode"]), record["reason"]


def test_an_amd_device_is_told_by_its_gfx_name(make_case: Callable[..., Case]) -> None:
    module = MODULE.replace("get_device_capability()[0]", "get_device_properties(0).gcnArchName.split(':')[0]")
    module = module.replace("if major < 8:", "if not major:")
    table = "TABLE = {'gfx90a': 1}\n"
    edit = ("pkg/tables.py", "'gfx90a': 1", "'gfx90a': 1, 'gfx942': 2")
    case = make_case(
        {"pkg/tables.py": table, "pkg/mod.py": module},
        "TABLE[major]",
        edit=edit,
        outcome="KeyError: 'gfx942'",
        targets=("gfx942",),
    )
    record = confirm(case, on="gfx942")
    assert (Verdict.SIMULATED, "2") == (record["verdict"], record["after"]["text"]), record["reason"]
