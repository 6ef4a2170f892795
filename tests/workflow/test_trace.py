"""The recorded crashes are explained as they should be, and what cannot be explained says so."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hwlint.model.crash import Explanation
from hwlint.workflow.settings import Settings, load_settings
from hwlint.workflow.trace import Traced, trace
from hwlint.workflow.trace_clues import toolkit_in

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
LOGS = FIXTURES / "tracebacks" / "logs"
RECORDED = json.loads((FIXTURES / "tracebacks" / "traces.json").read_text(encoding="utf-8"))
CAPABILITY = "torch.cuda.get_device_capability()"


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder that keeps the reports of the samples from one test to the next."""
    return tmp_path_factory.mktemp("cache")


def settings_of(tree: Path, cache: Path) -> Settings:
    return replace(load_settings([tree]), cache_dir=cache)


@pytest.mark.parametrize("entry", RECORDED, ids=lambda entry: entry["log"])
def test_a_recorded_crash_is_explained_as_it_should_be(entry: dict[str, Any], cache: Path) -> None:
    tree = FIXTURES / entry["tree"]
    log = (LOGS / f"{entry['log']}.log").read_text(encoding="utf-8")
    found = trace(log, [tree], settings_of(tree, cache), jobs=1).explanations
    assert [crash["exception"] for crash in entry["crashes"]] == [one.crash.said[:80] for one in found]
    for crash, one in zip(entry["crashes"], found, strict=True):
        if not crash["explained"]:
            assert crash["reason"] == one.reason
            assert crash.get("architectures", []) == list(one.targets)
            continue
        assert one.is_explained, one.reason
        assert crash["place"] == (f"{one.span.path}:{one.span.line}" if one.span else None)
        assert crash["architectures"] == list(one.targets)
        assert crash["finding"] == (one.finding.rule if one.finding else None)
        assert crash["way"] == [f"{step.span.path}:{step.span.line}" for step in one.steps]
        assert set(crash["next"]) <= {f"{each.span.path}:{each.span.line} {each.rule}" for each in one.following}


def test_every_recorded_log_has_its_entry_and_its_line_in_the_guide() -> None:
    logs = sorted(file.stem for file in LOGS.glob("*.log"))
    guide = (FIXTURES / "tracebacks" / "README.md").read_text(encoding="utf-8")
    assert len(logs) >= 15
    assert logs == [entry["log"] for entry in RECORDED]
    assert [] == [log for log in logs if f"| {log} |" not in guide]


def test_the_motivating_crash_leads_over_the_attribute_and_the_import_to_both_tables(cache: Path) -> None:
    tree = FIXTURES / "symmetric_memory"
    log = (LOGS / "tensor-parallel-ranks.log").read_text(encoding="utf-8")
    (one,) = trace(log, [tree], settings_of(tree, cache), jobs=1).explanations
    words = [step.message for step in one.steps]
    assert words[0].startswith("KeyError: 12: raised by the lookup in `MESSAGE_LIMITS`")
    assert "it is kept in self.device_capability" in words
    assert "MESSAGE_LIMITS is imported from peerlink.limits" in words
    assert words[-1] == "MESSAGE_LIMITS is defined here with keys 9, 10"
    assert ("sm_120",) == one.targets
    assert "RTX PRO 6000" in one.because
    assert [47] == [finding.span.line for finding in one.following]
    assert one.finding is not None
    assert one.finding.fixes


def explained(tmp_path: Path, code: str, log: str, name: str = "pkg/mod.py") -> Explanation:
    found = traced(tmp_path, code, log, name).explanations
    assert len(found) == 1
    return found[0]


def traced(tmp_path: Path, code: str, log: str, name: str = "pkg/mod.py") -> Traced:
    file = tmp_path / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(code, encoding="utf-8")
    return trace(log, [tmp_path], load_settings([tmp_path], isolated=True), jobs=1, use_cache=False)


def crash_at(path: str, line: int, function: str, text: str, said: str) -> str:
    return f'Traceback (most recent call last):\n  File "{path}", line {line}, in {function}\n    {text}\n{said}\n'


TWO_TABLES = f"""import torch

ONE = {{8: 1, 9: 2}}
TWO = {{9: 1, 10: 2}}


def one():
    return ONE[{CAPABILITY}[0]]


def two():
    return TWO[{CAPABILITY}[0]]
"""


def test_the_text_and_the_function_count_for_more_than_the_line(tmp_path: Path) -> None:
    log = crash_at("/opt/site-packages/pkg/mod.py", 8, "two", f"return TWO[{CAPABILITY}[0]]", "KeyError: 8")
    one = explained(tmp_path, TWO_TABLES, log)
    assert one.span is not None
    assert 12 == one.span.line
    assert ("sm_80", "sm_86", "sm_87", "sm_88", "sm_89") == one.targets


def test_a_file_of_the_same_name_without_that_text_is_not_taken(tmp_path: Path) -> None:
    log = crash_at("/opt/site-packages/other/mod.py", 8, "two", "return THREE[major]", "KeyError: 8")
    assert "does not lie in the tree" in explained(tmp_path, TWO_TABLES, log).reason


def test_the_tree_may_lie_deeper_or_higher_than_the_installed_package(tmp_path: Path) -> None:
    log = crash_at("/opt/site-packages/pkg/mod.py", 8, "one", f"return ONE[{CAPABILITY}[0]]", "KeyError: 12")
    assert explained(tmp_path, TWO_TABLES, log, "checkout/python/pkg/mod.py").is_explained
    inside = tmp_path / "checkout" / "python" / "pkg"
    assert trace(log, [inside], load_settings([inside], isolated=True), jobs=1, use_cache=False).is_explained


def test_an_installed_file_with_other_text_is_another_version(tmp_path: Path) -> None:
    log = crash_at("/opt/site-packages/pkg/mod.py", 8, "one", "return FOUR[key]", "ValueError: nothing like it")
    one = explained(tmp_path, TWO_TABLES, log)
    assert "another version" in one.reason
    assert one.span is None, "no line of the tree is shown as the one that crashed"


def test_a_function_that_the_tree_s_file_does_not_have_is_another_version(tmp_path: Path) -> None:
    log = crash_at("/opt/site-packages/a/pkg/mod.py", 8, "three", "return FOUR[key]", "ValueError: nothing like it")
    said = "a/pkg/mod.py is that file in the tree and has no function `three`: it is another version"
    assert said in explained(tmp_path, TWO_TABLES, log, "a/pkg/mod.py").reason
    log = log.replace("/opt/site-packages/a/pkg", "/opt/site-packages/b/pkg")
    assert "does not lie in the tree" in explained(tmp_path, TWO_TABLES, log, "a/pkg/mod.py").reason


def test_without_source_text_in_the_log_the_line_number_counts(tmp_path: Path) -> None:
    log = 'Traceback (most recent call last):\n  File "/x/pkg/mod.py", line 8, in one\nKeyError: 12\n'
    assert explained(tmp_path, TWO_TABLES, log).targets == ("sm_120", "sm_121")


@pytest.mark.parametrize(
    ("words", "target"),
    [
        ("NVIDIA GeForce RTX 5070 Ti, 16303 MiB", "sm_120"),
        ("GPU0 NVIDIA GB10 which is of cuda capability 12.1.", "sm_121"),
        ("device capability: (12, 1)", "sm_121"),
    ],
)
def test_a_device_that_the_log_names_tells_which_architecture_it_was(words: str, target: str, tmp_path: Path) -> None:
    log = crash_at("/x/pkg/mod.py", 8, "one", f"return ONE[{CAPABILITY}[0]]", "KeyError: 12")
    assert explained(tmp_path, TWO_TABLES, f"{words}\n{log}").targets == (target,)


@pytest.mark.parametrize(
    "words", ["this kernel requires compute capability 12.1", "supported: sm_80 sm_90 sm_121", "RTX 5090-like speed"]
)
def test_a_demand_or_a_list_is_not_taken_for_a_device(words: str, tmp_path: Path) -> None:
    log = crash_at("/x/pkg/mod.py", 8, "one", f"return ONE[{CAPABILITY}[0]]", "KeyError: 12")
    assert explained(tmp_path, TWO_TABLES, f"{words}\n{log}").targets == ("sm_120", "sm_121")


def test_an_exception_without_frames_is_explained_where_only_one_place_raises_it(tmp_path: Path) -> None:
    one = explained(tmp_path, TWO_TABLES, "worker 3: KeyError: 10")
    assert one.is_explained
    assert one.span is not None
    assert 8 == one.span.line
    assert "2 places of the tree raise the same" in explained(tmp_path, TWO_TABLES, "worker 3: KeyError: 12").reason


TWO_ON_TWO_LINES = f"""import torch

ONE = {{9: 1}}


def both(weights):
    size = ONE[{CAPABILITY}[0]]
    return size, weights[12]
"""


def test_an_equal_exception_of_another_line_is_not_taken_for_the_tables(tmp_path: Path) -> None:
    log = crash_at("/x/pkg/mod.py", 8, "both", "return size, weights[12]", "KeyError: 12")
    assert "depends on the hardware" in explained(tmp_path, TWO_ON_TWO_LINES, log).reason
    log = crash_at("/x/pkg/mod.py", 7, "both", f"size = ONE[{CAPABILITY}[0]]", "KeyError: 12")
    assert explained(tmp_path, TWO_ON_TWO_LINES, log).is_explained


def test_an_equal_exception_that_a_call_on_the_line_raises_is_not_taken_for_the_tables(tmp_path: Path) -> None:
    log = crash_at("/x/pkg/mod.py", 7, "both", f"size = ONE[{CAPABILITY}[0]]", "KeyError: 12")
    inner = '  File "/x/other.py", line 3, in helper\n    return weights[12]\nKeyError: 12\n'
    assert not explained(tmp_path, TWO_ON_TWO_LINES, log.replace("KeyError: 12\n", inner)).is_explained
    inner = inner.replace("helper", "__getitem__")
    assert explained(tmp_path, TWO_ON_TWO_LINES, log.replace("KeyError: 12\n", inner)).is_explained


LETS_IN = f"""import torch


def attention(q, k, v):
    if {CAPABILITY}[0] >= 9:
        from kernels import wgmma_attention_sm90

        return wgmma_attention_sm90(q, k, v)
    return q @ k @ v
"""


def test_what_another_package_refuses_is_explained_by_the_line_that_lets_it_in(tmp_path: Path) -> None:
    log = crash_at("/x/pkg/mod.py", 8, "attention", "return wgmma_attention_sm90(q, k, v)", "")
    log += '  File "/x/kernels/core.py", line 9, in wgmma_attention_sm90\n    raise RuntimeError(message)\n'
    refused = explained(tmp_path, LETS_IN, f"NVIDIA GB10\n{log}RuntimeError: this architecture is not supported\n")
    assert refused.is_explained, refused.reason
    assert ("sm_121",) == refused.targets
    assert refused.finding is not None
    assert not explained(tmp_path, LETS_IN, f"NVIDIA GB10\n{log}RuntimeError: shapes do not match\n").is_explained
    assert not explained(
        tmp_path, LETS_IN, f"NVIDIA H100\n{log}RuntimeError: this architecture is not supported\n"
    ).is_explained


def test_a_file_that_cannot_be_read_is_said(tmp_path: Path) -> None:
    log = crash_at("/x/pkg/mod.py", 8, "one", "return ONE[k]", "KeyError: 12")
    found = traced(tmp_path, "def broken(:\n    get_device_capability\n", log)
    assert found.explanations[0].reason.startswith("pkg/mod.py could not be read: ")
    assert [failure.path for failure in found.failures] == ["pkg/mod.py"]


def test_a_log_without_a_crash_explains_nothing(tmp_path: Path) -> None:
    assert traced(tmp_path, TWO_TABLES, "all is well\n").explanations == ()


def test_a_trace_without_a_warm_cache_goes_through_the_project_once_and_says_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    entry = next(each for each in RECORDED if each["crashes"][0]["explained"])
    tree = FIXTURES / entry["tree"]
    log = (LOGS / f"{entry['log']}.log").read_text(encoding="utf-8")
    calls: list[object] = []
    from hwlint.workflow.observe import observe

    def counted(*given: Any, **named: Any) -> Any:
        calls.append(named.get("only"))
        return observe(*given, **named)

    monkeypatch.setattr("hwlint.workflow.trace.observe", counted)
    cold = trace(log, [tree], settings_of(tree, tmp_path / "cache"), jobs=1)
    assert [None] == calls
    warm = trace(log, [tree], settings_of(tree, tmp_path / "cache"), jobs=1)
    assert 2 == len(calls)
    assert calls[1] is not None
    assert cold.explanations == warm.explanations


LISTS = """import os

os.environ["TORCH_CUDA_ARCH_LIST"] = "8.0 9.0 12.0"
"""


def test_a_target_that_the_toolkit_lacks_leads_to_the_list_that_asks_for_it(tmp_path: Path) -> None:
    one = explained(tmp_path, LISTS, "nvcc fatal   : Unsupported gpu architecture 'compute_120a'\n")
    assert ("sm_120",) == one.targets
    assert one.span is not None
    assert ("pkg/mod.py", 3) == (one.span.path, one.span.line)
    assert "sm_120 is asked for here" in one.steps[-1].message
    assert one.advice.endswith("or take sm_120 out of pkg/mod.py:3 (8.0, 9.0 and 12.0)")


def test_a_target_that_no_list_of_the_tree_has_is_said_to_come_from_elsewhere(tmp_path: Path) -> None:
    one = explained(tmp_path, LISTS, "nvcc fatal   : Unsupported gpu architecture 'compute_103'\n")
    assert one.is_explained
    assert "nothing in the Python files of the tree lists it" in one.headline
    assert "the lists that it has are pkg/mod.py:3" in one.headline


@pytest.mark.parametrize("target", ["compute_122", "compute_native", "compute_"])
def test_a_target_that_does_not_exist_is_said_to(target: str, tmp_path: Path) -> None:
    one = explained(tmp_path, LISTS, f"nvcc fatal   : Unsupported gpu architecture '{target}'\n")
    assert one.reason.startswith(f"`{target}` is no target")


def test_a_kernel_that_the_tree_builds_for_the_device_is_another_ones(tmp_path: Path) -> None:
    log = "GPU 0: NVIDIA GeForce RTX 5090\nRuntimeError: CUDA error: no kernel image is available for execution\n"
    one = explained(tmp_path, LISTS, log)
    assert ("sm_120",) == one.targets
    assert "the tree builds for it (pkg/mod.py:3 (8.0, 9.0 and 12.0))" in one.headline


def test_without_a_list_and_a_device_the_output_says_what_to_add(tmp_path: Path) -> None:
    one = explained(tmp_path, "x = 1\n", "CUDA error: no kernel image is available for execution on the device\n")
    assert not one.is_explained
    assert "nvidia-smi -L" in one.reason
    assert "nothing in the Python files of the tree lists what is built for" in one.reason


def test_a_kernel_image_that_the_tree_leaves_out_has_the_fix_of_its_list(tmp_path: Path) -> None:
    code = LISTS.replace("8.0 9.0 12.0", "8.0 9.0")
    log = "GPU 0: NVIDIA GeForce RTX 5090\nCUDA error: no kernel image is available for execution on the device\n"
    one = explained(tmp_path, code, log)
    assert one.finding is not None
    assert "HW401" == one.finding.rule
    assert one.finding.fixes


def test_a_size_that_nothing_in_the_tree_chooses_is_said_to_be_elsewhere(tmp_path: Path) -> None:
    log = (
        "triton.runtime.errors.OutOfResources: out of resource: shared memory, Required: 147456, Hardware limit: 101376"
    )
    one = explained(tmp_path, "x = 1\n", log)
    assert ("sm_86", "sm_88", "sm_89", "sm_120", "sm_121") == one.targets
    assert "check finds no size in the tree that is too large there" in one.headline


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("FlashAttention only supports Ampere GPUs or newer.", "by its words it was one of sm_35 to sm_75"),
        ("Expected is_sm90 || is_sm8x || is_sm75 to be true, but got false.", "by its words it was sm_35, sm_37"),
        ("expects arch to be one of ['sm_120a'], but got Arch.sm_121a", "its message names it (sm_121)"),
        ("This flash attention build does not support backward.", "what was left out when that package was built"),
        ("CUDA error: an illegal memory access was encountered", "only the exception; nothing in the tree says this"),
    ],
)
def test_the_words_of_another_package_tell_what_they_can(said: str, told: str, tmp_path: Path) -> None:
    one = explained(tmp_path, "x = 1\n", f"RuntimeError: {said}\n")
    assert not one.is_explained
    assert told in one.reason


@pytest.mark.parametrize(
    ("line", "release"),
    [
        ("Cuda compilation tools, release 12.4, V12.4.131", "12.4"),
        ("/usr/local/cuda-12.6/bin/nvcc -c x.cu", "12.6"),
        (r"C:\Program Files\NVIDIA GPU Computing Toolkit\CUDA\v11.1\bin\nvcc.exe", "11.1"),
        ("torch==2.0.1+cu118", "11.8"),
    ],
)
def test_the_release_that_compiled_is_read_off_the_log(line: str, release: str) -> None:
    found = toolkit_in(f"starting\n{line}\n")
    assert found is not None
    assert (release, "line 2") == (found.release, found.text[:6])


def test_what_the_driver_could_do_is_no_release_that_compiled() -> None:
    assert toolkit_in("| NVIDIA-SMI 570.86   Driver Version: 570.86   CUDA Version: 12.8 |") is None
