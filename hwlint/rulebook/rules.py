"""Load the rules, hwlint's own and a project's, and choose among them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from hwlint.model.errors import RuleError, UsageError
from hwlint.model.rule import Rule, RuleInfo, RuleStatus
from hwlint.model.suggest import did_you_mean
from hwlint.rulebook.location import rules_folder
from hwlint.rulebook.page import read_page, rule_from_page

_NEVER, _LEAST, _EXACT = -1, 0, 100
"""How exactly a word names a rule: not at all, `ALL`, its whole id or name; the beginning of an id by its length."""
_NOT_RULES = frozenset({"README.md"})


@dataclass(frozen=True, slots=True)
class Rulebook:
    """All rules, sorted by id. `digest` changes with any byte of any rule file, for cache keys."""

    rules: tuple[Rule, ...]
    digest: str

    @property
    def active(self) -> tuple[Rule, ...]:
        """The rules that a run can use."""
        return tuple(rule for rule in self.rules if rule.status is RuleStatus.ACTIVE)

    @property
    def infos(self) -> tuple[RuleInfo, ...]:
        """What reports show of the active rules."""
        return tuple(rule.info for rule in self.active)

    def find(self, word: str) -> Rule | None:
        """Return the rule with this id or name, planned or not; case does not count."""
        folded = word.casefold()
        return next((rule for rule in self.rules if folded in (rule.id.casefold(), rule.name)), None)

    def named(self, word: str) -> Rule:
        """Return the rule with this id or name; raises UsageError with the nearest spelling."""
        found = self.find(word)
        if found is None:
            hint = did_you_mean(word, self._words())
            raise UsageError(f"no rule is called `{word}`{hint}{' ' if hint else '; '}`hwlint rule` lists them")
        return found

    def _words(self) -> tuple[str, ...]:
        return tuple(word for rule in self.rules for word in (rule.id, rule.name))


def load_rules(extra: Sequence[Path] = ()) -> Rulebook:
    """Return hwlint's own rules together with those in the `extra` files and folders.

    Rule files are data: loading one runs nothing. Raises RuleError for a file that does not fit, for two rules with
    one id or name, and for an extra place that is not there; the message says which file and what to write.
    """
    digest = hashlib.sha256()
    rules: dict[str, Rule] = {}
    for file in [*_pages(rules_folder()), *(page for place in extra for page in _pages(place))]:
        text = _read(file)
        digest.update(text.encode("utf-8", "surrogatepass"))
        rule = rule_from_page(read_page(text, str(file)), str(file))
        if file.stem not in (rule.id, f"{rule.id}-{rule.name}"):
            raise RuleError(f"{file}: the page describes {rule.id}; call the file {rule.id}-{rule.name}.md")
        for word in (rule.id, rule.name):
            if word in rules:
                raise RuleError(f"{file}: `{word}` is taken by {rules[word].path}; choose another id or name")
            rules[word] = rule
    ordered = sorted({rule.id: rule for rule in rules.values()}.values(), key=lambda rule: rule.id)
    return Rulebook(tuple(ordered), digest.hexdigest())


def select(rulebook: Rulebook, chosen: Iterable[str] = (), ignored: Iterable[str] = ()) -> frozenset[str]:
    """Return the ids of the active rules that `chosen` names and `ignored` does not.

    A word is an id (`HW101`), the beginning of ids (`HW1`), a name (`missing-key`) or `ALL`. Without `chosen`, every
    active rule that runs by default. The longer of two words decides, so `HW101` wins over an ignored `HW1`; of equal
    words `ignored` wins. Raises UsageError for every word that names nothing, with the nearest spelling.
    """
    picked, dropped = _named(rulebook, tuple(chosen), tuple(ignored))
    ids = set()
    for rule in rulebook.active:
        usual = _LEAST if rule.default and not picked else _NEVER
        wanted = max((exactness for exactness, covered in picked if rule.id in covered), default=usual)
        unwanted = max((exactness for exactness, covered in dropped if rule.id in covered), default=_NEVER)
        if wanted > unwanted:
            ids.add(rule.id)
    return frozenset(ids)


def _named(rulebook: Rulebook, *lists: Sequence[str]) -> list[list[tuple[int, frozenset[str]]]]:
    """Return for each list what its words name; raises UsageError for all words that name nothing."""
    wrong: list[str] = []
    named: list[list[tuple[int, frozenset[str]]]] = [[] for _ in lists]
    for words, found in zip(lists, named, strict=True):
        for word in words:
            try:
                found.append(_covered(rulebook, word))
            except UsageError as error:
                wrong += error.messages
    if wrong:
        raise UsageError(*dict.fromkeys(wrong))
    return named


def _covered(rulebook: Rulebook, word: str) -> tuple[int, frozenset[str]]:
    """Return how exactly a word names rules, and which."""
    folded = word.strip().casefold()
    if folded == "all":
        return _LEAST, frozenset(rule.id for rule in rulebook.rules)
    rule = rulebook.find(folded)
    if rule is not None and rule.status is RuleStatus.PLANNED:
        raise UsageError(f"rule {rule.id} ({rule.name}) is described but not checked for yet")
    if rule is not None:
        return _EXACT, frozenset({rule.id})
    covered = frozenset(rule.id for rule in rulebook.rules if folded and rule.id.casefold().startswith(folded))
    if not covered:
        rulebook.named(word)
    return len(folded), covered


def _pages(place: Path) -> Iterator[Path]:
    if place.is_dir():
        yield from sorted(page for page in place.glob("*.md") if page.name not in _NOT_RULES)
    elif place.is_file():
        yield place
    else:
        raise RuleError(f"{place}: no such file or folder; `extend-rules` names folders with rule pages")


def _read(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise RuleError(f"{file}: cannot read the rule ({error})") from None
