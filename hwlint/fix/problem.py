"""Hold what a recipe works on: one finding, the texts it speaks of, and the facts that it carries."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from hwlint.fix.donors import Candidate
from hwlint.fix.encoding import form_of
from hwlint.hardware.table import Catalogue, order
from hwlint.hardware.targets import is_made_up, made_up_next
from hwlint.model.architecture import Architecture
from hwlint.model.finding import Finding
from hwlint.model.observation import Thing
from hwlint.model.span import Span

SHARED_MEMORY = "limits.shared_mem_per_block_optin_kib"

Texts = Callable[[str], str | None]
"""Returns the text of a file by its path relative to the root, without a byte order mark; None where it has none."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One finding to mend."""

    finding: Finding
    texts: Texts
    catalogue: Catalogue

    def fact(self, name: str) -> Any:
        """Return a fact of the finding, or None."""
        return self.finding.facts.get(name)

    def architecture(self, name: str) -> Architecture | None:
        """Return the architecture of that name, the made-up `next` included."""
        found = self.catalogue.find(name)
        if found is None:
            made_up = made_up_next(self.catalogue)
            return made_up if made_up.name == name else None
        return found

    @property
    def targets(self) -> tuple[Architecture, ...]:
        """The finding's architectures that exist, in catalogue order."""
        found = (self.architecture(name) for name in self.finding.targets)
        return tuple(sorted((one for one in found if one is not None and not is_made_up(one)), key=order))


@dataclass(frozen=True, slots=True)
class MissingKey:
    """A key that a table lacks, and the finding's architectures that look for it, oldest first."""

    key: object
    architectures: tuple[Architecture, ...]


@dataclass(frozen=True, slots=True)
class TableFacts:
    """The facts of a finding about a table; see `of` for how each is named there."""

    span: Span
    name: str
    key_texts: tuple[str, ...]
    missing: tuple[MissingKey, ...]
    present: Mapping[str, object]
    inner_path: tuple[str, ...]
    words: frozenset[str]
    positional: bool = False
    """True for a list or tuple that is subscripted: its keys are places."""
    again: tuple[Span, ...] = ()
    """Where the same list is written anew for further tests of the same value in the same function."""

    @staticmethod
    def of(problem: Problem) -> TableFacts | None:
        """Return the facts `table_span`, `table_name`, `key_texts`, `missing`, `present`, `inner_path`, `table_words`
        and `table_spans_again`.

        None where the finding says nothing of a table, or where no architecture that exists misses a key.
        """
        span, missing = problem.fact("table_span"), problem.fact("missing")
        if not isinstance(span, Span) or not isinstance(missing, Mapping):
            return None
        grouped: dict[str, tuple[object, list[Architecture]]] = {}
        for name, key in missing.items():
            architecture = problem.architecture(str(name))
            if architecture is not None and not is_made_up(architecture):
                grouped.setdefault(repr(key), (key, []))[1].append(architecture)
        keys = [MissingKey(_as_written(key), tuple(sorted(archs, key=order))) for key, archs in grouped.values()]
        if not keys:
            return None
        key_texts = tuple(map(str, problem.fact("key_texts") or ()))
        positional = problem.fact("lookup_form") == "index"
        return TableFacts(
            span=span,
            name=str(problem.fact("table_name") or problem.finding.table),
            key_texts=tuple(map(str, range(len(key_texts)))) if positional else key_texts,
            positional=positional,
            missing=tuple(sorted(keys, key=lambda one: order(one.architectures[0]))),
            present=dict(problem.fact("present") or {}),
            inner_path=tuple(map(str, problem.fact("inner_path") or ())),
            words=frozenset(map(str, problem.fact("table_words") or ())),
            again=tuple(problem.fact("table_spans_again") or ()),
        )

    def candidates(self, wanted: MissingKey, catalogue: Catalogue) -> tuple[Candidate, ...]:
        """Return the entries that could be copied, each with the architectures of the target's vendor that find it.

        Architectures that the run did not ask for count too: which entry belongs to which follows from the form of
        the missing key.
        """
        target = wanted.architectures[0]
        lacking = {arch.name for missing in self.missing for arch in missing.architectures}
        form = form_of(wanted.key, target)
        found: dict[str, tuple[object, dict[str, Architecture]]] = {}
        for arch in catalogue.architectures:
            if arch.vendor is not target.vendor or arch.name in lacking:
                continue
            key = self.present.get(arch.name)
            if key is None and form is not None and arch.products:
                key = form(arch)
            if key is not None and _text(key, self.key_texts) in self.key_texts:
                found.setdefault(repr(key), (key, {}))[1][arch.name] = arch
        return tuple(Candidate(key, tuple(archs.values())) for key, archs in found.values())

    def left_out_twins(self, wanted: MissingKey, catalogue: Catalogue) -> tuple[Architecture, ...]:
        """Return the architectures of the target's family with as much shared memory that no key stands for."""
        target = wanted.architectures[0]
        form = form_of(wanted.key, target)
        if form is None and target.capability is not None and target.capability[1] == wanted.key:
            form = _minor
        if form is None:
            return ()
        return tuple(
            arch
            for arch in catalogue.architectures
            if arch.family == target.family and arch not in wanted.architectures and arch.products
            if arch.fact(SHARED_MEMORY) == target.fact(SHARED_MEMORY)
            if _text(form(arch), self.key_texts) not in self.key_texts
        )


def _as_written(key: object) -> object:
    """Return the member of an enum as its source (`Chip.HOPPER`), other keys as they are."""
    return key.text if isinstance(key, Thing) and key.owner else key


def _minor(architecture: Architecture) -> object:
    return None if architecture.capability is None else architecture.capability[1]


def _text(key: object, key_texts: tuple[str, ...]) -> str:
    """Return how a key stands among the key texts: as `repr` writes it, or as source for enum members."""
    written = repr(key)
    return key if isinstance(key, str) and written not in key_texts and key in key_texts else written
