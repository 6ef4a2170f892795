"""Mark the findings that a comment or the configuration silences, and tell which comments silence nothing."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from hwlint.model.errors import SettingsError
from hwlint.model.finding import Finding, Suppression
from hwlint.model.span import Span
from hwlint.model.suggest import did_you_mean
from hwlint.source.comments import Comments, Ignore
from hwlint.source.ignore import compile_patterns

UNUSED = "HW901"
MALFORMED = "HW904"


@dataclass(frozen=True, slots=True, order=True)
class Upkeep:
    """Something to tidy up about a suppression comment: material for a finding of `rule` (HW901 or HW904)."""

    span: Span
    rule: str
    message: str
    idle: tuple[str, ...] = ()
    """The words of the comment that suppress nothing; empty where it names none."""


def apply(
    findings: Iterable[Finding],
    comments: Mapping[str, Comments],
    statement_lines: Mapping[str, Mapping[int, int]] | None = None,
    *,
    rules: Mapping[str, str],
    ran: Collection[str] | None = None,
) -> tuple[list[Finding], list[Upkeep]]:
    """Mark findings under an ignore comment as suppressed, in their order; none is dropped.

    A comment counts where it stands on a line of the finding's span or on the first line of its statement, which is
    `facts["statement_line"]` or else looked up in `statement_lines` (path, then line). A finding that is suppressed
    already stays as it is, and still counts as a use of the comment.

    `rules` maps the id of every known rule to its name; `ran` holds the ids of the rules that ran in this run (all
    where None): only for those can a comment be called unused. Hand over the comments of judged files only.
    """
    used: set[tuple[Ignore, str]] = set()
    marked = []
    for finding in findings:
        of_file = comments.get(finding.span.path)
        suppression = None
        if of_file is not None:
            lines = _lines(finding, (statement_lines or {}).get(finding.span.path, {}))
            suppression = _suppression(finding, of_file, lines, used)
        keep = suppression is None or finding.suppressed is not None
        marked.append(finding if keep else replace(finding, suppressed=suppression))
    upkeep = [each for path in sorted(comments) for each in _upkeep(comments[path], rules, ran, used)]
    return marked, sorted(upkeep)


def apply_per_file_ignores(findings: Iterable[Finding], ignores: Mapping[str, Sequence[str]]) -> list[Finding]:
    """Mark findings in files that match a git-style pattern of `ignores`, for the rules listed there.

    A rule is listed by its id, its name or the beginning of ids (`HW1`); `ALL` lists every rule. Raises SettingsError
    for a pattern that cannot be used.
    """
    compiled = []
    for pattern, selectors in ignores.items():
        spec, bad = compile_patterns([pattern])
        if bad:
            raise SettingsError(f"per-file-ignores: {pattern!r} is not a git-style pattern that can be used")
        compiled.append((pattern, spec, selectors))
    marked = []
    for finding in findings:
        hit = next(
            (
                pattern
                for pattern, spec, selectors in compiled
                if any(_selects(each, finding) for each in selectors) and spec.match_file(finding.span.path)
            ),
            None,
        )
        if hit is not None and finding.suppressed is None:
            finding = replace(finding, suppressed=Suppression("configuration", f"per-file-ignores: {hit}"))
        marked.append(finding)
    return marked


def _lines(finding: Finding, statement_lines: Mapping[int, int]) -> set[int]:
    """Return the lines on which a comment speaks about the finding."""
    span = finding.span
    first = finding.facts.get("statement_line", statement_lines.get(span.line, span.line))
    # A span that ends at the start of a line holds nothing of that line.
    last = span.end_line - 1 if span.end_column == 1 and span.end_line > span.line else span.end_line
    return {int(str(first)), *range(span.line, last + 1)}


def _suppression(
    finding: Finding, comments: Comments, lines: set[int], used: set[tuple[Ignore, str]]
) -> Suppression | None:
    """Note every comment that covers the finding as used; return what the first of them makes of it."""
    found: Suppression | None = None
    for ignore in comments.ignores:
        if not ignore.whole_file and ignore.span.line not in lines:
            continue
        rule = _named_by(ignore, finding)
        if rule is None:
            continue
        used.add((ignore, rule))
        if found is None:
            kind, word = ("file", "ignore-file") if ignore.whole_file else ("comment", "ignore")
            listed = f"[{rule}]" if rule else ""
            found = Suppression(kind, f"# hwlint: {word}{listed} in line {ignore.span.line}")
    return found


def _named_by(ignore: Ignore, finding: Finding) -> str | None:
    """Return the word by which the comment names the finding's rule, "" where it names every rule, else None."""
    if not ignore.rules:
        return ""
    return next((rule for rule in ignore.rules if rule in (finding.rule, finding.name)), None)


def _upkeep(
    comments: Comments, rules: Mapping[str, str], ran: Collection[str] | None, used: set[tuple[Ignore, str]]
) -> Iterable[Upkeep]:
    for broken in comments.malformed:
        yield Upkeep(broken.span, MALFORMED, broken.message)
    ids = {**{each: each for each in rules}, **{name: each for each, name in rules.items()}}
    for ignore in comments.ignores:
        unknown = [rule for rule in ignore.rules if rule not in ids]
        for rule in unknown:
            yield Upkeep(ignore.span, MALFORMED, f"`{rule}` is not a rule{did_you_mean(rule, ids)}")
        if UNUSED in (ids.get(rule) for rule in ignore.rules):
            continue  # the author wants the comment kept
        idle = [
            rule
            for rule in ignore.rules or ("",)
            if rule not in unknown
            and (ignore, rule) not in used
            and (ran is None or (ids[rule] in ran if rule else set(rules) <= {*ran, UNUSED, MALFORMED}))
        ]
        if idle:
            named = tuple(rule for rule in idle if rule)
            yield Upkeep(ignore.span, UNUSED, _unused_message(ignore, named), named)


def _unused_message(ignore: Ignore, idle: Sequence[str]) -> str:
    where = "in this file" if ignore.whole_file else "on this line"
    if not idle:
        return f"nothing {where} needs this comment; remove it"
    return f"nothing {where} needs {', '.join(idle)}; remove {'it' if len(idle) == 1 else 'them'} from the comment"


def _selects(selector: str, finding: Finding) -> bool:
    if selector == "ALL" or selector.lower() == finding.name:
        return True
    is_id = selector[:2].upper() == "HW" and selector[2:].isdigit()
    return is_id and finding.rule.startswith(selector.upper())
