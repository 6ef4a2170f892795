"""Evaluate a few functions of the standard library."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence

from hwlint.evaluate import operators
from hwlint.evaluate.answers import Answer, DictContent, External, Function, Partial, Ref, Unknown
from hwlint.evaluate.builtin_methods import BuiltinMethods
from hwlint.evaluate.sequences import reason_of
from hwlint.evaluate.state import State
from hwlint.evaluate.values import Value, awaited, const, lift, make, unknown

LONGEST_PATTERN = 200

LONGEST_SUBJECT = 200
"""Regular expressions are run only on short texts and only where they are simple, so that none can run away."""


_TOOLS = {"rocminfo": "hwlint.rocminfo", "compute_cap": "hwlint.nvidia_smi"}
"""Words in the command line of a program, and the origin that stands for a run of it."""


class Library(BuiltinMethods):
    """The part of the evaluator that knows the standard library."""

    def call_library(
        self, name: str, args: Sequence[Value], keywords: dict[str, Value], node: ast.AST, state: State
    ) -> Value | None:
        """Call a function of the standard library that is modelled; None for all others."""
        if name in ("subprocess.run", "subprocess.check_output", "subprocess.getoutput"):
            return self._tool(name, node, state)
        match name:
            case "functools.partial" if args:
                return const(Partial(args[0], tuple(args[1:]), dict(keywords)))
            case "functools.lru_cache" | "functools.cache":
                function = args[0].only() if args else None
                if isinstance(function, (Function, Partial)):
                    return args[0]
                return const(External("functools.lru_cache()"))
            case "functools.lru_cache()" if len(args) == 1:
                return args[0]
            case "functools.wraps":
                return const(External("functools.lru_cache()"))
            case "re.match" | "re.search" | "re.fullmatch" | "re.findall" | "re.sub" | "re.compile":
                return self._regex(name, args, keywords, node, state)
            case "types.MappingProxyType" if len(args) == 1:
                return args[0]
            case "collections.OrderedDict":
                return self._do_dict(args, keywords, node, state)
            case "collections.defaultdict":
                ref = Ref("defaultdict", self.span(node, state), node)
                state.heap[ref] = const(DictContent({}))
                if len(args) > 1:
                    state.heap[ref] = (
                        self.contents(args[1].only(), state)
                        if isinstance(args[1].only(), Ref)
                        else unknown("a defaultdict")
                    )
                return const(ref)
            case "collections.namedtuple":
                return None
            case "packaging.version.parse" | "packaging.version.Version" | "pkg_resources.parse_version":
                return unknown("a package version")
            case "operator.eq" | "operator.ge" | "operator.gt" | "operator.le" | "operator.lt" | "operator.ne" if (
                len(args) == 2
            ):
                kind = {"eq": ast.Eq, "ge": ast.GtE, "gt": ast.Gt, "le": ast.LtE, "lt": ast.Lt, "ne": ast.NotEq}[
                    name[9:]
                ]
                values = (self.expand(args[0], state), self.expand(args[1], state))
                found, raised = lift(lambda a, b: operators.compare(kind, a, b), values, state.alive)
                return self._settle(found, raised, node, state)
            case "math.ceil" | "math.floor" | "math.log2" | "math.sqrt" | "math.gcd" | "math.prod":
                import math

                return self._over_items(getattr(math, name[5:]), tuple(args), node, state)
            case _:
                return self._copied_or_awaited(name, args, node, state)

    def _copied_or_awaited(self, name: str, args: Sequence[Value], node: ast.AST, state: State) -> Value | None:
        match name:
            case "copy.copy" if len(args) == 1:
                return self._copied(args[0], node, state)
            case "copy.deepcopy":
                return unknown("a deep copy")
            case "asyncio.run" if args:
                return awaited(args[0])
            case _:
                return None

    def _copied(self, value: Value, node: ast.AST, state: State) -> Value:
        """`copy.copy(value)`: constants are themselves, containers are made anew, and objects may be anything."""
        cases: list[tuple[Answer, int]] = []
        for answer, mask in value.cases:
            if type(answer) is not Ref:
                cases.append((answer, mask))
            elif answer.kind in ("instance", "iterator"):
                cases.append((Unknown("a copy of an object"), mask))
            else:
                made = self.container_method(answer, "copy", [], {}, node, state)
                cases.extend((other, seen & mask) for other, seen in made.cases)
        return make(cases, value.trace, value.missed, value.via)

    def _tool(self, name: str, node: ast.AST, state: State) -> Value | None:
        """A run of a program that prints what the hardware is: what it gives back, or its output alone."""
        text = self.text(node, state)
        tool = next((tool for word, tool in _TOOLS.items() if word in text), None)
        run = self.origin(tool, (), {}, node, state, called=True) if tool is not None else None
        return run if run is None or name == "subprocess.run" else self.attribute(run, "stdout", node, state)

    def _regex(
        self, name: str, args: Sequence[Value], keywords: dict[str, Value], node: ast.AST, state: State
    ) -> Value | None:
        """Regular expressions with a simple constant pattern on short constant texts."""
        if name in ("re.findall", "re.match", "re.fullmatch", "re.search"):
            self.note_pattern(name, args, node, state)
        if name not in ("re.findall", "re.sub") or keywords or not args:
            return None
        values = tuple(self.expand(arg, state) for arg in args)

        def operation(*answers: Answer) -> Answer:
            if not all(isinstance(answer, str) and len(answer) <= LONGEST_SUBJECT for answer in answers):
                return Unknown(
                    next(
                        (reason_of(a, "a regular expression") for a in answers if not isinstance(a, str)),
                        "a regular expression",
                    )
                )
            if not _is_simple(answers[0]):
                return Unknown("a regular expression that is not simple")
            try:
                found = re.findall(*answers) if name == "re.findall" else re.sub(*answers)
            except re.error:
                return Unknown("a regular expression that does not compile")
            return tuple(found) if isinstance(found, list) else found

        found, raised = lift(operation, values, state.alive)
        found = self._settle(found, raised, node, state)
        return self._tuples_as_lists(found, node, state) if name == "re.findall" else found


def _is_simple(pattern: str) -> bool:
    """True for a pattern without nested repetition, which cannot take exponential time."""
    return len(pattern) <= LONGEST_PATTERN and not re.search(r"[*+}]\)?[*+{]|\)[*+{]", pattern)
