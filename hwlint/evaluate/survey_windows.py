"""Find calls that declare a least capability and no greatest one, beside words that name one generation."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from hwlint.evaluate.survey_scope import Scope
from hwlint.hardware.claims import EITHER, ClaimKind, claims_of
from hwlint.model.observation import Window

CALL_WORDS = ("min_sm", "min_cc", "min_cuda_arch", "min_capability", "min_compute_capability")
"""Keywords by which a call declares the least capability; without one of them a file has nothing for this."""
_AND_MORE = re.compile(r"\w\+|\d \+|\b(?:above|newer|later|up|higher|least|not|except|fallback)\b", re.IGNORECASE)
"""What makes more of a generation than itself, or speaks against it."""
_KINDS = (ClaimKind.SM, ClaimKind.TARGET, ClaimKind.FEATURE)
_NAME = re.compile(r"[\w.:-]{2,80}")
_LEAST = 50


def survey_windows(scope: Scope) -> Iterator[Window]:
    """Yield the declarations of one function, or of the statements of a module."""
    for node in scope.nodes:
        if not isinstance(node, ast.Call):
            continue
        for keyword in node.keywords:
            least = _capability(keyword.value) if keyword.arg in CALL_WORDS else None
            if least is None or keyword.arg is None:
                continue
            greatest = keyword.arg.replace("min", "max", 1)
            if any(other.arg in (greatest, None) for other in node.keywords):
                continue
            whole = _whole(node, scope)
            words = tuple(dict.fromkeys(_claims(whole)))
            if words:
                yield Window(scope.place(node), _name(whole, scope), keyword.arg, least, None, words, by_call=True)


def _capability(value: ast.expr) -> tuple[int, int] | None:
    """(10, 0) of `(10, 0)` and of `100`."""
    match value:
        case ast.Tuple(elts=[ast.Constant(value=int() as major), ast.Constant(value=int() as minor)]):
            return major, minor
        case ast.Constant(value=int() as number) if number >= _LEAST:
            return divmod(number, 10)
    return None


def _whole(node: ast.Call, scope: Scope) -> ast.Call:
    """The outermost call around: what is registered, with all that is said of it."""
    found = node
    for outer in scope.around(node):
        if isinstance(outer, ast.stmt):
            break
        if isinstance(outer, ast.Call):
            found = outer
    return found


def _name(call: ast.Call, scope: Scope) -> str:
    """What is declared: the first text that a call gives as a name, or what is called."""
    texts = (part.value for part in ast.walk(call) if isinstance(part, ast.Constant))
    return next((text for text in texts if isinstance(text, str) and _NAME.fullmatch(text)), scope.text(call.func))


def _claims(call: ast.Call) -> Iterator[str]:
    """The words of a call's texts that name a generation, or an instruction of one."""
    for part in ast.walk(call):
        if isinstance(part, ast.Constant) and isinstance(part.value, str) and not _AND_MORE.search(part.value):
            for claim in claims_of(part.value)[:1]:
                if claim.kind in _KINDS and EITHER not in claim.value:
                    yield claim.word
