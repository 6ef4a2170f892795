"""What the evaluator once got wrong, as small as it could be made: it agrees with CPython, or does not know."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.evaluate.agreement import compare
from tests.evaluate.sandbox import Program
from tests.evaluate.test_constructs import HEAD

PROGRAMS = dict(
    re.findall(
        r"^## (.+?)\n\n```python\n(.*?)\n```$",
        (Path(__file__).parent / "soundness.md").read_text(encoding="utf-8"),
        re.MULTILINE | re.DOTALL,
    )
)


@pytest.mark.parametrize("name", sorted(PROGRAMS))
def test_a_program_that_was_evaluated_wrongly_is_right_or_unknown(name: str) -> None:
    found = compare(Program(files_of(PROGRAMS[name])))
    assert [] == found.disagreements
    assert not found.unknown or not name.endswith("(known)")


def files_of(text: str) -> dict[str, str]:
    """The modules of a block, by path."""
    parts = re.split(r"^# file: (\S+)\n", text, flags=re.MULTILINE)
    if len(parts) == 1:
        return {"main.py": f"{HEAD}{text}\n"}
    return {name: f"{HEAD}{body}\n" for name, body in zip(parts[1::2], parts[2::2], strict=True)}
