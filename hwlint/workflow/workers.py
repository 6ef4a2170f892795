"""Share the files of a run among processes: each keeps the words and trees of its own files between the stages."""

from __future__ import annotations

import contextlib
import ctypes
import gc
import multiprocessing
import os
import signal
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from types import TracebackType
from typing import Any

from hwlint.workflow.sources import Sources

_PR_SET_PDEATHSIG = 1
"""From <sys/prctl.h>."""
FEWEST_FILES = 64
"""Below so many files a second process costs more than it brings."""

Stage = Callable[..., dict[str, Any]]
"""A function of (sources, paths, *arguments) that returns a result for each path it has something to say about."""


class Workers:
    """Run stages over all files; results are the same whatever the number of processes."""

    def __init__(self, sources: Sources, files: Sequence[str], jobs: int) -> None:
        """Deal `files` out to at most `jobs` processes, this one among them."""
        jobs = max(1, min(jobs, len(files) // FEWEST_FILES)) if _can_fork() else 1
        self.sources = sources
        self._shards = [frozenset(files[start::jobs]) for start in range(jobs)]
        self._pools: list[ProcessPoolExecutor] = []

    def __enter__(self) -> Workers:
        """Start the other processes; they inherit what has been read so far."""
        if len(self._shards) > 1:
            gc.freeze()
            _Inherited.sources = self.sources
            context = multiprocessing.get_context("fork")
            self._pools = [
                ProcessPoolExecutor(1, mp_context=context, initializer=end_with_parent) for _ in self._shards[1:]
            ]
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop the other processes."""
        for pool in self._pools:
            pool.shutdown(wait=False, cancel_futures=True)
        _Inherited.sources = None
        gc.unfreeze()

    def run(self, stage: Stage, paths: Sequence[str], *arguments: Any) -> dict[str, Any]:
        """Run a stage over `paths`, each in the process that its file belongs to; sorted by path."""
        shares = [[path for path in paths if path in shard] for shard in self._shards]
        rest = [path for path in paths if not any(path in shard for shard in self._shards)]
        shares[0].extend(rest)
        waiting: list[tuple[int, Future[dict[str, Any]]]] = []
        for index, pool in enumerate(self._pools, 1):
            if shares[index]:
                waiting.append((index, pool.submit(_in_worker, stage, shares[index], arguments)))
        found = stage(self.sources, shares[0], *arguments) if shares[0] else {}
        for index, future in waiting:
            try:
                found.update(future.result())
            except BrokenProcessPool:
                found.update(self._one_by_one(stage, shares[index], arguments))
        return dict(sorted(found.items()))

    def _one_by_one(self, stage: Stage, paths: Sequence[str], arguments: tuple[Any, ...]) -> dict[str, Any]:
        """A worker died: give every one of its files a process of its own, so that only the culprit is lost."""
        found: dict[str, Any] = {}
        context = multiprocessing.get_context("fork")
        _Inherited.sources = self.sources
        for path in paths:
            with ProcessPoolExecutor(1, mp_context=context, initializer=end_with_parent) as pool:
                try:
                    found.update(pool.submit(_in_worker, stage, [path], arguments).result())
                except BrokenProcessPool:
                    self.sources.lost(path)
        return found


class _Inherited:
    """What a forked process finds in place."""

    sources: Sources | None = None


def _in_worker(stage: Stage, paths: list[str], arguments: tuple[Any, ...]) -> dict[str, Any]:
    gc.disable()
    assert _Inherited.sources is not None
    return stage(_Inherited.sources, paths, *arguments)


def end_with_parent() -> None:
    """Let the kernel end this process when its parent dies, so that a killed run leaves none behind (Linux only)."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def _can_fork() -> bool:
    return "fork" in multiprocessing.get_all_start_methods()


def usable_cores() -> int:
    """The number of cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
