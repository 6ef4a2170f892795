"""Give a finding a name that survives line shifts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from hashlib import blake2b

from hwlint.model.finding import Finding


def fingerprint(rule: str, path: str, symbol: str, table: str, targets: Iterable[str], *, occurrence: int = 0) -> str:
    """Return 16 hex digits that stand for a finding; the order of `targets` does not count, lines and wording neither.

    `occurrence` (0, 1, ...) tells findings apart that agree in everything else, in the order of their places.
    """
    parts = (rule, path, symbol, table, *sorted(targets), str(occurrence))
    return blake2b("\0".join(parts).encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def with_fingerprints(findings: Iterable[Finding]) -> list[Finding]:
    """Return the findings sorted by place and rule, each with its fingerprint; no two have the same."""
    seen: Counter[tuple[object, ...]] = Counter()
    named: list[Finding] = []
    for finding in sorted(findings, key=_order):
        key = (finding.rule, finding.span.path, finding.symbol, finding.table, frozenset(finding.targets))
        name = fingerprint(*key[:4], finding.targets, occurrence=seen[key])
        seen[key] += 1
        named.append(replace(finding, fingerprint=name))
    return named


def _order(finding: Finding) -> tuple[object, ...]:
    return finding.span, finding.rule, finding.symbol, finding.table, finding.targets, finding.message
