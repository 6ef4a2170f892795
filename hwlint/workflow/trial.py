"""Run fixes on the device that is here before they are kept, for `hwlint fix --confirm`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hwlint.confirm.job import fix_fingerprint
from hwlint.confirm.record import Record, confirmation
from hwlint.confirm.replay import RunSettings
from hwlint.confirm.verdict import Verdict
from hwlint.fix.plan import Choice
from hwlint.model.finding import Safety
from hwlint.workflow.confirm import Wish, confirm_fixes
from hwlint.workflow.fix import Try
from hwlint.workflow.ledger import Trial
from hwlint.workflow.settings import Settings


def on_device(settings: Settings, run: RunSettings, *, probes_allowed: bool = False) -> Try:
    """Return a trial that keeps the fixes which a device of an architecture that they mend confirms, and safe ones.

    Each fix is run with those of its round, on top of what earlier rounds changed; the records are kept. An unsafe fix
    that is only simulated or compiled is not kept: nothing has shown it to work. A safe one needs no device to be kept,
    and goes where what was run refutes it. With `probes_allowed` the probes run that the configuration and rules name.
    """
    wish = Wish(together=True, probes_allowed=probes_allowed)

    def run_all(choices: Sequence[Choice], overlay: Mapping[str, str]) -> Mapping[Choice, Trial]:
        fixes = [(choice.finding, choice.fix) for choice in choices]
        records = confirm_fixes(fixes, settings, run, wish=wish, overlay=overlay)
        return {one: _trial(one, records.get(fix_fingerprint(one.finding, one.fix)), settings) for one in choices}

    return run_all


def _trial(choice: Choice, record: Record | None, settings: Settings) -> Trial:
    is_safe = choice.fix.safety is Safety.SAFE
    if record is None:
        return Trial(None, "" if is_safe else "It was not confirmed: there is nothing to run.")
    verdict = Verdict(record["verdict"])
    said = confirmation(settings.root, [record])
    if verdict.shown_on_device or (is_safe and verdict is not Verdict.REFUTED):
        return Trial(said)
    reason = str(record["reason"]).rstrip(".")
    return Trial(said, f"It was not confirmed on a device: {verdict}{f', {reason}' if reason else ''}.")
