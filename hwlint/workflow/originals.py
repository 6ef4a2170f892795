"""Hold the files as they were when a run of fix first asked for them, and replace them at its end."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from hwlint.fix.diff import unified_diff
from hwlint.fix.replace import NotReplaced, clear_leftovers, encoded, obstacle, replace_text
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

    def obstacles(self, overlay: Mapping[str, str], *, write: bool) -> tuple[NotReplaced, ...]:
        """Return the files that cannot take their new text; without `write`, only those whose encoding cannot."""
        asked = [(original, overlay[path]) for path in sorted(overlay) if (original := self.get(path)) is not None]
        found = (obstacle(self._root, *one) if write else encoded(*one) for one in asked)
        return tuple(one for one in found if isinstance(one, NotReplaced))

    def write(
        self, overlay: Mapping[str, str], together: Sequence[Collection[str]] = ()
    ) -> tuple[tuple[str, ...], tuple[NotReplaced, ...]]:
        """Replace the files whose text differs; return the paths that were replaced, and those that were not.

        Each member of `together` names files that one fix changes: where one of them cannot be replaced, as far as can
        be told beforehand, the others are left alone. What an earlier run left behind in their folders when it was
        killed is removed first.
        """
        changed: list[str] = []
        clear_leftovers(self._root, overlay)
        failed = {one.path: one for one in self.obstacles(overlay, write=True)}
        _leave_together(failed, together)
        for path in sorted(overlay):
            original = self.get(path)
            if original is None or original.text == overlay[path] or path in failed:
                continue
            outcome = replace_text(self._root, original, overlay[path])
            if isinstance(outcome, NotReplaced):
                failed[path] = outcome
            else:
                changed.append(path)
        return tuple(changed), tuple(failed[path] for path in sorted(failed))

    def diff(self, overlay: Mapping[str, str]) -> bytes:
        """Return the unified diff of all files, in each file's own encoding, so that `git apply` fits it."""
        return b"".join(
            unified_diff(path, original.to_bytes(), original.to_bytes(overlay[path]))
            for path in sorted(overlay)
            if (original := self.get(path)) is not None
        )


def _leave_together(failed: dict[str, NotReplaced], together: Sequence[Collection[str]]) -> None:
    """Add to the files that cannot be replaced those that share a fix with one of them, and so on."""
    waiting = [sorted(group) for group in together if len(group) > 1]
    while stuck := [group for group in waiting if any(path in failed for path in group)]:
        for group in stuck:
            cause = next(path for path in group if path in failed)
            reason = f"a fix changes it together with {cause}: {failed[cause].reason}"
            for path in group:
                failed.setdefault(path, NotReplaced(path, reason))
        waiting = [group for group in waiting if group not in stuck]
