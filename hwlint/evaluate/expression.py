"""Evaluate expressions, for every architecture that is alive at once."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable, Sequence
from typing import Any

from hwlint.evaluate import operators
from hwlint.evaluate.answers import Answer, Builtin, DictContent, EnumMember, Function, Named, Ref, Unbound, Unknown
from hwlint.evaluate.scopes import fills_once, late_names, mentioned_names
from hwlint.evaluate.state import State
from hwlint.evaluate.texts import Texts
from hwlint.evaluate.values import Value, awaited, const, join, lift, make, restrict, unknown


class Expressions(Texts):
    """The expression half of the evaluator."""

    def eval(self, node: ast.expr, state: State) -> Value:
        """Evaluate `node`; architectures on which it raises leave `state` where the raise is caught or worded."""
        self.budget.spend()
        if not state.alive:
            return Value(())
        handler = _HANDLERS.get(type(node))
        if handler is None:
            return unknown(f"{type(node).__name__} is not evaluated")
        return handler(self, node, state)

    def _constant(self, node: ast.Constant, state: State) -> Value:
        return const(node.value)

    def _name(self, node: ast.Name, state: State) -> Value:
        frame = state.frame
        found = state.vars.get(node.id)
        if found is not None:
            return self._bound(found, node, state)
        if node.id in frame.locals and node.id not in frame.globals:
            return self._bound(const(Unbound(node.id)), node, state)
        if frame.function is not None:
            captured = frame.function.closure.get(node.id)
            if captured is not None:
                return self._free(self.settled(captured), node)
        value = self.global_name(frame.path, node.id, frame.before)
        if value is not None:
            called_later = frame.function is not None and frame.path not in self.points
            if called_later and node.id in self.code(frame.path).rebound:
                value = join((value, unknown(f"{node.id} is bound again after functions were called")))
            if node.id in frame.globals and frame.function is not None:
                value = state.vars[node.id] = self._first_seen(node.id, value, state)
            return value
        if node.id in BUILTINS:
            return const(Builtin(node.id))
        self.doubts += 1
        return unknown(f"the name {node.id} is not defined in this file")

    def _free(self, value: Value, node: ast.Name) -> Value:
        """A name of the function around, which may not be bound yet."""
        if not any(type(answer) is Unbound for answer, _ in value.cases):
            return value
        self.doubts += self.catches("NameError")
        unset = Unknown(f"{node.id} may not be assigned here")
        cases = [(unset if type(answer) is Unbound else answer, mask) for answer, mask in value.cases]
        return make(cases, value.trace, value.missed, value.via)

    def _first_seen(self, name: str, value: Value, state: State) -> Value:
        """A global as this function finds it: what the module gave it, where no other function changes it.

        So `global X; if X is None: X = ...` is followed as its first call, and later calls find the same.
        """
        function = state.frame.function
        if function is None or isinstance(function.node, ast.Lambda):
            return value
        last = function.node.end_lineno or 0
        for binding in self.code(state.frame.path).bindings(name):
            if binding.in_function and not function.node.lineno <= binding.line <= last:
                return value
        if not fills_once(function.node, name):
            return value
        own = Unknown(f"{name} is changed by a function")
        kept = [case for case in value.cases if case[0] != own]
        known = 0
        for _, mask in kept:
            known |= mask
        kept += [(answer, mask & ~known) for answer, mask in value.cases if answer == own]
        return make(kept, value.trace, value.missed, value.via)

    def _bound(self, value: Value, node: ast.Name, state: State) -> Value:
        whole, value = value, restrict(self.settled(value), state.alive)
        missing = 0
        for answer, mask in value.cases:
            if type(answer) is Unbound:
                missing |= mask
        if not missing:
            return value
        kept = [(answer, mask) for answer, mask in value.cases if type(answer) is not Unbound]
        if node.id in state.frame.globals and state.frame.function is not None:
            outside = self.global_name(state.frame.path, node.id, state.frame.before)
            if outside is not None:  # set in one branch, and in the other what the module has
                rest = restrict(self._first_seen(node.id, self.settled(outside), state), missing)
                return join((make(kept, value.trace, value.missed, value.via), rest))
        self.unbound(node, missing & state.alive, whole, state)
        kept.append((Unknown(f"{node.id} may not be assigned here"), missing))
        return make(kept, value.trace, value.missed, value.via)

    def _binop(self, node: ast.BinOp, state: State) -> Value:
        left, right = self.eval(node.left, state), self.eval(node.right, state)
        return self.operate(type(node.op), left, right, node, state)

    def operate(self, kind: type[ast.operator], left: Value, right: Value, node: ast.AST, state: State) -> Value:
        """Compute a binary operator, on containers too."""
        if any(type(answer) in _OBJECTS for answer, _ in (*left.cases, *right.cases)):
            asked = self.operate_objects(kind, left, right, node, state)
            if asked is not None:
                return asked
        if any(type(answer) is Ref for answer, _ in (*left.cases, *right.cases)):
            return self.container_operator(kind, left, right, node, state)
        self.note_none(left, "computed with", node, state)
        self.note_none(right, "computed with", node, state)
        left, right = self.expand(left, state), self.expand(right, state)
        value, raised = lift(lambda one, other: operators.binary(kind, one, other), (left, right), state.alive)
        return self._settle(value, raised, node, state)

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
        """Compute an operator where an operand's class defines it (defined with the protocols)."""
        raise NotImplementedError

    def container_operator(
        self, kind: type[ast.operator], left: Value, right: Value, node: ast.AST, state: State
    ) -> Value:
        """Compute an operator on lists, dicts or sets (defined with the containers)."""
        raise NotImplementedError

    def _unaryop(self, node: ast.UnaryOp, state: State) -> Value:
        operand = self.eval(node.operand, state)
        if isinstance(node.op, ast.Not):
            return self._negated(operand, state)
        value, raised = lift(lambda one: operators.unary(type(node.op), one), (operand,), state.alive)
        return self._settle(value, raised, node, state)

    def _namedexpr(self, node: ast.NamedExpr, state: State) -> Value:
        value = self.eval(node.value, state)
        self.assign(node.target, value, state)
        return value

    def _attribute(self, node: ast.Attribute, state: State) -> Value:
        return self.attribute(self.eval(node.value, state), node.attr, node, state)

    def _subscript(self, node: ast.Subscript, state: State) -> Value:
        base = self.eval(node.value, state)
        return self.subscript(base, self.eval(node.slice, state), node, state)

    def _slice(self, node: ast.Slice, state: State) -> Value:
        parts = tuple(
            self.eval(part, state) if part is not None else const(None) for part in (node.lower, node.upper, node.step)
        )
        value, _ = lift(_make_slice, parts, state.alive)
        return value

    def _call(self, node: ast.Call, state: State) -> Value:
        if self.is_beside(node.func, state) and not self._is_given_hardware(node, state):
            self.doubts += 1
            return unknown(f"a call of {self.text(node.func, state)}, which has nothing to do with the hardware")
        function = self.eval(node.func, state)
        args: list[Value] = []
        surplus = False
        for argument in node.args:
            if isinstance(argument, ast.Starred):
                starred = self._starred_items(self.eval(argument.value, state), state)
                if starred is None or surplus:
                    surplus = True
                else:
                    args.extend(starred)
            else:
                given = self.eval(argument, state)
                if not surplus:
                    args.append(given)
        keywords: dict[str, Value] = {}
        for keyword in node.keywords:
            value = self.eval(keyword.value, state)
            if keyword.arg is None:
                surplus = not self._spread(value, keywords, state) or surplus
            else:
                keywords[keyword.arg] = value
                if not self.recorder.muted and (state.frame.trace is not None or value.trace is not None):
                    self.note_binding(keyword.arg, value, keyword.value, state)
        if surplus:
            keywords["**"] = unknown("arguments passed on with * or **")
        if not state.alive:
            return Value(())
        if state.frame.trace is not None and not self.recorder.muted:
            self.note_declared(function, node, state)
        found = self.call(function, args, keywords, node, state)
        if found.trace is not None and args and not self.recorder.muted and _is_asked(node):
            self.note_question(found, node, state)
        return found

    def _starred_items(self, value: Value, state: State) -> list[Value] | None:
        """The arguments that `*value` gives, with their answers per architecture; None where there is no one number."""
        found = self.iterate(value, state)
        count = len(found[0][0]) if found else 0
        if not found or any(more is not None or len(items) != count for items, more, _ in found):
            return None
        joined = [
            found[0][0][at] if len(found) == 1 else join([restrict(items[at], where) for items, _, where in found])
            for at in range(count)
        ]
        return [Value(one.cases, one.trace or value.trace, one.missed, one.via) for one in joined]

    def _is_given_hardware(self, node: ast.Call, state: State) -> bool:
        """Evaluate the arguments of a call; True where one comes from the hardware, or holds something that does."""
        parts = (*node.args, *(keyword.value for keyword in node.keywords))
        values = [self.eval(part, state) for part in parts]
        return any(value.trace is not None or self._holds_hardware(value, state) for value in values)

    def _holds_hardware(self, value: Value, state: State) -> bool:
        """True for a dict that has an entry from the hardware."""
        answer = value.only()
        if type(answer) is not Ref or answer.kind != "dict":
            return False
        content = self.contents(answer, state).only()
        return isinstance(content, DictContent) and any(item.trace is not None for item in content.items.values())

    def _spread(self, value: Value, keywords: dict[str, Value], state: State) -> bool:
        answer = value.only()
        if type(answer) is not Ref or answer.kind != "dict":
            return False
        content = self.contents(answer, state).only()
        if not isinstance(content, DictContent) or content.rest is not None:
            return False
        keywords.update({str(key): item for key, item in content.items.items()})
        return True

    def _lambda(self, node: ast.Lambda, state: State) -> Value:
        return const(
            Function(
                state.frame.path,
                f"{state.frame.symbol}.<lambda>".lstrip("."),
                node,
                self.closure(node, state),
                home=state.frame,
                covered=frozenset(state.frame.covered) if state.frame.covered else frozenset(),
            )
        )

    def closure(self, node: ast.AST, state: State) -> dict[str, Value]:
        """The names that a function made here can read from around it.

        A name that is bound again once the function is made is known only to calls from the frame that it was made in.
        """
        function = state.frame.function
        covered = state.frame.covered
        if function is None:
            return {
                name: unknown(f"{name} may be bound again before the function is called")
                for name in (mentioned_names(node) & covered.keys() if covered else ())
            }
        found = dict(function.closure)
        late = late_names(function.node, node)
        for name in mentioned_names(node):
            value = state.vars.get(name)
            if name in late or name in state.frame.shared or name in covered:
                found[name] = unknown(f"{name} may be bound again before the function is called")
            elif value is not None:
                found[name] = value
        return found

    def _listcomp(self, node: ast.ListComp, state: State) -> Value:
        return self.comprehension(node, node.generators, state)

    def comprehension(self, node: ast.expr, generators: Sequence[ast.comprehension], state: State) -> Value:
        """Evaluate a comprehension (defined with the containers)."""
        raise NotImplementedError

    def _any_comprehension(self, node: Any, state: State) -> Value:
        return self.comprehension(node, node.generators, state)

    def _await(self, node: ast.Await, state: State) -> Value:
        return awaited(self.eval(node.value, state))

    def _yield(self, node: Any, state: State) -> Value:
        if node.value is not None:
            self.eval(node.value, state)
        state.frame.yields = True
        return unknown("what a generator is sent")


def _is_asked(node: ast.Call) -> bool:
    """True for `is_capability(100)`, or `(10, 0)`: one constant, or two numbers, say what is asked for."""
    if len(node.args) == 2 and not node.keywords:
        return all(isinstance(one, ast.Constant) and type(one.value) is int for one in node.args)
    return len(node.args) == 1 and not node.keywords and isinstance(node.args[0], (ast.Constant, ast.Tuple))


def _make_slice(lower: Answer, upper: Answer, step: Answer) -> Answer:
    for part in (lower, upper, step):
        if not isinstance(part, int) and part is not None:
            return Unknown("a slice with unknown ends")
    return slice(lower, upper, step)


BUILTINS = frozenset(dir(builtins))
_OBJECTS = frozenset({Ref, EnumMember, Named})

_HANDLERS: dict[type[ast.expr], Callable[[Any, Any, State], Value]] = {
    ast.Constant: Expressions._constant,
    ast.Name: Expressions._name,
    ast.Tuple: Expressions._tuple,
    ast.List: Expressions._list,
    ast.Set: Expressions._set,
    ast.Dict: Expressions._dict,
    ast.BinOp: Expressions._binop,
    ast.UnaryOp: Expressions._unaryop,
    ast.BoolOp: Expressions._boolop,
    ast.IfExp: Expressions._ifexp,
    ast.Compare: Expressions._compare,
    ast.JoinedStr: Expressions._joinedstr,
    ast.FormattedValue: Expressions._formattedvalue,
    ast.NamedExpr: Expressions._namedexpr,
    ast.Attribute: Expressions._attribute,
    ast.Subscript: Expressions._subscript,
    ast.Slice: Expressions._slice,
    ast.Call: Expressions._call,
    ast.Lambda: Expressions._lambda,
    ast.ListComp: Expressions._any_comprehension,
    ast.SetComp: Expressions._any_comprehension,
    ast.DictComp: Expressions._any_comprehension,
    ast.GeneratorExp: Expressions._any_comprehension,
    ast.Starred: Expressions._starred,
    ast.Await: Expressions._await,
    ast.Yield: Expressions._yield,
    ast.YieldFrom: Expressions._yield,
}
