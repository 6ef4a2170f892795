"""Write a key the way the table's other keys are written, and put keys in the order a reader expects."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence

_NUMBERS = re.compile(r"(\d+)")
_STRING = re.compile(r"""^([A-Za-z]{0,2})(\"\"\"|'''|"|')""")
_DOTTED = re.compile(r"[A-Za-z_][\w.]*")


def sort_key(source: str) -> tuple[object, ...] | None:
    """Return what a key sorts by, numbers as numbers (`"sm_90"` before `"sm_100"`), or None where it has no order.

    Keys of one kind compare with each other; keys of different kinds sort by kind.
    """
    match constant_of(source):
        case bool() | None:
            return ("name", *_natural(source)) if _DOTTED.fullmatch(source) else None
        case int() | float() as number:
            return ("number", number)
        case str() as text:
            return ("text", *_natural(text))
        case tuple() as parts if all(isinstance(part, int | float) for part in parts):
            return ("tuple", *parts)
        case tuple() as parts:
            return ("tuple of text", *_natural(repr(parts)))
        case _:
            return None


def write_key(value: object, neighbours: Sequence[str]) -> str | None:
    """Return `value` as source text in the form of the `neighbours` (keys as written, last one first in weight).

    None where the value does not fit their form: a number among texts, an enum member that is not given as source.
    """
    for neighbour in reversed(neighbours):
        written = _like(value, neighbour)
        if written is not None:
            return written
    return None


def constant_of(source: str) -> object | None:
    """Return the value of a literal, or None where the text is none (or is `None`)."""
    try:
        found: object = ast.literal_eval(source.strip())
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None
    return found


def _like(value: object, neighbour: str) -> str | None:
    constant = constant_of(neighbour)
    match value, constant:
        case (bool(), _) | (_, bool()):
            return None
        case int(), int():
            return _in_hex(value, neighbour) if neighbour.lower().startswith("0x") else str(value)
        case float(), float():
            return repr(value)
        case str(), str():
            return _quoted(value, neighbour)
        case tuple(), tuple() if len(value) == len(constant):
            return _tuple_like(value, neighbour)
        case str(), None if _DOTTED.fullmatch(neighbour):
            return _member_like(value, neighbour)
        case ((int() | tuple()), None) if "(" in neighbour:
            return _call_like(value, neighbour)
        case _:
            return None


def _quoted(value: str, neighbour: str) -> str | None:
    found = _STRING.match(neighbour)
    if found is None or "b" in found.group(1).lower() or not value.isprintable():
        return None
    prefix, quote = found.groups()
    if quote in value or "\\" in value or ("f" in prefix.lower() and "{" in value):
        return repr(value)
    return f"{prefix}{quote}{value}{quote}"


def _tuple_like(value: tuple[object, ...], neighbour: str) -> str | None:
    node = ast.parse(neighbour.strip(), mode="eval").body
    if not isinstance(node, ast.Tuple):
        return None
    separator = "," if re.search(r",\S", neighbour) and not re.search(r",\s", neighbour) else ", "
    parts = [_like(part, ast.unparse(model)) for part, model in zip(value, node.elts, strict=True)]
    texts = [part for part in parts if part is not None]
    if len(texts) != len(parts):
        return None
    inner = separator.join(texts) + ("," if len(texts) == 1 else "")
    return f"({inner})" if neighbour.strip().startswith("(") else inner


def _in_hex(value: int, neighbour: str) -> str:
    """Return a number as `0xA` or `0xa`, as the neighbour has it; where it has no letter, as Python writes it."""
    digits = neighbour[2:]
    return f"{neighbour[:2]}{value:X}" if digits != digits.lower() else f"{neighbour[:2]}{value:x}"


def _member_like(value: str, neighbour: str) -> str | None:
    """Return the member of an enum (`Chip.HOPPER`) behind the name that the neighbour has for the same enum."""
    owner, _, _ = neighbour.rpartition(".")
    enum, _, member = value.rpartition(".")
    same = bool(owner) and bool(_DOTTED.fullmatch(value)) and f".{owner}".endswith(f".{enum}") and bool(enum)
    return f"{owner}.{member}" if same else None


def _call_like(value: int | tuple[object, ...], neighbour: str) -> str | None:
    """Return a call such as `Capability(9, 0)` with its numbers replaced, where it has exactly as many numbers."""
    numbers = [part for part in (value if isinstance(value, tuple) else (value,)) if isinstance(part, int)]
    head, bracket, arguments = neighbour.partition("(")
    found = re.findall(r"(?<![\w.])\d+(?![\w.])", arguments)
    if not bracket or len(found) != len(numbers):
        return None
    replacements = iter(numbers)
    return head + bracket + re.sub(r"(?<![\w.])\d+(?![\w.])", lambda _: str(next(replacements)), arguments)


def _natural(text: str) -> tuple[object, ...]:
    """Split a text so that numbers compare as numbers; texts and numbers alternate, so parts always compare."""
    return tuple(int(part) if part.isdecimal() else part for part in _NUMBERS.split(text))
