"""Compare what the evaluator says of a program with what CPython did: equal, not known, or a disagreement."""

from __future__ import annotations

import ast
import enum
import functools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import FunctionType, MethodType, ModuleType
from typing import Any

from hwlint.evaluate.answers import (
    Answer,
    AttrContent,
    Bound,
    Builtin,
    Class,
    Device,
    DictContent,
    EnumMember,
    External,
    Function,
    ListContent,
    MixedTuple,
    Module,
    Named,
    Partial,
    Ref,
    SetContent,
    Unbound,
    Unknown,
    same,
)
from hwlint.evaluate.engine import Machine
from hwlint.evaluate.project import Project
from hwlint.evaluate.state import State
from hwlint.evaluate.values import Value, restrict
from hwlint.graph.bindings import Outline
from hwlint.graph.carriers import Carries
from hwlint.graph.modules import ModuleTable
from hwlint.graph.outline import outline
from hwlint.graph.relevance import Known, Relevance, Surface, grow, passed_on
from hwlint.hardware.table import load
from hwlint.hardware.targets import parse_targets
from hwlint.model.architecture import Architecture
from hwlint.model.observation import Blank, Comparison, Gate, Lookup, Observation
from hwlint.model.origin import Origins
from hwlint.model.outcome import Default, Hit, NotKnown, Raises
from hwlint.rulebook.origins import load_origins
from hwlint.source.needles import words
from hwlint.source.parse import Parsed, parse
from hwlint.source.read import decode
from tests.evaluate.sandbox import Looked, Place, Program, Run, run
from tests.evaluate.stand_in import Properties

TARGETS = "sm_80,sm_90,sm_100,sm_103,sm_120"


@functools.cache
def architectures(targets: str = TARGETS) -> tuple[Architecture, ...]:
    """The rows that programs run on."""
    return parse_targets(targets, load())


@functools.cache
def origins() -> Origins:
    """The origins that hwlint ships."""
    return load_origins()


class Watching(Machine):
    """An evaluator that remembers the lookups whose key is a constant: they are no observations."""

    def __init__(self, rows: Sequence[Architecture], project: Project, origins: Origins) -> None:
        """Nothing was looked up so far."""
        super().__init__(rows, project, origins)
        self.constants: dict[tuple[str, int, int], set[str]] = {}
        self.unsure: set[tuple[str, int, int]] = set()
        """Where a key is looked up that is not known and not the hardware's, or any key in what is not known."""
        self.plain: dict[tuple[str, int, int], tuple[int, int]] = {}
        """For tests and comparisons that the hardware has no say in: where they may be true, and may be false."""

    def subscript(self, base: Value, key: Value, node: ast.Subscript, state: State) -> Value:
        """Compute `base[key]`."""
        self._remember(key, node, state)
        return super().subscript(base, key, node, state)

    def membership(self, left: Value, right: Value, node: ast.Compare, position: int, state: State) -> Value:
        """Compute `in` and `not in`."""
        self._remember(left, node, state)
        if not self.recorder.muted and any(isinstance(answer, Unknown) for answer, _ in right.cases):
            span = self.span(node, state)
            self.unsure.add((span.path, span.line, span.column))
        return super().membership(left, right, node, position, state)

    def gate(self, test: ast.expr, value: Value, yes: int, no: int, kind: str, node: ast.AST, state: State) -> None:
        """Record a branch."""
        if value.trace is None:
            self._plain(test, yes, no, state)
        super().gate(test, value, yes, no, kind, node, state)

    def note_comparison(
        self, symbol: str, left: Value, right: Value, found: Value, node: ast.Compare, position: int, state: State
    ) -> None:
        """Record a comparison."""
        if left.trace is None and right.trace is None:
            self._plain(node, *self.truth(restrict(found, state.alive), state), state)
        super().note_comparison(symbol, left, right, found, node, position, state)

    def _plain(self, node: ast.AST, yes: int, no: int, state: State) -> None:
        if not self.recorder.muted:
            span = self.span(node, state)
            place = span.path, span.line, span.column
            true, false = self.plain.get(place, (0, 0))
            self.plain[place] = true | yes, false | no

    def _remember(self, key: Value, node: ast.AST, state: State) -> None:
        if key.trace is None and not self.recorder.muted:
            span = self.span(node, state)
            found = self.constants.setdefault((span.path, span.line, span.column), set())
            answers = [answer for answer, _ in self.expand(key, state).cases]
            found |= {repr(answer) for answer in answers if not isinstance(answer, Unknown)}
            if any(isinstance(answer, Unknown) for answer in answers):
                self.unsure.add((span.path, span.line, span.column))


def machine(files: Mapping[str, str], rows: Sequence[Architecture], *, sliced: bool = False) -> Watching:
    """An evaluator for modules held in memory.

    `sliced`: as in a run of the command, what hardware values do not reach is passed over.
    """
    table = ModuleTable.build(list(files))

    @functools.cache
    def read(path: str) -> tuple[Parsed, Outline] | None:
        text = decode(path, files[path].encode())
        found = parse(text) if not hasattr(text, "message") else None
        return (found, outline(found.tree)) if isinstance(found, Parsed) else None

    if not sliced:
        return Watching(rows, Project(table, read), origins())
    reached = _relevance(files, read)

    def holders(word: str) -> list[str]:
        return [path for path in sorted(files) if word.encode() in words(files[path].encode())]

    return Watching(rows, Project(table, read, reached.names_in, reached.files, holders), origins())


def _relevance(files: Mapping[str, str], read: Callable[[str], tuple[Parsed, Outline] | None]) -> Relevance:
    """What hardware values reach, found as a run of the command finds it."""

    def search(names: Iterable[str]) -> dict[str, frozenset[str]]:
        found = {path: names_in(text.encode(), names) for path, text in files.items()}
        return {path: hits for path, hits in found.items() if hits}

    def names_in(data: bytes, names: Iterable[str]) -> frozenset[str]:
        return frozenset(name.decode() for name in words(data).intersection(one.encode() for one in names))

    def work(news: Mapping[str, Known]) -> dict[str, tuple[Surface, dict[str, Carries]] | None]:
        loaded = {path: read(path) for path in news}
        return {path: None if one is None else passed_on(one[1], news[path]) for path, one in loaded.items()}

    return grow(search([name for name in origins().needles() if name.isidentifier()]), work, search)


@dataclass(slots=True)
class Tally:
    """How many values were compared, and how many of them the evaluator knew."""

    known: int = 0
    unknown: int = 0
    reasons: dict[str, int] = field(default_factory=dict)
    disagreements: list[str] = field(default_factory=list)

    def count(self, verdict: str | Unknown | None) -> None:
        """Count one comparison: None where equal, an Unknown, or the words of a disagreement."""
        if verdict is None:
            self.known += 1
        elif isinstance(verdict, Unknown):
            self.unknown += 1
            self.reasons[verdict.reason] = self.reasons.get(verdict.reason, 0) + 1
        else:
            self.disagreements.append(verdict)


def compare(program: Program, rows: Sequence[Architecture] | None = None, *, sliced: bool = False) -> Tally:
    """Run the program on every row and evaluate it once; compare names, lookups and who comes back.

    `sliced`: as in a run of the command, what hardware values do not reach is passed over.
    """
    rows = architectures() if rows is None else rows
    for text in program.files.values():
        ast.parse(text)  # a program that is none would agree with everything
    runs = [run(program, row) for row in rows]
    found = Tally()
    _names(program, rows, runs, found, machine(program.files, rows, sliced=sliced))
    evaluator = machine(program.files, rows, sliced=sliced)
    evaluator._asks_all = False  # whether a test is constant on the whole catalogue is nothing that CPython knows
    observations: list[Observation] = []
    for path in program.files:
        if sliced and evaluator.project.is_beside(path):
            continue
        evaluator.evaluate(path)
        observations.extend(evaluator.recorder.found.values())
    if not sliced:  # of a function that has nothing to do with the hardware only some calls are seen
        _lookups(evaluator, observations, rows, runs, found)
        _tests(evaluator, observations, rows, runs, found)
    return found


def _names(
    program: Program, rows: Sequence[Architecture], runs: list[dict[str, Run]], found: Tally, evaluator: Machine
) -> None:
    """Every module-level name at the end of its module, or before the statement that raised."""
    judge = Judge(evaluator)
    for path in program.files:
        for bit, row in enumerate(rows):
            result = runs[bit].get(path)
            if result is None:
                continue
            for name in _watched(result, program.files[path]):
                value = judge.machine.global_name(path, name, result.halted)
                if value is None:
                    found.disagreements.append(f"{path}: {name} is not found")
                    continue
                verdict = judge.verdict(value, result.names[name], bit)
                if isinstance(verdict, str):
                    verdict = f"{path}: {name} on {row.name}: {verdict}"
                found.count(verdict)


def _watched(result: Run, text: str) -> Iterator[str]:
    """The names to compare: data, and of a module that was left in the middle what the last statement cannot change."""
    begun: set[str] = set()
    if result.halted is not None:
        statement = ast.parse(text).body[result.halted]
        begun = {part.id for part in ast.walk(statement) if isinstance(part, ast.Name)}
    for name, value in result.names.items():
        if name.startswith("__") or isinstance(value, (ModuleType, FunctionType, type)):
            continue
        if result.halted is None or (name not in begun and isinstance(value, (int, str, tuple))):
            yield name


def _tests(
    evaluator: Watching,
    observations: Sequence[Observation],
    rows: Sequence[Architecture],
    runs: list[dict[str, Run]],
    found: Tally,
) -> None:
    """Every branch and comparison that was recorded: where CPython found it true, and false, it must be possible.

    Methods are looked at only for architectures on which the constructor comes to its end; so much is meant.
    """
    possible: dict[Place, tuple[int, int]] = {}
    entered: dict[Place, int] = {}
    for observation in observations:
        if isinstance(observation, (Gate, Comparison)):
            span = observation.place.span
            place = span.path, span.line, span.column, "if" if isinstance(observation, Gate) else "compare"
            true, false = possible.get(place) or evaluator.plain.get(place[:3], (0, 0))
            possible[place] = true | observation.true, false | observation.false
            reached = observation.entered if isinstance(observation, Gate) else observation.alive
            entered[place] = entered.get(place, 0) | true | false | reached
    for bit, row in enumerate(rows):
        done = next(iter(runs[bit].values())).truths if runs[bit] else {}
        for place, (true, false) in possible.items():
            for truth in done.get(place, ()) if entered[place] >> bit & 1 else ():
                if not (true if truth else false) >> bit & 1:
                    found.disagreements.append(f"{place} on {row.name}: never {truth}, CPython found it so")


def _lookups(
    evaluator: Watching,
    observations: Sequence[Observation],
    rows: Sequence[Architecture],
    runs: list[dict[str, Run]],
    found: Tally,
) -> None:
    """Every lookup that was recorded: what CPython did there must be among the outcomes.

    What is certain in a method is meant of objects of its own class: where others derive from it, it is left out.
    """
    derived = _derived_from(evaluator)
    seen: dict[Place, list[Lookup]] = {}
    blank: set[tuple[str, int, int]] = set()
    for observation in observations:
        if isinstance(observation, Blank):  # on some path the table, or the key, is not known
            span = observation.place.span
            blank.add((span.path, span.line, span.column))
        if isinstance(observation, Lookup) and observation.form in ("subscript", "index", "in"):
            span = observation.place.span
            kind = "in" if observation.form == "in" else "item"
            seen.setdefault((span.path, span.line, span.column, kind), []).append(observation)
    for bit, row in enumerate(rows):
        done = next(iter(runs[bit].values())).lookups if runs[bit] else {}
        for place, observations in seen.items():
            constants = evaluator.constants.get(place[:3], set())
            if place[:3] in blank | evaluator.unsure or any(actual.key in constants for actual in done.get(place, ())):
                continue
            happenings = [
                happening
                for observation in observations
                for happening in observation.happenings
                if happening.mask >> bit & 1
            ]
            for actual in done.get(place, ())[:1] if happenings and len(done.get(place, ())) == 1 else ():
                if not any(_covers(happening.outcome, actual) for happening in happenings):
                    outcomes = [happening.outcome for happening in happenings]
                    found.disagreements.append(f"{place} on {row.name}: CPython {actual}, evaluator {outcomes}")
            for happening in happenings:
                certain = happening.certain >> bit & 1 and isinstance(happening.outcome, Raises)
                certain = certain and derived.isdisjoint(one.place.symbol.partition(".")[0] for one in observations)
                happened = done.get(place, ())
                if certain and happened and not any(_covers(happening.outcome, actual) for actual in happened):
                    found.disagreements.append(f"{place} on {row.name}: certain {happening.outcome} did not happen")


def _derived_from(evaluator: Machine) -> frozenset[str]:
    """The names of the classes from which others derive."""
    codes = [evaluator.project.code(path) for path in evaluator.project.table.paths]
    trees = [code.parsed.tree for code in codes if code is not None]
    classes = [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    return frozenset(ast.unparse(base).rpartition(".")[2] for node in classes for base in node.bases)


def _covers(outcome: object, actual: Looked) -> bool:
    if isinstance(outcome, NotKnown):
        return True
    if isinstance(outcome, Hit):
        return actual.raised is None and outcome.key == actual.key
    if isinstance(outcome, Default):
        return actual.raised == "absent" and outcome.key == actual.key
    if isinstance(outcome, Raises):
        return actual.raised == outcome.exception and (outcome.exception != "KeyError" or outcome.message == actual.key)
    return False


def outcome_of_call(program: Program, name: str, rows: Sequence[Architecture]) -> tuple[Value, State]:
    """Call a function of the main module without arguments: its value, and the state in which it comes back."""
    evaluator = machine(program.files, rows)
    function = evaluator.global_name(program.main, name, None)
    assert function is not None
    state = evaluator.fresh(program.main, "")
    evaluator.budget.start()
    return evaluator.call(function, [], {}, ast.parse(f"{name}()").body[0], state), state


Verdict = str | Unknown | None


class Judge:
    """Tells whether an abstract value is what CPython computed on one architecture."""

    def __init__(self, evaluator: Machine) -> None:
        self.machine = evaluator
        self.state = evaluator.fresh("", "")
        self._open: set[tuple[int, int]] = set()

    def verdict(self, value: Value, actual: Any, bit: int) -> Verdict:
        """None where the one answer is equal; an Unknown where some answer is; else the disagreement."""
        answers = [answer for answer, mask in value.cases if mask >> bit & 1]
        if not answers:
            return f"no answer, CPython has {actual!r}"
        verdicts = [self._answer(answer, actual, bit) for answer in answers]
        unsure = next((verdict for verdict in verdicts if isinstance(verdict, Unknown)), None)
        if unsure is not None:
            return unsure
        wrong = [verdict for verdict in verdicts if isinstance(verdict, str)]
        if len(wrong) == len(verdicts):
            return wrong[0]
        return Unknown("several possible answers") if wrong else None

    def _answer(self, answer: Answer, actual: Any, bit: int) -> Verdict:  # noqa: C901 - one case for each kind of answer
        match answer:
            case Unknown():
                return self._half_known(answer, actual)
            case Unbound():
                return f"not bound, CPython has {actual!r}"
            case Ref():
                return self._object(answer, actual, bit)
            case MixedTuple():
                if not isinstance(actual, tuple) or len(actual) != len(answer.items):
                    return f"a tuple of {len(answer.items)}, CPython has {actual!r}"
                return self._all(zip(answer.items, actual, strict=True), bit)
            case Named():
                if isinstance(answer.type, Class) and answer.type.qualname != type(actual).__qualname__:
                    return f"a {answer.type.qualname}, CPython has {actual!r}"
                return self._tuple(tuple(answer), actual, bit)
            case EnumMember():
                right = isinstance(actual, enum.Enum) and actual.name == answer.name
                return None if right and same(actual.value, answer.value) else f"{answer!r}, CPython has {actual!r}"
            case Class() | Function():
                name = getattr(actual, "__qualname__", "").replace(".<locals>", "").rpartition(".")[2]
                return None if name == answer.qualname.rpartition(".")[2] else f"{answer}, CPython has {actual!r}"
            case Bound():
                return None if isinstance(actual, MethodType) else f"a bound method, CPython has {actual!r}"
            case Partial():
                return None if callable(actual) else f"a partial, CPython has {actual!r}"
            case Module():
                return None if isinstance(actual, ModuleType) else f"a module, CPython has {actual!r}"
            case Device():
                return None if isinstance(actual, Properties) else f"{answer}, CPython has {actual!r}"
            case External() | Builtin():
                return Unknown("something outside the program")
            case tuple():
                return self._tuple(answer, actual, bit)
            case _ if isinstance(answer, (int, str, float, bytes, range, type(None), frozenset)):
                return None if _alike(answer, actual) else f"{answer!r}, CPython has {actual!r}"
            case _:
                return Unknown(f"an answer of kind {type(answer).__name__}")

    def _tuple(self, answer: tuple[Answer, ...], actual: Any, bit: int) -> Verdict:
        if not isinstance(actual, tuple) or len(actual) != len(answer):
            return f"{answer!r}, CPython has {actual!r}"
        verdicts = [self._answer(one, other, bit) for one, other in zip(answer, actual, strict=True)]
        wrong = next((verdict for verdict in verdicts if isinstance(verdict, str)), None)
        return wrong or next((verdict for verdict in verdicts if verdict is not None), None)

    def _half_known(self, answer: Unknown, actual: Any) -> Verdict:
        if answer.truth is not None and answer.truth != bool(actual):
            return f"unknown but {'true' if answer.truth else 'false'}, CPython has {actual!r}"
        if answer.is_none is not None and answer.is_none != (actual is None):
            return f"unknown but {'' if answer.is_none else 'not '}None, CPython has {actual!r}"
        return answer

    def _object(self, ref: Ref, actual: Any, bit: int) -> Verdict:
        if ref.kind == "iterator":
            return Unknown("an iterator") if hasattr(actual, "__next__") else f"an iterator, CPython has {actual!r}"
        opened = (id(ref), id(actual))
        if opened in self._open:
            return None
        self._open.add(opened)
        try:
            contents = [content for content, mask in self.machine.contents(ref, self.state).cases if mask >> bit & 1]
            if not contents:
                return f"a {ref.kind} without content, CPython has {actual!r}"
            verdicts = [self._content(ref, content, actual, bit) for content in contents]
        finally:
            self._open.discard(opened)
        unsure = next((verdict for verdict in verdicts if isinstance(verdict, Unknown)), None)
        wrong = [verdict for verdict in verdicts if isinstance(verdict, str)]
        if unsure is None and len(wrong) == len(verdicts):
            return wrong[0]
        return unsure or (Unknown("several possible contents") if wrong else None)

    def _content(self, ref: Ref, content: Answer, actual: Any, bit: int) -> Verdict:
        match content:
            case Unknown():
                return content
            case ListContent():
                if not isinstance(actual, list):
                    return f"a list, CPython has {actual!r}"
                if content.rest is not None:
                    return self._some(content.items, actual, bit) or content.rest
                if len(content.items) != len(actual):
                    return f"a list of {len(content.items)}, CPython has {actual!r}"
                return self._all(zip(content.items, actual, strict=True), bit)
            case SetContent():
                if not isinstance(actual, (set, frozenset)):  # which of them it is is not followed
                    return f"a {ref.kind}, CPython has {actual!r}"
                missing = [item for item in content.items if item not in actual]
                if missing or (content.rest is None and len(content.items) != len(actual)):
                    return f"the set {content.items!r}, CPython has {actual!r}"
                return content.rest
            case DictContent():
                return self._dict(content, actual, bit)
            case AttrContent():
                return self._attributes(ref, content, actual, bit)
            case _:
                return Unknown("content of another kind")

    def _some(self, items: Sequence[Value], actual: list[Any], bit: int) -> Verdict:
        """Every known item of a list that may have more must be somewhere in it."""
        for item in items:
            verdicts = [self.verdict(item, one, bit) for one in actual]
            if all(isinstance(verdict, str) for verdict in verdicts):
                return f"a list with {item.cases!r}, CPython has {actual!r}"
        return None

    def _dict(self, content: DictContent, actual: Any, bit: int) -> Verdict:
        if not isinstance(actual, dict):
            return f"a dict, CPython has {actual!r}"
        keys = list(content.items)
        held = [next((other for other in actual if _alike(key, other) or key == other), _NOTHING) for key in keys]
        if any(key is _NOTHING for key in held):
            return f"a dict with keys {keys!r}, CPython has {actual!r}"
        if content.rest is None and (len(held) != len(actual) or not _alike(tuple(keys), tuple(actual))):
            return f"a dict with keys {keys!r}, CPython has {actual!r}"
        pairs = zip(keys, held, strict=True)
        return self._all(((content.items[key], actual[other]) for key, other in pairs), bit) or content.rest

    def _attributes(self, ref: Ref, content: AttrContent, actual: Any, bit: int) -> Verdict:
        if not isinstance(ref.type, Class) or type(actual).__name__ != ref.type.qualname.rpartition(".")[2]:
            return f"an instance of {ref.type}, CPython has {actual!r}"
        held = _attributes_of(actual)
        pairs = []
        for name, value in content.items.items():
            bound = [answer for answer, mask in value.cases if mask >> bit & 1 and not isinstance(answer, Unbound)]
            if name in held:
                pairs.append((value, held[name]))
            elif bound and not any(isinstance(a, Unbound) for a, mask in value.cases if mask >> bit & 1):
                return f"an object with the attribute {name}, CPython has {held!r}"
        kept = {name for name in held if isinstance(getattr(type(actual), name, None), functools.cached_property)}
        if content.rest is None and set(held) - set(content.items) - kept:
            return f"an object with {sorted(content.items)}, CPython has {held!r}"
        return self._all(pairs, bit) or content.rest

    def _all(self, pairs: Any, bit: int) -> Verdict:
        unsure: Unknown | None = None
        for value, actual in pairs:
            verdict = self.verdict(value, actual, bit)
            if isinstance(verdict, str):
                return verdict
            unsure = unsure or verdict
        return unsure


_NOTHING = object()


def _attributes_of(actual: Any) -> dict[str, Any]:
    """The attributes of an object, those in `__slots__` included."""
    slots = [name for kind in type(actual).__mro__ for name in getattr(kind, "__slots__", ())]
    return {
        **{name: getattr(actual, name) for name in slots if hasattr(actual, name)},
        **getattr(actual, "__dict__", {}),
    }


def _alike(answer: Any, actual: Any) -> bool:
    """Equal, and of equal types all the way down."""
    if isinstance(answer, tuple) and isinstance(actual, tuple):
        return len(answer) == len(actual) and all(map(_alike, answer, actual))
    if isinstance(answer, EnumMember):
        return isinstance(actual, enum.Enum) and actual.name == answer.name
    if isinstance(answer, frozenset):
        return bool(answer == actual)
    return same(answer, actual)
