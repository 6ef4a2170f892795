"""Describe a rule as every report shows it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

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


class RuleStatus(StrEnum):
    """Whether a rule takes part in a run."""

    ACTIVE = "active"
    PLANNED = "planned"
    """Written down, not yet judged; `hwlint rule` shows it, no run uses it."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule as its file says it: what readers see (`info`) and how judge/ finds it.

    `subject` is the kind of observation the rule looks at, `predicate` the question asked of it, `params` its numbers.
    `message` is a template whose fields are named in `rulebook.vocabulary`. `fixes` are recipe names, best first.
    A rule with `default` False runs only where it is selected by name. `path` is the file it came from.
    """

    info: RuleInfo
    subject: str
    predicate: str
    message: str
    fixes: tuple[str, ...] = ()
    default: bool = True
    status: RuleStatus = RuleStatus.ACTIVE
    params: Mapping[str, object] = field(default_factory=dict)
    path: str = ""

    @property
    def id(self) -> str:
        """The rule's id, `HW101`."""
        return self.info.id

    @property
    def name(self) -> str:
        """The rule's name, `missing-key`."""
        return self.info.name

    @property
    def level(self) -> Level:
        """The level its findings have unless they say otherwise."""
        return self.info.level
