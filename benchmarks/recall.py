"""Hold hwlint against known faults and sound sites in released packages."""

from __future__ import annotations

import csv
import json
import re
import subprocess
import sys
from collections import Counter, defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.corpus import fetch

SITES = Path(__file__).with_name("sites.csv")
NEAR = 6
"""Lines between a finding and the place that a reader named; sound sites allow two."""
NEAR_SOUND = 2


@dataclass(frozen=True, slots=True)
class Site:
    """One place in one release: a fault, or a sound site that looks like one."""

    id: str
    group: str
    package: str
    version: str
    artifact: str
    path: str
    line: int
    symbol: str
    kind: str
    is_sound: bool
    must_be_loud: bool
    architectures: frozenset[str]


def sites() -> list[Site]:
    """Read the sites, which were read by people in the released sources (see `sites.md`)."""
    with SITES.open(newline="") as file:
        return [
            Site(
                row["id"],
                row["group"],
                row["package"],
                row["version"],
                row["artifact"],
                row["path"],
                int(row["line"]),
                row["symbol"],
                row["kind"],
                row["sound"] == "yes",
                row["loud"] == "yes",
                frozenset(re.findall(r"sm_\d+|gfx[0-9a-f]+", row["architectures"])),
            )
            for row in csv.DictReader(file)
        ]


def measure(corpus: Path, only: frozenset[str] = frozenset()) -> str:
    """Run hwlint on every release named in the sites and return the score as Markdown."""
    by_release: dict[tuple[str, str, str], list[Site]] = defaultdict(list)
    for site in sites():
        if not only or site.package in only:
            by_release[site.package, site.version, site.artifact].append(site)
    outcome: dict[str, str] = {}
    for (package, version, artifact), wanted in sorted(by_release.items()):
        findings = _findings(fetch(package, version, artifact, corpus))
        for site in wanted:
            outcome[site.id] = _judge(site, findings)
    return _markdown([site for group in by_release.values() for site in group], outcome)


def _findings(tree: Path) -> list[dict[str, Any]]:
    command = [sys.executable, "-m", "hwlint", "check", str(tree), "--targets", "all", "--level", "note", "--no-cache"]
    done = subprocess.run([*command, "--output-format", "json"], capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1, 3):
        raise RuntimeError(f"hwlint left with {done.returncode} on {tree.name}: {done.stderr[-500:]}")
    return [finding for finding in json.loads(done.stdout)["findings"] if not finding["suppressed"]]


def _judge(site: Site, findings: list[dict[str, Any]]) -> str:
    loud = [finding for finding in findings if finding["level"] != "note"]
    if site.is_sound:
        hit = any(_stands_at(site, f["path"], f["line"], NEAR_SOUND) for f in loud)
        return "wrongly flagged" if hit else "silent"
    near = [
        f for f in findings if _is_near(site, f) and (not site.architectures or site.architectures & set(f["targets"]))
    ]
    if not near:
        return "missed"
    return "loud" if any(finding["level"] != "note" for finding in near) else "note"


def _is_near(site: Site, finding: dict[str, Any]) -> bool:
    last = finding["symbol"].rpartition(".")[2]
    same_symbol = bool(last) and last == site.symbol.rpartition(".")[2] and _is_file(site, finding["path"])
    places = [(finding["path"], finding["line"]), *((step["path"], step["line"]) for step in finding["trace"])]
    return same_symbol or any(_stands_at(site, path, line, NEAR) for path, line in places)


def _stands_at(site: Site, path: str, line: int, within: int) -> bool:
    return _is_file(site, path) and abs(line - site.line) <= within


def _is_file(site: Site, path: str) -> bool:
    return path == site.path or path.endswith("/" + site.path) or site.path.endswith("/" + path)


def _markdown(wanted: list[Site], outcome: dict[str, str]) -> str:
    table: dict[str, Counter[str]] = defaultdict(Counter)
    for site in wanted:
        table["sound" if site.is_sound else site.kind][outcome[site.id]] += 1
    found = {site.group for site in wanted if not site.is_sound and outcome[site.id] in ("loud", "note")}
    groups = {site.group for site in wanted if not site.is_sound}
    serious = {site.group for site in wanted if site.must_be_loud}
    heard = {site.group for site in wanted if site.must_be_loud and outcome[site.id] == "loud"}
    wrong = [site.id for site in wanted if site.is_sound and outcome[site.id] != "silent"]
    lines = ["# Recall", "", "| kind | outcomes |", "| --- | --- |"]
    lines += [
        f"| {kind} | {', '.join(f'{n} {word}' for word, n in sorted(c.items()))} |" for kind, c in sorted(table.items())
    ]
    lines += [
        "",
        f"Groups found: {len(found)} of {len(groups)}. Loud where they must be: {len(heard)} of {len(serious)}. "
        f"Sound sites wrongly flagged: {len(wrong)}{' (' + ', '.join(wrong) + ')' if wrong else ''}.",
        "",
        "Missed: " + (", ".join(sorted(site.id for site in wanted if outcome[site.id] == "missed")) or "none") + ".",
    ]
    return "\n".join(lines) + "\n"
