"""Turn what was seen before and after an edit into a verdict that claims no more than was shown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from hwlint.confirm.limits import compile_problems


class Verdict(StrEnum):
    """How far the claim of a fix has been shown, for one architecture."""

    CONFIRMED = "confirmed"
    """On a device of that architecture the reported failure happened before the edit and is gone after it."""
    EXERCISED = "exercised"
    """The same, and a probe that uses the value passed."""
    COMPILED = "compiled"
    """No such device here: the replay is consistent, and the probe's kernel compiles for that architecture and fits."""
    SIMULATED = "simulated"
    """No such device here: replayed with the origin patched to that architecture; says only that the edit is sound."""
    REFUTED = "refuted"
    """It still fails, fails differently, or did not fail before."""
    NOT_RUN = "not-run"
    """Nothing was shown, for the reason given."""

    @property
    def rank(self) -> int:
        """Larger shows more; `refuted` is apart and largest, since nothing outweighs it."""
        return (
            Verdict.NOT_RUN,
            Verdict.SIMULATED,
            Verdict.COMPILED,
            Verdict.CONFIRMED,
            Verdict.EXERCISED,
            Verdict.REFUTED,
        ).index(self)

    @property
    def shown_on_device(self) -> bool:
        """True where a device of the architecture itself showed it."""
        return self in (Verdict.CONFIRMED, Verdict.EXERCISED)


@dataclass(frozen=True, slots=True)
class Expected:
    """What the finding says happens before the edit: an exception (`type`) or a wrong value (`type` is empty)."""

    type: str
    texts: tuple[str, ...]
    """The texts that count as the reported failure; empty where the type alone decides."""

    def matches(self, outcome: Mapping[str, Any]) -> bool:
        """True where an outcome is the reported failure."""
        if not self.type:
            return outcome["kind"] == "value" and outcome["text"] in self.texts
        if outcome["kind"] != "raised" or outcome.get("type") != self.type:
            return False
        return not self.texts or outcome["text"] in self.texts


@dataclass(frozen=True, slots=True)
class Judged:
    """A verdict, why, and what remains unshown."""

    verdict: Verdict
    reason: str
    not_shown: tuple[str, ...] = field(default=())


_SETUP_ERRORS = frozenset(("NameError", "ImportError", "ModuleNotFoundError", "AttributeError", "SyntaxError"))


def judge(result: Mapping[str, Any]) -> Judged:
    """Return the verdict for one entry of a results file (see `children/runner.py`)."""
    job = result["job"]
    expected = Expected(job["expected"]["type"], tuple(job["expected"]["texts"]))
    if "before" not in result:
        return Judged(Verdict.NOT_RUN, job.get("why_not_run") or "the job held nothing to run")
    before = seen(result["before"])
    if before["kind"] in ("broken", "unknown"):
        return Judged(Verdict.NOT_RUN, f"before the edit: {before['text']}")
    wrong_device = _wrong_device(result)
    if wrong_device:
        return Judged(Verdict.NOT_RUN, wrong_device)
    if not expected.matches(before):
        return _did_not_fail(before, expected)
    after = seen(result["after"])
    problem = _still_fails(before, after, expected)
    if problem:
        unknown = after["kind"] == "unknown"
        return Judged(Verdict.NOT_RUN if unknown else Verdict.REFUTED, problem)
    gone = f"{before['text']} before the edit; after it {_gave(after)}"
    if result["how"] == "device":
        return _with_probe(result, gone)
    return _with_compile(result, gone)


def seen(run: Mapping[str, Any]) -> dict[str, Any]:
    """Return the outcome of one run: kind `value`, `left`, `raised`, `unknown` or `broken`, and its text."""
    answer, process = run["answer"], run["process"]
    stage = (answer or {}).get("stage", "start")
    if stage != "done":
        return {"kind": "broken", "text": f"{_how_it_ended(process)} ({_STAGES.get(stage, stage)})"}
    outcome = answer.get("lookup") or answer["import"]
    while_importing = "lookup" not in answer
    if outcome["kind"] == "exit":
        when = "importing the module" if while_importing else "the code before the lookup"
        return {"kind": "broken", "text": f"{when} ended the interpreter: {outcome['text']}"}
    if outcome["kind"] == "elsewhere":
        return {"kind": "broken", "text": outcome["text"]}
    if outcome["kind"] == "raised" and outcome["type"] == "MemoryError":
        return {"kind": "broken", "text": "the memory limit was reached"}
    if outcome["kind"] == "raised" and not outcome.get("at_lookup"):
        where = (
            "importing the module" if while_importing else f"the code before the lookup (line {outcome.get('line')})"
        )
        return {**outcome, "kind": "elsewhere", "text": f"{where} raised {outcome['text']}", "error": outcome["text"]}
    return dict(outcome)


_STAGES = {
    "start": "before anything ran",
    "stand-in": "setting up the stand-in",
    "import": "importing the module",
    "lookup": "evaluating the lookup",
    "probe": "running the probe",
}


def _how_it_ended(process: Mapping[str, Any]) -> str:
    match process["ended"]:
        case "time":
            return f"it was stopped after {process['seconds']:.0f} s, the time limit"
        case "memory":
            return "it was stopped at the memory limit"
        case "signal":
            return f"it was ended by signal {-process['status']}"
        case "start":
            return f"the interpreter could not be started: {process['output'].strip()}"
        case _:
            last = process["output"].strip().splitlines()[-1:] or ["no output"]
            return f"the process ended with status {process['status']} before it answered: {last[0][:200]}"


def _wrong_device(result: Mapping[str, Any]) -> str:
    """A device proves its own capability and no other: compare what the run itself saw."""
    if result["how"] != "device" or result["job"]["architecture"]["vendor"] == "amd":
        return ""
    wanted = result["job"]["architecture"]["capability"]
    got = (result["before"]["answer"] or {}).get("capability")
    if got is None or got == wanted:
        return ""
    return f"the process saw compute capability {got[0]}.{got[1]}, not {wanted[0]}.{wanted[1]}"


def _did_not_fail(before: Mapping[str, Any], expected: Expected) -> Judged:
    wanted = expected.texts[0] if expected.texts else expected.type
    if before["kind"] == "elsewhere":
        return Judged(Verdict.NOT_RUN, f"before the edit: {before['text']}")
    if before["kind"] == "raised" and before["type"] in _SETUP_ERRORS:
        return Judged(Verdict.NOT_RUN, f"before the edit: the lookup could not be set up: {before['text']}")
    if before["kind"] == "raised":
        return Judged(Verdict.REFUTED, f"{wanted} was reported, but before the edit it raised {before['text']}")
    return Judged(Verdict.REFUTED, f"it did not fail before the edit: {_gave(before)}, not {wanted}")


def _still_fails(before: Mapping[str, Any], after: Mapping[str, Any], expected: Expected) -> str:
    """Return what is wrong after the edit; `` where nothing is."""
    if after["kind"] == "raised":
        same = after["text"] == before["text"]
        return f"after the edit it {'still raises' if same else 'raises'} {after['text']}"
    if after["kind"] in ("broken", "elsewhere", "unknown"):
        return f"after the edit: {after['text']}"
    if not expected.type and after["kind"] == "value" and after["text"] in expected.texts:
        return f"after the edit it still gives {after['text']}"
    behind = after.get("behind") or []
    if behind:
        first = behind[0]
        what = f"line {first['line']} behind it raises {first['text']}"
        return f"the lookup gives {after['text']} after the edit, but {what}"
    return ""


def _with_probe(result: Mapping[str, Any], gone: str) -> Judged:
    run = result.get("probe")
    if run is None:
        return Judged(Verdict.CONFIRMED, gone)
    name = result["job"]["probe"]["name"]
    if (run["answer"] or {}).get("stage") != "done" or "probe" not in run["answer"]:
        return Judged(Verdict.REFUTED, f"{gone}, but the probe {name} failed: {seen(run)['text']}")
    said = run["answer"]["probe"]
    not_shown = tuple(said.get("not_shown", ()))
    match said["kind"]:
        case "raised":
            return Judged(Verdict.REFUTED, f"{gone}, but the probe {name} rejects the value: {said['text']}", not_shown)
        case "not-run":
            return Judged(Verdict.CONFIRMED, gone, (f"the probe {name} did not run: {said['text']}",))
    shown = f"{gone}; the probe {name}: {said.get('text', 'passed')}"
    return Judged(Verdict.EXERCISED if said.get("uses_value", True) else Verdict.CONFIRMED, shown, not_shown)


def _with_compile(result: Mapping[str, Any], gone: str) -> Judged:
    name = result["job"]["architecture"]["name"]
    text = f"no {name} here; with the origin patched to it: {gone}"
    run = result.get("compile")
    if run is None:
        return Judged(Verdict.SIMULATED, text)
    answer = run["answer"] or {"kind": "not-run", "text": _how_it_ended(run["process"])}
    if answer["kind"] == "not-run":
        return Judged(Verdict.SIMULATED, text, (f"the compile check did not run: {answer['text']}",))
    if answer["kind"] == "raised":
        return Judged(Verdict.REFUTED, f"the probe's kernel does not compile for {name}: {answer['text']}")
    problems = compile_problems(answer, result["job"]["architecture"])
    if answer["kind"] == "resources":
        if problems:
            return Judged(Verdict.REFUTED, f"the value does not fit {name}: {'; '.join(problems)}")
        return Judged(Verdict.SIMULATED, f"{text}; the value is within the limits of {name}")
    if problems:
        return Judged(
            Verdict.REFUTED, f"the probe's kernel compiles for {name} but does not fit: {'; '.join(problems)}"
        )
    needs = f"{answer['shared'] / 1024:g} KiB of shared memory"
    if answer.get("registers") is not None:
        needs += f", {answer['registers']} registers a thread"
    return Judged(Verdict.COMPILED, f"{text}; the probe's kernel compiles for {name} ({answer['compiler']}: {needs})")


def _gave(outcome: Mapping[str, Any]) -> str:
    if outcome["kind"] == "left":
        return f"the lookup is not reached ({outcome['text']})"
    text = str(outcome["text"])
    return f"it gives {text if len(text) <= 200 else text[:200] + '...'}"
