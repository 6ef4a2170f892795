"""Tracebacks are found in logs whatever is around them, and nothing else is taken for one."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hwlint.model.crash import Crash
from hwlint.source.crash_log import MOST_CRASHES, read_log

PLAIN = """Traceback (most recent call last):
  File "/opt/site-packages/pkg/mod.py", line 31, in size
    return TABLE[major]
           ~~~~~^^^^^^^
KeyError: 12
"""


def one(text: str) -> Crash:
    (crash,) = read_log(text)
    return crash


def told(crash: Crash) -> tuple[str, list[tuple[str, int, str, str]]]:
    return crash.said, [(frame.path, frame.line, frame.function, frame.text) for frame in crash.frames]


EXPECTED = ("KeyError: 12", [("/opt/site-packages/pkg/mod.py", 31, "size", "return TABLE[major]")])


def prefixed(prefix: str) -> str:
    return "".join(f"{prefix}{line}\n" for line in PLAIN.splitlines())


def test_a_plain_traceback_has_its_frames_and_its_exception() -> None:
    crash = one(PLAIN)
    assert told(crash) == EXPECTED
    assert (crash.whole, crash.log_line, crash.frames[0].log_line) == (True, 5, 2)


@pytest.mark.parametrize(
    "prefix",
    [
        "(EngineCore_DP0 pid=120) ERROR 01-28 06:36:45 [core.py:946] ",
        "model-server  | (APIServer pid=1) ",
        "0000-steps/0 [default6]:[rank6]: ",
        "2026-07-15T14:35:11.454412+0800 host bash[2860811]: ",
        "31.59 ",
        "> ",
        "    ",
        "  | ",
        "\x1b[36m(RayWorkerWrapper pid=2213, ip=10.0.0.7)\x1b[0m \x1b[31mERROR\x1b[0m ",
    ],
)
def test_what_a_logger_puts_before_each_line_does_not_matter(prefix: str) -> None:
    assert told(one(prefixed(prefix))) == EXPECTED


def test_times_in_a_prefix_may_differ_from_line_to_line() -> None:
    rows = [f"[2026-01-01 12:00:0{second}.123 TP0] {row}" for second, row in enumerate(PLAIN.splitlines())]
    assert told(one("\n".join(rows))) == EXPECTED


def test_only_the_first_line_of_a_record_may_have_a_prefix() -> None:
    assert told(one(f"[2026-01-01 12:00:00 TP0] Scheduler hit an exception: {PLAIN}")) == EXPECTED


def test_interleaved_processes_are_told_apart_by_their_prefixes() -> None:
    left = prefixed("(worker=0) ").splitlines()
    right = prefixed("(worker=1) ").replace("12", "11").replace("size", "other").splitlines()
    mixed = "\n".join(row for pair in zip(left, right, strict=True) for row in pair)
    assert ["KeyError: 12", "KeyError: 11"] == [crash.said for crash in read_log(mixed)]
    assert ["size", "other"] == [crash.frames[0].function for crash in read_log(mixed)]


def test_a_chain_remembers_what_came_first() -> None:
    text = f"{PLAIN}\nDuring handling of the above exception, another exception occurred:\n\n" + PLAIN.replace(
        "KeyError: 12", "RuntimeError: unknown"
    )
    first, second = read_log(text)
    assert (first.follows, second.follows) == (None, 0)
    assert second.said == "RuntimeError: unknown"


def test_two_tracebacks_in_a_row_are_no_chain() -> None:
    first, second = read_log(PLAIN + PLAIN.replace("12", "11"))
    assert (first.follows, second.follows) == (None, None)


def test_equal_crashes_of_several_processes_are_counted() -> None:
    assert one(prefixed("(worker=0) ") + prefixed("(worker=1) ")).times == 2


def test_a_traceback_that_is_cut_off_has_no_exception() -> None:
    crash = one("\n".join(PLAIN.splitlines()[:3]))
    assert (crash.exception, crash.whole, len(crash.frames)) == ("", False, 1)


def test_a_traceback_without_its_head_is_not_whole() -> None:
    crash = one("\n".join(PLAIN.splitlines()[1:]))
    assert told(crash) == EXPECTED
    assert not crash.whole


def test_a_log_whose_newest_line_comes_first_is_read_from_its_end() -> None:
    assert told(one("\n".join(reversed(PLAIN.splitlines())))) == EXPECTED


def test_log_lines_between_frames_are_not_taken_for_the_exception() -> None:
    rows = PLAIN.splitlines()
    noisy = [*rows[:4], "INFO: Started server process", "WARNING  retrying", rows[4]]
    assert told(one("\n".join(noisy))) == EXPECTED


def test_lost_indentation_and_a_word_processors_quotes() -> None:
    text = "\n".join(row.strip().replace('"', "”") for row in PLAIN.splitlines() if "~" not in row)
    assert told(one(text)) == EXPECTED


def test_the_newer_notebook_form() -> None:
    text = """KeyError                                  Traceback (most recent call last)
File /opt/site-packages/pkg/mod.py:31, in Sizes.size(self, device)
     29     pass
     30
---> 31 return TABLE[major]

KeyError: 12
"""
    assert told(one(text)) == EXPECTED


def test_a_multi_line_call_keeps_its_first_line() -> None:
    text = """Traceback (most recent call last):
  File "mod.py", line 180, in __init__
    self.attention = Attention(
                     ~~~~~~~~~^
        config=config,
        ^^^^^^^^^^^^^^
    ...<2 lines>...
    )
    ^
NotImplementedError: compute capability 6.1
"""
    crash = one(text)
    assert ("NotImplementedError", "self.attention = Attention(") == (crash.exception, crash.frames[0].text)


def test_the_lines_of_a_long_message_are_details() -> None:
    text = PLAIN.replace(
        "KeyError: 12", "PTXASError: failed\n`ptxas` stderr:\nptxas fatal   : Value 'sm_121a' is not defined"
    )
    assert one(text).details[-1] == "ptxas fatal   : Value 'sm_121a' is not defined"
    assert one(f"{PLAIN}[2026-01-01 00:00:00] another record").details == ()


def test_a_log_that_has_lost_the_frames_still_names_its_exception() -> None:
    crash = one("[16:10:33] stdout/INFO  triton.runtime.errors.OutOfResources: out of resource: shared memory")
    assert (crash.type, crash.frames) == ("OutOfResources", ())


@pytest.mark.parametrize(
    "text", ["", "\n\n", "all is well\n", "KeyError\n", "\x00\xff", "Traceback (most recent call last):\n"]
)
def test_a_log_without_a_crash_has_none(text: str) -> None:
    assert read_log(text) == ()


def test_an_endless_log_is_not_read_for_ever() -> None:
    text = "".join(PLAIN.replace("12", str(number)) for number in range(MOST_CRASHES + 50))
    assert len(read_log(text)) == MOST_CRASHES


PIECES = st.sampled_from(
    [
        *PLAIN.splitlines(),
        "During handling of the above exception, another exception occurred:",
        "[2026-01-01 12:00:00 TP0] ",
        "---> 31 return TABLE[major]",
        "/opt/pkg/mod.py in size(device)",
        "│ /opt/pkg/mod.py:31 in size │",
        "│ ❱ 31 │ return TABLE[major] │",
        "E   KeyError: 12",
        "pkg/mod.py:31: KeyError",
        "- **Exception Type:** KeyError",
        "## Stack Trace",
        "> ",
        "\x1b[31m",
        "(worker=0) ",
        "",
    ]
)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.lists(PIECES, min_size=1, max_size=2).map("".join), max_size=25))
def test_no_mixture_of_lines_stops_the_reader(rows: list[str]) -> None:
    found = read_log("\n".join(rows))
    assert all(crash.follows is None or crash.follows < position for position, crash in enumerate(found))
    assert all(0 < frame.log_line <= len(rows) for crash in found for frame in crash.frames)


@pytest.mark.parametrize("line", ["a." * 100_000, "A" * 200_000, "│" * 100_000, " " * 200_000, '  File "' * 20_000])
def test_a_hostile_line_costs_no_time(line: str) -> None:
    began = time.monotonic()
    read_log(f"{PLAIN}{line}\n{line}: KeyError: 1\n")
    assert time.monotonic() - began < 5


@pytest.mark.parametrize("before", ["", "stdout F ", "2026-03-02T08:14:10Z pod-7 "])
def test_a_log_of_json_objects_is_read_through_their_texts(before: str) -> None:
    rows = [json.dumps({"log": line + "\n", "stream": "stderr"}) for line in PLAIN.splitlines()]
    by_line = "".join(f"{before}{row}\n" for row in rows)
    assert EXPECTED == told(one(by_line))
    whole = f"{before}{json.dumps({'level': 'error', 'fields': {'exc_info': PLAIN}})}\n"
    assert EXPECTED == told(one(whole))
    assert 1 == one(whole).log_line


def test_frames_that_a_structured_logger_took_apart_are_put_together() -> None:
    frames = [{"filename": "/opt/site-packages/pkg/mod.py", "lineno": 31, "name": "size"}]
    crash = one(json.dumps({"exception": [{"exc_type": "KeyError", "exc_value": "12", "frames": frames}]}))
    assert ("KeyError: 12", [("/opt/site-packages/pkg/mod.py", 31, "size", "")]) == told(crash)
    collected = {"type": "KeyError", "value": "12", "stacktrace": {"frames": frames}}
    assert told(crash) == told(one(json.dumps({"exception": {"values": [collected]}})))


def test_json_that_holds_no_text_of_a_program_is_left_as_it_is() -> None:
    assert () == read_log('{"a": 1}\n{"b": [{"frames": 3}, {"frames": [1, {"lineno": "x"}]}]}\n{"broken": \n')


def test_the_code_that_a_compiler_was_given_is_where_its_exception_comes_from() -> None:
    crash = one(
        PLAIN.replace("KeyError: 12", "torch._dynamo.exc.InternalTorchDynamoError: KeyError: 12")
        + '\nfrom user code:\n   File "/srv/app/user.py", line 7, in forward\n    return T[k]\n\nSet TORCHDYNAMO'
    )
    assert "KeyError: 12" == crash.said
    assert [("/opt/site-packages/pkg/mod.py", 31), ("/srv/app/user.py", 7)] == [
        (frame.path, frame.line) for frame in crash.frames
    ]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (
            "nvcc fatal   : Unsupported gpu architecture 'compute_120'",
            "nvcc fatal: Unsupported gpu architecture 'compute_120'",
        ),
        ("nvcc fatal : Value 'sm_89' is not defined for option 'gpu-architecture'", "nvcc fatal: Value 'sm_89' is"),
        (
            "W asm.cc:235] The ptxas error was: ptxas fatal   : Value 'sm_86' is not defined for option 'gpu-name'",
            "ptxas fatal: V",
        ),
        (
            "clang++: error: unsupported HIP gpu architecture: gfx1200",
            "clang++ error: unsupported HIP gpu architecture: gfx1200",
        ),
        ("0.17 E CUDA error: no kernel image is available for execution on the device", "CUDA error: no kernel image"),
        ("Check failed: error == cudaSuccess (48 vs. 0)  no kernel image is available", "CUDA error: no kernel image"),
        ("HIP error: Invalid device function", "HIP error: Invalid device function"),
        (
            '"hipErrorNoBinaryForGpu: Unable to find code object for all current devices!"',
            "HIP error: hipErrorNoBinaryForGpu",
        ),
        (
            "NVRTC compilation error: nvrtc: error: invalid value for --gpu-architecture (-arch)",
            "nvrtc error: invalid value",
        ),
    ],
)
def test_what_a_compiler_or_a_device_refuses_is_a_crash_without_frames(line: str, said: str) -> None:
    crash = one(f"starting\n{line}\ndone\n")
    assert crash.said.startswith(said)
    assert ((), 2) == (crash.frames, crash.log_line)


def test_a_build_that_failed_is_told_once_with_the_words_of_its_compiler() -> None:
    log = PLAIN.replace("KeyError: 12", "RuntimeError: Error building extension 'ops'")
    crash = one(f"nvcc fatal   : Unsupported gpu architecture 'compute_120'\n{log}")
    assert "RuntimeError" == crash.type
    assert ("nvcc fatal: Unsupported gpu architecture 'compute_120'",) == crash.details


def test_a_refusal_beside_a_crash_of_another_kind_is_told_as_well() -> None:
    found = read_log(f"nvcc fatal   : Unsupported gpu architecture 'compute_120'\n{PLAIN}")
    assert ["KeyError", "nvcc fatal"] == [crash.exception for crash in found]


def test_a_refusal_that_a_log_repeats_is_counted() -> None:
    assert 3 == one("CUDA error: invalid device function\n" * 3).times


def test_a_long_log_of_refusals_takes_no_longer_than_another() -> None:
    begun = time.monotonic()
    read_log("x" * 3900 + " error: no kernel " + "y" * 50 + "\n" + ("nvcc " * 700 + "\n") * 2000)
    assert time.monotonic() - begun < 10
