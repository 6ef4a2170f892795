"""Check a code base: find where it breaks on the architectures asked for."""

from __future__ import annotations

import gc
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from hwlint.model.report import Report
from hwlint.workflow.cache import Cache
from hwlint.workflow.scope import survey
from hwlint.workflow.settings import Settings
from hwlint.workflow.stages import Stages


def check(
    paths: Sequence[Path],
    settings: Settings,
    *,
    jobs: int | None = None,
    use_cache: bool = True,
    overlay: Mapping[str, str] | None = None,
    stages: Stages | None = None,
) -> Report:
    """Check `paths` and return everything found there, at every level; suppressed findings are marked.

    The graph is made of all files of the project; only findings in `paths` are reported. `overlay` gives texts that
    stand in for files, `stages` is told where the run stands. Where nothing changed since a run with the same
    settings, its report comes from the cache. Raises UsageError or SettingsError for what the user has to mend first.
    """
    began = time.monotonic()
    stages = stages or Stages()
    collecting = gc.isenabled()
    gc.disable()
    try:
        scope = survey(paths, settings, dict(overlay or {}), stages)
        cache = Cache(settings.cache_dir) if use_cache else None
        key, report = "", None
        if cache is not None:
            with stages.stage("cache"):
                key = cache.key(scope, settings)
                report = cache.load(key, Report) or cache.recall(scope, settings)
        if report is None:
            from hwlint.workflow.cores import usable_cores
            from hwlint.workflow.fresh import analyse, analyse_and_keep

            cores = jobs or usable_cores()
            if cache is None:
                report = analyse(scope, settings, cores, stages=stages)
            else:
                report = analyse_and_keep(scope, settings, cores, cache, stages)
                with stages.stage("store"):
                    cache.store(key, report)
        summary = replace(report.summary, seconds=round(time.monotonic() - began, 3))
        return replace(report, summary=summary, root=str(settings.root))
    finally:
        if collecting:
            gc.enable()
