"""Take the examples out of the rule pages: their files, their targets, and the findings that they announce."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from hwlint.model.finding import Finding, Level
from hwlint.model.rule import Rule
from hwlint.rulebook.page import read_page
from hwlint.rulebook.rules import Rulebook

_FENCE = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_FILE = re.compile(r"# file: (\S+)")
_TARGETS = re.compile(r"# targets: (.+)")
_EXPECT = re.compile(r"\s*# expect: (.+)$")
_ALONE = "example.py"
"""The file of an example that names none."""


@dataclass(frozen=True, slots=True, order=True)
class Announced:
    """A finding that an example announces; `targets` None where the rule's findings have none."""

    path: str
    line: int
    rule: str
    level: Level
    targets: frozenset[str] | None


@dataclass(frozen=True, slots=True)
class Example:
    """One code fence: `files` are (path, text) with the announcements taken out."""

    label: str
    targets: tuple[str, ...]
    files: tuple[tuple[str, str], ...]
    announced: tuple[Announced, ...]

    def write(self, folder: Path) -> None:
        """Write the files below `folder`."""
        for path, text in self.files:
            file = folder / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")


def examples_of(rule: Rule, rulebook: Rulebook) -> Iterator[Example]:
    """Yield the examples of a rule's page, in order; a malformed announcement is an AssertionError."""
    page = read_page(Path(rule.path).read_text(encoding="utf-8"), rule.path)
    for heading, section in page.sections.items():
        for number, fence in enumerate(_FENCE.findall(section), 1):
            yield _example(fence, f"{rule.id} / {heading} / {number}", rulebook)


def announced_form(finding: Finding) -> Announced:
    """Return a finding in the form that examples announce it in."""
    targets = frozenset(finding.targets) if finding.targets else None
    return Announced(finding.span.path, finding.span.line, finding.rule, finding.level, targets)


def _example(fence: str, label: str, rulebook: Rulebook) -> Example:
    targets: tuple[str, ...] = ("current",)
    files: dict[str, list[str]] = {}
    announced: list[Announced] = []
    path = _ALONE
    for line in fence.splitlines():
        if found := _TARGETS.fullmatch(line):
            targets = tuple(found.group(1).split())
        elif found := _FILE.fullmatch(line):
            path = found.group(1)
            files[path] = []
        else:
            lines = files.setdefault(path, [])
            expect = _EXPECT.search(line)
            lines.append(_EXPECT.sub("", line))
            if expect:
                announced += [
                    _announcement(words, path, len(lines), rulebook, label) for words in expect.group(1).split(";")
                ]
    texts = tuple((path, "".join(f"{line}\n" for line in lines)) for path, lines in files.items())
    return Example(label, targets, texts, tuple(announced))


def _announcement(words: str, path: str, line: int, rulebook: Rulebook, label: str) -> Announced:
    rule_id, *rest = words.split()
    rule = rulebook.find(rule_id)
    assert rule is not None, f"{label}: no rule is called {rule_id}"
    level = Level(rest.pop(0)) if rest and rest[0] in list(Level) else rule.level
    assert all(re.fullmatch(r"sm_\d+|gfx\w+|next", name) for name in rest), f"{label}: not architectures: {rest}"
    return Announced(path, line, rule.id, level, frozenset(rest) or None)
