"""Look at one file alone, with what the last check of the whole project knew of all others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from hwlint.evaluate.watch import Watched
from hwlint.model.finding import Finding
from hwlint.model.observation import Observation
from hwlint.server.edited import edited, rows
from hwlint.server.facts import Facts, Shape
from hwlint.server.held import Held
from hwlint.server.machine import Looking, Modules, Stop, Watching
from hwlint.source.parse import Parsed
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
    return _judged(known, path, loaded[0], machine.evaluate(path) if project.is_reached else machine.survey(path))


def glance(
    held: Held, known: Facts, path: str, news: Shape, old: str, stop: Stop, late: Stop
) -> tuple[tuple[Finding, ...], tuple[range, ...]] | None:
    """Return what there is to report in the parts of a file that differ from the text `old`, and their lines.

    Parts that mention a changed one are looked at, too, until it is `late`. None where the file cannot be parsed.
    """
    loaded = held.load(path)
    if loaded is None or not known.is_reported(path):
        return None
    project = Modules(known, held, path, news)
    if not project.is_reached:
        return None
    seen, done = Looking(known.company, project, known.origins, stop).glance(
        path, edited(old, loaded[0].text.text), late
    )
    lines = tuple(rows(node) for node in done)
    findings = [one for one in _judged(known, path, loaded[0], seen) if any(one.span.line in part for part in lines)]
    return tuple(findings), lines


def watch(
    held: Held, known: Facts, path: str, line: int, news: Shape, stop: Stop
) -> tuple[tuple[Watched, ...], tuple[Observation, ...]]:
    """Return what one file's evaluation sees of one of its lines: the expressions on it, and what happens there."""
    machine = Watching(known, Modules(known, held, path, news), path, line, stop)
    seen = machine.evaluate(path)
    machine.look()
    seen = [*seen, *machine.recorder.observations()]
    return machine.watched(), tuple(one for one in joined({path: seen}) if one.place.path == path)


def _judged(known: Facts, path: str, parsed: Parsed, seen: Sequence[Observation]) -> tuple[Finding, ...]:
    """The findings that the rules see in observations of one file."""
    scope = Scope((path,), frozenset({path}), (), Sources(known.settings.root, {path: parsed.text.text}))
    settings = replace(known.settings, origins={})  # origins that nothing names are a question to the whole project
    whole = Seen(tuple(joined({path: seen})), known.company, known.catalogue, (path,), frozenset({path}), ())
    return tuple(one for one in analyse(scope, settings, 1, seen=whole).findings if one.span.path == path)
