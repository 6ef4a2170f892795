"""Build the wheel and use it as a stranger would: in an empty environment, away from the checkout."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]
SAMPLE = CHECKOUT / "fixtures" / "symmetric_memory"


def main() -> int:
    """Return 0 where the installed wheel knows its version and rules, and finds and mends the sample's missing keys."""
    with tempfile.TemporaryDirectory(prefix="hwlint-wheel-") as scratch:
        there = Path(scratch)
        hwlint = _install(_build(there / "dist"), there / "venv")
        shutil.copytree(SAMPLE, there / "sample")
        _expect(0, [hwlint, "--version"], there, "hwlint ")
        _expect(0, [hwlint, "rule", "HW101"], there, "missing-key")
        _expect(0, [hwlint, "archs"], there, "sm_120")
        found = _expect(1, [hwlint, "check", "--output-format", "json", "sample"], there, "KeyError: 12")
        _expect(1, [hwlint, "check", "--output-format", "sarif", "--output-file", "hwlint.sarif", "sample"], there, "")
        if "KeyError: 12" not in (there / "hwlint.sarif").read_text(encoding="utf-8"):
            sys.exit("wheel: hwlint.sarif should hold the finding")
        _compare(json.loads(found), json.loads((there / "sample" / "expected.json").read_text(encoding="utf-8")))
        _expect(0, [hwlint, "fix", "--unsafe-fixes", "sample"], there, "Fixed 2 findings in 2 files")
        _expect(0, [hwlint, "check", "sample"], there, "Nothing at level warning or above")
        _expect(0, [hwlint, "confirm", "sample"], there, "No fix to confirm")
    sys.stdout.write("wheel: installed, its rules are there, it finds KeyError: 12, writes SARIF and mends it\n")
    return 0


def _build(folder: Path) -> Path:
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(folder), str(CHECKOUT)]
    subprocess.run(command, check=True)
    (wheel,) = folder.glob("hwlint-*.whl")
    return wheel


def _install(wheel: Path, folder: Path) -> str:
    venv.create(folder, with_pip=True)
    scripts = folder / ("Scripts" if os.name == "nt" else "bin")
    subprocess.run([scripts / "python", "-m", "pip", "install", "--quiet", str(wheel)], check=True)
    return str(scripts / "hwlint")


def _expect(status: int, command: list[str], folder: Path, text: str) -> str:
    """Run a command outside the checkout, without its path, and return what it printed."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"} | {"HOME": str(folder)}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    if done.returncode != status or text not in done.stdout:
        shown = " ".join(["hwlint", *command[1:]])
        sys.exit(
            f"wheel: `{shown}` should exit {status} and print {text!r}; "
            f"it exited {done.returncode} and printed\n{done.stdout}{done.stderr}"
        )
    return done.stdout


def _compare(report: dict[str, list[dict[str, object]]], expected: list[dict[str, object]]) -> None:
    loud = [finding for finding in report["findings"] if finding["level"] != "note" and not finding["suppressed"]]
    found = [{key: finding[key] for key in ("rule", "path", "line", "targets", "level")} for finding in loud]
    if found != expected:
        sys.exit(f"wheel: the sample should give\n{expected}\nand gave\n{found}")


if __name__ == "__main__":
    sys.exit(main())
