"""Write the matrix as one HTML page that needs nothing else: no network, no server, no further file."""

from __future__ import annotations

import html
import json
from collections.abc import Callable
from pathlib import Path

from hwlint.model.finding import TraceStep
from hwlint.model.matrix import Cell, Matrix, Row, Site, Status
from hwlint.report.source_lines import SourceLines

_PAGE = Path(__file__).resolve().parent / "matrix_page"
_LETTERS = {
    Status.NOT_REACHED: ".",
    Status.WORKS: "+",
    Status.UNKNOWN: "?",
    Status.FALLS_BACK: "~",
    Status.REJECTED: "R",
    Status.FAILS: "X",
}
"""How the page's script knows a status; small letters are what is only possible."""
_KINDS = ("file", "class", "function")
_BEFORE, _AFTER, _LONGEST_EXCERPT = 1, 1, 8
_LONGEST_LINE = 240


def render_matrix_html(matrix: Matrix, sources: Callable[[str], str | None], *, title: str) -> str:
    """Return the page; `sources` gives the text of a project file by its path, for the excerpts, or None.

    Everything that comes from the code under check goes into the page as data, never as markup.
    """
    packed = _Packer(SourceLines(sources)).packed(matrix, title)
    # Nothing inside the data may end the element that holds it, or open a comment.
    data = json.dumps(packed, ensure_ascii=True, separators=(",", ":")).replace("<", "\\u003c")
    page = _read("page.html")
    for mark, text in (
        ("{{title}}", html.escape(f"{title}: hwlint matrix")),
        ("{{style}}", _read("style.css")),
        ("{{script}}", _read("script.js")),
        ("{{data}}", data),  # last, so that no mark inside the data is taken for one of the page
    ):
        before, _, after = page.partition(mark)
        page = before + text + after
    return page


class _Packer:
    """Turns a matrix into what the script reads: lists instead of objects, and each path and step once."""

    def __init__(self, lines: SourceLines) -> None:
        self._lines = lines
        self._paths: dict[str, int] = {}
        self._steps: dict[TraceStep, int] = {}
        self._shown: dict[int, dict[int, str]] = {}

    def packed(self, matrix: Matrix, title: str) -> dict[str, object]:
        """Return the data of the page."""
        rows = [self._row(row) for row in matrix.rows]
        steps = [[self._path(step.span.path), step.span.line, step.message] for step in self._steps]
        return {
            "title": title,
            "version": matrix.version,
            "compared": matrix.compared,
            "files": matrix.files,
            "targets": [
                [arch.name, arch.label, arch.generation, f"{arch.major}.{arch.minor}" if arch.capability else ""]
                for arch in matrix.architectures
            ],
            "rows": rows,
            "steps": steps,
            "paths": list(self._paths),
            "lines": self._shown,
            "failures": [[failure.path, failure.line, failure.message] for failure in matrix.failures],
        }

    def _row(self, row: Row) -> list[object]:
        was = "".join(" " if cell.was is None else _LETTERS[cell.was] for cell in row.cells).rstrip()
        sites = [self._site(site) for site in row.sites]
        cells = "".join(map(_letter, row.cells))
        return [
            self._path(row.path),
            row.symbol,
            _KINDS.index(row.kind),
            row.line,
            row.depth,
            cells,
            sites,
            was,
            row.gone,
        ]

    def _site(self, site: Site) -> list[object]:
        span = site.span
        last = min(span.end_line, span.line + _LONGEST_EXCERPT - 1)
        for line in range(span.line - _BEFORE, last + _AFTER + 1):
            self._show(span.path, line)
        effects = [
            [_letter(Cell(effect.status)), _bits(effect.mask), _bits(effect.certain & effect.mask), effect.text]
            for effect in site.effects
        ]
        return [span.line, last, site.kind, site.text, site.rule, effects, [self._step(step) for step in site.trace]]

    def _step(self, step: TraceStep) -> int:
        self._show(step.span.path, step.span.line)
        return self._steps.setdefault(step, len(self._steps))

    def _show(self, path: str, line: int) -> None:
        text = self._lines.line(path, line)
        if text is not None:
            cut = text if len(text) <= _LONGEST_LINE else f"{text[:_LONGEST_LINE]}..."
            self._shown.setdefault(self._path(path), {})[line] = cut.rstrip()

    def _path(self, path: str) -> int:
        return self._paths.setdefault(path, len(self._paths))


def _letter(cell: Cell) -> str:
    letter = _LETTERS[cell.status]
    return letter.lower() if cell.label.endswith("?") else letter


def _bits(mask: int) -> list[int]:
    return [bit for bit in range(mask.bit_length()) if mask >> bit & 1]


def _read(name: str) -> str:
    return (_PAGE / name).read_text(encoding="utf-8")
