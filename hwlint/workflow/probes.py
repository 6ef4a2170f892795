"""Gather the probes that the user, the configuration and the rules name, and refuse those that name nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from hwlint.confirm.job import JobProbe
from hwlint.confirm.probe import NamedBy, ProbeRequest, choose_probe, find_probe, parse_request
from hwlint.model.errors import SettingsError, UsageError
from hwlint.model.finding import Finding
from hwlint.model.suggest import did_you_mean
from hwlint.source.discover import discover
from hwlint.source.needles import compile_needles
from hwlint.source.read import Text, read
from hwlint.workflow.settings import Settings

_ANY = "*"


@dataclass(frozen=True, slots=True)
class Probes:
    """The probes of one run: `asked` in the order in which they go first, `by_rule` after them."""

    asked: tuple[ProbeRequest, ...]
    by_rule: dict[str, ProbeRequest] = field(default_factory=dict)
    allowed: bool = False

    def choose(self, finding: Finding) -> JobProbe | None:
        """Return the first probe that suits the finding and may run, or None."""
        of_its_rule = [self.by_rule[finding.rule]] if finding.rule in self.by_rule else []
        return choose_probe(finding, [*self.asked, *of_its_rule], allowed=self.allowed)

    def waiting(self, findings: Sequence[Finding]) -> tuple[str, ...]:
        """Return the names of the probes that suit a finding and did not run, because nobody allowed them."""
        if self.allowed:
            return ()
        requests = (*self.asked, *self.by_rule.values())
        return tuple(
            dict.fromkeys(
                one.name
                for one in requests
                if not one.may_run(allowed=False)
                and any(one.suits(finding) and self.by_rule.get(finding.rule, one) is one for finding in findings)
            )
        )


def gather(named: Sequence[str], settings: Settings, findings: Sequence[Finding], *, allowed: bool) -> Probes:
    """Return the probes for `findings`; those on the command line come first, then the configuration's, then rules'.

    Raises UsageError for a probe on the command line that does not exist or whose table nobody knows, and
    SettingsError for one in the configuration that does not exist.
    """
    from_user = [parse_request(text) for text in named]
    for request in from_user:
        find_probe(request)
        _refuse_unknown_table(request, settings, findings)
    return Probes((*from_user, *_from_settings(settings)), _from_rules(settings), allowed)


def _from_settings(settings: Settings) -> list[ProbeRequest]:
    """Return the configuration's probes, those of named tables before the one of any table."""
    if settings.file is None:
        return []
    found = []
    for table, text in sorted(settings.probes.items(), key=lambda pair: (pair[0] == _ANY, pair[0])):
        try:
            request = _configured(table, text, settings.file.parent)
            find_probe(request)
        except UsageError as error:
            raise SettingsError(f"{settings.file}: probes: {error}") from error
        found.append(request)
    return found


def _configured(table: str, text: str, base: Path) -> ProbeRequest:
    request = parse_request(text, NamedBy.SETTINGS)
    if request.table:
        raise UsageError(f"probe `{text}`: the key names the table; write PROBE[:option=value,...]")
    return replace(request, table="" if table == _ANY else table, base=base, within=base)


def _from_rules(settings: Settings) -> dict[str, ProbeRequest]:
    """Return the probes that rules name in their parameters, by rule id; those of the project's own rules as such."""
    from hwlint.rulebook.rules import load_rules

    bundled = {rule.id for rule in load_rules(()).rules}
    found: dict[str, ProbeRequest] = {}
    for rule in load_rules(settings.extend_rules).rules:
        named = rule.params.get("probe")
        if isinstance(named, str) and named:
            found[rule.id] = parse_request(named, NamedBy.BUNDLED_RULE if rule.id in bundled else NamedBy.RULE)
    return found


def _refuse_unknown_table(request: ProbeRequest, settings: Settings, findings: Sequence[Finding]) -> None:
    """Raise UsageError for a table that no finding is about and no file of the project names.

    A table whose findings are mended already is no mistake: a script that names its probe goes on working.
    """
    if not request.table or any(request.suits(finding) for finding in findings):
        return
    word = request.table.rpartition(".")[2]
    if word.isidentifier() and _stands_somewhere(word, settings.root, settings):
        return
    tables = sorted({finding.table.rpartition(".")[2] for finding in findings if finding.table})
    hint = did_you_mean(request.table, tables)
    known = f" (with a fix to confirm: {', '.join(tables)})" if tables and not hint else ""
    raise UsageError(f"--probe {request.table}={request.name}: there is no table `{request.table}`{hint}{known}")


def _stands_somewhere(word: str, root: Path, settings: Settings) -> bool:
    needles = compile_needles([word])
    for path in discover(root, settings.folders, exclude=settings.exclude).files:
        content = read(root, path)
        if isinstance(content, Text) and needles.names(content.text.encode()):
            return True
    return False
