"""Fill the dicts and lists of a module with what its registering functions and other modules put there at import."""

from __future__ import annotations

import ast
from typing import Any

from hwlint.evaluate.answers import Answer, DictContent, Function, ListContent, Ref, SetContent, Unknown, is_concrete
from hwlint.evaluate.budget import OverBudget
from hwlint.evaluate.code import Code
from hwlint.evaluate.names import Names
from hwlint.evaluate.registrations import Registrar, changed_in, given, may_change, registrars, sites
from hwlint.evaluate.scopes import local_names
from hwlint.evaluate.values import EVERYWHERE, Value, const, unknown
from hwlint.graph.bindings import BindingKind
from hwlint.source.nodes import functions, walk

_REGISTERED = Unknown("an entry that is registered")
_ELSEWHERE = Unknown("an entry that another module adds")
_CHANGED = Unknown("another module changes it")
MOST_USERS = 40
"""A registering function whose name more files have is not followed."""


class Filled(Names):
    """The part of the evaluator that knows what is put into a module's containers from outside."""

    def __init__(self, *args: object) -> None:
        """Start with no container looked at."""
        super().__init__(*args)
        self._registered: dict[Ref, tuple[Any, ...] | None] = {}
        self._made_up: dict[tuple[str, str], Value] = {}
        self._added: dict[Ref, tuple[tuple[Any, ...], bool]] = {}

    def filled(self, ref: Ref, content: Answer, key: Value) -> Answer:
        """The content of a container that the hardware is looked up in, with what others put into it at import.

        What functions of its own module add under keys that their callers give (`@register(9)`) is known where every
        place that names them is a call that the modules make once. What other modules add is asked for only where
        something is missing.
        """
        if key.trace is None or not isinstance(content, DictContent | ListContent | SetContent) or ref.span is None:
            return content
        if isinstance(content, DictContent) and content.rest is not None and ref in self.loose:
            keys = self._keys_of(ref)
            if keys is None:
                return content
            content = _with(DictContent(content.items), keys, _REGISTERED)
        if content.rest is None and ref in self.names and _misses(content, key):
            added, sure = self._added_elsewhere(ref)
            if added or not sure:
                content = _with(content, added, _ELSEWHERE)
                content = content if sure else _open(content)
        return content

    def made_up(self, code: Code, name: str) -> Value:
        """What the `__getattr__` of a module gives for a name: an object that hardware values reach, as a rule."""
        why = unknown(f"{name} is made by the module's __getattr__")
        index = code.path, name
        if index not in self._made_up:
            self._made_up[index] = why  # while it is worked out
            maker = self.global_name(code.path, "__getattr__", None)
            if maker is not None and isinstance(maker.only(), Function):
                state = self.fresh(code.path, "")
                saved = self.budget.left
                self.recorder.muted += 1
                self.budget.start()
                try:
                    found = self.call(maker, [const(name)], {}, code.body[0], state)
                except OverBudget:
                    found = why
                finally:
                    self.recorder.muted -= 1
                    self.budget.left = saved
                self.keep_new(state.heap)
                if any(type(answer) is Ref for answer, _ in found.cases):
                    self._made_up[index] = found
        return self._made_up[index]

    def _keys_of(self, ref: Ref) -> tuple[Any, ...] | None:
        """The keys under which functions of the module register something; None where not all are known."""
        if ref not in self._registered:
            self._registered[ref] = None  # while it is worked out
            code, name = self._home(ref)
            if code is not None:
                found = registrars(code.body, name)
                keys: list[Any] | None = [] if found else None
                for registrar in found or ():
                    more = self._registered_by(registrar, code)
                    keys = None if keys is None or more is None else [*keys, *more]
                self._registered[ref] = None if keys is None else tuple(keys)
        return self._registered[ref]

    def _home(self, ref: Ref) -> tuple[Code | None, str]:
        """The module whose top-level name a container has, and that name."""
        known = self.names.get(ref)
        if known is None or not known[1].path.endswith(".py"):
            return None, ""
        code = self.project.code(known[1].path)
        bound = code.bindings(known[0]) if code is not None else ()
        return (code, known[0]) if bound and not any(one.kind is BindingKind.GLOBAL for one in bound) else (None, "")

    def _registered_by(self, registrar: Registrar, home: Code) -> list[Any] | None:
        """The keys that all calls of a registering function give it, by whatever name; None where one does not say."""
        keys: list[Any] = []
        names = [registrar.node.name]
        for name in names:  # grows as modules are found that call it otherwise
            users = self.project.users(name, home.path)
            if len(users) > MOST_USERS:
                return None
            for path in users:
                code = self.project.code(path)
                if code is None:
                    continue
                names.extend(other for other in _called(name, code) if other not in names)
                more = self._registered_in(code, name, registrar)
                if more is None:
                    return None
                keys.extend(more)
        return keys

    def _registered_in(self, code: Code, name: str, registrar: Registrar) -> list[Any] | None:
        keys: list[Any] = []
        inside = any(record.name == name and record.in_function for record in code.outline.imports)
        for site in sites(code.body, name):
            if isinstance(site.named, ast.Name) and not code.bindings(name) and not code.outline.stars:
                if inside:
                    return None
                continue  # a name of some function
            found = self.quietly(site.named, code.path).only()
            if isinstance(found, Function) and found.node is registrar.node:
                more = self._keys_at(registrar, site.call, code.path) if site.call is not None else None
                if more is None:
                    return None
                keys.extend(more)
            elif isinstance(site.named, ast.Name) and not isinstance(found, Function) and not is_concrete(found):
                return None
        return keys

    def _keys_at(self, registrar: Registrar, call: ast.Call, path: str) -> list[Any] | None:
        arguments = given(registrar.node, call)
        if arguments is None:
            return None
        values = {name: [self.quietly(part, path) for part in parts] for name, parts in arguments.items()}
        several = registrar.node.args.vararg.arg if registrar.node.args.vararg is not None else ""
        turns: list[dict[str, Value]] = [{name: each[0] for name, each in values.items() if name != several}]
        for name, parameter in registrar.loops:
            items = values.get(parameter, []) if parameter == several else self._items_of(values.get(parameter))
            if items is None:
                return None
            turns = [{**turn, name: item} for turn in turns for item in items]
        keys: list[Any] = []
        for turn in turns:
            state = self.fresh(path, "")
            state.vars.update(turn)
            self.recorder.muted += 1
            try:
                found = [self.eval(key, state).only() for key in registrar.keys]
            finally:
                self.recorder.muted -= 1
            if not all(is_concrete(key) for key in found):
                return None
            keys.extend(found)
        return keys

    def _items_of(self, values: list[Value] | None) -> list[Value] | None:
        parts = self.iterate(values[0], self.fresh("", "")) if values else []
        whole = list(parts)
        return list(whole[0][0]) if len(whole) == 1 and whole[0][1] is None else None

    def _added_elsewhere(self, ref: Ref) -> tuple[tuple[Any, ...], bool]:
        """What other modules add to a container when they are run, and whether that is all that they may do to it."""
        known = self._added.get(ref)
        if known is None:
            self._added[ref] = (), True  # while it is worked out
            known = self._added[ref] = self._looked_for(ref)
        return known

    def _looked_for(self, ref: Ref) -> tuple[tuple[Any, ...], bool]:
        home, name = self._home(ref)
        if home is None or name.startswith("_"):
            return (), True
        added: list[Any] = []
        sure = True
        users = self.project.users(name, home.path)
        for path in users if len(users) <= MOST_USERS else ():
            code = self.project.code(path) if path != home.path else None
            if code is None:
                continue
            names = [known for known in _called(name, code) if may_change(code.parsed.text.text, known)]
            for held, keys, once in (change for known in names for change in changed_in(code.body, known)):
                if isinstance(held, ast.Name) and not code.bindings(held.id):
                    continue
                if self.quietly(held, path).only() is not ref or (not once and _is_own(held, code)):
                    continue
                found = [self.quietly(key, path).only() for key in keys] if keys is not None else []
                added.extend(key for key in found if is_concrete(key))
                sure = sure and once and keys is not None and all(is_concrete(key) for key in found)
        return tuple(added), sure


def _called(name: str, code: Code) -> list[str]:
    """The names by which a module knows what another one calls `name`."""
    return sorted({name, *(record.name for record in code.outline.imports if record.attribute == name)} - {""})


def _is_own(held: ast.expr, code: Code) -> bool:
    """True for a name that a function has for itself."""
    if not isinstance(held, ast.Name):
        return False
    around = [one for one in functions(code.body) if held in walk(one)]
    return any(held.id in local_names(one)[0] for one in around)


def _misses(content: DictContent | ListContent | SetContent, key: Value) -> bool:
    held: Any = content.items
    if isinstance(content, ListContent):
        held = {item.only() for item in content.items if is_concrete(item.only())}
    return any(is_concrete(answer) and answer not in held for answer, _ in key.cases)


def _with(
    content: DictContent | ListContent | SetContent, keys: tuple[Any, ...], why: Unknown
) -> DictContent | ListContent | SetContent:
    match content:
        case DictContent(items=items):
            return DictContent({**items, **{key: Value(((why, EVERYWHERE),)) for key in keys if key not in items}})
        case SetContent(items=members):
            return SetContent((*members, *(key for key in keys if key not in members)))
        case ListContent(items=values):
            return ListContent((*values, *map(const, keys)))


def _open(content: DictContent | ListContent | SetContent) -> DictContent | ListContent | SetContent:
    match content:
        case DictContent(items=items):
            return DictContent(items, _CHANGED)
        case SetContent(items=members):
            return SetContent(members, _CHANGED)
        case ListContent(items=values):
            return ListContent(values, _CHANGED)
