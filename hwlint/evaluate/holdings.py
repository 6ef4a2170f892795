"""Tell what functions may have done to the objects that the names of a module stand for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from hwlint.evaluate.answers import Answer, AttrContent, Class, Ref, Unbound, Unknown
from hwlint.evaluate.below import Below
from hwlint.evaluate.changes import Change
from hwlint.evaluate.code import Code
from hwlint.evaluate.holders import INSIDE
from hwlint.evaluate.state import State
from hwlint.evaluate.values import Value, const, join, make, unknown
from hwlint.model.span import Span


class Holdings(Below):
    """The part of the evaluator that knows how little is certain of objects which functions can reach."""

    def __init__(self, *args: object) -> None:
        """Start with no object known to other modules."""
        super().__init__(*args)
        self._shared_objects: set[Ref] = set()

    def is_handled(self, code: Code, name: str, value: Value, state: State) -> bool:
        """True for a name that has objects with which functions may do more than read their attributes."""
        if not any(type(answer) is Ref for answer, _ in value.cases):
            return False
        if not any(ref.kind == "instance" for ref in self.reached(value, state)):
            return False
        return name in code.handled or bool(code.stored) or any(held.startswith(f"{name}.") for held in code.changes)

    def change_of(self, code: Code, name: str, value: Value) -> Change | None:
        """What functions do at worst to what a module-level name stands for; None where they leave it alone."""
        if any(binding.in_function for binding in code.bindings(name)):
            return code.changes.get(name, Change.ANYTHING)
        if not any(type(answer) is Ref for answer, _ in value.cases):
            return None
        return code.aliased.get(name) or (Change.NOTHING if name + INSIDE in code.changes else None)

    def _stored(self, ref: Ref, owner: Class, names: frozenset[str]) -> None:
        """Attributes that functions set on objects which are not their own may have been set on this one."""
        content = self.base.get(ref, Value(())).only()
        if isinstance(content, AttrContent):
            items = dict(content.items)
            for name in names:
                if name in items or self.class_member(owner, name) is not None:
                    old = items[name] if name in items else const(Unbound(name))
                    items[name] = join((old, unknown(f"{name} is set by a function")))
            self.base[ref] = const(AttrContent(items, content.rest))

    def _settable(self, ref: Ref, owner: Class) -> None:
        """Attributes of a module's object that its methods set may have been set by the functions that call them."""
        content = self.base.get(ref, Value(())).cases
        attributes = self.setters(owner)
        if len(content) != 1 or not isinstance(content[0][0], AttrContent):
            return
        items = dict(content[0][0].items)
        for name, change in self.changers(owner).items():
            held = items.get(name.removesuffix(INSIDE))
            if held is not None:
                self._loosen(
                    held, name, f"{name.removesuffix(INSIDE)} is changed by a method of {owner.qualname}", change
                )
        for name in attributes:
            old = items[name] if name in items else const(Unbound(name))
            items[name] = join((old, unknown(f"{name} is set by a method of {owner.qualname}")))
        self.base[ref] = const(AttrContent(items, content[0][0].rest))

    def shared(self, value: Value) -> None:
        """What other modules have of a module: they may have called the methods of its objects."""
        for answer, _ in value.cases:
            if type(answer) is Ref and isinstance(answer.type, Class) and answer not in self._shared_objects:
                self._shared_objects.add(answer)
                self._settable(answer, answer.type)

    def doubt_shared(self, objects: Iterable[Ref]) -> None:
        """Doubt again what other modules may have done to objects whose content was put back."""
        for ref in self._shared_objects.intersection(objects) if self._shared_objects else ():
            if isinstance(ref.type, Class):
                self._settable(ref, ref.type)

    def _changeable(self, ref: Ref, owner: Class, name: str, code: Code) -> None:
        """Containers that a module's object, or its class, holds may have been changed by functions that name them."""
        content = self.base.get(ref, Value(())).only()
        for held, change in code.changes.items():
            root, _, attribute = held.partition(".")
            if root != name or not attribute:
                continue
            held_by = attribute.removesuffix(INSIDE)
            found = content.items.get(held_by) if isinstance(content, AttrContent) else None
            if found is None:
                member = self.class_member(owner, held_by)
                found = member[0] if member is not None else Value(())
            self._loosen(found, held, f"{held.removesuffix(INSIDE)} is changed by a function", change)

    def _loosen(self, value: Value, name: str, reason: str, change: Change) -> None:
        """Let a container, or those inside where `name` says so, have been changed."""
        inside = name.endswith(INSIDE)
        self.loosened(value, reason, Change.NOTHING if inside else change, change if inside else None)

    def name_objects(self, code: Code, name: str, value: Value) -> None:
        """Say by which name a module knows its objects, and doubt what functions may have done to them."""
        for ref in self.reached(value, self.fresh(code.path, "")):
            if isinstance(ref.type, Class):
                if name in code.handled:
                    self._settable(ref, ref.type)
                if code.stored:
                    self._stored(ref, ref.type, code.stored)
        for answer, _ in value.cases:
            if isinstance(answer, Ref) and isinstance(answer.type, Class):
                self._changeable(answer, answer.type, name, code)
            if isinstance(answer, Ref):
                bound = next((b for b in code.bindings(name) if not b.in_function), None)
                span = code.span(code.body[bound.statement]) if bound is not None else answer.span
                if span is not None:
                    end = span.column + len(name)
                    self.names.setdefault(answer, (name, Span(span.path, span.line, span.column, span.line, end)))

    def reached(self, value: Value, state: State) -> set[Ref]:
        """The objects that a value may be, and those that they hold."""
        found: set[Ref] = set()
        waiting = [value]
        while waiting:
            for answer, _ in waiting.pop().cases:
                if type(answer) is not Ref or answer in found:
                    continue
                found.add(answer)
                for content, _ in self.contents(answer, state).cases:
                    held = getattr(content, "items", ())
                    inner = held.values() if isinstance(held, Mapping) else held
                    waiting.extend(item for item in inner if isinstance(item, Value))
        return found

    def of_classes(self, objects: Iterable[Ref]) -> Iterator[Ref]:
        """The containers that the classes of objects hold, as far as anybody has asked for them."""
        for owner in {ref.type for ref in objects if isinstance(ref.type, Class)}:
            for holder in self.lineage(owner):
                for name in self._binders(holder.node):
                    value = self._member_values.get((holder.node, name))
                    yield from (answer for answer, _ in value.cases if type(answer) is Ref) if value is not None else ()

    def loosened(self, value: Value, reason: str, change: Change, inside: Change | None = None) -> Value:
        """A name that functions change: a container may have other entries, anything else may be another value.

        `inside`: what they do to the containers that it holds.
        """
        if inside is not None:
            for ref in self.reached(value, self.fresh("", "")) - {answer for answer, _ in value.cases}:
                if ref.kind != "instance":
                    self.loose[ref] = (Unknown(reason), inside)
                    self.keep({ref: self.base.get(ref, Value(()))})
        if change is Change.NOTHING:
            return value
        cases: list[tuple[Answer, int]] = []
        for answer, mask in value.cases:
            cases.append((answer, mask))
            if isinstance(answer, Ref) and answer.kind != "instance":
                self.loose[answer] = (Unknown(reason), change)
                self.keep({answer: self.base.get(answer, Value(()))})
            else:
                cases.append((Unknown(reason), mask))
        return make(cases, value.trace, value.missed, value.via)
