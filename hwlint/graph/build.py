"""Build the whole graph of a tree, for export and for questions that go backwards."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, TypeAlias, assert_never

from hwlint.graph.bindings import BindingKind, Outline
from hwlint.graph.modules import ModuleTable
from hwlint.graph.resolve import Definition, External, Resolution, Resolver, Unresolved
from hwlint.model.errors import UsageError

if TYPE_CHECKING:
    import networkx as nx

    Graph: TypeAlias = "nx.DiGraph[str]"

FORMATS = ("dot", "graphml", "json")

_SHAPES = {"module": "box", "class": "hexagon", "function": "ellipse", "external": "plaintext"}


def build(
    paths: Iterable[str], table: ModuleTable, outlines: Callable[[str], Outline | None], resolver: Resolver
) -> Graph:
    """Return the graph of the given files.

    Nodes are modules (`pkg/a.py`), qualified names (`pkg/a.py:Class.method`) and names of other packages
    (`torch.cuda`), each with a `kind` and, where it has one, a `line`. Edges have a `kind`: `imports` between
    modules, `defines` from owner to member, `binds` from an imported name to what it stands for, `inherits` from
    class to base, `uses` from a function, class or constant to the names of its module that it mentions. A file
    without an outline is a module with nothing in it.
    """
    import networkx as nx

    graph: Graph = nx.DiGraph()
    for path in sorted(paths):
        graph.add_node(path, kind="module", name=table.name_of(path))
        outline = outlines(path)
        if outline is not None:
            _add_names(graph, path, outline)
            _add_imports(graph, path, outline, resolver)
            _add_bases(graph, path, outline, resolver)
            _add_uses(graph, path, outline)
    return graph


def subclasses(graph: Graph, path: str, name: str) -> tuple[tuple[str, str], ...]:
    """List the classes that inherit from a class, directly or not, as (path, qualified name), sorted."""
    start = f"{path}:{name}"
    found: set[str] = set()
    stack = [start]
    while stack:
        node = stack.pop()
        for child in graph.predecessors(node) if node in graph else ():
            if graph.edges[child, node]["kind"] == "inherits" and child not in found:
                found.add(child)
                stack.append(child)
    return tuple(sorted((child.partition(":")[0], child.partition(":")[2]) for child in found - {start}))


def importers(graph: Graph, path: str, *, indirect: bool = False) -> tuple[str, ...]:
    """List the modules that import a module, sorted; with `indirect`, also those that import these, and so on."""
    found: set[str] = set()
    stack = [path]
    while stack:
        node = stack.pop()
        for user in graph.predecessors(node) if node in graph else ():
            if graph.edges[user, node]["kind"] == "imports" and user not in found:
                found.add(user)
                if indirect:
                    stack.append(user)
    return tuple(sorted(found))


def import_cycles(graph: Graph) -> tuple[tuple[str, ...], ...]:
    """List the groups of modules that import each other in a ring, each sorted, the largest group first."""
    import networkx as nx

    edges = [(one, other) for one, other, kind in graph.edges(data="kind") if kind == "imports"]
    groups = nx.strongly_connected_components(nx.DiGraph(edges))
    rings = [tuple(sorted(group)) for group in groups if len(group) > 1]
    return tuple(sorted(rings, key=lambda ring: (-len(ring), ring)))


def export(graph: Graph, form: str) -> str:
    """Return the graph as text, as `dot` (Graphviz), `graphml` or node-link `json`: the same graph, the same text."""
    import networkx as nx

    match form:
        case "dot":
            return _dot(graph)
        case "graphml":
            return "\n".join(nx.generate_graphml(_sorted(graph), named_key_ids=True)) + "\n"
        case "json":
            content = nx.node_link_data(_sorted(graph), edges="edges")
            return json.dumps(content, indent=2, sort_keys=True) + "\n"
    message = f"unknown graph format {form!r}: use one of {', '.join(FORMATS)}"
    raise UsageError(message)


def _add_names(graph: Graph, path: str, outline: Outline) -> None:
    for name, bindings in outline.bindings.items():
        line = bindings[0].line
        if name not in outline.functions and name not in outline.classes:
            imported = all(binding.kind in (BindingKind.IMPORT, BindingKind.FROM) for binding in bindings)
            _add_member(graph, path, name, "alias" if imported else "constant", line)
    for name, line in outline.functions.items():
        _add_member(graph, path, name, "function", line)
    for name, members in outline.members.items():
        _add_member(graph, path, name, "class", _class_line(outline, name))
        for member in sorted(members | outline.attributes.get(name, frozenset())):
            qualified = f"{name}.{member}"
            if qualified not in outline.functions and qualified not in outline.classes:
                _add_member(graph, path, qualified, "attribute", _class_line(outline, name))


def _add_member(graph: Graph, path: str, qualified: str, kind: str, line: int) -> None:
    owner = qualified.rpartition(".")[0]
    node = f"{path}:{qualified}"
    graph.add_node(node, kind=kind, name=qualified, line=line)
    graph.add_edge(f"{path}:{owner}" if owner else path, node, kind="defines")


def _add_imports(graph: Graph, path: str, outline: Outline, resolver: Resolver) -> None:
    for record in outline.imports:
        for target in resolver.resolve_import(path, record.module, record.level, "", record.line):
            _add_edge(graph, path, target, "imports")
    for name, bindings in outline.bindings.items():
        if any(binding.kind in (BindingKind.IMPORT, BindingKind.FROM) for binding in bindings):
            for target in resolver.resolve(path, name):
                _add_edge(graph, f"{path}:{name}", target, "binds")
                if isinstance(target, Definition) and target.kind is BindingKind.MODULE:
                    _add_edge(graph, path, target, "imports")


def _add_bases(graph: Graph, path: str, outline: Outline, resolver: Resolver) -> None:
    for name, bases in outline.classes.items():
        for base in filter(None, bases):
            for target in resolver.resolve_attribute(path, base):
                _add_edge(graph, f"{path}:{name}", target, "inherits")


def _add_uses(graph: Graph, path: str, outline: Outline) -> None:
    for unit in outline.units:
        users = [unit.name] if unit.name else sorted({flow.target for flow in unit.flows} & outline.bindings.keys())
        for user in users:
            for name in sorted((unit.mentions & outline.bindings.keys()) - {user}):
                if not graph.has_edge(f"{path}:{user}", f"{path}:{name}"):
                    graph.add_edge(f"{path}:{user}", f"{path}:{name}", kind="uses")


def _add_edge(graph: Graph, source: str, target: Resolution, kind: str) -> None:
    match target:
        case Definition(path=path, name=name):
            node = f"{path}:{name}" if name else path
        case External(dotted=node):
            graph.add_node(node, kind="external", name=node)
        case Unresolved():
            return
        case _:
            assert_never(target)
    if node != source:
        graph.add_edge(source, node, kind=kind)


def _class_line(outline: Outline, name: str) -> int:
    bindings = outline.bindings.get(name.partition(".")[0], ())
    return bindings[0].line if bindings else 1


def _sorted(graph: Graph) -> Graph:
    """Return a copy whose nodes and edges come in the order of their names."""
    import networkx as nx

    ordered: Graph = nx.DiGraph()
    ordered.add_nodes_from(sorted(graph.nodes(data=True), key=lambda node: node[0]))
    ordered.add_edges_from(sorted(graph.edges(data=True), key=lambda edge: edge[:2]))
    return ordered


def _dot(graph: Graph) -> str:
    lines = ["digraph hwlint {", "  rankdir=LR;"]
    for node, facts in sorted(graph.nodes(data=True), key=lambda item: item[0]):
        shape = _SHAPES.get(facts.get("kind", ""), "oval")
        lines.append(f"  {_quoted(node)} [shape={shape}];")
    for source, target, kind in sorted(graph.edges(data="kind")):
        lines.append(f"  {_quoted(source)} -> {_quoted(target)} [label={_quoted(kind)}];")
    return "\n".join([*lines, "}"]) + "\n"


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
