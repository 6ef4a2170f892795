"""Read, choose and evaluate the files of a project, on as many cores as asked for."""

from __future__ import annotations

import gc
import os
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from hwlint.evaluate.engine import Machine
from hwlint.evaluate.project import Project
from hwlint.graph.bindings import Outline
from hwlint.graph.modules import ModuleTable
from hwlint.graph.outline import outline
from hwlint.graph.relevance import Relevance, grow
from hwlint.model.architecture import Architecture
from hwlint.model.observation import Observation
from hwlint.model.origin import Origins
from hwlint.model.report import Failure
from hwlint.source.needles import compile_needles
from hwlint.source.parse import Parsed, parse
from hwlint.source.read import Text, decode, read_bytes

if TYPE_CHECKING:
    from multiprocessing.context import BaseContext


@dataclass(slots=True)
class Sources:
    """The files of one run: their bytes, and the trees of those that were needed."""

    root: Path
    overlay: dict[str, str] = field(default_factory=dict)
    """Texts that stand in for files on disk, by path."""
    _bytes: dict[str, bytes | Failure] = field(default_factory=dict)
    _parsed: dict[str, tuple[Parsed, Outline] | Failure] = field(default_factory=dict)

    def data(self, path: str) -> bytes | Failure:
        """The bytes of a file."""
        found = self._bytes.get(path)
        if found is None:
            found = read_bytes(str(self.root / path), shown=path)
            if path in self.overlay:
                old = decode(path, found) if isinstance(found, bytes) else found
                found = old.to_bytes(self.overlay[path]) if isinstance(old, Text) else self.overlay[path].encode()
            self._bytes[path] = found
        return found

    def text(self, path: str) -> Text | Failure:
        """The decoded text of a file."""
        data = self.data(path)
        return data if isinstance(data, Failure) else decode(path, data)

    def load(self, path: str) -> tuple[Parsed, Outline] | None:
        """The tree and outline of a file, or None where it cannot be read."""
        found = self._parsed.get(path)
        if found is None:
            found = self._load(path)
            self._parsed[path] = found
        return None if isinstance(found, Failure) else found

    def _load(self, path: str) -> tuple[Parsed, Outline] | Failure:
        text = self.text(path)
        if isinstance(text, Failure):
            return text
        parsed = parse(text)
        return parsed if isinstance(parsed, Failure) else (parsed, outline(parsed.tree))

    def outline(self, path: str) -> Outline | None:
        """The outline of a file, or None where it cannot be read."""
        found = self.load(path)
        return None if found is None else found[1]

    @property
    def failures(self) -> tuple[Failure, ...]:
        """What could not be read or parsed so far."""
        broken = [found for found in (*self._bytes.values(), *self._parsed.values()) if isinstance(found, Failure)]
        return tuple(sorted(set(broken)))

    @property
    def parsed(self) -> int:
        """How many files have been parsed."""
        return sum(not isinstance(found, Failure) for found in self._parsed.values())


@dataclass(frozen=True, slots=True)
class Plan:
    """What to evaluate: the architectures, the origins, all files and those that can matter."""

    architectures: tuple[Architecture, ...]
    origins: Origins
    table: ModuleTable
    relevance: Relevance


def choose(sources: Sources, files: Sequence[str], origins: Origins) -> Relevance:
    """Find the files that hardware values can reach."""
    needles = compile_needles(name for name in origins.needles() if name.isidentifier())
    seeds: dict[str, frozenset[str]] = {}
    for path in files:
        data = sources.data(path)
        if isinstance(data, bytes):
            names = needles.names(data)
            if names:
                seeds[path] = names

    def search(names: frozenset[str]) -> dict[str, frozenset[str]]:
        wanted = compile_needles(names)
        found = {}
        for path in files:
            data = sources.data(path)
            if isinstance(data, bytes):
                hit = wanted.names(data)
                if hit:
                    found[path] = hit
        return found

    return grow(seeds, sources.outline, search)


def evaluate(sources: Sources, plan: Plan, paths: Sequence[str], jobs: int) -> dict[str, list[Observation]]:
    """Evaluate files; returns the observations made from each, whatever the number of jobs."""
    if jobs <= 1 or len(paths) < 2 * jobs:
        return _evaluate(sources, plan, paths)
    shards = [list(paths[start::jobs]) for start in range(jobs)]
    _Shared.sources, _Shared.plan = sources, plan
    gc.freeze()
    try:
        with ProcessPoolExecutor(jobs - 1, mp_context=_fork()) as pool:
            futures = [pool.submit(_in_worker, shard) for shard in shards[1:]]
            merged = _evaluate(sources, plan, shards[0])
            for future in futures:
                merged.update(future.result())
    finally:
        gc.unfreeze()
        _Shared.sources = _Shared.plan = None
    return {path: merged[path] for path in paths}


class _Shared:
    """What forked workers inherit."""

    sources: Sources | None = None
    plan: Plan | None = None


def _fork() -> BaseContext:
    import multiprocessing

    return multiprocessing.get_context("fork")


def _in_worker(paths: list[str]) -> dict[str, list[Observation]]:
    gc.disable()
    assert _Shared.sources is not None and _Shared.plan is not None
    return _evaluate(_Shared.sources, _Shared.plan, paths)


def _evaluate(sources: Sources, plan: Plan, paths: Sequence[str]) -> dict[str, list[Observation]]:
    machine = Machine(plan.architectures, Project(plan.table, sources.load, plan.relevance.names_in), plan.origins)
    return {path: machine.evaluate(path) for path in paths}


def usable_cores() -> int:
    """The number of cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
