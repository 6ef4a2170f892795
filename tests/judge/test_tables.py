"""Tests for lists and tables that leave an architecture out."""

from __future__ import annotations

from pathlib import Path

from tests.judge.findings import lines_of

SOME = "sm_80,sm_90,sm_100,sm_120"


def test_a_list_of_what_the_hardware_does_not_choose_is_left_alone(tmp_path: Path) -> None:
    source = """
    def run(causal):
        if torch.cuda.get_device_capability()[0] >= 8:
            backend = "flash" if causal else "sdpa"
        else:
            backend = "flash" if causal else "sdpa"
        return backend in ("flash", "wide")
    """
    assert lines_of(tmp_path, source, "HW103") == {}


def test_a_list_that_only_some_architectures_may_miss_is_told(tmp_path: Path) -> None:
    source = """
    def run(causal):
        if torch.cuda.get_device_capability()[0] >= 12:
            backend = "flash" if causal else "sdpa"
        else:
            backend = "flash"
        return backend in ("flash", "wide")
    """
    assert lines_of(tmp_path, source, "HW103") == {8: "note sm_120 sm_121"}


def test_a_default_for_what_the_hardware_does_not_choose_hides_nothing(tmp_path: Path) -> None:
    source = """
    def run(causal):
        if torch.cuda.get_device_capability()[0] >= 8:
            kind = "flash" if causal else "sdpa"
        else:
            kind = "flash" if causal else "sdpa"
        return {"flash": 128}.get(kind, 64)
    """
    assert lines_of(tmp_path, source, "HW102") == {}


def test_a_default_that_only_some_architectures_may_take_hides_a_miss(tmp_path: Path) -> None:
    source = """
    def run(causal):
        if torch.cuda.get_device_capability()[0] >= 12:
            kind = "flash" if causal else "sdpa"
        else:
            kind = "flash"
        return {"flash": 128}.get(kind, 64)
    """
    assert lines_of(tmp_path, source, "HW102") == {8: "note sm_120 sm_121"}


def test_a_search_that_finds_no_row_on_some_architectures_raises_there(tmp_path: Path) -> None:
    source = """
    ROWS = [(90, "h"), (100, "b"), (120, "c")]
    def run():
        major, minor = torch.cuda.get_device_capability()
        if major < 9:
            return None
        return next(kind for key, kind in ROWS if key == major * 10 + minor)
    """
    assert lines_of(tmp_path, source, "HW101") == {8: "error sm_103 sm_107 sm_110 sm_121"}


def test_a_search_with_a_default_does_not_raise(tmp_path: Path) -> None:
    source = """
    ROWS = [(90, "h"), (100, "b"), (120, "c")]
    def run():
        major, minor = torch.cuda.get_device_capability()
        return next((kind for key, kind in ROWS if key == major * 10 + minor), None)
    """
    assert lines_of(tmp_path, source, "HW101") == {}


def test_the_first_of_a_filtered_list_raises_where_nothing_is_left(tmp_path: Path) -> None:
    source = """
    ROWS = [(9, "h"), (10, "b")]
    def run():
        major = torch.cuda.get_device_capability()[0]
        if major < 9:
            return None
        left = list(filter(lambda row: row[0] == major, ROWS))
        return left[0]
    """
    assert lines_of(tmp_path, source, "HW101") == {9: "error sm_110 sm_120 sm_121"}


def test_the_first_of_a_list_that_was_asked_for_its_length_does_not_raise(tmp_path: Path) -> None:
    source = """
    ROWS = [(9, "h"), (10, "b")]
    def run():
        major = torch.cuda.get_device_capability()[0]
        left = [kind for key, kind in ROWS if key == major]
        if len(left) == 0:
            return None
        return left[0]
    """
    assert lines_of(tmp_path, source, "HW101") == {}


def test_a_loop_over_rows_that_raises_behind_it_hides_nothing(tmp_path: Path) -> None:
    source = """
    ROWS = [(9, "h"), (10, "b")]
    def run():
        major = torch.cuda.get_device_capability()[0]
        for key, kind in ROWS:
            if key == major:
                return kind
        raise ValueError(f"no row for {major}")
    """
    assert lines_of(tmp_path, source, "HW102") == {}


def test_a_loop_over_rows_that_goes_on_without_one_hides_a_miss(tmp_path: Path) -> None:
    source = """
    ROWS = [(9, "h"), (10, "b")]
    def run():
        major = torch.cuda.get_device_capability()[0]
        for key, kind in ROWS:
            if key == major:
                return kind
        return "plain"
    """
    assert lines_of(tmp_path, source, "HW102") == {6: "note sm_110 sm_120 sm_121"}


def test_a_table_of_targets_is_told_whoever_asks_it(tmp_path: Path) -> None:
    source = """
    LIMITS = {"sm_80": 163, "sm_90": 227, "sm_100": 227}
    def limit(arch):
        if arch not in LIMITS:
            raise ValueError(arch)
        return LIMITS[arch]
    """
    assert lines_of(tmp_path, source, "HW103") == {5: "note sm_86 sm_87 sm_89 sm_103 sm_107 sm_110 sm_120 sm_121"}


def test_a_table_that_the_file_adds_to_is_not_told(tmp_path: Path) -> None:
    source = """
    LIMITS = {"sm_80": 163, "sm_90": 227, "sm_100": 227}
    LIMITS["sm_120"] = 99
    def limit(arch):
        return LIMITS.get(arch, 48)
    """
    assert lines_of(tmp_path, source, "HW102") == {}


def test_sets_of_capabilities_are_intersected_and_compared(tmp_path: Path) -> None:
    source = """
    TRIED = {9, 10}
    def run():
        major = torch.cuda.get_device_capability()[0]
        if major < 9:
            return
        if not {major} & TRIED:
            raise RuntimeError("not tried")
        if TRIED.isdisjoint([major]):
            raise RuntimeError("never here")
    """
    assert lines_of(tmp_path, source, "HW202") == {9: "note sm_110 sm_120 sm_121"}


def test_a_set_that_holds_all_turns_nobody_away(tmp_path: Path) -> None:
    source = """
    TRIED = {8, 9, 10, 11, 12}
    def run():
        major = torch.cuda.get_device_capability()[0]
        if major >= 8 and not {major}.issubset(TRIED):
            raise RuntimeError("not tried")
    """
    assert lines_of(tmp_path, source, "HW202") == {}


def test_a_function_named_by_the_capability_is_missing_among_the_globals(tmp_path: Path) -> None:
    source = """
    def run_9(x): return x
    def run_10(x): return x
    def run(x):
        major = torch.cuda.get_device_capability()[0]
        if major < 9:
            return x
        return globals()[f"run_{major}"](x)
    """
    assert lines_of(tmp_path, source, "HW101") == {9: "error sm_110 sm_120 sm_121"}


def test_a_loop_over_a_table_finds_its_own_keys(tmp_path: Path) -> None:
    source = """
    def run(flag):
        tags = {"a": 1}
        if torch.cuda.get_device_capability()[0] >= 9 and flag:
            tags["b"] = 2
        return [tags[tag] for tag in tags]
    """
    assert lines_of(tmp_path, source, "HW101") == {}


def test_a_list_of_one_capability_for_all_devices_is_an_equality(tmp_path: Path) -> None:
    source = """
    def run():
        found = [torch.cuda.get_device_capability(i) for i in range(torch.cuda.device_count())]
        if (10, 0) in found:
            return "wide"
        return "plain"
    """
    assert lines_of(tmp_path, source, "HW203") == {5: "note sm_103 sm_107"}


def test_a_list_that_is_asked_twice_is_told_once(tmp_path: Path) -> None:
    source = """
    def run(x):
        major = torch.cuda.get_device_capability()[0]
        first = 1 if major in [9, 10] else 2
        second = 3 if major in [9, 10] else 4
        return first + second + (5 if major in [9, 10, 11] else 6)
    """
    found = {5: "note sm_110 sm_120 sm_121", 7: "note sm_120 sm_121"}
    assert lines_of(tmp_path, source, "HW103") == found


def test_a_list_whose_miss_is_made_up_for_in_the_same_condition_is_left_alone(tmp_path: Path) -> None:
    source = """
    def run(x):
        major = torch.cuda.get_device_capability()[0]
        if major in (9, 10) or major >= 9:
            return 1
        return 2
    """
    assert lines_of(tmp_path, source, "HW103") == {}


def test_a_list_whose_miss_is_not_made_up_for_is_told(tmp_path: Path) -> None:
    source = """
    def run(x):
        major = torch.cuda.get_device_capability()[0]
        if major in (9, 10) or major < 9:
            return 1
        return 2
    """
    assert lines_of(tmp_path, source, "HW103") == {5: "note sm_110 sm_120 sm_121"}


def test_a_miss_that_a_raise_below_tells_of_is_told_there_alone(tmp_path: Path) -> None:
    source = """
    def run(x):
        major = torch.cuda.get_device_capability()[0]
        if major < 9:
            return None
        known = major in (9, 10)
        if not known:
            raise RuntimeError("not tried on this GPU")
        return known
    """
    assert lines_of(tmp_path, source, "HW103") == {}
    assert lines_of(tmp_path, source, "HW202") == {9: "note sm_110 sm_120 sm_121"}


def _methods(*numbers: int) -> str:
    methods = "".join(
        f"""
        def sm{number}_size(self):
            return {number}
    """
        for number in numbers
    )
    return f"""
    class Sizes:
        def __init__(self):
            major, minor = torch.cuda.get_device_capability()
            self.cc = major * 10 + minor
        {methods}
        def size(self):
            return getattr(self, f"sm{{self.cc}}_size")()
    """


def test_a_class_with_methods_for_several_architectures_lacks_one(tmp_path: Path) -> None:
    assert list(lines_of(tmp_path, _methods(80, 90), "HW101", targets=SOME).values()) == ["error sm_100 sm_120"]


def test_a_class_with_methods_for_one_architecture_may_be_for_that_alone(tmp_path: Path) -> None:
    found = lines_of(tmp_path, _methods(90), "HW101", targets="sm_90,sm_100,sm_120")
    assert list(found.values()) == ["note sm_100 sm_120"]


def _rows(search: str, *rows: str) -> str:
    return f"""
    ROWS = [{", ".join(rows)}]
    def f():
        major, minor = torch.cuda.get_device_capability()
        number = major * 10 + minor
        {search}
    """


RANGE = "return next(name for name, low, high in ROWS if low <= number < high)"
LISTED = "return [name for numbers, name in ROWS if number in numbers][0]"


def test_rows_with_ranges_of_which_none_takes_an_architecture(tmp_path: Path) -> None:
    rows = ("('a', 80, 90)", "('h', 90, 100)", "('b', 100, 110)")
    assert lines_of(tmp_path, _rows(RANGE, *rows), "HW101", targets=SOME) == {7: "error sm_120"}
    assert lines_of(tmp_path, _rows(RANGE, *rows, "('c', 110, 999)"), "HW101", targets=SOME) == {}


def test_rows_with_lists_of_which_none_has_an_architecture(tmp_path: Path) -> None:
    rows = ("([80, 86], 'a')", "([90, 100], 'h')")
    assert lines_of(tmp_path, _rows(LISTED, *rows), "HW101", targets=SOME) == {7: "error sm_120"}
    assert lines_of(tmp_path, _rows(LISTED, *rows, "([120], 'b')"), "HW101", targets=SOME) == {}


def test_rows_with_lower_bounds_take_everything_newer(tmp_path: Path) -> None:
    rows = ("('b', 100)", "('h', 90)", "('a', 80)")
    search = "return next(name for name, low in ROWS if number >= low)"
    assert lines_of(tmp_path, _rows(search, *rows), "HW101", targets=SOME) == {}


def test_a_pair_of_which_the_hardware_gives_a_part_that_no_key_has_raises(tmp_path: Path) -> None:
    source = """
    RECIPES = {("90a", "fp8"): 1, ("100a", "fp8"): 2, ("100a", "int8"): 3}

    def recipe(kind):
        major, minor = torch.cuda.get_device_capability()
        return RECIPES[(f"{major * 10 + minor}a", kind)]
    """
    assert lines_of(tmp_path, source, "HW101", targets="sm_90,sm_100,sm_120") == {7: "error sm_120"}


def test_a_pair_with_an_unknown_part_that_may_be_a_key_is_left_alone(tmp_path: Path) -> None:
    source = """
    RECIPES = {("fp8", 9): 1, ("fp8", 10): 2, ("int8", 12): 3}

    def recipe(kind):
        return RECIPES[(kind, torch.cuda.get_device_capability()[0])]
    """
    assert lines_of(tmp_path, source, "HW101", targets="sm_90,sm_100,sm_120") == {}


def test_a_pair_is_asked_about_before_it_is_looked_up(tmp_path: Path) -> None:
    source = """
    RECIPES = {("fp8", 9): 1, ("fp8", 10): 2}

    def recipe(kind):
        key = (kind, torch.cuda.get_device_capability()[0])
        if key not in RECIPES:
            return None
        return RECIPES[key]
    """
    assert lines_of(tmp_path, source, "HW101", targets="sm_90,sm_100,sm_120") == {}
