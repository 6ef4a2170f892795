"""Hold what a name can turn out to be: a definition of ours, a name of another package, or unresolved."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias, assert_never

from hwlint.graph.bindings import BindingKind

# The import statements passed on the way, as (path, line).
Hops: TypeAlias = tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class Definition:
    """One place that a name comes from.

    `statements` are the indices in the body of `path` to run, in order, for the value: those that bind the name
    and those that change it in place at module level. `changed_elsewhere` says that code inside a function, or a
    module that imports the name, changes or rebinds it as well. A MODULE has the name "" and no statements; its
    path is a folder for a namespace package. A member of a class has the kind of its class's member and the name
    `Class.member`, with the statements of the class. `via` are the imports passed, the asking module's first.
    """

    path: str
    name: str
    kind: BindingKind
    statements: tuple[int, ...] = ()
    changed_elsewhere: bool = False
    via: Hops = ()


@dataclass(frozen=True, slots=True)
class External:
    """A name of another package or of Python itself: `torch.cuda.get_device_capability`, `builtins.len`."""

    dotted: str
    via: Hops = ()


@dataclass(frozen=True, slots=True)
class Unresolved:
    """A name that leads nowhere, with the reason; `dynamic` is a file whose `__getattr__` may make it up."""

    reason: str
    via: Hops = ()
    dynamic: str | None = None


Resolution: TypeAlias = Definition | External | Unresolved


def distinct(found: Iterable[Resolution]) -> tuple[Resolution, ...]:
    """Drop what says the same as an earlier answer by another way; reasons stay only where there is nothing else."""
    kept: dict[tuple[object, ...], Resolution] = {}
    for one in found:
        match one:
            case Definition():
                key: tuple[object, ...] = (one.path, one.name, one.kind)
            case External():
                key = (one.dotted,)
            case Unresolved():
                key = ("", one.reason)
            case _:
                assert_never(one)
        kept.setdefault(key, one)
    answers = tuple(kept.values())
    return tuple(one for one in answers if not isinstance(one, Unresolved)) or answers[:1]
