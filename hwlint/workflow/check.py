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


def check(
    paths: Sequence[Path],
    settings: Settings,
    *,
    jobs: int | None = None,
    use_cache: bool = True,
    overlay: Mapping[str, str] | None = None,
) -> Report:
    """Check `paths` and return everything found there, at every level; suppressed findings are marked.

    The graph is made of all files of the project; only findings in `paths` are reported. `overlay` gives texts that
    stand in for files. Where nothing changed since a run with the same settings, its report comes from the cache.
    Raises UsageError or SettingsError for what the user has to mend first.
    """
    began = time.monotonic()
    collecting = gc.isenabled()
    gc.disable()
    try:
        scope = survey(paths, settings, dict(overlay or {}))
        cache = Cache(settings.cache_dir) if use_cache else None
        key = cache.key(scope, settings) if cache is not None else ""
        report = cache.load(key, Report) if cache is not None else None
        if report is None and cache is not None:
            report = cache.recall(scope, settings)
        if report is None:
            from hwlint.workflow.fresh import analyse_and_tell
            from hwlint.workflow.workers import usable_cores

            report, reads = analyse_and_tell(scope, settings, jobs or usable_cores())
            if cache is not None:
                cache.store(key, report)
                if reads is not None:
                    cache.remember(scope, settings, reads)
        summary = replace(report.summary, seconds=round(time.monotonic() - began, 3))
        return replace(report, summary=summary, root=str(settings.root))
    finally:
        if collecting:
            gc.enable()
