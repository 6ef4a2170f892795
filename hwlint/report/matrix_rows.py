"""Choose the rows of a matrix that are worth a reader's time, and count what is left out."""

from __future__ import annotations

from dataclasses import dataclass

from hwlint.model.matrix import Matrix, Row, Status


@dataclass(frozen=True, slots=True)
class Chosen:
    """The rows to show, in order, and how many with sites of their own are not among them."""

    rows: tuple[Row, ...]
    left_out: int


def choose_rows(matrix: Matrix, *, everything: bool) -> Chosen:
    """Return all rows, or those that tell architectures apart or hold a failure, with the rows that these lie in."""
    if everything or matrix.compared:
        return Chosen(matrix.rows, 0)
    wanted = {(row.path, row.symbol) for row in matrix.rows if row.sites and is_telling(row)}
    keep = set(wanted)
    for path, symbol in wanted:
        keep.add((path, ""))
        parts = symbol.split(".")
        keep.update((path, ".".join(parts[:size])) for size in range(1, len(parts)))
    rows = tuple(row for row in matrix.rows if (row.path, row.symbol) in keep)
    return Chosen(rows, sum(bool(row.sites) for row in matrix.rows) - len(wanted))


def is_telling(row: Row) -> bool:
    """True where a row treats architectures differently, or fails somewhere."""
    return not row.is_even or any(cell.status is Status.FAILS for cell in row.cells)


def reasons(row: Row, bit: int, status: Status) -> tuple[str, ...]:
    """Return what gives a row `status` on one architecture, in words; findings only where nothing else tells it."""
    seen: dict[str, None] = {}
    found: dict[str, None] = {}
    for site in row.sites:
        for effect in site.effects:
            if effect.mask >> bit & 1 and effect.status is status:
                (found if site.rule else seen).setdefault(f"{site.rule} {effect.text}".strip())
    return tuple(seen or found)
