"""Check completion in the shells themselves: what a user of bash, zsh and fish gets on pressing Tab."""

from __future__ import annotations

import os
import pty
import select
import shlex
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parents[2]
PATIENCE = 60.0
"""Seconds to wait for a shell; machines may be busy."""

TYPED = [
    ("hwlint mat", "matrix"),
    ("hwlint check --sel", "--select"),
    ("hwlint check --select HW101,mis", "HW101,missing-key"),
    ("hwlint check --select=HW101,mis", "HW101,missing-key"),
    ("hwlint check --level=warn", "warning"),
    ("hwlint check --targets sm_90,dat", "sm_90,datacenter"),
    ("hwlint archs gfx125", "gfx1250"),
    ("hwlint rule stale-", ""),
    ("hwlint trace ser", "server.log"),
    ("hwlint check --config=ser", "server.log"),
    ("hwlint check fol", "folder/"),
]
"""What is typed, and what its last word becomes; nothing where there is nothing to complete."""


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder with a log, a folder and a program `hwlint`, to complete in."""
    (tmp_path / "server.log").touch()
    (tmp_path / "folder").mkdir()
    program = tmp_path / "bin" / "hwlint"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m hwlint "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    return tmp_path


def surroundings(place: Path) -> dict[str, str]:
    """The environment of a new user."""
    path = f"{place / 'bin'}{os.pathsep}{os.environ['PATH']}"
    return {"PATH": path, "HOME": str(place), "PYTHONPATH": str(CHECKOUT), "TERM": "dumb", "LC_ALL": "C.UTF-8"}


def shell(name: str) -> str:
    """Where a shell is; without it the test is skipped."""
    found = shutil.which(name)
    if found is None:
        pytest.skip(f"NOT TESTED: no {name} on the path")
    return found


def ran(arguments: list[str], place: Path) -> list[str]:
    """The lines that a shell prints."""
    done = subprocess.run(
        arguments, cwd=place, env=surroundings(place), capture_output=True, text=True, check=False, timeout=PATIENCE
    )
    assert done.stderr == ""
    return done.stdout.splitlines()


def test_bash_completes_every_kind_of_word(place: Path) -> None:
    script = ['eval "$(_HWLINT_COMPLETE=bash_source hwlint)"', "compopt() { compgen -f -- $value; }"]
    for typed, _ in TYPED:
        words = typed.replace("=", " = ").split()  # as readline takes words apart
        script += [
            f"COMP_WORDS=({shlex.join(words)}); COMP_CWORD={len(words) - 1}; value={shlex.quote(words[-1])}",
            'COMPREPLY=(); echo "$(_hwlint_completion hwlint; printf "%s " "${COMPREPLY[@]}" | xargs)"',
        ]
    lines = ran([shell("bash"), "--norc", "-c", "\n".join(script)], place)
    assert [expected.rstrip("/") for _, expected in TYPED] == lines


def test_fish_completes_every_kind_of_word_and_says_what_it_means(place: Path) -> None:
    fish = shell("fish")
    script = ["_HWLINT_COMPLETE=fish_source hwlint | source"]
    script += [f"complete -C {shlex.quote(typed)} | string collect; echo @@" for typed, _ in TYPED]
    told = "\n".join(ran([fish, "--no-config", "-c", "\n".join(script)], place)).split("@@")[:-1]
    offered = [each.strip().partition("\t") for each in told]
    whole = [typed.rpartition(" ")[2].rpartition("=") for typed, _ in TYPED]
    expected = [
        f"{option}{sign}{last}" if sign else last for (option, sign, _), (_, last) in zip(whole, TYPED, strict=True)
    ]
    assert expected == [word for word, _, _ in offered]
    assert "Run only these rules (HW101, missing-key)." == offered[1][2]


@pytest.mark.parametrize(("typed", "expected"), TYPED)
def test_zsh_completes_every_kind_of_word_without_anything_set_up_before(
    typed: str, expected: str, place: Path
) -> None:
    zsh = shell("zsh")
    (place / ".zshrc").write_text('PS1="> "\neval "$(_HWLINT_COMPLETE=zsh_source hwlint)"\n', encoding="utf-8")
    process, terminal = pty.fork()
    if process == 0:
        os.chdir(place)
        os.execve(zsh, [zsh, "-i"], {**surroundings(place), "ZDOTDIR": str(place)})  # noqa: S606
    try:
        said = _until(terminal, "> ")
        os.write(terminal, f"{typed}\t".encode())
        if not expected:
            assert "\a" in _until(terminal, "\a")
            return
        said = _until(terminal, _line(typed, expected))
        assert "command not found" not in said
    finally:
        os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)
        os.close(terminal)


def _line(typed: str, expected: str) -> str:
    """The whole line once its last word is complete."""
    at = max(typed.rfind(" "), typed.rfind("=")) + 1
    return typed[:at] + expected


def _until(terminal: int, wanted: str) -> str:
    """Read what the terminal shows until it ends in something; backspaces are carried out."""
    end = time.monotonic() + PATIENCE
    shown = ""
    while wanted not in _seen(shown):
        assert time.monotonic() < end, f"{wanted!r} never came: {shown!r}"
        if select.select([terminal], [], [], 0.2)[0]:
            shown += os.read(terminal, 65536).decode("utf-8", "replace")
    return shown


def _seen(shown: str) -> str:
    """What is to be read once backspaces have been carried out."""
    line: list[str] = []
    at = 0
    for char in shown:
        if char == "\b":
            at = max(at - 1, 0)
        elif at < len(line):
            line[at] = char
            at += 1
        else:
            line.append(char)
            at += 1
    return "".join(line)
