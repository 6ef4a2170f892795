"""GitHub's line hash, against published values and against its definition."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hwlint.report.sarif.line_hash import line_hashes

GREETING = ["e9496ae3ebfced30", "fb7c023a8b9ccb3f", "ce8ba1a563dcdaca", "e20e36e16fcb0cc8", "b3edc88f2938467e"]
GREETING += ["c8e28b0b4002a3a0", "c129715d7a2bc9a3"]

# Inputs and values of the test "hash" in github/codeql-action, src/fingerprints.test.ts (commit f3f1edbe, MIT).
PUBLISHED = [
    ("", ["c129715d7a2bc9a3:1"]),
    (
        " a\nb\n  \t\tc\n d",
        ["271789c17abda88f:1", "54703d4cd895b18:1", "180aee12dab6264:1", "a23a3dc5e078b07b:1"],
    ),
    (" hello; \t\nworld!!!\r\r\r  \t\tGreetings\r End\r", [f"{value}:1" for value in GREETING]),
    (" hello; \t\r\nworld!!!\r\n\r\n\r\n  \t\tGreetings\r\n End\r\n", [f"{value}:1" for value in GREETING]),
    (" hello; \t\nworld!!!\r\n\n\r  \t\tGreetings\r End\r\n", [f"{value}:1" for value in GREETING]),
    (
        "Lorem ipsum dolor sit amet.\n" * 10,
        [f"a7f2ff13bc495cf2:{count}" for count in range(1, 7)]
        + ["a7f2ff1481e87703:1", "a9cf91f7bbf1862b:1", "55ec222b86bcae53:1", "cc97dc7b1d7d8f7b:1"]
        + ["c129715d7a2bc9a3:1"],
    ),
    (
        "x = 2\nx = 1\nprint(x)\nx = 3\nprint(x)\nx = 4\nprint(x)\n",
        [
            "e54938cc54b302f1:1",
            "bb609acbe9138d60:1",
            "1131fd5871777f34:1",
            "5c482a0f8b35ea28:1",
            "54517377da7028d2:1",
            "2c644846cb18d53e:1",
            "f1b89f20de0d133:1",
            "c129715d7a2bc9a3:1",
        ],
    ),
]


@pytest.mark.parametrize(("text", "expected"), PUBLISHED)
def test_the_published_values_come_out(text: str, expected: list[str]) -> None:
    numbers = range(1, len(expected) + 1)
    assert dict(zip(numbers, expected, strict=True)) == line_hashes(text, set(numbers))


@given(st.text(st.sampled_from("ab \t\r\n\x0c\u2028é日\U0001f680"), max_size=300))
def test_the_hash_is_what_rolling_over_the_text_gives(text: str) -> None:
    expected = _rolled(text)
    assert expected == line_hashes(text, set(expected))


def test_only_wanted_lines_that_exist_are_hashed() -> None:
    assert set(line_hashes("a\nb\nc\n", {2, 99})) == {2}


def _rolled(text: str) -> dict[int, str]:
    """Hash every line by adding one unit at a time, as the description has it, without any shortcut."""
    plain = text.replace("\r\n", "\n").replace("\r", "\n")
    units: list[int] = []
    starts = [0]
    for char in plain:
        if char in " \t":
            continue
        raw = char.encode("utf-16-le")
        units += [int.from_bytes(raw[place : place + 2], "little") for place in range(0, len(raw), 2)]
        if char == "\n":
            starts.append(len(units))
    units += [65535] + [0] * 100
    found: dict[int, str] = {}
    seen: dict[int, int] = {}
    for number, start in enumerate(starts, start=1):
        value = 0
        for unit in units[start : start + 100]:
            value = (value * 37 + unit) % 2**64
        seen[value] = seen.get(value, 0) + 1
        found[number] = f"{value:x}:{seen[value]}"
    return found
