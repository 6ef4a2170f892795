"""Two tests on one path that let in different architectures."""

from __future__ import annotations

from pathlib import Path

from tests.judge.findings import lines_of

PAIR = """
    def launch(arch, cache):
        assert arch in (80, 90, 100), "no kernel"

    def run(cache, key, flag):
        major, _ = torch.cuda.get_device_capability()
        {guard}
        {between}
            launch(major * 10, cache)
    """


def test_a_list_in_the_caller_disagrees_with_the_callee_s(tmp_path: Path) -> None:
    source = PAIR.format(guard="assert major in [9, 10, 11]", between="if key not in cache:")
    assert lines_of(tmp_path, source, "HW104") == {4: "warning sm_110"}


def test_a_minimum_promises_nothing_about_what_is_newer(tmp_path: Path) -> None:
    source = PAIR.format(guard="assert major >= 9", between="if key not in cache:")
    assert lines_of(tmp_path, source, "HW104") == {}
    assert lines_of(tmp_path, source, "HW202") == {4: "note sm_110 sm_120 sm_121"}


def test_a_test_in_between_takes_the_others_elsewhere(tmp_path: Path) -> None:
    source = PAIR.format(guard="assert major in [9, 10, 11]", between="if major != 11:")
    assert lines_of(tmp_path, source, "HW104") == {}


def test_a_validator_that_raises_guards_its_caller(tmp_path: Path) -> None:
    source = """
    def check():
        if torch.cuda.get_device_capability()[0] not in (9, 10, 11):
            raise ValueError("needs 9, 10 or 11")

    def run():
        check()
        major, _ = torch.cuda.get_device_capability()
        if major == 9:
            return 1
        elif major == 10:
            return 2
        raise ValueError("cannot dispatch")
    """
    assert lines_of(tmp_path, source, "HW104") == {14: "warning sm_110"}


def test_a_feature_that_one_of_the_admitted_lacks_is_no_disagreement(tmp_path: Path) -> None:
    source = """
    def run(lse):
        major, _ = torch.cuda.get_device_capability()
        assert major in [9, 10, 11]
        if lse and major == 11:
            raise NotImplementedError("no lse there")
        if lse:
            assert major in (9, 10), "lse"
        return major
    """
    assert lines_of(tmp_path, source, "HW104") == {}


def test_two_guards_under_the_same_unknown_test_are_on_one_path(tmp_path: Path) -> None:
    source = """
    def is_sm10x():
        return torch.cuda.get_device_capability()[0] == 10

    def run(backend):
        major, minor = torch.cuda.get_device_capability()
        if backend == "cutlass":
            if f"{major}{minor}" not in ["100", "103", "107", "110"]:
                raise ValueError("unsupported")
        if backend == "cutlass":
            if is_sm10x():
                return 1
            else:
                raise ValueError("no kernel")
        return 0
    """
    assert lines_of(tmp_path, source, "HW104") == {15: "warning sm_110"}


def test_what_the_hardware_does_not_decide_last_is_no_rejection(tmp_path: Path) -> None:
    source = """
    def run(rows, dtype):
        major, _ = torch.cuda.get_device_capability()
        if major >= 10:
            if rows % 8:
                raise ValueError("rows")
        else:
            if rows % 4:
                raise ValueError("rows")
        if major in (9, 10):
            return 1
        else:
            if rows % 2:
                raise ValueError("rows")
            if dtype != "bf16" and major == 12:
                raise ValueError("dtype")
        return rows
    """
    assert lines_of(tmp_path, source, "HW202") == {}


def test_words_that_promise_what_is_newer_make_a_rejection_a_warning(tmp_path: Path) -> None:
    source = """
    def run():
        if torch.cuda.get_device_capability()[0] != 9:
            raise ValueError("{words}")
    """
    newer = "sm_100 sm_103 sm_107 sm_110 sm_120 sm_121"
    for words in (
        "needs sm90 and above",
        "needs compute capability 9.0 or newer",
        "Hopper GPUs or later",
        "SM90+ only",
    ):
        assert lines_of(tmp_path, source.format(words=words), "HW202") == {5: f"warning {newer}"}, words
    for words in ("needs sm90", "Hopper only, and nothing above", "needs CUDA 9.0 and above"):
        assert lines_of(tmp_path, source.format(words=words), "HW202") == {5: f"note {newer}"}, words


def test_words_that_take_something_back_promise_nothing(tmp_path: Path) -> None:
    from hwlint.workflow.check import check
    from hwlint.workflow.settings import Settings

    source = "import torch\n\ndef f():\n    major = torch.cuda.get_device_capability()[0]\n"
    source += "    if major < 10 or major == 12:\n        raise RuntimeError('needs {words}')\n"
    levels = []
    for words in ("SM100+", "SM100+ excluding SM12x"):
        (tmp_path / "kernel.py").write_text(source.replace("{words}", words))
        report = check([tmp_path], Settings(root=tmp_path, folders=(tmp_path,)), use_cache=False)
        levels.append([str(finding.level) for finding in report.findings if finding.rule == "HW202"])
    assert levels == [["warning"], ["note"]]
