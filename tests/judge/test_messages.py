"""The words of findings: they agree with the number of architectures, and end where the author's words are known."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from hwlint.judge.verdict import shortened, tidied
from hwlint.workflow.check import check
from hwlint.workflow.settings import Settings

KERNEL = """
    import torch

    def run(x):
        if torch.cuda.get_device_capability()[0] >= 10:
            return kernels.gemm_sm100(x)
        return x
    """
LADDER = """
    import torch

    def warps():
        major, minor = torch.cuda.get_device_capability()
        if major == 8:
            return 4
        elif major == 9:
            return 8
        else:
            raise ValueError(f"unsupported capability: {major}.{minor}")
    """


def message(folder: Path, source: str, *targets: str) -> str:
    (folder / "example.py").write_text(dedent(source), encoding="utf-8")
    settings = Settings(root=folder, folders=(folder,), targets=targets)
    (finding,) = check([folder], settings, jobs=1, use_cache=False).findings
    return finding.message


@pytest.mark.parametrize(
    ("targets", "beginning"),
    [
        (("sm_100", "sm_120"), "sm_120 comes here; `kernels.gemm_sm100` is for others"),
        (("sm_100", "sm_120", "sm_121"), "sm_120 and sm_121 come here; `kernels.gemm_sm100` is for others"),
    ],
)
def test_one_architecture_comes_and_several_come(targets: tuple[str, ...], beginning: str, tmp_path: Path) -> None:
    assert message(tmp_path, KERNEL, *targets).startswith(beginning)


def test_the_words_of_a_raise_end_before_the_value_that_only_a_run_knows(tmp_path: Path) -> None:
    assert message(tmp_path, LADDER, "sm_90", "sm_120").endswith('newer: "unsupported capability"')


PICK = """
    import torch

    class Options:
        def choose(self):
            if torch.cuda.get_device_capability()[0] in (10, 12):
                self.backend = "fast"
            else:
                self.backend = "plain"

        def check(self):
            if self.backend == "fast":
                if torch.cuda.get_device_capability()[0] != 10:
                    raise ValueError("fast needs compute capability 10.x and all that goes with it. Use plain there.")
    """


def test_a_choice_that_is_turned_away_names_the_place_and_quotes_whole_sentences(tmp_path: Path) -> None:
    (tmp_path / "example.py").write_text(dedent(PICK), encoding="utf-8")
    settings = Settings(root=tmp_path, folders=(tmp_path,), targets=("sm_90", "sm_100", "sm_120"))
    said = {one.rule: one.message for one in check([tmp_path], settings, jobs=1, use_cache=False).findings}
    assert (
        "sm_120 is given `fast` here; `fast` is for others: example.py:14 turns it away: "
        '"fast needs compute capability 10.x and all that goes with it. Use plain there."'
    ) == said["HW207"]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("short", "short"),
        ("Needs SM80 to SM90. Please use another backend.", "Needs SM80 to SM90."),
        ("one two three four five six seven eight nine ten", "one two three four five six seven eight ..."),
        ("on\n   two lines", "on two lines"),
        ("x" * 60, "x" * 40 + " ..."),
    ],
)
def test_words_are_cut_behind_a_sentence_or_a_word(words: str, expected: str) -> None:
    assert expected == shortened(words, 44)


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("major >= 9 and mode == Forward...", "major >= 9 and mode == ..."),
        ("[ Format.ONE, Format.TWO ]", "[Format.ONE, Format.TWO]"),
        ("major >= 9", "major >= 9"),
    ],
)
def test_code_that_was_cut_in_a_word_ends_before_it(code: str, expected: str) -> None:
    assert expected == tidied(code, 44)


def test_a_table_with_the_whole_name_as_its_key_is_said_to_be_asked_so(tmp_path: Path) -> None:
    source = """
        import torch

        SPEEDS = {"NVIDIA H100": 3, "NVIDIA A100": 2}

        def speed():
            device_name = torch.cuda.get_device_name()
            return SPEEDS[device_name]
        """
    said = message(tmp_path, source, "current")
    assert said.startswith("the device name is a key of `SPEEDS`: every name that is not there raises KeyError")
