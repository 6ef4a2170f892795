"""Cut statements out of a file's text by position, and name and hash the definitions in it."""

from __future__ import annotations

import ast
import hashlib
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from hwlint.confirm.edits import Text
from hwlint.confirm.names import bound, changed

_NOT_A_LINE_END = re.compile(r"[^\r\n]")


@dataclass(frozen=True, slots=True, order=True)
class Definition:
    """One definition: where it is and the hash of its text."""

    path: str
    name: str
    line: int
    end_line: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Kept:
    """What of a file stays: top-level statements by index, some of them only in part."""

    statements: Collection[int]
    aliases: Mapping[int, Collection[str]]
    """For an import, the names that stay."""
    members: Mapping[int, Collection[int]]
    """For a class that stays in part, the members by index."""


def definitions(path: str, content: str, tree: ast.Module, kept: Kept) -> Iterator[Definition]:
    """Yield the definitions that stay; imports are none."""
    text = Text.of(content)
    for index in sorted(kept.statements):
        statement = tree.body[index]
        if isinstance(statement, ast.Import | ast.ImportFrom):
            continue
        if index in kept.members and isinstance(statement, ast.ClassDef):
            for place in sorted(kept.members[index]):
                yield _definition(
                    path, f"{statement.name}.{_label(statement.body[place])}", statement.body[place], text
                )
        else:
            yield _definition(path, _label(statement), statement, text)


def definition_hashes(content: str) -> set[tuple[str, str]]:
    """Return (name, hash) of every top-level definition and class member of a file; empty where it does not parse."""
    try:
        tree = ast.parse(content)
    except (SyntaxError, ValueError, RecursionError):
        return set()
    every = range(len(tree.body))
    whole = definitions("", content, tree, Kept(every, {}, {}))
    classes = {index: range(len(node.body)) for index, node in enumerate(tree.body) if isinstance(node, ast.ClassDef)}
    members = definitions("", content, tree, Kept(tuple(classes), {}, classes))
    return {(found.name, found.sha256) for found in (*whole, *members)}


def render(content: str, tree: ast.Module, kept: Kept) -> str:
    """Return the text with everything blanked out that does not stay; lines stay where they are."""
    text = Text.of(content)
    pieces: list[str] = []
    done = 0
    for index, statement in enumerate(tree.body):
        future = isinstance(statement, ast.ImportFrom) and statement.module == "__future__"
        if index not in kept.statements and not future:
            continue
        start, end = span_of(text, statement)
        if start < done:
            continue
        pieces += (_blank(content[done:start]), _piece(kept, index, statement, text))
        done = end
    return "".join((*pieces, _blank(content[done:])))


def _definition(path: str, name: str, statement: ast.stmt, text: Text) -> Definition:
    start, end = span_of(text, statement)
    digest = hashlib.sha256(text.content[start:end].encode("utf-8", "surrogatepass")).hexdigest()
    return Definition(path, name, _first_line(statement), statement.end_lineno or statement.lineno, digest)


def _label(statement: ast.stmt) -> str:
    names = sorted(bound(statement) or changed(statement))
    return ", ".join(names) if names else type(statement).__name__.lower()


def _piece(kept: Kept, index: int, statement: ast.stmt, text: Text) -> str:
    start, end = span_of(text, statement)
    whole = text.content[start:end]
    if index in kept.aliases and isinstance(statement, ast.Import | ast.ImportFrom):
        keep = kept.aliases[index]
        names = [alias for alias in statement.names if (alias.asname or alias.name).split(".")[0] in keep]
        slim: ast.stmt
        if isinstance(statement, ast.Import):
            slim = ast.Import(names=names)
        else:
            slim = ast.ImportFrom(module=statement.module, names=names, level=statement.level)
        return ast.unparse(slim) + _blank(whole).replace(" ", "")
    if index in kept.members and isinstance(statement, ast.ClassDef):
        return _class_piece(statement, kept.members[index], text, start, end)
    return whole


def _class_piece(statement: ast.ClassDef, members: Collection[int], text: Text, start: int, end: int) -> str:
    first, _ = span_of(text, statement.body[0])
    pieces = [text.content[start:first]]
    if not members:
        return pieces[0] + "pass" + _blank(text.content[first:end]).replace(" ", "")
    done = first
    for place in sorted(members):
        member_start, member_end = span_of(text, statement.body[place])
        pieces += (_blank(text.content[done:member_start]), text.content[member_start:member_end])
        done = member_end
    return "".join((*pieces, _blank(text.content[done:end])))


def _blank(text: str) -> str:
    return _NOT_A_LINE_END.sub(" ", text)


def _first_line(statement: ast.stmt) -> int:
    decorators: list[ast.expr] = getattr(statement, "decorator_list", [])
    return min([statement.lineno, *(decorator.lineno for decorator in decorators)])


def span_of(text: Text, statement: ast.stmt) -> tuple[int, int]:
    """Return the offsets of a statement, its decorators included."""
    start = offset_of(text, _first_line(statement), statement.col_offset)  # a decorator's `@` has the same column
    return start, offset_of(text, statement.end_lineno or statement.lineno, statement.end_col_offset or 0)


def offset_of(text: Text, line: int, utf8: int) -> int:
    """Return the offset of a line and a column counted in UTF-8 bytes, as `ast` counts them."""
    start = text.starts[line - 1]
    end = text.starts[line] if line < len(text.starts) else len(text.content)
    row = text.content[start:end]
    if row.isascii():
        return start + utf8
    return start + len(row.encode("utf-8", "surrogatepass")[:utf8].decode("utf-8", "ignore"))
