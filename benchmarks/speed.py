"""Compare whole runs of hwlint with peers on the same trees, one after another in one run; only ratios count."""

from __future__ import annotations

import compileall
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import hwlint
from benchmarks.corpus import fetch

TREES = {"A": ("sglang", "0.5.9"), "B": ("sglang", "0.5.23")}
SEMGREP = "semgrep==1.185.0"
LIBCST = """
import pathlib, sys
import libcst
for path in sorted(pathlib.Path(sys.argv[1]).rglob("*.py")):
    try:
        libcst.parse_module(path.read_bytes())
    except Exception:
        pass
"""
"""What every tool on LibCST does at least: parse every file, in one process."""
ROUNDS = 5
CHANGED = 7
"""Files that are changed one after another, each before a run of its own."""
RULE = """rules:
  - id: capability-into-table
    mode: taint
    languages: [python]
    severity: WARNING
    message: a table is subscripted with a compute capability
    pattern-sources: [{pattern: torch.cuda.get_device_capability(...)}]
    pattern-sinks: [{pattern: "$TABLE[$KEY]"}]
"""


@dataclass(frozen=True, slots=True)
class Timing:
    """Wall seconds of several runs."""

    seconds: tuple[float, ...]

    @property
    def median(self) -> float:
        """The middle run."""
        return statistics.median(self.seconds)

    def __str__(self) -> str:
        return f"{self.median:.2f} s ({min(self.seconds):.2f}-{max(self.seconds):.2f})"


Row = dict[str, Timing | float | str | None]
"""What was measured on one tree, by the name of the run."""


def timed(command: Sequence[str], *, rounds: int = ROUNDS, before: Callable[[int], None] | None = None) -> Timing:
    """Run a command several times; `before` prepares each round. Raises RuntimeError where it breaks."""
    seconds = []
    for number in range(rounds):
        if before is not None:
            before(number)
        began = time.perf_counter()
        done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
        seconds.append(time.perf_counter() - began)
        if done.returncode not in (0, 1):
            raise RuntimeError(
                f"{command[0]} left with {done.returncode}: {done.stderr.decode(errors='replace')[-500:]}"
            )
    return Timing(tuple(seconds))


def weighed(command: Sequence[str]) -> float:
    """Run a command and return the largest memory (PSS) of all its processes together, in MiB; 0 where /proc lacks it.

    Looking takes a core a good part of its time, so runs that are weighed are not timed.
    """
    most = 0.0
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        while process.poll() is None:
            most = max(most, sum(_pss(pid) for pid in _family(process.pid)))
            time.sleep(0.05)
    return most


def _family(pid: int) -> list[int]:
    try:
        text = Path(f"/proc/{pid}/task/{pid}/children").read_text()
    except OSError:
        return [pid]
    return [pid, *(grand for child in text.split() for grand in _family(int(child)))]


def _pss(pid: int) -> float:
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0.0
    return sum(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024


def measure(
    corpus: Path,
    rounds: int = ROUNDS,
    trees: Sequence[str] = tuple(TREES),
    *,
    semgrep: Path | None = None,
    quick: bool = False,
) -> str:
    """Fetch the trees and peers, time everything, and return the results as Markdown.

    `semgrep` is one that is installed already; `quick` leaves out plain LibCST and the run in one process, and runs
    semgrep once.
    """
    tools = Path(tempfile.mkdtemp(prefix="hwlint-bench-"))
    compileall.compile_dir(str(Path(hwlint.__file__).parent), quiet=1)  # as what is installed is
    try:
        semgrep = semgrep or _semgrep(tools)
        rule = tools / "rule.yaml"
        rule.write_text(RULE)
        fetched = {label: fetch(*TREES[label], "wheel", corpus) for label in trees}
        rows = [_tree(label, tree, semgrep, rule, tools, rounds, quick=quick) for label, tree in fetched.items()]
        if not quick:
            for row, tree in zip(rows, fetched.values(), strict=True):
                row["plain LibCST"] = timed([sys.executable, "-c", LIBCST, str(tree)], rounds=1)
        start = _start_up(rounds)
    finally:
        shutil.rmtree(tools, ignore_errors=True)
    return _markdown(rows, start, rounds, _versions(semgrep))


def _semgrep(tools: Path) -> Path | None:
    """Install semgrep into a venv of its own; None where that fails."""
    home = tools / "semgrep"
    venv.create(home, with_pip=True)
    done = subprocess.run([home / "bin" / "pip", "install", "-q", SEMGREP], capture_output=True, check=False)
    return home / "bin" / "semgrep" if done.returncode == 0 else None


def _tree(label: str, tree: Path, semgrep: Path | None, rule: Path, tools: Path, rounds: int, *, quick: bool) -> Row:
    slow = 1 if quick else max(1, rounds - 2)
    check = [sys.executable, "-m", "hwlint", "check", "--exit-zero", str(tree)]
    cache = ["--cache-dir", str(tools / f"cache-{label}")]
    ruff = [sys.executable, "-m", "ruff", "check", "--isolated", "--no-cache", "--quiet", "--exit-zero", str(tree)]
    reached, beside = _spread(tree, reads=True), _spread(tree, reads=False)
    before = {file: file.read_bytes() for file in (*reached, *beside)}

    def touch(files: Sequence[Path]) -> Callable[[int], None]:
        def change(number: int) -> None:
            file = files[number % len(files)]
            file.write_bytes(before[file] + f"\nround_{number} = {number}\n".encode())

        return change

    try:
        timed([*check, *cache], rounds=1)
        return {
            "tree": label,
            "memory": weighed([*check, "--no-cache"]),
            "ruff": timed(ruff, rounds=rounds),
            "semgrep": timed(
                [str(semgrep), "scan", "--metrics=off", "--disable-version-check", "--config", str(rule), str(tree)],
                rounds=slow,
            )
            if semgrep is not None
            else None,
            "cold": timed([*check, "--no-cache"], rounds=rounds),
            "cold, one process": None if quick else timed([*check, "--no-cache", "--jobs", "1"], rounds=slow),
            "warm": timed([*check, *cache], rounds=rounds),
            "one file beside changed": timed([*check, *cache], rounds=CHANGED, before=touch(beside)),
            "one reached file changed": timed([*check, *cache], rounds=CHANGED, before=touch(reached)),
        }
    finally:
        for file, data in before.items():
            file.write_bytes(data)


def _spread(tree: Path, *, reads: bool) -> list[Path]:
    """Files spread over the tree that read the hardware, or files that have not a word of it: one for each change."""
    words = (b"get_device_capability",) if reads else (b"torch", b"cuda", b"arch", b"sm", b"hwlint", b"import *")
    files = [(path, path.read_bytes()) for path in sorted(tree.rglob("*.py"))]
    fitting = [path for path, data in files if data and any(word in data for word in words) is reads]
    return [fitting[len(fitting) * (2 * number + 1) // (2 * CHANGED)] for number in range(CHANGED)]


def _versions(semgrep: Path | None) -> str:
    """The peers by name and version."""
    asked = ([sys.executable, "-m", "ruff", "--version"], [sys.executable, "-m", "pip", "show", "libcst"])
    told = [subprocess.run(command, capture_output=True, text=True, check=False).stdout for command in asked]
    libcst = next((line.split()[1] for line in told[1].splitlines() if line.startswith("Version:")), "")
    mine = "one rule of taint (`python -m benchmarks speed` holds it)" if semgrep is not None else "not run"
    return f"{told[0].strip()} (default rules), {SEMGREP.replace('==', ' ')} ({mine}), LibCST {libcst} (only parses)"


def _start_up(rounds: int) -> dict[str, Timing]:
    bare = [sys.executable, "-c", "import click"]
    return {
        "python -c 'import click'": timed(bare, rounds=2 * rounds),
        "hwlint --version": timed([sys.executable, "-m", "hwlint", "--version"], rounds=2 * rounds),
        "hwlint --help": timed([sys.executable, "-m", "hwlint", "--help"], rounds=2 * rounds),
    }


BUDGETS = {
    ("cold", "ruff"): {"A": (2.0, 1.0), "B": (2.0, 1.0)},
    ("cold", "semgrep"): {"A": (0.35, 0.15), "B": (0.35, 0.15)},
    ("warm", "ruff"): {"A": (0.3, 0.15), "B": (0.15, 0.08)},
    ("one file beside changed", "ruff"): {"A": (0.5, 0.2), "B": (0.5, 0.2)},
    ("one reached file changed", "ruff"): {"A": (0.5, 0.2), "B": (0.5, 0.2)},
}
"""(what, against what) -> tree -> (the ratio that must not be exceeded, the ratio that is aimed at)."""
MEMORY_BUDGET = (400, 200)
"""MiB over all processes."""


def _markdown(rows: list[Row], start: dict[str, Timing], rounds: int, peers: str) -> str:
    lines = [
        "# Speed",
        "",
        f"Measured on {time.strftime('%Y-%m-%d')} with Python {sys.version.split()[0]} on {os.cpu_count()} cores by "
        f"`python -m benchmarks speed`, {rounds} rounds: whole processes, median (fastest-slowest).",
        "A is SGLang 0.5.9, B is SGLang 0.5.23, both as released wheels. Only the ratios mean anything elsewhere.",
        f"Peers: {peers}.",
        "",
        "| run | " + " | ".join(str(row["tree"]) for row in rows) + " |",
        "| --- |" + " --- |" * len(rows),
    ]
    names = [name for name in rows[0] if name not in ("tree", "memory")]
    lines += [f"| {name} | " + " | ".join(str(row[name] or "not run") for row in rows) + " |" for name in names]
    lines += ["", "| ratio | tree | measured | must | aim | |", "| --- | --- | --- | --- | --- | --- |"]
    for (what, peer), limits in BUDGETS.items():
        for row in rows:
            mine, theirs, (must, aim) = row[what], row[peer], limits[str(row["tree"])]
            if isinstance(mine, Timing) and isinstance(theirs, Timing):
                ratio = mine.median / theirs.median
                lines.append(
                    f"| {what} / {peer} | {row['tree']} | {ratio:.2f} | {must} | {aim} | {_word(ratio, must, aim)} |"
                )
    for row in rows:
        memory = row["memory"]
        if isinstance(memory, float):
            word = _word(memory, *MEMORY_BUDGET)
            lines.append(f"| peak memory, MiB | {row['tree']} | {memory:.0f} | 400 | 200 | {word} |")
    colds = {str(row["tree"]): row["cold"] for row in rows}
    if isinstance(a := colds.get("A"), Timing) and isinstance(b := colds.get("B"), Timing):
        lines.append(f"| cold, B / cold, A | | {b.median / a.median:.1f} | as relevant code grows | | |")
    lines += ["", "| start | seconds |", "| --- | --- |"]
    lines += [f"| {name} | {timing} |" for name, timing in start.items()]
    return "\n".join(lines) + "\n"


def _word(measured: float, must: float, aim: float) -> str:
    return "aim met" if measured <= aim else "met" if measured <= must else f"missed by {measured / must:.1f}x"
