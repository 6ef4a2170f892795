"""Write small projects whose matrix is known, and give their rows."""

from __future__ import annotations

from pathlib import Path

from hwlint.model.matrix import Matrix, Row
from hwlint.workflow.matrix import matrix
from hwlint.workflow.settings import load_settings, override

TARGETS = ("sm_80", "sm_90", "sm_100", "sm_120")

KERNELS = """\
import torch

TILES = {9: 128, 10: 256}
SIZES = {8: 1, 9: 2}


def major():
    return torch.cuda.get_device_capability()[0]


def tile():
    return TILES[major()]


def size():
    return SIZES.get(major(), 4)


def only_hopper():
    if major() != 9:
        raise RuntimeError("needs Hopper")
    return 1


def ladder():
    if major() == 9:
        return "hopper"
    if major() == 10:
        return "blackwell"
    return "plain"


def guarded():
    if major() < 9:
        return None
    return "fast"


class Pool:
    def __init__(self, flag):
        self.wide = flag and major() >= 10

    def caught(self):
        try:
            return TILES[major()]
        except KeyError:
            return 64

    def open(self, text):
        return 1 if text == self.wide else 2
"""


def project(folder: Path, **files: str) -> Path:
    """Write a project with these modules (by name, without the suffix) into `folder`, and return it."""
    (folder / "hwlint.toml").write_text("")
    for name, text in files.items():
        (folder / f"{name}.py").write_text(text)
    return folder


def matrix_of(folder: Path, targets: tuple[str, ...] = TARGETS) -> Matrix:
    """Return the matrix of a project over these architectures."""
    return matrix([folder], override(load_settings([folder]), targets=targets), jobs=1, use_cache=False)


def row_of(found: Matrix, symbol: str, path: str = "kernels.py") -> Row:
    """Return the row of one symbol (empty for the file)."""
    return next(row for row in found.rows if (row.path, row.symbol) == (path, symbol))


def labels(row: Row) -> list[str]:
    """Return what the cells of a row say, in the order of the architectures."""
    return [cell.label for cell in row.cells]
