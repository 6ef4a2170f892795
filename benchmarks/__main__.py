"""Run the benchmarks: `python -m benchmarks [speed] [recall] [--corpus FOLDER] [--rounds N] [--trees A B]`."""

from __future__ import annotations

import argparse
from pathlib import Path

from benchmarks import recall, speed

HERE = Path(__file__).parent


def main() -> None:
    """Measure what is asked for (both where nothing is) and write the results beside this file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", nargs="*", choices=[[], "speed", "recall"], default=[])
    parser.add_argument("--corpus", type=Path, default=Path.home() / ".cache" / "hwlint-corpus")
    parser.add_argument("--rounds", type=int, default=speed.ROUNDS)
    parser.add_argument("--trees", nargs="*", choices=list(speed.TREES), default=list(speed.TREES))
    parser.add_argument("--only", nargs="*", default=[])
    options = parser.parse_args()
    options.corpus.mkdir(parents=True, exist_ok=True)
    parts = []
    if not options.what or "speed" in options.what:
        parts.append(("results.md", speed.measure(options.corpus, options.rounds, options.trees)))
    if not options.what or "recall" in options.what:
        parts.append(("recall.md", recall.measure(options.corpus, frozenset(options.only))))
    for name, text in parts:
        (HERE / name).write_text(text)
        print(text)


if __name__ == "__main__":
    main()
