"""Check `hwlint graph`: every format, on a file or standard output, of all modules or of those that matter."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from hwlint.cli import run

_KERNEL = (
    "import torch\nfrom limits import TABLE\n\ndef rows():\n    return TABLE[torch.cuda.get_device_capability()[0]]\n"
)


@pytest.fixture(autouse=True)
def _in_a_small_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "hwlint.toml").write_text("")
    (tmp_path / "kernel.py").write_text(_KERNEL)
    (tmp_path / "limits.py").write_text("TABLE = {9: 1}\n")
    (tmp_path / "words.py").write_text("GREETING = 'hello'\n")
    monkeypatch.chdir(tmp_path)


def test_json_holds_nodes_with_their_kind_and_edges_with_theirs(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["graph", "--output-format", "json"]) == 0
    graph = json.loads(capsys.readouterr().out)
    kinds = {node["id"]: node["kind"] for node in graph["nodes"]}
    assert kinds["kernel.py"] == "module"
    assert kinds["limits.py:TABLE"] == "constant"
    edges = {(edge["source"], edge["target"]): edge["kind"] for edge in graph["edges"]}
    assert edges["kernel.py", "limits.py"] == "imports"
    assert edges["kernel.py:TABLE", "limits.py:TABLE"] == "binds"


def test_dot_is_the_default(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["graph"]) == 0
    assert capsys.readouterr().out.startswith("digraph hwlint {")


def test_graphml_is_xml(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["graph", "--output-format", "graphml"]) == 0
    assert ET.fromstring(capsys.readouterr().out).tag.endswith("graphml")  # noqa: S314 - our own output


def test_the_graph_is_written_to_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["graph", "--output-format", "json", "--output-file", "graph.json"]) == 0
    assert capsys.readouterr().out == ""
    assert json.loads((tmp_path / "graph.json").read_text())["directed"] is True


def test_one_file_gives_its_own_names_and_what_they_refer_to(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["graph", "kernel.py"]) == 0
    dot = capsys.readouterr().out
    assert '"kernel.py:TABLE" -> "limits.py:TABLE"' in dot
    assert "words.py" not in dot


def test_reached_leaves_out_what_no_hardware_value_can_reach(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["graph", "--reached"]) == 0
    dot = capsys.readouterr().out
    assert '"kernel.py"' in dot
    assert "words.py" not in dot


def test_a_file_that_cannot_be_parsed_is_named_and_the_rest_is_there(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "broken.py").write_text("def (:\n")
    assert run(["graph"]) == 3
    written = capsys.readouterr()
    assert "broken.py:1" in written.err
    assert '"kernel.py"' in written.out


def test_an_unknown_format_is_refused_with_the_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["graph", "--output-format", "graphm"]) == 2
    assert "graphml" in capsys.readouterr().err
