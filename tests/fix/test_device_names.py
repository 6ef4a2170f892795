"""A test of a device name is made to hold for its own product."""

from __future__ import annotations

from pathlib import Path

import pytest

from hwlint.fix.device_names import tell_names_apart
from hwlint.model.finding import Safety
from hwlint.workflow.fix import fix
from hwlint.workflow.settings import load_settings
from tests.fix.samples import applied, expression_problem


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ('if "H20" in name:\n    x\n', 'if "H20" in name and "H200" not in name:\n    x\n'),
        ("x = 1 if 'H20' in name else 2\n", "x = 1 if 'H20' in name and 'H200' not in name else 2\n"),
        ('return_ = "H20" in name\n', 'return_ = "H20" in name and "H200" not in name\n'),
        ('if big and "H20" in f(0):\n    x\n', 'if big and "H20" in f(0) and "H200" not in f(0):\n    x\n'),
        ('if big or "H20" in name:\n    x\n', 'if big or ("H20" in name and "H200" not in name):\n    x\n'),
        ('while not "H20" in name:\n    x\n', 'while not ("H20" in name and "H200" not in name):\n    x\n'),
    ],
)
def test_a_longer_name_with_a_test_of_its_own_is_left_out(text: str, after: str) -> None:
    part = text[text.index("H20") - 1 : text.index(" in ") + 3]
    whole = text[text.index(part) : text.index("\n")].removesuffix(":").removesuffix(" else 2")
    (found,) = tell_names_apart(expression_problem(text, whole, piece="H20", longer=("H200",)))
    assert applied(text, found) == after
    assert found.safety is Safety.UNSAFE


@pytest.mark.parametrize(
    ("text", "piece", "spelled", "after"),
    [
        ('"l40s" in name', "l40s", "L40S", '"L40S" in name'),
        ("'L40S' in name.lower()", "L40S", "l40s", "'l40s' in name.lower()"),
        ("r'rtx 4090' in name", "rtx 4090", "RTX 4090", "r'RTX 4090' in name"),
        ('"h100" in get_name(0)', "h100", "H100", '"H100" in get_name(0)'),
        ('("a100" in name)', "a100", "A100", '("A100" in name)'),
    ],
)
def test_a_piece_is_spelled_as_the_name_has_it(text: str, piece: str, spelled: str, after: str) -> None:
    (found,) = tell_names_apart(expression_problem(text, text, piece=piece, spelled=spelled))
    assert applied(text, found) == after


@pytest.mark.parametrize(("piece", "longer"), [("H20", None), ("H20", ()), ("H2", ("H20",))])
def test_without_a_test_of_its_own_for_the_longer_name_nothing_is_offered(piece: str, longer: object) -> None:
    assert tell_names_apart(expression_problem('"H20" in name', '"H20" in name', piece=piece, longer=longer)) == ()


def test_in_a_whole_run_only_what_leads_to_a_test_of_its_own_is_told_apart(tmp_path: Path) -> None:
    body = "    if {0!r} in name:\n        return 1\n    if {1!r} in name:\n        return 2\n    return 3\n"
    head = "import torch\n\n\ndef peak():\n    name = torch.cuda.get_device_name()\n"
    (tmp_path / "own.py").write_text(head + body.format("H20", "H200"))
    (tmp_path / "none.py").write_text(head + body.format("L4", "L40"))
    settings = load_settings([tmp_path], isolated=True)
    result = fix([tmp_path], settings, unsafe=True, jobs=1, use_cache=False)
    assert result.changed == ("own.py",)
    assert "if 'H20' in name and 'H200' not in name:" in (tmp_path / "own.py").read_text()
    assert not fix([tmp_path], settings, unsafe=True, jobs=1, use_cache=False).changed
