"""Write random whole programs: a library module or two, and a main module that imports and uses them."""

from __future__ import annotations

import re
from dataclasses import replace
from random import Random

from hypothesis import strategies as st

from tests.evaluate.phrases import BOOL, INT, INTS, OPT, PAIR, SET, STR, STRS, TABLE, TYPES, Callee, Scope, copied
from tests.evaluate.sandbox import Program
from tests.evaluate.shapes import PAIRS, Shapes

HEAD = """\
import torch
import functools
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum, IntEnum
from functools import cache, lru_cache, partial
from typing import NamedTuple
"""


@st.composite
def programs(draw: st.DrawFn) -> Program:
    """Programs of one to three modules."""
    return write(draw(st.randoms(use_true_random=False)))


def write(random: Random) -> Program:
    """One program, decided by `random`."""
    return Author(random).program()


class Author(Shapes):
    """Writes modules, classes, functions and statements."""

    def __init__(self, random: Random) -> None:
        super().__init__(random)
        self.classes: list[tuple[str, tuple[tuple[str, str], ...]]] = []
        """(name, attributes) of classes that can be made without arguments that are not ints."""
        self.loops = 0

    # Modules.

    def program(self) -> Program:
        """One to three modules; later ones import from earlier ones."""
        files: dict[str, str] = {}
        exported = Scope()
        if self.chance(45):
            lines, exported = self.module(Scope(), 3)
            files["lib.py"] = HEAD + "\n".join(lines) + "\n"
            if self.chance(40):
                files["facade.py"] = f"from lib import {self.pick(('*', self._listed(exported)))}\n"
        lines = []
        scope = Scope()
        if "lib.py" in files:
            lines, scope = self._imports(exported, "facade" if "facade.py" in files and self.chance(70) else "lib")
        if self.chance(20):
            modules, importing = self.several(self.pick(PAIRS), scope)
            for path, written in modules.items():
                files[path] = HEAD + "\n".join(written) + "\n"
            lines += importing
        body, _ = self.module(scope, 6)
        files["main.py"] = HEAD + "\n".join([*lines, *body]) + "\n"
        return Program(files)

    def _listed(self, exported: Scope) -> str:
        names = [name.partition(".")[0] for found in exported.names.values() for name in found]
        names += [callee.text.partition(".")[0] for callee in exported.callees]
        names += [found for text, _ in self.members for found in re.findall(r"\b[En]\d+\b", text)]
        return ", ".join(sorted(set(names))) or "torch"

    def _imports(self, exported: Scope, module: str) -> tuple[list[str], Scope]:
        if self.chance(35):
            scope = Scope(callees=[replace(callee, foreign=True) for callee in exported.callees])
            for kind, found in exported.names.items():
                for name in found:
                    scope.add(kind, copied(kind, name))
            scope.fixed = frozenset(name for found in scope.names.values() for name in found)
            return [f"from {module} import *"], scope
        lines = [f"import {module} as m"]
        scope = Scope()
        for kind, found in exported.names.items():
            for name in found:
                scope.add(kind, copied(kind, f"m.{name}"))
        scope.fixed = frozenset(name for found in scope.names.values() for name in found)
        for callee in exported.callees:
            scope.callees.append(
                Callee(
                    f"m.{callee.text}", callee.returns, callee.parameters, callee.defaults, callee.raises, foreign=True
                )
            )
        self.members = [(re.sub(r"\b([En]\d+)\b", r"m.\1", text), kind) for text, kind in self.members]
        self.classes = [(f"m.{name}", attributes) for name, attributes in self.classes]
        return lines, scope

    def module(self, scope: Scope, size: int) -> tuple[list[str], Scope]:
        """The statements of a module, and the names that it binds."""
        lines: list[str] = []
        for _ in range(2 + self.random.randrange(size)):
            what = self.random.randrange(12)
            if what > 9:
                lines += self.idiom(scope)
            elif what < 3:
                lines += self.function(scope)
            elif what < 5:
                lines += self.klass(scope)
            else:
                lines += self.block(scope, 1 + self.random.randrange(3), depth=1)
        if self.chance(50):
            lines += self._guarded_call(scope)
        return lines, scope

    def _guarded_call(self, scope: Scope) -> list[str]:
        """A call of something that may raise, whose exception is kept."""
        callees = [callee for callee in scope.callees if callee.raises]
        if not callees:
            return []
        name = self.fresh("r")
        call = self.call(self.pick(callees), scope, 1)
        caught = self.pick(("KeyError", "(KeyError, IndexError)", "ValueError", "Exception", "LookupError"))
        return [
            "try:",
            f"    {name} = {call}",
            f"except {caught}:",
            f"    {name} = 'caught'",
            *(
                ("except Exception as error:", f"    {name} = type(error).__name__ if False else 'other'")
                if caught != "Exception"
                else ()
            ),
        ]

    # Functions.

    def parameters(self) -> tuple[tuple[str, str], ...]:
        """Names and types."""
        return tuple(
            (f"p{index}", self.pick((INT, INT, INT, OPT, TABLE, INTS, STR, PAIR, BOOL)))
            for index in range(self.random.randrange(4))
        )

    def function(
        self, scope: Scope, *, name: str | None = None, receiver: str = "", attributes: Scope | None = None
    ) -> list[str]:
        """A function with its decorators, added to the callees of the scope; a method where `receiver` is given."""
        name = name or self.fresh("f")
        parameters = self.parameters()
        returns = self.pick((INT, INT, BOOL, STR, TABLE, INTS, PAIR, OPT, STRS))
        defaults = self.random.randrange(len(parameters) + 1)
        inner = scope.inner(function=True)
        inner.callees = [callee for callee in inner.callees if not callee.raises or self.chance(30)]
        if attributes is not None:
            for kind, names in attributes.names.items():
                for attribute in names:
                    inner.add(kind, attribute)
        for parameter, kind in parameters:
            inner.add(kind, parameter)
        raises = self.chance(35)
        before = self.risky, self.walrus, self.loops
        self.risky, self.walrus, self.loops = raises, True, 0
        body = self._global_statement(scope, inner) if not receiver else []
        body += self.block(inner, 1 + self.random.randrange(4), depth=2, returns=returns)
        if self.chance(85):
            body.append(f"return {self.expression(returns, inner)}")
        elif returns == OPT:
            body.append("pass")
        else:
            body.append(f"return {self.literal(returns)}")
        self.risky, self.walrus, self.loops = before
        written = [
            f"{p}={self.literal(k)}" if index >= len(parameters) - defaults else p
            for index, (p, k) in enumerate(parameters)
        ]
        head = ", ".join([*([receiver] if receiver else []), *written])
        lines = [*self._decorators(parameters, receiver), f"def {name}({head}):", *indented(body)]
        if not receiver:
            scope.callees.append(
                Callee(name, returns, parameters, defaults, raises or any("raise" in line for line in body))
            )
        else:
            scope.callees.append(Callee(f"{receiver}.{name}", returns, parameters, defaults, raises))
        return lines

    def _global_statement(self, scope: Scope, inner: Scope) -> list[str]:
        names = [name for name in scope.of(INT) if "." not in name]
        if scope.function or not names or not self.chance(8):
            return []
        name = self.pick(names)
        inner.fixed -= {name}
        return [f"global {name}", f"{name} = {self.expression(INT, inner, 1)}"]

    def _decorators(self, parameters: tuple[tuple[str, str], ...], receiver: str) -> list[str]:
        hashable = all(kind in (INT, OPT, STR, PAIR, BOOL) for _, kind in parameters)
        if receiver or not hashable or not self.chance(25):
            return []
        return [self.pick(("@functools.cache", "@cache", "@lru_cache(maxsize=None)", "@functools.lru_cache"))]

    # Classes.

    def klass(self, scope: Scope) -> list[str]:
        """A class of some kind, and an object of it."""
        match self.random.randrange(6):
            case 0:
                return self.enum(scope)
            case 1:
                return self.record(scope, "class {0}(NamedTuple):", frozen=True)
            case 2:
                return self.record(scope, "@dataclass\nclass {0}:", frozen=False)
            case _:
                return self.plain_class(scope)

    def enum(self, scope: Scope) -> list[str]:
        """An Enum with int values, and a member of it."""
        name = self.fresh("E")
        values = sorted({self.pick(NUMBERS_OF_ENUMS) for _ in range(3)})
        lines = [f"class {name}({self.pick(('Enum', 'IntEnum'))}):"]
        lines += [f"    M{value} = {value}" for value in values]
        if self.chance(40):
            lines += ["    def twice(self):", "        return self.value * 2"]
            self.members.append((f"{name}.M{values[0]}.twice()", INT))
        self.members += [(f"{name}.M{values[0]}.value", INT), (f"{name}.M{values[-1]}.name", STR)]
        self.members.append((f"({name}({values[0]}) is {name}.M{values[0]})", BOOL))
        self.members.append((f"[e.value for e in {name}]", INTS))
        self.members.append((f"len({name})", INT))
        return lines

    def record(self, scope: Scope, head: str, *, frozen: bool) -> list[str]:
        """A NamedTuple or dataclass, and an object of it."""
        name, held = self.fresh("N"), self.fresh("n")
        lines = [*head.format(name).split("\n"), "    a: int", "    b: int = " + self.literal(INT)]
        if self.chance(50):
            lines += ["    def both(self):", "        return self.a * 100 + self.b"]
            scope.callees.append(Callee(f"{held}.both", INT))
        given = self.pick(
            (
                f"{self.expression(INT, scope)}",
                f"{self.expression(INT, scope)}, b={self.expression(INT, scope)}",
                f"b={self.expression(INT, scope)}, a={self.expression(INT, scope)}",
            )
        )
        lines.append(f"{held} = {name}({given})")
        for attribute in ("a", "b"):
            scope.add(INT, f"{held}.{attribute}")
            if frozen:
                scope.fixed |= {f"{held}.{attribute}"}
        if frozen:
            self.members.append((f"{held}[0]", INT))
            self.members.append((f"{held}._replace(a=1).b", INT)) if self.chance(20) else None
        return lines

    def plain_class(self, scope: Scope) -> list[str]:
        """A class with a constructor, class attributes and methods, perhaps a subclass, and an object of it."""
        name = self.fresh("C")
        attributes = Scope()
        lines = [f"class {name}:"]
        for index in range(self.random.randrange(3)):
            kind = self.pick((INT, TABLE, INTS, STR))
            lines.append(f"    K{index} = {self.expression(kind, copying(scope), 1)}")
            attributes.add(kind, f"self.K{index}")
            attributes.fixed |= {f"self.K{index}"}
        parameters = self.parameters()
        lines += indented(self._constructor(scope, attributes, parameters))
        methods = Scope(callees=[])
        for _ in range(self.random.randrange(3)):
            inner = scope.inner(function=False)
            inner.callees = inner.callees + methods.callees
            lines += indented(self._method(inner, attributes, methods))
        lines += indented(self._special(scope, attributes, methods, name))
        made = name
        if self.chance(35):
            made = self.fresh("D")
            lines += self._subclass(scope, attributes, methods, name, made, parameters)
        held = self.fresh("o")
        call = self.call(Callee(made, made, parameters), scope, 1)
        lines.append(f"{held} = {call}")
        for kind, names in attributes.names.items():
            for attribute in names:
                scope.add(kind, attribute.replace("self.", f"{held}."))
        scope.fixed |= {attribute.replace("self.", f"{held}.") for attribute in attributes.fixed}
        for callee in methods.callees:
            text = callee.text.replace("self.", f"{held}.")
            scope.callees.append(Callee(text, callee.returns, callee.parameters, callee.defaults, callee.raises))
        return lines

    def _constructor(self, scope: Scope, attributes: Scope, parameters: tuple[tuple[str, str], ...]) -> list[str]:
        inner = copying(scope.inner(function=True))
        for parameter, kind in parameters:
            inner.add(kind, parameter)
        lines = [f"def __init__({', '.join(['self', *(name for name, _ in parameters)])}):"]
        before = self.risky, self.walrus
        self.risky, self.walrus = False, True
        for index in range(1 + self.random.randrange(3)):
            kind = self.pick(TYPES)
            lines.append(f"    self.a{index} = {self.expression(kind, inner)}")
            attributes.add(kind, f"self.a{index}")
            inner.add(kind, f"self.a{index}")
        if self.chance(30):
            lines += [f"    self.late = {self.literal(INT)}"]
            lines += [f"    if {self.condition(inner)}:", "        return"] if self.chance(60) else []
            lines += [f"    self.late = {self.expression(INT, inner)}"]
            attributes.add(INT, "self.late")
        self.risky, self.walrus = before
        return lines

    def _method(self, scope: Scope, attributes: Scope, methods: Scope) -> list[str]:
        holder = Scope()
        lines = self.function(_Receiving(scope, holder), name=self.fresh("g"), receiver="self", attributes=attributes)
        methods.callees += holder.callees
        return lines

    def _special(self, scope: Scope, attributes: Scope, methods: Scope, name: str) -> list[str]:
        lines: list[str] = []
        inner = scope.inner(function=True)
        if self.chance(30):
            prop = self.fresh("prop")
            reader = inner.copy()
            for kind, names in attributes.names.items():
                for attribute in names:
                    reader.add(kind, attribute)
            lines += ["@property", f"def {prop}(self):", f"    return {self.expression(INT, reader)}"]
            attributes.add(INT, f"self.{prop}")
            attributes.fixed |= {f"self.{prop}"}
        if self.chance(25):
            method = self.fresh("static")
            reader = inner.copy()
            reader.add(INT, "x")
            lines += ["@staticmethod", f"def {method}(x):", f"    return {self.expression(INT, reader)}"]
            methods.callees.append(Callee(f"self.{method}", INT, (("x", INT),)))
            scope.callees.append(Callee(f"{name}.{method}", INT, (("x", INT),)))
        if self.chance(25):
            method = self.fresh("ofclass")
            reader = inner.copy()
            for kind, names in attributes.names.items():
                for attribute in names:
                    if attribute.startswith("self.K"):
                        reader.add(kind, attribute.replace("self.", "cls."))
            lines += ["@classmethod", f"def {method}(cls):", f"    return {self.expression(INT, reader)}"]
            methods.callees.append(Callee(f"self.{method}", INT))
            scope.callees.append(Callee(f"{name}.{method}", INT))
        return lines

    def _subclass(
        self,
        scope: Scope,
        attributes: Scope,
        methods: Scope,
        base: str,
        name: str,
        parameters: tuple[tuple[str, str], ...],
    ) -> list[str]:
        lines = [f"class {name}({base}):"]
        inner = scope.inner(function=True)
        given = ", ".join(parameter for parameter, _ in parameters)
        if self.chance(60):
            for parameter, kind in parameters:
                inner.add(kind, parameter)
            lines += [f"    def __init__(self{', ' if given else ''}{given}):", f"        super().__init__({given})"]
            lines += [f"        self.extra = {self.expression(INT, inner)}"]
            attributes.add(INT, "self.extra")
        plain = [callee for callee in methods.callees if not callee.raises and callee.returns == INT]
        if plain and self.chance(60):
            callee = self.pick(plain)
            method = callee.text.removeprefix("self.")
            if not method.startswith(("static", "ofclass")):
                names = [parameter for parameter, _ in callee.parameters]
                written = ", ".join(
                    [
                        "self",
                        *(
                            f"{n}={self.literal(k)}" if i >= len(names) - callee.defaults else n
                            for i, (n, k) in enumerate(callee.parameters)
                        ),
                    ]
                )
                lines += [f"    def {method}({written}):", f"        return super().{method}({', '.join(names)}) + 1"]
        ints = [attribute for attribute in attributes.of(INT) if attribute.startswith("self.K")]
        if ints and self.chance(40):
            lines += [f"    {self.pick(ints).removeprefix('self.')} = {self.expression(INT, scope, 1)}"]
        return lines if len(lines) > 1 else [*lines, "    pass"]

    # Statements.

    def block(self, scope: Scope, size: int, *, depth: int, returns: str | None = None) -> list[str]:
        """Some statements."""
        lines: list[str] = []
        for _ in range(size):
            lines += self.statement(scope, depth, returns)
        return lines or ["pass"]

    def statement(self, scope: Scope, depth: int, returns: str | None) -> list[str]:
        """One statement, of more than one line where it is a compound one."""
        what = self.random.randrange(100)
        if depth > 0 and what < 48:
            compound = self.pick(
                (self._if, self._if, self._if, self._for, self._for, self._try, self._match, self._while, self._leave,
                 self._inner_function, self._narrowed, self._with)
            )  # fmt: skip
            return compound(scope, depth - 1, returns)
        if what < 72:
            return self._mutation(scope)
        return self._assignment(scope)

    def target(self, kind: str, scope: Scope) -> str:
        """A name to assign to: a new one, or one of the same type."""
        names = [name for name in scope.of(kind) if name not in scope.fixed and not name.startswith("q")]
        if names and self.chance(40):
            return self.pick(names)
        return self.fresh("v")

    def _assignment(self, scope: Scope) -> list[str]:
        match self.random.randrange(8):
            case 0:
                source = self.expression(PAIR, scope)
                one, other = self.target(INT, scope), self.fresh("v")
                scope.add(INT, one)
                scope.add(INT, other)
                return [f"{one}, {other} = {source}"]
            case 1:
                source, first, rest = self.expression(PAIR, scope), self.fresh("v"), self.fresh("v")
                scope.add(INT, first)
                scope.add(INTS, rest)
                return [f"{first}, *{rest} = {source}"]
            case 2:
                kind = self.pick((TABLE, INTS))
                names = [name for name in scope.of(kind) if "." not in name and name not in scope.fixed]
                if names:
                    alias = self.fresh("v")
                    held = self.pick(names)
                    scope.add(kind, alias)
                    return [f"{alias} = {held}"]
            case 3:
                kind = self.pick((INT, STR))
                names = [name for name in scope.of(kind) if name not in scope.fixed]
                if names:
                    sign = self.pick(("+=", "-=", "*=", "//=")) if kind == INT else "+="
                    value = "2" if sign in ("*=", "//=") else self.expression(kind, scope, 1)
                    return [f"{self.pick(names)} {sign} {value}"]
            case 4:
                name = self.fresh("lam")
                inner = scope.inner(function=True)
                inner.add(INT, "x")
                before, self.walrus, risky, self.risky = self.walrus, False, self.risky, False
                body = self.expression(INT, inner)
                self.walrus, self.risky = before, risky
                text = f"{name} = lambda x: {body}"
                if self.chance(30):
                    text = f"{name} = partial(lambda y, x: {body} + y, {self.literal(INT)})"
                scope.callees.append(Callee(name, INT, (("x", INT),)))
                return [text]
        kind = self.pick(TYPES)
        value = self.expression(kind, scope, 3)
        name = self.target(kind, scope)
        scope.add(kind, name)
        return [f"{name} = {value}"]

    def _mutation(self, scope: Scope) -> list[str]:
        """A change of a container in place."""
        kind = self.pick((TABLE, TABLE, INTS, SET))
        names = [name for name in scope.of(kind) if not name.endswith(")")]
        if not names:
            value = self.expression(kind, scope)
            name = self.fresh("v")
            scope.add(kind, name)
            return [f"{name} = {value}"]
        name, number, key = self.pick(names), self.expression(INT, scope, 1), self.key(scope, 1)
        if kind == SET:
            return [
                self.pick(
                    (
                        f"{name}.add({number})",
                        f"{name}.discard({number})",
                        f"{name}.update({self.expression(INTS, scope, 1)})",
                    )
                )
            ]
        if kind == TABLE:
            forms = [
                f"{name}[{key}] = {number}",
                f"{name}.update({self.expression(TABLE, scope, 1)})",
                f"{name}.setdefault({key}, {number})",
                f"{name}.pop({key}, None)",
                f"{name}.update({{{key}: {number}}})",
            ]
            if name not in scope.fixed:
                forms.append(f"{name} |= {self.expression(TABLE, scope, 1)}")
            if self.chance(15):
                return [f"if {key} in {name}:", f"    del {name}[{key}]"]
            return [self.pick(forms)]
        forms = [
            f"{name}.append({number})",
            f"{name}.extend({self.expression(INTS, scope, 1)})",
            f"{name}.insert(0, {number})",
            f"{name}.sort()",
            f"{name}.reverse()",
            f"{name}.clear()" if self.chance(20) else f"{name}.append({number})",
        ]
        if name not in scope.fixed:
            forms.append(f"{name} += {self.expression(INTS, scope, 1)}")
        if self.chance(20):
            return [f"if {name}:", f"    {name}[0] = {number}"]
        if self.chance(10):
            return [f"if {name}:", f"    {name}.pop()"]
        return [self.pick(forms)]

    def _if(self, scope: Scope, depth: int, returns: str | None) -> list[str]:
        first, second = scope.copy(), scope.copy()
        test = self.condition(scope)
        if self.walrus and self.chance(10):
            name = self.fresh("w")
            test = f"({name} := {self.expression(OPT, scope, 1)}) is not None"
            first.add(INT, name)
        if self.chance(35):
            return self._both(scope, test, depth, returns)
        lines = [
            f"if {test}:",
            *indented(self.block(first, 1 + self.random.randrange(2), depth=depth, returns=returns)),
        ]
        while self.chance(25):
            lines += [
                f"elif {self.condition(scope)}:",
                *indented(self.block(scope.copy(), 1, depth=depth, returns=returns)),
            ]
        if self.chance(50):
            lines += ["else:", *indented(self.block(second, 1, depth=depth, returns=returns))]
        return lines

    def _both(self, scope: Scope, test: str, depth: int, returns: str | None) -> list[str]:
        """A name that each branch binds."""
        kind = self.pick(TYPES)
        one, other, name = self.expression(kind, scope, 1), self.expression(kind, scope, 1), self.fresh("v")
        scope.add(kind, name)
        return [f"if {test}:", f"    {name} = {one}", "else:", f"    {name} = {other}"]

    def _for(self, scope: Scope, depth: int, returns: str | None) -> list[str]:
        if self.loops >= 2:
            return self._assignment(scope)
        inner = scope.copy()
        form = self.random.randrange(5)
        source = f"{self.expression(INTS, scope, 1)}[:4]"
        if form == 0:
            head = f"for i, k in list({self.expression(TABLE, scope, 1)}.items()):"
            inner.add(INT, "k")
        elif form == 1:
            head = f"for i, k in enumerate({source}):"
            inner.add(INT, "k")
        elif form == 2:
            head = f"for i in range({self.literal(INT)} % 5):"
        elif form == 3:
            head = f"for i, k in zip({source}, {self.expression(INTS, scope, 1)}):"
            inner.add(INT, "k")
        else:
            head = f"for i in {source}:"
        inner.add(INT, "i")
        inner.fixed |= {"i", "k"}
        self.loops += 1
        body = self._accumulation(inner) if self.chance(50) else []
        body += self.block(inner, 1, depth=depth, returns=returns)
        if self.chance(35):
            at = (
                self.random.randrange(len(body) + 1)
                if not any(line.startswith((" ", "el", "ex", "fin", "case")) for line in body)
                else 0
            )
            body[at:at] = [f"if {self.condition(inner, 1)}:", f"    {self.pick(('break', 'continue'))}"]
        self.loops -= 1
        lines = [head, *indented(body)]
        if self.chance(15):
            lines += ["else:", *indented(self.block(scope.copy(), 1, depth=0, returns=returns))]
        return lines

    def _accumulation(self, scope: Scope) -> list[str]:
        names = [name for name in scope.of(INT) if name not in scope.fixed]
        return [f"{self.pick(names)} += {self.expression(INT, scope, 1)}"] if names else []

    def _while(self, scope: Scope, depth: int, returns: str | None) -> list[str]:
        if self.loops >= 2:
            return self._assignment(scope)
        name = self.fresh("c")
        inner = scope.copy()
        inner.add(INT, name)
        inner.fixed |= {name}
        self.loops += 1
        body = self.block(inner, 1, depth=depth, returns=returns)
        if self.chance(30):
            body = [f"if {self.condition(inner, 1)}:", "    break", *body]
        self.loops -= 1
        head = "while True:" if self.chance(20) else f"while {name} < 3:"
        guard = [f"if {name} > 2:", "    break"] if head == "while True:" else []
        return [f"{name} = 0", head, *indented([f"{name} += 1", *guard, *body])]

    def _try(self, scope: Scope, depth: int, returns: str | None) -> list[str]:
        kind = self.pick((INT, INT, INTS, TABLE))
        name = self.fresh("v")
        before, self.risky = self.risky, True
        risky = self.expression(kind, scope, 3)
        body = [f"{name} = {risky}"]
        if self.chance(25):
            body = [*self.block(scope.copy(), 1, depth=0, returns=None), *body]
        if self.chance(25) and scope.function and returns:
            body.append(f"return {self.literal(returns)}")
        if self.chance(20):
            body = [
                f"if {self.condition(scope, 1)}:",
                f"    raise {self.pick(('KeyError(1)', 'ValueError(2)', 'IndexError'))}",
                *body,
            ]
        self.risky = before
        caught = self.pick(("KeyError", "(KeyError, IndexError)", "LookupError", "Exception", "IndexError"))
        handler = [f"{name} = {self.expression(kind, scope, 1)}"]
        if self.risky and self.chance(15):
            handler = [self.pick(("raise", "raise ValueError('bad') from None"))]
        lines = ["try:", *indented(body), f"except {caught}:", *indented(handler)]
        if caught not in ("Exception",):
            lines += ["except Exception:", f"    {name} = {self.literal(kind)}"]
        if self.chance(20):
            lines += ["else:", *indented(self._assignment(scope.copy()))]
        if self.chance(20):
            lines += ["finally:", *indented(self._assignment(scope.copy()))]
        if not (self.risky and "raise" in handler[0]):
            scope.add(kind, name)
        return lines

    def _match(self, scope: Scope, depth: int, returns: str | None) -> list[str]:
        kind = self.pick((INT, PAIR, STR, OPT))
        name, result = self.fresh("v"), self.pick((INT, STR))
        lines = [f"match {self.hardware(kind) if self.chance(50) else self.expression(kind, scope, 1)}:"]
        seen = set()
        for _ in range(1 + self.random.randrange(3)):
            pattern = self._case(kind)
            if pattern in seen:
                continue
            seen.add(pattern)
            guard = f" if {self.condition(scope, 1)}" if self.chance(20) else ""
            lines += [f"    case {pattern}{guard}:", f"        {name} = {self.expression(result, scope, 1)}"]
        lines += ["    case _:", f"        {name} = {self.expression(result, scope, 1)}"]
        scope.add(result, name)
        return lines

    def _case(self, kind: str) -> str:
        """A pattern for a subject of the kind."""
        one, other = self.literal(INT), self.literal(INT)
        match kind:
            case "pair":
                return self.pick((f"({one}, _)", f"({one}, {other})", f"(q1, {one})"))
            case "str":
                return self.literal(STR)
            case "opt":
                return self.pick(("None", one))
        return self.pick((one, f"{one} | {other}"))

    def _leave(self, scope: Scope, depth: int, returns: str | None) -> list[str]:
        """A guard that leaves the function."""
        test = self.condition(scope)
        if returns is None or not scope.function:
            return self._assignment(scope)
        form = self.random.randrange(4)
        if form == 0 and self.risky:
            return [f"if {test}:", f"    raise {self.pick(('ValueError', 'KeyError', 'RuntimeError'))}('no')"]
        if form == 1 and self.risky:
            return [f"assert {test}, 'no'"]
        return [f"if {test}:", f"    return {self.expression(returns, scope, 1)}"]

    def _inner_function(self, scope: Scope, depth: int, returns: str | None) -> list[str]:
        """A closure."""
        if not scope.function or self.loops:
            return self._assignment(scope)
        name = self.fresh("h")
        inner = scope.inner(function=True)
        inner.add(INT, "x")
        before, self.walrus, risky, self.risky = self.walrus, False, self.risky, False
        body = [f"return {self.expression(INT, inner)}"]
        own = [found for found in scope.of(INT) if "." not in found and found not in scope.fixed]
        if own and self.chance(25):
            body = [f"nonlocal {self.pick(own)}", f"{self.pick(own)} = 1", *body] if len(own) == 1 else body
        self.walrus, self.risky = before, risky
        scope.callees.append(Callee(name, INT, (("x", INT),)))
        return [f"def {name}(x):", *indented(body)]

    def _narrowed(self, scope: Scope, depth: int, returns: str | None) -> list[str]:
        """`is None` and truth tests that make an int of an optional one."""
        names = [name for name in scope.of(OPT) if name not in scope.fixed]
        if not names:
            name = self.fresh("v")
            lines = [f"{name} = {self.expression(OPT, scope)}"]
            scope.add(OPT, name)
            return lines
        name, result = self.pick(names), self.fresh("v")
        given, other = self.expression(INT, scope, 1), self.expression(INT, scope, 1)
        scope.add(INT, result)
        return self.pick(
            (
                [f"if {name} is None:", f"    {result} = {given}", "else:", f"    {result} = {name} + 1"],
                [f"if not {name}:", f"    {name} = {given}", f"{result} = {name} + 1"],
                [f"{result} = {name} if {name} is not None else {other}"],
                [
                    f"if {name} is not None and {name} > 8:",
                    f"    {result} = {name}",
                    "else:",
                    f"    {result} = {other}",
                ],
            )
        )

    def _with(self, scope: Scope, depth: int, returns: str | None) -> list[str]:
        names = scope.of(TABLE)
        if not names:
            return self._assignment(scope)
        name, before = self.fresh("v"), self.risky
        self.risky = True
        value = self.expression(INT, scope)
        self.risky = before
        scope.add(INT, name)
        return [f"{name} = {self.literal(INT)}", "with suppress(KeyError, IndexError):", f"    {name} = {value}"]


class _Receiving(Scope):
    """A scope whose new callees are kept apart."""

    def __init__(self, scope: Scope, holder: Scope) -> None:
        super().__init__(scope.names, scope.callees, scope.fixed, scope.function)
        self.holder = holder

    def inner(self, *, function: bool) -> Scope:
        made = Scope.inner(Scope(self.names, self.callees, self.fixed, self.function), function=function)
        self.callees = self.holder.callees
        return made


NUMBERS_OF_ENUMS = (7, 8, 9, 10, 12, 90, 120)


def copying(scope: Scope) -> Scope:
    """The scope with its containers copied: one that an object holds besides the module is not followed."""
    made = Scope(callees=list(scope.callees), function=scope.function)
    made.names = {kind: [copied(kind, name) for name in names] for kind, names in scope.names.items()}
    made.fixed = frozenset(name for names in made.names.values() for name in names)
    return made


def indented(lines: list[str]) -> list[str]:
    """The lines, four columns further in."""
    return [f"    {line}" for line in lines]
