"""Which bytes hold a name."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hwlint.model.errors import RuleError
from hwlint.source.needles import MAX_PROBES, ask, compile_needles, words

MANY = [f"filler_{number}_{number * 7919}" for number in range(MAX_PROBES * 2)]


@pytest.mark.parametrize("others", [[], MANY], ids=["searched", "split"])
@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"torch.cuda.get_device_capability()[0]", True),
        (b"getattr(x, 'get_device_capability')", True),
        (b"get_device_capability", True),
        (b"my_get_device_capability()", False),
        (b"get_device_capability_of()", False),
        ("éget_device_capability".encode(), False),
        (b"", False),
    ],
)
def test_a_name_counts_as_a_whole_word_only(others: list[str], data: bytes, expected: bool) -> None:  # noqa: FBT001
    needles = compile_needles(["get_device_capability", "gcnArchName", *others])
    assert needles.found(data) is expected
    assert needles.names(data) == (frozenset({"get_device_capability"}) if expected else frozenset())


def test_no_names_find_nothing() -> None:
    assert not compile_needles([]).found(b"anything")


def test_a_longer_name_is_told_from_the_shorter_one_inside_it() -> None:
    needles = compile_needles(["device_capability", "get_device_capability"])
    assert needles.probes == (b"device_capability",)
    assert needles.names(b"get_device_capability") == {"get_device_capability"}


@pytest.mark.parametrize("name", ["", "a.b", "sm-90", "9a"])
def test_what_is_no_identifier_is_refused(name: str) -> None:
    with pytest.raises(RuleError, match="not an identifier"):
        compile_needles([name])


@given(st.text(alphabet="ab_1 .é", max_size=30), st.sets(st.sampled_from(["a", "ab", "b", "_a", "aé", "ba1"])))
def test_names_are_those_that_stand_between_word_boundaries(text: str, names: set[str]) -> None:
    expected = {name for name in names if re.search(rf"(?<!\w){name}(?!\w)", text)}
    data = text.encode()
    assert compile_needles(names).names(data) == expected
    assert compile_needles(names).found(data) is bool(expected)
    assert {word.decode() for word in words(data)} >= expected


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"x.max_size", {"max_size", ".max_size"}),
        (b"max_size = 3", {"max_size"}),
        (b"getattr(x, 'max_size')", {"max_size", ".max_size"}),
        (b'getattr(x, "max_size")', {"max_size", ".max_size"}),
        (b"x.max_size_of", set()),
    ],
)
def test_a_name_with_a_dot_in_front_is_found_only_as_an_attribute(data: bytes, expected: set[str]) -> None:
    assert ask([b"max_size", b".max_size"]).found(data, words(data)) == expected
