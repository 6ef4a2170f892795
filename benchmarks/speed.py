"""Compare whole runs of hwlint with peers on the same trees, one after another in one run; only ratios count."""

from __future__ import annotations

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

from benchmarks.corpus import fetch

TREES = {"A": ("sglang", "0.5.9"), "B": ("sglang", "0.5.23")}
SEMGREP = "semgrep==1.185.0"
ROUNDS = 5
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
    """Wall seconds of several runs, and the largest resident memory of all processes of one run in MiB."""

    seconds: tuple[float, ...]
    memory: float

    @property
    def median(self) -> float:
        """The middle run."""
        return statistics.median(self.seconds)

    def __str__(self) -> str:
        return f"{self.median:.2f} s ({min(self.seconds):.2f}-{max(self.seconds):.2f})"


def timed(command: Sequence[str], *, rounds: int = ROUNDS, before: Callable[[int], None] | None = None) -> Timing:
    """Run a command several times; `before` prepares each round. Raises RuntimeError where it breaks."""
    seconds, memory = [], 0.0
    for number in range(rounds):
        if before is not None:
            before(number)
        began = time.perf_counter()
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
            memory = max(memory, _watch(process))
            told = process.stderr.read().decode(errors="replace") if process.stderr else ""
        seconds.append(time.perf_counter() - began)
        if process.returncode not in (0, 1):
            raise RuntimeError(f"{command[0]} left with {process.returncode}: {told[-500:]}")
    return Timing(tuple(seconds), memory)


def _watch(process: subprocess.Popen[bytes]) -> float:
    """The largest memory (PSS) of the process and its children together, in MiB; 0 where /proc lacks it."""
    most = 0.0
    while process.poll() is None:
        most = max(most, sum(_pss(pid) for pid in _family(process.pid)))
        time.sleep(0.02)
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


def measure(corpus: Path, rounds: int = ROUNDS, trees: Sequence[str] = tuple(TREES)) -> str:
    """Fetch the trees and peers, time everything, and return the results as Markdown."""
    tools = Path(tempfile.mkdtemp(prefix="hwlint-bench-"))
    try:
        semgrep = _semgrep(tools)
        rule = tools / "rule.yaml"
        rule.write_text(RULE)
        rows = [_tree(label, fetch(*TREES[label], "wheel", corpus), semgrep, rule, tools, rounds) for label in trees]
        start = _start_up(rounds)
    finally:
        shutil.rmtree(tools, ignore_errors=True)
    return _markdown(rows, start, rounds)


def _semgrep(tools: Path) -> Path | None:
    """Install semgrep into a venv of its own; None where that fails."""
    home = tools / "semgrep"
    venv.create(home, with_pip=True)
    done = subprocess.run([home / "bin" / "pip", "install", "-q", SEMGREP], capture_output=True, check=False)
    return home / "bin" / "semgrep" if done.returncode == 0 else None


def _tree(
    label: str, tree: Path, semgrep: Path | None, rule: Path, tools: Path, rounds: int
) -> dict[str, Timing | str | None]:
    hwlint = [sys.executable, "-m", "hwlint", "check", "--exit-zero", str(tree)]
    cache = ["--cache-dir", str(tools / f"cache-{label}")]
    ruff = [sys.executable, "-m", "ruff", "check", "--no-cache", "--quiet", "--exit-zero", str(tree)]
    leaf = _leaf(tree)
    text = leaf.read_text()

    def touch(number: int) -> None:
        leaf.write_text(f"{text}\n# round {number}\n")

    try:
        timed([*hwlint, *cache], rounds=1)
        return {
            "tree": label,
            "ruff": timed(ruff, rounds=rounds),
            "semgrep": timed(
                [str(semgrep), "scan", "--metrics=off", "--disable-version-check", "--config", str(rule), str(tree)],
                rounds=max(1, rounds - 2),
            )
            if semgrep is not None
            else None,
            "cold": timed([*hwlint, "--no-cache"], rounds=rounds),
            "cold, one process": timed([*hwlint, "--no-cache", "--jobs", "1"], rounds=rounds),
            "warm": timed([*hwlint, *cache], rounds=rounds),
            "one file changed": timed([*hwlint, *cache], rounds=rounds, before=touch),
        }
    finally:
        leaf.write_text(text)


def _leaf(tree: Path) -> Path:
    """A file in the middle of the tree that reads the hardware: the change that a user commits."""
    holding = sorted(path for path in tree.rglob("*.py") if b"get_device_capability" in path.read_bytes())
    return holding[len(holding) // 2]


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
    ("one file changed", "ruff"): {"A": (0.5, 0.2), "B": (0.5, 0.2)},
}
"""(what, against what) -> tree -> (the ratio that must not be exceeded, the ratio that is aimed at)."""
MEMORY_BUDGET = (400, 200)
"""MiB over all processes."""


def _markdown(rows: list[dict[str, Timing | str | None]], start: dict[str, Timing], rounds: int) -> str:
    lines = [
        "# Speed",
        "",
        f"Measured on {time.strftime('%Y-%m-%d')} with Python {sys.version.split()[0]} on {os.cpu_count()} cores by "
        f"`python -m benchmarks speed`, {rounds} rounds: whole processes, median (fastest-slowest).",
        "A is SGLang 0.5.9, B is SGLang 0.5.23, both as released wheels. Only the ratios mean anything elsewhere.",
        "",
        "| run | " + " | ".join(str(row["tree"]) for row in rows) + " |",
        "| --- |" + " --- |" * len(rows),
    ]
    names = [name for name in rows[0] if name != "tree"]
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
        cold = row["cold"]
        if isinstance(cold, Timing):
            word = _word(cold.memory, *MEMORY_BUDGET)
            lines.append(f"| peak memory, MiB | {row['tree']} | {cold.memory:.0f} | 400 | 200 | {word} |")
    lines += ["", "| start | seconds |", "| --- | --- |"]
    lines += [f"| {name} | {timing} |" for name, timing in start.items()]
    return "\n".join(lines) + "\n"


def _word(measured: float, must: float, aim: float) -> str:
    return "aim met" if measured <= aim else "met" if measured <= must else f"missed by {measured / must:.1f}x"
