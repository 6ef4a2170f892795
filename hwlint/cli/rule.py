"""`hwlint rule`: list the rules, or explain one."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import click

from hwlint.cli.options import OneWord, manual, rule_words
from hwlint.cli.output import emit
from hwlint.cli.run_options import CONFIG, ISOLATED, output_format, project_settings
from hwlint.model.rule import Rule, RuleStatus

_MANUAL = manual(
    {
        "hwlint rule": "all rules, one a line",
        "hwlint rule HW101": "what it means, with examples",
        "hwlint rule HW1": "those whose id begins so",
        "hwlint rule --output-format json": "for programs",
    }
)


@click.command("rule", short_help="List the rules, or explain one.", epilog=_MANUAL)
@click.argument("rule", required=False, type=OneWord(rule_words), metavar="[ID]")
@output_format(("text", "json"))
@ISOLATED
@CONFIG
def command(*, rule: str | None, output_format: str, isolated: bool, config: Path | None) -> None:
    """Explain the rule called ID (HW101 or missing-key) on its page, or list all rules where none is given.

    The beginning of ids (HW1) lists those rules.
    """
    from hwlint.rulebook.rules import load_rules

    rulebook = load_rules(project_settings((), config=config, isolated=isolated).extend_rules)
    some = _begun(rulebook.rules, rule or "") if rule is None or rulebook.find(rule) is None else ()
    one = rulebook.named(rule) if rule is not None and not some else None
    if output_format == "json":
        rows = _as_json(one) if one is not None else [_as_json(each) for each in some]
        emit(json.dumps(rows, indent=2, ensure_ascii=False) + "\n", machine=True)
    elif one is not None:
        emit(f"{one.id} {one.name} ({_about(one)})\n\n{one.info.help_markdown}")
    else:
        emit("".join(f"{line}\n" for line in _listed(some)))


def _begun(rules: tuple[Rule, ...], beginning: str) -> tuple[Rule, ...]:
    """Return the rules whose id begins so, as `--select` takes it; all for an empty text."""
    return tuple(rule for rule in rules if rule.id.startswith(beginning.upper()))


def _listed(rules: tuple[Rule, ...]) -> Iterator[str]:
    wide = max((len(rule.name) for rule in rules), default=0)
    for rule in rules:
        yield f"{rule.id}  {rule.level.value:7}  {rule.name:{wide}}  {rule.info.title}{_remark(rule)}"


def _about(rule: Rule) -> str:
    return f"{rule.level.value}, precision {rule.info.precision}{_remark(rule)}"


def _remark(rule: Rule) -> str:
    if rule.status is RuleStatus.PLANNED:
        return " [planned: no run uses it yet]"
    return "" if rule.default else " [only where selected by name]"


def _as_json(rule: Rule) -> dict[str, object]:
    return {
        "id": rule.id,
        "name": rule.name,
        "level": rule.level.value,
        "status": rule.status.value,
        "default": rule.default,
        "precision": rule.info.precision,
        "title": rule.info.title,
        "summary": rule.info.summary,
        "tags": list(rule.info.tags),
        "fixes": list(rule.fixes),
        "markdown": rule.info.help_markdown,
    }
