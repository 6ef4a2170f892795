"""Compare what is found with and without the cache and in one process or two: `python -m benchmarks.same TREE ...`.

Works on copies. On each, hwlint runs without its cache in one process and in two, with an empty cache, and with a full
one. Then files are edited at random (always the same), each edit followed by a run with the cache and one without:
lines that come, go, are doubled or change a number, a function of another file that is called, two files at once, a
file that is renamed, one that is deleted. Prints each difference and how many edits there were, and leaves with 1 where
there was a difference.
"""

from __future__ import annotations

import argparse
import random
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from statistics import median

from hwlint.model.report import Report
from hwlint.source.classify import is_test_path
from hwlint.workflow.cache import Cache
from hwlint.workflow.check import check
from hwlint.workflow.scope import survey
from hwlint.workflow.settings import Settings, load_settings

Draw = random.Random


def compare(tree: Path, edits: int, seed: int) -> int:
    """Compare runs on a copy of a tree; return how many differences there were."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve() / tree.name
        shutil.copytree(tree, root, ignore=shutil.ignore_patterns(".hwlint_cache", "__pycache__"))
        settings = load_settings([root])
        whole = found(settings, jobs=1)
        wrong = [
            name
            for name, other in (
                ("two processes", found(settings, jobs=2)),
                ("an empty cache", found(settings, use_cache=True)),
                ("a full cache", found(settings, use_cache=True)),
            )
            if other != whole
        ]
        draw = random.Random(seed)  # noqa: S311  # edits, not secrets
        times: list[tuple[float, float]] = []
        for number in range(edits):
            kind = draw.choice(list(EDITS))
            named = EDITS[kind](read_files(settings), root, draw)
            began = time.monotonic()
            kept = found(settings, use_cache=True)
            between = time.monotonic()
            if kept != found(settings):
                wrong.append(f"edit {number}, {kind}: {named}")
            times.append((between - began, time.monotonic() - between))
        for each in wrong:
            sys.stdout.write(f"{tree.name}: another report with {each}\n")
        shares = [with_cache / without for with_cache, without in times] or [1.0]
        sys.stdout.write(
            f"{tree.name}: {len(whole.findings)} findings, {edits} edits, {len(wrong)} differences; "
            f"with the cache a run takes {median(shares):.0%} of one without (median)\n"
        )
        return len(wrong)


def found(settings: Settings, *, jobs: int | None = None, use_cache: bool = False) -> Report:
    """The report, without the time it took."""
    report = check(settings.folders, settings, jobs=jobs, use_cache=use_cache)
    return replace(report, summary=replace(report.summary, seconds=0.0))


def read_files(settings: Settings) -> list[Path]:
    """The files of which the last run read more than words, others where there are none."""
    scope = survey(settings.folders, settings, {})
    facts = Cache(settings.cache_dir).facts(scope, settings)
    names = sorted(facts.basis.whole) if facts is not None else []
    names = [name for name in names or scope.files if not is_test_path(name)]
    return [settings.root / name for name in names]


def _new_line(files: list[Path], root: Path, draw: Draw) -> str:
    return _each_line(
        draw.choice(files), root, draw, lambda line: f"{_indent(line)}one_more = {draw.randrange(9)}\n{line}"
    )


def _comment(files: list[Path], root: Path, draw: Draw) -> str:
    return _each_line(draw.choice(files), root, draw, lambda line: f"{_indent(line)}# a comment\n{line}")


def _gone(files: list[Path], root: Path, draw: Draw) -> str:
    return _each_line(draw.choice(files), root, draw, lambda line: f"{_indent(line)}pass\n")


def _doubled(files: list[Path], root: Path, draw: Draw) -> str:
    return _each_line(draw.choice(files), root, draw, lambda line: line + line)


def _number(files: list[Path], root: Path, draw: Draw) -> str:
    numbers = ("8", "9", "10", "12", "90", "100")
    return _each_line(
        draw.choice(files), root, draw, lambda line: re.sub(r"\b\d+\b", draw.choice(numbers), line), r".*\b\d+\b"
    )


def _call(files: list[Path], root: Path, draw: Draw) -> str:
    other = draw.choice(files)
    names = re.findall(r"^def (\w+)", other.read_text(encoding="utf-8", errors="replace"), re.MULTILINE)
    module = ".".join(other.relative_to(root).with_suffix("").parts)
    name = draw.choice(names) if names else "nothing"
    file = draw.choice(files)
    text = file.read_text(encoding="utf-8", errors="surrogateescape")
    more = f"\n\ndef asks():\n    from {module} import {name}\n\n    return {{9: 1, 10: 2}}[{name}()]\n"
    file.write_text(text + more, encoding="utf-8", errors="surrogateescape")
    return f"{file.relative_to(root)} calls {name} of {module}"


def _two(files: list[Path], root: Path, draw: Draw) -> str:
    return f"{_number(files, root, draw)}; {_new_line(files, root, draw)}"


def _renamed(files: list[Path], root: Path, draw: Draw) -> str:
    file = draw.choice(files)
    file.rename(file.with_name(f"{file.stem}_{draw.randrange(99)}.py"))
    return str(file.relative_to(root))


def _deleted(files: list[Path], root: Path, draw: Draw) -> str:
    file = draw.choice(files)
    file.unlink()
    return str(file.relative_to(root))


EDITS: dict[str, Callable[[list[Path], Path, Draw], str]] = {
    "a line more": _new_line,
    "a comment more": _comment,
    "a line less": _gone,
    "a line twice": _doubled,
    "another number": _number,
    "a call into another file": _call,
    "two files": _two,
    "a file renamed": _renamed,
    "a file deleted": _deleted,
}


def _each_line(
    file: Path, root: Path, draw: Draw, change: Callable[[str], str], like: str = r"\s*\w+.*[^,:(\[{\\]$"
) -> str:
    """Change one line of a file that looks like a statement of its own; nothing where there is none."""
    lines = file.read_text(encoding="utf-8", errors="surrogateescape").splitlines(keepends=True)
    places = [number for number, line in enumerate(lines) if re.match(like, line.rstrip("\n"))]
    if not places:
        return f"{file.relative_to(root)} as it is"
    at = draw.choice(places)
    lines[at] = change(lines[at])
    file.write_text("".join(lines), encoding="utf-8", errors="surrogateescape")
    return f"{file.relative_to(root)}:{at + 1}"


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


def main() -> int:
    """Compare on each tree that is given."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.same", description=__doc__)
    parser.add_argument("trees", nargs="+", type=Path)
    parser.add_argument("--edits", type=int, default=20, help="edits of each tree")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    return int(sum(compare(tree, given.edits, given.seed) for tree in given.trees) > 0)


if __name__ == "__main__":
    sys.exit(main())
