"""Check the whole graph, its backward questions and its export."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from typing import TYPE_CHECKING

import pytest

from hwlint.graph.build import build, export, import_cycles, importers, subclasses
from hwlint.model.errors import UsageError
from tests.graph.trees import Tree

if TYPE_CHECKING:
    from hwlint.graph.build import Graph

SOURCES = {
    "pkg/__init__.py": "from .base import Base",
    "pkg/base.py": "import torch\nTABLE = {9: 1}\n"
    "class Base:\n    limit = 1\n    def m(self):\n        return TABLE[9]",
    "pkg/one.py": "from pkg import Base\nclass One(Base): ...\nclass Two(One): ...\nfrom . import ring",
    "pkg/ring.py": "from . import one",
    "bad.py": "def (",
}


@pytest.fixture(scope="module")
def graph() -> Graph:
    tree = Tree(SOURCES)
    return build(tree.sources, tree.table, tree.outline, tree.resolver)


def kind(graph: Graph, source: str, target: str) -> str:
    found = graph.edges[source, target]["kind"]
    assert isinstance(found, str)
    return found


def test_nodes_are_modules_and_qualified_names(graph: Graph) -> None:
    expected = {
        "pkg/base.py": "module",
        "pkg/base.py:TABLE": "constant",
        "pkg/base.py:Base": "class",
        "pkg/base.py:Base.m": "function",
        "pkg/base.py:Base.limit": "attribute",
        "pkg/one.py:Base": "alias",
        "torch": "external",
        "bad.py": "module",
    }
    assert expected == {node: graph.nodes[node]["kind"] for node in expected}


def test_edges_say_what_they_stand_for(graph: Graph) -> None:
    assert kind(graph, "pkg/one.py", "pkg/__init__.py") == "imports"
    assert kind(graph, "pkg/one.py:Base", "pkg/base.py:Base") == "binds"
    assert kind(graph, "pkg/one.py:One", "pkg/base.py:Base") == "inherits"
    assert kind(graph, "pkg/base.py:Base.m", "pkg/base.py:TABLE") == "uses"
    assert kind(graph, "pkg/base.py:Base", "pkg/base.py:Base.m") == "defines"


def test_subclasses_are_found_through_re_exports_and_generations(graph: Graph) -> None:
    assert subclasses(graph, "pkg/base.py", "Base") == (("pkg/one.py", "One"), ("pkg/one.py", "Two"))
    assert subclasses(graph, "pkg/base.py", "Nothing") == ()


def test_importers_are_direct_unless_asked_otherwise(graph: Graph) -> None:
    assert importers(graph, "pkg/base.py") == ("pkg/__init__.py",)
    assert importers(graph, "pkg/base.py", indirect=True) == ("pkg/__init__.py", "pkg/one.py", "pkg/ring.py")


def test_import_cycles_name_their_modules(graph: Graph) -> None:
    assert any({"pkg/one.py", "pkg/ring.py"} <= set(ring) for ring in import_cycles(graph))


@pytest.mark.parametrize("form", ["dot", "graphml", "json"])
def test_the_export_is_the_same_whatever_the_order_of_the_files(graph: Graph, form: str) -> None:
    tree = Tree(dict(reversed(SOURCES.items())))
    assert export(graph, form) == export(build(tree.sources, tree.table, tree.outline, tree.resolver), form)


def test_the_exports_can_be_read_back(graph: Graph) -> None:
    assert len(json.loads(export(graph, "json"))["nodes"]) == len(graph)
    assert ET.fromstring(export(graph, "graphml")).tag.endswith("graphml")  # noqa: S314  # our own text
    assert export(graph, "dot").count(" -> ") == graph.number_of_edges()


def test_quotes_in_names_do_not_break_the_dot_file() -> None:
    tree = Tree({'we"ird.py': "x = 1"})
    assert '"we\\"ird.py"' in export(build(tree.sources, tree.table, tree.outline, tree.resolver), "dot")


def test_an_unknown_format_names_the_known_ones(graph: Graph) -> None:
    with pytest.raises(UsageError, match="dot, graphml, json"):
        export(graph, "svg")
