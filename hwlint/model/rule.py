"""Describe a rule as every report shows it."""

from __future__ import annotations

from dataclasses import dataclass

from hwlint.model.finding import Level


@dataclass(frozen=True, slots=True)
class RuleInfo:
    """What a reader needs to know of one rule; how it looks for its findings stays in the rulebook.

    `id` is `HW101`, `name` is `missing-key` (it names the bad pattern), `level` is what its findings have unless
    they say otherwise, `title` is the page's headline, `summary` is one sentence. `help_text` is the page as plain
    text, `help_markdown` the same as Markdown; both stand alone. `tags` are lower-case words to filter by, `uri` is
    the absolute address of the published page or None, and `precision` says how often a finding is right:
    `very-high`, `high`, `medium` or `low`.
    """

    id: str
    name: str
    level: Level
    title: str
    summary: str
    help_text: str
    help_markdown: str
    tags: tuple[str, ...] = ()
    uri: str | None = None
    precision: str = "high"
