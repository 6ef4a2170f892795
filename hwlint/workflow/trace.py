"""Explain the crashes of a log: which lookup or test it was, on which architecture, and what will fail there next."""

from __future__ import annotations

import gc
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from hwlint.hardware.additions import extend
from hwlint.hardware.table import load
from hwlint.hardware.targets import parse_targets
from hwlint.judge.verdict import Bench
from hwlint.model.architecture import Architecture
from hwlint.model.crash import Crash, Explanation
from hwlint.model.finding import Certainty, Finding, TraceStep
from hwlint.model.observation import BuildList, Observation
from hwlint.model.report import Failure, Report
from hwlint.model.span import Span
from hwlint.source.crash_log import read_log
from hwlint.workflow import trace_calls, trace_device, trace_words
from hwlint.workflow.cache import Cache
from hwlint.workflow.check import check
from hwlint.workflow.cores import usable_cores
from hwlint.workflow.fresh import analyse
from hwlint.workflow.observe import joined, observe
from hwlint.workflow.offer import with_fixes
from hwlint.workflow.scope import Scope, survey
from hwlint.workflow.settings import Settings
from hwlint.workflow.trace_causes import Cause, Doubt, cause_at
from hwlint.workflow.trace_clues import in_log, in_message, speaks_of_rocm, toolkit_in
from hwlint.workflow.trace_evidence import BUILD_WORDS, LISTS, Evidence
from hwlint.workflow.trace_frames import Spot, index, locate, same_file


@dataclass(frozen=True, slots=True)
class Traced:
    """The explanations of one log, in its order: one for each chain of exceptions."""

    explanations: tuple[Explanation, ...]
    targets: tuple[str, ...]
    """The architectures that were asked about."""
    files: int
    failures: tuple[Failure, ...]

    @property
    def is_explained(self) -> bool:
        """True where at least one crash is explained."""
        return any(explanation.is_explained for explanation in self.explanations)


def trace(
    log: str, paths: Sequence[Path], settings: Settings, *, jobs: int | None = None, use_cache: bool = True
) -> Traced:
    """Explain every crash of `log` by the code in `paths`.

    The architectures asked about are those of the settings; where these are the default, all of the maker whose
    hardware the log comes from. Raises UsageError or SettingsError for what the user has to mend first.
    """
    if settings.targets == ("current",):
        settings = replace(settings, targets=("amd" if speaks_of_rocm(log) else "nvidia",))
    crashes = read_log(log)
    rows = parse_targets(",".join(settings.targets), extend(load(), settings.architectures))
    names = tuple(row.name for row in rows)
    if not crashes:
        return Traced((), names, 0, ())
    scope = survey(paths, settings, {})
    by_name = index(scope.files)
    spots = {
        position: tuple(
            spot for frame in reversed(crash.frames) if (spot := locate(frame, scope.sources, by_name)) is not None
        )
        for position, crash in enumerate(crashes)
    }
    strangers = {
        crash.frames[-1].path: path
        for position, crash in enumerate(crashes)
        if crash.frames and not spots[position]
        if (path := same_file(crash.frames[-1], scope.sources, by_name)) is not None
    }
    only = {spot.path for some in spots.values() for spot in some}
    if any(map(trace_device.is_about_builds, crashes)):
        only |= {path for path in scope.files if any(scope.sources.holds(path, word) for word in BUILD_WORDS)}
    seen, report = _seen(scope, paths, settings, only, jobs or usable_cores(), use_cache=use_cache)
    builds = tuple(one for one in seen if isinstance(one, BuildList) and one.what in LISTS)
    known = Evidence(rows, report, builds, in_log(log, rows), toolkit_in(log))
    reader = _Reader(crashes, spots, strangers, seen, settings, known)
    return Traced(tuple(reader.explanations()), names, len(scope.files), report.failures)


def _seen(
    scope: Scope, paths: Sequence[Path], settings: Settings, only: Collection[str], jobs: int, *, use_cache: bool
) -> tuple[Sequence[Observation], Report]:
    """What the evaluation of the files `only` sees, and the report of check; the project is gone through once.

    Where the report of an earlier run is at hand only these files are evaluated.
    """
    cache = Cache(settings.cache_dir) if use_cache else None
    if not only or (cache is not None and cache.load(cache.key(scope, settings), Report) is not None):
        seen = observe(scope, settings, jobs, only=only).observations if only else ()
        return seen, check(paths, settings, jobs=jobs, use_cache=use_cache)
    collecting = gc.isenabled()
    gc.disable()
    try:
        whole = observe(scope, settings, jobs)
        report = analyse(scope, settings, jobs, seen=whole)
    finally:
        if collecting:
            gc.enable()
    if cache is not None:
        cache.store(cache.key(scope, settings), report)
    return joined({path: seen for path, seen in whole.by_file.items() if path in only}), report


@dataclass(frozen=True, slots=True)
class _Reader:
    """Everything that is known of one log and its tree."""

    crashes: tuple[Crash, ...]
    spots: dict[int, tuple[Spot, ...]]
    strangers: dict[str, str]
    """The tree's file for the path of a frame whose function it does not have."""
    seen: Sequence[Observation]
    settings: Settings
    known: Evidence

    @property
    def rows(self) -> Sequence[Architecture]:
        return self.known.rows

    @property
    def report(self) -> Report:
        return self.known.report

    @property
    def bench(self) -> Bench:
        return Bench(tuple(self.rows), {})

    def explanations(self) -> list[Explanation]:
        """One for each chain: of its first exception that can be explained, if possible by a place in the tree."""
        found = []
        for chain in _chains(self.crashes):
            tried = [self._explain(position) for position in chain]
            found.append(max(tried, key=_telling))
        return found

    def _explain(self, position: int) -> Explanation:
        crash, spots = self.crashes[position], self.spots[position]
        if not crash.exception:
            return self._not(crash, spots, "the log ends before it says which exception it was")
        said = in_message(crash, self.rows)
        device = trace_device.explain(crash, spots, self.known, said)
        if device is not None:
            finding = None if device.finding is None else self._with_fixes(device.finding)
            return self._followed(replace(device, finding=finding))
        if not crash.frames:
            return self._without_frames(crash)
        doubt = ""
        for spot in spots:
            cause = cause_at(crash, spot, self.seen)
            if isinstance(cause, Cause):
                return self._by_cause(crash, spot, cause)
            doubt = doubt or (cause.reason if isinstance(cause, Doubt) else "")
        called = trace_calls.explain(crash, spots, self.report, said, self.known.clues)
        if called is not None and called.finding is not None:
            return self._followed(replace(called, finding=self._with_fixes(called.finding)))
        words, targets = trace_words.told(crash, self.known, said)
        reason = doubt or "; ".join(filter(None, (words, self._why_not(crash, spots))))
        return replace(self._not(crash, spots, reason), targets=() if doubt else targets)

    def _by_cause(self, crash: Crash, spot: Spot, cause: Cause) -> Explanation:
        mask, because = self._narrowed(crash, cause.mask)
        names = self.bench.names(mask)
        finding = self._finding(cause, set(names))
        raised = TraceStep(cause.place.span, f"{crash.said}: raised by {cause.by}")
        explanation = Explanation(
            crash,
            spot.frame,
            cause.place.span,
            cause.place.symbol,
            cause.what,
            (raised, *cause.tests, *reversed(cause.key), *cause.via),
            names,
            because,
            self._rows_of(cause),
            None if finding is None else self._with_fixes(finding),
        )
        return self._followed(explanation)

    def _narrowed(self, crash: Crash, mask: int) -> tuple[int, str]:
        """Those of `mask` that the message and the log speak of, and what says so."""
        only = "nothing in the log tells them apart" if mask & (mask - 1) else "it is the only one that this happens on"
        for clue in (in_message(crash, self.rows), *self.known.clues):
            if clue is None:
                continue
            named = sum(1 << bit for bit, row in enumerate(self.rows) if row.name in clue.names)
            if named & mask:
                mask, only = named & mask, clue.text
                break
        return mask, only

    def _rows_of(self, cause: Cause) -> tuple[tuple[str, str], ...]:
        told: dict[str, list[str]] = {}
        for what, mask in cause.outcomes or ((cause.what, cause.mask),):
            for name in self.bench.names(mask):
                told.setdefault(name, []).append(what)
        return tuple((row.name, " or ".join(told[row.name])) for row in self.rows if row.name in told)

    def _finding(self, cause: Cause, names: set[str]) -> Finding | None:
        """The finding of check that is about this place, the worst first."""
        span = cause.place.span
        about = [
            finding
            for finding in self.report.findings
            if names & set(finding.targets)
            and (_overlap(finding.span, span) or any(_overlap(step.span, span) for step in finding.related))
        ]
        return max(
            about, key=lambda finding: (finding.level.rank, finding.span == span, bool(finding.facts)), default=None
        )

    def _with_fixes(self, finding: Finding) -> Finding:
        return with_fixes(replace(self.report, findings=(finding,)), self.settings).findings[0]

    def _followed(self, explanation: Explanation) -> Explanation:
        """Add what the same architectures meet elsewhere."""
        names = set(explanation.targets)
        own = explanation.finding.fingerprint if explanation.finding is not None else ""
        home = explanation.span.path if explanation.span is not None else ""
        following = [
            finding
            for finding in self.report.findings
            if finding.suppressed is None
            and finding.level.rank >= self.settings.level.rank
            and finding.fingerprint != own
            and names & set(finding.targets)
        ]
        following.sort(
            key=lambda one: (-one.level.rank, one.certainty is not Certainty.CERTAIN, one.span.path != home, one.span)
        )
        return replace(explanation, following=tuple(following))

    def _without_frames(self, crash: Crash) -> Explanation:
        """Explain by the exception's words alone, where only one place of the tree can say them."""
        about = [finding for finding in self.report.findings if _raises(finding, crash)]
        if len(about) != 1:
            where = ", ".join(f"{finding.span.path}:{finding.span.line}" for finding in about[:5])
            words, targets = trace_words.told(crash, self.known, in_message(crash, self.rows))
            some = (
                f"{len(about)} places of the tree raise the same: {where}" if about else "nothing in the tree says this"
            )
            parts = ("the log has no traceback for it, only the exception", words, some)
            return Explanation(crash, targets=targets, reason="; ".join(filter(None, parts)))
        finding = about[0]
        names = tuple(name for name, what in finding.why if _bare(what) == crash.said) or finding.targets
        raised = TraceStep(finding.span, f"only here the tree raises {crash.said}")
        explanation = Explanation(
            crash, None, finding.span, finding.symbol, finding.message, (raised, *finding.trace), names,
            "this is where it happens", finding.why, self._with_fixes(finding),
        )  # fmt: skip
        return self._followed(explanation)

    def _not(self, crash: Crash, spots: Sequence[Spot], reason: str) -> Explanation:
        spot = spots[0] if spots else None
        span = None if spot is None or not spot.line else Span(spot.path, spot.line, 1, spot.line, 1)
        return Explanation(crash, spot.frame if spot else None, span, spot.function if spot else "", reason=reason)

    def _why_not(self, crash: Crash, spots: Sequence[Spot]) -> str:
        deepest = crash.frames[-1]
        where = f"{deepest.path}:{deepest.line}"
        if not spots:
            broken = next((one for one in self.report.failures if _same_name(one.path, deepest.path)), None)
            if broken is not None:
                return f"{broken.path} could not be read: {broken.message}"
            if crash.exception.endswith("ExceptionGroup"):
                return "it only gathers other exceptions, which are told by themselves"
            own = self.strangers.get(deepest.path)
            if own is not None:
                return f"{own} is that file in the tree and has no function `{deepest.function}`: it is another version"
            advice = "give the source of the package that it belongs to"
            if len(crash.frames) == 1:
                return f"its one frame, {where}, does not lie in the tree: {advice}"
            return f"none of its {len(crash.frames)} frames lies in the tree; the innermost is {where}: {advice}"
        spot = spots[0]
        if spot.frame is not deepest:
            return (
                f"it is raised at {where}, which is not in the tree, and check reports nothing "
                f"for {spot.path}:{max(spot.line, 1)}, which leads there"
            )
        if not spot.line:
            return f"{spot.path} has another text there than what crashed: it is another version"
        return f"nothing at {spot.path}:{spot.line} that raises {crash.type} depends on the hardware"


def _telling(one: Explanation) -> tuple[bool, bool, bool]:
    """Tell how much an explanation says: of a chain, the first that says most is shown."""
    return one.is_explained, one.is_explained and one.span is not None, one.is_explained and one.frame is not None


def _same_name(path: str, installed: str) -> bool:
    return path.rpartition("/")[2] == installed.replace("\\", "/").rpartition("/")[2]


def _chains(crashes: Sequence[Crash]) -> list[list[int]]:
    """The positions of the crashes, those of one chain together, what was raised first in front."""
    chains: dict[int, list[int]] = {}
    home: dict[int, int] = {}
    for position, crash in enumerate(crashes):
        start = position if crash.follows is None else home[crash.follows]
        home[position] = start
        chains.setdefault(start, []).append(position)
    return list(chains.values())


def _raises(finding: Finding, crash: Crash) -> bool:
    """True where the finding is that one of its architectures raises exactly this."""
    return any(name in finding.targets and _bare(what) == crash.said for name, what in finding.why)


def _bare(what: str) -> str:
    return what.removesuffix(" (if it is reached)")


def _overlap(one: Span, other: Span) -> bool:
    return one.path == other.path and one.line <= other.end_line and other.line <= one.end_line
