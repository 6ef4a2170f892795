"""Find the Python files of a code base: fast, sorted, without what git ignores, and never through a link."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from hwlint.model.errors import SettingsError, UsageError
from hwlint.model.report import Failure
from hwlint.model.suggest import did_you_mean
from hwlint.source.ignore import Patterns, Rules, compile_patterns, is_below, patterns_below, rules_for
from hwlint.source.walk import Walk


@dataclass(frozen=True, slots=True)
class Discovery:
    """The files to read, as sorted POSIX paths relative to the root, and what could not be listed.

    `links` pairs each symbolic link to a folder or Python file met on the way with its target, both relative to the
    root, for those whose target lies inside it: the target is listed under its own name only.
    """

    files: tuple[str, ...]
    failures: tuple[Failure, ...] = ()
    links: tuple[tuple[str, str], ...] = ()


def discover(
    root: Path,
    paths: Sequence[Path] = (),
    *,
    exclude: Sequence[str] = (),
    respect_gitignore: bool = True,
    force_exclude: bool = False,
) -> Discovery:
    """List the `.py` files below `paths`, or below `root` where `paths` is empty.

    A `.py` file given is always taken, whatever rule would leave it out, unless `force_exclude`; a file of another
    name is a failure. The rules apply to what lies below a folder given. `exclude` holds git-style patterns relative
    to `root`; one that begins with `!` takes back what the defaults or git leave out. A user's global git excludes are
    not read, so that the same tree gives the same list everywhere.

    Raises UsageError for a path that does not exist, SettingsError for a pattern that cannot be used.
    """
    walk = Walk(os.path.realpath(root))
    configured = _configured(exclude, walk.root)
    for path in paths or (root,):
        real = _resolve(path, root, walk)
        if real is None:
            continue
        rules, left_out = rules_for(real, walk.root, configured, respect_gitignore=respect_gitignore)
        if left_out and force_exclude:
            continue
        if not Path(real).is_dir():
            walk.take(real)
        else:
            # Whoever names a folder that a rule leaves out wants what is in it: only rules from inside it count.
            walk.below(real, Rules(respect_gitignore=respect_gitignore) if left_out else rules)
    return Discovery(tuple(sorted(walk.files)), tuple(sorted(walk.failures)), tuple(sorted(walk.links)))


def _configured(exclude: Sequence[str], root: str) -> Patterns | None:
    if not exclude:
        return None
    spec, bad = compile_patterns(exclude)
    if bad:
        raise SettingsError(f"exclude: {bad[0]!r} is not a git-style pattern that can be used; correct or remove it")
    return patterns_below(root, spec)


def _resolve(path: Path, root: Path, walk: Walk) -> str | None:
    """Return the real place of a path that the user gave; None, and a failure, where a link leads out of the root."""
    real = os.path.realpath(path)
    if not os.path.lexists(real):
        raise UsageError(_missing_path_message(path))
    given = _without_dots(path)
    looks_inside = any(is_below(given, top) for top in (_without_dots(root), walk.root))
    if looks_inside and not is_below(real, walk.root):
        walk.fail(given, "leads out of the project through a symbolic link, which is not followed; give its target")
        return None
    return real


def _without_dots(path: Path) -> str:
    return os.path.normpath(path.absolute())


def _missing_path_message(path: Path) -> str:
    try:
        names = [each.name for each in path.parent.iterdir()]
    except OSError:
        names = []
    return f"{path}: no such file or directory{did_you_mean(path.name, names)}"
