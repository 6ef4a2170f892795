"""What chains of branches leave behind: architectures without a branch, dead sides, choices undone."""

from __future__ import annotations

from pathlib import Path

from tests.judge.findings import lines_of

NEW = "sm_110 sm_120 sm_121"


def test_a_name_that_no_branch_sets_is_an_error_at_its_first_use(tmp_path: Path) -> None:
    source = """
    def rows():
        major, _ = torch.cuda.get_device_capability()
        if major <= 9:
            count = 2
        elif major == 10:
            count = 4
        total = count + 1
        return total + count
    """
    assert lines_of(tmp_path, source, "HW201") == {9: f"error {NEW}"}


def test_a_name_unset_on_older_architectures_only_is_a_note(tmp_path: Path) -> None:
    source = """
    def rows():
        major, _ = torch.cuda.get_device_capability()
        if major == 8:
            count = 2
        elif major >= 9:
            count = 4
        return count
    """
    assert lines_of(tmp_path, source, "HW201") == {9: "note sm_75"}


def test_a_name_that_an_unknown_flag_may_set_is_left_alone(tmp_path: Path) -> None:
    source = """
    def rows(wide):
        major, _ = torch.cuda.get_device_capability()
        if major == 9:
            count = 2
        if wide:
            count = 4
        return count
    """
    assert lines_of(tmp_path, source, "HW201") == {}


def test_a_name_used_under_the_test_that_sets_it_is_left_alone(tmp_path: Path) -> None:
    source = """
    def rows():
        major, _ = torch.cuda.get_device_capability()
        if major == 9:
            count = 2
        elif major == 10:
            count = 4
        if major in (9, 10):
            return count
        return 0
    """
    assert lines_of(tmp_path, source, "HW201") == {}


def test_a_ladder_of_returns_that_raises_for_all_that_is_newer_is_stale(tmp_path: Path) -> None:
    source = """
    def sizes():
        major, _ = torch.cuda.get_device_capability()
        if major == 8:
            return 4
        if major <= 10:
            return 8
        raise ValueError("unsupported device")
    """
    assert lines_of(tmp_path, source, "HW201") == {9: f"warning {NEW}"}


def test_a_ladder_whose_newest_branch_is_the_newest_architecture_is_not_stale(tmp_path: Path) -> None:
    source = """
    def sizes():
        major, _ = torch.cuda.get_device_capability()
        if major == 9:
            return 4
        elif major == 12:
            return 8
        else:
            raise ValueError("unsupported device")
    """
    assert lines_of(tmp_path, source, "HW201") == {}


def test_an_author_who_lists_what_is_supported_has_thought_of_the_rest(tmp_path: Path) -> None:
    source = """
    def sizes():
        major, _ = torch.cuda.get_device_capability()
        if major == 9:
            return 4
        elif major == 10:
            return 8
        else:
            raise ValueError("runs on SM90 and SM100")
    """
    assert lines_of(tmp_path, source, "HW201") == {}
    assert lines_of(tmp_path, source, "HW202") == {10: f"note {NEW}"}


def test_a_function_that_raises_at_its_end_and_falls_through_inside_is_told(tmp_path: Path) -> None:
    source = """
    def name(units):
        major, _ = torch.cuda.get_device_capability()
        if major == 9:
            if units == 132:
                return "H100"
            elif units == 78:
                return "H20"
        elif major == 10:
            return "B200"
        else:
            raise RuntimeError("unsupported")
    """
    assert lines_of(tmp_path, source, "HW201")[5] == "warning sm_90"


def test_a_constant_test_asks_the_whole_catalogue(tmp_path: Path) -> None:
    source = """
    def name():
        major, minor = torch.cuda.get_device_capability()
        if major >= 12:
            if minor == 0:
                return "RTX"
            return "Spark"
        return "other"
    """
    assert lines_of(tmp_path, source, "HW205", targets="sm_90,sm_120") == {}


def test_a_dead_else_is_told_unless_it_only_objects(tmp_path: Path) -> None:
    source = """
    def stages():
        major, _ = torch.cuda.get_device_capability()
        if major < 9:
            return 2
        if major >= 9:
            return 4
        else:
            {last}
    """
    assert lines_of(tmp_path, source.format(last="return 8"), "HW205") == {
        7: "warning sm_90 sm_100 sm_103 sm_107 sm_110 sm_120 sm_121"
    }
    assert lines_of(tmp_path, source.format(last="raise ValueError(major)"), "HW205") == {}


def test_a_test_for_none_is_no_test_of_the_hardware(tmp_path: Path) -> None:
    source = """
    def name():
        capability = torch.cuda.get_device_capability()
        if capability not in ((9, 0), (10, 0)):
            found = f"{capability[0]}" if capability else "unknown"
            raise ValueError(found)
        return capability
    """
    assert lines_of(tmp_path, source, "HW205") == {}


def test_a_function_that_is_only_called_for_some_is_judged_by_all_that_may_call_it(tmp_path: Path) -> None:
    source = """
    def tile(major):
        if major == 9:
            return 64
        return 128

    def launch():
        major, _ = torch.cuda.get_device_capability()
        if major == 9:
            return tile(major)
        return 0
    """
    assert lines_of(tmp_path, source, "HW205") == {}


def test_a_choice_that_a_loop_reads_in_its_next_round_is_left_alone(tmp_path: Path) -> None:
    source = """
    def rounds(n):
        size = 1
        for step in range(n):
            print(size)
            if torch.cuda.get_device_capability()[0] == 9:
                size = 2
        size = 3
        return size
    """
    assert lines_of(tmp_path, source, "HW208") == {}


def test_a_choice_undone_by_a_later_chain_is_told_once(tmp_path: Path) -> None:
    source = """
    def config(wide):
        capability = torch.cuda.get_device_capability()
        if capability in [(9, 0), (10, 0)]:
            if wide:
                best = 1
            else:
                best = 2
        if capability == (11, 0):
            best = 3
        else:
            best = 4
        return best
    """
    assert lines_of(tmp_path, source, "HW208") == {7: "warning sm_90 sm_100"}


def test_a_match_without_the_newer_ones_is_a_stale_ladder_too(tmp_path: Path) -> None:
    source = """
    def sizes():
        major, _ = torch.cuda.get_device_capability()
        match major:
            case 7 | 8:
                return 4
            case 9 | 10:
                return 8
            case _:
                raise ValueError("unsupported device")
    """
    assert lines_of(tmp_path, source, "HW201") == {11: f"warning {NEW}"}


def test_a_test_that_only_callers_arguments_decide_is_not_constant(tmp_path: Path) -> None:
    source = """
    def choose(steps, mode=False):
        use = torch.cuda.get_device_capability() >= (8, 0)
        if use:
            for step in steps:
                if step is None:
                    use = False
            if use and mode:
                return "mode"
        return use

    def caller(steps):
        return choose([1, 2]), choose([3], mode=False)
    """
    assert lines_of(tmp_path, source, "HW205") == {}


def test_what_is_constant_whatever_the_arguments_are_is_told(tmp_path: Path) -> None:
    source = """
    def choose(mode=False):
        major = torch.cuda.get_device_capability()[0]
        if major >= 9:
            if mode and major < 8:
                return "mode"
        return major

    def caller():
        return choose(), choose(mode=False)
    """
    assert set(lines_of(tmp_path, source, "HW205")) <= {6}
    assert set(lines_of(tmp_path, source.replace("mode and ", ""), "HW205")) == {6}


def test_a_test_for_another_maker_is_not_decided_by_those_before(tmp_path: Path) -> None:
    source = """
    PLATFORM = "cuda" if torch.cuda.is_available() else "cpu"
    IS_OTHER = torch.cuda.get_device_capability()[0] < 0
    IS_NEW = torch.cuda.get_device_capability()[0] in (10, 12)
    if IS_NEW:
        WARPS = [2]
    elif IS_OTHER:
        WARPS = [2, 4, 8]
    else:
        WARPS = [2, 4]
    """
    assert lines_of(tmp_path, source, "HW205") == {}
    decided = source.replace("[0] < 0", "[0] == 12")
    assert set(lines_of(tmp_path, decided, "HW205")) == {8}


def test_a_test_that_asks_the_device_itself_is_decided_by_those_before(tmp_path: Path) -> None:
    source = """
    def choose():
        if torch.cuda.get_device_capability()[0] >= 9:
            if torch.cuda.get_device_capability()[0] < 8:
                return "old"
            return "new"
        return "other"
    """
    assert set(lines_of(tmp_path, source, "HW205")) == {5}


_HEIRS = """
class Device:
    def __init__(self):
        self.capability = 0


class Cuda(Device):
    def __init__(self):
        major, minor = torch.cuda.get_device_capability()
        self.capability = major * 10 + minor


class Host(Device):
    pass


def choose(device: Device):
    if device.capability == 80:
        return 1
    elif device.capability == 90:
        return 2
    else:
        {last}
"""


def test_an_object_of_a_base_class_may_be_one_of_its_heirs(tmp_path: Path) -> None:
    source = _HEIRS.format(last='raise ValueError("unknown")')
    assert "sm_120" in " ".join(lines_of(tmp_path, source, "HW201").values())


def test_a_chain_over_heirs_with_an_answer_for_all_is_left_alone(tmp_path: Path) -> None:
    assert lines_of(tmp_path, _HEIRS.format(last="return 3"), "HW201") == {}


def test_a_parameter_that_is_annotated_as_a_target_is_the_devices(tmp_path: Path) -> None:
    source = """
    from triton.backends.compiler import GPUTarget

    ROWS = {80: 1, 90: 2}

    def rows(target: GPUTarget):
        assert target.backend == "cuda"
        return ROWS[target.arch]
    """
    assert "sm_120" in " ".join(lines_of(tmp_path, source, "HW101").values())


def test_a_parameter_of_another_type_is_not(tmp_path: Path) -> None:
    source = """
    from triton.backends.compiler import Options

    ROWS = {80: 1, 90: 2}

    def rows(target: Options):
        return ROWS[target.arch]
    """
    assert lines_of(tmp_path, source, "HW101").get(8, "note").startswith("note")
