"""Write what ends the reports for people: unknown places, statistics, unread files, and one line of counts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hwlint.model.finding import Finding, Level, Safety
from hwlint.model.rule import RuleInfo
from hwlint.report.display import cells, printable
from hwlint.report.selection import Selection
from hwlint.report.styles import LEVEL_STYLES, Painter, Style, plain


def closing(
    selection: Selection,
    rules: Sequence[RuleInfo],
    painter: Painter,
    *,
    statistics: bool,
    show_unknown: bool,
    shows_fixes: bool = False,
    width: int | None = None,
) -> Iterator[str]:
    """Yield the last lines of a report, the summary last of all.

    A file that could not be read is always named; the unknown places only where `show_unknown` asks for them, though
    they are always counted. `shows_fixes` says that the report holds the suggestions themselves. With `width` the
    summary is broken to so many columns.
    """
    if show_unknown:
        for site in sorted(selection.report.unknown):
            yield f"{_place(site.path, site.line, painter)}: {painter.paint('unknown', Style.QUIET)}: " + printable(
                site.reason
            )
    for failure in sorted(selection.report.failures):
        word = painter.paint("not analysed", Style.ERROR)
        yield f"{_place(failure.path, failure.line, painter)}: {word}: {printable(failure.message)}"
    if statistics and selection.shown:
        yield from _statistics(selection, rules, painter)
    summary = _summary(selection, painter, listed=show_unknown, shows_fixes=shows_fixes)
    yield from [summary] if width is None else _broken(summary, width)


def counted(number: int, noun: str) -> str:
    """Return `1 error`, `2 errors`, `1,404 files`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def _broken(text: str, width: int) -> Iterator[str]:
    row = ""
    for word in text.split(" "):
        if row and cells(plain(f"{row} {word}")) > width:
            yield row
            row = ""
        row = f"{row} {word}" if row else word
    yield row


def _place(path: str, line: int, painter: Painter) -> str:
    return painter.paint(f"{printable(path)}:{line}", Style.PLACE)


def _statistics(selection: Selection, rules: Sequence[RuleInfo], painter: Painter) -> Iterator[str]:
    known = {rule.id: rule for rule in rules}
    counts = selection.count_by_rule()
    wide = max(len(f"{number:,}") for number in counts.values())
    names = {rule: _name(rule, known, selection.shown) for rule in counts}
    longest = max(map(len, names.values()))
    yield ""
    for rule, number in counts.items():
        worst = max((found.level for found in selection.shown if found.rule == rule), key=lambda level: level.rank)
        level = painter.paint(f"{worst.value:7}", LEVEL_STYLES[worst])
        title = printable(known[rule].title) if rule in known else ""
        head = f"{number:>{wide},}  {painter.paint(rule, Style.RULE)}"
        yield f"{head}  {level}  {names[rule]:{longest}}  {title}".rstrip()
    yield ""


def _name(rule: str, known: dict[str, RuleInfo], shown: Sequence[Finding]) -> str:
    if rule in known:
        return printable(known[rule].name)
    return printable(next(finding.name for finding in shown if finding.rule == rule))


def _summary(selection: Selection, painter: Painter, *, listed: bool, shows_fixes: bool) -> str:
    counts = [(level, selection.count(level)) for level in (Level.ERROR, Level.WARNING, Level.NOTE)]
    found = [painter.paint(counted(number, level.value), LEVEL_STYLES[level]) for level, number in counts if number]
    files = f"in {counted(selection.report.summary.files, 'file')}"
    sentences = [f"Found {', '.join(found)} {files}{_hidden(selection)}." if found else _clean(selection, files)]
    if not selection.report.summary.files:
        sentences.append("No Python file was found there.")
    sentences += _fixable(selection)
    if not shows_fixes and (suggested := selection.count_suggested()):
        sentences.append(f"{suggested:,} with suggestions to read: --output-format full.")
    sentences += _incomplete(selection, listed=listed)
    return " ".join(sentences)


def _clean(selection: Selection, files: str) -> str:
    return f"Nothing at level {selection.level.value} or above {files}{_hidden(selection)}."


def _hidden(selection: Selection) -> str:
    parts = []
    if selection.earlier:
        parts.append(f"{selection.earlier:,} there before")
    if quiet := selection.suppressed - selection.earlier:
        parts.append(f"{quiet:,} suppressed")
    if selection.below:
        parts.append(f"{selection.below:,} below the level: --level note")
    return f" ({'; '.join(parts)})" if parts else ""


def _fixable(selection: Selection) -> list[str]:
    """Return how many findings can be mended, and by which command: fix leaves notes alone unless asked for them."""
    ways = ((Safety.SAFE, ""), (Safety.UNSAFE, " --unsafe-fixes"))
    offers = [
        f"{len(found):,} with `hwlint fix{option}{_deep(found)}`"
        for safety, option in ways
        if (found := selection.fixable(safety))
    ]
    sentences = [f"Fixable: {', '.join(offers)}."] if offers else []
    if untried := selection.untried():
        command = f"hwlint fix --diff --unsafe-fixes{_deep(untried)}"
        sentences.append(f"{len(untried):,} may be fixable: `{command}` shows which.")
    return sentences


def _deep(findings: Sequence[Finding]) -> str:
    return " --level note" if any(one.level is Level.NOTE for one in findings) else ""


def _incomplete(selection: Selection, *, listed: bool) -> list[str]:
    """Return what keeps the result from being the whole truth; unknown is never counted as clean."""
    sentences = []
    if unknown := selection.report.summary.unknown:
        hint = "" if listed else " (--show-unknown lists them)" if unknown > 1 else " (--show-unknown shows it)"
        sentences.append(f"{counted(unknown, 'place')} unknown{hint}.")
    if failures := len(selection.report.failures):
        sentences.append(f"{counted(failures, 'file')} not analysed.")
    return sentences
