"""Check the help of every command, what a shell can complete, and the words of errors about options."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator

import click
import pytest

from hwlint.cli import run
from hwlint.cli.commands import hwlint

TOP = click.Context(hwlint, info_name="hwlint")


def commands() -> Iterator[tuple[str, click.Command]]:
    """Every command, and those below one, by the words that call it."""
    for name in hwlint.list_commands(TOP):
        command = hwlint.get_command(TOP, name)
        assert command is not None
        yield name, command
        if isinstance(command, click.Group):
            yield from ((f"{name} {below}", each) for below, each in command.commands.items())


def shown(words: str, capsys: pytest.CaptureFixture[str]) -> str:
    """What `hwlint WORDS --help` prints."""
    assert 0 == run([*words.split(), "--help"])
    return capsys.readouterr().out


@pytest.mark.parametrize("words", [words for words, _ in commands()])
def test_the_help_of_every_command_has_examples_and_exit_statuses_and_fits_a_terminal(
    words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    text = shown(words, capsys)
    assert re.search(r"^  Examples:$", text, re.MULTILINE)
    assert re.search(r"^  Exit status:\n    0  ", text, re.MULTILINE)
    listed = text.partition("Options:")[2].partition("Examples:")[0]
    assert [] == [line for line in listed.splitlines() if line.endswith("...")]
    assert [] == [line for line in text.splitlines() if len(line) > 100]


@pytest.mark.parametrize("words", [words for words, _ in commands()])
def test_every_example_has_the_options_it_uses(words: str, capsys: pytest.CaptureFixture[str]) -> None:
    text = shown(words, capsys).partition("Examples:")[2].partition("Exit status:")[0]
    examples = re.findall(r"^    (?:\S.* \| )?hwlint ((?:\S+ )*?\S+)(?:  .*| [|<].*)?$", text, re.MULTILINE)
    assert examples
    for example in examples:
        name, *arguments = shlex.split(example)
        command = hwlint.get_command(TOP, name)
        assert command is not None, example
        if isinstance(command, click.Group):
            command = command.commands[arguments.pop(0)]
        command.make_context(name, arguments, parent=TOP)


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("hwlint mat", "matrix"),
        ("hwlint check --sel", "--select"),
        ("hwlint check --select HW101,mis", "HW101,missing-key"),
        ("hwlint fix --targets sm_90,SM_12", "sm_90,sm_121"),
        ("hwlint matrix --output-format ht", "html"),
        ("hwlint rule HW10", "HW101"),
        ("hwlint archs hop", "hopper"),
        ("hwlint cache cl", "clean"),
    ],
)
def test_a_shell_completes_commands_options_rules_architectures_and_formats(typed: str, offered: str) -> None:
    asked = {
        "_HWLINT_COMPLETE": "bash_complete",
        "COMP_WORDS": typed,
        "COMP_CWORD": str(len(typed.split()) - 1),
    }
    done = subprocess.run(
        [sys.executable, "-m", "hwlint"], env={**os.environ, **asked}, capture_output=True, text=True, check=False
    )
    assert f"plain,{offered}" in done.stdout.splitlines()
    assert done.stderr == ""


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_for_each_shell_of_the_help_can_be_made(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    asked = {**os.environ, "_HWLINT_COMPLETE": f"{shell}_source"}
    done = subprocess.run([sys.executable, "-m", "hwlint"], env=asked, capture_output=True, text=True, check=False)
    assert f"{shell}_complete" in done.stdout
    assert 0 == run(["--help"])
    assert f"_HWLINT_COMPLETE={shell}_source" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["check", "--selct", "x"], "there is no option `--selct`; did you mean `--select`?"),
        (["check", "--zzzzzz"], "there is no option `--zzzzzz`; `hwlint check --help` lists them"),
        (["rule", "missing-kee"], "no rule is called `missing-kee`; did you mean `missing-key`? `hwlint rule` lists"),
    ],
)
def test_errors_about_words_name_the_nearest_in_one_sentence(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert 2 == run(arguments)
    said = capsys.readouterr().err
    assert message in said
    assert "?;" not in said
