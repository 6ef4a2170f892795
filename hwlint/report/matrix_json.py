"""Write the matrix as JSON for programs: the contract `hwlint-matrix/1`."""

from __future__ import annotations

import json
from collections.abc import Sequence

from hwlint.model.architecture import Architecture
from hwlint.model.matrix import Cell, Effect, Matrix, Row, Site, Status

SCHEMA = "hwlint-matrix/1"


def render_matrix_json(matrix: Matrix) -> str:
    """Return every row as one indented JSON object with a final newline; the same input gives the same bytes."""
    return json.dumps(as_json(matrix), indent=2) + "\n"


def as_json(matrix: Matrix) -> dict[str, object]:
    """Return the matrix as plain dicts, lists, strings and numbers."""
    names = [arch.name for arch in matrix.architectures]
    return {
        "schema": SCHEMA,
        "version": matrix.version,
        "compared": matrix.compared or None,
        "targets": [_target(arch) for arch in matrix.architectures],
        "rows": [_row(row, names) for row in matrix.rows],
        "failures": [
            {"path": failure.path, "line": failure.line, "message": failure.message} for failure in matrix.failures
        ],
        "summary": {
            "files": matrix.files,
            "rows": sum(bool(row.sites) for row in matrix.rows),
            "counts": {
                name: {status.value: matrix.count(status, bit) for status in Status} for bit, name in enumerate(names)
            },
        },
    }


def _target(arch: Architecture) -> dict[str, object]:
    return {"name": arch.name, "label": arch.label, "generation": arch.generation}


def _row(row: Row, names: Sequence[str]) -> dict[str, object]:
    return {
        "path": row.path,
        "symbol": row.symbol,
        "kind": row.kind,
        "line": row.line,
        "gone": row.gone,
        "cells": {name: _cell(cell) for name, cell in zip(names, row.cells, strict=True)},
        "sites": [_site(site, names) for site in row.sites],
    }


def _cell(cell: Cell) -> dict[str, object]:
    told: dict[str, object] = {"status": cell.status.value, "certain": cell.certain}
    return told if cell.was is None else {**told, "was": cell.was.value}


def _site(site: Site, names: Sequence[str]) -> dict[str, object]:
    span = site.span
    return {
        "kind": site.kind,
        "rule": site.rule or None,
        "text": site.text,
        "line": span.line,
        "column": span.column,
        "end_line": span.end_line,
        "end_column": span.end_column,
        "effects": [_effect(effect, names) for effect in site.effects],
        "trace": [
            {"path": step.span.path, "line": step.span.line, "column": step.span.column, "message": step.message}
            for step in site.trace
        ],
    }


def _effect(effect: Effect, names: Sequence[str]) -> dict[str, object]:
    return {
        "status": effect.status.value,
        "targets": [name for bit, name in enumerate(names) if effect.mask >> bit & 1],
        "certain": [name for bit, name in enumerate(names) if effect.certain >> bit & 1],
        "text": effect.text,
    }
