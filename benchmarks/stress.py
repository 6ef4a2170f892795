"""Run hwlint on trees that are extreme in one way each, and compare what it takes with docs/limitations.md."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

_READS = "import torch\n\n\ndef major():\n    return torch.cuda.get_device_capability()[0]\n"


@dataclass(frozen=True, slots=True)
class Case:
    """One tree: how it is made, and the CPU seconds and MiB of the largest process that it may take."""

    name: str
    make: Callable[[Path], None]
    seconds: float
    memory: int
    expect: str
    """What the report holds, so that nobody is fast by not looking."""


def many_modules(folder: Path, count: int = 10_000) -> None:
    """Small modules, each of which looks the capability up in a table of its own."""
    (folder / "caps.py").write_text(_READS)
    for number in range(count):
        place = folder / f"p{number // 100}"
        place.mkdir(exist_ok=True)
        (place / f"m{number}.py").write_text(
            f"from caps import major\n\nT = {{9: {number}, 10: 0}}\n\n\ndef look():\n    return T[major()]\n"
        )


def large_table(folder: Path, size: int = 20_000_000) -> None:
    """One generated dict of so many bytes, and a function that looks the capability up in it."""
    with (folder / "table.py").open("w") as out:
        out.write(_READS + "\n\nTABLE = {\n    9: 0,\n")
        written, number = 0, 1_000
        while written < size:
            written += out.write(f"    {number}: {number + 7},\n")
            number += 1
        out.write("}\n\n\ndef look():\n    return TABLE[major()]\n")


def long_chain(folder: Path, count: int = 5_000) -> None:
    """One chain of so many branches on a number that the hardware gives, and no last `else`."""
    lines = [_READS, "\ndef look():\n    number = major()\n    if number == 9:\n        found = 9\n"]
    lines += [f"    elif number == {number}:\n        found = {number}\n" for number in range(1_000, 1_000 + count)]
    (folder / "chain.py").write_text("".join(lines) + "    return found\n")


def long_row(folder: Path, count: int = 5_000) -> None:
    """So many branches one after another, each of which returns, and a lookup behind them."""
    lines = [_READS, "\nT = {9: 1}\n\n\ndef look():\n    number = major()\n"]
    lines += [f"    if number == {number}:\n        return {number}\n" for number in range(1_000, 1_000 + count)]
    (folder / "row.py").write_text("".join(lines) + "    return T[number]\n")


def import_cycle(folder: Path, count: int = 300) -> None:
    """Modules that import each other in a ring, and hand a capability round it."""
    for number in range(count):
        then = (number + 1) % count
        own = _READS if number == 0 else f"import m{then}\n\n\ndef major():\n    return m{then}.major()\n"
        table = f"\n\nfrom m{then} import major as ask\n\nT = {{9: {number}}}\n\n\ndef look():\n    return T[ask()]\n"
        (folder / f"m{number}.py").write_text(own + table)


CASES = (
    Case("10,000 small modules", many_modules, 60, 500, "p7/m700.py"),
    Case("one generated table of 20 MB", large_table, 60, 2_500, "1 place unknown"),
    Case("a chain of 5,000 `elif`, which Python itself refuses", long_chain, 5, 200, "nested too deeply"),
    Case("a chain of 1,000 `elif`", lambda folder: long_chain(folder, 1_000), 20, 200, "place unknown"),
    Case("5,000 branches one after another", long_row, 30, 300, "row.py"),
    Case("a cycle of 300 imports", import_cycle, 20, 200, "m299.py"),
)


@dataclass(frozen=True, slots=True)
class Run:
    """What one run took: seconds on the clock, CPU seconds of all processes, MiB of the largest; and what it said."""

    wall: float
    cpu: float
    memory: float
    status: int
    told: str


_MEASURED = """
import resource, subprocess, sys

status = subprocess.call(sys.argv[2:])
used = resource.getrusage(resource.RUSAGE_CHILDREN)
with open(sys.argv[1], "w") as file:
    file.write(f"{used.ru_utime + used.ru_stime} {used.ru_maxrss / 1024}")
sys.exit(status)
"""
"""Run a command and write its CPU seconds and MiB to a file. Linux counts the memory of whoever starts a process as the
process's own until it has begun, so a small one has to start it."""


def run(tree: Path, *more: str) -> Run:
    """Check a tree without the cache, in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        told = Path(folder, "told")
        command = [sys.executable, "-m", "hwlint", "check", "--no-cache", *more, str(tree)]
        began = time.perf_counter()
        done = subprocess.run(
            [sys.executable, "-c", _MEASURED, str(told), *command],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
        )
        wall = time.perf_counter() - began
        cpu, memory = map(float, told.read_text().split())
    return Run(wall, cpu, memory, done.returncode, done.stdout.decode(errors="replace"))


def measure() -> str:
    """Run all cases, and return the results as Markdown."""
    lines = [
        "# Stress",
        "",
        f"Measured on {time.strftime('%Y-%m-%d')} with Python {sys.version.split()[0]} by",
        "`python -m benchmarks stress`: whole runs without the cache; memory is that of the largest process.",
        "",
        "| tree | wall | CPU | budget | memory | budget | |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for case in CASES:
        with tempfile.TemporaryDirectory(prefix="hwlint-stress-") as folder:
            case.make(Path(folder))
            took = run(Path(folder))
        found = took.status in (0, 1, 3) and case.expect in took.told
        good = found and took.cpu <= case.seconds and took.memory <= case.memory
        word = "met" if good else "missed" if found else f"did not find {case.expect} (status {took.status})"
        lines.append(
            f"| {case.name} | {took.wall:.1f} s | {took.cpu:.1f} s | {case.seconds:.0f} s | {took.memory:.0f} MiB "
            f"| {case.memory} MiB | {word} |"
        )
    return "\n".join(lines) + "\n"
