"""Measure how long the language server takes from an edit to its diagnostics: `python -m benchmarks.editor TREE`.

A real client opens files of the tree, one after the other, and types in each of them: a comment at the top, a line
more in the longest function, another key in the first table, a table with a missing key at the end, half a line that
cannot be parsed, and the text as it was. Files are drawn at random (always the same) from those that hardware values
reach, with those that have findings, the largest and those that most others name. Nothing in the tree is changed but
its `.hwlint_cache`. The first diagnostics after an edit count, in seconds and in seconds of the server's CPU, which is
what it takes where nothing else runs; where a second answer follows, the two are compared. Fixes are asked for, too.
"""

from __future__ import annotations

import ast
import asyncio
import os
import random
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median

from hwlint.graph.relevance import Relevance
from hwlint.model.report import Report
from hwlint.server import remembered
from hwlint.source.classify import is_test_path
from hwlint.workflow.check import check
from hwlint.workflow.settings import Settings, load_settings
from tests.server.editor import editor

Time = tuple[float, float, str, str]
"""Seconds and CPU seconds of one answer, the kind of edit, and the file."""
FILES = 20
"""Drawn at random; as many again are chosen for what they are."""
MORE = "\n\ndef one_more():\n    import torch\n\n    return {9: 1}[torch.cuda.get_device_capability()[0]]\n"
GOAL = 0.5
"""Seconds within which the diagnostics of an edit should come."""
SETTLED = 4.0
"""Seconds to leave an opened file alone: whoever opens a file reads before typing."""
BETWEEN = 2.0
"""Seconds between two edits, so that a second answer can come."""


async def measure(root: Path) -> None:
    """Print the times for one tree."""
    settings = load_settings([root])
    report = check([root], settings)
    names = _drawn(settings, report, await _known(root, settings, report))
    async with editor(root) as there:
        began = time.monotonic()
        there.open(root / names[0])
        await there.next_for(root / names[0], began)
        sys.stdout.write(f"first file opened: {time.monotonic() - began:.2f} s (load {os.getloadavg()[0]:.1f})\n")
        await asyncio.sleep(SETTLED)
        times: list[Time] = []
        corrected: list[tuple[str, str]] = []
        for name in names:
            file = root / name
            text = file.read_text(encoding="utf-8")
            if name != names[0]:
                began = time.monotonic()
                there.open(file, text)
                await there.next_for(file, began)
                await asyncio.sleep(SETTLED)
            for kind, changed in (*edits(text), ("back", text)):
                before = there.work()
                since = there.type(file, changed)
                await there.next_for(file, since)
                times.append((time.monotonic() - since, there.work() - before, kind, name))
                first = there.places(file)
                await asyncio.sleep(BETWEEN)
                if first != there.places(file):
                    corrected.append((kind, name))
            for shown in (there.diagnostics(file) or [])[:2]:
                before, since = there.work(), time.monotonic()
                await there.actions(file, shown)
                times.append((time.monotonic() - since, there.work() - before, "fixes", name))
            there.close(file)
    _say(times, corrected, len(names))


def edits(text: str) -> Iterator[tuple[str, str]]:
    """Yield kinds of edits, each with the text after it."""
    lines = text.splitlines(keepends=True)
    tree = ast.parse(text)
    yield "comment", f"# a comment\n{text}"
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    if functions:
        longest = max(functions, key=lambda node: (node.end_lineno or 0) - node.lineno)
        last = longest.body[-1]
        yield "line", _before(lines, last, "one_more_line = 1")
    keys = [key for node in ast.walk(tree) if isinstance(node, ast.Dict) for key in node.keys]
    number = next((key for key in keys if isinstance(key, ast.Constant)), None)
    if number is not None:
        row = lines[number.lineno - 1].encode()
        row = row[: number.col_offset] + b"97" + row[number.end_col_offset :]
        yield "key", "".join([*lines[: number.lineno - 1], row.decode(), *lines[number.lineno :]])
    yield "table", text + MORE
    yield "broken", f"{text}\nif (\n"


def _before(lines: list[str], node: ast.stmt, more: str) -> str:
    at = node.lineno - 1
    return "".join([*lines[:at], " " * node.col_offset + more + "\n", *lines[at:]])


def _say(times: list[Time], corrected: list[tuple[str, str]], files: int) -> None:
    for kind in sorted({kind for _, _, kind, _ in times}):
        _row(kind, [one for one in times if one[2] == kind])
    _row(f"all edits of {files} files", [one for one in times if one[2] != "fixes"])
    sys.stdout.write(f"{len(corrected)} were corrected by a second answer: {corrected}\n")
    slowest = {*sorted(times, key=lambda one: -one[0])[:8], *sorted(times, key=lambda one: -one[1])[:8]}
    for seconds, work, kind, name in sorted(slowest, reverse=True):
        sys.stdout.write(f"  CPU {work:.2f} s, {seconds:.2f} s  {kind}  {name}\n")


def _row(name: str, times: list[Time]) -> None:
    for what, column in (("", sorted(one[0] for one in times)), ("  CPU", sorted(one[1] for one in times))):
        within = sum(each <= GOAL for each in column)
        sys.stdout.write(
            f"{what or name}: {len(column)}, median {median(column):.2f} s, 90 % within "
            f"{column[int(len(column) * 0.9)]:.2f} s, slowest {column[-1]:.2f} s; {within} within {GOAL} s\n"
        )
    sys.stdout.write(f"  (load {os.getloadavg()[0]:.1f})\n")


async def _known(root: Path, settings: Settings, report: Report) -> Relevance:
    """Which files hardware values reach, as the server keeps it; it finds out when it first opens a file."""
    known, _ = remembered.load(settings, "")
    if known is None:
        async with editor(root) as there:
            there.open(root / report.findings[0].span.path)
            while known is None:
                await asyncio.sleep(1.0)
                known, _ = remembered.load(settings, "")
    return known


def _drawn(settings: Settings, report: Report, known: Relevance) -> list[str]:
    names = sorted(name for name in known.files if not is_test_path(name))
    found = sorted({one.span.path for one in report.findings if one.level.rank >= settings.level.rank} & set(names))
    large = sorted(names, key=lambda name: -(settings.root / name).stat().st_size)
    stems = [Path(name).stem for name in names if Path(name).stem != "__init__"]
    texts = [(settings.root / name).read_text(encoding="utf-8") for name in random.Random(1).sample(names, 60)]  # noqa: S311
    used = sorted(set(stems), key=lambda stem: -sum(f"{stem} import" in text for text in texts))
    most = [name for stem in used[:6] for name in names if Path(name).stem == stem][:6]
    chosen = [*found[:8], *large[:6], *most, *random.Random(5).sample(names, min(FILES, len(names)))]  # noqa: S311
    return list(dict.fromkeys(chosen))


if __name__ == "__main__":
    asyncio.run(measure(Path(sys.argv[1]).resolve()))
