"""Put hwlint's SARIF before the validator of the SARIF SDK, which knows more than the schema; needs Linux and npm."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

CHECKOUT = Path(__file__).resolve().parents[2]
PACKAGE = "@microsoft/sarif-multitool-linux@5.7.0"
PROGRAM = "node_modules/@microsoft/sarif-multitool-linux/Sarif.Multitool"
ACCEPTED = {
    "SARIF2005": "the driver has no informationUri: the project has no page of its own yet",
}
"""Warnings that are known and why they stay; anything else, and every error, is a failure."""


def main() -> int:
    """Return 0 where the validator takes the SARIF of every fixture, and refuses a spoiled one."""
    with tempfile.TemporaryDirectory(prefix="hwlint-sarif-") as scratch:
        there = Path(scratch)
        program = os.environ.get("HWLINT_SARIF_MULTITOOL") or _install(there)
        logs = [_write(fixture, there) for fixture in sorted((CHECKOUT / "fixtures").iterdir()) if fixture.is_dir()]
        spoiled = there / "spoiled.sarif"
        spoiled.write_text(logs[-1].read_text(encoding="utf-8").replace('"startLine": ', '"startLine": -'), "utf-8")
        if not any(level == "error" for _, level, _ in _complaints(program, [spoiled], there)):
            return _say("the validator takes a spoiled log too, so its word says nothing", failed=True)
        bad = [each for each in _complaints(program, logs, there) if each[0] not in ACCEPTED]
        for rule, level, text in bad:
            _say(f"{level} {rule}: {text}", failed=True)
        if not bad:
            _say(f"the SARIF of {len(logs)} fixtures passes; accepted: {', '.join(ACCEPTED)}", failed=False)
        return int(bool(bad))


def _install(folder: Path) -> str:
    command = ["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", str(folder), PACKAGE]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    program = folder / PROGRAM
    program.chmod(0o755)
    return str(program)


def _write(fixture: Path, folder: Path) -> Path:
    """Write the SARIF of one fixture, notes and fixes included."""
    log = folder / f"{fixture.name}.sarif"
    options = ["--no-cache", "--level", "note", "--exit-zero", "--output-format", "sarif", "--output-file", str(log)]
    subprocess.run(
        [sys.executable, "-m", "hwlint", "check", *options, str(fixture)],
        check=True,
        env={**os.environ, "PYTHONPATH": str(CHECKOUT)},
    )
    return log


def _complaints(program: str, logs: list[Path], folder: Path) -> list[tuple[str, str, str]]:
    """Return (rule, level, text) of what the validator says; it leaves with 0 whatever it finds."""
    told = folder / "told.json"
    names = [str(log) for log in logs]
    subprocess.run(
        [program, "validate", *names, "--output", str(told), "--log", "ForceOverwrite"],
        check=True,
        stdout=subprocess.DEVNULL,
        env={**os.environ, "DOTNET_SYSTEM_GLOBALIZATION_INVARIANT": "1"},
    )
    run: dict[str, Any] = json.loads(told.read_text(encoding="utf-8-sig"))["runs"][0]
    if not run["invocations"][0]["executionSuccessful"]:
        raise SystemExit(f"sarif: the validator did not finish: {run['invocations'][0]}")
    return [
        (one["ruleId"], one.get("level", "warning"), json.dumps(one["message"].get("arguments", one["message"])))
        for one in run.get("results", [])
    ]


def _say(text: str, *, failed: bool) -> int:
    (sys.stderr if failed else sys.stdout).write(f"sarif: {text}\n")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
