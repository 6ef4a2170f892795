"""Code that says it is for one architecture, and the tests that let others in."""

from __future__ import annotations

from pathlib import Path

from tests.judge.findings import lines_of

CALL = """
    def run(x, flag):
        major, minor = torch.cuda.get_device_capability()
        if {test}:
            return {call}(x)
        return x
    """


def _says(folder: Path, rule: str, test: str, call: str) -> dict[int, str]:
    return lines_of(folder, CALL.format(test=test, call=call), rule)


def test_a_kernel_of_one_generation_behind_a_lower_bound(tmp_path: Path) -> None:
    assert _says(tmp_path, "HW207", "major >= 10", "kernels.gemm_sm100") == {6: "warning sm_110 sm_120 sm_121"}
    assert _says(tmp_path, "HW207", "major == 10", "kernels.gemm_sm100") == {}


def test_a_test_made_for_something_older_says_nothing(tmp_path: Path) -> None:
    assert _says(tmp_path, "HW207", "major >= 8", "kernels.gemm_sm90") == {}


def test_a_test_that_names_the_architecture_and_is_not_known_guards(tmp_path: Path) -> None:
    source = """
    def run(x, config):
        major, minor = torch.cuda.get_device_capability()
        if major < 10:
            return x
        if config.is_sm100:
            return gemm_sm100(x)
        return x
    """
    assert lines_of(tmp_path, source, "HW207") == {}


def test_what_a_test_names_itself_is_meant_to_come(tmp_path: Path) -> None:
    source = """
    def run(x):
        major, minor = torch.cuda.get_device_capability()
        if str(major * 10 + minor) in ("100", "103", "110", "121"):
            return gemm_sm100(x)
        return x
    """
    assert lines_of(tmp_path, source, "HW207") == {}


def test_a_table_of_kernels_for_several_is_a_dispatch(tmp_path: Path) -> None:
    source = """
    def run(x):
        major, minor = torch.cuda.get_device_capability()
        if major >= 9:
            return {9: gemm_sm90, 10: gemm_sm100, 12: gemm_sm120}[major](x)
        return x
    """
    assert lines_of(tmp_path, source, "HW207") == {}


def test_an_instruction_in_a_name_is_evidence(tmp_path: Path) -> None:
    assert _says(tmp_path, "HW204", "major >= 9", "ops.wgmma_gemm") == {
        6: "warning sm_100 sm_103 sm_107 sm_110 sm_120 sm_121"
    }
    assert _says(tmp_path, "HW204", "major >= 9", "ops.bulk_copy") == {}


def test_only_the_branch_of_a_ternary_counts(tmp_path: Path) -> None:
    source = """
    def flags():
        major, minor = torch.cuda.get_device_capability()
        return sm100a_flags if major >= 10 and minor >= 0 else []
    """
    assert lines_of(tmp_path, source, "HW204") == {5: "warning sm_103 sm_107 sm_110 sm_120 sm_121"}


def test_the_last_of_several_named_functions_takes_in_others(tmp_path: Path) -> None:
    source = """
    def sizes():
        major, _ = torch.cuda.get_device_capability()
        if major < 10:
            return meta_sm9x()
        else:
            return meta_sm12x()
    """
    assert lines_of(tmp_path, source, "HW207") == {8: "note sm_100 sm_103 sm_107 sm_110"}


def test_a_choice_that_its_own_check_turns_away(tmp_path: Path) -> None:
    source = """
    class Options:
        def choose(self):
            major, _ = torch.cuda.get_device_capability()
            if major in (10, 12):
                self.backend = "fast_mha"
            else:
                self.backend = "plain"

        def check(self):
            if self.backend == "fast_mha" or self.other == "fast_mha":
                if torch.cuda.get_device_capability()[0] != 10:
                    raise ValueError("fast_mha needs datacenter Blackwell")
    """
    assert lines_of(tmp_path, source, "HW207") == {7: "warning sm_120 sm_121"}


def test_a_class_with_a_least_capability_and_no_greatest(tmp_path: Path) -> None:
    source = """
    class Base:
        MINIMUM_COMPUTE_CAPABILITY = (7, 0)
        MAXIMUM_COMPUTE_CAPABILITY = None

        @classmethod
        def reasons(cls):
            capability = torch.cuda.get_device_capability()
            if capability < cls.MINIMUM_COMPUTE_CAPABILITY:
                return ["too old"]
            return []

    class Open(Base):
        NAME = "wgmma-open"
        MINIMUM_COMPUTE_CAPABILITY = (9, 0)

    class Closed(Base):
        NAME = "wgmma-closed"
        MINIMUM_COMPUTE_CAPABILITY = (9, 0)
        MAXIMUM_COMPUTE_CAPABILITY = (9, 0)
    """
    assert lines_of(tmp_path, source, "HW207") == {16: "warning sm_100 sm_103 sm_107 sm_110 sm_120 sm_121"}


def test_a_global_is_followed_in_the_function_that_sets_it(tmp_path: Path) -> None:
    source = """
    _capability = None

    def sizes():
        global _capability
        if _capability is None:
            _capability = torch.cuda.get_device_capability()
        if _capability[0] < 9:
            return meta_sm8x()
        return meta_sm9x()
    """
    assert lines_of(tmp_path, source, "HW207") == {11: "warning sm_100 sm_103 sm_107 sm_110 sm_120 sm_121"}


def test_what_all_are_given_is_no_choice_by_the_hardware(tmp_path: Path) -> None:
    source = """
    def run(wanted):
        kernel = None
        if wanted == "auto":
            kernel = "plain"
            if torch.cuda.get_device_capability() >= (9, 0):
                kernel = "quick"
        elif wanted == "quick":
            kernel = "quick"
        if kernel == "quick":
            assert torch.cuda.get_device_capability() >= (9, 0), "needs 9.0"
        return kernel
    """
    assert lines_of(tmp_path, source, "HW207") == {}


def test_a_function_that_only_hands_on_binds_nobody_by_its_name(tmp_path: Path) -> None:
    source = """
    def _plain(rows):
        return rows * 2

    def _meta_sm9x(rows):
        "What Hopper takes."
        return _plain(rows)

    def run(rows):
        if torch.cuda.get_device_capability()[0] < 9:
            return rows
        return _meta_sm9x(rows)
    """
    assert lines_of(tmp_path, source, "HW207") == {}


LADDER = """
    def _meta_sm8x(rows):
        return (8, 2) if rows > 8192 else (4, 2)

    def _meta_sm9x(rows):
        "What Hopper takes."
        stages = {stages}
        return 4, stages

    def run(rows):
        major, _ = torch.cuda.get_device_capability()
        if major < 9:
            return _meta_sm8x(rows)
        return _meta_sm9x(rows)
    """


def test_a_rung_of_a_ladder_that_only_works_out_numbers_is_for_what_is_newer_too(tmp_path: Path) -> None:
    assert lines_of(tmp_path, LADDER.format(stages="min(rows, 3)"), "HW207") == {}


def test_a_rung_that_works_out_sizes_of_tiles_is_for_what_has_the_memory(tmp_path: Path) -> None:
    flagged = {15: "warning sm_100 sm_103 sm_107 sm_110 sm_120 sm_121"}
    assert lines_of(tmp_path, LADDER.format(stages="BLOCK_M = min(rows, 128)"), "HW207") == flagged


def test_a_rung_that_calls_something_is_for_its_own_line(tmp_path: Path) -> None:
    flagged = {15: "warning sm_100 sm_103 sm_107 sm_110 sm_120 sm_121"}
    assert lines_of(tmp_path, LADDER.format(stages="launch_with_tma(rows)"), "HW207") == flagged


def test_less_than_a_datacenter_number_lets_the_others_in(tmp_path: Path) -> None:
    source = """
    def run():
        if torch.version.hip is None:
            return 0
        if torch.cuda.get_device_capability() < (9, 4):
            raise RuntimeError("no short floats")
        return 1
    """
    assert "gfx1100" in lines_of(tmp_path, source, "HW204", targets="all").get(6, "")


_ARGUMENT = """
class AttentionSm90: ...
class AttentionSm100: ...

def run(number=None):
    arch = torch.cuda.get_device_capability()[0] if number is None else number
    assert arch in (9, 10, 11)
    if arch == 9:
        return AttentionSm90()
    elif arch {}:
        return AttentionSm100()
    return None
"""


def test_what_comes_only_through_an_argument_does_not_come(tmp_path: Path) -> None:
    assert lines_of(tmp_path, _ARGUMENT.format("== 10"), "HW207") == {}


def test_what_comes_by_the_hardware_comes_though_there_is_an_argument(tmp_path: Path) -> None:
    assert "sm_110" in " ".join(lines_of(tmp_path, _ARGUMENT.format(">= 10"), "HW207").values())


def _gets(what: str) -> str:
    return f"""
    def get_gemm_sm120_{what}():
        loaded = load("sm120")
        loaded.register()
        return loaded.gemm

    def get_gemm_sm100_{what}():
        loaded = load("sm100")
        loaded.register()
        return loaded.gemm

    def run(a, b):
        if torch.cuda.get_device_capability()[0] == 12:
            found = get_gemm_sm120_{what}()
        else:
            found = get_gemm_sm100_{what}()
        return found
    """


def test_a_function_that_gets_a_module_for_one_architecture_stands_for_it(tmp_path: Path) -> None:
    found = lines_of(tmp_path, _gets("module"), "HW207", targets="sm_80,sm_90,sm_100,sm_110,sm_120")
    assert found == {17: "note sm_90 sm_110"}


def test_a_function_that_gets_a_number_for_one_architecture_is_left_alone(tmp_path: Path) -> None:
    assert lines_of(tmp_path, _gets("count"), "HW207", targets="sm_80,sm_90,sm_100,sm_110,sm_120") == {}
