"""Check one file of source and tell what a rule says of it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from textwrap import dedent

from hwlint.model.finding import Level
from hwlint.workflow.check import check
from hwlint.workflow.settings import Settings


def lines_of(folder: Path, source: str, rule: str, *, targets: str = "current") -> dict[int, str]:
    """Return what `rule` reports in `source` (which begins with `import torch`): line -> `level sm_120 sm_121`."""
    (folder / "example.py").write_text("import torch\n" + dedent(source), encoding="utf-8")
    settings = replace(Settings(root=folder, folders=(folder,)), targets=(targets,), level=Level.NOTE)
    report = check([folder], settings, jobs=1, use_cache=False)
    return {
        finding.span.line: " ".join((finding.level, *finding.targets))
        for finding in report.findings
        if finding.rule == rule
    }
