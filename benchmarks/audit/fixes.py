"""Apply every fix that hwlint offers for released packages, on copies, and write down whether each holds.

python -m benchmarks.audit.fixes CORPUS PACKAGE-VERSION ... [--targets all] [--keep FOLDER] > table.md

CORPUS holds unpacked releases, one folder each. Of each package the Python files are copied; then the copy is fixed
twice, with unsafe fixes and at every level. A fix holds where the changed files compile, its finding is gone, no
finding at warning or above has come, and the second run changes nothing. `--keep` keeps the diffs for reading.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from hwlint.fix.plan import identity
from hwlint.fix.verify import is_gone, new_findings
from hwlint.model.finding import Finding, Level, Safety
from hwlint.workflow.fix import FixResult, fix
from hwlint.workflow.settings import load_settings

HEADER = "| package | finding | fix | safety | result |\n| --- | --- | --- | --- | --- |"


def main() -> int:
    """Return 0 where every fix that was applied holds."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("packages", nargs="+")
    parser.add_argument("--targets", default="current")
    parser.add_argument("--level", choices=[level.value for level in Level], default="note")
    parser.add_argument("--select", default="", help="rules, separated by commas; all where none is given")
    parser.add_argument("--safe", action="store_true", help="take safe fixes only")
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--jobs", type=int, default=1, help="processes to check with")
    options = parser.parse_args()
    print(HEADER)
    sound = True
    for package in options.packages:
        began = time.monotonic()
        with tempfile.TemporaryDirectory(prefix="hwlint-audit-") as scratch:
            root = _copy(options.corpus / package, Path(scratch) / package)
            settings = replace(
                load_settings([root], isolated=True), targets=(options.targets,), level=Level(options.level)
            )
            select = [word for word in options.select.split(",") if word]
            result = fix([root], settings, unsafe=not options.safe, select=select, jobs=options.jobs, use_cache=False)
            again = fix([root], settings, unsafe=not options.safe, select=select, jobs=options.jobs, use_cache=False)
            faults = list(_faults(root, result, again))
            notes = _new_notes(result.report.findings, again.report.findings)
        sound = sound and not faults
        for row in _rows(package, result):
            print(row, flush=True)
        for fault in faults:
            print(f"| {package} | | | | **{fault}** |", flush=True)
        for note in notes:
            print(f"| {package} | {note.rule} {note.level.value} `{note.span.path}:{note.span.line}` | | | comes new |")
        if options.keep is not None:
            options.keep.mkdir(parents=True, exist_ok=True)
            (options.keep / f"{package}.diff").write_bytes(result.diff)
        print(f"{package}: {time.monotonic() - began:.0f} s", file=sys.stderr)
    return 0 if sound else 1


def _copy(source: Path, target: Path) -> Path:
    for file in source.rglob("*.py"):
        if file.is_file() and not file.is_symlink():
            there = target / file.relative_to(source)
            there.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, there)
    return target


def _faults(root: Path, result: FixResult, again: FixResult) -> Iterator[str]:
    """Yield what does not hold, looked at afresh: nothing of what the run itself verified is taken for granted.

    `again` is a second run; what it finds at first is what the first one left.
    """
    for path in result.changed:
        try:
            compile((root / path).read_bytes(), path, "exec", dont_inherit=True)
        except SyntaxError as error:
            yield f"{path} does not compile: {error}"
    before, after = result.report.findings, again.report.findings
    for choice in result.applied:
        if not is_gone(choice.finding, before, after):
            yield f"{choice.finding.rule} at {choice.finding.span.path}:{choice.finding.span.line} is still there"
    for finding in new_findings(before, after):
        yield f"new: {finding.rule} at {finding.span.path}:{finding.span.line}"
    if again.changed:
        yield f"a second run changes {', '.join(again.changed)}"
    for left in result.not_written:
        yield f"{left.path} was not written: {left.reason}"


def _new_notes(before: Sequence[Finding], after: Sequence[Finding]) -> tuple[Finding, ...]:
    """Return the notes that were not there, by rule, file, function and table: a fix may leave some, but it is told."""
    known = {identity(finding) for finding in before}
    return tuple(one for one in after if one.level is Level.NOTE and identity(one) not in known and not one.suppressed)


def _rows(package: str, result: FixResult) -> Iterator[str]:
    for finding in result.report.findings:
        place = (
            f"{finding.rule} {finding.level.value} `{finding.span.path}:{finding.span.line}` {_short(finding.targets)}"
        )
        for one in finding.fixes:
            if one.applied or one.refused:
                outcome = "holds" if one.applied else f"refused: {one.refused}"
                yield f"| {package} | {place} | {one.title} | {one.safety.value} | {outcome} |"
        if not any(one.applied or one.refused for one in finding.fixes):
            offered = next((one for one in finding.fixes if one.safety is Safety.DISPLAY), None)
            if offered is not None:
                yield f"| {package} | {place} | {offered.title} | display | {offered.reason} |"


def _short(targets: tuple[str, ...]) -> str:
    return ", ".join(name.removeprefix("sm_") for name in targets)


if __name__ == "__main__":
    sys.exit(main())
