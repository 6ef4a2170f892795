"""Measure how long the language server takes from an edit to its diagnostics: `python -m benchmarks.editor TREE`.

A real client opens files of the tree, one after the other, and types in each of them three times: a line more at the
top, a table with a missing key at the end, and without it again. Files are drawn at random (always the same) from those
that hardware values reach. Nothing in the tree is changed but its `.hwlint_cache`.
"""

from __future__ import annotations

import asyncio
import os
import random
import sys
import time
from pathlib import Path
from statistics import median

from hwlint.server import remembered
from hwlint.source.classify import is_test_path
from hwlint.workflow.settings import load_settings
from tests.server.editor import Editor, editor

FILES = 30
MORE = "\n\ndef one_more():\n    import torch\n\n    return {9: 1}[torch.cuda.get_device_capability()[0]]\n"
GOAL = 0.5
"""Seconds within which the diagnostics of an edit should come."""
SETTLED = 4.0
"""Seconds to leave an opened file alone: whoever opens a file reads before typing."""


async def measure(root: Path) -> None:
    """Print the times for one tree."""
    async with editor(root) as there:
        first = root / _drawn(root)[0]
        began = time.monotonic()
        there.open(first)
        await _shown(there, first, began)
        sys.stdout.write(f"first file opened: {time.monotonic() - began:.2f} s (load {os.getloadavg()[0]:.1f})\n")
        await asyncio.sleep(SETTLED)
        times: list[tuple[float, str]] = []
        for name in _drawn(root):
            file = root / name
            text = file.read_text(encoding="utf-8")
            if file != first:
                began = time.monotonic()
                there.open(file, text)
                await _shown(there, file, began)
                await asyncio.sleep(SETTLED)
            for changed in ("\n" + text, "\n" + text + MORE, text):
                since = there.type(file, changed)
                await _shown(there, file, since)
                times.append((time.monotonic() - since, name))
                await asyncio.sleep(0.2)
            there.close(file)
    only = sorted(seconds for seconds, _ in times)
    within = sum(seconds <= GOAL for seconds in only)
    sys.stdout.write(
        f"{len(only)} edits of {len(_drawn(root))} files: median {median(only):.3f} s, "
        f"90 % within {only[int(len(only) * 0.9)]:.3f} s, slowest {only[-1]:.3f} s; "
        f"{within} within {GOAL} s (load {os.getloadavg()[0]:.1f})\n"
    )
    for seconds, name in sorted(times, reverse=True)[:5]:
        sys.stdout.write(f"  {seconds:.3f} s  {name}\n")


async def _shown(there: Editor, file: Path, since: float) -> None:
    await there.next_for(file, since)


def _drawn(root: Path) -> list[str]:
    known, _ = remembered.load(load_settings([root]), "")
    if known is None:
        raise SystemExit("open a file of the tree in an editor once, so that the server knows it (or run this twice)")
    names = sorted(name for name in known.files if not is_test_path(name))
    return random.Random(5).sample(names, min(FILES, len(names)))  # noqa: S311 - a sample, no secret


if __name__ == "__main__":
    asyncio.run(measure(Path(sys.argv[1]).resolve()))
