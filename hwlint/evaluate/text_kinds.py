"""Tell what kind of text an expression is, by how the names of one function are made, without evaluating it.

What a list of targets holds is known to nobody before it runs, but not what its entries look like:
`torch.cuda.get_arch_list()` gives `sm_90` and `sm_90a`, TORCH_CUDA_ARCH_LIST holds `9.0` and `10.0+PTX`.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from hwlint.source.nodes import last_name

CAPABILITY, DIGITS, TARGET, TAIL, TOOLKIT, NAME = "capability", "digits", "target", "tail", "toolkit", "name"
"""`12.0`, `120`, `sm_120a`, `120a`, `12.8`, and a device name."""
REST = "rest"
"""What is left of a target, or of what is called one, behind `sm_`; whether it may have a suffix is not known."""
TEXTS = frozenset({CAPABILITY, DIGITS, TARGET, TAIL})
_PROPERTIES = "properties"
"""What `torch.cuda.get_device_properties` gives; its `name` is a device name."""
_OUTPUT = "output"
"""What `nvidia-smi --query-gpu=compute_cap` prints: one capability a line."""

LIST_VARIABLES = ("TORCH_CUDA_ARCH_LIST", "CUDAARCHS", "CMAKE_CUDA_ARCHITECTURES")
_MANY, _JOINED, _ARRAY, _SPLIT, _PASSED = "many ", "joined ", "array ", "split ", "passed"
_CAPABILITIES = re.compile(r"\d{1,2}\.\d[af]?(?:\+PTX)?(?:[;, ]+\d{1,2}\.\d[af]?(?:\+PTX)?)+")
_CAPABILITY = re.compile(r"\d{1,2}\.\d[af]?(?:\+PTX)?")
_DIGITS = re.compile(r"\d{2,3}[af]?")
_TARGET = re.compile(r"sm_\d{2,3}[af]?")
_DEVICE_NAME = re.compile(r"(?:device|gpu|card|cuda)_?name|name_of_(?:device|gpu)|gpu_(?:info|model)", re.I)
_CAPABILITY_NAME = re.compile(
    r"(?:\w*_)?(?:cap|cc|capability|compute_cap|device_cap|cuda_arch|gpu_arch)(?:_tuple)?", re.I
)
"""What a tuple (major, minor) is called."""
_TARGET_NAME = re.compile(r"(?:cuda|gpu|sm|nvcc|compute|device)_(?:arch|version|capability|target)", re.I)
"""What a target `sm_90` is called."""
_SAME = frozenset("strip lstrip rstrip lower upper casefold".split())  # noqa: SIM905 - shorter to read
_RUNS = frozenset({"check_output", "getoutput", "run", "popen", "Popen", "run_command", "run_cmd"})
_FEWEST = 3
"""So many texts of one form make a list of architectures; two could be versions of anything."""

_ROUNDS = 8
"""Kinds go from name to name; chains are shorter than this."""

Nodes = ast.FunctionDef | ast.AsyncFunctionDef | ast.Module


class Kinds:
    """The kinds of the names of one function, flow-insensitive: a name with two kinds has none."""

    def __init__(
        self,
        nodes: Sequence[ast.AST],
        scope: Nodes,
        outer: Kinds | None = None,
        returns: Mapping[str, str] | None = None,
        given: Mapping[str, str] | None = None,
    ) -> None:
        """`nodes` are those of `scope`; `outer` is the module around; `returns` tells what its functions return.

        `given` tells what all callers pass for a parameter.
        """
        self._given = given if given is not None else {}
        self._outer = outer
        self._returns = returns if returns is not None else {}
        self._known: dict[str, str | None] = {}
        self._parameters = _parameters(scope)
        self._has_targets = any(_names_target(node) for node in nodes)
        self._inner = _of_comprehensions(nodes)
        bindings = list(_bindings(nodes, self._inner))
        self._open = frozenset(name for name, _, _ in bindings) - self._parameters
        """Names that nothing is known of yet: what is made of them says nothing so far."""
        self._rounds(bindings)
        self._open = frozenset()
        self._rounds(bindings)

    @classmethod
    def nothing(cls) -> Kinds:
        """The kinds of a scope without names."""
        return cls((), ast.Module([], []))

    def _rounds(self, bindings: list[tuple[str, ast.expr, str]]) -> None:
        for _ in range(_ROUNDS):
            before = dict(self._known)
            self._settle(bindings)
            if before == self._known:
                break

    def _settle(self, bindings: list[tuple[str, ast.expr, str]]) -> None:
        found: dict[str, set[str | None]] = {}
        for name, value, way in bindings:
            kind = self._bound(name, value, way)
            if kind != "":
                found.setdefault(name, set()).add(kind)
        self._known = {name: _agreed(kinds) for name, kinds in found.items()}
        self._open = frozenset(name for name in self._open if found.get(name, {_PASSED}) == {_PASSED})

    def _bound(self, name: str, value: ast.expr, way: str) -> str | None:
        """The kind that one binding gives a name; empty where it says nothing."""
        kind = self.of(value)
        if kind is None and way in ("item", "value") and _made_of(value) in self._open:
            return _PASSED if way == "value" and _passes_through(name, value) else ""
        if way == "item":
            return kind.removeprefix(_MANY) if kind is not None and kind.startswith(_MANY) else None
        if way == "append":
            return _MANY + kind if kind in TEXTS else ""
        if way == "extend":
            return kind if kind is not None and kind.startswith(_MANY) else ""
        if way == "augmented":
            return ""
        if kind is None:
            return "" if _is_empty(value) else _PASSED if _passes_through(name, value) else None
        return kind

    def of(self, node: ast.expr) -> str | None:
        """The kind of an expression, or None."""
        handler: Callable[[Kinds, Any], str | None] | None = _HANDLERS.get(type(node))
        return handler(self, node) if handler is not None else None

    def _name(self, node: ast.Name) -> str | None:
        name = self._inner.get(node, node.id)
        if name in self._known:
            known = self._known[name]
            if known is not None:
                return known
            return _by_name(node.id)
        if name in self._given:
            return self._given[name]
        if node.id not in self._parameters and self._outer is not None:
            found = self._outer.of(node)
            if found is not None:
                return found
        return _by_name(node.id)

    def text(self, node: ast.expr) -> str | None:
        """The kind of an expression that is used as one text: the output for one device is its capability."""
        kind = self.of(node)
        return CAPABILITY if kind == _OUTPUT else kind

    def _attribute(self, node: ast.Attribute) -> str | None:
        if node.attr == "stdout" and self.of(node.value) == _OUTPUT:
            return _OUTPUT
        if (
            node.attr == "cuda"
            and isinstance(node.value, (ast.Attribute, ast.Name))
            and last_name(node.value) == "version"
        ):
            return TOOLKIT
        if node.attr == "name" and self.of(node.value) == _PROPERTIES:
            return NAME
        return NAME if _DEVICE_NAME.fullmatch(node.attr) else None

    def _constant(self, node: ast.Constant) -> str | None:
        if not isinstance(node.value, str) or not _CAPABILITIES.fullmatch(node.value):
            return None
        return _JOINED + CAPABILITY if _name_architectures(re.split("[;, ]+", node.value)) else None

    def _sequence(self, node: ast.List | ast.Tuple | ast.Set) -> str | None:
        texts = [item.value for item in node.elts if isinstance(item, ast.Constant) and isinstance(item.value, str)]
        if len(texts) != len(node.elts) or len(texts) < _FEWEST:
            kinds = {self.of(item) for item in node.elts}
            kind = kinds.pop() if len(kinds) == 1 else None
            return _MANY + kind if kind in TEXTS else None
        for pattern, kind in ((_CAPABILITY, CAPABILITY), (_DIGITS, DIGITS), (_TARGET, TARGET)):
            if all(pattern.fullmatch(text) for text in texts) and _name_architectures(texts):
                return _MANY + kind
        return None

    def _subscript(self, node: ast.Subscript) -> str | None:
        if _key(node.slice) in LIST_VARIABLES:
            return _JOINED + CAPABILITY
        kind = self.of(node.value)
        if kind is None:
            return None
        if kind.startswith(_MANY):
            return kind if isinstance(node.slice, ast.Slice) else kind.removeprefix(_MANY)
        if kind == _SPLIT + TARGET and not isinstance(node.slice, ast.Slice):
            return TAIL if _number(node.slice) in (1, -1) else None
        if kind == TARGET and isinstance(node.slice, ast.Slice) and node.slice.upper is None:
            return TAIL if _number(node.slice.lower) == len("sm_") else None
        return None

    def _call(self, node: ast.Call) -> str | None:
        name = last_name(node.func)
        if name == "get_arch_list":
            return _MANY + TARGET
        if name in _RUNS and any(_asks_for_capability(part) for argument in node.args for part in ast.walk(argument)):
            return _OUTPUT
        if name == "get_device_name":
            return NAME
        if name == "get_device_properties":
            return _PROPERTIES
        if name in ("get", "getenv", "pop") and node.args and _key(node.args[0]) in LIST_VARIABLES:
            return _JOINED + CAPABILITY
        if isinstance(node.func, ast.Attribute):
            receiver = self.of(node.func.value)
            if receiver is not None:
                return _method(receiver, name, node)
            if name == "split" and node.args and _key(node.args[0]) == "_" and self._is_target(node.func.value):
                return _SPLIT + TARGET
            if name in ("replace", "removeprefix") and self._is_target(node.func.value):
                return REST if node.args and _key(node.args[0]) == "sm_" else None
            if name in ("array", "asarray") and node.args:
                kind = self.of(node.args[0])
                return _ARRAY + kind.removeprefix(_MANY) if kind is not None and kind.startswith(_MANY) else None
            if name == "join" and node.args:
                kind = self.of(node.args[0])
                return _JOINED + kind.removeprefix(_MANY) if kind is not None and kind.startswith(_MANY) else None
            return self._returns.get(name) if _is_self(node.func.value) else None
        if name in ("sorted", "list", "set", "tuple", "reversed", "frozenset") and node.args:
            kind = self.of(node.args[0])
            return kind if kind is not None and kind.startswith(_MANY) else None
        if name == "str" and len(node.args) == 1:
            return self.of(node.args[0])
        return self._returns.get(name) if isinstance(node.func, ast.Name) else None

    def _is_target(self, node: ast.expr) -> bool:
        """Whether a text of unknown kind is a target by its name, where `arch` may be that of a model, too."""
        name = last_name(node) or _key(node.slice if isinstance(node, ast.Subscript) else None) or ""
        return _TARGET_NAME.fullmatch(name) is not None or (name == "arch" and self._has_targets)

    def _joined_text(self, node: ast.JoinedStr) -> str | None:
        """An f-string of a major and a minor number."""
        shape = "".join(
            part.value if isinstance(part, ast.Constant) and isinstance(part.value, str) else f"<{_part(part)}>"
            for part in node.values
        )
        return {"<M>.<m>": CAPABILITY, "<M><m>": DIGITS, "sm_<M><m>": TARGET}.get(shape)

    def _sum(self, node: ast.BinOp) -> str | None:
        if not isinstance(node.op, ast.Add):
            return None
        kinds = {self.of(node.left), self.of(node.right)} - {None}
        kind = kinds.pop() if len(kinds) == 1 else None
        return kind if kind is not None and kind.startswith((_MANY, _JOINED)) else None

    def _either(self, node: ast.BoolOp | ast.IfExp) -> str | None:
        parts = node.values if isinstance(node, ast.BoolOp) else [node.body, node.orelse]
        kinds = {self.of(part) for part in parts} - {None}
        return kinds.pop() if len(kinds) == 1 else None

    def _comprehension(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp) -> str | None:
        kind = self.of(node.elt)
        return _MANY + kind if kind in TEXTS else None


def item_kind(kind: str | None) -> str | None:
    """The kind of the items of a list or array, None for anything else."""
    for prefix in (_MANY, _ARRAY):
        if kind is not None and kind.startswith(prefix):
            return kind.removeprefix(prefix)
    return None


def name_case(node: ast.expr, nodes: Sequence[ast.AST]) -> str:
    """How a device name was folded before it is tested: `lower`, `upper`, `as it is`; empty where that is not said."""
    if isinstance(node, ast.Call):
        case = {"lower": "lower", "casefold": "lower", "upper": "upper"}.get(last_name(node.func))
        if case is not None:
            return case
        return "as it is" if last_name(node.func) == "get_device_name" else ""
    if isinstance(node, ast.Attribute):
        return "as it is" if node.attr == "name" else ""
    if not isinstance(node, ast.Name):
        return ""
    cases = {name_case(value, nodes) for name, value, way in _bindings(nodes) if name == node.id and way == "value"}
    if "lower" in cases or "upper" in cases:
        return next(case for case in ("lower", "upper") if case in cases)
    return cases.pop() if len(cases) == 1 else ""


def _asks_for_capability(node: ast.AST) -> bool:
    text = _key(node)
    return text is not None and "compute_cap" in text


def _method(receiver: str, name: str, node: ast.Call) -> str | None:
    if receiver == _OUTPUT:
        if name in ("decode", "read", "strip", "rstrip"):
            return _OUTPUT
        return _MANY + CAPABILITY if name in ("splitlines", "readlines", "split") and _by_lines(node) else None
    if name in ("strip", "rstrip") and node.args and receiver in (TAIL, TARGET, REST):
        return None  # the letter at its end may be gone
    if name in _SAME:
        return receiver
    if receiver == NAME:
        return NAME if name in ("replace", "removeprefix", "title") else None
    if name == "split":
        if receiver.startswith(_JOINED):
            return _MANY + receiver.removeprefix(_JOINED)
        return _SPLIT + TARGET if receiver == TARGET and node.args and _key(node.args[0]) == "_" else None
    if name in ("replace", "removeprefix", "removesuffix") and node.args:
        gone = _key(node.args[0])
        if receiver == TARGET and gone in ("sm_", "sm"):
            return TAIL
        if receiver == CAPABILITY and gone == ".":
            return DIGITS
        return receiver if receiver.startswith(_JOINED) or receiver == CAPABILITY else None
    return None


def _by_lines(node: ast.Call) -> bool:
    return not node.args or _key(node.args[0]) == "\n"


def _of_comprehensions(nodes: Sequence[ast.AST]) -> dict[ast.AST, str]:
    """The names inside comprehensions that are the comprehension's own, and what each is called here."""
    found: dict[ast.AST, str] = {}
    for node in nodes:
        if not isinstance(node, (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)):
            continue
        targets = {part.id for each in node.generators for part in ast.walk(each.target) if isinstance(part, ast.Name)}
        first = node.generators[0].iter
        outside = set(ast.walk(first))
        for part in ast.walk(node):
            if isinstance(part, ast.Name) and part.id in targets and part not in outside:
                found[part] = f"{part.id} at {node.lineno}:{node.col_offset}"
    return found


def _bindings(
    nodes: Sequence[ast.AST], inner: Mapping[ast.AST, str] | None = None
) -> Iterator[tuple[str, ast.expr, str]]:
    """Everything among the nodes of a function that gives a name a value or an item.

    `inner` tells what the variables of comprehensions are called, which are not those of the function.
    """
    for node in nodes:
        match node:
            case ast.Assign():
                for target in node.targets:
                    if isinstance(target, ast.Name):
                        yield target.id, node.value, "value"
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                yield name, value, "value"
            case ast.NamedExpr(target=ast.Name(id=name)):
                yield name, node.value, "value"
            case ast.AugAssign(target=ast.Name(id=name)):
                yield name, node.value, "augmented"
            case ast.For(target=ast.Name(id=name)):
                yield name, node.iter, "item"
            case ast.comprehension(target=ast.Name(id=name)):
                yield (inner or {}).get(node.target, name), node.iter, "item"
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="append" | "add"), args=[value]):
                yield name, value, "append"
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="extend" | "update"), args=[value]):
                yield name, value, "extend"


def _by_name(name: str) -> str | None:
    """What a name says that holds one device name, or several."""
    if _DEVICE_NAME.fullmatch(name):
        return NAME
    return _MANY + NAME if name.endswith("s") and _DEVICE_NAME.fullmatch(name[:-1]) else None


def _parameters(scope: Nodes) -> frozenset[str]:
    if isinstance(scope, ast.Module):
        return frozenset()
    arguments = scope.args
    return frozenset(each.arg for each in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs))


def _agreed(kinds: set[str | None]) -> str | None:
    """The one kind that all bindings of a name agree on.

    A list that is passed through a call is taken to look as before, and a device name may be cut down step by step.
    """
    if NAME in kinds:
        return NAME
    rest = kinds - {_PASSED}
    kind = next(iter(rest)) if len(rest) == 1 else None
    return kind if _PASSED not in kinds or (kind is not None and kind.startswith(_MANY)) else None


def _passes_through(name: str, value: ast.expr) -> bool:
    """True for `archs = keep_some(archs)`."""
    return (
        isinstance(value, ast.Call)
        and any(isinstance(argument, ast.Name) and argument.id == name for argument in value.args)
        and not (isinstance(value.func, ast.Name) and value.func.id in ("map", "zip", "enumerate", "len", "dict"))
    )


def _made_of(value: ast.expr) -> str:
    """The name that an expression is made of: `x`, `x.strip()`, `x[1:]`, `sorted(x)`."""
    while True:
        match value:
            case ast.Name(id=name):
                return name
            case ast.Call(func=ast.Attribute(value=inner)) | ast.Subscript(value=inner) | ast.Call(args=[inner]):
                value = inner
            case _:
                return ""


def _is_empty(value: ast.expr) -> bool:
    if isinstance(value, ast.Constant):
        return value.value is None or value.value == ""
    if isinstance(value, (ast.List, ast.Tuple)):
        return not value.elts
    return isinstance(value, ast.Call) and not value.args and last_name(value.func) in ("list", "set", "tuple")


def _name_architectures(texts: list[str]) -> bool:
    """Whether a list of texts names architectures that everybody builds for, and not some other versions."""
    digits = {text.removeprefix("sm_").replace(".", "").rstrip("af").removesuffix("+PTX") for text in texts}
    return len(digits & {"60", "61", "70", "75", "80", "86", "89", "90", "100", "120"}) >= 2


def _part(node: ast.expr) -> str:
    if not isinstance(node, ast.FormattedValue):
        return "?"
    if isinstance(node.value, ast.Subscript) and _CAPABILITY_NAME.fullmatch(last_name(node.value.value)):
        position = _number(node.value.slice)
        return "M" if position == 0 else "m" if position == 1 else "?"
    last = last_name(node.value).lower()
    return "M" if last.endswith("major") else "m" if last.endswith("minor") else "?"


def _is_self(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id in ("self", "cls")


def _names_target(node: ast.AST) -> bool:
    """True for `sm_version`, `"sm_90"` and texts that speak of such, and where a device is asked for its capability."""
    if isinstance(node, ast.Attribute) and node.attr in ("compute_capability", "get_device_capability"):
        return True
    word = node.id if isinstance(node, ast.Name) else _key(node) or ""
    return "sm_" in word and re.search(r"(?<![a-z])sm_(?:version|arch|\d|xx|\{|$)", word) is not None


def _key(node: ast.AST | None) -> str | None:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def _number(node: ast.AST | None) -> int | None:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant):
        return -node.operand.value if type(node.operand.value) is int else None
    return node.value if isinstance(node, ast.Constant) and type(node.value) is int else None


_HANDLERS: dict[type[ast.expr], Callable[[Kinds, Any], str | None]] = {
    ast.Name: Kinds._name,
    ast.Attribute: Kinds._attribute,
    ast.Constant: Kinds._constant,
    ast.List: Kinds._sequence,
    ast.Tuple: Kinds._sequence,
    ast.Set: Kinds._sequence,
    ast.Subscript: Kinds._subscript,
    ast.Call: Kinds._call,
    ast.JoinedStr: Kinds._joined_text,
    ast.BinOp: Kinds._sum,
    ast.BoolOp: Kinds._either,
    ast.IfExp: Kinds._either,
    ast.ListComp: Kinds._comprehension,
    ast.SetComp: Kinds._comprehension,
    ast.GeneratorExp: Kinds._comprehension,
}
