"""Write random expressions of a wanted type, in the part of Python that the evaluator claims."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import TypeVar

T = TypeVar("T")

INT, BOOL, STR, PAIR, INTS, TABLE, SET, OPT, STRS = "int", "bool", "str", "pair", "ints", "table", "set", "opt", "strs"
"""What an expression may be: an int, a bool, a text, a tuple of two ints, a list of ints, a dict of ints, a set of
ints, an int or None, a list of texts. Classes are types by their names."""
TYPES = (INT, BOOL, STR, PAIR, INTS, TABLE, SET, OPT, STRS)
NUMBERS = (0, 1, 2, 3, 5, 7, 8, 9, 9, 10, 10, 12, 12, 80, 90, 100, 120)
WORDS = ("", "a", "sm_90", "sm_120", "9.0", "12.0", "10", "gfx942", "Hopper", "x y", "90a")


@dataclass(slots=True)
class Callee:
    """A function or method that may be called: the expression that names it and its parameters."""

    text: str
    returns: str
    parameters: tuple[tuple[str, str], ...] = ()
    """(name, type); the types are those of `TYPES` or class names."""
    defaults: int = 0
    """How many of the last parameters have defaults."""
    raises: bool = False
    foreign: bool = False
    """Whether it comes from another module: what it does to a container that a function gives it is not followed."""


@dataclass(slots=True)
class Scope:
    """The names that may be read at one place, by type."""

    names: dict[str, list[str]] = field(default_factory=dict)
    callees: list[Callee] = field(default_factory=list)
    fixed: frozenset[str] = frozenset()
    """Names that may be read but not assigned here."""
    function: bool = False

    def add(self, kind: str, name: str) -> None:
        """Make a name readable; it may have had another type before."""
        for held in self.names.values():
            if name in held:
                held.remove(name)
        self.names.setdefault(kind, []).append(name)

    def of(self, kind: str) -> list[str]:
        """The names of a type."""
        return self.names.get(kind, [])

    def inner(self, *, function: bool) -> Scope:
        """A scope inside this one that reads its names."""
        held = frozenset(name for names in self.names.values() for name in names)
        names = {kind: list(found) for kind, found in self.names.items()}
        return Scope(names, list(self.callees), held if function else self.fixed, function or self.function)

    def copy(self) -> Scope:
        """The same names, to be changed apart."""
        names = {kind: list(found) for kind, found in self.names.items()}
        return Scope(names, list(self.callees), self.fixed, self.function)


def copied(kind: str, name: str) -> str:
    """A copy in place of a container: what one module does to the tables of another is not followed."""
    copies = {TABLE: "dict({})", INTS: "list({})", SET: "set({})", STRS: "list({})"}
    return copies.get(kind, "{}").format(name)


class Phrases:
    """Writes expressions; `risky` allows those that may raise KeyError or IndexError."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.risky = False
        self.walrus = False
        self.counter = 0
        self.members: list[tuple[str, str]] = []
        """(expression, type) of attributes that can be read anywhere: Enum values, class attributes."""

    # Choices.

    def pick(self, options: Sequence[T]) -> T:
        """One of the options."""
        return options[self.random.randrange(len(options))]

    def chance(self, percent: int) -> bool:
        """True in so many of a hundred cases."""
        return self.random.randrange(100) < percent

    def fresh(self, stem: str) -> str:
        """A name that was not used before."""
        self.counter += 1
        return f"{stem}{self.counter}"

    # Expressions.

    def expression(self, kind: str, scope: Scope, depth: int = 2) -> str:
        """An expression of the type, in parentheses where that is needed."""
        names = scope.of(kind)
        if names and (depth <= 0 or self.chance(30)):
            return self.pick(names)
        if depth <= 0:
            return self._leaf(kind)
        if self.chance(12):
            return self._general(kind, scope, depth)
        options = [text for text, returned in self.members if returned == kind]
        if options and self.chance(10):
            return self.pick(options)
        writers = _WRITERS.get(kind)
        if writers is None:
            return self.pick(names) if names else "None"
        return self.pick(writers)(self, scope, depth - 1)

    def _leaf(self, kind: str) -> str:
        if self.chance(45):
            return self.hardware(kind)
        return self.literal(kind)

    def hardware(self, kind: str) -> str:
        """An expression that reads the hardware."""
        major, cap = "torch.cuda.get_device_capability()[0]", "torch.cuda.get_device_capability()"
        match kind:
            case "int":
                return self.pick((major, f"{cap}[1]", "torch.cuda.get_device_properties(0).major"))
            case "bool":
                return self.pick(
                    (f"{major} >= 9", f"{cap} >= (9, 0)", f"{cap} == (12, 0)", "torch.version.hip is None")
                )
            case "str":
                return self.pick((f"str({major})", f"f'sm_{{{major}}}{{{cap}[1]}}'"))
            case "pair":
                return self.pick((cap, "torch.cuda.get_device_capability(0)"))
            case "ints":
                return self.pick((f"[{major}]", f"list({cap})"))
            case "table":
                return f"{{{major}: {self.literal('int')}}}"
            case "set":
                return f"{{{major}, 9}}"
            case "opt":
                return f"({major} if {major} >= {self.pick((9, 10))} else None)"
            case "strs":
                return f"[str({major}), '9']"
        return "None"

    def literal(self, kind: str) -> str:
        """A constant of the type."""
        match kind:
            case "int":
                return self._number()
            case "bool":
                return self.pick(("True", "False"))
            case "str":
                return repr(self.pick(WORDS))
            case "pair":
                return f"({self._number()}, {self._number()})"
            case "ints":
                return f"[{', '.join(self._number() for _ in range(self.random.randrange(4)))}]"
            case "table":
                return (
                    f"{{{', '.join(f'{self._number()}: {self._number()}' for _ in range(self.random.randrange(5)))}}}"
                )
            case "set":
                return f"{{{', '.join(self._number() for _ in range(1 + self.random.randrange(3)))}}}"
            case "opt":
                return self.pick(("None", self._number()))
            case "strs":
                return f"[{', '.join(repr(self.pick(WORDS)) for _ in range(self.random.randrange(3)))}]"
        return "None"

    def _number(self) -> str:
        return str(self.pick(NUMBERS))

    def _general(self, kind: str, scope: Scope, depth: int) -> str:
        """What works for every type: ternaries, calls, walruses."""
        callees = [callee for callee in scope.callees if callee.returns == kind and (self.risky or not callee.raises)]
        form = self.random.randrange(4)
        if form == 0 and callees:
            return self.call(self.pick(callees), scope, depth - 1)
        if form == 1 and self.walrus and kind in TYPES and scope.function:
            name = self.fresh("w")
            return f"({name} := {self.expression(kind, scope, depth - 1)})"
        if form == 2:
            body = self.expression(kind, scope, depth - 1)
            return f"(lambda q: {body})({self.expression(INT, scope, 0)})"
        test = self.expression(BOOL, scope, depth - 1)
        return f"({self.expression(kind, scope, depth - 1)} if {test} else {self.expression(kind, scope, depth - 1)})"

    def call(self, callee: Callee, scope: Scope, depth: int) -> str:
        """A call with positional, keyword or default arguments."""
        written: list[str] = []
        optional = len(callee.parameters) - callee.defaults
        keywords = False
        for position, (name, kind) in enumerate(callee.parameters):
            if position >= optional and self.chance(40):
                keywords = True
                continue
            text = self.expression(kind, scope, depth)
            if callee.foreign and scope.function:
                text = copied(kind, text)
            keywords = keywords or self.chance(20)
            written.append(f"{name}={text}" if keywords else text)
        return f"{callee.text}({', '.join(written)})"

    def condition(self, scope: Scope, depth: int = 2) -> str:
        """A test: mostly a bool, sometimes the truth of something else."""
        if self.chance(75):
            return self.expression(BOOL, scope, depth)
        kind = self.pick((INT, STR, INTS, TABLE, OPT))
        return self.expression(kind, scope, depth - 1)

    def key(self, scope: Scope, depth: int) -> str:
        """A key of a table: mostly from the hardware."""
        return self.hardware(INT) if self.chance(50) else self.expression(INT, scope, depth)


Writer = Callable[[Phrases, Scope, int], str]


def _e(kind: str) -> Writer:
    return lambda p, s, d: p.expression(kind, s, d)


def _form(template: str, *kinds: str) -> Writer:
    """A writer that fills a template with expressions of the kinds."""

    def write(phrases: Phrases, scope: Scope, depth: int) -> str:
        return template.format(*(phrases.expression(kind, scope, depth) for kind in kinds))

    return write


def _compared(phrases: Phrases, scope: Scope, depth: int) -> str:
    kind = phrases.pick((INT, INT, INT, PAIR, STR))
    left, right = phrases.expression(kind, scope, depth), phrases.expression(kind, scope, depth)
    sign = phrases.pick(("==", "!=", "<", "<=", ">", ">="))
    return f"({left} {sign} {right})"


def _member(phrases: Phrases, scope: Scope, depth: int) -> str:
    kind = phrases.pick((INTS, TABLE, SET, PAIR))
    word = phrases.pick(("in", "in", "not in"))
    return f"({phrases.key(scope, depth)} {word} {phrases.expression(kind, scope, depth)})"


def _lookup(phrases: Phrases, scope: Scope, depth: int) -> str:
    table, key = phrases.expression(TABLE, scope, depth), phrases.key(scope, depth)
    if phrases.risky and phrases.chance(70):
        return f"{table}[{key}]"
    return f"{table}.get({key}, {phrases.expression(INT, scope, 0)})"


def _item(phrases: Phrases, scope: Scope, depth: int) -> str:
    items = phrases.expression(INTS, scope, depth)
    if phrases.risky:
        return f"{items}[{phrases.pick(('0', '-1', '1', phrases.key(scope, 0)))}]"
    return f"({items} + [{phrases.literal(INT)}])[0]"


def _filtered(phrases: Phrases, scope: Scope, depth: int) -> str:
    name = phrases.pick(("i", "k"))
    inner = scope.inner(function=False)
    inner.add(INT, name)
    walrus, phrases.walrus = phrases.walrus, False
    element, test = phrases.expression(INT, inner, depth), phrases.expression(BOOL, inner, depth)
    phrases.walrus = walrus
    source = phrases.expression(phrases.pick((INTS, TABLE, PAIR)), scope, depth)
    return f"{element} for {name} in {source}" + (f" if {test}" if phrases.chance(60) else "")


def _quantified(phrases: Phrases, scope: Scope, depth: int) -> str:
    word = phrases.pick(("any", "all"))
    if phrases.chance(25):
        return f"{word}({phrases.expression(INTS, scope, depth)})"
    inner = scope.inner(function=False)
    inner.add(INT, "i")
    walrus, phrases.walrus = phrases.walrus, False
    test = phrases.expression(BOOL, inner, depth)
    phrases.walrus = walrus
    return f"{word}({test} for i in {phrases.expression(INTS, scope, depth)})"


def _pairs(phrases: Phrases, scope: Scope, depth: int) -> str:
    inner = scope.inner(function=False)
    inner.add(INT, "k")
    inner.add(INT, "v")
    walrus, phrases.walrus = phrases.walrus, False
    key, value = phrases.expression(INT, inner, depth), phrases.expression(INT, inner, depth)
    phrases.walrus = walrus
    return f"{{{key}: {value} for k, v in {phrases.expression(TABLE, scope, depth)}.items()}}"


def _shown(phrases: Phrases, scope: Scope, depth: int) -> str:
    kind, how = phrases.pick(
        ((INT, ""), (INT, ":03d"), (STR, ""), (STR, ":>6"), (INT, "!r"), (STR, "!r"), (BOOL, ""), (PAIR, ""), (OPT, ""))
    )
    inner = phrases.expression(kind, scope, depth)
    if any(char in inner for char in "'\"{}\\") or ":=" in inner or "lambda" in inner:
        inner = phrases.pick(scope.of(kind)) if scope.of(kind) else "torch.cuda.get_device_capability()[0]"
        how = "" if how == ":03d" and kind != INT else how
        if how == ":>6" and not scope.of(STR):
            how = ""
        if how == ":03d" and not scope.of(INT):
            how = ""
    return f"f'sm_{{{inner}{how}}}'"


def _walked(phrases: Phrases, scope: Scope, depth: int) -> str:
    return f"[{_filtered(phrases, scope, depth)}]"


_WRITERS: dict[str, tuple[Writer, ...]] = {
    INT: (
        _form("({0} + {1})", INT, INT),
        _form("({0} - {1})", INT, INT),
        _form("({0} * 10 + {1})", INT, INT),
        _form("({0} // 3)", INT),
        _form("({0} % 4)", INT),
        _form("{0}[0]", PAIR),
        _form("{0}[1]", PAIR),
        _form("{0}[-1]", PAIR),
        _form("len({0})", INTS),
        _form("len({0})", TABLE),
        _form("len({0})", STR),
        _form("max({0}, {1})", INT, INT),
        _form("min({0}, {1}, 9)", INT, INT),
        _form("max({0}, default={1})", INTS, INT),
        _form("sum({0})", INTS),
        _form("max({0})", PAIR),
        _form("int({0})", BOOL),
        _form("int(str({0}))", INT),
        _form("abs({0})", INT),
        _form("({0} or {1})", INT, INT),
        _form("({0} and {1})", INT, INT),
        _form("({0} or {1})", OPT, INT),
        _form("next(iter({0}), {1})", INTS, INT),
        _form("next((i for i in {0} if i > 8), {1})", INTS, INT),
        _form("sum(1 for i in {0} if i == {1})", INTS, INT),
        _form("{0}.count({1})", INTS, INT),
        _form("(-({0}))", INT),
        _form("({0} & 15)", INT),
        _form("({0} | 1)", INT),
        _form("({0}, {1})[{2}]", INT, INT, BOOL),
        _form("int({0} + 1.5)", INT),
        _form("round({0} / 4)", INT),
        _form("sorted([{0}, {1}])[0]", INT, INT),
        _form("{0}.find('0')", STR),
        _form("(lambda a, b=2: a + b)({0})", INT),
        _form("int(float({0}))", INT),
        _form("sorted([{0}, {1}], key=lambda q: -q)[0]", INT, INT),
        _form("min([{0}, {1}], key=lambda q: abs(q - 9))", INT, INT),
        _form("max({0}, {1}, key=lambda q: q % 7)", INT, INT),
        _form("ord(str({0})[-1])", INT),
        _form("len(hex({0}))", INT),
        _form("{0}.rfind('0')", STR),
        _form("sum({0}.values())", TABLE),
        _form("sum(k for k in {0}.keys())", TABLE),
        _form("[{0}, {1}].index({1})", INT, INT),
        _form("({0} ^ {1})", INT, INT),
        _lookup,
        _lookup,
        _lookup,
        _item,
        _e(INT),
    ),
    BOOL: (
        _compared,
        _compared,
        _compared,
        _member,
        _member,
        _quantified,
        _form("(not {0})", BOOL),
        _form("({0} and {1})", BOOL, BOOL),
        _form("({0} or {1})", BOOL, BOOL),
        _form("({0} and not {1})", BOOL, BOOL),
        _form("({0} is None)", OPT),
        _form("({0} is not None)", OPT),
        _form("bool({0})", INTS),
        _form("bool({0})", OPT),
        _form("({0} <= {1} < {2})", INT, INT, INT),
        _form("({0} < {1} == {2})", INT, INT, INT),
        _form("({0} == {1})", INTS, INTS),
        _form("({0} == {1})", TABLE, TABLE),
        _form("({0} == {1})", SET, SET),
        _form("{0}.issubset({1})", SET, SET),
        _form("{0}.isdisjoint({1})", SET, SET),
        _form("{0}.endswith('0')", STR),
        _form("{0}.isalnum()", STR),
        _form("(float({0}) >= 9.5)", INT),
        _form("({0} in ('9.0', '12', 'a'))", STR),
        _form("({0} != {1})", OPT, INT),
        _form("isinstance({0}, int)", OPT),
        _form("isinstance({0}, (list, tuple))", INTS),
        _form("{0}.startswith({1})", STR, STR),
        _form("({0} in {1})", STR, STR),
        _form("({0} in {1})", STR, STRS),
        _form("({0} in ({1}, {2}))", PAIR, PAIR, PAIR),
        _form("({0} >= (9, 0))", PAIR),
        _form("{0}.isdigit()", STR),
        _form("({0} <= {1})", SET, SET),
    ),
    STR: (
        _form("{0}.rjust(6)", STR),
        _form("{0}.ljust(4, '0')", STR),
        _form("{0}.capitalize()", STR),
        _form("{0}.title()", STR),
        _form("{0}.rpartition('_')[0]", STR),
        _form("{0}.rstrip('0')", STR),
        _form("{0}.removesuffix('a')", STR),
        _form("'{{:>5}}'.format({0})", INT),
        _form("'%s-%d' % ({0}, {1})", STR, INT),
        _form("{0}[1:]", STR),
        _form("{0}[::-1]", STR),
        _form("'%.1f' % float({0})", BOOL),
        _shown,
        _shown,
        _form("str({0})", INT),
        _form("({0} + {1})", STR, STR),
        _form("''.join({0})", STRS),
        _form("'.'.join(map(str, {0}))", PAIR),
        _form("'-'.join(str(i) for i in {0})", INTS),
        _form("{0}.upper()", STR),
        _form("{0}.replace('0', {1})", STR, STR),
        _form("{0}.removeprefix('sm_')", STR),
        _form("{0}[:2]", STR),
        _form("{0}[-1:]", STR),
        _form("{0}.split('.')[0]", STR),
        _form("{0}.zfill(4)", STR),
        _form("'%d.%d' % {0}", PAIR),
        _form("'{{}}-{{}}'.format({0}, {1})", INT, STR),
        _form("repr({0})", PAIR),
        _form("({0} or {1})", STR, STR),
        _form("max({0}, {1})", STR, STR),
        _form("({0} * 2)", STR),
        _form("{0}.strip('a').lower()", STR),
        _form("{0}.partition('_')[2]", STR),
        _form("str({0})", BOOL),
    ),
    PAIR: (
        _form("({0}, {1})", INT, INT),
        _form("({0}, {1})", INT, INT),
        _form("divmod({0}, 10)", INT),
        _form("tuple(sorted({0}))", PAIR),
        _form("tuple(map(int, '9.0'.split('.')))"),
        _form("tuple(i + {1} for i in {0})", PAIR, INT),
        _form("max({0}, {1})", PAIR, PAIR),
        _form("{0}[::-1]", PAIR),
        _form("({0} + (1, 2))[:2]", PAIR),
        _form("tuple([{0}, {1}])", INT, INT),
        _form("tuple(sorted({0}, reverse=True))", PAIR),
        _form("(*{0},)", PAIR),
        _form("tuple(i for i in {0})", PAIR),
    ),
    INTS: (
        _walked,
        _walked,
        _form("sorted({0})", INTS),
        _form("sorted({0}, reverse={1})", INTS, BOOL),
        _form("list(range({0} % 6))", INT),
        _form("({0} + {1})", INTS, INTS),
        _form("{0}[:2]", INTS),
        _form("{0}[1:]", INTS),
        _form("list({0})", PAIR),
        _form("list({0})", TABLE),
        _form("list({0}.values())", TABLE),
        _form("sorted({0})", SET),
        _form("[*{0}, {1}]", INTS, INT),
        _form("list(map(abs, {0}))", INTS),
        _form("list(map(lambda i: i + {1}, {0}))", INTS, INT),
        _form("list(reversed({0}))", INTS),
        _form("list({0}.keys())", TABLE),
        _form("sorted({0}, key=lambda q: -q)", INTS),
        _form("sorted({0}.intersection({1}))", SET, SET),
        _form("sorted({0}.difference({1}))", SET, SET),
        _form("sorted(frozenset({0}))", INTS),
        _form("list(dict.fromkeys({0}))", INTS),
        _form("[b for a in [{0}, {1}] for b in a]", INTS, INTS),
        _form("[a * b for a in {0} for b in {1}]", PAIR, PAIR),
        _form("[a - b for a, b in zip({0}, {1})]", INTS, INTS),
        _form("[n * i for n, i in enumerate({0})]", INTS),
        _form("list(filter(None, {0}))", INTS),
        _form("({0} * 2)", INTS),
        _form("[int(i) for i in {0} if i.isdigit()]", STRS),
        _form("{0}.copy()", INTS),
        _form("[{0}, {1}]", INT, INT),
    ),
    TABLE: (
        _pairs,
        _form("{{{0}: {1}, **{2}}}", INT, INT, TABLE),
        _form("({0} | {1})", TABLE, TABLE),
        _form("dict(zip({0}, {1}))", INTS, INTS),
        _form("dict.fromkeys({0}, {1})", INTS, INT),
        _form("{{v: k for k, v in {0}.items()}}", TABLE),
        _form("{{i: i * 2 for i in {0}}}", INTS),
        _form("dict({0})", TABLE),
        _form("{0}.copy()", TABLE),
        _form("{{{0}: {1}, {2}: {3}}}", INT, INT, INT, INT),
        _form("dict([({0}, {1})])", INT, INT),
        _form("dict(sorted({0}.items()))", TABLE),
        _form("{{**{0}, **{1}}}", TABLE, TABLE),
        _form("dict(sorted({0}.items(), key=lambda e: e[1]))", TABLE),
    ),
    SET: (
        _form("set({0})", INTS),
        _form("{{{0}, {1}}}", INT, INT),
        _form("({0} | {1})", SET, SET),
        _form("({0} & {1})", SET, SET),
        _form("({0} - {1})", SET, SET),
        _form("{{i // 2 for i in {0}}}", INTS),
        _form("set({0})", TABLE),
        _form("{0}.union({1})", SET, INTS),
        _form("({0} ^ {1})", SET, SET),
        _form("{0}.difference({1})", SET, SET),
    ),
    OPT: (
        _form("{0}.get({1})", TABLE, INT),
        _form("{0}.get({1}, None)", TABLE, INT),
        _form("({0} if {1} else None)", INT, BOOL),
        _form("(None if {0} else {1})", BOOL, INT),
        _form("next((i for i in {0} if i >= {1}), None)", INTS, INT),
        _form("({0} or None)", INT),
        _e(INT),
    ),
    STRS: (
        _form("{0}.split('.')", STR),
        _form("[{0}, {1}]", STR, STR),
        _form("[str(i) for i in {0}]", INTS),
        _form("list({0})", STR),
        _form("sorted({0})", STRS),
        _form("list(map(str, {0}))", INTS),
        _form("[i for i in {0} if i]", STRS),
    ),
}
