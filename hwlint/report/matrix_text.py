"""Write the matrix for a terminal: words where the width allows them, signs where it does not, and why it is so."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from hwlint.model.matrix import Cell, Matrix, Row, Status
from hwlint.report.display import cells as cells_wide
from hwlint.report.display import printable
from hwlint.report.matrix_rows import choose_rows, reasons
from hwlint.report.styles import Painter, Style

SIGNS = {
    Status.NOT_REACHED: ".",
    Status.WORKS: "+",
    Status.UNKNOWN: "?",
    Status.FALLS_BACK: "~",
    Status.REJECTED: "R",
    Status.FAILS: "X",
}
_STYLES = {
    Status.NOT_REACHED: Style.QUIET,
    Status.WORKS: Style.ADDED,
    Status.UNKNOWN: Style.QUIET,
    Status.FALLS_BACK: Style.WARNING,
    Status.REJECTED: Style.NOTE,
    Status.FAILS: Style.ERROR,
}
_LEGEND = "+ works, ~ falls back, R rejected, X fails, ? unknown, . not reached; r and x: only possible"
_GAP, _NARROW_GAP = 2, 1
_WORD = max(map(len, Status)) + 1
_LEAST_WIDTH = 60
_LEAST_NAME, _MOST_NAME = 24, 72
_SHOWN_REASONS = 3
_MOST_KINDS = 8
"""Kinds of reasons that are told of one row."""


def render_matrix_text(matrix: Matrix, painter: Painter, *, width: int, everything: bool = False) -> str:
    """Return the matrix as text of at most `width` columns (at least 60), and below it why rows fail or differ.

    Where the architectures do not fit beside each other the table goes on below itself. With `everything` the rows
    that treat all architectures alike are there too. Of a comparison of revisions only the changes are told.
    """
    width = max(width, _LEAST_WIDTH)
    chosen = choose_rows(matrix, everything=everything)
    lines: list[str] = []
    if chosen.rows and not matrix.compared.startswith("since"):
        lines += _tables(matrix, chosen.rows, painter, width)
    why = [block for row in chosen.rows if (block := list(_why(matrix, row, painter, width)))]
    if why:
        lines += ["", painter.paint("why" if matrix.compared else "what fails", Style.HEADING)] if lines else []
        lines += [line for block in why for line in block]
    lines += ["", *_closing(matrix, chosen.rows, chosen.left_out)] if lines else _closing(matrix, (), chosen.left_out)
    return "".join(f"{line}\n" for line in lines)


def _tables(matrix: Matrix, rows: Sequence[Row], painter: Painter, width: int) -> Iterator[str]:
    titles = [arch.name for arch in matrix.architectures]
    name = min(max(max(cells_wide(_label(row)) for row in rows), _LEAST_NAME), _MOST_NAME, max(width * 3 // 5, 30))
    worded = name + len(titles) * (_GAP + _WORD) <= width
    wide = _WORD if worded else max(len(_number(title)) for title in titles)
    each = max((width - name) // ((_GAP if worded else _NARROW_GAP) + wide), 1)
    for start in range(0, len(titles), each):
        bits = range(start, min(start + each, len(titles)))
        if start:
            yield ""
        for head in _heads([titles[bit] for bit in bits], wide, worded=worded):
            yield painter.paint((" " * name + head).rstrip(), Style.PLACE)
        for row in rows:
            shown = "".join(_cell(row.cells[bit], painter, wide, worded=worded) for bit in bits)
            label = _fitted(_label(row), name)
            yield ((painter.paint(label, Style.PLACE) if row.depth == 0 else label) + shown).rstrip()
    if not worded:
        yield ""
        yield from textwrap.wrap(_LEGEND, width)


def _heads(titles: Sequence[str], wide: int, *, worded: bool) -> list[str]:
    """The heading: names, or where cells are narrow `sm_` and `gfx` above their first numbers."""
    if worded:
        return ["".join(" " * _GAP + title.ljust(wide) for title in titles)]
    above, last = "", ""
    for title in titles:
        kind = title.removesuffix(_number(title))
        above += " " * _NARROW_GAP + ("" if kind == last else kind).ljust(wide)
        last = kind
    return [above, "".join(" " * _NARROW_GAP + _number(title).ljust(wide) for title in titles)]


def _number(title: str) -> str:
    return title.removeprefix("sm_").removeprefix("gfx")


def _cell(cell: Cell, painter: Painter, wide: int, *, worded: bool) -> str:
    text = cell.label if worded else _sign(cell)
    return (
        " " * (_GAP if worded else _NARROW_GAP) + painter.paint(text, _STYLES[cell.status]) + " " * (wide - len(text))
    )


def _sign(cell: Cell) -> str:
    sign = SIGNS[cell.status]
    return sign.lower() if cell.label.endswith("?") else sign


def _label(row: Row) -> str:
    return f"{'  ' * row.depth}{printable(row.name)}"


def _fitted(label: str, wide: int) -> str:
    """Cut a label in its middle, where paths and names say least, and fill it up."""
    if cells_wide(label) > wide:
        indent = len(label) - len(label.lstrip())
        tail = (wide - indent - 3) * 2 // 3
        head = wide - indent - 3 - tail
        label = f"{' ' * indent}{label.strip()[:head]}...{label[-tail:]}"
    return label + " " * (wide - cells_wide(label))


def _why(matrix: Matrix, row: Row, painter: Painter, width: int) -> Iterator[str]:
    """Yield the place of a row and what makes it fail, or in a comparison what makes it differ."""
    names: dict[str, list[str]] = {}
    for bit, cell in enumerate(row.cells):
        if (row.sites or row.gone) and _is_told(matrix, cell):
            names.setdefault(_said(row, bit, cell), []).append(matrix.architectures[bit].name)
    if not names:
        return
    line = row.sites[0].span.line if row.sites else row.line
    state = "  (no longer there)" if row.gone else ""
    yield f"{painter.paint(f'{printable(row.path)}:{line}', Style.PLACE)}  {printable(row.symbol)}{state}".rstrip()
    for said, targets in list(names.items())[:_MOST_KINDS]:
        text = f"{', '.join(targets)}: {printable(said)}"
        yield from textwrap.wrap(
            text,
            width,
            initial_indent="    ",
            subsequent_indent="      ",
            break_long_words=False,
            break_on_hyphens=False,
        )
    if len(names) > _MOST_KINDS:
        yield f"    and {len(names) - _MOST_KINDS} more kinds"


def _is_told(matrix: Matrix, cell: Cell) -> bool:
    if matrix.compared.startswith("since"):
        return cell.was is not None
    return bool(matrix.compared) or cell.status is Status.FAILS


def _said(row: Row, bit: int, cell: Cell) -> str:
    change = "" if cell.was in (None, Status.NOT_REACHED) else f"{cell.was.value} -> "
    because = "; ".join(reasons(row, bit, cell.status)[:_SHOWN_REASONS])
    return f"{change}{cell.label}: {because}" if because else f"{change}{cell.label}"


def _closing(matrix: Matrix, rows: Sequence[Row], left_out: int) -> Iterator[str]:
    own = sum(bool(row.sites) or row.gone for row in rows)
    verb = ("differs" if own == 1 else "differ") if matrix.compared else ""
    compared = f" {verb}, {matrix.compared}" if matrix.compared else ""
    files = "one file" if matrix.files == 1 else f"{matrix.files} files"
    yield f"{own} {'row' if own == 1 else 'rows'}{compared}; {files} read"
    if not matrix.files:
        yield "No Python file was found there."
    if left_out:
        alike = "one more row treats" if left_out == 1 else f"{left_out} more rows treat"
        yield f"{alike} all architectures alike; --all shows them"
    for failure in matrix.failures:
        yield f"{printable(failure.path)}:{failure.line}: not read: {printable(failure.message)}"
