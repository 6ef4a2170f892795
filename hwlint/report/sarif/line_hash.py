"""Compute the line hashes by which GitHub code scanning recognises a finding after the file has changed.

The value for a line is a polynomial over the first hundred UTF-16 units that follow its start, blanks and tabs left
out and line ends written as LF: sum of unit[i] * 37 ** (99 - i), modulo 2 ** 64, in hexadecimal. The file ends with
the unit 65535 and as many zeros as are needed. `:1`, `:2`, ... tell equal lines apart in the order of the file.
Uploads through GitHub's action get this value computed where it is missing; uploads through the API do not.
"""

from __future__ import annotations

import struct
from collections import Counter

_WINDOW = 100
_UNIT_BYTES = 2
_FACTOR = 37
_MASK = (1 << 64) - 1
_END = "\uffff" + "\0" * _WINDOW
_WEIGHTS = tuple(pow(_FACTOR, _WINDOW - 1 - place, 1 << 64) for place in range(_WINDOW))


def line_hashes(text: str, wanted: set[int]) -> dict[int, str]:
    """Return line number (1-based) to `hash:occurrence` for the `wanted` lines that `text` has.

    Windows are compared as they are and only the wanted ones are turned into numbers, so a large file costs little.
    """
    squeezed = text.replace("\r\n", "\n").replace("\r", "\n").replace(" ", "").replace("\t", "")
    units = (squeezed + _END).encode("utf-16-le", "surrogatepass")
    seen: Counter[bytes] = Counter()
    hashes: dict[int, str] = {}
    start = 0
    for number, line in enumerate(squeezed.split("\n")[: max(wanted, default=0)], start=1):
        window = units[start : start + _WINDOW * _UNIT_BYTES]
        seen[window] += 1
        if number in wanted:
            hashes[number] = f"{_polynomial(window):x}:{seen[window]}"
        length = len(line) if line.isascii() else len(line.encode("utf-16-le", "surrogatepass")) // _UNIT_BYTES
        start += (length + 1) * _UNIT_BYTES
    return hashes


def _polynomial(window: bytes) -> int:
    units: tuple[int, ...] = struct.unpack(f"<{_WINDOW}H", window)
    return sum(weight * unit for weight, unit in zip(_WEIGHTS, units, strict=True)) & _MASK
