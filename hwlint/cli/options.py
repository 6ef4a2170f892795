"""Hold the kinds of options that several commands share."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from hwlint.model.suggest import did_you_mean

SOME_PATH = click.Path(path_type=Path)


class OneOf(click.ParamType[str]):
    """One word of a closed list; a misspelt one is answered with the nearest."""

    name = "word"

    def __init__(self, words: Sequence[str]) -> None:
        self.words = tuple(words)

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str:
        """Show the words in the help."""
        return f"[{'|'.join(self.words)}]"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the word, in any case of letters, or fail with the nearest one and the list."""
        word = str(value).casefold()
        if word not in self.words:
            self.fail(
                f"`{value}` is not one of {', '.join(self.words)}{did_you_mean(str(value), self.words)}", param, ctx
            )
        return word


class Words(click.ParamType[tuple[str, ...]]):
    """Words separated by commas."""

    name = "words"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, ...]:
        """Return the words without the blanks around them, or fail where none is left."""
        if isinstance(value, tuple):
            return value
        words = tuple(word.strip() for word in str(value).split(",") if word.strip())
        if not words:
            self.fail("expected one or more words, separated by commas", param, ctx)
        return words


def flatten(groups: Sequence[tuple[str, ...]]) -> tuple[str, ...] | None:
    """Join what a repeated option was given, or return None where it was not given at all."""
    return tuple(word for group in groups for word in group) if groups else None
