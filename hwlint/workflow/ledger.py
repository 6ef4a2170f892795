"""Keep the books of a run of fix: what was offered, applied, refused and tried, over all its rounds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from hwlint.fix.plan import Choice, Identity, Refusal, identity
from hwlint.fix.replace import NotReplaced
from hwlint.model.finding import Finding, Fix
from hwlint.model.report import Report
from hwlint.model.span import Span

Key = tuple[Identity, str]
"""What a fix is recognised by from round to round: its finding and its title."""

Place = tuple[Identity, tuple[str, ...], Span]
"""What a finding is recognised by in one text."""


@dataclass(frozen=True, slots=True)
class Trial:
    """What running a fix showed: the record, and in a sentence why it is not kept (empty where it is)."""

    confirmation: Mapping[str, object] | None
    refusal: str = ""


@dataclass(frozen=True, slots=True)
class Late:
    """Fixes that clashed with others: `waited` were applied in a later round, `along` were not needed any more.

    One of which a later round applied the rest is in neither: that rest is among the applied.
    """

    waited: tuple[Refusal, ...]
    along: tuple[Refusal, ...]


class Ledger:
    """What was offered, applied and refused in the rounds so far."""

    def __init__(self) -> None:
        self.found: list[Finding] = []
        self.applied: list[Choice] = []
        self.refused: dict[Key, Refusal] = {}
        self.deferred: list[Refusal] = []
        self._trials: dict[Key, Trial] = {}
        self._along: dict[Key, Refusal] = {}
        self._for_now: dict[Key, int] = {}
        """Refused by what else is in the project, and how many fixes had been applied then."""

    def left(self, finding: Finding) -> Finding:
        """Return the finding without the fixes that were refused already, so that the next best one gets its turn."""
        return replace(finding, fixes=tuple(one for one in finding.fixes if _key(finding, one) not in self.refused))

    def refuse(self, refused: Sequence[Refusal]) -> None:
        """Note fixes that do not hold."""
        self.refused |= {_key(one.finding, one.fix): one for one in refused}

    def refuse_for_now(self, refused: Sequence[Refusal]) -> None:
        """Note fixes that do not hold beside what is applied so far."""
        self.refuse(refused)
        self._for_now |= {_key(one.finding, one.fix): len(self.applied) for one in refused}

    def reconsider(self) -> bool:
        """Give fixes another turn that did not hold before others were applied; return whether there are any."""
        again = [key for key, applied in self._for_now.items() if applied < len(self.applied)]
        for key in again:
            del self.refused[key], self._for_now[key]
        return bool(again)

    def stored(self, choices: Sequence[Choice], stuck: Mapping[str, NotReplaced]) -> list[Choice]:
        """Note which fixes change a file that cannot take its new text, and return the others."""
        kept = []
        for choice in choices:
            path = next((edit.span.path for edit in choice.fix.edits if edit.span.path in stuck), None)
            if path is None:
                kept.append(choice)
            else:
                self.refuse([_not_stored(choice, path, stuck[path].reason)])
        return kept

    def tried(self, trials: Mapping[Choice, Trial]) -> list[Choice]:
        """Note what running the fixes showed, and return those to keep."""
        self._trials |= {_key(choice.finding, choice.fix): trial for choice, trial in trials.items()}
        self.refuse([Refusal(one.finding, one.fix, trial.refusal) for one, trial in trials.items() if trial.refusal])
        return [choice for choice, trial in trials.items() if not trial.refusal]

    def settle(self, after: Report, unwritten: Mapping[str, str]) -> Late:
        """Turn what was not written and what never got its turn into refusals; return what became of the rest."""
        for choice in list(self.applied):
            path = next((edit.span.path for edit in choice.fix.edits if edit.span.path in unwritten), None)
            if path is not None:
                self.applied.remove(choice)
                self.refuse([_not_stored(choice, path, unwritten[path])])
        done = {_key(choice.finding, choice.fix) for choice in self.applied}
        mended = {identity(choice.finding) for choice in self.applied}
        first = {_key(one.finding, one.fix): one for one in reversed(self.deferred)}
        idle = {key: one for key, one in first.items() if key not in done and key not in self.refused}
        for key, one in idle.items():
            if _is_left(one.finding, after.findings):
                self.refuse([one])
            elif key[0] in mended:
                self._along[key] = replace(one, reason=f"The fix of {one.behind} mends a part, a later one the rest.")
            else:
                self._along[key] = replace(one, reason=f"The fix of {one.behind} mends it too.")
        along = tuple(one for key, one in self._along.items() if key[0] not in mended)
        return Late(tuple(one for key, one in first.items() if key in done), along)

    def mark(self, before: Report) -> Report:
        """Return the first report with the fixes that were offered, and what became of them.

        Findings that look alike are told apart by their places, which hold for the first round; of a fix that a later
        round applied, the first that is left counts as applied.
        """
        offered: dict[Place, tuple[Fix, ...]] = {}
        for finding in self.found:
            offered.setdefault(_place(finding), finding.fixes)
        places = {
            (_key(finding, one), finding.span) for finding in before.findings for one in _offered(offered, finding)
        }
        done = [(_key(choice.finding, choice.fix), choice.finding.span) for choice in self.applied]
        exact = {each for each in done if each in places}
        late = Counter(key for key, span in done if (key, span) not in places)
        findings = []
        for finding in before.findings:
            marked = []
            for one in _offered(offered, finding):
                key = _key(finding, one)
                applied = (key, finding.span) in exact
                if not applied and late[key] > 0:
                    applied = True
                    late[key] -= 1
                marked.append(self._marked(key, one, applied=applied))
            findings.append(replace(finding, fixes=tuple(marked), has_recipe=False))
        return replace(before, findings=tuple(findings))

    def _marked(self, key: Key, one: Fix, *, applied: bool) -> Fix:
        refusal, trial = self.refused.get(key) or self._along.get(key), self._trials.get(key)
        return replace(
            one,
            applied=applied,
            refused=refusal.reason if refusal is not None and not applied else "",
            confirmation=one.confirmation if trial is None else trial.confirmation,
        )


def _is_left(finding: Finding, findings: Sequence[Finding]) -> bool:
    """Return whether a finding is there for one of its architectures still."""
    return any(identity(one) == identity(finding) and set(one.targets) & set(finding.targets) for one in findings)


def _not_stored(choice: Choice, path: str, reason: str) -> Refusal:
    return Refusal(choice.finding, choice.fix, f"{path} was not replaced: {reason}.")


def _place(finding: Finding) -> Place:
    return identity(finding), finding.targets, finding.span


def _offered(offered: Mapping[Place, tuple[Fix, ...]], finding: Finding) -> tuple[Fix, ...]:
    return offered.get(_place(finding), finding.fixes)


def _key(finding: Finding, one: Fix) -> Key:
    return identity(finding), one.title
