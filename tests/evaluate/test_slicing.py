"""Check which statements of a function are passed over: those that neither mention nor receive a hardware value."""

from __future__ import annotations

import ast
from textwrap import dedent

import pytest

from hwlint.evaluate.slicing import passed_over


def skipped(source: str, *carriers: str) -> list[str]:
    """The statements passed over in the one function of a source."""
    (function,) = ast.parse(dedent(source)).body
    assert isinstance(function, ast.FunctionDef)
    return [ast.unparse(statement) for statement in passed_over(function, frozenset(carriers), frozenset())]


def test_a_call_that_has_nothing_to_do_with_the_hardware_is_passed_over() -> None:
    assert skipped("def f(x):\n    log(x)\n    choose(capability)\n", "capability") == ["log(x)"]


def test_a_variable_is_not_an_attribute_of_the_same_name() -> None:
    source = "def f(self, size):\n    work(size)\n    use(self.size)\n    use(other.size)\n"
    assert skipped(source, ".size") == ["work(size)"]
    assert skipped(source, "size") == ["use(self.size)"]


@pytest.mark.parametrize("options", ["num_stages=5", "BLOCK_M=128", "smem_bytes=size"])
def test_the_launch_of_a_kernel_in_a_given_size_is_never_passed_over(options: str) -> None:
    assert skipped(f"def f(x):\n    kernel(x, {options})\n    kernel(x, axis=1)\n") == ["kernel(x, axis=1)"]


def test_what_is_made_of_a_class_that_asks_the_hardware_is_followed() -> None:
    source = """
        def f(x):
            class Inner(Base):
                def __init__(self):
                    super().__init__(device_number())

            class Other(Base):
                pass

            one = Inner(x)
            one.trace(x)
            two = Other(x)
            two.trace(x)
    """
    assert skipped(source, "device_number") == ["two = Other(x)", "two.trace(x)"]


@pytest.mark.parametrize("call", ["sys.exit('no')", "exit(1)", "os._exit(1)", "os.abort()"])
def test_a_call_that_ends_the_program_is_never_passed_over(call: str) -> None:
    assert skipped(f"def f(x):\n    {call}\n    log(x)\n") == ["log(x)"]
