"""Fill in templates of what real code looks like: dispatch and nested tables, registries, loops with `try`, guards."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tests.evaluate.idioms import Idioms, Lines
from tests.evaluate.phrases import BOOL, INT, INTS, OPT, PAIR, SET, STR, STRS, TABLE, Callee, Scope
from tests.evaluate.rarer import PACKAGES, RARER
from tests.evaluate.templates import MODULES, TEMPLATES

_CHOICE = re.compile(r"\$\[(.*?)\]\$", re.DOTALL)
_HOLE = re.compile(r"\$([A-Z][a-z]*|[a-z]+\d)")
_KINDS = {kind: kind for kind in (INT, BOOL, STR, PAIR, INTS, TABLE, SET, OPT, STRS)}


@dataclass(frozen=True, slots=True)
class Template:
    """A text with holes, and what it leaves: names, expressions and functions of one int, each with its type.

    `$[a ~ b]$` is one of several texts; `$v1` is a new name; `$H` and `$P` are the hardware as an int and as a pair;
    `$L` is a literal int, `$E`, `$B`, `$S`, `$T`, `$I` are an int, a test, a text, a table and a list of ints.
    """

    text: str
    leaves: tuple[tuple[str, str], ...]

    @classmethod
    def read(cls, written: str) -> Template:
        """Read a template: the text, and after `-->` what it leaves, as `kind expression`."""
        text, _, after = written.partition("-->")
        lines = [line.strip().partition(" ") for line in after.strip().splitlines()]
        return cls(text.strip("\n"), tuple((kind, expression) for kind, _, expression in lines))


SHAPES = tuple(
    Template.read(written)
    for templates in (TEMPLATES, RARER)
    for written in re.split(r"^----$\n", templates, flags=re.MULTILINE)
)
PAIRS = tuple(
    Template.read(written)
    for templates in (MODULES, PACKAGES)
    for written in re.split(r"^----$\n", templates, flags=re.MULTILINE)
)


class Shapes(Idioms):
    """Writes what templates say besides the idioms."""

    def idiom(self, scope: Scope) -> Lines:
        """One construct, with what it binds added to the scope."""
        return self.shape(self.pick(SHAPES), scope) if self.chance(60) else super().idiom(scope)

    def several(self, template: Template, scope: Scope) -> tuple[dict[str, Lines], Lines]:
        """The lines of modules by their paths, and those of one that imports them."""
        files: dict[str, Lines] = {"beside.py": []}
        path = "beside.py"
        for line in self.shape(template, scope):
            if line.startswith("===="):
                path = line.removeprefix("====").strip()
                files[path] = []
            else:
                files[path].append(line)
        importing = files.pop("")
        return {path: lines for path, lines in files.items() if lines or path != "beside.py"}, importing

    def shape(self, template: Template, scope: Scope) -> Lines:
        """The lines of a template, filled in."""
        names: dict[str, str] = {}
        text = template.text
        while _CHOICE.search(text):
            text = _CHOICE.sub(lambda found: self.pick(found[1].split(" ~ ")), text)
        lines = _HOLE.sub(lambda found: self._filled(found[1], names, scope), text).splitlines()
        for kind, written in template.leaves:
            expression = _HOLE.sub(lambda found: self._filled(found[1], names, scope), written)
            self._leave_behind(kind, expression, scope)
        return lines

    def _leave_behind(self, kind: str, expression: str, scope: Scope) -> None:
        if kind.startswith("def-"):
            scope.callees.append(Callee(expression, _KINDS[kind[4:]], (("x", INT),)))
        elif kind.startswith("risky-"):
            scope.callees.append(Callee(expression, _KINDS[kind[6:]], (("x", INT),), raises=True))
        elif expression.isidentifier():
            scope.add(_KINDS[kind], expression)
        else:
            self.members.append((expression, _KINDS[kind]))

    def _filled(self, hole: str, names: dict[str, str], scope: Scope) -> str:
        if hole[0].islower():
            return names.setdefault(hole, self.fresh(hole.rstrip("0123456789")))
        match hole:
            case "H":
                return self.hardware(INT)
            case "P":
                return self.hardware(PAIR)
            case "L":
                return self.literal(INT)
            case "E":
                return self.expression(INT, scope, 1)
            case "B":
                return self.condition(scope, 1)
            case "S":
                return self.expression(STR, scope, 1)
            case "T":
                return self.expression(TABLE, scope, 1)
            case "I":
                return self.expression(INTS, scope, 1)
        raise AssertionError(hole)
