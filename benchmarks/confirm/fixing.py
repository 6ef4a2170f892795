"""Run `hwlint fix --confirm` and `hwlint check --require-confirmed` on a device, on copies of small projects.

    python -m benchmarks.confirm fix OUT [--sglang FOLDER]      # where the device is; needs hwlint's own packages too

Each project's expected statuses and verdicts stand in `projects()`, written before any run; the run's record goes to
OUT/fixing.json, with each command, what it said and the files' differences.
"""

from __future__ import annotations

import datetime as dt
import difflib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.confirm.cases import SGLANG_FOLDER, SGLANG_ROW

_MAJOR = "torch.cuda.get_device_capability()[0]"
_FIX = ("fix", "--confirm", "--unsafe-fixes", "--output-format", "json")
_REQUIRE = ("check", "--require-confirmed")
_SECONDS = 300
_NOTES = 'level = "note"\n'
"""For tables without anything as old as 9.0: that such a table leaves it out is a note."""


@dataclass(frozen=True)
class Step:
    """One command, the exit status that it has to leave with, and what its output has to hold."""

    arguments: tuple[str, ...]
    status: int
    said: tuple[str, ...] = ()
    verdicts: tuple[str, ...] | None = None
    """For `fix`: the verdicts of the fixes that were tried, in the order of the findings; None where not compared."""
    changed: bool | None = None
    """Whether the files are to differ from the first ones after this step; None where not compared."""
    before: str = ""
    """Something to do to the project first: `forget` its records, or `edit` a table that was confirmed."""


@dataclass(frozen=True)
class Project:
    """A small code base whose tables lack 9.0, and what is done with it."""

    name: str
    files: Mapping[str, str]
    steps: tuple[Step, ...]
    targets: str = "sm_90"
    settings: str = ""
    edit: tuple[str, str, str] = ("", "", "")
    """For `edit`: path, old text, new text."""


_CONFIRMED = (
    Step(("check",), 1, ("KeyError",)),
    Step(_FIX, 0, verdicts=("confirmed",), changed=True),
    Step(_REQUIRE, 0),
    Step(_REQUIRE, 1, ("applied, not confirmed",), before="forget"),
)


def projects() -> Iterator[Project]:
    """Yield the projects with what a machine with one device of compute capability 9.0 has to say of each."""
    yield Project(
        "a dict across modules",
        {
            "pkg/tables.py": "TABLE = {\n    8: 4,\n    10: 8,\n}\n",
            "pkg/__init__.py": "from pkg.tables import TABLE\n",
            "pkg/mod.py": "import torch\nfrom pkg import TABLE as NAMES\n\n\n"
            f"def pick():\n    major = {_MAJOR}\n    return NAMES[major]\n",
        },
        (*_CONFIRMED[:3], Step(_REQUIRE, 1, ("no fresh record of a device confirms it",), before="edit")),
        edit=("pkg/tables.py", "8: 4", "8: 2"),
    )
    yield Project(
        "a nested dict",
        {
            "pkg/mod.py": "import torch\n\nTILES = {'gemm': {8: 64, 10: 256}, 'attn': {8: 32, 9: 64, 10: 128}}\n\n\n"
            "def tile():\n    capability = torch.cuda.get_device_capability()\n"
            "    return TILES['gemm'][capability[0]]\n"
        },
        _CONFIRMED,
    )
    yield Project(
        "a table keyed by text",
        {
            "pkg/mod.py": "import torch\n\nFLAGS = {'sm_80': '-O2', 'sm_100': '-O3'}\n\n\ndef flags():\n"
            "    major, minor = torch.cuda.get_device_capability()\n    return FLAGS[f'sm_{major}{minor}']\n"
        },
        _CONFIRMED,
    )
    yield Project(
        "a table keyed by tuples",
        {
            "pkg/mod.py": "import torch\n\nSTAGES = {(8, 0): 3, (10, 0): 4}\n\n\ndef stages(device=0):\n"
            "    return STAGES[torch.cuda.get_device_capability(device)]\n"
        },
        _CONFIRMED,
    )
    yield Project(
        "a class attribute, in a module that cannot be imported",
        {
            "pkg/mod.py": "import torch\nimport a_package_that_is_not_installed\n\n\nclass Runner:\n"
            "    SIZES = {8: 1, 10: 2}\n\n    def __init__(self, group, device):\n        self.group = group.name\n"
            "        self.major = torch.cuda.get_device_capability(device)[0]\n\n"
            "    def size(self):\n        return self.SIZES[self.major]\n"
        },
        _CONFIRMED,
    )
    yield Project(
        "two tables behind one another",
        {
            "pkg/mod.py": "import torch\n\nTILES = {8: 64, 10: 128}\nSTAGES = {8: 3, 10: 5}\n\n\ndef pick():\n"
            f"    major = {_MAJOR}\n    tile = TILES[major]\n    return tile, STAGES[major]\n"
        },
        (_CONFIRMED[0], Step(_FIX, 0, verdicts=("confirmed", "confirmed"), changed=True), *_CONFIRMED[2:]),
    )
    yield Project(
        "a list",
        {
            "pkg/mod.py": "import torch\n\nWARPS = [0, 0, 0, 0, 0, 2, 2, 4, 4]\n\n\n"
            f"def warps():\n    return WARPS[{_MAJOR}]\n"
        },
        (Step(("check",), 1, ("IndexError",)), *_CONFIRMED[1:]),
    )
    yield Project(
        "a chain of branches",
        {
            "pkg/mod.py": f"import torch\n\n\ndef warps():\n    major = {_MAJOR}\n    if major == 8:\n"
            "        count = 4\n    elif major == 10:\n        count = 8\n    return count * 32\n"
        },
        (Step(("check",), 1, ("`count` is not set",)), *_CONFIRMED[1:3]),
        targets="sm_80,sm_90",
    )
    yield Project(
        "a guard above the lookup, which the fix repeats",
        {
            "pkg/mod.py": f"import torch\n\nWARPS = {{8: 4, 10: 8}}\n\n\ndef warps():\n    major = {_MAJOR}\n"
            "    if major < 8:\n        return None\n    return WARPS[major]\n"
        },
        (_CONFIRMED[0], Step(_FIX, 0, verdicts=("confirmed",), changed=True), Step(_REQUIRE, 0)),
    )
    yield from _with_probes()
    yield from _not_kept()
    yield Project(
        "confirmed first, applied afterwards",
        {"pkg/mod.py": f"import torch\n\nTABLE = {{8: 'a', 10: 'b'}}\n\n\ndef pick():\n    return TABLE[{_MAJOR}]\n"},
        (
            Step(("confirm",), 0, ("confirmed on",), changed=False),
            Step(("fix", "--unsafe-fixes"), 0, changed=True),
            Step(_REQUIRE, 0),
        ),
    )
    yield Project(
        "applied, never run",
        {"pkg/mod.py": f"import torch\n\nTABLE = {{8: 'a', 10: 'b'}}\n\n\ndef pick():\n    return TABLE[{_MAJOR}]\n"},
        (
            Step(("fix", "--unsafe-fixes"), 0, changed=True),
            Step(("check",), 0),
            Step(_REQUIRE, 1, ("applied, not confirmed", "it has no record")),
        ),
    )


def _with_probes() -> Iterator[Project]:
    """Yield projects whose configuration names a probe that uses the value on the device."""
    size = f"\n\n\ndef size():\n    return SHARED[{_MAJOR}]\n"
    probed = (*_FIX, "--allow-probes")
    yield Project(
        "a shared-memory size that the device has",
        {"pkg/mod.py": "import torch\n\nSHARED = {8: 166912, 10: 232448}" + size},
        (Step(probed, 0, verdicts=("exercised",), changed=True), Step(_REQUIRE, 0)),
        settings='[probes]\nSHARED = "shared-memory"\n',
    )
    yield Project(
        "a shared-memory size that the device refuses",
        {"pkg/mod.py": "import torch\n\nSHARED = {8: 163, 10: 228}" + size},
        (Step(probed, 1, ("rejects the value",), verdicts=("refuted",), changed=False), Step(_REQUIRE, 1)),
        settings='[probes]\nSHARED = "shared-memory:unit=KiB"\n',
    )
    yield Project(
        "a tile whose kernel the device cannot launch",
        {
            "pkg/mod.py": "import torch\n\nTILES = {\n    10: (128, 256, 128, 4, 8),\n}\n\n\n"
            f"def tile():\n    return TILES[{_MAJOR}]\n"
        },
        (
            Step(probed, 1, ("rejects the value",), verdicts=("refuted",), changed=False),
            Step(_FIX, 0, verdicts=("confirmed",), changed=True),
        ),
        settings=f'{_NOTES}[probes]\n"*" = "triton-tile"\n',
    )


def _not_kept() -> Iterator[Project]:
    """Yield projects whose fixes the device does not confirm, or only in part."""
    yield Project(
        "a failure that did not happen: text that is run fills the table",
        {
            "pkg/mod.py": "import torch\n\nTILES = {8: 64, 10: 128}\nexec('TILES[9] = 96')\n\n\n"
            f"def pick():\n    return TILES[{_MAJOR}]\n"
        },
        (
            Step(("check",), 1, ("KeyError: 9",)),
            Step(_FIX, 1, ("did not fail before",), verdicts=("refuted",), changed=False),
            Step(_REQUIRE, 1),
        ),
    )
    other = {
        "pkg/mod.py": "import torch\n\nLEVELS = {\n    9: 4,\n    10: 8,\n}\n\n\n"
        f"def pick():\n    return LEVELS[{_MAJOR}]\n"
    }
    yield Project(
        "12.0, which is not here",
        other,
        (
            Step(_FIX, 1, ("simulated",), verdicts=("simulated",), changed=False),
            Step(("fix", "--unsafe-fixes"), 0, changed=True),
            Step(_REQUIRE, 1, ("no fresh record of a device confirms it",)),
        ),
        targets="sm_120",
    )


def sglang(source: Path) -> Project:
    """Return SGLang 0.5.9's own two files with key 9 taken out of both tables."""
    tables, user = SGLANG_FOLDER + "all_reduce_utils.py", SGLANG_FOLDER + "torch_symm_mem.py"
    texts = {path: (source / path).read_text(encoding="utf-8") for path in (tables, user)}
    for path, row in ((tables, SGLANG_ROW), (user, "        9: [4, 6, 8],\n")):
        if texts[path].count(row) != 1:
            raise SystemExit(f"{source / path}: this is not the file of SGLang 0.5.9")
        texts[path] = texts[path].replace(row, "")
    return Project(
        "SGLang 0.5.9, key 9 taken out of both tables",
        texts,
        (
            Step(("check",), 1, ("KeyError: 9",)),
            Step(_FIX, 0, verdicts=("confirmed", "confirmed"), changed=True),
            Step(_REQUIRE, 0),
        ),
        settings=_NOTES,
    )


@dataclass
class Run:
    """What was done with one project so far."""

    project: Project
    root: Path
    bad: list[str] = field(default_factory=list)
    done: list[dict[str, Any]] = field(default_factory=list)
    told: list[str] = field(default_factory=list)

    def play(self) -> Run:
        """Write the project, run its steps in turn, note what is not as stated, and return itself."""
        for name, text in {"hwlint.toml": self.project.settings, **self.project.files}.items():
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            (self.root / name).write_text(text, encoding="utf-8")
        for step in self.project.steps:
            self._play(step)
        return self

    def difference(self) -> str:
        """Return what the files are now against what they were, as a unified diff."""
        lines: list[str] = []
        for name, text in self.project.files.items():
            now = (self.root / name).read_text(encoding="utf-8")
            lines += difflib.unified_diff(text.splitlines(), now.splitlines(), name, name, lineterm="", n=0)
        return "\n".join(lines)

    def _play(self, step: Step) -> None:
        if step.before == "forget":
            shutil.rmtree(self.root / ".hwlint" / "confirmations", ignore_errors=True)
        elif step.before == "edit":
            name, old, new = self.project.edit
            text = (self.root / name).read_text(encoding="utf-8")
            (self.root / name).write_text(text.replace(old, new, 1), encoding="utf-8")
        began = time.monotonic()
        ended = _hwlint(step.arguments, self.project.targets, self.root)
        seconds = round(time.monotonic() - began, 1)
        verdicts = _verdicts(ended.stdout) if step.arguments[:5] == _FIX else None
        bad = [] if ended.returncode == step.status else [f"status {ended.returncode} instead of {step.status}"]
        bad += [f"`{one}` is not said" for one in step.said if one not in ended.stdout + ended.stderr]
        if step.verdicts is not None and verdicts != list(step.verdicts):
            bad.append(f"verdicts {verdicts} instead of {list(step.verdicts)}")
        if step.changed is not None and bool(self.difference()) != step.changed:
            bad.append("files changed" if not step.changed else "no file changed")
        words = " ".join(step.arguments).removesuffix(" --output-format json").replace(" --output-format json", "")
        after = f" (after: {step.before})" if step.before else ""
        self.bad += [f"{words}{after}: {one}" for one in bad]
        said = f", {', '.join(verdicts)}" if verdicts else ""
        mark = "BAD" if bad else "ok "
        self.told.append(f"  {mark} {words}{after}: status {ended.returncode}{said}, {seconds} s")
        self.done.append(
            {
                "command": words + after,
                "status": {"expected": step.status, "seen": ended.returncode},
                "verdicts": verdicts,
                "fixes": _fixes(ended.stdout) if verdicts is not None else None,
                "output": ("" if verdicts is not None else ended.stdout[-2000:]) + ended.stderr[-2000:],
                "seconds": seconds,
                "wrong": bad,
            }
        )


def run(out: Path, source: Path | None, *, at_once: int = 1) -> int:
    """Play every project, write OUT/fixing.json after each, and return 1 where something is not as stated.

    `at_once` projects are played at a time; they share the device.
    """
    out.mkdir(parents=True, exist_ok=True)
    chosen = [*([sglang(source)] if source is not None else []), *projects()]
    runs: list[Run] = []
    with tempfile.TemporaryDirectory(prefix="fixing-") as folder, ThreadPoolExecutor(at_once) as pool:
        waiting = [Run(project, Path(folder, str(number))) for number, project in enumerate(chosen)]
        for one in pool.map(Run.play, waiting):
            print("\n".join([one.project.name, *one.told]), flush=True)
            runs.append(one)
            _write(out / "fixing.json", runs)
    wrong = [f"{one.project.name}: {what}" for one in runs for what in one.bad]
    for line in wrong:
        print(f"not as expected: {line}")
    steps = sum(len(one.done) for one in runs)
    right = sum(not one.bad for one in runs)
    print(f"{right} of {len(runs)} projects as expected, {steps} commands: {out / 'fixing.json'}")
    return 1 if wrong else 0


def _write(path: Path, runs: list[Run]) -> None:
    document = {
        "time": dt.datetime.now(dt.UTC).isoformat(timespec="seconds"),
        "python": sys.version.split()[0],
        "environment": _environment(runs),
        "projects": [
            {
                "name": one.project.name,
                "targets": one.project.targets,
                "as_expected": not one.bad,
                "commands": one.done,
                "difference": one.difference().splitlines(),
            }
            for one in runs
        ],
    }
    path.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def _environment(runs: list[Run]) -> dict[str, Any]:
    """Return the device, driver and versions that the first record of a device names."""
    for one in runs:
        for step in one.done:
            for fix in step["fixes"] or ():
                if fix["device"]:
                    return {"device": fix["device"], **fix["environment"]}
    return {}


def _hwlint(arguments: tuple[str, ...], targets: str, root: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "hwlint", *arguments, "--targets", targets, "--no-cache", "--jobs", "1", str(root)]
    return subprocess.run(
        command, capture_output=True, text=True, timeout=_SECONDS, check=False, env={**os.environ, "NO_COLOR": "1"}
    )


def _verdicts(output: str) -> list[str]:
    return [fix["verdict"] for fix in _fixes(output)]


def _fixes(output: str) -> list[dict[str, Any]]:
    """Return the fixes that were run, as `fix --output-format json` tells of them, in short."""
    try:
        findings = json.loads(output)["findings"]
    except (ValueError, KeyError):
        return []
    tried = [(finding, fix) for finding in findings for fix in finding["fixes"] if fix.get("confirmation")]
    return [
        {
            "where": f"{finding['path']}:{finding['line']} {finding['rule']}",
            "title": fix["title"],
            "applied": fix["applied"],
            "refused": fix.get("refused", ""),
            "verdict": fix["confirmation"]["verdict"],
            "reason": fix["confirmation"]["reason"],
            "on": fix["confirmation"]["on"],
            "device": fix["confirmation"].get("device"),
            "environment": _first(fix["confirmation"]).get("environment", {}),
            "mode": _first(fix["confirmation"]).get("mode"),
        }
        for finding, fix in tried
    ]


def _first(confirmation: Mapping[str, Any]) -> Mapping[str, Any]:
    records = confirmation.get("records") or [{}]
    return dict(records[0])
