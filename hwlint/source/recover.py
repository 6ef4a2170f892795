"""Read a module that is newer than the running interpreter, statement by statement.

LibCST knows the newer syntax and tells where the statements begin. It runs in a child process: deeply nested input
overflows its stack, which would end the process, and some input keeps it busy for minutes.
"""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from hwlint.source.syntax import parse_tree

MAX_SECONDS = 20
"""How long LibCST may take for one module; 10,000 lines take about a tenth of that."""

# Counting the lines of the code it writes is eight times faster than LibCST's position metadata.
_CHILD = """
import json, sys
sys.path[:] = json.loads(sys.argv[1])
import libcst

module = libcst.parse_module(sys.stdin.buffer.read().decode("utf-8"))
line = 1 + len(module.header)
starts = []
for statement in module.body:
    starts.append(line + len(statement.leading_lines))
    line += module.code_for_node(statement).count("\\n")
print(json.dumps(starts))
"""

Bad = tuple[int, int, str]
"""First line, last line and reason of a statement that could not be read."""


def recover(text: str, lines: Sequence[str]) -> tuple[ast.Module, tuple[Bad, ...]] | None:
    """Return the tree of all top-level statements that `ast` can read, and where the others stand.

    None where LibCST cannot read the module either: then it is not newer but broken.
    """
    starts = _statement_lines(text)
    if starts is None:
        return None
    body: list[ast.stmt] = []
    bad: list[Bad] = []
    _read_run(lines, [*starts, len(lines) + 1], 0, len(starts), body, bad)
    return ast.Module(body=body, type_ignores=[]), tuple(bad)


def _read_run(
    lines: Sequence[str], bounds: Sequence[int], first: int, last: int, body: list[ast.stmt], bad: list[Bad]
) -> None:
    """Read the statements `first` to `last` (exclusive) as one; where that fails, in halves."""
    if first == last:
        return
    start, end = bounds[first], bounds[last]
    source = "\n" * (start - 1) + "".join(lines[start - 1 : end - 1])
    try:
        body += parse_tree(source).body
    except (SyntaxError, RecursionError, MemoryError, ValueError) as error:
        if last - first == 1:
            bad.append((start, end - 1, getattr(error, "msg", None) or type(error).__name__))
            return
        middle = (first + last) // 2
        _read_run(lines, bounds, first, middle, body, bad)
        _read_run(lines, bounds, middle, last, body, bad)


def _statement_lines(text: str) -> list[int] | None:
    """Ask LibCST, in a child process, for the first lines of the module's statements, decorators included."""
    path = [str(Path(entry).absolute()) for entry in sys.path if entry]
    normal = text.replace("\r\n", "\n").replace("\r", "\n")
    try:
        child = subprocess.run(  # noqa: S603 (this interpreter, a fixed script, the module as standard input)
            [sys.executable, "-I", "-c", _CHILD, json.dumps(path)],
            input=normal.encode("utf-8"),
            capture_output=True,
            timeout=MAX_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired, UnicodeEncodeError):
        return None
    return json.loads(child.stdout) if child.returncode == 0 else None
