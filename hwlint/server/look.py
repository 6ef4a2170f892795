"""Look at one file alone, with what the last check of the whole project knew of all others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from hwlint.evaluate.watch import Watched
from hwlint.model.finding import Finding
from hwlint.model.observation import Observation
from hwlint.model.report import Report
from hwlint.server.edited import edited, rows
from hwlint.server.facts import Facts, Shape
from hwlint.server.held import Held
from hwlint.server.machine import Looking, Modules, Stop, Watching
from hwlint.workflow.fresh import analyse
from hwlint.workflow.observe import Seen, joined
from hwlint.workflow.scope import Scope
from hwlint.workflow.sources import Sources


def look(held: Held, known: Facts, path: str, news: Shape, stop: Stop) -> tuple[Finding, ...] | None:
    """Return what check would report in one file as far as that file alone tells; None where it cannot be parsed.

    `news` is what the shape of the text has that `known` does not account for. Raises StoppedError as soon as `stop`
    says so.
    """
    if not known.is_reported(path):
        return ()
    loaded = held.load(path)
    if loaded is None:
        return None
    project = Modules(known, held, path, news)
    machine = Looking(known.company, project, known.origins, stop)
    return _judged(known, held, {path: machine.evaluate(path) if project.is_reached else machine.survey(path)}).findings


def look_at_all(held: Held, known: Facts, paths: Sequence[str], path: str, news: Shape, stop: Stop) -> Report:
    """Return what check would report in some files as far as these tell; `news` is that of `path`, as for `look`."""
    project = Modules(known, held, path, news)
    machine = Looking(known.company, project, known.origins, stop)
    reached = known.relevance.files | ({path} if project.is_reached else set())
    return _judged(
        known,
        held,
        {
            each: machine.evaluate(each) if each in reached else machine.survey(each)
            for each in paths
            if known.is_reported(each) and held.load(each) is not None
        },
    )


def glance(
    held: Held, known: Facts, path: str, news: Shape, old: str, stop: Stop, late: Stop, too_late: Stop
) -> tuple[tuple[Finding, ...], tuple[range, ...]] | None:
    """Return what there is to report in the parts of a file that differ from the text `old`, and their lines.

    Parts that mention a changed one are looked at, too, until it is `late`; changed ones until it is `too_late`. None
    where the file cannot be parsed.
    """
    loaded = held.load(path)
    if loaded is None or not known.is_reported(path):
        return None
    project = Modules(known, held, path, news)
    if not project.is_reached:
        return None
    seen, done = Looking(known.company, project, known.origins, stop).glance(
        path, edited(old, loaded[0].text.text), late, too_late
    )
    lines = tuple(rows(node) for node in done)
    found = _judged(known, held, {path: seen}).findings
    return tuple(one for one in found if any(one.span.line in part for part in lines)), lines


def watch(
    held: Held, known: Facts, path: str, line: int, news: Shape, stop: Stop
) -> tuple[tuple[Watched, ...], tuple[Observation, ...]]:
    """Return what one file's evaluation sees of one of its lines: the expressions on it, and what happens there."""
    machine = Watching(known, Modules(known, held, path, news), path, line, stop)
    seen = machine.evaluate(path)
    machine.look()
    seen = [*seen, *machine.recorder.observations()]
    return machine.watched(), tuple(one for one in joined({path: seen}) if one.place.path == path)


def _judged(known: Facts, held: Held, seen: Mapping[str, Sequence[Observation]]) -> Report:
    """What the rules see in observations of some files, by file; only findings in these count."""
    paths = tuple(sorted(seen))
    texts = {path: held.text(path) or "" for path in paths}
    scope = Scope(paths, frozenset(paths), (), Sources(known.settings.root, texts))
    settings = replace(known.settings, origins={})  # origins that nothing names are a question to the whole project
    whole = Seen(tuple(joined(seen)), known.company, known.catalogue, paths, scope.reported, ())
    report = analyse(scope, settings, 1, seen=whole)
    return replace(report, findings=tuple(one for one in report.findings if one.span.path in scope.reported))
