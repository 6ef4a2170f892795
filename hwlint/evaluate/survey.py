"""Read off the source of one file what needs no evaluation: texts of known kinds, device names, build lists, parts."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from hwlint.evaluate.project import Code
from hwlint.evaluate.recorder import Recorder
from hwlint.evaluate.survey_builds import survey_builds
from hwlint.evaluate.survey_names import survey_names
from hwlint.evaluate.survey_parts import survey_parts
from hwlint.evaluate.survey_scope import Scope
from hwlint.evaluate.survey_texts import survey_texts
from hwlint.evaluate.text_kinds import Kinds, walk
from hwlint.evaluate.windows import WINDOW_WORDS

_TELLING = re.compile(
    r"arch_list|ARCH|gencode|version\.cuda|[a-z]_?name\b|_properties\(|compute_cap|minor|\bccs?\b|sm_|nvcc"
    r"|cuda_(?:version|major)|bare_metal",
    re.IGNORECASE,
)
"""A function without any of this has nothing to survey."""

SURVEYED_WORDS = (
    *("TORCH_CUDA_ARCH_LIST", "CUDAARCHS", "CMAKE_CUDA_ARCHITECTURES", "gencode", "get_arch_list"),
    *("compute_capability", "compute_capabilities", "device_name", "gpu_name", "device_names", "gpu_names"),
    *WINDOW_WORDS,
)
SURVEYED_PHRASE = b"version.cuda"
"""A file with one of these words, or with the phrase, is surveyed even where no hardware value reaches it."""

Unit = ast.FunctionDef | ast.AsyncFunctionDef | ast.Module


@dataclass(frozen=True, slots=True)
class _Place:
    node: Unit
    symbol: str


def survey(code: Code, recorder: Recorder) -> None:
    """Record what the source of `code` shows."""
    telling = {number for number, line in enumerate(code.parsed.lines, 1) if _TELLING.search(line)}
    if not telling:
        return
    module = Kinds(code.parsed.tree)
    places = [_Place(code.parsed.tree, ""), *_functions(code.parsed.tree, "")]
    touched = [place for place in places if place.symbol == "" or _touches(place.node, telling)]
    kinds = {place.symbol: Kinds(place.node, module) for place in touched}
    returns = _returns(touched, kinds)
    for place in touched:
        known = Kinds(place.node, module, returns) if returns and place.symbol else kinds[place.symbol]
        scope = Scope(code, place.node, place.symbol, known, module)
        for look in (survey_texts, survey_names, survey_builds, survey_parts):
            for seen in look(scope):
                recorder.surveyed(seen)


def _touches(node: ast.AST, telling: set[int]) -> bool:
    first, last = getattr(node, "lineno", 1), getattr(node, "end_lineno", None) or 1
    return any(line in telling for line in range(first, last + 1))


def _returns(places: list[_Place], kinds: dict[str, Kinds]) -> dict[str, str]:
    """The kinds that functions return, by their last name; a name that two functions share has none."""
    found: dict[str, set[str | None]] = {}
    for place in places:
        if place.symbol:
            values = [node.value for node in walk(place.node) if isinstance(node, ast.Return) and node.value]
            for value in values:
                found.setdefault(place.symbol.rpartition(".")[2], set()).add(kinds[place.symbol].of(value))
    return {
        name: kind for name, answers in found.items() if len(answers) == 1 and (kind := next(iter(answers))) is not None
    }


def _functions(tree: ast.AST, prefix: str) -> Iterator[_Place]:
    for node in walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield _Place(node, f"{prefix}{node.name}")
            yield from _functions(node, f"{prefix}{node.name}.")
        elif isinstance(node, ast.ClassDef):
            yield from _functions(node, f"{prefix}{node.name}.")
