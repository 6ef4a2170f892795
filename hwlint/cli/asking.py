"""Ask the user about each fix: what it mends, why it is made so, and the lines that it changes."""

from __future__ import annotations

from collections.abc import Callable

import click

from hwlint.cli.output import columns, wants_color
from hwlint.model.finding import Finding, Fix

_ANSWERS = {"y": "this one", "n": "not this one", "a": "this one and all that follow", "q": "none that follows"}


class Asker:
    """Asks once about each fix and remembers the answer for the rounds that follow."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, ...], bool] = {}
        self._rest: bool | None = None

    def __call__(self, finding: Finding, fix: Fix, text_of: Callable[[str], str | None]) -> bool:
        """Show the fix on standard error and return whether the user wants it."""
        key = (finding.rule, finding.span.path, finding.symbol, finding.table, fix.title)
        if key not in self._known:
            self._known[key] = self._rest if self._rest is not None else self._ask(finding, fix, text_of)
        return self._known[key]

    def _ask(self, finding: Finding, fix: Fix, text_of: Callable[[str], str | None]) -> bool:
        for row in _shown(finding, fix, text_of):
            click.echo(row, err=True)
        hint = ", ".join(f"{letter}: {meaning}" for letter, meaning in _ANSWERS.items())
        click.echo(f"  ({hint})", err=True)
        answer = click.prompt("  Apply?", type=click.Choice([*_ANSWERS]), default="n", err=True, show_choices=True)
        if answer in ("a", "q"):
            self._rest = answer == "a"
        return answer in ("y", "a")


def _shown(finding: Finding, fix: Fix, text_of: Callable[[str], str | None]) -> list[str]:
    from dataclasses import replace

    from hwlint.report.display import printable
    from hwlint.report.fixes_in_full import fixes_in_full
    from hwlint.report.source_lines import SourceLines
    from hwlint.report.styles import Painter, Style

    painter = Painter(color=wants_color(file=None))
    span = finding.span
    place = painter.paint(f"{printable(span.path)}:{span.line}:{span.column}", Style.PLACE)
    head = f"{place}: {painter.paint(finding.rule, Style.RULE)} {printable(finding.message)}"
    width = columns()
    return [
        "",
        head,
        *fixes_in_full(replace(finding, fixes=(fix,)), SourceLines(text_of), painter, width),
    ]
