"""Take apart what is iterated over."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from hwlint.evaluate.answers import Answer, ListContent, MixedTuple, Unknown
from hwlint.evaluate.budget import MOST_ITERATIONS
from hwlint.evaluate.values import Value, const, join, restrict

Items = tuple[tuple[Value, ...], Unknown | None, int]
"""The items of an iterable, why there may be more, and the architectures that it is for."""


def columns_of(found: Sequence[Items]) -> list[Value] | None:
    """The items, by position, of what may be one of several sequences of one length; None where it is not such."""
    lengths = {len(items) for items, _, _ in found}
    if len(lengths) != 1 or any(rest is not None for _, rest, _ in found):
        return None
    if len(found) == 1:
        return list(found[0][0])
    return [join([restrict(items[at], mask) for items, _, mask in found]) for at in range(lengths.pop())]


def sequence_of(content: Answer) -> tuple[tuple[Value, ...] | None, Unknown | None]:
    """The items of a list, tuple, text or range, and why there may be more; None where it is none of these."""
    if isinstance(content, ListContent):
        return content.items, content.rest
    if isinstance(content, MixedTuple):
        return content.items, None
    if isinstance(content, (tuple, str)):
        return tuple(const(item) for item in content), None
    if isinstance(content, range):
        return (tuple(const(item) for item in content), None) if len(content) <= MOST_ITERATIONS else (None, None)
    return None, None


def reason_of(answer: Answer, otherwise: str) -> str:
    """Why an answer is not known."""
    return answer.reason if isinstance(answer, Unknown) else otherwise


def goes_over_devices(iterable: ast.expr) -> bool:
    """True for `range(torch.cuda.device_count())` and `range(len(jax.devices()))`.

    One round stands for all, as all devices are taken to be alike.
    """
    match iterable:
        case ast.Call(func=ast.Name(id="range"), args=[ast.Call(func=ast.Attribute(attr="device_count"))]):
            return True
        case ast.Call(
            func=ast.Name(id="range"),
            args=[
                ast.Call(
                    func=ast.Name(id="len"),
                    args=[ast.Call(func=ast.Attribute(attr="devices" | "local_devices"), args=[])],
                )
            ],
        ):
            return True
    return False


def overlap_of(found: Sequence[Items]) -> int:
    """The architectures on which an iterable may be one thing or another."""
    seen = twice = 0
    for _, _, where in found:
        twice |= seen & where
        seen |= where
    return twice
