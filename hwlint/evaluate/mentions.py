"""Find the names in a statement that say which architecture they are for, where they are used and not only tested."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hwlint.hardware.claims import ClaimKind, claims_of, major_of
from hwlint.source.nodes import children, last_name

_QUESTION = re.compile(
    r"(?:^|[._])(?:is|has|have|supports?|supported|can|check|should|use|uses|enable|enabled|disable|get|num|not|no|"
    r"require|requires|available|min|max|force|warn|log|skip|IS|HAS|USE|SUPPORTS?)(?:_|[A-Z]|$)"
)
"""Names that ask or tell something instead of doing it."""
_GETS_CODE = re.compile(r"^_*get_(?=\w*_(?:module|kernel|runner|launcher)s?(?:_|$))")
"""`get_gemm_sm100_module` gets the code that runs; `get_sm100_count` a number."""
_LOGS = frozenset(
    [
        "debug",
        "info",
        "warning",
        "warn",
        "error",
        "exception",
        "critical",
        "log",
        "print",
        "info_once",
        "warning_once",
        "log_once",
        "add_reason",
    ]
)
_TURNS_AWAY = re.compile(
    r"(?=.*\bblackwell\b).*(?:cannot|can't|not support(?:ed)?\b|unsupported|disabl|fall(?:ing)? ?back|defaulting)",
    re.IGNORECASE | re.DOTALL,
)
_DENIES = re.compile(
    r"(?:cannot|can't|not support(?:ed)?|unsupported|disabled)\b[^.;]*\b(?:on|for|with|by) (?:\w+ )?blackwell\b",
    re.IGNORECASE,
)
"""What an exception says that turns a generation away; `not supported, use Blackwell` asks for it."""
_OF_CONTAINERS = re.compile(r"\.(?:get|items|keys|values|copy|append|update)$")
_LONGEST_TEXT = 200
_CODE_NAME = re.compile(r"(?:-D)?[A-Za-z_][A-Za-z0-9_-]*(?:=1)?")
_WHOLE_NAME = re.compile(r"(?:sm|arch|compute|cuda)?_?\d+[a-z]?")
"""A name that is nothing but an architecture: a constant to compare with."""


@dataclass(frozen=True, slots=True)
class Mention:
    """A name with a claim: the node, the text as written, how it stands there (`import`, `name`, `text`, `flag`)."""

    node: ast.AST
    text: str
    how: str


def mentions(node: ast.AST) -> tuple[Mention, ...]:
    """Return what one statement (without the blocks in it) or expression names; empty where it names several."""
    found = tuple(_of_statement(node))
    majors = {major for m in found for claim in claims_of(m.text) if (major := major_of(claim)) is not None}
    return found if len(majors) <= 1 else ()


def picked(test: ast.expr) -> tuple[tuple[str, str], ...]:
    """Return the choices that a test asks for: names with the texts that they are compared with, joined by `or`."""
    match test:
        case ast.BoolOp(op=ast.Or(), values=values):
            parts = [picked(value) for value in values]
            return tuple(choice for part in parts for choice in part) if all(parts) else ()
        case ast.Compare(left=left, ops=[ast.Eq()], comparators=[ast.Constant(value=str() as text)]):
            name = last_name(left)
            return ((name, text),) if name else ()
        case _:
            return ()


def registered(node: ast.FunctionDef | ast.AsyncFunctionDef) -> tuple[tuple[str, str], ...]:
    """Return the choice that a function is registered for: `@register_backend("fast")` is for `backend` = `fast`."""
    for decorator in node.decorator_list:
        match decorator:
            case ast.Call(func=func, args=[ast.Constant(value=str() as text)]) if last_name(func).startswith(
                "register_"
            ):
                return ((last_name(func).removeprefix("register_"), text),)
            case _:
                pass
    return ()


def _of_statement(node: ast.AST) -> Iterator[Mention]:
    match node:
        case ast.ImportFrom(module=module, names=names):
            for alias in names:
                if not _asks(alias.name) and claims_of(f"{module or ''}.{alias.name}"):
                    yield Mention(alias, f"{module or ''}.{alias.name}".strip("."), "import")
        case ast.Import(names=names):
            for alias in names:
                if claims_of(alias.name):
                    yield Mention(alias, alias.name, "import")
        case ast.Assign(targets=[ast.Name() | ast.Attribute() as target], value=ast.Constant(value=True)):
            if any(claim.kind is ClaimKind.FEATURE for claim in claims_of(last_name(target))):
                yield Mention(target, last_name(target), "flag")
        case ast.Assign(value=value) | ast.AugAssign(value=value) | ast.Expr(value=value):
            yield from _of(value)
        case ast.AnnAssign(value=value) | ast.Return(value=value):
            if value is not None:
                yield from _of(value)
        case ast.With(items=items) | ast.AsyncWith(items=items):
            for item in items:
                yield from _of(item.context_expr)
        case ast.Raise(exc=ast.Call(args=args)):
            yield from _messages(args, _DENIES)
        case ast.expr():
            yield from _of(node)
        case _:
            return


def _messages(args: Sequence[ast.expr], turns_away: re.Pattern[str]) -> Iterator[Mention]:
    """The texts that turn a generation away."""
    for part in args:
        if isinstance(part, ast.Constant) and isinstance(part.value, str) and turns_away.search(part.value):
            yield Mention(part, part.value, "message")


def _of(node: ast.AST) -> Iterator[Mention]:
    """Walk an expression; what a condition in it decides is noted where that condition is evaluated."""
    match node:
        case ast.IfExp() | ast.BoolOp() | ast.Compare() | ast.Lambda():
            return
        case ast.Call(func=func, args=args) if last_name(func) in _LOGS:
            yield from _messages(args, _TURNS_AWAY)
        case ast.Constant(value=str() as text):
            if len(text) < _LONGEST_TEXT and _is_flag(text) and (_holds_target(text) or _names_code(text)):
                yield Mention(node, text, "text")
        case ast.Name(id=name):
            if _counts(name) and not name.isupper():
                yield Mention(node, name, "name")
        case ast.Attribute():
            dotted, base = _dotted(node)
            if base is not None:
                yield from _of(base)
            dotted = _OF_CONTAINERS.sub("", dotted)
            if _counts(dotted) and "passes." not in dotted:
                yield Mention(node, dotted, "name")
        case _:
            for child in children(node):
                yield from _of(child)


def _counts(name: str) -> bool:
    return bool(claims_of(name)) and not _asks(name) and _WHOLE_NAME.fullmatch(name.rpartition(".")[2].lower()) is None


def _asks(name: str) -> bool:
    return _QUESTION.search(_GETS_CODE.sub("", name.rpartition(".")[2])) is not None


def _holds_target(text: str) -> bool:
    return any(claim.kind is ClaimKind.TARGET for claim in claims_of(text))


def _names_code(text: str) -> bool:
    """True for a text that names a kernel or switches one on: `trtllm_sm100`, `fa3`, `-DENABLE_WGMMA`."""
    return (
        _CODE_NAME.fullmatch(text) is not None
        and any(claim.kind in (ClaimKind.SM, ClaimKind.FEATURE) for claim in claims_of(text))
        and _WHOLE_NAME.fullmatch(text.lower()) is None
        and not _asks(text)
    )


def _is_flag(text: str) -> bool:
    """True for a compiler flag or target, not for a sentence."""
    return " " not in text.strip() or text.lstrip().startswith("-")


def _dotted(node: ast.Attribute) -> tuple[str, ast.expr | None]:
    """The dotted name, and the expression that it starts from where that is not a name."""
    parts: list[str] = []
    current: ast.expr = node
    while isinstance(current, ast.Attribute):
        parts.append(current.attr)
        current = current.value
    if isinstance(current, ast.Name):
        parts.append(current.id)
        return ".".join(reversed(parts)), None
    return ".".join(reversed(parts)), current
