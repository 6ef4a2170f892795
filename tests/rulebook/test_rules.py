"""Rule pages: what ships is complete, what does not fit is refused, and selecting works by id, prefix and name."""

from __future__ import annotations

import string
import tomllib
from pathlib import Path

import pytest

from hwlint.model.errors import RuleError, UsageError
from hwlint.model.finding import Level
from hwlint.model.rule import Rule, RuleStatus
from hwlint.rulebook.location import rules_folder
from hwlint.rulebook.rules import load_rules, select
from hwlint.rulebook.vocabulary import HEADINGS, MESSAGE_FIELDS, PREDICATES, RECIPES, SHOWN_ONLY

RULEBOOK = load_rules()
PAGE = """+++
id = "XX001"
name = "some-fault"
level = "warning"
subject = "lookup"
predicate = "raises-where-reached"
message = "`{table}` lacks {missing}"
+++
# A title

One sentence.

## Why it matters

a

## Flagged

b

## After the fix

c

## Not flagged

d

## What it cannot see

e

## Fix safety

f
"""


def write(folder: Path, text: str, name: str = "XX001-some-fault.md") -> Path:
    """Write a rule page and return its path."""
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return file


def test_every_rule_of_the_design_has_a_page() -> None:
    expected = {
        "HW101": "missing-key", "HW102": "hidden-miss", "HW103": "left-out-of-list", "HW104": "guards-disagree",
        "HW105": "none-used", "HW201": "unhandled-branch", "HW202": "rejected", "HW203": "exact-match",
        "HW204": "open-range", "HW205": "constant-test", "HW206": "name-contradicts-body",
        "HW207": "declared-unsupported", "HW208": "dead-choice", "HW301": "unit-mismatch", "HW302": "text-order",
        "HW303": "digit-slicing", "HW304": "componentwise-compare", "HW305": "unknown-architecture",
        "HW401": "build-list", "HW501": "device-name", "HW502": "resource-assumed", "HW901": "unused-suppression",
        "HW902": "unreadable-file", "HW903": "unresolved-origin", "HW904": "malformed-suppression",
    }  # fmt: skip
    assert expected == {rule.id: rule.name for rule in RULEBOOK.rules}


@pytest.mark.parametrize("rule", RULEBOOK.rules, ids=lambda rule: rule.id)
def test_a_page_reads_well_on_its_own(rule: Rule) -> None:
    assert rule.info.summary.endswith(".")
    assert not rule.info.title.endswith(".")
    assert all(f"## {heading}" in rule.info.help_markdown for heading in HEADINGS)
    assert not rule.info.help_markdown.startswith("+++")
    assert "`" not in rule.info.help_text
    assert all(tag == tag.lower() for tag in rule.info.tags)
    assert not any(len(line) > 120 for line in rule.info.help_text.splitlines() if "# expect:" not in line)


def test_every_word_of_the_vocabulary_is_used_or_explained() -> None:
    used = {(rule.subject, rule.predicate) for rule in RULEBOOK.rules}
    assert used == {(subject, predicate) for subject, known in PREDICATES.items() for predicate in known}
    assert {recipe for rule in RULEBOOK.rules for recipe in rule.fixes} == set(RECIPES)
    fields = {field for rule in RULEBOOK.rules for _, field, _, _ in string.Formatter().parse(rule.message) if field}
    assert fields <= MESSAGE_FIELDS.keys()


def test_a_users_rule_joins_the_others(tmp_path: Path) -> None:
    write(tmp_path, PAGE)
    rule = load_rules([tmp_path]).named("some-fault")
    assert ("XX001", Level.WARNING, RuleStatus.ACTIVE) == (rule.id, rule.level, rule.status)
    assert ("A title", "One sentence.") == (rule.info.title, rule.info.summary)


def test_the_digest_changes_with_the_rules(tmp_path: Path) -> None:
    file = write(tmp_path, PAGE)
    before = load_rules([tmp_path]).digest
    file.write_text(PAGE + "\nmore\n", encoding="utf-8")
    assert before != load_rules([tmp_path]).digest
    assert RULEBOOK.digest == load_rules().digest


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("+++\nid", "id", "no front matter"),
        ('level = "warning"', "level = warning", "is not TOML"),
        ('level = "warning"\n', "", "lacks `level`"),
        ('level = "warning"', 'level = "warn"', "did you mean `warning`"),
        ('level = "warning"', 'level = "warning"\nfixes = []', "did you mean `fix`"),
        ('id = "XX001"', 'id = "XX1"', "write it like `HW101`"),
        ('name = "some-fault"', 'name = "Some_Fault"', "write it like `missing-key`"),
        ('subject = "lookup"', 'subject = "look-up"', "did you mean `lookup`"),
        ("raises-where-reached", "raises-when-reached", "did you mean `raises-where-reached`"),
        ("{missing}", "{mising}", "did you mean `missing`"),
        ("{missing}", "{missing", "is not a template"),
        ('message = "`{table}` lacks {missing}"', 'message = ""', "takes a text"),
        ("+++\n# A", 'fix = ["add-entri"]\n+++\n# A', "did you mean `add-entry`"),
        ("+++\n# A", 'precision = "good"\n+++\n# A', "it takes one of very-high"),
        ("+++\n# A", "default = 1\n+++\n# A", "takes true or false"),
        ("+++\n# A", 'tags = "x"\n+++\n# A', "takes a list of texts"),
        ("# A title\n", "", "does not open with a `# Title`"),
        ("One sentence.\n", "", "`summary` is empty"),
        ("## Why it matters", "# Why it matters", "second title"),
        ("## Why it matters", "## Why it maters", "did you mean `Why it matters`"),
        ("## Fix safety\n\nf\n", "", "section `## Fix safety` is missing"),
        ("## Flagged\n\nb\n\n## After the fix\n\nc", "## After the fix\n\nc\n\n## Flagged\n\nb", "out of order"),
        ("## Flagged\n\nb\n", "## Flagged\n", "`Flagged` is empty"),
    ],
)
def test_a_page_that_does_not_fit_is_refused_with_file_and_remedy(
    old: str, new: str, complaint: str, tmp_path: Path
) -> None:
    assert old in PAGE
    file = write(tmp_path, PAGE.replace(old, new, 1))
    with pytest.raises(RuleError) as refused:
        load_rules([tmp_path])
    assert complaint in str(refused.value)
    assert str(file) in str(refused.value)


def test_a_heading_inside_a_code_fence_is_no_section(tmp_path: Path) -> None:
    write(tmp_path, PAGE.replace("\nb\n", "\n```python\n# file: a.py\n## not a section\n```\n", 1))
    assert "## not a section" in load_rules([tmp_path]).named("XX001").info.help_markdown


def test_a_page_written_on_windows_reads_the_same(tmp_path: Path) -> None:
    (tmp_path / "XX001.md").write_bytes(b"\xef\xbb\xbf" + PAGE.replace("\n", "\r\n").encode())
    assert "One sentence." == load_rules([tmp_path]).named("XX001").info.summary


def test_a_page_under_another_name_is_refused(tmp_path: Path) -> None:
    write(tmp_path, PAGE, "other.md")
    with pytest.raises(RuleError, match=r"call the file XX001-some-fault\.md"):
        load_rules([tmp_path])


def test_an_id_or_name_that_is_taken_is_refused(tmp_path: Path) -> None:
    write(tmp_path, PAGE.replace("some-fault", "missing-key"), "XX001-missing-key.md")
    with pytest.raises(RuleError, match="`missing-key` is taken by"):
        load_rules([tmp_path])


def test_a_place_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RuleError, match="no such file or folder"):
        load_rules([tmp_path / "absent"])


def test_a_readme_beside_the_rules_is_no_rule(tmp_path: Path) -> None:
    write(tmp_path, "# My rules\n", "README.md")
    assert RULEBOOK.rules == load_rules([tmp_path]).rules


def test_without_a_choice_every_active_rule_that_runs_by_default_is_in() -> None:
    assert {rule.id for rule in RULEBOOK.active if rule.default} == select(RULEBOOK)


def test_a_rule_that_is_off_by_default_runs_where_it_is_named(tmp_path: Path) -> None:
    write(tmp_path, PAGE.replace("+++\n# A", "default = false\n+++\n# A", 1))
    rulebook = load_rules([tmp_path])
    assert "XX001" not in select(rulebook)
    assert {"XX001"} == select(rulebook, ["some-fault"])


@pytest.mark.parametrize(
    ("chosen", "ignored", "expected"),
    [
        (["HW101"], [], {"HW101"}),
        (["missing-key"], [], {"HW101"}),
        (["hw101"], [], {"HW101"}),
        (["HW1"], [], {"HW101", "HW102", "HW103", "HW105"}),
        (["HW1"], ["HW102", "left-out-of-list"], {"HW101", "HW105"}),
        (["HW101"], ["HW1"], {"HW101"}),
        (["HW101"], ["HW101"], set()),
        (["ALL"], ["HW"], set()),
        (["ALL"], ["HW1", "HW2"], {"HW901", "HW902", "HW903", "HW904"}),
    ],
)
def test_the_more_exact_word_decides(chosen: list[str], ignored: list[str], expected: set[str]) -> None:
    planned_apart = {"HW101", "HW102", "HW103", "HW105", "HW202", "HW901", "HW902", "HW903", "HW904"}
    assert expected == select(RULEBOOK, chosen, ignored) & planned_apart


@pytest.mark.parametrize(
    ("word", "hint"), [("HW1O1", "`HW101`"), ("missing-keys", "`missing-key`"), ("HW8", "no rule is called `HW8`")]
)
def test_a_word_that_names_no_rule_is_refused_with_the_nearest(word: str, hint: str) -> None:
    with pytest.raises(UsageError, match=hint):
        select(RULEBOOK, [word])
    with pytest.raises(UsageError, match=hint):
        select(RULEBOOK, [], [word])


def test_the_wheel_ships_the_rules_folder() -> None:
    project = tomllib.loads((rules_folder().parent / "pyproject.toml").read_text(encoding="utf-8"))
    assert {"rules": "hwlint/rules"}.items() <= project["tool"]["hatch"]["build"]["targets"]["wheel"][
        "force-include"
    ].items()


def test_recipes_that_are_only_shown_are_recipes_of_the_vocabulary() -> None:
    assert set(RECIPES) >= SHOWN_ONLY


def test_every_word_that_names_no_rule_is_told_once() -> None:
    with pytest.raises(UsageError) as refusal:
        select(load_rules(), ["HW999", "HW101"], ["missing-kye", "HW999"])
    assert ["`HW999`", "`missing-kye`"] == [message.split()[4].strip(";") for message in refusal.value.messages]
