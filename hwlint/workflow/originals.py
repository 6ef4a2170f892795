"""Hold the files as they were when a run of fix first asked for them, and replace them at its end."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from pathlib import Path

from hwlint.fix.replace import NotReplaced, clear_leftovers, replace_text
from hwlint.source.read import Text, read


class Originals:
    """The files of one run, each read once: every edit, diff and replacement of the run speaks of these texts."""

    def __init__(self, root: Path) -> None:
        """Read nothing yet; paths are relative to `root`."""
        self._root = root
        self._read: dict[str, Text | None] = {}

    def get(self, path: str) -> Text | None:
        """Return a file, or None where it cannot be read."""
        if path not in self._read:
            found = read(self._root, path)
            self._read[path] = found if isinstance(found, Text) else None
        return self._read[path]

    def text(self, path: str) -> str | None:
        """Return the text of a file, or None where it cannot be read."""
        found = self.get(path)
        return None if found is None else found.text

    def write(self, overlay: Mapping[str, str]) -> tuple[tuple[str, ...], tuple[NotReplaced, ...]]:
        """Replace the files whose text differs; return the paths that were replaced, and those that were not.

        What an earlier run left behind in their folders when it was killed is removed first.
        """
        changed: list[str] = []
        failed: list[NotReplaced] = []
        clear_leftovers(self._root, overlay)
        for path in sorted(overlay):
            original = self.get(path)
            if original is None or original.text == overlay[path]:
                continue
            outcome = replace_text(self._root, original, overlay[path])
            if isinstance(outcome, NotReplaced):
                failed.append(outcome)
            else:
                changed.append(path)
        return tuple(changed), tuple(failed)

    def diff(self, overlay: Mapping[str, str]) -> bytes:
        """Return the unified diff of all files, in each file's own encoding, so that `git apply` fits it."""
        return b"".join(
            unified_diff(path, original.to_bytes(), original.to_bytes(overlay[path]))
            for path in sorted(overlay)
            if (original := self.get(path)) is not None
        )


def unified_diff(path: str, old: bytes, new: bytes) -> bytes:
    """Return the unified diff of one file, as `git apply` takes it: line ends kept, a missing last one said."""
    name = path.encode("utf-8", "surrogateescape") + (b"\t" if " " in path else b"")
    lines = difflib.diff_bytes(difflib.unified_diff, _lines(old), _lines(new), b"a/" + name, b"b/" + name)
    return b"".join(line if line.endswith(b"\n") else line + b"\n\\ No newline at end of file\n" for line in lines)


def _lines(data: bytes) -> list[bytes]:
    """Split at line feeds only, as diff and git do; a carriage return stays part of its line."""
    return re.findall(rb"[^\n]*\n|[^\n]+", data)
