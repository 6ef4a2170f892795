"""Describe an origin: an expression of the checked code that reads the hardware, and the value it yields there."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache

CATALOGUE_NAMES: dict[str, str] = {
    "major": "first number of what `get_device_capability()` answers; unknown where the catalogue has none",
    "minor": "second number of what `get_device_capability()` answers",
    "sm": "major * 10 + minor as an int; NVIDIA rows only, unknown elsewhere",
    "name": "`sm_120` or `gfx942`",
    "gfx": "`gfx942`, or None on NVIDIA rows",
    "vendor": "`nvidia` or `amd`",
    "generation": "`Hopper`, `Blackwell`, `CDNA3`",
    "family": "the group whose members run each other's family-specific code",
    "shared_mem_per_block_optin": "bytes of shared memory one block may have after opting in",
    "shared_mem_per_block": "bytes of shared memory one block may have without opting in",
    "shared_mem_per_multiprocessor": "bytes of shared memory of one multiprocessor",
    "returned": "the object whose type `returns` names: `(unknown, returned)` is a pair that holds it",
    "warp_size": "threads of one warp or wavefront",
    "max_threads_per_multi_processor": "resident threads of one multiprocessor",
    "regs_per_multiprocessor": "32-bit registers of one multiprocessor",
    "products": "tuple of product names of the row",
    "product_name": "a device name: a text that holds one of `products`, which one is not known",
    "unknown_text": "a text that is not empty and otherwise unknown",
    "unknown": "a value that the catalogue does not know",
}
"""The names that an origin's expression may use besides its own parameters; each with what it stands for."""


class OriginKind(StrEnum):
    """How the checked code writes the origin."""

    CALL = "call"
    """`name(...)`"""
    ATTRIBUTE = "attribute"
    """`name`, without a call"""
    ITEM = "item"
    """`thing["name"]` or `thing.get("name")`, where `thing` is of a type that another origin returns"""


@dataclass(frozen=True, slots=True)
class Parameter:
    """One argument of an origin that is called; `default` is a constant, and `required` says that there is none."""

    name: str
    required: bool = True
    default: object = None


@dataclass(frozen=True, slots=True)
class Origin:
    """One origin.

    `name` is the qualified name (`torch.cuda.get_device_capability`), or `*.get_device_capability` for a method or
    attribute of an object that cannot be resolved. The attribute or item of an object is named by the type that
    another origin `returns` (`torch._C._CudaDeviceProperties.major`).

    `value` is an expression over `CATALOGUE_NAMES` and the parameters, already checked; `returns` names the type of
    the object that comes back. With both, the object equals `value` (a named tuple) and has attributes besides.
    On rows of vendors that are not in `vendors` the answer is Unknown. `source` says where the fact is written.
    """

    name: str
    kind: OriginKind
    value: str | None = None
    parameters: tuple[Parameter, ...] = ()
    returns: str | None = None
    vendors: tuple[str, ...] = ()
    needles: tuple[str, ...] = ()
    """Texts one of which a file that uses the origin holds; empty where the name's last part will do."""
    source: str = ""
    doc: str = ""
    expression: ast.expr | None = field(default=None, compare=False, repr=False)
    """`value`, parsed; None where there is no value."""

    @property
    def last(self) -> str:
        """The part of the name after the last dot: what the checked code spells in any case."""
        return self.name.rpartition(".")[2]

    @property
    def is_fallback(self) -> bool:
        """True where the name stands for a member of any object that cannot be resolved."""
        return self.name.startswith("*.")

    @property
    def tells_apart(self) -> bool:
        """True where the answer may differ between rows of one vendor."""
        if self.expression is None:
            return self.returns is not None
        return _depends_on_row(self.expression)

    @property
    def is_device_name(self) -> bool:
        """True where the origin yields a device name, which differs between products of one architecture."""
        return self.value is not None and "product_name" in self.value


@cache
def _depends_on_row(expression: ast.expr) -> bool:
    names = {node.id for node in ast.walk(expression) if isinstance(node, ast.Name)}
    return bool(names & (CATALOGUE_NAMES.keys() - {"unknown", "unknown_text", "vendor"}))


class Origins:
    """All origins of one run, found by name; the later of two with the same name and vendors wins."""

    __slots__ = ("_by_name", "_fallbacks", "_holders", "all", "type_names")

    def __init__(self, origins: Iterable[Origin]) -> None:
        """Index `origins`; order matters only between entries that share name and vendors."""
        kept = {(origin.name, origin.kind, origin.vendors): origin for origin in origins}
        self.all: tuple[Origin, ...] = tuple(sorted(kept.values(), key=lambda o: (o.name, o.kind, o.vendors)))
        self._by_name: dict[str, tuple[Origin, ...]] = {}
        self._fallbacks: dict[str, tuple[Origin, ...]] = {}
        for origin in self.all:
            index, key = (self._fallbacks, origin.last) if origin.is_fallback else (self._by_name, origin.name)
            index[key] = (*index.get(key, ()), origin)
        self.type_names = frozenset(origin.returns.rpartition(".")[2] for origin in self.all if origin.returns)
        """The last parts of the names of types that origins return."""
        self._holders = frozenset(
            ".".join(parts[:end])
            for parts in (name.split(".") for name in self._by_name)
            for end in range(2, len(parts))
        )

    def named(self, name: str) -> tuple[Origin, ...]:
        """Return the origins with exactly this qualified name: none, one, or one for each kind and vendor."""
        return self._by_name.get(name, ())

    def holds(self, name: str) -> bool:
        """Tell whether some origin lies inside the class or module of this qualified name."""
        return name in self._holders

    def member(self, type_name: str, member: str) -> tuple[Origin, ...]:
        """Return the origins that describe an attribute, method or item of an object type."""
        return self._by_name.get(f"{type_name}.{member}", ())

    def fallback(self, member: str) -> tuple[Origin, ...]:
        """Return the origins for a member of an object that cannot be resolved, by the member's name alone."""
        return self._fallbacks.get(member, ())

    def needles(self) -> frozenset[str]:
        """Return the texts one of which a file must hold to read the hardware through a known origin.

        Members of objects are left out (the object's own origin comes first), and so are origins that answer the
        same on every row or never (`is_available`): they tell nothing of the architecture.
        """
        types = {origin.returns for origin in self.all if origin.returns}
        return frozenset(
            needle
            for origin in self.all
            if origin.name.rpartition(".")[0] not in types and origin.tells_apart
            for needle in origin.needles or (origin.last,)
        )
