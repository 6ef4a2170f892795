"""Check the recipes for CI: their YAML, the options they use, and the script of the action with a real run."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import click
import pytest

from hwlint.cli.commands import hwlint

CHECKOUT = Path(__file__).resolve().parents[1]
PAGE = CHECKOUT / "docs" / "ci.md"
SAMPLE = CHECKOUT / "fixtures" / "symmetric_memory"
SCRIPT = CHECKOUT / "tools" / "ci" / "action.sh"


def yaml_of(text: str) -> Any:
    """Parse YAML with what pre-commit, a development dependency, brings along."""
    yaml = pytest.importorskip("yaml", reason="NOT TESTED: no PyYAML; pip install '.[dev]' brings it")
    return yaml.safe_load(text)


def fences(kind: str) -> list[str]:
    """Return the code blocks of the page that are marked with `kind`."""
    return re.findall(rf"^```{kind}\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


def test_every_yaml_block_of_the_page_parses() -> None:
    blocks = fences("yaml")
    assert 4 == len(blocks)
    assert all(yaml_of(block) for block in blocks)


def test_the_workflow_uses_inputs_that_the_action_has() -> None:
    action = yaml_of((CHECKOUT / "action.yml").read_text(encoding="utf-8"))
    workflow = yaml_of(fences("yaml")[0])
    (step,) = [each for each in workflow["jobs"]["hwlint"]["steps"] if "hwlint" in each["uses"]]
    assert set(step["with"]) <= set(action["inputs"])
    named = re.search(r"^Inputs: (.*?)\. What", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    assert named is not None
    assert set(action["inputs"]) == set(re.findall(r"`([a-z-]+)`", named[1]))


def test_no_input_of_the_action_becomes_text_of_a_script() -> None:
    action = yaml_of((CHECKOUT / "action.yml").read_text(encoding="utf-8"))
    assert [] == [step for step in action["runs"]["steps"] if "${{" in step.get("run", "")]


def test_every_command_of_the_page_has_the_options_it_uses() -> None:
    lines = [
        line for line in PAGE.read_text(encoding="utf-8").splitlines() if re.search(r"\bhwlint (check|matrix) ", line)
    ]
    assert len(lines) >= 8
    for line in lines:
        found = re.search(r"\bhwlint (check|matrix)\b([^`#|&]*)", line)
        assert found is not None
        command = hwlint.get_command(click.Context(hwlint), found[1])
        assert command is not None
        known = {name for parameter in command.params for name in (*parameter.opts, *parameter.secondary_opts)}
        used = {word for word in shlex.split(found[2]) if word.startswith("--")}
        assert used <= known, line


def run_action(project: Path, folder: Path, **inputs: str) -> tuple[int, str, dict[str, str]]:
    """Run the action's script in `project` as a runner would; return its status, what it printed, and its outputs."""
    programs = folder / "bin"
    programs.mkdir()
    program = programs / "hwlint"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m hwlint "$@"\n')
    program.chmod(0o755)
    output, summary = folder / "output", folder / "summary"
    environment = {
        **os.environ,
        "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(CHECKOUT),
        "GITHUB_OUTPUT": str(output),
        "GITHUB_STEP_SUMMARY": str(summary),
        "HWLINT_INSTALLED": "1",
        "HWLINT_SARIF": str(folder / "hwlint.sarif"),
        "NO_COLOR": "1",
        **inputs,
    }
    done = subprocess.run(
        ["bash", str(SCRIPT)], cwd=project, env=environment, capture_output=True, text=True, check=False
    )
    told = dict(line.split("=", 1) for line in output.read_text().splitlines()) if output.exists() else {}
    return done.returncode, done.stdout + done.stderr, told


def test_the_action_writes_sarif_prints_the_findings_and_leaves_failing_to_a_later_step(tmp_path: Path) -> None:
    project = Path(shutil.copytree(SAMPLE, tmp_path / "project"))
    status, printed, told = run_action(
        project, tmp_path, HWLINT_PATHS="peerlink\n.", HWLINT_TARGETS="sm_90,sm_120", HWLINT_ARGS="--select HW101"
    )
    assert (0, {"status": "1"}) == (status, told)
    assert "KeyError: 12" in printed
    assert "KeyError: 11" not in printed
    log = json.loads((tmp_path / "hwlint.sarif").read_text())
    assert {"HW101"} == {result["ruleId"] for result in log["runs"][0]["results"]}
    assert "    peerlink/communicator.py" in (tmp_path / "summary").read_text()


def test_the_action_fails_on_wrong_usage_and_runs_nothing_of_its_inputs(tmp_path: Path) -> None:
    status, printed, told = run_action(
        SAMPLE, tmp_path, HWLINT_ARGS="--no-cache --selct $(touch${IFS}made) `touch made`"
    )
    assert (2, {}) == (status, told)
    assert "--selct" in printed
    assert not (SAMPLE / "made").exists()
