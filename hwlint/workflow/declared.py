"""Find the origins that a project declares and that name nothing in its code."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from hwlint.model.finding import Certainty, Finding
from hwlint.model.rule import Rule
from hwlint.model.span import Span
from hwlint.model.suggest import did_you_mean
from hwlint.source.needles import compile_needles, words
from hwlint.workflow.sources import Sources

_LONGEST_LIST = 4000
"""Words offered as what was meant: those of the files that name the declared origin's package, up to so many."""


def unresolved_origins(
    declared: Mapping[str, object], file: Path | None, root: Path, sources: Sources, files: Sequence[str], rule: Rule
) -> list[Finding]:
    """Return one finding of `rule` for each declared origin whose last name stands in none of `files`.

    The finding is at the entry's line in the settings file, whose path is relative to `root` where it lies inside.
    """
    wanted = {_last(name): name for name in declared if _last(name).isidentifier()}
    if not wanted or file is None:
        return []
    needles = compile_needles(wanted)
    seen: set[str] = set()
    for path in files:
        data = sources.data(path)
        if isinstance(data, bytes) and len(seen) < len(wanted):
            seen |= needles.names(data)
    text = file.read_text(encoding="utf-8")
    shown = file.relative_to(root).as_posix() if file.is_relative_to(root) else file.as_posix()
    found = []
    for last, name in sorted(wanted.items()):
        if last not in seen:
            reason = f"no file has the name `{last}`{did_you_mean(last, _neighbours(name, sources, files))}"
            line, column, end = _place(text, name)
            span = Span(shown, line, column, line, end)
            message = rule.message.format(symbol=name, reason=reason)
            found.append(Finding(rule.id, rule.name, rule.level, Certainty.CERTAIN, message, span, name, (), reason))
    return found


def _last(name: str) -> str:
    return name.rpartition(".")[2]


def _neighbours(name: str, sources: Sources, files: Sequence[str]) -> list[str]:
    """The words of the files that mention the package of a declared name, of all files where none does."""
    package = name.removeprefix("*.").partition(".")[0].encode()
    held: set[bytes] = set()
    for path in files:
        data = sources.data(path)
        if isinstance(data, bytes) and package in data:
            held |= words(data)
    long_enough = sorted(word for word in held if len(word) > 3 and word != package)
    return [word.decode("utf-8", "replace") for word in long_enough[:_LONGEST_LIST]]


def _place(text: str, name: str) -> tuple[int, int, int]:
    """Line, first column and end column of the entry; the first column of the file where it is written otherwise."""
    entry = re.compile(rf"""(["'])({re.escape(name)})\1""")
    for number, line in enumerate(text.splitlines(), start=1):
        hit = entry.search(line)
        if hit is not None:
            return number, hit.start() + 1, hit.end() + 1
    return 1, 1, 1
