"""Make the jobs that a device runs (`make`), hold its answers against what is expected (`read`), and fix there (`fix`).

python -m benchmarks.confirm make jobs.zip [--sglang FOLDER]
python jobs.zip --out results.json          # where the device is; needs only a Python with torch
python -m benchmarks.confirm read results.json --keep benchmarks/confirm/records
python -m benchmarks.confirm fix OUT [--sglang FOLDER]    # where the device is: `hwlint fix --confirm` itself
"""

from __future__ import annotations

import argparse
import json
import shutil
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.confirm.cases import CASES, SGLANG_FOLDER, SGLANG_ROW, SYMMETRIC_MEMORY, Case
from benchmarks.confirm.fixing import run as run_fixes
from hwlint.confirm.edits import Text
from hwlint.confirm.export import read_results, write_jobs
from hwlint.confirm.job import Blobs, JobProbe, make_job
from hwlint.confirm.probe import bundled, load_probe, parse_request
from hwlint.confirm.record import records_of
from hwlint.hardware.table import load
from hwlint.model.finding import Certainty, Edit, Finding, Fix, Level, Safety
from hwlint.model.span import Span

SECONDS = 180.0


def main() -> int:
    """Run one of the two steps; `read` leaves with 1 where a verdict is not the expected one."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    steps = parser.add_subparsers(dest="step", required=True)
    make = steps.add_parser("make")
    make.add_argument("jobs", type=Path)
    make.add_argument("--sglang", type=Path, help="a folder that holds sglang/ of release 0.5.9")
    read = steps.add_parser("read")
    read.add_argument("results", type=Path)
    read.add_argument("--keep", type=Path, help="write each record there")
    fix = steps.add_parser("fix", help="run `hwlint fix --confirm` where the device is; see fixing.py")
    fix.add_argument("out", type=Path)
    fix.add_argument("--sglang", type=Path, help="a folder that holds sglang/ of release 0.5.9")
    fix.add_argument("--at-once", type=int, default=1, help="how many projects to play at a time")
    options = parser.parse_args()
    if options.step == "fix":
        return run_fixes(options.out, options.sglang, at_once=options.at_once)
    if options.step == "make":
        return _make(options.jobs, options.sglang)
    return _read(options.results, options.keep)


def _make(path: Path, sglang: Path | None) -> int:
    blobs = Blobs()
    jobs: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as folder:
        if sglang is not None:
            jobs += _sglang_jobs(sglang, Path(folder, "sglang"), blobs)
        for number, case in enumerate((*CASES, *SYMMETRIC_MEMORY)):
            root = Path(folder, str(number))
            for name, text in case.files.items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(text)
            jobs += _jobs(case, root, blobs)
        write_jobs(path, jobs, blobs, seconds=SECONDS, memory=None)
    print(f"{len(jobs)} jobs, {path.stat().st_size / 2**20:.1f} MiB: {path}")
    return 0


def _jobs(case: Case, root: Path, blobs: Blobs) -> list[dict[str, Any]]:
    edits = tuple(Edit(_span((root / path).read_text(), old, path), new) for path, old, new in case.edits)
    lookup = _span((root / case.path).read_text(), case.lookup, case.path)
    made = []
    for name, expected in case.expected.items():
        fix = Fix(case.name, Safety.UNSAFE, "", edits)
        finding = Finding(
            "HW101", "missing-key", Level.ERROR, Certainty.CERTAIN, case.outcome, lookup, "", (name,), case.outcome,
            table=case.name, facts={"lookup_text": case.lookup}, fixes=(fix,), fingerprint=f"{case.name}/{name}",
        )  # fmt: skip
        architecture = load().find(name)
        assert architecture is not None
        job = make_job(finding, fix, architecture, root, blobs, probe=_probe(case.probe))
        job["title"] = f"{case.name} ({name})"
        job["wanted"] = list(expected)
        made.append(job)
    return made


def _sglang_jobs(source: Path, root: Path, blobs: Blobs) -> list[dict[str, Any]]:
    """SGLang 0.5.9's own two files with key 9 taken out of each: fixed for 9.0, for 12.0, and its constructor run."""
    shutil.copytree(source / "sglang", root / "sglang")
    tables, user = SGLANG_FOLDER + "all_reduce_utils.py", SGLANG_FOLDER + "torch_symm_mem.py"
    _cut(root / tables, SGLANG_ROW)
    second_row = "        9: [4, 6, 8],\n"
    _cut(root / user, second_row)
    lookup = "TORCH_SYMM_MEM_ALL_REDUCE_MAX_SIZES[self.device_capability]"
    second = "self._WORLD_SIZES_MULTIMEM[self.device_capability]"
    row12 = SGLANG_ROW.replace("9:", "12:", 1)
    first_edit, second_edit = (
        (tables, "    10: {", SGLANG_ROW + "    10: {"),
        (user, "        10: [6, 8]", second_row + "        10: [6, 8]"),
    )
    cases = [
        Case("SGLang 0.5.9, buffer sizes", {}, lookup, (first_edit,), "KeyError: 9", {"sm_90": ("confirmed",)}, user),
        Case("SGLang 0.5.9, world sizes", {}, second, (second_edit,), "KeyError: 9", {"sm_90": ("confirmed",)}, user),
        Case(
            "SGLang 0.5.9, buffer sizes for 12.0", {}, lookup, ((tables, "    10: {", row12 + "    10: {"),),
            "KeyError: 12", {"sm_120": ("simulated",)}, user,
        ),
        Case(
            "SGLang 0.5.9, all-reduce at the buffer size", {}, lookup, (first_edit,), "KeyError: 9",
            {"sm_90": ("exercised", "confirmed")}, user, "symmetric-memory",
        ),
        Case(
            "SGLang 0.5.9, the constructor", {}, lookup, (first_edit, second_edit), "KeyError: 9",
            {"sm_90": ("confirmed", "exercised")}, user, "construct:class=TorchSymmMemCommunicator",
        ),
    ]  # fmt: skip
    return [job for case in cases for job in _jobs(case, root, blobs)]


def _cut(path: Path, text: str) -> None:
    content = path.read_text()
    if content.count(text) != 1:
        raise SystemExit(f"{path}: this is not the file of SGLang 0.5.9")
    path.write_text(content.replace(text, ""))


def _probe(text: str) -> JobProbe | None:
    if not text:
        return None
    request = parse_request(text)
    return load_probe(request.name, bundled()[request.name], request.options)


def _span(text: str, wanted: str, path: str) -> Span:
    start = text.index(wanted)
    index = Text.of(text)
    ends = []
    for offset in (start, start + len(wanted)):
        line = max(number for number, begin in enumerate(index.starts) if begin <= offset)
        ends += [line + 1, offset - index.starts[line] + 1]
    return Span(path, *ends)


def _read(path: Path, keep: Path | None) -> int:
    results = read_results(path)
    failed = 0
    for result, record in zip(results["results"], records_of(results), strict=True):
        wanted = result["job"].get("wanted", [])
        right = record["verdict"] in wanted
        failed += not right
        print(f"{'ok ' if right else 'BAD'} {record['verdict']:10} {result['job']['title']} [{record['mode']}]")
        print(f"      {record['reason']}")
        for what in record["not_shown"]:
            print(f"      not shown: {what}")
        if keep is not None:
            keep.mkdir(parents=True, exist_ok=True)
            name = "".join(letter if letter.isalnum() else "-" for letter in result["job"]["title"])
            (keep / f"{name}.json").write_text(json.dumps(record, indent=1, sort_keys=True) + "\n")
    devices = ", ".join(f"{one['name']} {one['capability']}" for one in results["environment"]["devices"]) or "none"
    print(f"{len(results['results']) - failed} of {len(results['results'])} as expected; devices: {devices}")
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
