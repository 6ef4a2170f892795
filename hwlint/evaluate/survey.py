"""Read off the source of one file what needs no evaluation: texts of known kinds, device names, build lists, parts."""

from __future__ import annotations

import ast
import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate

from hwlint.evaluate.code import Code
from hwlint.evaluate.recorder import Recorder
from hwlint.evaluate.survey_builds import survey_builds
from hwlint.evaluate.survey_names import survey_names
from hwlint.evaluate.survey_parts import survey_parts
from hwlint.evaluate.survey_scope import Scope, nowhere
from hwlint.evaluate.survey_tables import TABLE_HINT, survey_tables
from hwlint.evaluate.survey_texts import survey_texts
from hwlint.evaluate.survey_windows import CALL_WORDS, survey_windows
from hwlint.evaluate.text_kinds import TEXTS, Kinds
from hwlint.evaluate.windows import WINDOW_WORDS
from hwlint.model.observation import BuildList, NameTests, OpenTable, Partwise, TextUse, Window
from hwlint.source.parse import Parsed

Unit = ast.FunctionDef | ast.AsyncFunctionDef | ast.Module
Look = Callable[[Scope], Iterator[TextUse | NameTests | BuildList | Partwise | OpenTable | Window]]

_LISTS = ("arch_list", "ARCH_LIST", "CUDAARCHS", "ARCHITECTURES")
_SURVEYS: tuple[tuple[Look, tuple[str, ...]], ...] = (
    (
        survey_texts,
        (
            *_LISTS,
            "version.cuda",
            "compute_cap",
            "capability",
            "ccs",
            "cuda_ver",
            "CUDA_VER",
            "sm_ver",
            "'sm_",
            '"sm_',
            'split("_")',
            "split('_')",
            "arch[",
            '".".join(',
            "'.'.join(",
        ),
    ),
    (
        survey_names,
        (
            *("device_name", "gpu_name", "card_name", "GPU_NAME", "DEVICE_NAME", "device_properties(", "gfx1"),
            *("gpu_info", "gpu_model"),
        ),
    ),
    (
        survey_builds,
        (
            *_LISTS,
            "code=",
            "cuda_ver",
            "CUDA_VER",
            "cuda_major",
            "bare_metal",
            "toolkit",
            '}a"',
            "}a'",
            '}f"',
            "}f'",
            *('"a" if', "'a' if"),
            "0a",
            "1a",
            '= "a"',
            "= 'a'",
            "capability(",
            'ARCHS"',
            "ARCHS'",
        ),
    ),
    (
        survey_tables,
        (
            *("arch in ", "arch not in ", "[arch", "arch]", "(arch", "compute_cap", "capability", "cc]", "(cc"),
            *(
                "minor)]",
                "minor))",
                "minor), ",
                '"gfx',
                "'gfx",
                "gfx_",
                "arch_key",
                'arch == "',
                "arch == '",
                "cc == ",
                "sm == ",
                "gpu_arch",
                "[sm",
                "(sm",
                " sm in ",
            ),
        ),
    ),
    (
        survey_parts,
        (
            *("minor", "MINOR", "[1] <", "[1] >", "capability(", "version.cuda"),
            *("arch_", "arch <", "arch >", "arch !=", "arch ==", "capability <", "capability !=", "capability =="),
            *("version <", "version !=", "version ==", "major <", "major !=", "major ==", "sm <", "sm !=", "cc <"),
            *(' or "gfx', " or 'gfx", 'if "gfx', "if 'gfx", ' or "sm', " or 'sm"),
            *(" or 8:", " or 9:", " or 10:", " or 12:"),
        ),
    ),
    (survey_windows, tuple(f"{word}=" for word in CALL_WORDS)),
)
"""Each survey with the words without which a function has nothing for it."""

SURVEYED_WORDS = (
    *("TORCH_CUDA_ARCH_LIST", "CUDAARCHS", "CMAKE_CUDA_ARCHITECTURES", "gencode", "get_arch_list"),
    *(
        "compute_capability",
        "compute_capabilities",
        "compute_cap",
        "device_name",
        "gpu_name",
        "device_names",
        "gpu_names",
        "gpu_info",
        "gpu_model",
    ),
    *("gfx90a", "gfx10", "gfx11", "gfx12"),
    *("gpu_arch", "cuda_arch", "sm_version", "compute_version"),
    *("sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_120"),
    *("sm_110a", "sm_121a", "SM110A", "SM121A"),
    *WINDOW_WORDS,
    "min_sm",
)
SURVEYED_PHRASE = b"version.cuda"
"""A file with one of these words, or with the phrase, is surveyed even where no hardware value reaches it."""
RANKING_WORDS = ("max", "min", "sort", "sorted")
RANKED_TEXTS = (b'"10.0"', b"'10.0'", b'"12.0"', b"'12.0'")
"""So is one that has both: a list of capabilities may be put in order there."""
_RANKINGS = ("sorted(", ".sort(", "max(", "min(")

BUILD_SCRIPT = re.compile(r"(?:^|/)(?:setup|build)\.py$|(?:^|/)(?:build_tools|buildtools|op_builder)/[^/]+\.py$")
"""Paths of files that say what is built: they are surveyed in any case."""


def survey(code: Code, recorder: Recorder, elsewhere: Callable[[str], list[str] | None] = nowhere) -> None:
    """Record what the source of `code` shows; `elsewhere` knows the texts of lists that it imports."""
    text = code.parsed.text.text
    starts: list[int] = []
    ranks = any(version.decode() in text for version in RANKED_TEXTS)
    telling = {
        look: _lines_with((*words, *_RANKINGS) if ranks and look is survey_texts else words, text, code.parsed, starts)
        for look, words in _SURVEYS
        if look is not survey_tables or TABLE_HINT.search(text)
    }
    if not any(telling.values()):
        return
    inside: set[int] = set()
    looks: list[tuple[Scope, list[Look]]] = []
    for unit, symbol in reversed(list(_functions(code.body, "", sorted(set().union(*telling.values()))))):
        own = set(range(_first_line(unit), (unit.end_lineno or unit.lineno) + 1)) - inside
        inside |= own
        wanted = [look for look, lines in telling.items() if not lines.isdisjoint(own)]
        if wanted:
            looks.append((Scope(code, unit, symbol, elsewhere=elsewhere), wanted))
    top: list[Look] = [look for look, lines in telling.items() if lines - inside]
    if not top and not looks:
        return
    module = Scope(code, code.parsed.tree, "", elsewhere=elsewhere)
    module.kinds = Kinds(module.nodes, code.parsed.tree)
    _settle([scope for scope, wanted in looks if wanted != [survey_tables]], module)
    for scope, wanted in [(module, top), *reversed(looks)]:
        for look in wanted:
            for seen in look(scope):
                recorder.surveyed(seen)


def _lines_with(words: Sequence[str], text: str, parsed: Parsed, starts: list[int]) -> set[int]:
    """The numbers of the lines that hold one of `words`; `starts` is filled when the first one is found."""
    found: set[int] = set()
    for word in words:
        at = text.find(word)
        while at >= 0:
            if not starts:
                starts += [0, *accumulate(map(len, parsed.lines))]
            number = bisect_right(starts, at)
            found.add(number)
            at = text.find(word, starts[number]) if number < len(starts) else -1
    return found


def _settle(scopes: Sequence[Scope], module: Scope) -> None:
    """Tell the kinds of names in every function, and then again with what functions of the file return."""
    for scope in scopes:
        scope.kinds = Kinds(scope.nodes, scope.unit, module.kinds)
    found: dict[str, set[str | None]] = {}
    for scope in scopes:
        for node in scope.nodes:
            if isinstance(node, ast.Return) and node.value is not None:
                found.setdefault(scope.symbol.rpartition(".")[2], set()).add(scope.kinds.of(node.value))
    returns = {
        name: kind for name, kinds in found.items() if len(kinds) == 1 and (kind := next(iter(kinds))) is not None
    }
    given = _passed(scopes)
    if returns or given:
        for scope in scopes:
            passed = given.get(scope.symbol.rpartition(".")[2])
            scope.kinds = Kinds(scope.nodes, scope.unit, module.kinds, returns, passed)


def _passed(scopes: Sequence[Scope]) -> dict[str, dict[str, str]]:
    """For functions of the file, what kind of text every call of them in the surveyed functions passes."""
    units = {scope.symbol.rpartition(".")[2]: scope.unit for scope in scopes}
    found: dict[tuple[str, str], set[str | None]] = {}
    for scope in scopes:
        for node in scope.nodes:
            if type(node) is not ast.Call or not node.args:
                continue
            func = node.func
            name = func.attr if isinstance(func, ast.Attribute) else func.id if isinstance(func, ast.Name) else ""
            unit = units.get(name)
            if unit is None or isinstance(unit, ast.Module):
                continue
            names = [each.arg for each in (*unit.args.posonlyargs, *unit.args.args)]
            if names[:1] in (["self"], ["cls"]):
                del names[0]
            for parameter, value in zip(names, node.args, strict=False):
                found.setdefault((name, parameter), set()).add(scope.kinds.text(value))
    given: dict[str, dict[str, str]] = {}
    for (name, parameter), kinds in found.items():
        kind = kinds.pop() if len(kinds) == 1 else None
        if kind in TEXTS and kind is not None:
            given.setdefault(name, {})[parameter] = kind
    return given


def _functions(
    body: Sequence[ast.stmt], prefix: str, lines: Sequence[int]
) -> Iterator[tuple[ast.FunctionDef | ast.AsyncFunctionDef, str]]:
    """Every function of a module that has one of `lines`, outer ones first, with its dotted name."""
    for node in body:
        at = bisect_left(lines, _first_line(node))
        if at == len(lines) or lines[at] > (node.end_lineno or node.lineno):
            continue
        name = prefix
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node, f"{prefix}{node.name}"
            name = f"{prefix}{node.name}."
        elif isinstance(node, ast.ClassDef):
            name = f"{prefix}{node.name}."
        for block in ("body", "orelse", "finalbody"):
            yield from _functions(getattr(node, block, ()), name, lines)
        for handler in getattr(node, "handlers", ()):
            yield from _functions(handler.body, name, lines)


def _first_line(node: ast.stmt) -> int:
    """The line that a statement starts on, decorators included."""
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(decorator.lineno for decorator in decorators)])
