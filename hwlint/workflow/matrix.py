"""Work out what a code base does on each architecture, and compare two architectures or two revisions."""

from __future__ import annotations

import gc
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from hwlint import __version__
from hwlint.hardware.additions import extend
from hwlint.hardware.table import Catalogue, load
from hwlint.hardware.targets import parse_targets
from hwlint.judge.cells import Desk, sites_of
from hwlint.model.errors import UsageError
from hwlint.model.finding import Finding
from hwlint.model.matrix import Cell, Matrix, Row, Site, Status, status_of, worst
from hwlint.model.observation import Observation
from hwlint.rulebook.rules import load_rules
from hwlint.source.skeleton import Definition, Skeleton, skeleton
from hwlint.workflow.cache import Cache
from hwlint.workflow.cores import usable_cores
from hwlint.workflow.fresh import analyse
from hwlint.workflow.observe import observe
from hwlint.workflow.scope import Scope, survey
from hwlint.workflow.settings import Settings
from hwlint.workflow.sources import Sources

_NOTHING = Skeleton({}, {})


def matrix(paths: Sequence[Path], settings: Settings, *, jobs: int | None = None, use_cache: bool = True) -> Matrix:
    """Return the whole matrix of `paths`: a row for every file, class and function that depends on the hardware.

    Where nothing changed since a run with the same settings it comes from the cache. Raises UsageError or
    SettingsError for what the user has to mend first.
    """
    collecting = gc.isenabled()
    gc.disable()
    try:
        scope = survey(paths, settings, {})
        cache = Cache(settings.cache_dir) if use_cache else None
        key = f"{cache.key(scope, settings)}-matrix" if cache is not None else ""
        kept = cache.load(key, Matrix) if cache is not None else None
        if kept is not None:
            catalogue = extend(load(), settings.architectures)
            return replace(kept, architectures=parse_targets(",".join(settings.targets), catalogue))
        made = _analysed(scope, settings, jobs or usable_cores())
        if cache is not None:
            # The architectures are those of the settings, and the catalogue belongs to the key.
            cache.store(key, replace(made, architectures=()))
        return made
    finally:
        if collecting:
            gc.enable()


def _analysed(scope: Scope, settings: Settings, jobs: int) -> Matrix:
    seen = observe(scope, settings, jobs, also=draw_skeletons)
    report = analyse(scope, settings, jobs, seen=seen)
    tags = {rule.id: frozenset(rule.info.tags) for rule in load_rules(settings.extend_rules).rules}
    names = tuple(row.name for row in seen.targets)
    observed = _by_function(seen.observations, scope.reported)
    found: dict[str, dict[str, list[Finding]]] = defaultdict(lambda: defaultdict(list))
    for finding in report.findings:
        if finding.targets:
            found[finding.span.path][finding.symbol].append(finding)
    rows: list[Row] = []
    for path in sorted({*observed, *found}):
        outline = seen.also.get(path) or draw_skeletons(scope.sources, [path]).get(path, _NOTHING)
        desk = Desk(outline.forks, names, tags)
        sites: dict[str, tuple[Site, ...]] = {}
        for symbol in {*observed[path], *found[path]}:
            made = sites_of(observed[path][symbol], found[path][symbol], desk)
            if made:
                sites[symbol] = made
        if sites:
            rows += _rows(path, sites, outline, len(names))
    return Matrix(__version__, seen.targets, tuple(rows), report.failures, len(scope.files))


def draw_skeletons(sources: Sources, paths: Sequence[str]) -> dict[str, Skeleton]:
    """Stage: the skeleton of each file that can be read."""
    loaded = {path: sources.load(path) for path in paths}
    return {path: skeleton(found[0]) for path, found in loaded.items() if found is not None}


def matrix_of_two(
    paths: Sequence[Path],
    settings: Settings,
    names: tuple[str, str],
    *,
    jobs: int | None = None,
    use_cache: bool = True,
) -> Matrix:
    """Return where two architectures are treated differently; UsageError where a name is not that of one."""
    catalogue = extend(load(), settings.architectures)
    pair = [_one(name, catalogue) for name in names]
    if pair[0] == pair[1]:
        raise UsageError(f"--diff compares two architectures, and `{names[0]}` and `{names[1]}` are the same")
    both = matrix(paths, replace(settings, targets=tuple(pair)), jobs=jobs, use_cache=use_cache)
    return between(both, pair[0], pair[1])


def between(whole: Matrix, first: str, second: str) -> Matrix:
    """Narrow a matrix to two of its architectures and to the rows on which they differ, with the rows these lie in.

    The names are those of `whole.architectures`.
    """
    order = [row.name for row in whole.architectures]
    bits = (order.index(first), order.index(second))
    rows = [_with_bits(row, bits) for row in whole.rows]
    differing = _kept_with_parents(rows, [_differs(row) for row in rows])
    chosen = tuple(whole.architectures[bit] for bit in bits)
    return replace(whole, architectures=chosen, rows=tuple(differing), compared=f"{first} with {second}")


def since(new: Matrix, old: Matrix, revision: str) -> Matrix:
    """Narrow `new` to the rows whose cells are not what they were in `old`; rows that went are kept, marked as gone.

    Both are over the same architectures. Of a row that is new every cell says that it was `not reached`.
    """
    before = {(row.path, row.symbol): row for row in old.rows}
    rows: list[Row] = []
    changed: list[bool] = []
    for row in new.rows:
        earlier = before.pop((row.path, row.symbol), None)
        rows.append(row if earlier is None and not row.sites else _against(row, earlier))
        changed.append(any(cell.was is not None for cell in rows[-1].cells) and bool(row.sites))
    for row in before.values():
        nothing = tuple(Cell(Status.NOT_REACHED, was=cell.status) for cell in row.cells)
        rows.append(replace(row, cells=nothing, sites=(), gone=True))
        changed.append(bool(row.sites))
    order = sorted(range(len(rows)), key=lambda at: (rows[at].path, rows[at].gone, at))
    kept = _kept_with_parents([rows[at] for at in order], [changed[at] for at in order])
    return replace(new, rows=tuple(kept), compared=f"since {revision}")


def _one(name: str, catalogue: Catalogue) -> str:
    """The architecture that `name` spells, as `--targets` understands it."""
    found = [row.name for row in parse_targets(name, catalogue)]
    if len(found) > 1:
        raise UsageError(f"--diff takes two single architectures, and `{name}` names {len(found)}: {', '.join(found)}")
    return found[0]


@dataclass(slots=True)
class _Node:
    """A row in the making, with what lies in it."""

    definition: Definition
    sites: tuple[Site, ...] = ()
    inner: list[_Node] = field(default_factory=list)


def _rows(path: str, sites: Mapping[str, tuple[Site, ...]], outline: Skeleton, width: int) -> list[Row]:
    """Return the rows of one file: the file, then its classes and functions, each before what lies in it."""
    nodes: dict[str, _Node] = {"": _Node(Definition("", "file", 1), sites.get("", ()))}
    for symbol in sorted(sites):
        parts = symbol.split(".") if symbol else []
        for size in range(1, len(parts) + 1):
            name = ".".join(parts[:size])
            if name not in nodes:
                line = min((site.span.line for site in sites.get(name, ())), default=0)
                kind = "function" if name in sites else "class"
                node = _Node(outline.definitions.get(name, Definition(name, kind, line)), sites.get(name, ()))
                nodes[name] = node
                nodes[".".join(parts[: size - 1])].inner.append(node)
    rows: list[Row] = []
    _add(nodes[""], path, 0, width, rows)
    return rows


def _add(node: _Node, path: str, depth: int, width: int, rows: list[Row]) -> tuple[Cell, ...]:
    at = len(rows)
    cells = tuple(status_of(node.sites, bit) for bit in range(width))
    for inner in sorted(node.inner, key=lambda each: (each.definition.line, each.definition.symbol)):
        below = _add(inner, path, depth + 1, width, rows)
        cells = tuple(worst(pair) for pair in zip(cells, below, strict=True))
    told = node.definition
    rows.insert(at, Row(path, told.symbol, told.kind, told.line, depth, node.sites, cells))
    return cells


def _by_function(seen: Sequence[Observation], reported: frozenset[str]) -> dict[str, dict[str, list[Observation]]]:
    grouped: dict[str, dict[str, list[Observation]]] = defaultdict(lambda: defaultdict(list))
    for each in seen:
        if each.place.path in reported:
            grouped[each.place.path][each.place.symbol].append(each)
    return grouped


def _with_bits(row: Row, bits: tuple[int, int]) -> Row:
    """Return the row for two architectures only, its masks counted anew."""

    def narrowed(mask: int) -> int:
        return (mask >> bits[0] & 1) | (mask >> bits[1] & 1) << 1

    sites = []
    for site in row.sites:
        effects = [replace(each, mask=narrowed(each.mask), certain=narrowed(each.certain)) for each in site.effects]
        sites.append(replace(site, effects=tuple(each for each in effects if each.mask)))
    return replace(row, sites=tuple(sites), cells=tuple(row.cells[bit] for bit in bits))


def _differs(row: Row) -> bool:
    return bool(row.sites) and status_of(row.sites, 0).status is not status_of(row.sites, 1).status


def _against(row: Row, earlier: Row | None) -> Row:
    old = [Status.NOT_REACHED] * len(row.cells) if earlier is None else [cell.status for cell in earlier.cells]
    cells = [
        cell if cell.status is before else replace(cell, was=before)
        for cell, before in zip(row.cells, old, strict=True)
    ]
    return replace(row, cells=tuple(cells))


def _kept_with_parents(rows: Sequence[Row], wanted: Sequence[bool]) -> list[Row]:
    """Return the wanted rows and, before them, the file and classes that they lie in."""
    keep = set()
    for at, row in enumerate(rows):
        if wanted[at]:
            keep.update({(row.path, ""), (row.path, row.symbol)})
            parts = row.symbol.split(".")
            keep.update((row.path, ".".join(parts[:size])) for size in range(1, len(parts)))
    return [row for row in rows if (row.path, row.symbol) in keep]
