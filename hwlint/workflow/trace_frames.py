"""Find the tree's own line for a frame of an installed file."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath, PureWindowsPath

from hwlint.model.crash import Frame
from hwlint.workflow.sources import Sources

_TELLING_PARTS = 2
"""So many path parts in common (folder and file) are taken to name the same file, if the function is there too."""
_TELLING_TEXT = 12
"""A line of source that is cut off after fewer characters says nothing."""


@dataclass(frozen=True, slots=True)
class Spot:
    """Where a frame is in the tree; `line` is 0 where only the function is found, because its text is another."""

    frame: Frame
    path: str
    line: int
    function: str
    """Dotted name of the innermost function, empty at module level or where it is not known."""


@dataclass(frozen=True, slots=True)
class _Def:
    name: str
    first: int
    last: int


def locate(frame: Frame, sources: Sources, by_name: dict[str, list[str]]) -> Spot | None:
    """Return where `frame` is, or None where no file of the tree fits.

    Files are tried by how much of the installed path they share, from its end. A file fits if it has the function and
    in it the line's text; line numbers only choose among equal lines, for versions differ. Without the text in the
    log, folder, file and function must fit.
    """
    second = None
    for shared, path in _ranked(frame, sources, by_name):
        loaded = sources.load(path)
        if loaded is None:
            continue
        rows = loaded[0].lines
        defs = [one for one in _defs(loaded[0].tree) if not frame.function or _named(one, frame.function)]
        spot = _by_text(frame, path, rows, defs) or (
            _by_number(frame, path, rows, defs) if shared >= _TELLING_PARTS else None
        )
        if spot is not None and spot.line:
            return spot
        second = second or spot
    return second


def same_file(frame: Frame, sources: Sources, by_name: dict[str, list[str]]) -> str | None:
    """Return the file of the tree that is the frame's by folder and name, whatever it holds; None where there is none.

    Only where several parts of the path are the same, and no other file shares as many.
    """
    ranked = [(shared, path) for shared, path in _ranked(frame, sources, by_name) if shared > _TELLING_PARTS]
    best = [path for shared, path in ranked if shared == ranked[0][0]]
    return best[0] if len(best) == 1 else None


def _ranked(frame: Frame, sources: Sources, by_name: dict[str, list[str]]) -> list[tuple[int, str]]:
    """Return the files with the frame's name, with the number of parts that they share, those that share most first."""
    parts = _parts(frame.path)
    above = sources.root.parts
    found = ((_shared(parts, (*above, *path.split("/"))), path) for path in by_name.get(parts[-1] if parts else "", ()))
    return sorted(found, key=lambda pair: (-pair[0], pair[1]))


def index(files: Sequence[str]) -> dict[str, list[str]]:
    """Map each file name to the files that have it."""
    found: dict[str, list[str]] = {}
    for path in files:
        found.setdefault(path.rpartition("/")[2], []).append(path)
    return found


def _parts(path: str) -> tuple[str, ...]:
    if path.startswith("<"):
        return ()
    pure = PureWindowsPath(path) if "\\" in path else PurePosixPath(path)
    return tuple(part for part in pure.parts if part not in (pure.anchor, ".", "~"))


def _shared(installed: Sequence[str], own: Sequence[str]) -> int:
    count = 0
    for one, two in zip(reversed(installed), reversed(own), strict=False):
        if one != two:
            break
        count += 1
    return count


def _defs(tree: ast.Module) -> list[_Def]:
    return list(_defs_in(tree.body, ""))


def _defs_in(body: Sequence[ast.stmt], prefix: str) -> Iterator[_Def]:
    for node in body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            name = f"{prefix}{node.name}"
            if not isinstance(node, ast.ClassDef):
                yield _Def(name, node.lineno, node.end_lineno or node.lineno)
            yield from _defs_in(node.body, f"{name}.")
        else:
            for block in ("body", "orelse", "finalbody"):
                inner = getattr(node, block, None)
                if isinstance(inner, list):
                    yield from _defs_in(inner, prefix)
            for handler in getattr(node, "handlers", ()):
                yield from _defs_in(handler.body, prefix)


def _named(one: _Def, function: str) -> bool:
    return one.name.rpartition(".")[2] == function


def _by_text(frame: Frame, path: str, rows: Sequence[str], defs: Sequence[_Def]) -> Spot | None:
    """The line of that text nearest to the frame's, inside the function it names; at module level anywhere."""
    wanted = frame.text.strip()
    if not wanted:
        return None
    at = [number for number, row in enumerate(rows, start=1) if _same(row.strip(), wanted)]
    inside = [(number, _around(number, defs)) for number in at]
    if frame.function and not frame.function.startswith("<"):
        inside = [(number, around) for number, around in inside if around]
    if not inside:
        return None
    number, around = min(inside, key=lambda pair: (abs(pair[0] - frame.line), pair[0]))
    return Spot(frame, path, number, around)


def _same(row: str, wanted: str) -> bool:
    return row == wanted or (len(wanted) >= _TELLING_TEXT and row.startswith(wanted))


def _by_number(frame: Frame, path: str, rows: Sequence[str], defs: Sequence[_Def]) -> Spot | None:
    """The frame's own line number where the log has no text, else only the function."""
    module = frame.function in ("", "<module>")
    if not defs and not module:
        return None
    fits = module or any(one.first <= frame.line <= one.last for one in defs)
    if not frame.text and fits and frame.line <= len(rows):
        return Spot(frame, path, frame.line, _around(frame.line, defs))
    return None if module else Spot(frame, path, 0, defs[0].name if len(defs) == 1 else "")


def _around(number: int, defs: Sequence[_Def]) -> str:
    """The innermost function around a line, empty for none."""
    around = [one for one in defs if one.first <= number <= one.last]
    return max(around, key=lambda one: one.first).name if around else ""
