"""Read from a finding what has to happen before its fix, on one architecture."""

from __future__ import annotations

import re
from collections.abc import Mapping

from hwlint.confirm.verdict import Expected
from hwlint.model.architecture import Architecture
from hwlint.model.finding import Finding
from hwlint.model.span import Span

_EXCEPTION = re.compile(r"^(?:raises\s+)?([A-Z]\w*(?:Error|Exception|Interrupt|Exit))\b(?::\s*(.*))?", re.DOTALL)
_WITH_EXACT_TEXT = ("KeyError",)
"""Exceptions whose text is the key itself, in every Python version alike."""


def expected_failure(finding: Finding, architecture: Architecture) -> Expected:
    """Return the failure that the finding reports for this architecture."""
    texts = [text for name, text in finding.why if name == architecture.name]
    outcome = finding.outcome
    found = _EXCEPTION.match(outcome) or next(filter(None, map(_EXCEPTION.match, texts)), None)
    if found is None:
        return Expected("", tuple(dict.fromkeys((outcome, *texts))))
    kind = found.group(1)
    if kind not in _WITH_EXACT_TEXT:
        return Expected(kind, ())
    missing = finding.facts.get("missing")
    if isinstance(missing, Mapping) and architecture.name in missing:
        key = missing[architecture.name]
        return Expected(kind, tuple(dict.fromkeys((f"{kind}: {key!r}", f"{kind}: {key}"))))
    for text in texts:
        own = _EXCEPTION.match(text)
        if own and own.group(2):
            return Expected(kind, (f"{kind}: {own.group(2)}",))
    if len(finding.targets) <= 1 and found.group(2):
        return Expected(kind, (f"{kind}: {found.group(2)}",))
    return Expected(kind, ())


def span_in(value: object) -> Span | None:
    """Return a span that a fact holds: a Span, a mapping with its fields, or its five values in a sequence."""
    if isinstance(value, Span):
        return value
    if isinstance(value, Mapping):
        try:
            return Span(
                str(value["path"]),
                int(value["line"]),
                int(value["column"]),
                int(value["end_line"]),
                int(value["end_column"]),
            )
        except (KeyError, ValueError, TypeError):
            return None
    if isinstance(value, tuple | list) and len(value) == 5:
        path, *numbers = value
        if all(isinstance(number, int) for number in numbers):
            return Span(str(path), *numbers)
    return None
