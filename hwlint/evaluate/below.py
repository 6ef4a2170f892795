"""Find the tables that classes below put in place of one of a base, where a method of the base asks for it."""

from __future__ import annotations

import ast

from hwlint.evaluate.answers import Class, Function, MixedTuple, Ref
from hwlint.evaluate.instances import Instances
from hwlint.evaluate.values import Value, join


class Below(Instances):
    """The part of the evaluator that knows the tables of subclasses."""

    def __init__(self, *args: object) -> None:
        """Start with no class looked at."""
        super().__init__(*args)
        self._overridden: dict[tuple[ast.ClassDef, str, str], Value | None] = {}

    def of_subclasses(self, ref: Ref, name: str, usual: Value) -> Value:
        """What a table of a class is where a method finds it on `self`: those of the subclasses, which have their own.

        That of the class itself counts where somebody makes an object of it.
        """
        owner = self._roots.get(ref)
        if owner is None or not (_holds_a_table(usual) or _is_left_open(usual)):
            return usual
        found = self._tables_below(owner, name)
        if found is None:
            return usual
        if _is_left_open(usual) and (not _are_tables(found) or self.is_set_on_objects(owner, name)):
            return usual
        return usual if self.project.is_called(owner.qualname, owner.path) else found

    def of_class_below(self, owner: Class, name: str, usual: Value) -> Value:
        """What a table of a class is where a class method finds it on `cls`, which may be a class below."""
        root = self.frames[0].function if self.frames else None
        if root is None or root.binding != "class" or root.owner is None or root.owner.node is not owner.node:
            return usual
        if not (_holds_a_table(usual) or _is_left_open(usual)):
            return usual
        found = self._tables_below(owner, name)
        if found is not None and _is_left_open(usual):
            return found if _are_tables(found) else usual
        return usual if found is None else found if self._is_empty(usual) else join((usual, found))

    def _is_empty(self, value: Value) -> bool:
        return all(
            type(answer) is Ref and not any(getattr(held, "items", True) for held, _ in self.base[answer].cases)
            for answer, _ in value.cases
            if answer in self.base
        )

    def _tables_below(self, owner: Class, name: str) -> Value | None:
        root: Function | None = self.frames[0].function if self.frames else None
        method = root.qualname.rpartition(".")[2] if root is not None else ""
        index = (owner.node, name, method)
        if index not in self._overridden:
            self._overridden[index] = None
            self._overridden[index] = self._tables_of_heirs(owner, name, method)
        return self._overridden[index]

    def _tables_of_heirs(self, owner: Class, name: str, method: str) -> Value | None:
        values: list[Value] = []
        own = self.class_member(owner, method)
        runs = own[1].node if own is not None else owner.node
        for path, heir in self.project.heirs(owner.qualname, owner.path):
            found = self.global_name(path, heir, None)
            answer = found.only() if found is not None else None
            if not isinstance(answer, Class) or all(base.node is not owner.node for base in self.lineage(answer)):
                continue
            member, run = self.class_member(answer, name), self.class_member(answer, method)
            if member is not None and (run is None or run[1].node is runs):
                values.append(member[0])
        return join(values) if values else None


def _holds_a_table(value: Value) -> bool:
    return any(type(answer) is Ref and answer.kind != "instance" for answer, _ in value.cases)


def _is_left_open(value: Value) -> bool:
    """True for a base's own `()` or None, which says that the classes below have something there."""
    answer = value.only()
    return value.trace is None and (answer == () or (answer is None and len(value.cases) == 1))


def _are_tables(value: Value) -> bool:
    return all(
        (type(answer) is Ref and answer.kind != "instance") or isinstance(answer, tuple | MixedTuple)
        for answer, _ in value.cases
    )
