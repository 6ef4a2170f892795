"""Run every command of README.md and docs/*.md in a copy of the fixtures, and compare what it prints with the page.

A command is a line of an indented block, or of a `sh` or `console` block (there after `$ `), without its `# comment`.
In a `console` block the lines below a command are what it prints. Before they are compared,

- seconds (`in 0.3 s`) become `in N s`, versions of hwlint (`hwlint 0.1.0`) become `hwlint N`;
- a line `...` of the page stands for any lines.

A block that cannot run here has `<!-- not run: REASON -->` on the line above it, which no reader sees; all of them are
listed in `NOT_RUN`.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parents[1]
PAGES = (CHECKOUT / "README.md", *sorted((CHECKOUT / "docs").glob("*.md")))
NOT_OURS = ("docs/architecture.md", "docs/decisions.md", "docs/limitations.md")
"""Pages for contributors: their blocks show how code and values look, not commands."""
NOT_RUN = {
    "README.md: it needs make, and takes the whole test suite",
    "README.md: it installs hwlint",
    "README.md: Python's own answer on such a device",
    "docs/ci.md: it installs hwlint",
    "docs/confirm.md: it needs a device, and an interpreter with torch",
    "docs/confirm.md: what a device said",
    "docs/editor.md: it installs hwlint",
}
_MARK = re.compile(r"<!-- not run: (.+) -->")
_COMMENT = re.compile(r"\s{2,}# .*$|\s+# .*$")
_USUAL = {0, 1, 3}
"""Exit statuses of commands that found something to do; 2 is wrong usage."""


@dataclass(frozen=True, slots=True)
class Block:
    """One block of a page: its language (empty for an indented one), lines, and why it is not run, if so."""

    page: str
    line: int
    language: str
    lines: tuple[str, ...]
    why_not: str = ""

    def commands(self) -> Iterator[tuple[str, list[str] | None]]:
        """Yield each command with what it prints, None where the page does not say."""
        if self.language != "console":
            yield from ((command, None) for line in self.lines if (command := _COMMENT.sub("", line).strip()))
            return
        command, printed = "", list[str]()
        for line in (*self.lines, "$ "):
            if line.startswith("$ "):
                if command:
                    yield command, printed
                command, printed = line[2:], []
            else:
                printed.append(line)


def blocks(page: Path) -> Iterator[Block]:
    """Yield the blocks of a page that could hold commands or what they print."""
    name = page.relative_to(CHECKOUT).as_posix()
    rows = page.read_text(encoding="utf-8").split("\n")
    at = 0
    while at < len(rows):
        start, row = at, rows[at]
        fence = re.match(r"^```(\w*)$", row)
        if fence:
            end = next(each for each in range(at + 1, len(rows)) if rows[each] == "```")
            language, inside = fence[1], rows[at + 1 : end]
            at = end + 1
        elif row.startswith("    ") and (start == 0 or not rows[start - 1].strip() or _MARK.match(rows[start - 1])):
            end = next((each for each in range(at, len(rows)) if not rows[each].startswith("    ")), len(rows))
            language, inside = "", [each[4:] for each in rows[at:end]]
            at = end
        else:
            at += 1
            continue
        mark = _MARK.match(next((each for each in reversed(rows[:start]) if each.strip()), ""))
        yield Block(name, start + 1, language, tuple(inside), mark[1] if mark else "")


ALL = [block for page in PAGES for block in blocks(page) if block.page not in NOT_OURS]
RUN = [block for block in ALL if not block.why_not and block.language in ("", "sh", "console")]


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with the fixtures, sources of its own, a crash log, and programs that the pages take for granted."""
    top = tmp_path_factory.mktemp("docs")
    home = top / "work"
    shutil.copytree(CHECKOUT / "fixtures", home / "fixtures")
    shutil.copytree(home / "fixtures" / "tracebacks" / "serving", home / "src" / "serving")
    shutil.copytree(home / "fixtures" / "symmetric_memory" / "peerlink", home / "src" / "peerlink")
    shutil.copy(home / "fixtures" / "tracebacks" / "logs" / "tensor-parallel-ranks.log", home / "server.log")
    programs = top / "bin"
    programs.mkdir()
    for program, does in {
        "hwlint": f'exec "{sys.executable}" -m hwlint "$@"',
        "journalctl": f'cat "{home / "server.log"}"',
        "dot": "cat",
    }.items():
        (programs / program).write_text(f"#!/bin/sh\n{does}\n", encoding="utf-8")
        (programs / program).chmod(0o755)
    someone = "-c user.name=someone -c user.email=someone@example.org -c commit.gpgsign=false"
    script = f"""git init -q -b main && git add -A && git {someone} commit -q -m first
        git tag v1.0 && git tag v1.2.0 && git update-ref refs/remotes/origin/main HEAD && git checkout -q -b work
        echo '# more' >> src/serving/launch.py && git {someone} commit -q -a -m second"""
    subprocess.run(["bash", "-ec", script], cwd=home, check=True)
    return home


def ran(command: str, workshop: Path) -> tuple[int, str]:
    """Run one command there; return its exit status and what it printed, errors included."""
    there = {name: value for name, value in os.environ.items() if not name.startswith(("HWLINT", "FORCE_COLOR"))}
    there |= {
        "PATH": f"{workshop.parent / 'bin'}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(CHECKOUT),
        "NO_COLOR": "1",
        "COLUMNS": "100",
    }
    done = subprocess.run(
        ["bash", "-c", command], cwd=workshop, env=there, capture_output=True, text=True, check=False, timeout=300
    )
    return done.returncode, done.stdout + done.stderr


def normal(text: str) -> list[str]:
    """What is printed without what differs from run to run."""
    text = re.sub(r"in \d+(\.\d+)? s\b", "in N s", text)
    text = re.sub(r"hwlint \d+\.\d+\.\d+\S*", "hwlint N", text)
    return [line.rstrip() for line in text.rstrip().split("\n")]


def agrees(page: list[str], printed: list[str]) -> bool:
    """True where what is printed is what the page shows; `...` there stands for any lines."""
    pattern = "".join(r"(?:.*\n)*?" if line.strip() == "..." else re.escape(line) + r"\n" for line in page)
    return re.fullmatch(pattern, "".join(f"{line}\n" for line in printed)) is not None


@pytest.mark.parametrize("block", RUN, ids=lambda block: f"{block.page}:{block.line}")
def test_every_command_of_the_page_runs_and_prints_what_the_page_says(block: Block, workshop: Path) -> None:
    for command, expected in block.commands():
        assert re.search(r"\bhwlint\b", command), f"{command!r} is no command of ours; mark the block as not run"
        status, printed = ran(command, workshop)
        assert status in _USUAL, f"{command}: {printed}"
        assert "hwlint: error" not in printed, command
        assert "Traceback" not in printed or "trace" in command
        if expected is not None:
            assert agrees(normal("\n".join(expected)), normal(printed)), f"{command} prints\n{printed}"


@pytest.mark.parametrize("block", [each for each in ALL if "import hwlint" in each.lines], ids=lambda each: each.page)
def test_the_examples_in_python_run(block: Block, workshop: Path) -> None:
    script = workshop / "example.py"
    script.write_text("\n".join(block.lines), encoding="utf-8")
    status, printed = ran(f'"{sys.executable}" example.py', workshop)
    script.unlink()
    assert 0 == status, printed
    assert re.search(r"^\S+\.py:\d+: HW", printed, re.MULTILINE)


def test_what_is_not_run_is_known_and_every_output_is_of_a_command() -> None:
    assert NOT_RUN == {f"{block.page}: {block.why_not}" for block in ALL if block.why_not}
    unmarked = [f"{block.page}:{block.line}" for block in ALL if block.language == "text" and not block.why_not]
    assert [] == unmarked, "write what a command prints below it, in a `console` block"
