"""How a test picks the architectures that pass it."""

from __future__ import annotations

import ast

import pytest

from hwlint.evaluate.forms import Form, form_of


class _Everything:
    def __contains__(self, node: object) -> bool:
        return True


class _NoFlags:
    """Everything but names that start with `flag`."""

    def __contains__(self, node: object) -> bool:
        return not (isinstance(node, ast.Name) and node.id.startswith("flag"))


@pytest.mark.parametrize(
    ("text", "when_true", "when_false"),
    [
        ("cap in (9, 10)", Form.NAMED, Form.REST),
        ("cap not in (9, 10)", Form.REST, Form.NAMED),
        ("cap >= 9", Form.LEAST, Form.MOST),
        ("9 <= cap", Form.LEAST, Form.MOST),
        ("9 <= cap < 11", Form.NAMED, Form.REST),
        ("cap >= 9 and cap < 11", Form.NAMED, Form.REST),
        ("cap < 9 or cap > 11", Form.REST, Form.NAMED),
        ("cap == 9 or cap == 10", Form.NAMED, Form.REST),
        ("not (cap == 9)", Form.REST, Form.NAMED),
        ("is_sm90()", Form.BARE, Form.REST),
        ("cap is None", Form.OTHER, Form.OTHER),
    ],
)
def test_a_test_and_its_opposite_pick_differently(text: str, when_true: Form, when_false: Form) -> None:
    test = ast.parse(text, mode="eval").body
    assert (when_true, when_false) == (
        form_of(test, _Everything(), truth=True),
        form_of(test, _Everything(), truth=False),
    )


def test_parts_that_the_hardware_does_not_decide_have_no_say() -> None:
    test = ast.parse("flag and cap >= 9", mode="eval").body
    assert form_of(test, _NoFlags(), truth=True) is Form.LEAST
