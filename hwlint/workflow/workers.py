"""Share the files of a run among processes: each keeps the words and trees of its own files between the stages."""

from __future__ import annotations

import contextlib
import ctypes
import gc
import multiprocessing
import signal
import sys
import threading
import time
from bisect import bisect_left
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any

from hwlint.workflow.sources import Sources

_PR_SET_PDEATHSIG = 1
"""From <sys/prctl.h>."""
FEWEST_FILES = 64
"""Below so many files a second process costs more than it brings."""

CHUNK = 150_000
"""Files of so many bytes are handed to a process at a time where any process may take any file."""

Stage = Callable[..., dict[str, Any]]
"""A function of (sources, paths, *arguments) that returns a result for each path it has something to say about."""
Session = Callable[[str], Any]
"""What is made once in each process and then called with one path after another."""
Counts = Callable[[int, Callable[[], int]], None]
"""Is told how many paths there are, and given what tells how many of them are done."""


class Workers:
    """Run stages over all files; results are the same whatever the number of processes."""

    def __init__(self, sources: Sources, files: Sequence[str], jobs: int) -> None:
        """Let `files` be worked on by at most `jobs` processes, this one among them."""
        self.jobs = max(1, min(jobs, len(files) // FEWEST_FILES)) if _can_fork() else 1
        self.sources = sources
        self._numbers = {path: number for number, path in enumerate(files)}
        self._homes = Homes(self.jobs)
        self._pools: list[ProcessPoolExecutor] = []

    def __enter__(self) -> Workers:
        """Start the other processes; they inherit what has been read so far."""
        if self.jobs > 1:
            gc.freeze()
            _Inherited.sources = self.sources
            context = multiprocessing.get_context("fork")
            self._pools = [
                ProcessPoolExecutor(1, mp_context=context, initializer=end_with_parent) for _ in range(1, self.jobs)
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
        """Run a stage over `paths`, evenly spread; sorted by path."""
        shares: list[list[str]] = [[] for _ in range(self.jobs)]
        for path in paths:
            shares[self._numbers.get(path, 0) % self.jobs].append(path)
        return self._run(stage, shares, arguments)

    def run_at_home(self, stage: Stage, paths: Sequence[str], *arguments: Any) -> dict[str, Any]:
        """Run a stage over `paths`, each where its tree is, or is to be; sorted by path."""
        self._homes.add({path: self.sources.size(path) for path in paths})
        return self._run(stage, self._homes.shares(paths), arguments)

    def share(
        self, make: Callable[..., Session], paths: Sequence[str], *arguments: Any, counts: Counts | None = None
    ) -> dict[str, Any]:
        """Call what `make(sources, *arguments)` returns with every path, in whatever process has time; sorted by path.

        A process starts with the files whose trees it has, large ones first, and then helps the others. `counts` is
        told how many paths there are and given what tells how many are done.
        """
        sizes = {path: self.sources.size(path) for path in paths}
        self._homes.add(sizes)
        queues = Queues(self._homes.shares(paths), sizes)
        given = [Handed(pool, index, make, arguments, queues) for index, pool in enumerate(self._pools, 1)]
        for hand in given:
            hand.feed()
        session = make(self.sources, *arguments)
        found: dict[str, Any] = {}
        if counts is not None:
            counts(len(paths), lambda: len(found) + sum(len(hand.found) for hand in given))
        while own := queues.next(0):
            found.update({path: session(path) for path in own})
        for hand in given:
            hand.finish()
            found.update(hand.found)
        lost = sorted(set(paths) - found.keys())
        found.update(self._one_by_one(_with_session, lost, (make, arguments)))
        return dict(sorted(found.items()))

    def cpu(self) -> list[float]:
        """The CPU seconds of each process that lives, this one's first."""
        return self.everywhere(_cpu)

    def everywhere(self, ask: Callable[[Sources], Any]) -> list[Any]:
        """Call `ask` with the sources of each process that lives."""
        waiting = [pool.submit(_ask, ask) for pool in self._pools]
        answers = [ask(self.sources)]
        for future in waiting:
            with contextlib.suppress(BrokenProcessPool):
                answers.append(future.result())
        return answers

    def _run(self, stage: Stage, shares: list[list[str]], arguments: tuple[Any, ...]) -> dict[str, Any]:
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


@dataclass(slots=True)
class Homes:
    """Which process has the tree of each file: neighbours by path, which import each other, as far as that is even."""

    jobs: int
    homes: dict[str, int] = field(default_factory=dict)
    _ends: list[str] = field(default_factory=list)
    """The last path of each process but the last one, once the first files are known."""
    _loads: list[int] = field(default_factory=list)
    """The bytes at home in each process."""

    def add(self, sizes: Mapping[str, int]) -> None:
        """Give each file that has none a home; `sizes` in bytes."""
        fresh = sorted(sizes.keys() - self.homes.keys())
        whole = sum(self._loads) + sum(sizes[path] for path in fresh)
        if fresh and not self.homes:
            self._loads = [0] * self.jobs
            behind = 0
            for path in fresh:
                behind += sizes[path]
                if len(self._ends) < self.jobs - 1 and behind >= whole / self.jobs * (len(self._ends) + 1):
                    self._ends.append(path)
        for path in fresh:
            home = bisect_left(self._ends, path)
            if self._loads[home] > whole / self.jobs:
                home = self._loads.index(min(self._loads))
            self.homes[path] = home
            self._loads[home] += sizes[path]

    def shares(self, paths: Sequence[str]) -> list[list[str]]:
        """Split paths by their homes."""
        shares: list[list[str]] = [[] for _ in range(self.jobs)]
        for path in paths:
            shares[self.homes[path]].append(path)
        return shares


@dataclass(slots=True)
class Handed:
    """What one other process has been given to do in a session, and what it gave back.

    It is fed from a thread of its pool as soon as it has done something: this process may be busy for long.
    """

    pool: ProcessPoolExecutor
    index: int
    make: Callable[..., Session]
    arguments: tuple[Any, ...]
    queues: Queues
    found: dict[str, Any] = field(default_factory=dict)
    failed: BaseException | None = None
    """What ended it, unless it just died."""
    waiting: int = 0
    opened: bool = False
    over: threading.Event = field(default_factory=threading.Event)
    lock: threading.RLock = field(default_factory=threading.RLock)  # a future that is done already calls back at once

    def feed(self) -> None:
        """See to it that there is something to do and something that waits, until there is nothing left."""
        with self.lock:
            while self.waiting < 2 and not self.over.is_set() and (chunk := self.queues.next(self.index)):
                opening = () if self.opened else (self.make, self.arguments)
                try:
                    future = self.pool.submit(_in_session, chunk, opening)
                except BrokenProcessPool:
                    self.over.set()
                    return
                self.opened = True
                self.waiting += 1
                future.add_done_callback(self._done)
            if not self.waiting:
                self.over.set()

    def finish(self) -> None:
        """Wait for what is left; raises what the other process raised."""
        self.over.wait()
        if self.failed is not None:
            raise self.failed

    def _done(self, future: Future[dict[str, Any]]) -> None:
        error = BrokenProcessPool() if future.cancelled() else future.exception()
        with self.lock:
            self.waiting -= 1
            if error is None:
                self.found.update(future.result())
            else:
                self.failed = None if isinstance(error, BrokenProcessPool) else error
                self.over.set()
        if error is None:
            self.feed()


class Queues:
    """The files that wait for each process; safe to be asked from several threads."""

    def __init__(self, shares: Sequence[Sequence[str]], sizes: Mapping[str, int]) -> None:
        """Let each process, by number, have its share, large files first; `sizes` in bytes."""
        self._waiting = [deque(sorted(share, key=lambda path: (-sizes[path], path))) for share in shares]
        self._sizes = sizes
        self._lock = threading.Lock()

    def next(self, index: int) -> list[str]:
        """The next files for a process: its own, or the last one of whoever has most left; empty when all is given."""
        found: list[str] = []
        size = 0
        with self._lock:
            own = self._waiting[index]
            take = own.popleft
            if not own:
                own = max(self._waiting, key=len)
                take = own.pop
            while own and (not found or (index and size + self._sizes[own[0]] <= CHUNK)):
                found.append(take())
                size += self._sizes[found[-1]]
        return found


class _Inherited:
    """What a forked process finds in place."""

    sources: Sources | None = None
    session: Session | None = None


def _in_worker(stage: Stage, paths: list[str], arguments: tuple[Any, ...]) -> dict[str, Any]:
    gc.disable()
    assert _Inherited.sources is not None
    return stage(_Inherited.sources, paths, *arguments)


def _in_session(paths: list[str], opening: tuple[Any, ...]) -> dict[str, Any]:
    assert _Inherited.sources is not None
    if opening:
        make, arguments = opening
        _Inherited.session = make(_Inherited.sources, *arguments)
    assert _Inherited.session is not None
    return {path: _Inherited.session(path) for path in paths}


def _with_session(
    sources: Sources, paths: list[str], make: Callable[..., Session], arguments: tuple[Any, ...]
) -> dict[str, Any]:
    session = make(sources, *arguments)
    return {path: session(path) for path in paths}


def _ask(ask: Callable[[Sources], Any]) -> Any:
    assert _Inherited.sources is not None
    return ask(_Inherited.sources)


def _cpu(_: Sources) -> float:
    return time.process_time()


def end_with_parent() -> None:
    """Let the kernel end this process when its parent dies, so that a killed run leaves none behind (Linux only)."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def _can_fork() -> bool:
    return "fork" in multiprocessing.get_all_start_methods()
