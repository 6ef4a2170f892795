"""Explain one line: what the evaluator computed there on each architecture, and why, or why that is unknown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from hwlint.evaluate.watch import Watched, WatchingMachine
from hwlint.graph.modules import ModuleTable
from hwlint.hardware.additions import extend
from hwlint.hardware.table import load
from hwlint.hardware.targets import parse_targets
from hwlint.judge.verdict import Bench
from hwlint.model.architecture import Architecture
from hwlint.model.errors import UsageError
from hwlint.model.explained import ABSENT, ExplainedLine, Item, Rows
from hwlint.model.finding import Finding
from hwlint.model.observation import Observation
from hwlint.rulebook.origins import load_origins
from hwlint.source.classify import is_test_path
from hwlint.workflow.analyse import Plan, choose, project_of
from hwlint.workflow.check import check
from hwlint.workflow.cores import usable_cores
from hwlint.workflow.explain_events import events_on, why_absent
from hwlint.workflow.observe import joined
from hwlint.workflow.scope import Scope, survey
from hwlint.workflow.settings import Settings
from hwlint.workflow.sources import Sources
from hwlint.workflow.workers import Workers

_NOT_FOUND = "unknown: no assignment to "
"""What an attribute is besides what is known of it, where its assignments were not run."""


@dataclass(frozen=True, slots=True)
class _Seen:
    """What one file's evaluation saw of the line."""

    observations: tuple[Observation, ...]
    watched: tuple[Watched, ...]


def explain(
    paths: Sequence[Path],
    settings: Settings,
    place: Path,
    line: int,
    *,
    jobs: int | None = None,
    use_cache: bool = True,
) -> ExplainedLine:
    """Evaluate the whole project as check does, and tell what it found on `line` of the file `place`.

    Raises UsageError for a file outside the project or a line that it does not have, and what check raises.
    """
    scope = survey([*paths, place], settings, {})
    path = _relative(place, settings.root)
    rows = _lines(scope, path, line)
    report = check([*paths, place], settings, jobs=jobs, use_cache=use_cache)
    catalogue = extend(load(), settings.architectures)
    targets = parse_targets(",".join(settings.targets), catalogue)
    origins = load_origins(declared=settings.origins)
    table = ModuleTable.build(scope.files, settings.root.as_posix(), scope.links)
    with Workers(scope.sources, scope.files, jobs or usable_cores()) as workers:
        relevance = choose(workers, scope.files, origins)
        roots = {one for one in relevance.files if settings.include_tests or not is_test_path(one)} | {path}
        plan = Plan(targets, origins, table, relevance)
        seen: dict[str, _Seen] = workers.run_at_home(watch_files, sorted(roots), plan, path, line)
    observations = joined({name: one.observations for name, one in seen.items()})
    found = describe(
        path,
        line,
        targets,
        [one for name in sorted(seen) for one in seen[name].watched],
        [one for one in observations if one.place.path == path],
        report.findings,
    )
    return replace(found, remark=_remark(found, rows[line - 1].strip(), relevant=path in relevance.files))


def describe(
    path: str,
    line: int,
    targets: Sequence[Architecture],
    watched: Sequence[Watched],
    here: Sequence[Observation],
    findings: Sequence[Finding],
) -> ExplainedLine:
    """Tell of one line from what was watched on it, what was seen in its file, and what check reports there."""
    bench = Bench(tuple(targets), {})
    together = _together(watched)
    symbol = together[0].symbol if together else ""
    return ExplainedLine(
        path,
        line,
        symbol,
        bench.names(bench.everyone),
        _reach(together, here, symbol, line, bench),
        tuple(dict.fromkeys(Item(one.text, _rows(one.answers, bench)) for one in together if one.answers)),
        tuple(events_on(here, line, bench)),
        tuple(one for one in findings if one.span.path == path and one.span.line <= line <= one.span.end_line),
    )


def watch_files(sources: Sources, paths: Sequence[str], plan: Plan, path: str, line: int) -> dict[str, _Seen]:
    """Stage: evaluate files as check does, and note what they see of one line."""
    machine = WatchingMachine(plan.architectures, project_of(sources, plan), plan.origins, path, line)
    found: dict[str, _Seen] = {}
    for name in paths:
        seen = machine.evaluate(name)
        if name == path:
            machine.look()
            seen = [*seen, *machine.recorder.observations()]
        watched = machine.watched() if name == paths[-1] else ()
        found[name] = _Seen(tuple(one for one in seen if one.place.path == path), watched)
    return found


def _relative(place: Path, root: Path) -> str:
    real = place.resolve()
    if not real.is_file():
        raise UsageError(f"{place}: no such file; --explain takes PATH:LINE")
    if not real.is_relative_to(root.resolve()):
        raise UsageError(f"{place}: lies outside the project {root}; give the project's folder as well")
    return real.relative_to(root.resolve()).as_posix()


def _lines(scope: Scope, path: str, line: int) -> Sequence[str]:
    """The lines of the file; raises UsageError where it cannot be read or has no such line."""
    loaded = scope.sources.load(path)
    if loaded is None:
        failure = next((one.message for one in scope.sources.failures if one.path == path), "it is not a Python file")
        raise UsageError(f"{path}: cannot be explained: {failure}")
    rows = loaded[0].lines
    if not 1 <= line <= len(rows):
        raise UsageError(f"{path}:{line}: the file has {len(rows)} lines")
    return rows


def _together(watched: Sequence[Watched]) -> list[Watched]:
    """Join what several files saw of one expression."""
    found: dict[tuple[object, ...], Watched] = {}
    for one in watched:
        index = (one.span, one.text)
        old = found.get(index)
        if old is None:
            found[index] = one
            continue
        answers = dict(old.answers)
        for text, mask in one.answers:
            answers[text] = answers.get(text, 0) | mask
        found[index] = replace(
            old, answers=tuple(answers.items()), reached=old.reached | one.reached, certain=old.certain | one.certain
        )
    return sorted(found.values(), key=lambda one: (one.span.column, -one.span.end_line, -one.span.end_column))


def _rows(answers: Sequence[tuple[str, int]], bench: Bench) -> Rows:
    """What it may be on each architecture; what is known in one context goes before what is unknown in another."""
    told: dict[str, list[str]] = {}
    for text, mask in sorted(answers, key=lambda pair: pair[0].startswith("unknown: ")):
        for name in bench.names(mask):
            told.setdefault(name, []).append(text)
    return tuple((name, " or ".join(_telling(told[name]))) for name in bench.names(bench.everyone) if name in told)


def _telling(texts: Sequence[str]) -> Sequence[str]:
    """Leave out that no assignment is found where another reason says why: it was only not looked at."""
    reasons = [text for text in texts if text.startswith("unknown: ") and not text.startswith(_NOT_FOUND)]
    return [text for text in texts if not (reasons and text.startswith(_NOT_FOUND))]


def _reach(watched: Sequence[Watched], here: Sequence[Observation], symbol: str, line: int, bench: Bench) -> Rows:
    reached = certain = 0
    for one in watched:
        reached |= one.reached
        certain |= one.certain
    if not watched:
        return ()
    rows = []
    for bit, row in enumerate(bench.architectures):
        if certain >> bit & 1:
            rows.append((row.name, "comes here once the function is called" if symbol else "comes here"))
        elif reached >> bit & 1:
            rows.append((row.name, "may come here: more than the hardware decides"))
        else:
            rows.append((row.name, f"{ABSENT}{why_absent(here, symbol, line, 1 << bit)}"))
    return tuple(rows)


def _remark(found: ExplainedLine, text: str, *, relevant: bool) -> str:
    """Why nothing is known of the line, or why check does not look at it."""
    if found.values or found.events:
        return "" if relevant else "no hardware value reaches this file, so check does not evaluate it"
    if not text or text.startswith("#"):
        return "there is no code on this line"
    return (
        "nothing on this line is evaluated: it holds no expression of its own, or nothing comes here; "
        "of a statement over several lines, name the one on which the expression begins"
    )
