"""Follow the special methods of the project's classes: what operators, builtins and statements call unseen."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from functools import partial

from hwlint.evaluate import operators
from hwlint.evaluate.answers import (
    Answer,
    AttrContent,
    Builtin,
    Class,
    EnumMember,
    MixedTuple,
    Named,
    Raised,
    Ref,
    Unknown,
)
from hwlint.evaluate.budget import OverBudget
from hwlint.evaluate.calls import Calls
from hwlint.evaluate.state import State, merge
from hwlint.evaluate.values import EVERYWHERE, Value, const, join, lift, make, restrict, unknown

_COMPARED: dict[type[ast.cmpop], tuple[str, str]] = {
    ast.Eq: ("__eq__", "__eq__"),
    ast.NotEq: ("__ne__", "__ne__"),
    ast.Lt: ("__lt__", "__gt__"),
    ast.LtE: ("__le__", "__ge__"),
    ast.Gt: ("__gt__", "__lt__"),
    ast.GtE: ("__ge__", "__le__"),
}
"""The method of the left operand, and that of the right one (the language reference, 3.3.1)."""

_OPERATED: dict[type[ast.operator], str] = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.Div: "truediv",
    ast.FloorDiv: "floordiv",
    ast.Mod: "mod",
    ast.Pow: "pow",
    ast.LShift: "lshift",
    ast.RShift: "rshift",
    ast.BitOr: "or",
    ast.BitAnd: "and",
    ast.BitXor: "xor",
    ast.MatMult: "matmul",
}

CONVERSIONS: dict[str, tuple[str, ...]] = {
    "int": ("__int__", "__index__", "__trunc__"),
    "float": ("__float__", "__index__"),
    "str": ("__str__", "__repr__"),
    "repr": ("__repr__",),
    "abs": ("__abs__",),
    "hash": ("__hash__",),
    "round": ("__round__",),
    "complex": ("__complex__",),
    "len": ("__len__",),
}
"""The builtins that ask an object for a method, in the order in which they ask."""

_ORDERS: tuple[type[ast.cmpop], ...] = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
_STRICT = frozenset({ast.Lt, ast.Gt})
_UP = frozenset({ast.Lt, ast.LtE})

MOST_STEPS = 1_000
"""Steps that are spent on one call of a special method: they are small, or not about the hardware."""

Operands = tuple[Answer, Answer]


class Protocols(Calls):
    """The part of the evaluator that knows special methods."""

    def special(self, answer: Answer, name: str, args: Sequence[Value], node: ast.AST, state: State) -> Value | None:
        """Call a special method that the class of an object defines; None where it defines none."""
        owner = class_of(answer)
        found = self.class_member(owner, name) if owner is not None else None
        if owner is None or found is None:
            return None
        if found[0].only() is None:
            return Value(((Unknown(f"{owner.qualname}.{name} is None"), EVERYWHERE),))
        left = self.budget.left
        self.budget.left = allowed = min(left, MOST_STEPS)
        try:
            bound = self.bind(found[0], const(answer), owner, node, state)
            return self.call(bound, args, {}, node, state)
        except OverBudget:
            if allowed == left:
                raise
            self.doubts += 1
            self._forget_object(answer, state)
            return unknown(f"{owner.qualname}.{name} takes more steps than are spent on it")
        finally:
            self.budget.left += left - allowed

    def _forget_object(self, answer: Answer, state: State) -> None:
        """Anything may have happened to the attributes of an object."""
        content = self.contents(answer, state).only() if type(answer) is Ref else None
        if type(answer) is Ref and isinstance(content, AttrContent):
            doubt = Unknown("a special method that is not worked out")
            items = {name: join((value, Value(((doubt, EVERYWHERE),)))) for name, value in content.items.items()}
            state.heap[answer] = const(AttrContent(items, content.rest or doubt))
            for value in content.items.values():
                self.havoc(value, state, doubt.reason)

    def _called(self, answer: Answer, name: str, args: Sequence[Value], node: ast.AST, state: State) -> Value:
        return self.special(answer, name, args, node, state) or Value(())

    def has_special(self, answer: Answer, *names: str) -> bool:
        """True where the class of an object defines one of these methods."""
        owner = class_of(answer)
        return owner is not None and any(self.class_member(owner, name) is not None for name in names)

    def apart(self, mask: int, state: State, work: Callable[[State], Value]) -> Value:
        """Do some work for the architectures of `mask` alone."""
        if not state.alive & ~mask:
            return work(state)
        entry = state.copy()
        branch, others = state.narrow(mask, decided=EVERYWHERE), state.narrow(~mask, decided=EVERYWHERE)
        found = work(branch)
        found = restrict(found, branch.alive)
        state.take(merge([others, branch], entry, 0))
        return found

    # Truth.

    def object_truth(self, ref: Ref, mask: int, state: State) -> tuple[int, int] | None:
        """Where an instance is true and where it is false; None where its class does not say."""
        if not isinstance(ref.type, Class):
            return None
        node = self.statement or ast.Pass()
        for name in ("__bool__", "__len__"):
            if self.class_member(ref.type, name) is not None:
                found = self.apart(mask, state, partial(self._called, ref, name, [], node))
                return self.truth(restrict(found, mask), state)
        return None if self.has_unknown_base(ref.type) else (mask, 0)

    def has_unknown_base(self, owner: Class) -> bool:
        """True where a base lies outside the project, and is not one that is known to add nothing."""
        return any(
            len(self.bases(holder)) < len([base for base in holder.node.bases if not _adds_nothing(base)])
            for holder in self.lineage(owner)
        )

    # Comparisons.

    def compare_objects(
        self, kind: type[ast.cmpop], left: Value, right: Value, node: ast.AST, state: State
    ) -> Value | None:
        """Compare where an operand's class has a say; None where none has."""
        if not any(self._compares(answer, kind) for answer, _ in (*left.cases, *right.cases)):
            return None
        return self._each_pair(left, right, state, lambda pair, at: self._compare_pair(kind, pair, node, at))

    def _compares(self, answer: Answer, kind: type[ast.cmpop]) -> bool:
        owner = class_of(answer)
        if owner is None or kind not in _COMPARED:
            return False
        names = {*_COMPARED[kind], "__eq__", "__lt__", "__gt__", "__le__", "__ge__"}
        return any(self.class_member(owner, name) is not None for name in names) or self._is_record(owner, kind)

    def _is_record(self, owner: Class, kind: type[ast.cmpop]) -> bool:
        """True for a dataclass that compares its fields."""
        decorators = [ast.unparse(deco) for holder in self.lineage(owner)[:1] for deco in holder.node.decorator_list]
        text = next((text for text in decorators if text.rpartition("(")[0].endswith("dataclass")), None)
        text = text or next((text for text in decorators if text.endswith("dataclass")), None)
        if text is None or "eq=False" in text:
            return False
        return kind in (ast.Eq, ast.NotEq) or "order=True" in text

    def _each_pair(self, left: Value, right: Value, state: State, work: Callable[[Operands, State], Value]) -> Value:
        parts: list[Value] = []
        for one, seen in left.cases:
            for other, where in right.cases:
                both = seen & where & state.alive
                if both:
                    found = self.apart(both, state, partial(work, (one, other)))
                    parts.append(restrict(found, both))
        found = join(parts) if parts else Value(())
        return Value(found.cases, left.trace or right.trace or found.trace)

    def _compare_pair(self, kind: type[ast.cmpop], pair: Operands, node: ast.AST, state: State) -> Value:
        left, right = pair
        name, reflected = _COMPARED[kind]
        for answer, method, other in ((left, name, right), (right, reflected, left)):
            found = self._asked(answer, method, other, node, state)
            if found is not None:
                return found
        if kind is ast.NotEq:
            return self._negated(self._compare_pair(ast.Eq, pair, node, state), state)
        if kind in _ORDERS:
            found = self._by_total_order(kind, pair, node, state)
            if found is not None:
                return found
        owners = class_of(left), class_of(right)
        if owners[0] is not None and owners[1] is not None and owners[0].node is owners[1].node:
            fields = self.fields(owners[0]) if self._is_record(owners[0], kind) else None
            if fields is not None and isinstance(left, Ref) and isinstance(right, Ref):
                rows = [self._row(ref, [field for field, _, _ in fields], state) for ref in (left, right)]
                found, raised = lift(lambda a, b: operators.compare(kind, a, b), (rows[0], rows[1]), state.alive)
                return self._settle(found, raised, node, state)
        answer = operators.compare(kind, left, right)
        if isinstance(answer, Raised):
            return self._settle(Value(()), ((answer, state.alive),), node, state)
        return const(answer)

    def _asked(self, answer: Answer, method: str, other: Answer, node: ast.AST, state: State) -> Value | None:
        """What a binary special method answers; None where there is none, or it answers NotImplemented."""
        if not self.has_special(answer, method):
            return None
        found = self.special(answer, method, [const(other)], node, state) or Value(())
        declined = [mask for one, mask in found.cases if isinstance(one, Builtin) and one.name == "NotImplemented"]
        if not declined:
            return found
        if len(declined) == len(found.cases):
            return None
        reason = Unknown(f"{method} that may answer NotImplemented")
        return make([(reason if isinstance(one, Builtin) else one, mask) for one, mask in found.cases], found.trace)

    def _by_total_order(self, kind: type[ast.cmpop], pair: Operands, node: ast.AST, state: State) -> Value | None:
        """What `functools.total_ordering` makes of the one order that the class defines."""
        owner = class_of(pair[0])
        if owner is None or not any("total_ordering" in ast.unparse(deco) for deco in owner.node.decorator_list):
            return None
        base = next((one for one in _ORDERS if self.class_member(owner, _COMPARED[one][0]) is not None), None)
        found = self._asked(pair[0], _COMPARED[base][0], pair[1], node, state) if base is not None else None
        if found is None:
            return None
        below, above = self.truth(found, state)
        equal, unequal = self.truth(self._compare_pair(ast.Eq, pair, node, state), state)
        doubt = (below & above) | (equal & unequal)
        strict, same = base in _STRICT, (base in _UP) == (kind in _UP)
        if same:
            true = below | equal if strict else below & unequal
        elif strict == (kind in _STRICT):
            true = above & unequal if strict else above | equal
        else:
            true = above
        known = state.alive & ~doubt
        unsure = Unknown("an order of two objects")
        return make([(True, true & known), (False, known & ~true), (unsure, doubt & state.alive)], found.trace)

    def _row(self, ref: Ref, names: Sequence[str], state: State) -> Value:
        """The fields of an object as a tuple."""
        content = self.contents(ref, state).only()
        held = content.items if isinstance(content, AttrContent) else {}
        if not all(name in held for name in names):
            return Value(((Unknown("fields that are not known"), EVERYWHERE),))
        return self.expand(const(MixedTuple(tuple(held[name] for name in names))), state)

    # Operators.

    def operate_objects(
        self,
        kind: type[ast.operator],
        left: Value,
        right: Value,
        node: ast.AST,
        state: State,
        *,
        inplace: bool = False,
    ) -> Value | None:
        """Compute an operator where an operand's class defines it; None where none does."""
        word = _OPERATED[kind]
        names = (*((f"__i{word}__",) if inplace else ()), f"__{word}__", f"__r{word}__")
        if not any(self.has_special(answer, *names) for answer, _ in (*left.cases, *right.cases)):
            return None

        def pair(operands: Operands, at: State) -> Value:
            one, other = operands
            for answer, method, given in (*((one, name, other) for name in names[:-1]), (other, names[-1], one)):
                found = self._asked(answer, method, given, node, at)
                if found is not None:
                    return found
            if class_of(one) is not None or class_of(other) is not None:
                return const(Unknown("an operator on an object"))
            return self.operate(kind, const(one), const(other), node, at)

        return self._each_pair(left, right, state, pair)

    # Conversions.

    def converted(self, name: str, value: Value, node: ast.AST, state: State) -> Value | None:
        """`int(x)`, `str(x)`, `len(x)` and the like of objects whose classes say what that is; None where none does."""
        methods = CONVERSIONS[name]
        if not any(class_of(answer) is not None and self.has_special(answer, *methods) for answer, _ in value.cases):
            return None
        parts: list[Value] = []
        for answer, mask in value.cases:
            where = mask & state.alive
            if not where:
                continue
            method = next((one for one in methods if self.has_special(answer, one)), None)
            if method is None:
                found = self.call_builtin(
                    name, [restrict(Value(((answer, mask),), value.trace), where)], {}, node, state
                )
            else:
                found = self.apart(where, state, partial(self._called, answer, method, [], node))
            parts.append(restrict(found, where))
        whole = join(parts) if parts else Value(())
        return Value(whole.cases, whole.trace or value.trace)

    def call_builtin(
        self, name: str, args: Sequence[Value], keywords: dict[str, Value], node: ast.AST, state: State
    ) -> Value:
        """Call a builtin (defined with the builtins)."""
        raise NotImplementedError

    def as_index(self, key: Value, node: ast.AST, state: State) -> Value:
        """A subscript of a sequence: an object that has `__index__` is asked for it."""
        if not any(class_of(answer) is not None and self.has_special(answer, "__index__") for answer, _ in key.cases):
            return key
        return self.converted("int", key, node, state) or key


def class_of(answer: Answer) -> Class | None:
    """The class of the project that an object is of."""
    if type(answer) is Ref:
        return answer.type if isinstance(answer.type, Class) else None
    if type(answer) is EnumMember:
        return answer.owner
    if type(answer) is Named:
        return answer.type if isinstance(answer.type, Class) else None
    return None


def _adds_nothing(base: ast.expr) -> bool:
    text = ast.unparse(base).partition("[")[0].rpartition(".")[2]
    return text in ("object", "ABC", "Protocol", "Generic", "NamedTuple")
