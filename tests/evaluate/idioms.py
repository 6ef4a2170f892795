"""Write the constructs of whole statements that random blocks seldom make: protocols, managers, decorators, finally."""

from __future__ import annotations

from collections.abc import Callable

from tests.evaluate.phrases import BOOL, INT, INTS, PAIR, STR, Callee, Phrases, Scope

Lines = list[str]

SPECIAL: tuple[tuple[str, str, tuple[tuple[str, str], ...]], ...] = (
    ("__call__(self, k)", "self.a + k", (("{0}(3)", INT),)),
    ("__getitem__(self, k)", "{{9: self.a}}.get(k, k)", (("{0}[9]", INT), ("{0}[{1}]", INT))),
    ("__int__(self)", "self.a", (("int({0})", INT),)),
    ("__index__(self)", "self.a", (("list(range(200))[{0} % 7]", INT), ("[1, 2, 3][{0} % 3]", INT))),
    ("__float__(self)", "self.a + 0.5", (("int(float({0}))", INT),)),
    ("__str__(self)", "f'sm_{{self.a}}'", (("str({0})", STR), ("f'{{{0}}}'", STR))),
    ("__len__(self)", "self.a % 3", (("len({0})", INT),)),
    ("__bool__(self)", "self.a > 9", (("bool({0})", BOOL), ("(1 if {0} else 2)", INT), ("(not {0})", BOOL))),
    ("__contains__(self, k)", "k == self.a", (("({1} in {0})", BOOL), ("({1} not in {0})", BOOL))),
    ("__iter__(self)", "iter([self.a, 1])", (("list({0})", INTS), ("max(*{0})", INT), ("[k + 1 for k in {0}]", INTS))),
    ("__eq__(self, other)", "self.a == other", (("({0} == {1})", BOOL), ("({1} != {0})", BOOL))),
    ("__lt__(self, other)", "self.a < other", (("({0} < {1})", BOOL), ("({1} > {0})", BOOL))),
    ("__ge__(self, other)", "self.a >= other", (("({0} >= {1})", BOOL), ("({1} <= {0})", BOOL))),
    ("__add__(self, other)", "self.a + other", (("({0} + {1})", INT),)),
    ("__rsub__(self, other)", "other - self.a", (("({1} - {0})", INT),)),
    ("__getattr__(self, name)", "len(name) + self.a", (("{0}.other", INT),)),
    ("__abs__(self)", "self.a + 1", (("abs({0})", INT),)),
)
"""A special method, what it returns, and expressions that call it: `{0}` is the object, `{1}` an int."""


class Idioms(Phrases):
    """Writes definitions of one construct each, and code that uses them."""

    def idiom(self, scope: Scope) -> Lines:
        """One construct, with what it binds added to the scope."""
        writers: tuple[Callable[[Scope], Lines], ...] = (
            self._protocol, self._protocol, self._manager, self._decorated, self._finally, self._late, self._setter,
            self._ordered, self._diamond, self._starred, self._matched, self._counted, self._shared, self._int_enum,
            self._generated, self._class_attribute, self._left,
        )  # fmt: skip
        return self.pick(writers)(scope)

    def _protocol(self, scope: Scope) -> Lines:
        name, held = self.fresh("P"), self.fresh("n")
        lines = [f"class {name}:", "    def __init__(self, a):", "        self.a = a"]
        chosen = [one for one in SPECIAL if self.chance(25)] or [self.pick(SPECIAL)]
        for head, body, uses in chosen:
            lines += [f"    def {head}:", f"        return {body.format()}"]
            for text, kind in uses:
                other = self.hardware(INT) if self.chance(60) else self.literal(INT)
                self.members.append((text.format(held, other), kind))
        if any(head.startswith("__eq__") for head, _, _ in chosen):
            lines += ["    def __hash__(self):", "        return 3"]
        return [*lines, f"{held} = {name}({self.expression(INT, scope, 1)})"]

    def _manager(self, scope: Scope) -> Lines:
        name, bound, after = self.fresh("P"), self.fresh("v"), self.fresh("v")
        swallows = self.pick(("True", "False", "None"))
        before, self.risky = self.risky, swallows == "True"
        risky = self.expression(INT, scope, 2)
        self.risky = before
        lines = [
            f"class {name}:",
            "    def __enter__(self):",
            f"        self.a = {self.hardware(INT)}",
            f"        return {self.pick(('self.a', 'self.a + 1'))}",
            "    def __exit__(self, *given):",
            "        self.a = 0",
            f"        return {swallows}",
            f"{after} = {self.literal(INT)}",
            f"with {name}() as {bound}:",
            f"    {after} = {risky}",
        ]
        scope.add(INT, after)
        scope.add(INT, bound)
        return lines

    def _decorated(self, scope: Scope) -> Lines:
        name, function = self.fresh("d"), self.fresh("f")
        given = self.pick(("function(*args, **named)", "function(*args, **named) + 1"))
        scope.callees.append(Callee(function, INT, (("p", INT),)))
        return [
            f"def {name}(function):",
            *(["    @functools.wraps(function)"] if self.chance(50) else []),
            "    def inner(*args, **named):",
            f"        return {given}",
            "    return inner",
            f"@{name}",
            f"def {function}(p):",
            f"    return p + {self.hardware(INT)}",
        ]

    def _finally(self, scope: Scope) -> Lines:
        function, made = self.fresh("f"), self.fresh("v")
        before, self.risky = self.risky, True
        inner = scope.inner(function=True)
        inner.add(INT, "p")
        risky = self.expression(INT, inner, 2)
        self.risky = before
        last = self.pick(
            (["return 7"], ["found.append(3)"], [f"if p > {self.literal(INT)}:", "    return len(found)"], ["p = 1"])
        )
        handler = ["    except KeyError:", "        found.append(2)"] if self.chance(50) else []
        lines = [
            f"def {function}(p):",
            "    found = []",
            "    try:",
            "        found.append(1)",
            f"        return {risky}",
            *handler,
            "    finally:",
            *[f"        {line}" for line in last],
            "    return sum(found) + p",
            "try:",
            f"    {made} = {function}({self.expression(INT, scope, 1)})",
            "except Exception:",
            f"    {made} = -1",
        ]
        scope.add(INT, made)
        return lines

    def _late(self, scope: Scope) -> Lines:
        """Functions inside that see what is bound after them, and bind names of the function around."""
        function = self.fresh("f")
        inner = scope.inner(function=True)
        one, other = self.expression(INT, inner, 1), self.expression(INT, inner, 1)
        body = self.pick(
            (
                ["def g():", "    return a + 1", f"a = {other}", "return g()"],
                ["def g():", "    nonlocal a", f"    a = {other}", "    return 1", "return g() + a"],
                ["g = lambda: a", f"for a in (1, {other}):", "    pass", "return g()"],
                ["g = [lambda: k + a for k in (1, 2)]", f"a = {other}", "return g[0]() + g[1]()"],
                ["def g(n):", "    return a if n < 1 else g(n - 1) + 1", "return g(2)"],
            )
        )
        scope.callees.append(Callee(function, INT))
        return [f"def {function}():", f"    a = {one}", *[f"    {line}" for line in body]]

    def _setter(self, scope: Scope) -> Lines:
        name, held, read = self.fresh("P"), self.fresh("n"), self.fresh("v")
        lines = [
            f"class {name}:",
            "    _a = 1",
            "    @property",
            "    def a(self):",
            f"        return self._a + {self.hardware(INT)}",
            "    @a.setter",
            "    def a(self, given):",
            f"        self._a = given + {self.literal(INT)}",
            f"{held} = {name}()",
            f"{held}.a = {self.expression(INT, scope, 1)}",
            f"{read} = {held}.a",
        ]
        scope.add(INT, read)
        return lines

    def _ordered(self, scope: Scope) -> Lines:
        """Dataclasses and classes that are compared."""
        name, one, other = self.fresh("N"), self.fresh("n"), self.fresh("n")
        if self.chance(50):
            lines = [
                self.pick(("@dataclass(order=True)", "@dataclass(order=True, frozen=True)")),
                f"class {name}:",
                "    a: int",
                "    b: int = 2",
            ]
        else:
            base, text = self.pick((("lt", "<"), ("le", "<="), ("gt", ">"), ("ge", ">=")))
            lines = [
                "@functools.total_ordering",
                f"class {name}:",
                "    def __init__(self, a):",
                "        self.a = a",
                "    def __eq__(self, other):",
                "        return self.a == other.a",
                f"    def __{base}__(self, other):",
                f"        return self.a {text} other.a",
            ]
        for sign in ("<", "<=", ">", ">=", "==", "!="):
            self.members.append((f"({one} {sign} {other})", BOOL))
        first, second = self.expression(INT, scope, 1), self.expression(INT, scope, 1)
        return [*lines, f"{one} = {name}({first})", f"{other} = {name}({second})"]

    def _diamond(self, scope: Scope) -> Lines:
        top, left, right, low, held = (self.fresh(stem) for stem in ("P", "P", "P", "P", "n"))
        order = self.pick((f"{left}, {right}", f"{right}, {left}"))
        lines = [
            f"class {top}:",
            "    K = 1",
            "    def f(self):",
            f"        return self.K + {self.hardware(INT)}",
            f"class {left}({top}):",
            *(["    K = 20"] if self.chance(50) else []),
            "    def f(self):",
            "        return super().f() * 2",
            f"class {right}({top}):",
            *(["    K = 30"] if self.chance(50) else []),
            "    def f(self):",
            "        return super().f() + 3",
            f"class {low}({order}):",
            "    pass",
            f"{held} = {low}()",
        ]
        self.members += [(f"{held}.f()", INT), (f"{held}.K", INT), (f"isinstance({held}, {top})", BOOL)]
        self.members.append((f"getattr({held}, 'K')", INT))
        self.members.append((f"hasattr({held}, 'f')", BOOL))
        return lines

    def _starred(self, scope: Scope) -> Lines:
        function, made = self.fresh("f"), self.fresh("v")
        one, items = self.expression(INT, scope, 1), self.expression(PAIR, scope, 1)
        call = self.pick((f"{one}, *{items}", f"{one}, k={one}", f"{one}, 1, *{items}, k=2, z=1", f"*{items}"))
        scope.add(INT, made)
        return [
            f"def {function}(a, *args, k=3, **more):",
            f"    return a + sum(args) * 2 + k + len(more) + {self.hardware(INT)}",
            f"{made} = {function}({call})",
        ]

    def _matched(self, scope: Scope) -> Lines:
        made = self.fresh("v")
        subject, patterns = self.pick(
            (
                (f"[{self.hardware(INT)}, 1, 2]", ("[9, *rest]", "[10, _, _]", "[first, *_]")),
                (f"{{'major': {self.hardware(INT)}}}", ("{'major': 9}", "{'minor': 3}", "{'major': got}")),
                (self.hardware(INT), ("int(9)", "str()", "int() as got")),
                (self.hardware(PAIR), ("(9, 0) | (10, 3)", "[12, _]", "(a, 0) if a > 8")),
            )
        )
        lines = [f"match {subject}:"]
        for number, pattern in enumerate(patterns):
            lines += [f"    case {pattern}:", f"        {made} = {number}"]
        scope.add(INT, made)
        return [*lines, "    case _:", f"        {made} = {self.expression(INT, scope, 0)}"]

    def _counted(self, scope: Scope) -> Lines:
        """A module-level name that a function changes."""
        name, function, read = self.fresh("v"), self.fresh("f"), self.fresh("v")
        lines = [
            f"{name} = {self.expression(INT, scope, 1)}",
            f"def {function}():",
            f"    global {name}",
            f"    {name} += {self.hardware(INT)}",
            f"    return {name}",
            f"{read} = {function}()",
            f"{read} += {name}",
        ]
        scope.add(INT, read)
        return lines

    def _shared(self, scope: Scope) -> Lines:
        """Two names of one list, and items that are taken out and set."""
        one, other = self.fresh("v"), self.fresh("v")
        lines = [
            f"{one} = {other} = {self.expression(INTS, scope, 1)} + [1, 2]",
            f"{other}.append({self.expression(INT, scope, 1)})",
            self.pick((f"del {one}[0]", f"{one}[-1] = 5", f"{one}.remove(1)", f"{one}.pop(0)", f"{one}[0] += 1")),
        ]
        scope.add(INTS, one)
        scope.add(INTS, other)
        return lines

    def _int_enum(self, scope: Scope) -> Lines:
        name = self.fresh("E")
        lines = [f"class {name}({self.pick(('IntEnum', 'int, Enum'))}):", "    A = 9", "    B = 10", "    C = 0"]
        self.members += [
            (f"({name}.A == {self.hardware(INT)})", BOOL),
            (f"({name}.B > {self.hardware(INT)})", BOOL),
            (f"({self.hardware(INT)} in ({name}.A, {name}.B))", BOOL),
            (f"({name}.A + {self.hardware(INT)})", INT),
            (f"int({name}.B)", INT),
            (f"(3 if {name}.C else 4)", INT),
            (f"{{{name}.A: 5}}.get({self.hardware(INT)}, 6)", INT),
        ]
        return lines

    def _generated(self, scope: Scope) -> Lines:
        function, made = self.fresh("f"), self.fresh("v")
        scope.add(INTS, made)
        return [
            f"def {function}(p):",
            f"    yield {self.hardware(INT)}",
            "    for i in range(2):",
            "        yield i + p",
            f"{made} = list({function}({self.expression(INT, scope, 1)}))",
        ]

    def _class_attribute(self, scope: Scope) -> Lines:
        """An attribute of a class that is set again, from inside or outside."""
        name, read = self.fresh("P"), self.fresh("v")
        change = self.pick((f"{name}.up()", f"{name}.K = {self.hardware(INT)}", f"{name}().up()", f"{name}.K += 1"))
        scope.add(INT, read)
        return [
            f"class {name}:",
            f"    K = {self.literal(INT)}",
            "    @classmethod",
            "    def up(cls):",
            f"        cls.K = {self.hardware(INT)}",
            "        return cls.K",
            change,
            f"{read} = {self.pick((f'{name}.K', f'{name}().K', f'{name}.up()'))}",
        ]

    def _left(self, scope: Scope) -> Lines:
        """Loops with `else`, and attributes that are deleted."""
        made, held, name = self.fresh("v"), self.fresh("n"), self.fresh("P")
        scope.add(INT, made)
        return [
            f"class {name}:",
            "    a = 3",
            f"{held} = {name}()",
            f"{held}.a = {self.hardware(INT)}",
            f"for i in ({self.literal(INT)}, {self.hardware(INT)}):",
            f"    if i == {self.literal(INT)}:",
            f"        {made} = i",
            "        break",
            "else:",
            f"    {made} = {held}.a",
            f"if {self.condition(scope, 1)}:",
            f"    del {held}.a",
            f"{made} += {held}.a",
        ]
