"""Hold the kinds of options that several commands share."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem

from hwlint.model.suggest import did_you_mean

_WIDEST = 76
"""Columns that a row of examples may take: the help is indented by two, and many terminals have 80."""
SOME_PATH = click.Path(path_type=Path)


class OneOf(click.ParamType[str]):
    """One word of a closed list; a misspelt one is answered with the nearest."""

    name = "word"

    def __init__(self, words: Sequence[str]) -> None:
        self.words = tuple(words)

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str:
        """Show the words in the help."""
        return f"[{'|'.join(self.words)}]"

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Complete the word."""
        return [CompletionItem(word) for word in self.words if word.startswith(incomplete.casefold())]

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the word, in any case of letters, or fail with the nearest one and the list."""
        word = str(value).casefold()
        if word not in self.words:
            self.fail(
                f"`{value}` is not one of {', '.join(self.words)}{did_you_mean(str(value), self.words)}", param, ctx
            )
        return word


class Words(click.ParamType[tuple[str, ...]]):
    """Words separated by commas; `known` gives those that a shell may complete."""

    name = "words"

    def __init__(self, known: Callable[[], Sequence[str]] = tuple) -> None:
        self.known = known

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Complete the last of the words."""
        before, comma, last = incomplete.rpartition(",")
        given = set(before.split(","))
        return [
            CompletionItem(f"{before}{comma}{word}")
            for word in self.known()
            if word.casefold().startswith(last.casefold()) and word not in given
        ]

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, ...]:
        """Return the words without the blanks around them, or fail where none is left."""
        if isinstance(value, tuple):
            return value
        words = tuple(word.strip() for word in str(value).split(",") if word.strip())
        if not words:
            self.fail("expected one or more words, separated by commas", param, ctx)
        return words


class OneWord(click.ParamType[str]):
    """A word as it is; `known` gives those that a shell may complete."""

    name = "text"

    def __init__(self, known: Callable[[], Sequence[str]]) -> None:
        self.known = known

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Complete the word."""
        return [CompletionItem(word) for word in self.known() if word.casefold().startswith(incomplete.casefold())]


def flatten(groups: Sequence[tuple[str, ...]]) -> tuple[str, ...] | None:
    """Join what a repeated option was given, or return None where it was not given at all."""
    return tuple(word for group in groups for word in group) if groups else None


def architecture_words() -> tuple[str, ...]:
    """Every name of an architecture, and every set of them, that the catalogue knows."""
    from hwlint.hardware.table import load
    from hwlint.hardware.targets import words

    return words(load())


def rule_words() -> tuple[str, ...]:
    """The id and the name of every rule that hwlint ships."""
    from hwlint.rulebook.rules import load_rules

    return tuple(word for rule in load_rules(()).rules for word in (rule.id, rule.name))


def manual(examples: Mapping[str, str], statuses: Mapping[int, str] | None = None) -> str:
    """Return what ends the help of a command: examples with what they do, and what the exit status says."""
    wide = max(map(len, examples), default=0)
    rows = ["\b", "Examples:"]
    for example, what in examples.items():
        row = f"  {example:{wide}}  {what}"
        rows += [row] if len(row) <= _WIDEST else [f"  {example}", f"      {what}"]
    rows += ["", "\b", "Exit status:"]
    told = statuses if statuses is not None else {0: "done", 2: "wrong usage or configuration"}
    return "\n".join([*rows, *(f"  {status}  {what}" for status, what in told.items())])
