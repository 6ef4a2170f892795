"""What runs in the user's interpreter stands alone and is readable by Python 3.8."""

from __future__ import annotations

import ast
import sys
from importlib.resources import files
from pathlib import Path

import pytest

FOLDER = Path(str(files("hwlint.confirm")))
SCRIPTS = sorted([*FOLDER.glob("children/*.py"), *FOLDER.glob("probes/*.py")])
BESIDE = {"supervise", "torch", "triton", "pynvml"}


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_a_child_script_parses_as_python_3_8(path: Path) -> None:
    tree = ast.parse(path.read_text(), feature_version=(3, 8))
    assert any(isinstance(node, ast.ImportFrom) and node.module == "__future__" for node in tree.body)


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_a_child_script_imports_nothing_but_the_standard_library_and_what_it_tries(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_text())):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [node.module or ""]
        roots = {name.partition(".")[0] for name in names}
        assert roots <= (set(sys.stdlib_module_names) | BESIDE), f"{path.name}: {roots}"
