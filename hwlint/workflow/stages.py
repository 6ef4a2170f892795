"""Tell which stage a run is in, how far it is, and where its time went."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import zip_longest


@dataclass(frozen=True, slots=True)
class Spent:
    """What one stage took: seconds on the clock, and CPU seconds of each process, this one first."""

    name: str
    wall: float
    cpu: tuple[float, ...]


@dataclass(slots=True)
class Stages:
    """The stages of one run. One thread enters and leaves them; another may look at where the run stands."""

    name: str = ""
    """The stage that the run is in; empty before, between and after them."""
    whole: int = 0
    """How many files the stage goes through; 0 where that is not told."""
    spent: list[Spent] = field(default_factory=list)
    measures: bool = False
    """Whether the CPU time of every process is asked for, too."""
    _done: Callable[[], int] | None = None

    @property
    def done(self) -> int:
        """How many files the stage has gone through."""
        count = self._done
        return 0 if count is None else count()

    @contextlib.contextmanager
    def stage(self, name: str, *, cpu: Callable[[], list[float]] | None = None) -> Iterator[None]:
        """Be in a stage; `cpu` tells the CPU seconds of every process so far, this one's first."""
        ask = cpu if cpu is not None and self.measures else own_cpu
        self.name, self.whole, self._done = name, 0, None
        before, began = ask(), time.perf_counter()
        try:
            yield
        finally:
            after = ask()
            wall = time.perf_counter() - began
            self.spent.append(Spent(name, wall, tuple(now - then for now, then in zip(after, before, strict=False))))
            self.name, self.whole, self._done = "", 0, None

    def counts(self, whole: int, done: Callable[[], int]) -> None:
        """Say how many files the stage goes through, and what tells how many it has; that is called at any time."""
        self.whole, self._done = whole, done


def own_cpu() -> list[float]:
    """The CPU seconds of this process."""
    return [time.process_time()]


def timings_text(stages: Stages, began: float) -> str:
    """The times of all stages as a table for people; `began` is when the run did, as `time.perf_counter` tells it.

    What lies between the stages, the start of Python and of hwlint among it, is in the last line only.
    """
    others = [sum(column) for column in zip_longest(*(one.cpu[1:] for one in stages.spent), fillvalue=0.0)]
    spent = [*stages.spent, Spent("in all", time.perf_counter() - began, (*own_cpu(), *others))]
    lines = [f"{'stage':<10}{'wall':>9}   CPU of each process (of {os.cpu_count() or 1} cores)"]
    for one in spent:
        each = "".join(f"{seconds:>9.3f}" for seconds in one.cpu)
        lines.append(f"{one.name:<10}{one.wall:>7.3f} s {each}")
    return "\n".join(lines) + "\n"
