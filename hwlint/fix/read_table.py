"""Read a table where it is written: through wrapping calls and comprehensions to where its entries stand."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from hwlint.fix.splice import LINE_END
from hwlint.fix.table import Entry, Shape, Table, Unreadable

if TYPE_CHECKING:
    import libcst as cst

_WRAPPERS = frozenset(
    {
        "dict",
        "list",
        "tuple",
        "set",
        "frozenset",
        "OrderedDict",
        "MappingProxyType",
        "frozendict",
        "array",
        "asarray",
        "fromkeys",
    }
)
"""Calls whose one table is their first argument; their last name part counts."""

_MAX_DEPTH = 8
"""How deep wrappers, comprehensions and nested tables are followed."""


def read_table(text: str, start: int, end: int, inner_path: Sequence[str] = ()) -> Table | Unreadable:
    """Return the table whose expression stands at `text[start:end]`.

    `inner_path` names the keys (as `repr` writes them) that lead to a nested table. Calls that only wrap a display,
    comprehensions over one, and texts that are split on the spot are followed to where the entries stand.
    """
    import libcst as cst

    source = text[start:end]
    found = LINE_END.search(text)
    newline = found.group() if found else "\n"
    try:
        node = cst.parse_expression(source)
    except (cst.ParserSyntaxError, RecursionError, ValueError):
        return Unreadable("its text is not one expression")
    reader = _Reader(text, newline)
    if reader.code(node) != source:
        return Unreadable("its text mixes line endings in a way that cannot be kept")
    table = reader.read(node, start, 0)
    for key in inner_path:
        if isinstance(table, Unreadable):
            return table
        index = table.index(key, ())
        if index is None:
            return Unreadable(f"it has no inner table under {key}")
        entry = table.entries[index]
        inner = cst.parse_expression(table.value(entry))
        table = reader.read(inner, entry.value_start, 0)
    return table


class _Reader:
    """Walk the expression; offsets come from adding up the code of what stands before."""

    def __init__(self, text: str, newline: str) -> None:
        import libcst as cst

        self._text = text
        self._newline = newline
        self._module = cst.Module([], default_newline=newline)

    def code(self, node: cst.CSTNode) -> str:
        return self._module.code_for_node(node)

    def _length(self, *nodes: cst.CSTNode) -> int:
        return sum(len(self.code(node)) for node in nodes)

    def read(self, node: cst.BaseExpression, start: int, depth: int) -> Table | Unreadable:
        import libcst as cst

        if depth > _MAX_DEPTH:
            return Unreadable("it is wrapped too deeply")
        inside = start + self._length(*node.lpar)
        match node:
            case cst.Dict():
                return self._entries(Shape.DICT, node.elements, inside + self._length(node.lbrace), node.lbrace)
            case cst.Set():
                return self._entries(Shape.MEMBERS, node.elements, inside + self._length(node.lbrace), node.lbrace)
            case cst.List():
                return self._entries(Shape.MEMBERS, node.elements, inside + self._length(node.lbracket), node.lbracket)
            case cst.Tuple():
                last = node.lpar[-1] if node.lpar else None
                return self._entries(Shape.MEMBERS, node.elements, inside, last)
            case cst.Call():
                return self._call(node, inside, depth)
            case cst.DictComp() | cst.SetComp() | cst.ListComp() | cst.GeneratorExp():
                return self._comprehension(node, inside, depth)
            case cst.Name():
                return Unreadable(f"its entries come from `{node.value}`, which is defined elsewhere")
            case cst.SimpleString():
                return self._words(node, inside, None)
            case _:
                return Unreadable("it is computed, not written out")

    def _entries(
        self, shape: Shape, elements: Sequence[cst.CSTNode], first: int, bracket: cst.CSTNode | None
    ) -> Table | Unreadable:
        entries = tuple(self._walk(elements, first))
        if bracket is None:
            opening, closing = first, entries[-1].comma or entries[-1].end
        else:
            opening = first - len(self.code(bracket)) + 1
            closing = self._closing(entries[-1].comma or entries[-1].end if entries else opening)
        return Table(self._text, shape, entries, opening, closing, self._newline, bare=bracket is None)

    def _closing(self, offset: int) -> int:
        skipped = re.compile(r"(?:[\s\f]|\\|#[^\r\n]*)*").match(self._text, offset)
        return skipped.end() if skipped else offset

    def _walk(self, elements: Sequence[cst.CSTNode], offset: int) -> Iterator[Entry]:
        import libcst as cst

        for element in elements:
            code = self.code(element)
            comma_node = getattr(element, "comma", None)
            comma_code = self.code(comma_node) if isinstance(comma_node, cst.Comma) else ""
            end = offset + len(code) - len(comma_code)
            if isinstance(element, cst.Arg):
                end -= self._length(element.whitespace_after_arg)
            before = self._length(comma_node.whitespace_before) if isinstance(comma_node, cst.Comma) else 0
            comma = end + before + 1 if comma_code else None
            key_end = value_start = end
            key_start = offset
            spread = isinstance(element, (cst.StarredDictElement, cst.StarredElement))
            if isinstance(element, cst.DictElement):
                key_end = offset + self._length(element.key)
                value_start = end - self._length(element.value)
            elif isinstance(element, cst.Arg):
                spread = element.star != "" or element.keyword is None
                key_end = offset + (self._length(element.keyword) if element.keyword else 0)
                value_start = end - self._length(element.value)
            else:
                key_end, value_start = end, key_start
            yield Entry(offset, end, key_start, key_end, value_start, end, comma, spread)
            offset += len(code)

    def _call(self, node: cst.Call, start: int, depth: int) -> Table | Unreadable:
        first_argument = start + self._length(node.func, node.whitespace_after_func) + 1
        first_argument += self._length(node.whitespace_before_args)
        split = self._split_words(node, start)
        if split is not None:
            return split
        name = _last_name(self.code(node.func))
        if name == "dict" and node.args and any(arg.keyword is not None for arg in node.args):
            entries = tuple(self._walk(node.args, first_argument))
            opening = start + self._length(node.func, node.whitespace_after_func) + 1
            closing = self._closing(entries[-1].comma or entries[-1].end)
            return Table(self._text, Shape.KEYWORDS, entries, opening, closing, self._newline)
        if name not in _WRAPPERS or not node.args or node.args[0].star:
            return Unreadable(f"it is made by a call of `{name or 'a function'}`")
        inner = self.read(node.args[0].value, first_argument, depth + 1)
        if name not in ("dict", "OrderedDict") or isinstance(inner, Unreadable) or inner.shape is not Shape.MEMBERS:
            return inner
        return self._as_pairs(inner)

    def _split_words(self, node: cst.Call, start: int) -> Table | Unreadable | None:
        import libcst as cst

        if not isinstance(node.func, cst.Attribute) or node.func.attr.value != "split":
            return None
        if not isinstance(node.func.value, cst.SimpleString):
            return Unreadable("it is split from a text that is not written here")
        separator: str | None = None
        if node.args:
            argument = node.args[0].value
            if not isinstance(argument, cst.SimpleString):
                return Unreadable("it is split at a separator that is not written here")
            separator = str(argument.evaluated_value)
        return self._words(node.func.value, start + self._length(*node.func.lpar), separator)

    def _words(self, node: cst.SimpleString, start: int, separator: str | None) -> Table | Unreadable:
        opening = start + self._length(*node.lpar) + len(node.prefix) + len(node.quote)
        raw = node.raw_value
        if "\\" in raw or "b" in node.prefix.lower():
            return Unreadable("its text holds escapes")
        if separator is None:
            separator = ";" if ";" in raw else "," if "," in raw else " "
        pattern = rf"[^\s{re.escape(separator)}]+" if separator.strip() else r"\S+"
        found = [match.span() for match in re.finditer(pattern, raw)]
        spans = [(opening + a, opening + b) for a, b in found]
        entries = tuple(Entry(a, b, a, b, a, b, None) for a, b in spans)
        return Table(self._text, Shape.WORDS, entries, opening, opening + len(raw), self._newline, separator)

    def _comprehension(
        self, node: cst.DictComp | cst.SetComp | cst.ListComp | cst.GeneratorExp, start: int, depth: int
    ) -> Table | Unreadable:
        import libcst as cst

        loop = node.for_in
        if loop.inner_for_in is not None:
            return Unreadable("its comprehension has two loops")
        head = node.key if isinstance(node, cst.DictComp) else node.elt
        tail_length = self._length(loop)
        whole = self.code(node)
        closers = self._length(*node.rpar)
        bracket = getattr(node, "rbrace", None) or getattr(node, "rbracket", None)
        closers += self._length(bracket) if bracket is not None else 0
        loop_start = start - self._length(*node.lpar) + len(whole) - closers - tail_length
        before = (loop.whitespace_before, loop.whitespace_after_for, loop.target, loop.whitespace_before_in)
        source = loop_start + self._length(*before) + len("for") + len("in") + self._length(loop.whitespace_after_in)
        if loop.asynchronous is not None:
            return Unreadable("its comprehension is asynchronous")
        table = self.read(loop.iter, source, depth + 1)
        if isinstance(table, Unreadable):
            return table
        if self.code(head) == self.code(loop.target):
            return table
        target = loop.target
        if isinstance(target, cst.Tuple) and target.elements and self.code(target.elements[0].value) == self.code(head):
            return self._as_pairs(table)
        return Unreadable("its comprehension computes the keys")

    def _as_pairs(self, table: Table) -> Table | Unreadable:
        from libcst import parse_expression

        pairs: list[Entry] = []
        for entry in table.entries:
            inner = self.read(parse_expression(table.key(entry)), entry.start, _MAX_DEPTH)
            if not isinstance(inner, Table) or inner.shape is not Shape.MEMBERS or len(inner.entries) != 2:
                return Unreadable("its members are not written as pairs")
            key, value = inner.entries
            pairs.append(
                Entry(entry.start, entry.end, key.start, key.end, value.start, value.end, entry.comma, entry.spread)
            )
        return Table(self._text, Shape.PAIRS, tuple(pairs), table.opening, table.closing, table.newline)


def _last_name(code: str) -> str:
    found = re.search(r"([A-Za-z_]\w*)\s*$", code)
    return found.group(1) if found else ""
