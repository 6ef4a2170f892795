"""Guard a lookup so that a missing entry keeps the feature off instead of raising."""

from __future__ import annotations

import ast
import re
import textwrap
from dataclasses import dataclass

from hwlint.fix.encoding import form_of
from hwlint.fix.problem import Problem, TableFacts
from hwlint.fix.syntax import Syntax, parse
from hwlint.fix.wording import names, verb
from hwlint.model.finding import Edit, Fix, Safety
from hwlint.model.span import Span

_SPEAKS_OF_A_BOUND = re.compile(
    r"(?<!%)\d|pascal|volta|turing|ampere|\bada\b|hopper|blackwell|\bold|newer|later|below|before|least", re.IGNORECASE
)
"""Words of a message that hold for one test and not for another."""

_ENDS = (ast.Return, ast.Raise, ast.Continue)


@dataclass(frozen=True, slots=True)
class _Lookup:
    """`table[key]` or `table.get(key)`; `node` is the whole lookup."""

    node: ast.expr
    table: ast.expr
    key: ast.expr


def guard_lookup(problem: Problem) -> tuple[Fix, ...]:
    """Return ways to guard the lookup, the one that keeps closest to what the author does elsewhere first.

    An early guard copies what an earlier test of the same key does; a membership test asks an empty row. Where
    neither fits, a suggestion shows the guard without being applied. A missing key that names no architecture (the
    lookup only happens to depend on one) is not guarded.
    """
    span = problem.fact("lookup_span") or problem.finding.span
    facts = TableFacts.of(problem)
    if facts is not None and not any(form_of(one.key, one.architectures[0]) for one in facts.missing):
        return ()
    text = problem.texts(span.path) if isinstance(span, Span) else None
    syntax = parse(text) if text is not None else None
    lookup = _find(syntax, span) if syntax is not None else None
    if syntax is None or lookup is None or not _is_plain(lookup.key) or not _is_plain(lookup.table):
        return ()
    ways = (_as_the_author_does, _ask_an_empty_row)
    fixes = tuple(fix for way in ways if (fix := way(problem, syntax, lookup, span.path)) is not None)
    return fixes or _suggestion(problem, syntax, lookup, span.path)


def _find(syntax: Syntax, span: Span) -> _Lookup | None:
    for node in syntax.within(span):
        match node:
            case ast.Subscript(value=table, slice=key, ctx=ast.Load()):
                return _Lookup(node, table, key)
            case ast.Call(func=ast.Attribute(value=table, attr="get"), args=[key, *_]):
                return _Lookup(node, table, key)
    return None


def _key_source(syntax: Syntax, lookup: _Lookup) -> str:
    """Return the key as it can stand anywhere: `T[a, b]` has a tuple without brackets."""
    source = syntax.source(lookup.key)
    return f"({source})" if isinstance(lookup.key, ast.Tuple) and not source.startswith("(") else source


def _guardable_statement(syntax: Syntax, lookup: _Lookup) -> ast.stmt | None:
    """Return the statement in front of which the key can be tested, or None where no such place exists.

    There is none outside functions, for headers of definitions, `elif` and `while` (which are evaluated later or more
    than once), for names that the statement itself binds, and where the line holds another statement before.
    """
    statement = syntax.statement(lookup.node)
    if statement is None or syntax.function(statement) is None:
        return None
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.While):
        return None
    start = syntax.bounds(statement)[0]
    if syntax.text.startswith("elif", start) or syntax.text[syntax.lines.line_start(start) : start].strip(" \t\f"):
        return None
    scopes = ast.comprehension | ast.Lambda | ast.NamedExpr
    binds = {
        one.id
        for scope in ast.walk(statement)
        if isinstance(scope, scopes)
        for one in ast.walk(scope)
        if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)
    } | {one.arg for one in ast.walk(statement) if isinstance(one, ast.arg)}
    used = {one.id for part in (lookup.key, lookup.table) for one in ast.walk(part) if isinstance(one, ast.Name)}
    return None if used & binds else statement


def _is_plain(node: ast.expr) -> bool:
    """Return whether evaluating the node twice is the same as once: names, attributes, constants and their parts."""
    allowed = ast.Name | ast.Attribute | ast.Constant | ast.Tuple | ast.Subscript | ast.BinOp
    return all(isinstance(one, allowed | ast.operator | ast.expr_context) for one in ast.walk(node))


def _who(problem: Problem) -> str:
    return names(problem.targets) or "the architectures of this finding"


def _as_the_author_does(problem: Problem, syntax: Syntax, lookup: _Lookup, path: str) -> Fix | None:
    """Copy the body of an earlier `if` of the same block that tests the same key and leaves."""
    statement = _guardable_statement(syntax, lookup)
    if statement is None:
        return None
    block = syntax.block(statement)
    place = next((index for index, one in enumerate(block) if one is statement), -1)
    for index in range(place - 1, -1, -1):
        guard = block[index]
        if isinstance(guard, ast.If) and _tests(syntax, guard, lookup.key) and _only_says_and_leaves(guard):
            break
    else:
        return None
    indent = _indent(syntax, statement)
    newline = syntax.lines.newline()
    first = guard.body[0]
    body = _body_of(syntax, guard, lookup)
    header = f"if {_key_source(syntax, lookup)} not in {syntax.source(lookup.table)}:"
    start = syntax.above_comments(statement)
    if first.lineno == guard.lineno or body is None:
        return None
    at_once = place == index + 1
    leaves = guard.body[-1]
    stays_off = isinstance(leaves, ast.Return) and _is_off(leaves.value)
    take = verb(problem.targets, "takes", "take")
    reason = (
        f"the earlier test of `{syntax.source(lookup.key)}` turns architectures away in the same words; "
        f"{_who(problem)} {take} that way too, {'and nothing is enabled' if at_once else 'after what stands between'}"
    )
    edit = Edit(syntax.lines.span(path, start, start), f"{header}{newline}{body}{newline}{indent}")
    title = f"Turn {_who(problem)} away where `{syntax.source(lookup.table)}` has no entry, as the guard above does"
    return Fix(title, Safety.SAFE if at_once and stays_off else Safety.UNSAFE, _sentence(reason), (edit,))


def _tests(syntax: Syntax, guard: ast.If, key: ast.expr) -> bool:
    wanted = syntax.source(key)
    compared = [one for one in ast.walk(guard.test) if isinstance(one, ast.Compare)]
    return not guard.orelse and any(
        syntax.source(operand) == wanted for one in compared for operand in (one.left, *one.comparators)
    )


def _only_says_and_leaves(guard: ast.If) -> bool:
    """Return whether the body only logs or warns, then returns: nothing in it belongs to its own test alone."""
    *says, leaves = guard.body
    return isinstance(leaves, ast.Return) and all(
        isinstance(one, ast.Expr) and isinstance(one.value, ast.Call) for one in says
    )


def _body_of(syntax: Syntax, guard: ast.If, lookup: _Lookup) -> str | None:
    """Return the guard's body for another test: as it is, or with the message of its one log call written anew.

    A message that holds a number or a product's generation speaks of the guard's own test and would be wrong here.
    None where such a message cannot be written anew.
    """
    start = syntax.lines.line_start(syntax.bounds(guard.body[0])[0])
    body = syntax.text[start : syntax.bounds(guard.body[-1])[1]]
    texts = [one.value for one in ast.walk(guard) if isinstance(one, ast.Constant) and isinstance(one.value, str)]
    if not any(_SPEAKS_OF_A_BOUND.search(text) for text in texts):
        return body
    match guard.body:
        case [
            ast.Expr(value=ast.Call(func=ast.Attribute(attr="debug" | "info" | "warning" | "error") as log) as call),
            _,
        ]:
            table, key = syntax.source(lookup.table), _key_source(syntax, lookup)
            message = f'"{_quotable(table)} has no entry for compute capability %s", {key}'
            if '"' in key or "\n" in key or "\r" in key:
                return None
            first, last = syntax.bounds(call)
            return f"{syntax.text[start:first]}{syntax.source(log)}({message}){syntax.text[last : start + len(body)]}"
        case _:
            return None


def _is_off(value: ast.expr | None) -> bool:
    """Return whether a returned value says "no": nothing, None or False."""
    return value is None or (isinstance(value, ast.Constant) and value.value in (None, False))


def _ask_an_empty_row(problem: Problem, syntax: Syntax, lookup: _Lookup, path: str) -> Fix | None:
    """Turn `x in table[key]` into `x in table.get(key, ())`."""
    compare = syntax.parent(lookup.node)
    if not isinstance(lookup.node, ast.Subscript) or not isinstance(compare, ast.Compare) or len(compare.ops) != 1:
        return None
    operator = compare.ops[0]
    if compare.comparators[0] is not lookup.node or not isinstance(operator, ast.In | ast.NotIn):
        return None
    if str(problem.fact("table_kind") or "dict") != "dict":
        return None
    table, key = syntax.source(lookup.table), _key_source(syntax, lookup)
    rejects = isinstance(operator, ast.NotIn) and _leaves_when_true(syntax, compare)
    who, one_or_more = _who(problem), problem.targets
    turned, taking = verb(one_or_more, "is", "are"), verb(one_or_more, "takes", "take")
    what = f"{turned} turned away by the test itself" if rejects else f"{taking} the way for what is not in the row"
    reason = f"{who} {verb(one_or_more, 'has', 'have')} no row in `{table}`, so nothing is in it, and {who} {what}."
    if not rejects:
        reason += f" That way has not run on {who}."
    edit = syntax.edit(path, lookup.node, f"{table}.get({key}, ())")
    title = f"Let `{table}` have no row for {who}"
    return Fix(title, Safety.SAFE if rejects else Safety.UNSAFE, _sentence(reason), (edit,))


def _leaves_when_true(syntax: Syntax, test: ast.expr) -> bool:
    """Return whether the test, alone or as one of several alternatives, decides an `if` whose body leaves."""
    parent = syntax.parent(test)
    if isinstance(parent, ast.BoolOp) and isinstance(parent.op, ast.Or):
        test, parent = parent, syntax.parent(parent)
    return isinstance(parent, ast.If) and parent.test is test and isinstance(parent.body[-1], _ENDS)


def _suggestion(problem: Problem, syntax: Syntax, lookup: _Lookup, path: str) -> tuple[Fix, ...]:
    """Show the guard in front of the statement; whether leaving there is right is for a reader to say."""
    statement, function = _guardable_statement(syntax, lookup), syntax.function(lookup.node)
    if statement is None or function is None:
        return ()
    start = syntax.above_comments(statement)
    indent = _indent(syntax, statement)
    table, key = syntax.source(lookup.table), _key_source(syntax, lookup)
    message = f'f"{_quotable(table)} has no entry for compute capability {{{key}}}"'
    if any(mark in key for mark in '"\\\r\n'):
        message = f'"{_quotable(table)} has no entry for this architecture"'
    if _returns_nothing(function):
        body = f'warnings.warn({message} + ", so this feature stays off")\nreturn'
    else:
        body = f"raise NotImplementedError({message})"
    step = "\t" if indent.startswith("\t") else "    "
    guard = f"if {key} not in {table}:\n" + textwrap.indent(body, step)
    lines = guard.split("\n")
    newline = syntax.lines.newline()
    text = newline.join([lines[0], *(indent + line for line in lines[1:])]) + newline + indent
    reason = (
        f"Shows where a guard would keep {_who(problem)} out with a message; what the code should do there instead "
        "cannot be told from here."
    )
    edit = Edit(syntax.lines.span(path, start, start), text)
    return (Fix(f"Guard the lookup of `{table}`", Safety.DISPLAY, reason, (edit,)),)


def _returns_nothing(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    returns = [one for one in ast.walk(function) if isinstance(one, ast.Return)]
    return all(one.value is None for one in returns)


def _quotable(source: str) -> str:
    return source.replace('"', "'").replace("{", "{{").replace("}", "}}")


def _indent(syntax: Syntax, statement: ast.stmt) -> str:
    start = syntax.bounds(statement)[0]
    line = syntax.text[syntax.lines.line_start(start) : start]
    return line[: len(line) - len(line.lstrip(" \t\f"))]


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:] + ("" if text.endswith(".") else ".")
