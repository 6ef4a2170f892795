"""Make torch and its like report an architecture that is not here, or stand in for them where they are missing."""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import sys
import types
from collections.abc import Sequence
from typing import Any

_ABSENT_BACKENDS = frozenset(("npu", "mlu", "musa", "hpu", "xla", "neuron", "privateuseone"))
_ALIASES = {"half": "float16", "float": "float32", "double": "float64", "int": "int32", "long": "int64"}


class StandInUsed(BaseException):
    """Something decided on a value that a stand-in cannot know; `except Exception` must not hide it."""


class Anything:
    """A value nobody knows: it can be passed on, called and subclassed, and raises when something depends on it."""

    def __init__(self, name: str, *, constant: bool = True) -> None:
        self.__dict__["_name"] = name
        self.__dict__["_constant"] = constant

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        found = Anything(f"{self._name}.{name}", constant=self._constant)
        self.__dict__[name] = found
        return found

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if len(args) == 1 and not kwargs and isinstance(args[0], (types.FunctionType, type)):
            return args[0]  # used as a decorator
        return Anything(self._name + "()", constant=False)

    def __getitem__(self, key: Any) -> Any:
        return Anything(self._name + "[]", constant=self._constant)

    def __mro_entries__(self, bases: tuple[Any, ...]) -> tuple[Any, ...]:
        return ()

    def __or__(self, other: Any) -> Any:
        return self

    __ror__ = __or__

    def __eq__(self, other: object) -> bool:
        return self._same(other)

    def __ne__(self, other: object) -> bool:
        return not self._same(other)

    def _same(self, other: object) -> bool:
        if self._constant and (not isinstance(other, Anything) or other._constant):
            return self is other
        raise StandInUsed(self._name)

    def __hash__(self) -> int:
        if self._constant:
            return id(self)
        raise StandInUsed(self._name)

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *details: Any) -> None:
        return None

    def __repr__(self) -> str:
        return f"<stand-in for {self._name}>"

    def _unknown(self, *args: Any) -> Any:
        raise StandInUsed(self._name)

    __bool__ = __len__ = __iter__ = __int__ = __float__ = __index__ = __contains__ = _unknown
    __lt__ = __le__ = __gt__ = __ge__ = _unknown
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __floordiv__ = __truediv__ = __mod__ = _unknown


class Module(types.ModuleType):
    """A module that has every attribute, each of them Anything."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.__path__: list[str] = []

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        if self.__name__ == "torch" and (name in _ABSENT_BACKENDS):
            raise AttributeError(name)
        if self.__name__ == "torch" and name in _ALIASES:
            return getattr(self, _ALIASES[name])
        found = Anything(f"{self.__name__}.{name}")
        self.__dict__[name] = found
        return found


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Offer stand-in modules below the packages named, after every real finder has declined."""

    def __init__(self, roots: Sequence[str]) -> None:
        self.roots = frozenset(roots)

    def find_spec(self, fullname: str, path: Any, target: Any = None) -> importlib.machinery.ModuleSpec | None:
        if fullname.split(".")[0] in self.roots:
            return importlib.machinery.ModuleSpec(fullname, self, is_package=True)
        return None

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType:
        return Module(spec.name)

    def exec_module(self, module: types.ModuleType) -> None:
        return None


class Device:
    """What `torch.device("cuda", 0)` is, as far as device questions go."""

    def __init__(self, kind: Any = "cuda", index: int | None = None) -> None:
        if isinstance(kind, int):
            kind, index = "cuda", kind
        name, _, number = str(kind).partition(":")
        self.type = name
        self.index = int(number) if number else index

    def __repr__(self) -> str:
        return f"device(type={self.type!r}, index={self.index!r})"


def install(row: dict[str, Any], origins: Sequence[dict[str, Any]] = ()) -> dict[str, Any]:
    """Make this process report the architecture of `row`; return what was patched and what was made up.

    `row` is a catalogue row: `name`, `vendor`, `capability`, `products`, `facts`. Each origin is a dotted `name`,
    a `kind` (`call` or `attribute`) and a plain `value`.
    """
    roots = {"torch", "triton"} | {origin["name"].split(".")[0] for origin in origins}
    missing = sorted(root for root in roots if root not in sys.modules and not _installed(root))
    sys.meta_path.append(_Finder(missing))
    patched = _torch(row, "torch" in missing)
    patched += _triton(row, "triton" in missing)
    for origin in origins:
        if _set(origin["name"], _answering(origin)):
            patched.append(origin["name"])
    return {"patched": sorted(patched), "made_up": missing}


def _installed(root: str) -> bool:
    try:
        return importlib.util.find_spec(root) is not None
    except (ImportError, ValueError):
        return False


def _torch(row: dict[str, Any], made_up: bool) -> list[str]:
    torch = importlib.import_module("torch")
    amd = row["vendor"] == "amd"
    name = (row.get("products") or [row["name"]])[0]
    capability = tuple(row["capability"]) if row.get("capability") else None
    answers: dict[str, Any] = {
        "cuda.is_available": lambda: True,
        "cuda.device_count": lambda: 1,
        "cuda.current_device": lambda: 0,
        "cuda.set_device": lambda device: None,
        "cuda.get_device_name": lambda device=None: name,
        "cuda.get_device_properties": lambda device=None: _properties(row, name),
        "cuda.get_arch_list": lambda: [row["name"]],
    }
    if capability is not None:
        answers["cuda.get_device_capability"] = lambda device=None: capability
    if made_up:
        for constant, value in {
            "__version__": "2.11.0",
            "device": Device,
            "Tensor": type("Tensor", (), {}),
            "dtype": type("dtype", (), {}),
            "version.cuda": None if amd else "13.0",
            "version.hip": "7.0" if amd else None,
            "nn.Module": type("Module", (), {}),
            "xpu.is_available": lambda: False,
            "mps.is_available": lambda: False,
            "backends.mps.is_available": lambda: False,
        }.items():
            answers[constant] = value
    elif amd:
        answers.update({"version.cuda": None, "version.hip": "7.0"})
    for path, answer in answers.items():
        _set("torch." + path, answer)
    assert torch is sys.modules["torch"]
    return ["torch." + path for path in answers]


def _properties(row: dict[str, Any], name: str) -> Any:
    """Return what `get_device_properties` would, as far as the catalogue knows it."""
    facts = row.get("facts", {})

    def bytes_of(fact: str) -> int | None:
        value = facts.get(fact)
        return value * 1024 if isinstance(value, int) else None

    known = {
        "name": name,
        "warp_size": facts.get("limits.warp_size"),
        "shared_memory_per_block": bytes_of("limits.static_shared_mem_per_block_kib"),
        "shared_memory_per_block_optin": bytes_of("limits.shared_mem_per_block_optin_kib"),
        "shared_memory_per_multiprocessor": bytes_of("limits.shared_mem_per_sm_kib"),
        "max_threads_per_multi_processor": facts.get("limits.max_threads_per_sm"),
        "regs_per_multiprocessor": facts.get("limits.registers_per_sm"),
        "gcnArchName": row["name"] if row["vendor"] == "amd" else None,
    }
    if row.get("capability"):
        known["major"], known["minor"] = row["capability"]
    return _Properties({key: value for key, value in known.items() if value is not None})


class _Properties:
    """Device properties that own up to what they do not know."""

    def __init__(self, known: dict[str, Any]) -> None:
        self.__dict__.update(known)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        raise StandInUsed(f"torch.cuda.get_device_properties().{name}")


def _triton(row: dict[str, Any], made_up: bool) -> list[str]:
    """Make triton's active driver name the architecture; only where somebody has a use for it."""
    arch: Any = row["name"]
    if row["vendor"] != "amd":
        if not row.get("capability"):
            return []
        arch = row["capability"][0] * 10 + row["capability"][1]
    target = types.SimpleNamespace(
        backend="hip" if row["vendor"] == "amd" else "cuda", arch=arch, warp_size=row.get("warp_size", 32)
    )
    active = types.SimpleNamespace(get_current_target=lambda: target, get_current_device=lambda: 0)
    if made_up:
        for name in ("jit", "autotune", "heuristics"):
            _set("triton." + name, _decorator)
        return ["triton.runtime.driver.active"] if _set("triton.runtime.driver.active", active) else []
    try:
        driver = importlib.import_module("triton.runtime").driver
        driver.set_active(active)
    except Exception:
        return []
    return ["triton.runtime.driver.active"]


def _decorator(*args: Any, **kwargs: Any) -> Any:
    if len(args) == 1 and callable(args[0]) and not kwargs:
        return args[0]
    return lambda function: function


def _answering(origin: dict[str, Any]) -> Any:
    value = origin["value"]
    if isinstance(value, list):
        value = tuple(value)
    return (lambda *args, **kwargs: value) if origin["kind"] == "call" else value


def _set(path: str, value: Any) -> bool:
    """Set the attribute that a dotted name leads to; False where the way there does not exist."""
    parts = path.split(".")
    for cut in range(len(parts) - 1, 0, -1):
        try:
            holder: Any = importlib.import_module(".".join(parts[:cut]))
        except ImportError:
            continue
        try:
            for part in parts[cut:-1]:
                holder = getattr(holder, part)
            if isinstance(holder, Anything):
                holder.__dict__[parts[-1]] = value
            else:
                setattr(holder, parts[-1], value)
        except (AttributeError, TypeError):
            return False
        return True
    return False
