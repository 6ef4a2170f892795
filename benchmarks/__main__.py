"""Run the benchmarks: `python -m benchmarks [speed] [recall] [stress] [--corpus FOLDER] [--rounds N] [--trees A B]`."""

from __future__ import annotations

import argparse
from pathlib import Path

from benchmarks import recall, speed, stress

HERE = Path(__file__).parent


def main() -> None:
    """Measure what is asked for (all where nothing is) and write the results beside this file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", nargs="*", choices=[[], "speed", "recall", "stress"], default=[])
    parser.add_argument("--corpus", type=Path, default=Path.home() / ".cache" / "hwlint-corpus")
    parser.add_argument("--rounds", type=int, default=speed.ROUNDS)
    parser.add_argument("--trees", nargs="*", choices=list(speed.TREES), default=list(speed.TREES))
    parser.add_argument("--semgrep", type=Path, help="one that is installed; else it is fetched")
    parser.add_argument("--quick", action="store_true", help="without plain LibCST and the run in one process")
    parser.add_argument("--only", nargs="*", default=[])
    options = parser.parse_args()
    options.corpus.mkdir(parents=True, exist_ok=True)
    parts = []
    if not options.what or "speed" in options.what:
        table = speed.measure(
            options.corpus, options.rounds, options.trees, semgrep=options.semgrep, quick=options.quick
        )
        parts.append(("results.md", table))
    if not options.what or "recall" in options.what:
        parts.append(("recall.md", recall.measure(options.corpus, frozenset(options.only))))
    if not options.what or "stress" in options.what:
        parts.append(("stress.md", stress.measure()))
    for name, text in parts:
        (HERE / name).write_text(text)
        print(text)


if __name__ == "__main__":
    main()
